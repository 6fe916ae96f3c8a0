"""The text of entities: what a dump says about one item, line by line, in the order of the real one.

Items come in batches, as bots make them: neighbours are often of one class and have the same languages, descriptions
and properties. Without that the text would compress far worse than the real dump.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import truthy_blocks as blocks
from benchmarks.truthy_statements import DIRECT, SUBJECT, draw_statements
from benchmarks.truthy_values import ENTITY, MAX_ID, XSD, Ints, popular_items
from benchmarks.truthy_words import N_WORDS, words

MEAN_ENTITY_BYTES = 10_000
MEAN_BATCH = 16
ENGLISH_LABELS = 0.85
ADVERSARIAL = 1 / 2_000
_DATA = "\x01"
_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

# Text that a reader who splits at blanks, brackets or quotes gets wrong.
_ADVERSARIAL_NAMES = (
    f"> <{DIRECT}P31> <{ENTITY}Q5> .",
    f'<{ENTITY}Q1> <{DIRECT}P31> <{ENTITY}Q5> .\\n<{ENTITY}Q2> <{DIRECT}P31> \\"x\\" .',
    'odd \\"@en .',
    '\\"quoted\\"@en . \\\\',
    "tab\\there, line\\nbreak, return\\r, \\\\ and \\U0001F600",
)


class _Names(NamedTuple):
    """Word numbers of each name, and the texts that take the place of a name, by place."""

    rows: list[list[int]]
    n_words: list[int]
    quoted: list[bool]
    adversarial: dict[int, str]

    def spelled(self, place: int, lexicon: list[str]) -> str:
        """Return the name of the entity at this place in the script of this lexicon."""
        if place in self.adversarial:
            return self.adversarial[place]
        chosen = [lexicon[n] for n in self.rows[place][: self.n_words[place]]]
        return f'{" ".join(chosen)} \\"{chosen[0]}\\"' if self.quoted[place] else " ".join(chosen)


def draw_ids(chance: np.random.Generator, low: int, high: int, n: int) -> Ints:
    """Return about n rising item numbers in [low, high), among them the popular ones."""
    popular = popular_items()
    popular = popular[(popular >= low) & (popular < high)][: n // 4]
    return np.unique(np.concatenate([popular, chance.integers(low, high, n - len(popular))]))


def entity_texts(chance: np.random.Generator, ids: Ints) -> Iterator[str]:
    """Yield the lines of each of these items, in this order, some with a redirect after them."""
    n = len(ids)
    batches = np.cumsum(chance.random(n) < 1 / MEAN_BATCH, dtype=np.int64)
    classes = chance.choice(len(blocks.CLASSES), n + 1, p=[each.share for each in blocks.CLASSES])[batches]
    n_wanted = chance.poisson(np.array([each.n_statements for each in blocks.CLASSES])[classes])
    items = np.array([each.item for each in blocks.CLASSES])[classes]
    statements = draw_statements(chance, n_wanted, batches, items)
    heads = _dataset_heads(chance, n)
    words_of = _word_blocks(chance, classes, batches)
    marks = _marked_texts(chance, classes)
    redirects = _redirects(chance, ids)
    for place, number in enumerate(ids.tolist()):
        lines = dict.fromkeys(statements.lines[statements.bounds[place] : statements.bounds[place + 1]])
        counts = _counts(len(lines), statements.n_identifiers[place])
        text = _filled(f"{heads[place]}{counts}{words_of[place]}", place, marks)
        text = f"{text}{''.join(lines)}".replace(SUBJECT, f"<{ENTITY}Q{number}>")
        yield text.replace(_DATA, f"<https://www.wikidata.org/wiki/Special:EntityData/Q{number}>") + redirects[place]


class _Marked(NamedTuple):
    names: _Names
    aliases: list[str]
    years: list[str]


def _filled(text: str, place: int, marked: _Marked) -> str:
    for script, mark in blocks.NAME_MARKS.items():
        if mark in text:
            text = text.replace(mark, marked.names.spelled(place, words(script)))
    return text.replace(blocks.ALIAS, marked.aliases[place]).replace(blocks.YEAR, marked.years[place])


def _marked_texts(chance: np.random.Generator, classes: Ints) -> _Marked:
    n = len(classes)
    rows = (N_WORDS * chance.random((n, 8)) ** 3).astype(np.int64).tolist()
    n_words = np.array([each.n_name_words for each in blocks.CLASSES])[classes].tolist()
    odd = np.flatnonzero(chance.random(n) < ADVERSARIAL).tolist()
    adversarial = {place: _ADVERSARIAL_NAMES[place % len(_ADVERSARIAL_NAMES)] for place in odd}
    names = _Names(rows, n_words, (chance.random(n) < 0.02).tolist(), adversarial)
    latin = words("latin")
    others = chance.integers(0, N_WORDS, n).tolist()
    aliases = [f"{latin[row[0]]} {latin[other]}" for row, other in zip(rows, others, strict=True)]
    aliases = [adversarial.get(place, alias) for place, alias in enumerate(aliases)]
    years = (1800 + 225 * chance.random(n) ** 0.3).astype(np.int64)
    return _Marked(names, aliases, [str(year) for year in years.tolist()])


def _dataset_heads(chance: np.random.Generator, n: int) -> list[str]:
    revisions = chance.integers(10**8, 24 * 10**8, n).tolist()
    seconds = chance.integers(1_420_070_400, 1_767_225_600, n).astype("datetime64[s]").astype(str).tolist()
    start = (
        f"{_DATA} <{_RDF_TYPE}> <http://schema.org/Dataset> .\n"
        f"{_DATA} <http://schema.org/about> {SUBJECT} .\n"
        f"{_DATA} <http://creativecommons.org/ns#license> <http://creativecommons.org/publicdomain/zero/1.0/> .\n"
        f'{_DATA} <http://schema.org/softwareVersion> "1.0.0" .\n'
        f'{_DATA} <http://schema.org/version> "'
    )
    return [
        f'{start}{revision}"^^<{XSD}integer> .\n{_DATA} <http://schema.org/dateModified> "{when}Z"^^<{XSD}dateTime> .\n'
        for revision, when in zip(revisions, seconds, strict=True)
    ]


def _counts(n_statements: int, n_identifiers: int) -> str:
    return (
        f'{_DATA} <http://wikiba.se/ontology#statements> "{n_statements}"^^<{XSD}integer> .\n'
        f'{_DATA} <http://wikiba.se/ontology#identifiers> "{n_identifiers}"^^<{XSD}integer> .\n'
        f"{SUBJECT} <{_RDF_TYPE}> <http://wikiba.se/ontology#Item> .\n"
    )


def _word_blocks(chance: np.random.Generator, classes: Ints, batches: Ints) -> list[str]:
    n = len(classes)
    variants = chance.integers(0, blocks.N_VARIANTS, n + 1)[batches].tolist()
    wordings = (chance.random(n + 1) ** 2)[batches].tolist()
    aliases = chance.integers(0, blocks.N_VARIANTS, n).tolist()
    english = (chance.random(n) < ENGLISH_LABELS).tolist()
    texts = []
    for place, number in enumerate(classes.tolist()):
        label = blocks.english_label() if english[place] else ""
        labels = blocks.label_blocks(blocks.CLASSES[number].n_labels)[variants[place]]
        descriptions = blocks.description_blocks(number)
        wording = descriptions[int(wordings[place] * len(descriptions))]
        texts.append(f"{label}{labels}{wording}{blocks.alias_blocks()[aliases[place]]}")
    return texts


def _redirects(chance: np.random.Generator, ids: Ints) -> list[str]:
    """Return the line of the redirect that stands after each item, where the next id is free and chance wants it."""
    wanted = (chance.random(len(ids)) < 0.04) & (np.diff(ids, append=MAX_ID + 2) > 1)
    targets = chance.integers(1, MAX_ID, len(ids))
    return [
        f"<{ENTITY}Q{number + 1}> <http://www.w3.org/2002/07/owl#sameAs> <{ENTITY}Q{target}> .\n" if has else ""
        for number, target, has in zip(ids.tolist(), targets.tolist(), wanted.tolist(), strict=True)
    ]
