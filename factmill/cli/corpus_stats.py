"""`factmill corpus stats`."""

from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from factmill.corpus_stats import CorpusStats


def stats(
    n_conflicts: Annotated[
        int, typer.Option("--conflicts", min=0, max=1000, help="Conflicts of each two shards to show.")
    ] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the corpus holds, and whether shards that ask the same question agree about the answer.

    Two shards agree about a question if an answer of one is, but for case, punctuation and articles, an answer of the
    other; they conflict if none is.

    Example: factmill corpus stats --conflicts 5
    """
    from factmill.corpus_stats import corpus_stats

    found = corpus_stats(open_home(home), n_conflicts)
    if as_json:
        print_json(found)
        return
    _say_figures(found)
    _say_agreements(found)
    say("Next: factmill corpus compact" if any(each.n_files > 1 for each in found.shards) else "Next: factmill index")


def _say_figures(found: "CorpusStats") -> None:
    print_table(
        [
            *("shard", "pairs", "questions", "repeated", "mean answers", "kinds", "licence", "as of", "snapshot"),
            *("written", "files", "MB"),
        ],
        [
            (
                str(each.shard),
                each.n_pairs,
                each.n_questions,
                each.n_repeated,
                each.mean_answers,
                ", ".join(sorted(each.kinds)),
                ", ".join(sorted(each.licences)),
                " to ".join(str(day) for day in sorted({each.first_as_of, each.last_as_of} - {None}, key=str)),
                each.snapshot,
                f"{each.written:%Y-%m-%d %H:%M}" if each.written else None,
                each.n_files,
                each.n_bytes / 1e6,
            )
            for each in found.shards
        ],
    )
    for what, totals in (("source", found.sources), ("licence", found.licences)):
        print_table([what, "shards", "pairs"], [(each.name, each.n_shards, each.n_pairs) for each in totals])
    for each in found.shards:
        if n := each.n_repeated:
            what = "pair repeats" if n == 1 else "pairs repeat"
            say(f"{each.shard}: {n:,} {what} an earlier one in question and answers. Nothing was removed.")
    say(
        f"Version {found.version}: {found.n_pairs:,} pairs in {len(found.shards):,} shards,"
        f" {found.n_bytes / 1e6:,.1f} MB."
    )


def _say_agreements(found: "CorpusStats") -> None:
    if not found.agreements:
        say("No two shards ask the same question.")
        return
    print_table(
        ["shard", "and shard", "same questions", "agree", "conflict", "agreement"],
        [
            (
                str(each.one),
                str(each.other),
                each.n_shared,
                each.n_agreeing,
                each.n_conflicting,
                f"{each.n_agreeing / each.n_shared:.0%}",
            )
            for each in found.agreements
        ],
    )
    for each in found.agreements:
        for conflict in each.conflicts:
            answers = [", ".join(answer) for answer in (conflict.one_answer, conflict.other_answer)]
            say(f"{conflict.question}: {answers[0]} ({each.one}), {answers[1]} ({each.other})")
