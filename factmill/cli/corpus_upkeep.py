"""`factmill corpus`, what keeps it small: compact, vacuum."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import note, plural, print_json, say
from factmill.names import ShardName

if TYPE_CHECKING:
    from factmill.upkeep import VacuumPlan


def compact(
    shards: Annotated[
        list[str] | None, typer.Argument(help="Shards such as wikidata/P175.  [default: all]", show_default=False)
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the pairs of shards that have many small files into few. Nothing else changes, and earlier versions stay.

    Example: factmill corpus compact
    """
    from factmill.upkeep import compact as compact_shards

    results = []
    for result in compact_shards(open_home(home), [ShardName.parse(text) for text in shards or []]):
        results.append(result)
        if not as_json and result.version is not None:
            say(
                f"{result.shard}: {result.n_files_before:,} files became {result.n_files_after:,},"
                f" version {result.version}."
            )
    if as_json:
        print_json(results)
        return
    n_left = sum(result.version is None for result in results)
    say(f"{n_left:,} {plural('shard', n_left)} had nothing to compact.")
    if n_left < len(results):
        say("Next: factmill corpus vacuum, which frees the room of the old files")


def vacuum(
    keep_days: Annotated[
        int | None,
        typer.Option(
            min=0, help="Keep what was a version in the last so many days.  [default: 30]", show_default=False
        ),
    ] = None,
    keep_versions: Annotated[
        int | None, typer.Option(min=1, help="Keep so many of the last versions instead.", show_default=False)
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete files that only old versions need. Those versions cannot be read any more; the log stays.

    Files that no version has, left by a run that was stopped, are deleted when they are a day old.
    Without --yes and without a terminal to ask on, it lists what it would do and ends with status 1.

    Example: factmill corpus vacuum --keep-versions 10
    """
    from factmill.upkeep import plan_vacuum
    from factmill.upkeep import vacuum as delete

    if keep_days is not None and keep_versions is not None:
        raise typer.BadParameter("say --keep-days or --keep-versions, not both.")
    opened = open_home(home)
    plan = plan_vacuum(opened, keep_days=keep_days, keep_versions=keep_versions)
    if not as_json:
        _say_plan(plan)
    if plan.files and not yes:
        if not sys.stdin.isatty():
            if as_json:
                print_json({"deleted": False, **vars(plan)})
            note("Nothing was deleted. Next: the same with --yes")
            raise typer.Exit(1)
        typer.confirm(f"Delete {len(plan.files):,} {plural('file', len(plan.files))} for good?", abort=True, err=True)
    version = delete(opened, plan)
    if as_json:
        print_json({"deleted": bool(plan.files), **vars(plan)})
    elif version is not None:
        files = f"{len(plan.files):,} {plural('file', len(plan.files))}"
        say(f"Deleted {files}, {plan.n_bytes / 1e6:,.1f} MB, noted as version {version}.")
        say("Next: factmill corpus log")


def _say_plan(plan: "VacuumPlan") -> None:
    kept = f"{len(plan.kept):,} {plural('version', len(plan.kept))} that would be kept"
    if not plan.files:
        say(f"There is nothing to delete: every file is needed by the {kept}.")
        return
    size = f"{plan.n_bytes / 1e6:,.1f} MB"
    say(f"To delete: {len(plan.files):,} {plural('file', len(plan.files))}, {size}, not needed by the {kept}.")
    if plan.n_uncommitted:
        say(f"{plan.n_uncommitted:,} of them belong to no version: a run that was stopped left them.")
    if plan.lost:
        say(f"No longer readable would be {plural('version', len(plan.lost))} {ranges(plan.lost)}.")


def ranges(numbers: list[int]) -> str:
    """Write sorted numbers in short.

    >>> ranges([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)
