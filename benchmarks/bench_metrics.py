"""Exact match of a million predictions, against PAQ's normalisation written plainly and without a cache.

Each question has one prediction and some gold answers, and no text stands in two questions, so the cache wins next to
nothing. One prediction in three is right.
"""

import argparse
import re
import string
import time
from collections.abc import Callable, Sequence

from factmill.scoring.exact import exact_match, normalise_answer

N_PREDICTIONS = 1_000_000
N_GOLD = 3
AIM_SECONDS = 20
_FORMS = ("The {} of Saint-Étienne", "{} O'Hara, Jr.", "An {} ({})", "{},000 km")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the seconds of both and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--predictions", type=int, default=N_PREDICTIONS)
    n = parser.parse_args(arguments).predictions
    predictions, gold = _made_up(n)
    ours, seconds = _measured(exact_match, predictions, gold)
    theirs, peer_seconds = _measured(_plain_match, predictions, gold)
    if ours != theirs:
        raise SystemExit(f"{ours:,} right here, {theirs:,} there")
    print(f"{n:,} predictions, {n * N_GOLD:,} gold answers: {ours:,} right")
    print(f"exact_match: {seconds:.1f} s; aim {AIM_SECONDS}")
    print(f"plain: {peer_seconds:.1f} s")
    print(f"ratio: {peer_seconds / seconds:.1f}")


def _made_up(n: int) -> tuple[list[str], list[list[str]]]:
    """Return a prediction and the gold answers of each question."""
    gold = [
        [_FORMS[(number + form) % len(_FORMS)].format(f"Name {number}", form) for form in range(N_GOLD)]
        for number in range(n)
    ]
    predictions = [
        answers[number % N_GOLD].lower() if number % 3 == 0 else f"{answers[0]} the {number}"
        for number, answers in enumerate(gold)
    ]
    return predictions, gold


def _measured(
    match: Callable[[str, list[str]], bool], predictions: list[str], gold: list[list[str]]
) -> tuple[int, float]:
    normalise_answer.cache_clear()
    started = time.process_time()
    n_right = sum(map(match, predictions, gold))
    return n_right, time.process_time() - started


def _plain_match(prediction: str, gold: list[str]) -> bool:
    return max(_plain_form(prediction) == _plain_form(answer) for answer in gold)


def _plain_form(text: str) -> str:
    punctuation = set(string.punctuation)
    kept = "".join(character for character in text.lower() if character not in punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


if __name__ == "__main__":
    main()
