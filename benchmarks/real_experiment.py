"""The experiment on real data: what Wikidata, DBpedia and IMDb add to a small base, source by source.

    python -m benchmarks.real_experiment --home /somewhere/with/room
    python -m benchmarks.real_experiment --home … --encoder static --set nq_dev --most 1000

Stages, mills and indexes the shared data into the home, what of it is not there yet, and prints a table a question set
in Markdown. Questions whose hash is even are left for tuning: figures are of the others.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from factmill.ablation.experiment import Experiment
from factmill.ablation.result import Ablation, Score
from factmill.ablation.run import run_experiment
from factmill.corpus import Corpus
from factmill.halves import is_for_tuning
from factmill.home import Home
from factmill.importing import import_base
from factmill.names import ShardName
from factmill.questions import read_questions
from factmill.stage import stage_wikidata
from factmill.steps import augment, index_corpus, plan_all, resolve_template, stage_source

BASE = ShardName("paq", "base")
SETS = (
    "simplequestions_wd_train",
    "popqa_A",
    "webq_train",
    "entityquestions_dev",
    "metaqa_dev",
    "movieqa_train",
    "nq_dev",
    "triviaqa_dev",
)
_ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("FACTMILL_SHARED", _ROOT.parent / "shared")) / "data"


def main(words: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--shared", type=Path, default=SHARED)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--set", dest="sets", action="append", choices=SETS, help="only this set; may be repeated")
    parser.add_argument("--most", type=int, help="at most so many questions of a set, the first ones")
    parser.add_argument("--without", action="append", default=[], help="leave a shard out; may be repeated")
    chosen = parser.parse_args(words)
    home = Home.open(chosen.home, create=True)
    _prepare(home, chosen.shared)
    shards = _shards(home, chosen.without)
    list(index_corpus(home, {BASE, *shards}, encoder=chosen.encoder))
    for name in chosen.sets or SETS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.jsonl"
            n = write_odd(chosen.shared / "questions" / f"{name}.jsonl.gz", path, chosen.most)
            experiment = Experiment(questions=(path,), by="source", shards=tuple(map(str, shards)))
            print(f"\n### {name}, {n:,} questions, {chosen.encoder}\n")
            print("\n".join(_lines(run_experiment(home, experiment, chosen.encoder))), flush=True)


def _prepare(home: Home, shared: Path) -> None:
    """Stage and mill what is not there yet."""
    if (home.root / "staged" / "imdb" / "current").exists():
        return
    import_base(home, shared / "questions" / "base_corpus.jsonl.gz", BASE, "CC-BY-SA-3.0")
    wikidata = shared / "wikidata"
    second = wikidata / "statements_with_qualifiers.csv.gz"
    stage_wikidata(home, wikidata / "subset.truthy.nt.gz", "en", second=second)
    stage_source(home, "dbpedia", str(shared / "dbpedia" / "films_large.nt.gz"), [])
    stage_source(home, "imdb", str(shared / "imdb_casts"), [])
    for shard in plan_all(home, None).chosen:
        augment(home, resolve_template(shard, None))


def _shards(home: Home, without: Sequence[str]) -> list[ShardName]:
    return [shard for shard in Corpus(home).latest().shards() if shard != BASE and str(shard) not in without]


def write_odd(source: Path, target: Path, most: int | None) -> int:
    """Write the questions that figures are reported on; return how many there are."""
    asked = read_questions(source)
    pairs = [pair for pair in zip(asked.questions, asked.gold, strict=True) if not is_for_tuning(pair[0])][:most]
    target.write_text("".join(json.dumps({"question": q, "answer": gold}) + "\n" for q, gold in pairs))
    return len(pairs)


def _lines(ablation: Ablation) -> Iterator[str]:
    (table,) = ablation.tables
    yield "| corpus | pairs added | EM-1 | delta | EM-5 | delta |"
    yield "|---|---|---|---|---|---|"
    for variant in table.variants:
        cells = [variant.name, f"{variant.n_pairs:,}"]
        for score in variant.scores:
            cells += [f"{score.em:.2f}", _delta(score)]
        yield f"| {' | '.join(cells)} |"


def _delta(score: Score) -> str:
    if score.delta is None:
        return ""
    found = score.delta.statistics
    return f"{found.points:+.2f} [{found.low:+.2f}, {found.high:+.2f}] (+{found.n_gained} −{found.n_lost})"


if __name__ == "__main__":
    main()
