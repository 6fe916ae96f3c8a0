"""Experiments: what an ablation compares. A TOML file and the options of `factmill ablate` build the same object.

questions = ["nq_dev.jsonl.gz", "tqa_dev.jsonl.gz"]
by = "predicate"
shards = ["wikidata", "imdb/plays_character_in"]
views = ["full", "linked-nq"]
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator

from factmill.errors import ConfigError
from factmill.names import ShardName, is_word
from factmill.validation import explained
from factmill.views import FULL

By = Literal["source", "predicate", "leave-one-out", "leave-one-source-out"]
KINDS = get_args(By)
_SEE = "See docs/ablation.md."
_PATHS = ("questions", "select_on", "report_on")

Base = Annotated[ShardName, PlainValidator(lambda given: ShardName.parse(str(given)))]


class Experiment(BaseModel):
    """What is compared with what, and on which questions; paths are relative to the file they stand in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: tuple[Path, ...] = ()
    """Every set has a table of its own."""
    by: By = "source"
    base: Base = ShardName("paq", "base")
    shards: tuple[str, ...] = ()
    """Shards and sources that are compared; none: all."""
    views: tuple[str, ...] = Field(default=(FULL,), min_length=1)
    k: tuple[Annotated[int, Field(ge=1, le=1000)], ...] = Field(default=(1, 5), min_length=1)
    """How many of the first pairs may hold the answer: EM-k."""
    select_on: tuple[Path, ...] = ()
    """Questions on which shards are chosen."""
    report_on: tuple[Path, ...] = ()
    """Questions on which the chosen shards are measured."""
    select_k: int = 5
    """The k that choices go by."""
    min_gain: float = Field(default=0.02, ge=0, le=100)
    """What a shard must gain on the questions of `select_on` to be chosen, in points."""
    greedy: bool = False
    """Choose one shard after the other, each with what was chosen before."""
    cure: bool = False
    """Choose what keeps shards from doing harm, on one half of the questions, and measure it on the other."""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        for fault, is_so in {
            "select_on and report_on go together": bool(self.select_on) != bool(self.report_on),
            "name questions, or select_on and report_on, and not both": bool(self.questions) == bool(self.select_on),
            "greedy needs select_on and report_on": self.greedy and not self.select_on,
            "a k stands twice, or they are not in order": list(self.k) != sorted(set(self.k)),
            f"select_k = {self.select_k} must be one of k": self._chooses and self.select_k not in self.k,
            "a view stands twice": len(set(self.views)) < len(self.views),
            f"by = {self.by!r} takes one view": self.by.startswith("leave") and len(self.views) > 1,
            "select_on goes with by = 'source' or 'predicate'": bool(self.select_on) and self.by.startswith("leave"),
            "cure goes with by = 'leave-one-out' and questions, one set of them": self.cure
            and (self.by != "leave-one-out" or len(self.questions) != 1),
            "cure chooses views itself": self.cure and self.views != (FULL,),
        }.items():
            if is_so:
                raise ValueError(fault)
        return self

    @property
    def depth(self) -> int:
        """Return how many pairs of each shard are needed."""
        return max(self.k)

    @property
    def _chooses(self) -> bool:
        return bool(self.select_on) or self.cure

    def chosen(self, present: list[ShardName]) -> list[ShardName]:
        """Return the shards that are compared, of those that are present."""
        if self.base not in present:
            raise ConfigError(
                f"the corpus has no base {self.base}. Import one with `factmill corpus import FILE --as {self.base}`."
            )
        others = [shard for shard in present if shard != self.base]
        if not self.shards:
            return others
        found: set[ShardName] = set()
        for text in self.shards:
            named = _named(text, others)
            if not named:
                raise ConfigError(f"the corpus has no shard {text} beside the base. See `factmill corpus log`.")
            found.update(named)
        return sorted(found)


def _named(text: str, shards: list[ShardName]) -> list[ShardName]:
    """Return the shards that are meant by the name of a shard or of a source."""
    if is_word(text):
        return [shard for shard in shards if shard.source == text]
    wanted = ShardName.parse(text)
    return [shard for shard in shards if shard == wanted]


def make_experiment(file: Path | None = None, options: Mapping[str, Any] | None = None) -> Experiment:
    """Build an experiment from a file, from options, or from a file of which options change something."""
    given = {name: value for name, value in (options or {}).items() if value is not None}
    where = str(file) if file else "the experiment"
    try:
        return Experiment.model_validate((_read(file) if file else {}) | given)
    except ValidationError as error:
        raise ConfigError(f"{where}: {explained(error)}. {_SEE}") from error
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"it cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"it is not UTF-8. {_SEE}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"it is not valid TOML: {error}. {_SEE}") from error
    for name in _PATHS:
        if isinstance(values.get(name), list):
            values[name] = [file.parent / path if isinstance(path, str) else path for path in values[name]]
    return values
