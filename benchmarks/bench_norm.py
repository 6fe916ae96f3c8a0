"""EM_norm: how long 10,000 questions with 50 candidates each take, against exact match alone.

    python -m benchmarks.bench_norm
    python -m benchmarks.bench_norm --names 20000 --questions 500

A third of the questions ask for a name, a third for a date, a third for an amount, and the candidates are such.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.named_stage import write_named_stage
from factmill.dates import MONTHS, Date
from factmill.home import Home
from factmill.manifest import Stage
from factmill.scoring.exact import exact_match, normalise_answer
from factmill.scoring.norm import Part, open_judge

AIM_SECONDS = 60
_CANDIDATES = 50
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def main(words: Sequence[str] | None = None) -> None:
    """Print the times, what is accepted and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=10_000)
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        home = Home.open(Path(folder), create=True)
        write_named_stage(home, chosen.names)
        questions, gold, predictions = _asked(home, chosen.questions)
        started = time.perf_counter()
        judge = open_judge(home)
        opened = time.perf_counter()
        accepted = judge.accepted(questions, gold)
        prepared = time.perf_counter()
        parts = judge.mark(accepted, predictions)
        marked = time.perf_counter()
    normalise_answer.cache_clear()
    before = time.perf_counter()
    exact = [[exact_match(text, answers) for text in texts] for texts, answers in zip(predictions, gold, strict=True)]
    peer = time.perf_counter() - before
    print(f"{len(questions):,} questions, {_CANDIDATES} candidates each; opened in {opened - started:.1f} s")
    print(f"prepared in {prepared - opened:.1f} s, marked in {marked - prepared:.1f} s; aim {AIM_SECONDS} s together")
    print(", ".join(f"{part.name.lower()} {int((parts == part).sum()):,}" for part in Part))
    print(f"exact matches equal: {bool(((parts == Part.EXACT) == np.array(exact)).all())}")
    print(f"exact match alone: {peer:.1f} s; ratio {(marked - opened) / peer:.2f}")


def _asked(home: Home, n_questions: int) -> tuple[list[str], list[list[str]], list[list[str]]]:
    """Return questions, gold answers and candidates."""
    rows = pq.read_table(Stage.current(home, "wikidata").entities, columns=["label", "aliases"]).slice(0, 50_000)
    names = rows.to_pylist()
    chance = random.Random(1)
    questions, gold, predictions = [], [], []
    for number in range(n_questions):
        kind = number % 3
        texts = [_text(kind, chance, names) for _ in range(_CANDIDATES)]
        if kind == 0:
            entity = chance.choice(names)
            questions.append(f"who made number {number}")
            gold.append([entity["label"]])
            texts[0] = entity["aliases"][0]
        else:
            questions.append(f"when was number {number} made" if kind == 1 else f"how many are in number {number}")
            gold.append([str(chance.randrange(1900, 2020)) if kind == 1 else str(chance.randrange(21, 100))])
        predictions.append(texts)
    return questions, gold, predictions


def _text(kind: int, chance: random.Random, names: Sequence[dict[str, str]]) -> str:
    if kind == 0:
        return chance.choice(names)["label"]
    if kind == 1:
        date = Date(chance.randrange(1900, 2020), chance.randrange(1, len(MONTHS) + 1), chance.randrange(1, 29))
        return chance.choice(date.forms())
    if chance.random() < 0.5:
        return f"more than {chance.randrange(1_000_000):,} copies"
    thousands = f"{chance.choice(_TENS)}-{chance.choice(_UNITS)} thousand and " if chance.random() < 0.5 else ""
    return f"about {thousands}{chance.choice(_TENS)}-{chance.choice(_UNITS)}"


if __name__ == "__main__":
    main()
