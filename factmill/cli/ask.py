"""`factmill ask`: answers from the corpus, each with the facts behind it."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import note, print_json, print_table
from factmill.errors import FactmillError
from factmill.names import ShardName
from factmill.plain import plain

if TYPE_CHECKING:
    from factmill.results import Hit, Result
    from factmill.search import Retriever

_SHOWN_OBJECTS = 3
_SHOWN_SOURCES = 5


def ask(
    question: Annotated[str | None, typer.Argument(help="A question in plain words.", show_default=False)] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many results to show.")] = 5,
    shards: Annotated[
        list[str] | None, typer.Option("--shard", help="Search this shard only; may be repeated.", show_default=False)
    ] = None,
    view: Annotated[
        str | None, typer.Option("--view", help="Search only this view of the milled shards.", show_default=False)
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Read questions, a line each, and answer each at once.")
    ] = False,
    reranker: Annotated[
        Path | None, typer.Option(help="A folder with a cross-encoder that orders the results.", show_default=False)
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the corpus, with the facts behind each answer.

    Example: factmill ask "who sings banana pancakes"
    """
    from factmill.search import Retriever

    if (question is None) != interactive:
        raise typer.BadParameter("give a question, or say --interactive.")
    if question is not None:
        _check(question)
    chosen = [ShardName.parse(text) for text in shards] if shards else None
    retriever = Retriever(open_home(home), chosen, reranker=reranker, view=view)
    if stale := retriever.stale_shards:
        note(f"Note: {', '.join(map(str, stale))} changed since it was indexed. `factmill index` brings it up to date.")
    if unindexed := retriever.unindexed_shards:
        note(f"Note: {', '.join(map(str, unindexed))} is not indexed and left out. `factmill index` brings it in.")
    if question is not None:
        _show(retriever.ask([question], k)[0], as_json=as_json)
        return
    for line in _typed_lines():
        _answer_line(retriever, line, k, as_json=as_json)


def _check(question: str) -> None:
    if not question.strip():
        raise typer.BadParameter("the question is empty.")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise typer.BadParameter("the question is not UTF-8.")


def _typed_lines() -> Iterator[str]:
    """Yield what is typed until the end of the input."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Bytes that are no text are told as such, line by line.
        sys.stdin.reconfigure(errors="surrogateescape")
    while True:
        if sys.stdin.isatty():
            print("? ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.strip()


def _answer_line(retriever: "Retriever", line: str, k: int, *, as_json: bool) -> None:
    """Answer one typed question; as JSON each gets a line, so that who asks can tell which answer is whose."""
    try:
        _check(line)
        results = retriever.ask([line], k)[0]
    except (typer.BadParameter, FactmillError) as error:
        if as_json:
            print(json.dumps({"question": line, "error": str(error)}), flush=True)
        elif line:
            note(f"Error: {error}")
        return
    if as_json:
        print(json.dumps({"question": line, "results": [_as_json(result) for result in results]}), flush=True)
    else:
        _show(results, as_json=False)


def _show(results: "list[Result]", *, as_json: bool) -> None:
    if as_json:
        print_json([_as_json(result) for result in results])
        return
    print_table(
        ["answer", "score", "sure", "question found, and where it is from"],
        [
            (result.answer, result.score, result.confidence, (result.question, *_told_sources(result)))
            for result in results
        ],
    )
    sys.stdout.flush()


def _told_sources(result: "Result") -> list[str]:
    """Name shard and fact of each source, and what each answers where there are several."""
    told = []
    for hit in result.sources[:_SHOWN_SOURCES]:
        fact = f": {hit.subject} {hit.shard.predicate} {', '.join(hit.objects[:_SHOWN_OBJECTS])}" if hit.subject else ""
        told.append(f"{hit.shard}{fact}{f' → {hit.answer}' if len(result.sources) > 1 else ''}")
    if (n_more := len(result.sources) - _SHOWN_SOURCES) > 0:
        told.append(f"and {n_more:,} more")
    return told


def _as_json(result: "Result") -> dict[str, Any]:
    """Return the pair whose answer is given, with what is known of the result, and all pairs that ask the same."""
    told = {"confidence": result.confidence, "rerank_score": result.rerank_score}
    return _pair(result.best) | told | {"sources": list(map(_pair, result.sources))}


def _pair(hit: "Hit") -> dict[str, Any]:
    told: dict[str, Any] = plain(hit)
    # As PAQ's files and the corpus name it.
    return {"answer": told.pop("answers"), **told}
