"""Views: named subsets of the rows of every milled shard, so that a filter costs no second copy of its rows.

    linked    pairs about what a question set mentions: the thesis' filter
    learned   pairs about what is like what a question set mentions, in popularity and type
    popular   pairs about subjects that are at least so well known
    labels    pairs that call their subject by its label, not by another name

Which pairs a view holds is computed in view_rows.py. One that has seen the questions that are evaluated is an oracle.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from factmill.errors import ConfigError
from factmill.home import Home, write_atomically
from factmill.names import ShardName
from factmill.paq_form import paq_form
from factmill.project import source_names
from factmill.questions import QuestionSet
from factmill.settings import settings

FULL = "full"
"""The name of all rows, which no view may bear."""
_MOST_VIEWS = 62
_BOOK = "views.json"

Kind = Literal["linked", "learned", "popular", "labels"]
ViewName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]


class View(BaseModel):
    """What a view is. Its digest changes with everything that decides which rows it holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ViewName
    bit: int = Field(ge=0, lt=_MOST_VIEWS)
    kind: Kind
    least_popularity: int | None = Field(default=None, ge=0)
    kept_share: float | None = Field(default=None, gt=0, le=1)
    """Of what the questions mention, the share that a learned view holds."""
    threshold: float | None = None
    """How likely a link to what the questions mention must have been."""
    questions: tuple[str, ...] = ()
    """The names of the files of questions."""
    questions_sha256: str | None = None

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        needed = {"linked": {"threshold", "questions_sha256"}, "popular": {"least_popularity"}, "labels": set[str]()}
        wanted = needed.get(self.kind, {"threshold", "questions_sha256", "kept_share"})
        given = {"least_popularity", "kept_share", "threshold", "questions_sha256"} & {
            name for name, value in self if value is not None
        }
        if given != wanted:
            raise ValueError(f"a {self.kind} view has {', '.join(sorted(wanted)) or 'nothing to tell'}")
        return self

    @property
    def digest(self) -> str:
        """Return 12 hexadecimal digits of what the view is."""
        return hashlib.sha256(self.model_dump_json(exclude={"name"}).encode()).hexdigest()[:12]

    @property
    def meaning(self) -> str:
        """Say in words which rows it holds."""
        files = ", ".join(self.questions)
        return {
            "linked": f"subjects that {files} mentions",
            "learned": f"subjects like those that {files} mentions, of which it holds {self.kept_share or 0:.0%}",
            "popular": f"subjects with a popularity of at least {self.least_popularity or 0:,}",
            "labels": "pairs that call their subject by its label",
        }[self.kind]


class _Book(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    views: tuple[View, ...] = ()


def read_views(home: Home) -> tuple[View, ...]:
    """Return the views of a home."""
    path = home.views / _BOOK
    try:
        return _Book.model_validate_json(path.read_bytes()).views
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"{path} cannot be read. Delete it and define the views again with `factmill views add`."
        ) from error


def find_view(home: Home, name: str) -> View:
    """Return the view of this name."""
    views = read_views(home)
    for view in views:
        if view.name == name:
            return view
    there = ", ".join(view.name for view in views) or "none; `factmill views add` defines one"
    raise ConfigError(f"there is no view {name[:80]!r}. There are: {there}.")


def add_view(
    home: Home,
    name: str,
    kind: Kind,
    *,
    sets: Sequence[QuestionSet] = (),
    least_popularity: int | None = None,
    kept_share: float | None = None,
) -> View:
    """Define a view; which rows are in it is computed by `update_views`."""
    texts = sorted({paq_form(question) for one in sets for question in one.questions})
    written = json.dumps(texts, ensure_ascii=True)
    with _locked(home):
        views = read_views(home)
        if name == FULL or any(view.name == name for view in views):
            raise ConfigError(f"there is a view {name!r} already. Choose another name, or drop it first.")
        free = next((bit for bit in range(_MOST_VIEWS) if bit not in {view.bit for view in views}), None)
        if free is None:
            raise ConfigError(f"there are {_MOST_VIEWS} views already. Drop one with `factmill views drop`.")
        try:
            view = View(
                name=name,
                bit=free,
                kind=kind,
                least_popularity=least_popularity,
                kept_share=kept_share,
                threshold=settings().link_threshold if sets else None,
                questions=tuple(one.name for one in sets),
                questions_sha256=hashlib.sha256(written.encode()).hexdigest() if sets else None,
            )
        except ValidationError as error:
            raise ConfigError(
                f"{name[:80]!r} cannot be a view: {error.errors(include_url=False)[0]['msg']}."
                " A name is a lower-case word of at most 40 letters, digits, _ and -."
            ) from error
        if sets:
            write_atomically(_questions_file(home, view), written)
        _write(home, [*views, view])
    return view


def drop_view(home: Home, name: str) -> View:
    """Forget a view."""
    with _locked(home):
        view = find_view(home, name)
        _write(home, [one for one in read_views(home) if one != view])
        _questions_file(home, view).unlink(missing_ok=True)
    return view


def questions_of(home: Home, view: View) -> list[str]:
    """Return the questions that a view has seen, in PAQ's form."""
    if view.questions_sha256 is None:
        return []
    path = _questions_file(home, view)
    try:
        text = path.read_text(encoding="utf-8")
        if hashlib.sha256(text.encode()).hexdigest() != view.questions_sha256:
            raise ValueError
        return [str(question) for question in json.loads(text)]
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path} is not what the view {view.name} was made from. Drop the view and add it again."
        ) from error


def is_oracle(home: Home, view: View, questions: Iterable[str]) -> bool:
    """Tell whether a view has seen any of these questions: then it knows more than it may when they are evaluated."""
    seen = set(questions_of(home, view))
    return any(paq_form(question) in seen for question in questions)


def is_milled(shard: ShardName) -> bool:
    """Tell whether a shard has facts behind it, which views go by; an imported base has none."""
    return shard.source in source_names()


def _questions_file(home: Home, view: View) -> Path:
    return home.views / f"{view.name}.questions.json"


def _locked(home: Home) -> FileLock:
    home.views.mkdir(parents=True, exist_ok=True)
    return FileLock(home.views / ".lock")


def _write(home: Home, views: Sequence[View]) -> None:
    write_atomically(home.views / _BOOK, _Book(views=tuple(views)).model_dump_json(indent=2) + "\n")
