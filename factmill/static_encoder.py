"""The fast encoder: a question is the sum of its words' vectors, from wordllama's table (MIT), read directly.

Each number of the table is made a whole one, so that a sum is the same in any order and on every machine.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from factmill.encoders import Vectors, encoded_text, on_grid, usual_grid
from factmill.errors import IndexFileError
from factmill.pinned_weights import PinnedFile, PinnedWeights, prepared_folder

WORDLLAMA = PinnedWeights(
    title="wordllama",
    requirement="wordllama==0.4.0.post1 --hash=sha256:42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97",
    files=(
        PinnedFile(
            "l2_supercat_256.safetensors",
            "wordllama/weights/l2_supercat_256.safetensors",
            "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        ),
        PinnedFile(
            "l2_supercat_tokenizer_config.json",
            "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
            "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
        ),
    ),
    setting="wordllama",
    megabytes=19,
    # The table is the same in all wheels; this one is taken on every machine.
    platform=(
        *("--only-binary", ":all:", "--platform", "manylinux2014_x86_64"),
        *("--implementation", "cp", "--python-version", "3.11"),
    ),
)
_STEPS_PER_UNIT = 1 << 12
_VERSION = "1"
"""Raise it when the same table would give other vectors."""
_MAX_TOKENS = 128
_QUESTIONS_A_TASK = 1_024


class StaticEncoder:
    """Looks words up and sums."""

    name = "static"

    def __init__(self) -> None:
        folder = prepared_folder(WORDLLAMA, WORDLLAMA.files[0].sha256[:12], _copy)
        self.digest = f"{_VERSION}{WORDLLAMA.files[0].sha256}"[:16]
        self._table = _whole_numbers(folder / WORDLLAMA.files[0].name)
        self.dimensions = self._table.shape[1]
        self.grid = usual_grid(self.dimensions)
        self._tokenizer = Tokenizer.from_file(str(folder / WORDLLAMA.files[1].name))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)

    def encode(self, questions: Sequence[str]) -> Vectors:
        """Return one row of signed bytes for each question."""
        starts = range(0, len(questions), _QUESTIONS_A_TASK)
        parts = [self._encode_some(questions[start : start + _QUESTIONS_A_TASK]) for start in starts]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.int8)

    def _encode_some(self, questions: Sequence[str]) -> Vectors:
        texts = list(map(encoded_text, questions))
        found = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        words = [one.ids for one in found]
        sums = np.zeros((len(words), self.dimensions), np.int64)
        lengths = np.array(list(map(len, words)))
        # Where there is no word, there is nothing to add up either.
        some = np.flatnonzero(lengths)
        if len(some):
            starts = np.concatenate([[0], np.cumsum(lengths[some])[:-1]])
            sums[some] = np.add.reduceat(self._table[np.concatenate([words[row] for row in some])], starts, axis=0)
        return on_grid(sums, self.grid)


def _copy(original: Path, done: Path, _: Path) -> None:
    for file in WORDLLAMA.files:
        shutil.copyfile(original / file.name, done / file.name)


def _whole_numbers(path: Path) -> npt.NDArray[np.int32]:
    from safetensors.numpy import load_file

    table = load_file(path).get("embedding.weight")
    if table is None or table.ndim != 2:
        raise IndexFileError(f"{path} holds no table of words.")
    return np.rint(table.astype(np.float64) * _STEPS_PER_UNIT).astype(np.int32)
