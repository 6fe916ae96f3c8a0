"""Encoders: questions become vectors that depend on nothing but the question.

A vector is signed bytes: the unit vector times the encoder's grid, rounded. All products and sums of such vectors are
whole numbers below 2^24, which float32 holds exactly, so a score is the same to the last bit in any order, batch, index
and thread.

    minilm         the default: MiniLM as int8 ONNX
    static         a table of word vectors: poorer and many times faster
    onnx:FOLDER    any sentence encoder as model.onnx and tokenizer.json
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from factmill.errors import ConfigError
from factmill.paq_form import paq_form
from factmill.progress import progress

Vectors = npt.NDArray[np.int8]

_MAX_CHARACTERS = 2_000
_LARGEST = 127
_MINILM_GRID = 512
_MINILM_DIMENSIONS = 384
_QUESTIONS_A_STEP = 1_024


class Encoder(Protocol):
    """Turns questions into vectors. Its name and digest are part of every index."""

    @property
    def name(self) -> str:
        """The name, which is also that of a folder."""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of all that decides about the vectors."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    @property
    def grid(self) -> int:
        """Steps per unit: a score divided by its square is a cosine."""

    def encode(self, questions: Sequence[str]) -> Vectors:
        """Return one row of signed bytes for each question."""


def encoded_text(question: str) -> str:
    """Return what of a question is encoded: PAQ's form, and of endless ones the beginning.

    Halves of characters, which no tokenizer takes, become question marks.
    """
    return paq_form(question[:_MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8"))


def usual_grid(dimensions: int) -> int:
    """Return the grid on which components of random unit vectors end at 4.9 standard deviations.

    >>> usual_grid(384)
    512
    """
    return round(_MINILM_GRID * float(np.sqrt(dimensions / _MINILM_DIMENSIONS)))


def on_grid(vectors: npt.NDArray[Any], grid: int) -> Vectors:
    """Normalise rows and round them to the grid; a row of zeros stays one."""
    exact = vectors.astype(np.float64)
    norms = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    units = exact / np.where(norms == 0, 1, norms)
    return np.clip(np.rint(units * grid), -_LARGEST, _LARGEST).astype(np.int8)


def encode_all(encoder: Encoder, questions: Sequence[str]) -> Vectors:
    """Encode questions, and show how far that is where there are many."""
    if len(questions) <= _QUESTIONS_A_STEP:
        return encoder.encode(questions)
    vectors = np.empty((len(questions), encoder.dimensions), np.int8)
    with progress("encoding", len(questions), "questions") as advance:
        for start in range(0, len(questions), _QUESTIONS_A_STEP):
            some = questions[start : start + _QUESTIONS_A_STEP]
            vectors[start : start + len(some)] = encoder.encode(some)
            advance(len(some))
    return vectors


@lru_cache(maxsize=4)
def open_encoder(name: str) -> Encoder:
    """Return an encoder by the name that a user gives it."""
    kind, _, folder = name.partition(":")
    if name == "minilm":
        from factmill.minilm import minilm_folder
        from factmill.onnx_encoder import OnnxEncoder

        return OnnxEncoder("minilm", minilm_folder(), _MINILM_GRID)
    if name == "static":
        from factmill.static_encoder import StaticEncoder

        return StaticEncoder()
    if kind == "onnx" and folder:
        from factmill.onnx_encoder import own_encoder

        return own_encoder(Path(folder))
    raise ConfigError(
        f"there is no encoder {name[:80]!r}. There are minilm, static and onnx:FOLDER. See docs/index.md."
    )
