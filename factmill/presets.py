"""Presets: named selections of predicates, each a TOML file in presets/.

    description = "The predicates of my study."
    predicates = ["wikidata/P50", "imdb/plays_character_in"]
    [thresholds]
    max_mean_answers = 5

A preset that lists predicates selects these and no others, whatever their figures are; one that lists none only sets
thresholds.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factmill.errors import ConfigError
from factmill.names import ShardName
from factmill.project import root, source_names
from factmill.thresholds import Thresholds
from factmill.validation import explained

_SEE = "See docs/selection.md."


class FixedThresholds(BaseModel):
    """The thresholds that a preset fixes; the others are as in the settings, with the same limits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_mean_answers: float | None = Field(default=None, gt=0)
    min_labelled_share: float | None = Field(default=None, ge=0, le=1)
    min_facts: int | None = Field(default=None, ge=0)
    max_ambiguous_share: float | None = Field(default=None, ge=0, le=1)
    min_repairs: int | None = Field(default=None, ge=0)


class _PresetFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    description: str = Field(min_length=1)
    predicates: tuple[str, ...] = ()
    thresholds: FixedThresholds = FixedThresholds()


@dataclass(frozen=True)
class Preset:
    """A named selection; without predicates it leaves the choice to its thresholds."""

    name: str
    description: str
    predicates: tuple[ShardName, ...]
    fixed: FixedThresholds

    @property
    def thresholds(self) -> Thresholds:
        """Return the settings, but what the preset fixes."""
        return Thresholds.of_settings(self.fixed.model_dump(exclude_none=True))

    def leaves_out(self, shard: ShardName) -> bool:
        """Tell whether this lists predicates, and the shard is none of them."""
        return bool(self.predicates) and shard not in self.predicates


def preset_names() -> list[str]:
    """Name the project's presets."""
    return sorted(path.stem for path in (root() / "presets").glob("*.toml"))


def find_preset(text: str) -> Preset:
    """Return the preset that somebody means: one of the project's by its name, or any file that ends in .toml."""
    if text.endswith(".toml"):
        return read_preset(Path(text))
    if text not in preset_names():
        raise ConfigError(
            f"there is no preset {text[:80]!r}. There are: {', '.join(preset_names()) or 'none'}; or name a .toml file."
        )
    return read_preset(root() / "presets" / f"{text}.toml")


def read_preset(path: Path) -> Preset:
    """Read a preset and refuse it if anything in it is wrong."""
    try:
        file = _PresetFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8-sig")))
        shards = tuple(_checked(ShardName.parse(text)) for text in file.predicates)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8. {_SEE}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. {_SEE}") from error
    except ValidationError as error:
        raise ConfigError(f"{path} {explained(error)}. {_SEE}") from error
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    for shard in shards:
        if shards.count(shard) > 1:
            raise ConfigError(f"{path} lists {shard} twice. {_SEE}")
    return Preset(path.stem, file.description, shards, file.thresholds)


def _checked(shard: ShardName) -> ShardName:
    if shard.source not in source_names():
        raise ConfigError(f"{shard}: there is no source '{shard.source}'. There are: {', '.join(source_names())}.")
    return shard
