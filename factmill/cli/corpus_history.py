"""`factmill corpus`, what concerns its versions: log, diff."""

from typing import Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import plural, print_json, print_table, say, told_change
from factmill.names import ShardName


def log(
    shard: Annotated[
        str | None,
        typer.Option("--shard", help="Only versions that wrote or compacted this shard.", show_default=False),
    ] = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Only so many of the newest.", show_default=False)] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the versions of the corpus, newest first: what each did, from which snapshot, and whether it can be read.

    Example: factmill corpus log --shard wikidata/P175 -n 5
    """
    from factmill.corpus_log import read_log

    entries = read_log(open_home(home), ShardName.parse(shard) if shard else None)[:n]
    if as_json:
        print_json(entries)
        return
    if not entries:
        say(f"No version wrote {shard}. See `factmill corpus log`." if shard else "The corpus is empty.")
        return
    print_table(
        [
            *("version", "when", "what", "shard", "pairs", "added", "changed", "retired"),
            *("snapshot", "template", "licence", "readable", "run"),
        ],
        [
            (
                entry.version,
                f"{entry.when:%Y-%m-%d %H:%M}",
                f"{entry.operation}: {entry.detail}" if entry.detail else entry.operation,
                entry.shard,
                entry.n_rows,
                *(
                    (entry.changes.n_added, entry.changes.n_changed, entry.changes.n_retired)
                    if entry.changes
                    else (None, None, None)
                ),
                entry.snapshot,
                (entry.template_digest or "")[:8],
                entry.licence,
                "yes" if entry.is_readable else "no",
                entry.run,
            )
            for entry in entries
        ],
    )
    say("Next: factmill corpus diff")


def diff(
    old: Annotated[
        int | None,
        typer.Argument(metavar="V1", help="The earlier version.  [default: the one before V2]", show_default=False),
    ] = None,
    new: Annotated[
        int | None, typer.Argument(metavar="V2", help="The later version.  [default: the latest]", show_default=False)
    ] = None,
    shards: Annotated[
        list[str] | None, typer.Option("--shard", help="Compare this shard only; may be repeated.", show_default=False)
    ] = None,
    n: Annotated[int, typer.Option("-n", min=0, max=1000, help="Pairs of each kind of change to show.")] = 3,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what differs between two versions of the corpus, shard by shard.

    A pair is changed when its question or its answers are. Shards that are the same in both are not read.

    Example: factmill corpus diff 12 15 --shard wikidata/P175
    """
    from factmill.history import diff_versions

    chosen = [ShardName.parse(text) for text in shards or []]
    found = diff_versions(open_home(home), old, new, chosen, n)
    if as_json:
        print_json(found)
        return
    if found.shards:
        print_table(
            ["shard", "added", "changed", "retired", "unchanged"],
            [
                (
                    str(each.shard),
                    each.changes.n_added,
                    each.changes.n_changed,
                    each.changes.n_retired,
                    each.changes.n_unchanged,
                )
                for each in found.shards
            ],
        )
    for each in found.shards:
        for change in each.samples:
            say(f"{each.shard}: {change.kind}: {told_change(change)}")
    total = found.total
    say(
        f"From version {found.old} to {found.new}: {total.n_added:,} added, {total.n_changed:,} changed,"
        f" {total.n_retired:,} retired, {total.n_unchanged:,} unchanged;"
        f" {found.n_same_shards:,} {plural('shard', found.n_same_shards)} the same."
    )
    say("Next: factmill corpus log")
