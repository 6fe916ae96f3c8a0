"""Labels, descriptions and aliases of one entity as ready blocks of lines.

A block holds a mark wherever the entity, its name in one script, its alias or a year belongs. The blocks are the same
for every seed: as in the real dump, many items carry the very same descriptions.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks.truthy_statements import SUBJECT
from benchmarks.truthy_words import LANGUAGES, SCRIPTS, phrase, script_of, words

YEAR = "\x02"
ALIAS = "\x03"
NAME_MARKS = {script: chr(0x0E + n) for n, script in enumerate(SCRIPTS)}
N_VARIANTS = 64
LABEL_PREDICATES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
)
DESCRIPTION_PREDICATE = "http://schema.org/description"
ALIAS_PREDICATE = "http://www.w3.org/2004/02/skos/core#altLabel"


class EntityClass(NamedTuple):
    """A class of items: its share, its own item, the length of its names, and mean numbers of lines."""

    share: float
    item: int
    n_name_words: int
    n_labels: int
    n_descriptions: int
    n_statements: int
    n_wordings: int
    description: str


CLASSES = (
    EntityClass(0.28, 13442814, 8, 2, 15, 32, 3, f"scientific article published in {YEAR}"),
    EntityClass(0.20, 5, 2, 9, 6, 30, 400, f"{{}} politician and {{}} (born {YEAR})"),
    EntityClass(0.08, 4167836, 3, 3, 60, 4, 1, "Wikimedia category page"),
    EntityClass(0.03, 4167410, 1, 8, 55, 3, 1, "Wikimedia disambiguation page"),
    EntityClass(0.15, 486972, 2, 14, 10, 24, 300, "human settlement in {}, {}"),
    EntityClass(0.06, 16521, 2, 24, 30, 30, 12, "species of {}"),
    EntityClass(0.08, 523, 3, 3, 6, 28, 2, "star in the constellation {}"),
    EntityClass(0.12, 16686448, 3, 5, 3, 22, 2_000, "{} {} of the {}"),
)


@cache
def english_label() -> str:
    """Return the block of the English label."""
    return _labels(["en"])


@cache
def label_blocks(mean: int) -> list[str]:
    """Return blocks of labels in some languages, but not in English; `mean` is their mean number."""
    chance = np.random.default_rng(mean)
    sizes = np.minimum(chance.geometric(1 / mean, N_VARIANTS), len(LANGUAGES))
    return [_labels(_some_languages(chance, size)) for size in sizes.tolist()]


@cache
def alias_blocks() -> list[str]:
    """Return blocks of aliases; half of them are empty."""
    chance = np.random.default_rng(3)
    blocks = [""] * (N_VARIANTS // 2)
    for size in np.minimum(chance.geometric(1 / 5, N_VARIANTS - len(blocks)), 20).tolist():
        languages = _some_languages(chance, size)
        blocks.append("".join(f'{SUBJECT} <{ALIAS_PREDICATE}> "{ALIAS}"@{language} .\n' for language in languages))
    return blocks


@cache
def description_blocks(class_number: int) -> list[str]:
    """Return blocks of descriptions for one of CLASSES, in English and some further languages."""
    of_class = CLASSES[class_number]
    chance = np.random.default_rng(class_number)
    latin = words("latin")
    blocks = []
    for wording in range(of_class.n_wordings):
        fillers = [latin[n] for n in chance.integers(0, 500, 3)]
        texts = {"en": of_class.description.format(*fillers)}
        year = f" {YEAR}" if YEAR in texts["en"] else ""
        for language in _some_languages(chance, of_class.n_descriptions - 1):
            texts[language] = phrase(language, f"{class_number}/{wording}") + year
        lines = [f'{SUBJECT} <{DESCRIPTION_PREDICATE}> "{text}"@{language} .\n' for language, text in texts.items()]
        blocks.append("".join(lines))
    return blocks


def _labels(languages: list[str]) -> str:
    return "".join(
        f'{SUBJECT} <{predicate}> "{NAME_MARKS[script_of(language)]}"@{language} .\n'
        for language in languages
        for predicate in LABEL_PREDICATES
    )


def _some_languages(chance: np.random.Generator, n: int) -> list[str]:
    weights = 1 / (np.arange(len(LANGUAGES)) + 4)
    picked = np.sort(chance.choice(len(LANGUAGES), n, replace=False, p=weights / weights.sum()))
    return [LANGUAGES[place] for place in picked.tolist()]
