"""A flood: 500,000 pairs of one kind, about people who do not exist, to see what so many pairs do to other questions.

    python -m benchmarks.flood --home /somewhere/with/the/experiment
    python -m benchmarks.flood --home … --encoder static --set nq_dev

The people are called by the first name of one person and the last name of another, and do what a third one does. The
pairs go into a shard of their own, `synthetic/occupations`; drop it afterwards with `factmill corpus drop`.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from benchmarks.real_experiment import BASE, SHARED, write_odd
from factmill.ablation.experiment import Experiment
from factmill.ablation.run import run_experiment
from factmill.corpus import Corpus
from factmill.home import Home
from factmill.importing import import_base
from factmill.manifest import Stage
from factmill.names import ShardName
from factmill.steps import index_corpus

FLOOD = ShardName("synthetic", "occupations")
_OCCUPATION = 106


def main(words: Sequence[str] | None = None) -> None:
    """Add the flood and print what it does to the questions of each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--pairs", type=int, default=500_000)
    parser.add_argument("--set", dest="sets", action="append", help="a question set; may be repeated")
    parser.add_argument("--without", action="append", default=[], help="leave a shard out; may be repeated")
    chosen = parser.parse_args(words)
    home = Home.open(chosen.home)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flood.jsonl"
        rows = (json.dumps({"question": q, "answer": [a]}) + "\n" for q, a in flood_pairs(home, chosen.pairs))
        path.write_text("".join(rows))
        import_base(home, path, FLOOD, "CC0-1.0")
        shards = [s for s in Corpus(home).latest().shards() if s != BASE and str(s) not in chosen.without]
        list(index_corpus(home, {BASE, *shards}, encoder=chosen.encoder))
        for name in chosen.sets or ("nq_dev", "triviaqa_dev"):
            questions = Path(folder) / f"{name}.jsonl"
            n = write_odd(chosen.shared / "questions" / f"{name}.jsonl.gz", questions, None)
            named = tuple(map(str, shards))
            experiment = Experiment(questions=(questions,), by="leave-one-source-out", shards=named)
            (table,) = run_experiment(home, experiment, chosen.encoder).tables
            print(f"{name}, {n:,} questions, {chosen.encoder}: what each source does to base + all others")
            for variant in table.variants[1:]:
                for score in variant.scores:
                    if score.delta:
                        found = score.delta.statistics
                        told = f"{0 - found.points:+.2f} [{0 - found.high:+.2f}, {0 - found.low:+.2f}]"
                        told += f" points; {found.n_gained} harmed, {found.n_lost} helped; p {score.delta.p_holm:.2g}"
                        print(f"  {variant.name.removeprefix('all but ')}: EM-{score.k} {told}")


def flood_pairs(home: Home, n: int) -> Iterator[tuple[str, str]]:
    """Yield so many different pairs; the same for the same stage."""
    stage = Stage.current(home, "wikidata")
    connection = duckdb.connect()
    connection.read_parquet(str(stage.facts / "*.parquet")).create("facts")
    connection.read_parquet(str(stage.entities / "*.parquet")).create("entities")
    rows = connection.execute(
        "select distinct people.label, jobs.label from facts join entities as people on people.id = facts.subject"
        " join entities as jobs on jobs.id = facts.object where facts.predicate = ? and contains(people.label, ' ')"
        " order by all",
        [_OCCUPATION],
    ).fetchall()
    real = {person.lower() for person, _ in rows}
    firsts = sorted({person.split()[0].lower() for person, _ in rows})
    lasts = sorted({person.split()[-1].lower() for person, _ in rows})
    jobs = sorted({job for _, job in rows})
    chance = random.Random(1)
    seen: set[str] = set()
    while len(seen) < n:
        name = f"{chance.choice(firsts)} {chance.choice(lasts)}"
        if name not in real and name not in seen:
            seen.add(name)
            yield f"what does {name} do", chance.choice(jobs)


if __name__ == "__main__":
    main()
