"""Roles: what could be asked about an entity, and how well a question's words fit that.

A role is a template of the source: its entity is the subject of the predicate, or the object where the template asks
for the subject. The words are those of the template's label and wordings, so a new template teaches the linker, too.
"""

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.facts import IdSpace
from factmill.linking.words import ASKING_WORDS, is_weak, stem_number, words_of
from factmill.templates import Template, catalogue

_STEPS = 100
_BLANK = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")
"""What a wording leaves to Jinja."""

Weights = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Roles:
    """The roles of a source: which are inverse, and a row of weights for each word that a role has."""

    rows: pa.Table
    is_inverse: npt.NDArray[np.bool_]
    words: dict[int, int]
    weights: Weights

    def fit(self, stems: npt.NDArray[np.int64], which: npt.NDArray[np.int64], n_questions: int) -> Weights:
        """Return for each question how well its words fit each role; `which` is the question of each word."""
        known = [
            (self.words[stem], question)
            for stem, question in zip(stems.tolist(), which.tolist(), strict=True)
            if stem in self.words
        ]
        fits = np.zeros((n_questions, self.weights.shape[1]), np.int64)
        if known:
            rows, questions = np.array(known).T
            np.add.at(fits, questions, self.weights[rows])
        return fits


def roles_of(source: str, ids: IdSpace) -> Roles:
    """Return the roles that the templates of a source know."""
    templates = [template for shard, template in catalogue().items() if shard.source == source]
    texts = [_words(template) for template in templates]
    n_roles_with = Counter(word for words in texts for word in words)
    numbers = {word: number for number, word in enumerate(sorted(n_roles_with))}
    weights = np.zeros((max(1, len(numbers)), max(1, len(texts))), np.int64)
    for role, words in enumerate(texts):
        for word, share in words.items():
            rarity = math.log(1 + len(texts) / n_roles_with[word])
            weights[numbers[word], role] = round(_STEPS * rarity * (0.5 + 0.5 * share))
    rows = pa.table(
        {
            "role": pa.array(range(len(templates)), pa.int32()),
            "predicate": pa.array([ids.stored_predicate(template.shard) for template in templates], ids.predicate_type),
            "inverse": pa.array([template.matter.inverse for template in templates], pa.bool_()),
        }
    )
    return Roles(rows, np.array([template.matter.inverse for template in templates] or [False]), numbers, weights)


def _words(template: Template) -> dict[int, float]:
    """Return the stems of a template's words, each with the share of its texts that hold it."""
    texts = [template.matter.label, *template.wordings]
    holding: dict[int, set[int]] = defaultdict(set)
    for number, text in enumerate(texts):
        for word in words_of(_BLANK.sub(" ", text)):
            if word in ASKING_WORDS or not is_weak(word):
                holding[stem_number(word)].add(number)
    return {word: len(numbers) / len(texts) for word, numbers in holding.items()}
