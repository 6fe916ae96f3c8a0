"""Settings: one frozen object, from `factmill.toml` in the current folder and `FACTMILL_*` in the environment.

The environment wins over the file. Nothing else in the project reads the environment for settings.
"""

import os
import tomllib
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path
from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from factmill.errors import ConfigError

SETTINGS_FILE = "factmill.toml"
LANG_PATTERN = r"^[a-z]{2,3}(-[a-z0-9]{1,8})*$"


class Settings(BaseSettings):
    """What a user may set. docs/settings.md lists the same fields, and a test compares the two."""

    model_config = SettingsConfigDict(env_prefix="FACTMILL_", toml_file=SETTINGS_FILE, frozen=True, extra="forbid")

    home: Path = Field(default=Path("data"), description="the workspace: staged facts, corpus, index, runs")
    project: Path | None = Field(
        default=None, description="a folder with templates/, sql/ and sources/ to use instead of ours"
    )
    cache: Path = Field(
        default=user_cache_path("factmill"), description="where converted encoder weights and compiled code are kept"
    )
    minilm: Path | None = Field(
        default=None,
        description="a folder with MiniLM's model.safetensors and tokenizer.json, instead of fetching them",
    )
    wordllama: Path | None = Field(
        default=None,
        description="a folder with wordllama's l2_supercat_256.safetensors and l2_supercat_tokenizer_config.json,"
        " instead of fetching them",
    )
    encoder: str = Field(default="minilm", description="what encodes questions: minilm, static or onnx:FOLDER")
    reranker: Path | None = Field(
        default=None, description="a folder with a cross-encoder that orders what `ask` finds, as model.onnx"
    )
    downloads: Path = Field(default=Path("downloads"), description="where fetched files are kept")
    wikidata_url: str = Field(
        default="https://dumps.wikimedia.org/wikidatawiki/entities/latest-truthy.nt.gz",
        description="the address of Wikidata's truthy dump",
    )
    wikidata_checksums: str | None = Field(
        default=None, description="the address of a list with that dump's checksum, as sha256sum writes it"
    )
    imdb_url: str = Field(
        default="https://datasets.imdbws.com/", description="the address of the folder with IMDb's data sets"
    )
    imdb_min_votes: int | None = Field(
        default=None, ge=0, description="stage only titles of IMDb with so many votes, unless told which"
    )
    sparql_requests_per_second: float = Field(
        default=5.0, ge=0, description="how often a SPARQL endpoint elsewhere is asked at most; 0 means no limit"
    )
    sparql_attempts: int = Field(
        default=5, ge=1, description="how often a question to a SPARQL endpoint is tried before it is given up"
    )
    contact: str | None = Field(
        default=None,
        pattern=r"^[ -~]{1,200}$",
        description="an e-mail or web address that SPARQL endpoints get to see, so that they can complain",
    )
    lang: str = Field(
        default="en", pattern=LANG_PATTERN, description="language of the labels to stage; templates are English"
    )
    workers: int = Field(
        default=0, ge=0, description="windows of a dump that are staged side by side; 0 means one a core"
    )
    window_bytes: int = Field(
        default=16 << 20, ge=1 << 10, description="the least that is read of a dump on its own, and kept if a run stops"
    )
    max_expansion: int = Field(
        default=200, ge=2, description="a file that grows more than this many times when decompressed is refused"
    )
    max_mean_answers: float = Field(
        default=5.0, gt=0, description="a predicate with more answers a question on average is not asked"
    )
    min_labelled_share: float = Field(
        default=0,
        ge=0,
        le=1,
        description="nor one with fewer of its facts labelled on both sides; one with none never is",
    )
    min_facts: int = Field(default=1, ge=0, description="nor one with fewer facts")
    max_ambiguous_share: float = Field(
        default=1, ge=0, le=1, description="nor one with more of its subjects sharing their name with another"
    )
    min_repairs: int = Field(
        default=5, ge=0, description="nor one that could repair fewer mistakes, where an analysis of gaps tells"
    )
    memory_mb: int = Field(
        default=1200, ge=200, description="megabytes that milling keeps in memory before it uses the disk"
    )
    flat_rows: int = Field(
        default=5_000, ge=0, description="shards up to this size are searched exactly, larger ones by HNSW"
    )
    search_width: int = Field(
        default=64, ge=1, description="neighbours that HNSW looks at for a question: more find more and take longer"
    )
    word_weight: float = Field(
        default=0.2, ge=0, le=10, description="what shared words count beside the vectors' cosine; 0 leaves them out"
    )
    exact_rows: int = Field(
        default=1_000_000, ge=0, description="shards up to this size are searched exactly by evaluate and ablate"
    )
    segment_rows: int = Field(
        default=1_000_000, ge=1_000, description="vectors that are indexed as one; more take more memory to build"
    )
    hnsw_links: int = Field(
        default=32, ge=4, le=128, description="links of a vector in HNSW: each takes 8 bytes, fewer find less"
    )
    link_threshold: float = Field(
        default=0.2, ge=0, le=1, description="how likely a link to an entity must be at least"
    )
    threads: int = Field(default=0, ge=0, description="threads for encoding and search; 0 means one a core")

    @property
    def n_threads(self) -> int:
        """Return how many threads to use."""
        return self.threads or os.cpu_count() or 1

    @property
    def n_workers(self) -> int:
        """Return how many windows to stage side by side."""
        return self.workers or os.cpu_count() or 1

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take explicit values first, then the environment, then the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


@cache
def settings() -> Settings:
    """Return the settings of this process, read once."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"{SETTINGS_FILE}: there is no setting '{name}'. See docs/settings.md.") from error
        raise ConfigError(
            f"setting '{name}' (FACTMILL_{name.upper()}, or in {SETTINGS_FILE}): {first['msg']}. See docs/settings.md."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{SETTINGS_FILE} is not UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{SETTINGS_FILE} is not valid TOML: {error}.") from error
