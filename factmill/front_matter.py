"""The front matter of a template: which keys there are, and which of them go together."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from factmill.errors import ConfigError
from factmill.kinds import Kind
from factmill.names import is_word

OBJECT = "object"
DESCRIPTION = "description"
SEE = "See docs/templates.md."
_RESERVED = ("subject", OBJECT, DESCRIPTION)
_OF_JINJA = frozenset(
    [
        "and",
        "as",
        "block",
        "call",
        "caller",
        "context",
        "continue",
        "cycler",
        "dict",
        "do",
        "else",
        "elif",
        "extends",
        "false",
        "filter",
        "for",
        "from",
        "if",
        "ignore",
        "import",
        "in",
        "include",
        "is",
        "joiner",
        "kwargs",
        "loop",
        "macro",
        "missing",
        "namespace",
        "none",
        "not",
        "or",
        "question",
        "range",
        "raw",
        "recursive",
        "required",
        "rows",
        "scoped",
        "self",
        "set",
        "super",
        "true",
        "varargs",
        "with",
        "without",
    ]
)
"""Words that mean something to Jinja, or to the loop around a wording."""


class Example(BaseModel):
    """A true fact, and the pair that the template's first wording makes of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: str = Field(min_length=1)
    object: str = Field(min_length=1)
    qualifiers: dict[str, str] = {}
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)


class FrontMatter(BaseModel):
    """The keys a template may have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    predicate: str = Field(description="the shard, such as wikidata/P175")
    label: str = Field(min_length=1, description="what the predicate is called")
    subject_types: tuple[str, ...] = Field((), description="ask only about subjects of these types or their subclasses")
    qualifiers: dict[str, str] = Field(
        {}, description="variables beside `subject`: the name used here, the source's name"
    )
    answer: str | None = Field(
        None, min_length=1, description="the source's name of the qualifier that is the answer, in place of the object"
    )
    inverse: bool = Field(False, description="name the fact's object in the question and ask for its subject")
    answer_kinds: tuple[Kind, ...] = Field((), description="take only values of these kinds")
    answers: Literal["one", "all"] = Field(
        "one", description="one: any answer will do; all: the answer is the whole list"
    )
    unit: str | None = Field(
        None, min_length=1, max_length=40, description="what a number counts, where the source fixes it"
    )
    asks_about_now: bool = Field(False, description="leave out facts that are known to have ended")
    aliases: bool = Field(False, description="ask about the subject by its other names too")
    alias_min_popularity: int = Field(0, ge=0, description="but only about subjects that are at least so popular")
    same_name: Literal["merge", "hint", "drop"] = Field(
        "merge", description="what becomes of subjects that share their name with a better known one"
    )
    hints: tuple[str, ...] = Field((), description="predicates of the subject that tell namesakes apart, best first")
    example: Example | None = Field(None, description="a true fact and the pair that the first wording makes of it")


def read_front_matter(path: Path, text: str) -> FrontMatter:
    """Read the TOML of a template; anything wrong with it is a ConfigError that names the file."""
    try:
        matter = FrontMatter.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: the front matter is not TOML: {error}. {SEE}") from error
    except ValidationError as error:
        raise ConfigError(f"{path}: {_explain(error)} {SEE}") from error
    for fault in _faults(matter):
        raise ConfigError(f"{path}: the front matter's {fault}. {SEE}")
    return matter


def _faults(matter: FrontMatter) -> Iterator[str]:
    """Say which keys do not go together, as ends of the sentence "the front matter's …"."""
    yield from _qualifier_faults(matter)
    if matter.inverse and (matter.qualifiers or matter.answer or matter.answer_kinds or matter.unit):
        yield "'inverse' asks for the fact's subject: it goes without 'qualifiers', 'answer', 'answer_kinds' and 'unit'"
    if matter.same_name == "hint" and not matter.hints:
        yield "'same_name' is 'hint', but 'hints' names no predicate that could be one"
    if matter.alias_min_popularity and not matter.aliases:
        yield "'alias_min_popularity' is used only with aliases = true"
    if matter.hints and matter.same_name != "hint":
        yield "'hints' are used only with same_name = \"hint\""
    if matter.example and set(matter.example.qualifiers) != set(matter.qualifiers):
        yield "'example' must give each of the 'qualifiers' a value, and nothing else"


def _qualifier_faults(matter: FrontMatter) -> Iterator[str]:
    for variable in matter.qualifiers:
        if not is_word(variable) or variable in _OF_JINJA:
            yield f"'qualifiers' defines '{variable[:80]}', which cannot be a variable: use a word such as 'character'"
    for variable in _RESERVED:
        if variable in matter.qualifiers:
            yield f"'qualifiers' defines '{variable}', which means something else: choose another name"
    names = list(matter.qualifiers.values())
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"'qualifiers' names '{name}' twice"
    if matter.answer is None:
        return
    if matter.answer in names:
        yield f"'answer' is '{matter.answer}', which the wordings give away: take it out of 'qualifiers'"
    if OBJECT in (matter.answer, *names):
        yield f"'answer' makes '{OBJECT}' a name of its own, so no qualifier can be called so"
    if len(set(matter.answer_kinds) - {Kind.ENTITY}) > 1:
        yield "'answer_kinds' can name only one kind beside entity where the answer is a qualifier"


def _explain(error: ValidationError) -> str:
    return " ".join(map(_explain_one, error.errors(include_url=False)))


def _explain_one(fault: ErrorDetails) -> str:
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "missing":
        return f"the front matter lacks '{key}'."
    if fault["type"] == "extra_forbidden":
        return f"the front matter has an unknown key '{key}'."
    if fault["type"] == "tuple_type":
        example = {"answer_kinds": "date", "hints": "P577"}.get(key, "Q5")
        return f"the front matter's '{key}' must be a list, such as [\"{example}\"]."
    if fault["type"] == "enum":
        return f"the front matter's '{key}': {fault['input']!r} is no kind. There are: {', '.join(Kind)}."
    return f"the front matter's '{key}': {fault['msg']}."
