"""The entity linker: recall and precision on questions that name their subject, how much it leaves, speed and memory.

    python -m benchmarks.bench_linker                       # with ../shared/data, if that is there
    python -m benchmarks.bench_linker --names 20000 --shared /nowhere

Only the odd half of the questions is reported; the even half is what the weights were fitted on
(benchmarks/fit_linker.py). The peer takes the longest name that stands in a question, and the best known entity of it.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cost import cost_of
from benchmarks.linked_questions import Asked, read_asked
from benchmarks.longest_names import LongestNames
from benchmarks.named_stage import write_named_stage
from factmill.halves import is_for_tuning
from factmill.home import Home
from factmill.linker import Linker, Mention, open_linker
from factmill.settings import settings

SETS = ("simplequestions_wd_train", "popqa_A")
AIM_RATE, AIM_BYTES, AIM_RECALL, AIM_PRECISION = 2_000, 2e9, 90, 85
_THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def main(words: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--names", type=int, default=5_000_000)
    parser.add_argument("--misses", action="store_true", help="print the questions of the even half that are missed")
    parser.add_argument("--memory-of", type=Path, help="only open this home's linker and ask it something")
    chosen = parser.parse_args(words)
    if chosen.memory_of:
        open_linker(Home.open(chosen.memory_of), "wikidata").link(["who sings hello"] * 1_000)
        return
    if chosen.shared.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            _bench_real(Path(folder), chosen.shared, misses=chosen.misses)
    with tempfile.TemporaryDirectory() as folder:
        _bench_memory(Path(folder), chosen.names)


def _bench_real(folder: Path, data: Path, *, misses: bool) -> None:
    dump = data / "wikidata" / "subset.truthy.nt.gz"
    cost_of([sys.executable, "-m", "factmill", "stage", "wikidata", str(dump), "--home", str(folder)])
    home = Home.open(folder)
    linker = open_linker(home, "wikidata", threshold=0, most=1_000)
    peer = LongestNames(home)
    print(f"aims: recall {AIM_RECALL} and precision {AIM_PRECISION} at the threshold {settings().link_threshold}")
    for name in SETS:
        asked = read_asked(data, name)
        _print_subjects(name, [one for one in asked if not is_for_tuning(one.question)], linker, peer)
        if misses:
            _print_misses([one for one in asked if is_for_tuning(one.question)], linker)
    for name in SETS:
        _print_answers(name, [one for one in read_asked(data, name) if not is_for_tuning(one.question)], linker)
    _print_nothing([one for one in read_asked(data, "nq_dev") if not is_for_tuning(one.question)], linker, peer)
    _print_speed([one.question for name in (*SETS, "nq_dev") for one in read_asked(data, name)], home, peer)


def _print_subjects(name: str, asked: Sequence[Asked], linker: Linker, peer: LongestNames) -> None:
    """Print precision and recall of the best link; and how often nothing is linked where the subject is struck out."""
    linked = linker.link([one.question for one in asked])
    there = sum(any(m.entity == one.subject for m in links) for one, links in zip(asked, linked, strict=True))
    found = [peer.best(one.question) for one in asked]
    right = sum(entity == one.subject for one, entity in zip(asked, found, strict=True))
    n_found = sum(entity is not None for entity in found)
    print(f"{name}, odd half, {len(asked):,} questions; the subject is among the candidates of {_of(there, asked)} %")
    print(f"  longest name: precision {100 * right / n_found:.1f}, recall {_of(right, asked)}")
    print("  threshold  linked  precision  recall  nothing linked without the subject")
    for threshold in _THRESHOLDS:
        best = [links[0] for links in linked if links and links[0].score >= threshold]
        pairs = zip(asked, linked, strict=True)
        hits = sum(
            bool(links) and links[0].score >= threshold and links[0].entity == one.subject for one, links in pairs
        )
        struck = sum(_best_without(one.subject, links) < threshold for one, links in zip(asked, linked, strict=True))
        print(
            f"  {threshold:9.1f}  {_of(len(best), asked):>6}  {100 * hits / max(1, len(best)):9.1f}"
            f"  {_of(hits, asked):>6}  {_of(struck, asked):>6}"
        )


def _best_without(subject: str | None, links: Sequence[Mention]) -> float:
    """Return the score of the best other entity if this one were no candidate."""
    if all(one.entity == subject for one in links):
        return -1.0
    left = 1 - sum(one.score for one in links if one.entity == subject)
    best = max(one.score for one in links if one.entity != subject)
    return best / left if left > 0 else 0.0


def _print_answers(name: str, asked: Sequence[Asked], linker: Linker) -> None:
    linked = linker.link_answers([one.question for one in asked], [one.answers[0] for one in asked])
    print(f"answers of {name}, odd half\n  threshold  linked  precision  recall")
    for threshold in (0.0, settings().link_threshold, 0.5, 0.8):
        pairs = [
            (one.object, mention.entity)
            for one, mention in zip(asked, linked, strict=True)
            if mention and mention.score >= threshold
        ]
        hits = sum(wanted == entity for wanted, entity in pairs)
        print(
            f"  {threshold:9.1f}  {_of(len(pairs), asked):>6}  {100 * hits / max(1, len(pairs)):9.1f}"
            f"  {_of(hits, asked):>6}"
        )


def _print_nothing(asked: Sequence[Asked], linker: Linker, peer: LongestNames) -> None:
    """Print how often nothing is linked where no answer is a staged name: mostly the subject is not staged either."""
    unknown = [one for one in asked if not any(map(peer.is_name, one.answers))]
    best = [links[0].score if links else -1.0 for links in linker.link([one.question for one in unknown])]
    print(f"NQ dev, odd half, no answer of which is a staged name: {len(unknown):,} of {len(asked):,}; nothing linked:")
    rates = (f"{threshold:.1f}: {_of(sum(score < threshold for score in best), best)}" for threshold in _THRESHOLDS)
    print(
        f"  {', '.join(rates)} %; longest name: {_of(sum(not peer.best(one.question) for one in unknown), unknown)} %"
    )


def _print_misses(asked: Sequence[Asked], linker: Linker) -> None:
    for one, links in zip(asked, linker.link([one.question for one in asked]), strict=True):
        if not links or links[0].entity != one.subject:
            is_there = any(link.entity == one.subject for link in links)
            got = f"{links[0].label} {links[0].entity} {links[0].score:.2f}" if links else "nothing"
            print(f"    {one.question} | {one.subject} {'lost' if is_there else 'no candidate'} | {got}")


def _print_speed(questions: Sequence[str], home: Home, peer: LongestNames) -> None:
    linker = open_linker(home, "wikidata")
    linker.link(questions[:1_000])
    started = time.perf_counter()
    linker.link(questions)
    ours = len(questions) / (time.perf_counter() - started)
    started = time.perf_counter()
    for question in questions:
        peer.best(question)
    theirs = len(questions) / (time.perf_counter() - started)
    print(f"{ours:,.0f} questions a second, aim {AIM_RATE:,}; longest name {theirs:,.0f}: ratio {ours / theirs:.2f}")


def _bench_memory(folder: Path, n_names: int) -> None:
    home = Home.open(folder / "large", create=True)
    write_named_stage(home, n_names)
    cost = cost_of([sys.executable, "-m", "benchmarks.bench_linker", "--memory-of", str(home.root)])
    print(
        f"{n_names:,} names: {cost.peak_bytes / 1e9:.2f} GB at most, aim {AIM_BYTES / 1e9:.0f};"
        f" started and opened in {cost.wall:.0f} s"
    )


def _of(part: int, whole: Sequence[object]) -> str:
    return f"{100 * part / max(1, len(whole)):.1f}"


if __name__ == "__main__":
    main()
