"""A re-ranker: a cross-encoder that reads the question and a found pair together, as RePAQ's does. Off by default.

It is model.onnx and tokenizer.json in a folder, and gives one number a pair, or one a class, of which the last says
"fits".
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import logsumexp

from factmill.encoders import encoded_text
from factmill.errors import ConfigError
from factmill.onnx_files import check_inputs, model_inputs, open_session, open_tokenizer, run_model
from factmill.results import Result

CANDIDATES = 50
"""Results of the search that are read again."""
_MAX_TOKENS = 256


class Reranker:
    """Orders results by what the model says of each, one a call: its number must not depend on the others.

    That is its number, or the logarithm of how likely the last of its classes is.
    """

    def __init__(self, folder: Path) -> None:
        self._model = folder / "model.onnx"
        self._tokenizer = open_tokenizer(folder / "tokenizer.json", _MAX_TOKENS)
        self._session = open_session(self._model)
        self._inputs = check_inputs(self._model, self._session)

    def rerank(self, question: str, results: Sequence[Result]) -> list[Result]:
        """Return the results, best first, each with the model's number."""
        scored = [replace(result, rerank_score=self._score(question, result)) for result in results]
        return sorted(scored, key=lambda result: -(result.rerank_score or 0.0))

    def _score(self, question: str, result: Result) -> float:
        encoding = self._tokenizer.encode(encoded_text(question), f"{encoded_text(result.question)} {result.answer}")
        found: Any = run_model(self._model, self._session, model_inputs(encoding, self._inputs))
        if found.size == 0 or found.ndim > 2 or len(found.reshape(1, -1)) != 1 or not np.isfinite(found).all():
            raise ConfigError(f"{self._model} gives no number for a pair of texts. See docs/index.md.")
        numbers = found.reshape(-1).astype(np.float64)
        # Of several classes only the share of the last one can be compared between pairs.
        return float(numbers[0] if len(numbers) == 1 else numbers[-1] - logsumexp(numbers))
