"""Cures: what keeps a shard from doing harm in a search, kept in the home for each encoder.

    offset        what every pair of the shard scores less
    least_score   pairs of the shard that score less are not found
    view          only this view of the shard is searched

Scores are those that `factmill ask` shows, where 1 fits best. They are of one encoder, so cures are, too.
"""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factmill.encoders import Encoder
from factmill.errors import ConfigError
from factmill.home import Home, write_atomically
from factmill.names import ShardName


class Cure(BaseModel):
    """What is done to the pairs of a shard."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    offset: float = Field(default=0, ge=0, le=1)
    least_score: float = Field(default=0, ge=0, le=1)
    view: str | None = None

    def __str__(self) -> str:
        said = [f"{name.replace('_', ' ')} {value}" for name, value in self if value]
        return ", ".join(said) or "none"


class _Book(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    encoder_digest: str
    cures: dict[str, Cure]


def read_cures(home: Home, encoder: Encoder) -> dict[ShardName, Cure]:
    """Return the cures of a home for an encoder."""
    path = home.cures(encoder.name)
    try:
        book = _Book.model_validate_json(path.read_bytes())
        cures = {ShardName.parse(name): cure for name, cure in book.cures.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError, ConfigError) as error:
        raise ConfigError(f"{path} cannot be read. Delete it and run `factmill ablate --cure --save` again.") from error
    if book.encoder_digest != encoder.digest:
        raise ConfigError(
            f"{path} was made with another version of the encoder {encoder.name}, whose scores may differ."
            " Delete it and run `factmill ablate --cure --save` again."
        )
    return cures


def save_cures(home: Home, encoder: Encoder, cures: dict[ShardName, Cure]) -> None:
    """Keep these cures, and no others, for an encoder."""
    path = home.cures(encoder.name)
    path.parent.mkdir(exist_ok=True)
    book = _Book(encoder_digest=encoder.digest, cures={str(shard): cures[shard] for shard in sorted(cures)})
    write_atomically(path, book.model_dump_json(indent=2) + "\n")
