"""Encoders: questions become vectors that depend on nothing but the question.

A vector is 384 signed bytes: the unit vector times 512, rounded. All products and sums of such vectors are whole
numbers below 2^24, which float32 holds exactly, so a score is the same to the last bit in any order, batch, index and
thread.

The int8 model scales its activations by what is in the call. Two questions in one call would change each other's
vectors, so a call holds one question, and threads share the cores instead.
"""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from factmill.minilm import DIMENSIONS, minilm_folder
from factmill.paq_form import paq_form
from factmill.progress import progress
from factmill.settings import settings

Vectors = npt.NDArray[np.int8]

GRID = 512
"""Steps per unit. The largest component seen in MiniLM's vectors is 0.26, and 0.248 is where a signed byte ends."""

_MAX_TOKENS = 128
_MAX_CHARACTERS = 2_000
_CHUNK_QUESTIONS = 64


class Encoder(Protocol):
    """Turns questions into vectors. Its name and digest are part of every index."""

    name: str
    digest: str

    def encode(self, questions: Sequence[str]) -> Vectors:
        """Return one row of 384 signed bytes for each question."""
        ...


class OnnxEncoder:
    """A sentence encoder as model.onnx and tokenizer.json in a folder."""

    def __init__(self, name: str, folder: Path, threads: int | None = None) -> None:
        self.name = name
        model = (folder / "model.onnx").read_bytes()
        tokenizer = (folder / "tokenizer.json").read_bytes()
        self.digest = hashlib.sha256(model + tokenizer).hexdigest()[:16]
        self._tokenizer = Tokenizer.from_str(tokenizer.decode("utf-8"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        # One thread a call: what a thread computes does not depend on how many there are.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._threads = threads or settings().n_threads

    def encode(self, questions: Sequence[str]) -> Vectors:
        """Return one row of 384 signed bytes for each question."""
        vectors = np.empty((len(questions), DIMENSIONS), np.int8)
        if len(questions) <= _CHUNK_QUESTIONS // 8:
            for row, question in enumerate(questions):
                vectors[row] = self._encode_one(question)
            return vectors
        starts = range(0, len(questions), _CHUNK_QUESTIONS)

        def encode_chunk(start: int) -> int:
            chunk = questions[start : start + _CHUNK_QUESTIONS]
            for row, question in enumerate(chunk, start):
                vectors[row] = self._encode_one(question)
            return len(chunk)

        with ThreadPoolExecutor(self._threads) as pool, progress("encoding", len(questions), "questions") as advance:
            try:
                for done in pool.map(encode_chunk, starts):
                    advance(done)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return vectors

    def _encode_one(self, question: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(paq_form(question[:_MAX_CHARACTERS])).ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        (unit,) = self._session.run(None, feed)
        vector: Vectors = np.clip(np.rint(unit[0] * GRID), -127, 127).astype(np.int8)
        return vector


def default_encoder() -> Encoder:
    """Return MiniLM, preparing it on first use."""
    return OnnxEncoder("minilm", minilm_folder())
