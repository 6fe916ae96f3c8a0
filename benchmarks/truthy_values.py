"""The values of direct statements, in the form Wikidata writes: one writer for each kind of value."""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from benchmarks.truthy_words import LANGUAGES, N_WORDS, script_of, words

Ints = npt.NDArray[np.int64]
ENTITY = "http://www.wikidata.org/entity/"
XSD = "http://www.w3.org/2001/XMLSchema#"
MAX_ID = 120_000_000
# Neighbours share a country, a journal or an author.
_REPEATED_ITEMS = 0.5
_FORMS = {646: "/m/0{:x}", 2671: "/g/11{:x}", 244: "n{:08d}", 345: "nm{:07d}", 356: "10.{}/s", 227: "{}-X"}
_FURTHER_FORMS = ("{}", "{}", "{:x}", "{:010d}", "id{}")


@cache
def popular_items() -> Ints:
    """Return the items that many statements point to, the most popular first."""
    chance = np.random.default_rng(11)
    return chance.permutation(np.unique((10 ** chance.uniform(0.5, 7.6, 6_000)).astype(np.int64)))


def _items(chance: np.random.Generator, numbers: Ints) -> list[str]:
    popular = popular_items()
    places = (chance.zipf(1.4, len(numbers)) % 1_000 + numbers * 17) % len(popular)
    items = np.where(chance.random(len(numbers)) < 0.6, popular[places], chance.integers(1, MAX_ID, len(numbers)))
    return [f"<{ENTITY}Q{item}>" for item in items[_origins(chance, numbers)].tolist()]


def _origins(chance: np.random.Generator, numbers: Ints) -> Ints:
    """Return for each statement where its value comes from: itself or one before it with the same property."""
    by_property = np.argsort(numbers, kind="stable")
    fresh = (chance.random(len(numbers)) >= _REPEATED_ITEMS) | (np.diff(numbers[by_property], prepend=-1) > 0)
    sources = np.maximum.accumulate(np.where(fresh, np.arange(len(numbers)), 0))
    origins = np.empty_like(by_property)
    origins[by_property] = by_property[sources]
    return origins


def _identifiers(chance: np.random.Generator, numbers: Ints) -> list[str]:
    keys = (10 ** chance.uniform(4, 9, len(numbers))).astype(np.int64).tolist()
    forms = [_FORMS.get(number) or _FURTHER_FORMS[number % len(_FURTHER_FORMS)] for number in numbers.tolist()]
    return [f'"{form.format(key)}"' for form, key in zip(forms, keys, strict=True)]


def _dates(chance: np.random.Generator, numbers: Ints) -> list[str]:
    n = len(numbers)
    years = (1500 + 525 * chance.random(n) ** 0.3).astype(np.int64)
    old = chance.random(n) < 1 / 60
    years = np.where(old, -chance.integers(1, 800, n), years)
    only_year = chance.random(n) < 0.4
    months = np.where(only_year, 1, chance.integers(1, 13, n))
    days = np.where(only_year, 1, chance.integers(1, 29, n))
    rows = zip(years.tolist(), months.tolist(), days.tolist(), strict=True)
    return [
        f'"{"-" if year < 0 else ""}{abs(year):04d}-{month:02d}-{day:02d}T00:00:00Z"^^<{XSD}dateTime>'
        for year, month, day in rows
    ]


def _quantities(chance: np.random.Generator, numbers: Ints) -> list[str]:
    amounts = (10 ** chance.uniform(0, 7, len(numbers))).astype(np.int64).tolist()
    forms = ("+{}", "+{}", "+{}", "+{}.5", "-{}.25", "+0.{}")
    return [f'"{forms[amount % 6].format(amount)}"^^<{XSD}decimal>' for amount in amounts]


def _coordinates(chance: np.random.Generator, numbers: Ints) -> list[str]:
    places = chance.uniform((-180, -90), (180, 90), (len(numbers), 2)).round(5).tolist()
    globes = [f"<{ENTITY}Q405> " if far else "" for far in (chance.random(len(numbers)) < 1 / 50).tolist()]
    return [
        f'"{globe}Point({east} {north})"^^<http://www.opengis.net/ont/geosparql#wktLiteral>'
        for globe, (east, north) in zip(globes, places, strict=True)
    ]


def _texts(chance: np.random.Generator, numbers: Ints) -> list[str]:
    rows = (N_WORDS * chance.random((len(numbers), 4)) ** 3).astype(np.int64).tolist()
    languages = ["en", *LANGUAGES[:30]]
    picked = [languages[int(31 * place)] for place in (chance.random(len(numbers)) ** 3).tolist()]
    lexicons = {language: words(script_of(language)) for language in languages}
    return [
        f'"{" ".join([lexicons[language][n] for n in row])}"@{language}'
        for language, row in zip(picked, rows, strict=True)
    ]


def _files(chance: np.random.Generator, numbers: Ints) -> list[str]:
    lexicon = words("latin")
    rows = chance.integers(0, N_WORDS, (len(numbers), 3)).tolist()
    return [
        f"<http://commons.wikimedia.org/wiki/Special:FilePath/{lexicon[a].title()}%20{lexicon[b]}%20{c}.jpg>"
        for a, b, c in rows
    ]


def _urls(chance: np.random.Generator, numbers: Ints) -> list[str]:
    lexicon = words("latin")
    return [f"<https://www.{lexicon[a]}.org/{lexicon[b]}>" for a, b in chance.integers(0, N_WORDS, (len(numbers), 2))]


def _property_entities(chance: np.random.Generator, numbers: Ints) -> list[str]:
    return [f"<{ENTITY}P{n}>" for n in chance.integers(6, 13_000, len(numbers)).tolist()]


def _lexemes(chance: np.random.Generator, numbers: Ints) -> list[str]:
    parts = ("", "", "-F1", "-S2")
    return [f"<{ENTITY}L{n}{parts[n % 4]}>" for n in chance.integers(1, 1_400_000, len(numbers)).tolist()]


def _formulas(chance: np.random.Generator, numbers: Ints) -> list[str]:
    return [
        f'"<math xmlns=\\"http://www.w3.org/1998/Math/MathML\\" alttext=\\"{{\\\\displaystyle x={n}}}\\">\\n  '
        f'<mrow><mi>x</mi><mo>=</mo><mn>{n}</mn></mrow>\\n</math>"^^<http://www.w3.org/1998/Math/MathML>'
        for n in chance.integers(0, 10_000, len(numbers)).tolist()
    ]


WRITERS: dict[str, Callable[[np.random.Generator, Ints], list[str]]] = {
    "item": _items,
    "identifier": _identifiers,
    "date": _dates,
    "quantity": _quantities,
    "text": _texts,
    "file": _files,
    "coordinate": _coordinates,
    "url": _urls,
    "property": _property_entities,
    "lexeme": _lexemes,
    "formula": _formulas,
}
