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
from dataclasses import dataclass
from pathlib import Path

from factmill.errors import ConfigError
from factmill.front_matter import DESCRIPTION, OBJECT, SEE, FrontMatter, read_front_matter
from factmill.kinds import Kind
from factmill.names import ItemId, PropertyId, ShardName
from factmill.project import root, source_names

_FENCE = "+++"
_MAX_WORDINGS = 50


@dataclass(frozen=True)
class Template:
    """A template file that can be read; lint.py says whether its wordings are any good."""

    path: Path
    shard: ShardName
    matter: FrontMatter
    wordings: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the file's name without its folder's path: `wikidata/P175_performer`."""
        return f"{self.path.resolve().parent.name}/{self.path.stem}"

    @property
    def variables(self) -> frozenset[str]:
        """Name what a wording must use."""
        return frozenset({"subject", *self.key_variables.values()})

    @property
    def key_variables(self) -> dict[str, str]:
        """Return the variables beside `subject` by the source's names, in the order of these, as in a question key."""
        names = {name: variable for variable, name in self.matter.qualifiers.items()}
        if self.matter.answer is not None:
            names[OBJECT] = OBJECT
        return dict(sorted(names.items()))

    @property
    def needs_qualifiers(self) -> bool:
        """Tell whether only facts with qualifiers can be asked."""
        return bool(self.key_variables)

    @property
    def wants_description(self) -> bool:
        """Tell whether any wording uses the subject's description."""
        # Most templates do not even hold the word, and Jinja takes long to import.
        candidates = [wording for wording in self.wordings if DESCRIPTION in wording]
        if not candidates:
            return False
        from factmill.render import used_variables

        return any(DESCRIPTION in used_variables(wording) for wording in candidates)

    @property
    def literal_kind(self) -> Kind:
        """Return what an answer is that is a qualifier and no entity: qualifiers are staged without their kind."""
        return next((kind for kind in self.matter.answer_kinds if kind is not Kind.ENTITY), Kind.TEXT)

    @property
    def digest(self) -> str:
        """Return a digest of everything that shapes the pairs: keys and wordings, not comments or layout."""
        # Without defaults, so that a key that is new to factmill leaves all templates as they are.
        content = {
            "matter": self.matter.model_dump(mode="json", exclude_defaults=True, exclude={"example"}),
            "wordings": self.wordings,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:15]


def read_template(path: Path) -> Template:
    """Read one template file and refuse it if anything in it is wrong."""
    from factmill.lint import template_faults

    template = parse_template(path)
    for fault in template_faults(template):
        raise ConfigError(f"{path}: {fault} {SEE}")
    return template


def template_files() -> list[Path]:
    """List the templates of the project."""
    return sorted((root() / "templates").glob("*/*.j2"))


def catalogue() -> dict[ShardName, Template]:
    """Return the project's templates by shard, in order. Wordings are not checked here: that would need Jinja."""
    found: dict[ShardName, Template] = {}
    for path in template_files():
        template = parse_template(path)
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


def parse_template(path: Path) -> Template:
    """Read a template file; whether its wordings are any good is for lint.py to say."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8. {SEE}") from error
    # Only at line feeds: a wording or a label may hold characters that are line ends to Unicode.
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not lines or lines[0].strip() != _FENCE or _FENCE not in (line.strip() for line in lines[1:]):
        raise ConfigError(f"{path}: the front matter must stand between two lines of {_FENCE}. {SEE}")
    end = next(number for number, line in enumerate(lines) if number and line.strip() == _FENCE)
    matter = read_front_matter(path, "\n".join(lines[1:end]))
    wordings = tuple(line.strip() for line in lines[end + 1 :] if line.strip())
    if not wordings:
        raise ConfigError(f"{path}: there is no wording below the front matter. {SEE}")
    if len(wordings) > _MAX_WORDINGS:
        raise ConfigError(f"{path}: there are {len(wordings):,} wordings; {_MAX_WORDINGS} are allowed. {SEE}")
    if len(set(wordings)) < len(wordings):
        raise ConfigError(f"{path}: the same wording stands twice. {SEE}")
    try:
        return Template(path, _checked_shard(matter), matter, wordings)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error} {SEE}") from error


def _checked_shard(matter: FrontMatter) -> ShardName:
    """Return the shard that a template is for, and refuse names that its source cannot have."""
    shard = ShardName.parse(matter.predicate)
    if shard.source not in source_names():
        raise ConfigError(f"there is no source '{shard.source}'. There are: {', '.join(source_names())}.")
    if shard.source != "wikidata" and matter.asks_about_now:
        raise ConfigError(f"{shard.source} does not tell when a statement ended: leave 'asks_about_now' out.")
    if shard.source == "wikidata":
        for text in matter.subject_types:
            ItemId.parse(text)
        for text in matter.hints:
            PropertyId.parse(text)
    return shard
