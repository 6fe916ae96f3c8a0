"""A sentence encoder as model.onnx and tokenizer.json in a folder, whose makers are ours or the user's.

A quantised model scales its activations by what is in the call, and padding changes sums. Two questions in one call
would change each other's vectors, so a call holds one question, and threads share the cores instead.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factmill.encoders import Vectors, encoded_text, on_grid, usual_grid
from factmill.errors import ConfigError
from factmill.known_files import digest_of
from factmill.onnx_files import check_inputs, model_inputs, open_session, open_tokenizer, run_model, weight_files
from factmill.settings import settings

_MODEL, _TOKENIZER, _MATTER = "model.onnx", "tokenizer.json", "encoder.toml"
_QUESTIONS_A_TASK = 64
_FEW = 8
"""Questions that are encoded sooner than other threads would begin."""
_MOST_DIMENSIONS = 4_096
_VERSION = "1"
"""Raise it when the same files would give other vectors."""


class EncoderMatter(BaseModel):
    """What encoder.toml may say about the model beside it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pooling: Literal["mean", "first"] = "mean"
    """How token vectors become one: their mean, or the first one (CLS), as DPR and RePAQ want it."""
    max_tokens: int = Field(default=128, ge=2, le=8_192)


class OnnxEncoder:
    """Runs one question a call. `grid` is the usual one, unless the model is known to need another.

    `weights` are the files beside model.onnx that belong to it.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        grid: int | None = None,
        threads: int | None = None,
        weights: Sequence[Path] = (),
    ) -> None:
        self.name = name
        matter = _read_matter(folder / _MATTER)
        self.digest = _digest([folder / _MODEL, *weights, folder / _TOKENIZER, folder / _MATTER])
        self._pooling = matter.pooling
        self._model = folder / _MODEL
        self._tokenizer = open_tokenizer(folder / _TOKENIZER, matter.max_tokens)
        self._session = open_session(self._model)
        self._inputs = check_inputs(self._model, self._session)
        self._threads = threads or settings().n_threads
        self.dimensions = len(self._pooled("what is this"))
        if not 1 <= self.dimensions <= _MOST_DIMENSIONS:
            raise ConfigError(f"{self._model} gives vectors of {self.dimensions:,} numbers.")
        # One large component must not be cut off: foreign models have such, so they get half the steps.
        self.grid = grid or usual_grid(self.dimensions) // 2

    def encode(self, questions: Sequence[str]) -> Vectors:
        """Return one row of signed bytes for each question."""
        if len(questions) <= _FEW:
            return self._encode_some(questions)
        starts = range(0, len(questions), _QUESTIONS_A_TASK)
        done = self._pool.map(lambda start: self._encode_some(questions[start : start + _QUESTIONS_A_TASK]), starts)
        return np.concatenate(list(done))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads)

    def _encode_some(self, questions: Sequence[str]) -> Vectors:
        if not questions:
            return np.empty((0, self.dimensions), np.int8)
        return on_grid(np.stack([self._pooled(encoded_text(question)) for question in questions]), self.grid)

    def _pooled(self, text: str) -> npt.NDArray[np.float32]:
        found: Any = run_model(self._model, self._session, model_inputs(self._tokenizer.encode(text), self._inputs))
        if found.ndim == 3:
            found = found.mean(axis=1) if self._pooling == "mean" else found[:, 0]
        if found.ndim != 2 or len(found) != 1 or not np.isfinite(found).all():
            raise ConfigError(f"{self._model} gives no vector for {text[:80]!r}. See docs/index.md.")
        vector: npt.NDArray[np.float32] = found[0]
        return vector


def own_encoder(folder: Path) -> OnnxEncoder:
    """Return the encoder in a user's folder; its index is named after the folder and what is in it."""
    if missing := [name for name in (_MODEL, _TOKENIZER) if not (folder / name).is_file()]:
        raise ConfigError(f"{folder} has no {missing[0]}. docs/index.md says how to export an encoder.")
    word = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    # Two folders of one name must not take turns at one index.
    place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:8]
    return OnnxEncoder(f"onnx-{word[:40] or 'own'}-{place}", folder, weights=weight_files(folder / _MODEL))


def _digest(files: Sequence[Path]) -> str:
    """Digest the model, its weights, the tokenizer and what is said of them."""
    total = hashlib.sha256(_VERSION.encode())
    for path in files:
        try:
            if path.exists():
                total.update(bytes.fromhex(digest_of(path)))
        except OSError as error:
            raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    return total.hexdigest()[:16]


def _read_matter(path: Path) -> EncoderMatter:
    if not path.exists():
        return EncoderMatter()
    try:
        return EncoderMatter.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (ValidationError, ValueError, OSError) as error:
        raise ConfigError(f"{path}: {str(error).splitlines()[0]}. It may hold pooling and max_tokens.") from error
