"""Fit the linker's weights on the even half of questions that name their subject; print them for weights.py.

    python -m benchmarks.fit_linker HOME ../shared/data

The likelihood of the right entity is maximised, with every question seen twice: as it is, and without its right entity,
where "none" is right. So the shares tell how sure a link is where entities are missing.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.linked_questions import read_asked
from factmill.halves import is_for_tuning
from factmill.home import Home
from factmill.linking.answers import ANSWER_FEATURES, answer_candidates
from factmill.linking.asked_words import read_words
from factmill.linking.candidates import FEATURES, NIL_FEATURES, Candidates, candidates_of
from factmill.linking.choice import choose
from factmill.linking.known import Known, known_entities
from factmill.manifest import Stage

SETS = ("simplequestions_wd_train", "popqa_A")
_PENALTY = 0.5
_NIL_SHARE = 0.3
"""What a question without its entity counts beside one with it."""

_BOUNDS: dict[str, tuple[float | None, float | None]] = {
    "popularity": (0.15, None),
    "best known of the name": (0.3, None),
    "words": (0.0, None),
    "capital": (0.2, None),
    "no capital": (None, -0.2),
    "quoted": (1.0, None),
    "clue beside it": (1.0, None),
    "is an asking word": (None, -2.0),
}
"""What these questions cannot tell: their less known subjects were chosen on purpose, and few have a description."""

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def main(words: Sequence[str] | None = None) -> None:
    """Print the weights."""
    home, data = (words or sys.argv[1:])[:2]
    asked = [one for name in SETS for one in read_asked(Path(data), name) if is_for_tuning(one.question)]
    opened = Home.open(Path(home))
    known = known_entities(opened, Stage.current(opened, "wikidata"))
    asked_words = read_words([one.question for one in asked])
    candidates = candidates_of(asked_words, known)
    fitted = _fitted(candidates, known, [one.subject for one in asked], (*FEATURES, *NIL_FEATURES))
    weights, nil_weights = fitted[: len(FEATURES)], fitted[len(FEATURES) :]
    subjects = choose(candidates, tuple(weights), tuple(nil_weights))
    answers = answer_candidates(asked_words, known, subjects, [one.answers[0] for one in asked])
    fitted = _fitted(answers, known, [one.object for one in asked], (*ANSWER_FEATURES, "none"))
    _print("WEIGHTS", FEATURES, weights)
    _print("NIL_WEIGHTS", NIL_FEATURES, nil_weights)
    _print("ANSWER_WEIGHTS", ANSWER_FEATURES, fitted[:-1])
    print(f"ANSWER_NIL = {fitted[-1]:.3f}")


def _fitted(candidates: Candidates, known: Known, right: Sequence[str | None], names: Sequence[str]) -> Floats:
    entities = known.ids.take(candidates.entity).to_pylist()
    is_right = [right[number] == entity for number, entity in zip(candidates.question, entities, strict=True)]
    return fit(candidates.question, candidates.features, candidates.nil_features, np.array(is_right), names)


def _print(name: str, features: Sequence[str], weights: Floats) -> None:
    print(f"{name} = {{")
    for feature, weight in zip(features, weights, strict=True):
        print(f'    "{feature}": {weight:.3f},')
    print("}")


def fit(question: Numbers, features: Floats, nil_features: Floats, is_right: Flags, names: Sequence[str]) -> Floats:
    """Return the weights of features and of those of none."""
    n_questions, n_features = len(nil_features), features.shape[1]
    has_right = np.bincount(question, is_right, n_questions) > 0

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = 0.0, np.zeros_like(weights)
        values = features @ weights[:n_features]
        nil = nil_features @ weights[n_features:]
        # With the right entity there, where there is one; and without.
        for allowed, nil_is_right, share in (
            (np.ones_like(is_right), ~has_right, 1.0),
            (~is_right, np.ones_like(has_right), _NIL_SHARE),
        ):
            most = np.maximum(nil, 0)
            np.maximum.at(most, question[allowed], values[allowed])
            parts = np.exp(values - most[question]) * allowed
            nil_part = np.exp(nil - most)
            right = np.bincount(question, parts * is_right, n_questions) + nil_part * nil_is_right
            whole = np.bincount(question, parts, n_questions) + nil_part
            total -= share * np.log(right / whole).sum()
            shares = parts / whole[question]
            wanted = np.where(nil_is_right[question], 0, parts * is_right / right[question])
            gradient[:n_features] += share * ((shares - wanted) @ features)
            gradient[n_features:] += share * ((nil_part / whole - nil_part * nil_is_right / right) @ nil_features)
        return total + _PENALTY * float(weights @ weights), gradient + 2 * _PENALTY * weights

    start = np.zeros(n_features + nil_features.shape[1])
    bounds = [_BOUNDS.get(name, (None, None)) for name in names]
    found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2_000}).x
    return found


if __name__ == "__main__":
    main()
