"""How should a date be written? Staged dates that answer "when" questions, scored as year, as full date and as milled.

    python -m benchmarks.bench_date_policy                       # with ../shared/data, if that is there

A staged date answers a question if the question mentions its subject and a gold answer states the same year. The
linker decides what is mentioned, so a few of these dates have that year by chance.
"""

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.cost import cost_of
from benchmarks.linked_questions import Asked, read_asked
from factmill.dates import Date, firsts_are_days, read_date
from factmill.home import Home
from factmill.linker import open_linker
from factmill.manifest import Stage
from factmill.scoring.norm import Part, open_judge
from factmill.scoring.norm.dates import asks_when, read_time
from factmill.warehouse import Warehouse

SETS = ("nq_dev", "simplequestions_wd_train", "webq_train")


class Stated(NamedTuple):
    """A date of a subject, and what it stands for."""

    as_staged: Date
    as_milled: Date


class Answer(NamedTuple):
    """A question and a date that answers it."""

    asked: Asked
    date: Stated


POLICIES: Mapping[str, Callable[[Stated], Date]] = {
    "year": lambda date: Date(date.as_staged.year, 0, 0),
    "full date": lambda date: date.as_staged,
    "as milled": lambda date: date.as_milled,
}


def main(words: Sequence[str] | None = None) -> None:
    """Print a table a question set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--most", type=int, help="read only so many questions of each set")
    chosen = parser.parse_args(words)
    if not chosen.shared.is_dir():
        print(f"{chosen.shared} is not there: nothing to measure")
        return
    with tempfile.TemporaryDirectory() as folder:
        dump = chosen.shared / "wikidata" / "subset.truthy.nt.gz"
        cost_of([sys.executable, "-m", "factmill", "stage", "wikidata", str(dump), "--home", folder])
        home = Home.open(Path(folder))
        dates = _staged_dates(home)
        for name in SETS:
            asked = [one for one in read_asked(chosen.shared, name)[: chosen.most] if asks_when(one.question)]
            _print_table(name, len(asked), list(_answers(home, asked, dates)))


def _staged_dates(home: Home) -> Mapping[str, Sequence[Stated]]:
    """Return the dates of each subject."""
    by_predicate = defaultdict(list)
    with home.scratch() as scratch, Warehouse(scratch) as warehouse:
        warehouse.attach(Stage.current(home, "wikidata"))
        sql = "select entity_text(subject) as subject, predicate, value from facts where kind = 'date' order by all"
        for row in warehouse.query(sql).to_pylist():
            if date := read_date(row["value"]):
                by_predicate[row["predicate"]].append((row["subject"], date))
    dates = defaultdict(list)
    for stated in by_predicate.values():
        days = firsts_are_days((date, 1) for _, date in stated)
        for subject, date in stated:
            dates[subject].append(Stated(date, date.as_exact_as_plausible(firsts_are_days=days)))
    return dates


def _answers(home: Home, asked: Sequence[Asked], dates: Mapping[str, Sequence[Stated]]) -> Iterator[Answer]:
    links = open_linker(home, "wikidata").link([one.question for one in asked])
    for one, mentions in zip(asked, links, strict=True):
        years = {time.first_year for time in map(read_time, one.answers) if time and time.first_year == time.last_year}
        found = {date for mention in mentions for date in dates.get(mention.entity, ())}
        yield from (Answer(one, date) for date in sorted(found) if date.as_staged.year in years - {None})


def _print_table(name: str, n_asked: int, answers: Sequence[Answer]) -> None:
    n_questions = len({answer.asked.question for answer in answers})
    print(f"{name}: {n_asked:,} questions ask when; {len(answers)} staged dates answer {n_questions} of them")
    if not answers:
        return
    judge = open_judge()
    accepted = judge.accepted([one.asked.question for one in answers], [one.asked.answers for one in answers])
    print(f"  {'written as':10}   EM %  EM_norm %  ratio")
    for policy, written in POLICIES.items():
        parts = judge.mark(accepted, [[written(one.date).forms()[0]] for one in answers])
        exact, right = (parts == Part.EXACT).mean(), (parts != Part.WRONG).mean()
        ratio = f"{right / exact:.2f}" if exact else "–"
        print(f"  {policy:10}  {100 * exact:5.1f}  {100 * right:9.1f}  {ratio:>5}")


if __name__ == "__main__":
    main()
