"""`factmill link`: which entities questions are about."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, print_table, say
from factmill.plain import plain

if TYPE_CHECKING:
    from factmill.home import Home
    from factmill.linker import Linker, Mention


def link(
    questions: Annotated[list[str] | None, typer.Argument(help="Questions in plain words.", show_default=False)] = None,
    file: Annotated[
        Path | None, typer.Option("--questions", help="A file of questions, in NQ-open's form.", show_default=False)
    ] = None,
    source: Annotated[str, typer.Option(help="The staged source that knows the entities.")] = "wikidata",
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many entities a question to show.")] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="How likely a link must be.  [default: link_threshold]", show_default=False),
    ] = None,
    genre: Annotated[
        Path | None, typer.Option(help="Predictions of your GENRE checkpoint to link by.", show_default=False)
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which entities questions are about.

    Example: factmill link "who sings banana pancakes" -k 3
    """
    if (file is None) == (not questions):
        raise typer.BadParameter("give questions, or a file with --questions.")
    linker = _linker(open_home(home), source, threshold, k, genre)
    asked = _asked(questions, file)
    linked = [mentions[:k] for mentions in linker.link(asked)]
    if as_json:
        pairs = zip(asked, linked, strict=True)
        print_json([{"question": question, "mentions": plain(mentions)} for question, mentions in pairs])
        return
    print_table(
        ["question", "span", "entity", "label", "score"],
        [row for question, mentions in zip(asked, linked, strict=True) for row in _rows(question, mentions)],
    )
    say(f"Linked: {sum(map(bool, linked)):,} of {len(asked):,} questions.")


def _rows(question: str, mentions: "list[Mention]") -> list[tuple[object, ...]]:
    linked: list[tuple[object, ...]] = [(question, one.text, one.entity, one.label, one.score) for one in mentions]
    return linked or [(question, "", "", "", "")]


def _linker(home: "Home", source: str, threshold: float | None, k: int, genre: Path | None) -> "Linker":
    if genre is not None:
        from factmill.genre import GenreLinker

        return GenreLinker(home, source, genre, threshold=threshold)
    from factmill.linker import open_linker

    return open_linker(home, source, threshold=threshold, most=k)


def _asked(questions: list[str] | None, file: Path | None) -> list[str]:
    if file is None:
        return questions or []
    from factmill.questions import read_questions

    return list(read_questions(file).questions)
