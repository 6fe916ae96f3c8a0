"""What staging a Wikidata dump costs, against `zcat` of the same file, and reading one predicate against staging again.

    python -m benchmarks.bench_staging
    python -m benchmarks.bench_staging --megabytes 500 2000 --repeats 1

Figures are medians of runs that take turns. Processor time is that of the whole command, its start included; what the
start alone takes is printed too, because it weighs on small dumps.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.cost import Cost, cost_of
from benchmarks.truthy_dump import write_dump
from benchmarks.truthy_statements import properties
from factmill.home import Home
from factmill.manifest import Stage
from factmill.warehouse import Warehouse

_MEGABYTES = (500, 1_000, 2_000, 8_000)
_READS = 5
_ASKED_SHARE = 0.01
_SOME_PROPERTIES = ",".join(f"P{number}" for number in properties().ids[:30])
_OTHER_READERS = {
    "isal, a Python loop over lines": (
        500,
        "from isal import igzip\nfor line in igzip.open(sys.argv[1]): n += len(line)",
    ),
    "pyoxigraph": (
        500,
        "from isal import igzip\nimport pyoxigraph\n"
        "for triple in pyoxigraph.parse(igzip.open(sys.argv[1]), format=pyoxigraph.RdfFormat.N_TRIPLES): n += 1",
    ),
    "rdflib": (
        10,
        "import gzip, logging\nfrom rdflib.plugins.parsers.ntriples import DummySink, W3CNTriplesParser\n"
        "logging.disable()\nW3CNTriplesParser(DummySink()).parse(gzip.open(sys.argv[1]))",
    ),
}


@dataclass
class Dump:
    """A dump, and what each command on it cost, run by run."""

    path: Path
    raw_bytes: int
    zcat: list[Cost]
    some: list[Cost]
    """Staging some properties, one worker."""
    one: list[Cost]
    """Staging everything, one worker."""
    two: list[Cost]
    """Staging everything, two workers."""

    @classmethod
    def written_to(cls, folder: Path, megabytes: int, *, tell: bool = False) -> "Dump":
        """Generate a dump."""
        path = folder / f"{megabytes}.nt.gz"
        figures = write_dump(path, megabytes * 1_000_000)
        if tell:
            print(*figures.table(), "", sep="\n")
        return cls(path, figures.raw_bytes, [], [], [], [])

    def measure(self, home: Path) -> None:
        """Run every command once."""
        self.zcat.append(cost_of(["zcat", str(self.path)]))
        self.some.append(_stage(self.path, home / "some", "--only", _SOME_PROPERTIES, "--workers", "1"))
        self.one.append(_stage(self.path, home / "one", "--workers", "1"))
        self.two.append(_stage(self.path, home / "two", "--workers", "2"))

    def row(self, start: Cost) -> tuple[float, ...]:
        """Return the figures of this dump in the order of the table."""
        gigabytes = self.raw_bytes / 1e9
        return (
            self.raw_bytes / 1e6,
            _cpu(self.zcat) / gigabytes,
            _cpu(self.some) / _cpu(self.zcat),
            _cpu(self.one) / _cpu(self.zcat),
            _wall(self.two) / _wall(self.zcat),
            _cpu(self.one) / gigabytes,
            (_cpu(self.one) - start.cpu) / gigabytes,
            max(cost.peak_bytes for cost in self.one) / 1e6,
            max(cost.peak_bytes for cost in self.two) / 1e6,
        )


def _cpu(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.cpu for cost in costs)


def _wall(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.wall for cost in costs)


def _stage(dump: Path, home: Path, *words: str) -> Cost:
    """Stage a dump into a home of its own."""
    with tempfile.TemporaryDirectory(dir=home.parent) as place:
        command = [sys.executable, "-m", "factmill", "stage", "wikidata", str(dump), "--home", place, *words]
        return cost_of(command)


def _start(folder: Path) -> Cost:
    """Return what staging costs where there is nothing to read, compiled before."""
    dump = folder / "tiny.nt.gz"
    write_dump(dump, 10_000, processes=1)
    _stage(dump, folder / "compiles")
    return _stage(dump, folder / "tiny")


def _print_costs(dumps: Sequence[Dump], start: Cost) -> None:
    heads = ["MB raw", "zcat s/GB", "some/zcat", "all/zcat", "2 workers", "all s/GB", "no start", "MB", "MB of 2"]
    print("".join(f"{head:>11}" for head in heads))
    for dump in dumps:
        print("".join(f"{figure:>11,.{0 if figure > 100 else 2}f}" for figure in dump.row(start)))
    print(
        "some/zcat, all/zcat: processor time of staging 30 properties or everything with one worker; aims 1.3, 2.0\n"
        "2 workers: time on the clock of everything against zcat's; aim 1.1\n"
        f"no start: processor time without the start of {start.cpu:.2f} s\n"
        "MB, MB of 2: the most memory with one worker and with two; aim 700 a worker\n"
    )


def _print_other_readers(folder: Path, largest: Dump) -> None:
    """Print what other ways to read the lines cost, which keep nothing."""
    zcat_per_byte = _cpu(largest.zcat) / largest.raw_bytes
    for name, (megabytes, code) in _OTHER_READERS.items():
        dump = Dump.written_to(folder, min(megabytes, largest.raw_bytes // 1_000_000))
        cost = cost_of([sys.executable, "-c", f"import sys\nn = 0\n{code}", str(dump.path)])
        ratio = cost.cpu / dump.raw_bytes / zcat_per_byte
        print(f"{name}, {dump.raw_bytes / 1e6:.0f} MB raw: {ratio:.1f} times the processor time of zcat")


def _print_one_predicate(dump: Dump, folder: Path) -> None:
    """Print how long it takes to read a predicate that has about 1 % of the facts, against staging the dump again."""
    home = Home.open(folder / "read", create=True)
    _stage_for_good(dump.path, home)
    stage = Stage.current(home, "wikidata")
    with home.scratch() as scratch:
        counted = pc.value_counts(_facts(stage, scratch)["predicate"].combine_chunks())
        shares = {row["values"]: row["counts"] / stage.manifest.facts for row in counted.to_pylist()}
        asked = min(shares, key=lambda predicate: abs(shares[predicate] - _ASKED_SHARE))
        seconds = []
        for _ in range(_READS):
            started = time.perf_counter()
            rows = _facts(stage, scratch, asked)
            seconds.append(time.perf_counter() - started)
    took = statistics.median(seconds)
    print(
        f"\nP{asked}, {rows.num_rows:,} of {stage.manifest.facts:,} facts ({shares[asked]:.2%}): read in {took:.3f} s,"
        f" {_wall(dump.two) / took:,.0f} times faster than staging with two workers ({_wall(dump.two):.1f} s); aim 100"
    )


def _stage_for_good(dump: Path, home: Home) -> None:
    cost_of([sys.executable, "-m", "factmill", "stage", "wikidata", str(dump), "--home", str(home.root)])


def _facts(stage: Stage, scratch: Path, predicate: int | None = None) -> pa.Table:
    with Warehouse(scratch) as warehouse:
        warehouse.attach(stage, None if predicate is None else [predicate])
        return warehouse.query("select predicate from facts" if predicate is None else "from facts")


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure what staging a Wikidata dump costs.")
    parser.add_argument("--megabytes", type=int, nargs="+", default=_MEGABYTES, help="sizes of dumps, raw")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each command on each dump (%(default)s)")
    parser.add_argument("--folder", type=Path, help="where to put dumps and stages for a while")
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        sizes = sorted(chosen.megabytes)
        dumps = [Dump.written_to(folder, megabytes, tell=megabytes == sizes[-1]) for megabytes in sizes]
        start = _start(folder)
        for _ in range(chosen.repeats):
            for dump in dumps:
                dump.measure(folder)
        _print_costs(dumps, start)
        _print_other_readers(folder, dumps[-1])
        _print_one_predicate(dumps[-1], folder)


if __name__ == "__main__":
    main()
