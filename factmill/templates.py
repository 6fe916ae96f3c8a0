"""Question templates: one file a shard, TOML front matter between +++ lines, then one wording a line.

    +++
    predicate = "wikidata/P175"
    label = "performer"
    +++
    who sings {{ subject }}

docs/templates.md explains the format to its users. Nothing here renders; that is render.py.
"""

import hashlib
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from factmill.errors import ConfigError
from factmill.kinds import Kind
from factmill.names import ItemId, ShardName
from factmill.project import root, source_names

_FENCE = "+++"
_SEE = "See docs/templates.md."
_OBJECT = "object"
_DESCRIPTION = "description"
_RESERVED = ("subject", _OBJECT, _DESCRIPTION)


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
    answer_kinds: tuple[Kind, ...] = Field((), description="take only values of these kinds")
    answers: Literal["one", "all"] = Field(
        "one", description="one: any answer will do; all: the answer is the whole list"
    )


@dataclass(frozen=True)
class Template:
    """A template file that can be read; `lint_wording` says whether its wordings are any good."""

    path: Path
    shard: ShardName
    matter: FrontMatter
    wordings: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the file's name without its folder's path: `wikidata/P175_performer`."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def variables(self) -> frozenset[str]:
        """Name what a wording must use."""
        return frozenset({"subject", *self.key_variables.values()})

    @property
    def key_variables(self) -> dict[str, str]:
        """Return the variables beside `subject` by the source's names, in the order of these, as in a question key."""
        names = {name: variable for variable, name in self.matter.qualifiers.items()}
        if self.matter.answer is not None:
            names[_OBJECT] = _OBJECT
        return dict(sorted(names.items()))

    @property
    def needs_qualifiers(self) -> bool:
        """Tell whether only facts with qualifiers can be asked."""
        return bool(self.key_variables)

    @property
    def wants_description(self) -> bool:
        """Tell whether any wording uses the subject's description."""
        # Most templates do not even hold the word, and Jinja takes long to import.
        candidates = [wording for wording in self.wordings if _DESCRIPTION in wording]
        if not candidates:
            return False
        from factmill.render import used_variables

        return any(_DESCRIPTION in used_variables(wording) for wording in candidates)

    @property
    def literal_kind(self) -> Kind:
        """Return what an answer is that is a qualifier and no entity: qualifiers are staged without their kind."""
        return next((kind for kind in self.matter.answer_kinds if kind is not Kind.ENTITY), Kind.TEXT)

    @property
    def digest(self) -> str:
        """Return a digest of everything that shapes the pairs: keys and wordings, not comments or layout."""
        # Without defaults, so that a key that is new to factmill leaves all templates as they are.
        content = {"matter": self.matter.model_dump(mode="json", exclude_defaults=True), "wordings": self.wordings}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:15]


class Finding(NamedTuple):
    """One thing wrong with a template."""

    path: Path
    message: str


def read_template(path: Path) -> Template:
    """Read one template file and refuse it if anything in it is wrong."""
    template = _parse(path)
    for finding in _lint(template):
        raise ConfigError(f"{finding.path}: {finding.message} {_SEE}")
    return template


def template_files() -> list[Path]:
    """List the templates of the project."""
    return sorted((root() / "templates").glob("*/*.j2"))


def catalogue() -> dict[ShardName, Template]:
    """Return the project's templates by shard, in order. Wordings are not checked here: that would need Jinja."""
    found: dict[ShardName, Template] = {}
    for path in template_files():
        template = _parse(path)
        if template.shard in found:
            raise ConfigError(
                f"{path} and {found[template.shard].path} are both for {template.shard}. Keep one of them."
            )
        found[template.shard] = template
    return dict(sorted(found.items()))


def template_for(shard: ShardName) -> Template:
    """Return the checked template of a shard."""
    template = catalogue().get(shard)
    if template is None:
        raise ConfigError(
            f"there is no template for {shard}. Write one (docs/templates.md) and pass it with --template,"
            " or see `factmill templates list`."
        )
    return read_template(template.path)


def find_template(text: str) -> Template:
    """Return the template that somebody means: a file, a shard, or a predicate that only one shard has."""
    if text.endswith(".j2"):
        return read_template(Path(text))
    if "/" in text:
        return template_for(ShardName.parse(text))
    shards = [shard for shard in catalogue() if shard.key == text]
    if len(shards) != 1:
        which = f"could be {', '.join(map(str, shards))}" if shards else "is no predicate with a template"
        raise ConfigError(f"{text[:80]!r} {which}. See `factmill templates list`.")
    return template_for(shards[0])


def lint(paths: list[Path]) -> list[Finding]:
    """Return everything that is wrong with these files, including two files for one shard."""
    findings: list[Finding] = []
    by_shard: dict[ShardName, list[Path]] = defaultdict(list)
    for path in paths:
        try:
            template = _parse(path)
        except ConfigError as error:
            findings.append(Finding(path, str(error).removeprefix(f"{path}: ").removesuffix(f" {_SEE}")))
            continue
        by_shard[template.shard].append(path)
        findings += _lint(template)
    for shard, several in by_shard.items():
        findings += [Finding(path, f"another file is for {shard} too: {several[0].name}.") for path in several[1:]]
    return findings


def _lint(template: Template) -> list[Finding]:
    from factmill.render import wording_faults

    return [
        Finding(template.path, f"the wording '{wording}' {fault}.")
        for wording in template.wordings
        for fault in wording_faults(wording, template.variables, frozenset({_DESCRIPTION}))
    ]


def _parse(path: Path) -> Template:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8. {_SEE}") from error
    lines = text.splitlines()
    if not lines or lines[0].strip() != _FENCE or _FENCE not in (line.strip() for line in lines[1:]):
        raise ConfigError(f"{path}: the front matter must stand between two lines of {_FENCE}. {_SEE}")
    end = next(number for number, line in enumerate(lines) if number and line.strip() == _FENCE)
    matter = _front_matter(path, "\n".join(lines[1:end]))
    wordings = tuple(" ".join(line.split()) for line in lines[end + 1 :] if line.strip())
    if not wordings:
        raise ConfigError(f"{path}: there is no wording below the front matter. {_SEE}")
    if len(set(wordings)) < len(wordings):
        raise ConfigError(f"{path}: the same wording stands twice. {_SEE}")
    try:
        shard = ShardName.parse(matter.predicate)
        if shard.source not in source_names():
            raise ConfigError(f"there is no source '{shard.source}'. There are: {', '.join(source_names())}.")
        if shard.source == "wikidata":
            for text in matter.subject_types:
                ItemId.parse(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error} {_SEE}") from error
    return Template(path, shard, matter, wordings)


def _front_matter(path: Path, text: str) -> FrontMatter:
    try:
        matter = FrontMatter.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: the front matter is not TOML: {error}. {_SEE}") from error
    except ValidationError as error:
        raise ConfigError(f"{path}: {_explain(error)} {_SEE}") from error
    for fault in _matter_faults(matter):
        raise ConfigError(f"{path}: the front matter's {fault}. {_SEE}")
    return matter


def _matter_faults(matter: FrontMatter) -> Iterator[str]:
    """Say which keys do not go together, as ends of the sentence "the front matter's …"."""
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
    if _OBJECT in (matter.answer, *names):
        yield f"'answer' makes '{_OBJECT}' a name of its own, so no qualifier can be called so"
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
        example = "date" if key == "answer_kinds" else "Q5"
        return f"the front matter's '{key}' must be a list, such as [\"{example}\"]."
    if fault["type"] == "enum":
        return f"the front matter's '{key}': {fault['input']!r} is no kind. There are: {', '.join(Kind)}."
    return f"the front matter's '{key}': {fault['msg']}."
