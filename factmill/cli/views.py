"""`factmill views`: named subsets of all milled shards."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import plural, print_json, print_table, say
from factmill.names import ShardName

if TYPE_CHECKING:
    from factmill.home import Home
    from factmill.view_rows import Viewed
    from factmill.views import Kind

views_app = typer.Typer(help="Name subsets of the pairs, by questions, popularity or names.", no_args_is_help=True)


@views_app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="What to call the view: a lower-case word.")],
    linked_to: Annotated[
        list[Path] | None,
        typer.Option(help="Hold what this file of questions mentions; may be repeated.", show_default=False),
    ] = None,
    learned_from: Annotated[
        list[Path] | None,
        typer.Option(
            help="Hold what is like what this file of questions mentions; may be repeated.", show_default=False
        ),
    ] = None,
    keep: Annotated[
        float, typer.Option(min=0.01, max=1, help="With --learned-from: hold this share of what the questions mention.")
    ] = 0.9,
    popular: Annotated[
        int | None, typer.Option(min=0, help="Hold subjects with at least this popularity.", show_default=False)
    ] = None,
    labels: Annotated[bool, typer.Option("--labels", help="Hold pairs that call their subject by its label.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Define a view and compute it for every milled shard.

    Example: factmill views add nq-linked --linked-to nq_train.jsonl
    """
    from factmill.questions import read_questions
    from factmill.views import add_view

    kinds: dict[Kind, bool] = {
        "linked": bool(linked_to),
        "learned": bool(learned_from),
        "popular": popular is not None,
        "labels": labels,
    }
    chosen: list[Kind] = [kind for kind, is_chosen in kinds.items() if is_chosen]
    if len(chosen) != 1:
        raise typer.BadParameter("say one of --linked-to, --learned-from, --popular and --labels.")
    opened = open_home(home)
    sets = [read_questions(file) for file in (linked_to or learned_from or [])]
    kept = keep if chosen[0] == "learned" else None
    view = add_view(opened, name, chosen[0], sets=sets, least_popularity=popular, kept_share=kept)
    if not as_json:
        say(f"{view.name}: {view.meaning}.")
    _update(opened, None, as_json=as_json)


@views_app.command("list")
def list_views(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Show the views and what they hold.

    Example: factmill views list
    """
    from factmill.views import read_views

    views = read_views(open_home(home))
    if as_json:
        print_json([view.model_dump() | {"digest": view.digest, "meaning": view.meaning} for view in views])
        return
    if not views:
        say("There is no view. Next: factmill views add NAME …")
        return
    print_table(["view", "kind", "holds"], [(view.name, view.kind, view.meaning) for view in views])


@views_app.command("update")
def update(
    shards: Annotated[list[str] | None, typer.Argument(help="Shards; all that are milled if none is named.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the views of shards anew; what is milled later has them from the start.

    Example: factmill views update
    """
    _update(open_home(home), [ShardName.parse(text) for text in shards] if shards else None, as_json=as_json)


@views_app.command("drop")
def drop(
    name: Annotated[str, typer.Argument(help="The view to forget.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Forget a view. No pair is lost.

    Example: factmill views drop nq-linked
    """
    from factmill.views import drop_view

    opened = open_home(home)
    drop_view(opened, name)
    _update(opened, None, as_json=as_json)


def _update(home: "Home", shards: list[ShardName] | None, *, as_json: bool) -> None:
    from factmill.view_rows import update_views

    done = list(update_views(home, shards))
    if as_json:
        print_json(done)
        return
    _print_counts(done)
    n_new = sum(one.is_new for one in done)
    say(f"Computed for {n_new:,} of {len(done):,} {plural('shard', len(done))}; the others were up to date.")
    say("Next: factmill evaluate --questions FILE --view NAME")


def _print_counts(done: "list[Viewed]") -> None:
    """Print how many pairs each view holds of each shard."""
    names = list(done[0].n_in) if done else []
    if names:
        rows = [(str(one.shard), one.n_pairs, *(one.n_in[name] for name in names)) for one in done]
        total = ("all", sum(one.n_pairs for one in done), *(sum(one.n_in[name] for one in done) for name in names))
        print_table(["shard", "pairs", *names], [*rows, total])
