"""The error sheet: a sample of mistakes that a person sorts into categories in a spreadsheet, and the table of them.

Which mistakes are drawn depends on their questions alone: those with the smallest hashes. So the first half of a sheet
is a sample as well, for whoever gets no further.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binomtest

from factmill.errors import ConfigError, SourceFormatError
from factmill.mistakes import N_RETRIEVED, Category, Mistake, RetrievedPair, suggest
from factmill.spreadsheet import read_sheet, write_sheet

_RETRIEVED = tuple(f"retrieved {place}" for place in range(1, N_RETRIEVED + 1))
COLUMNS = ("question", "gold", *_RETRIEVED, "suggested", "why", "category")
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class SheetRow:
    """A row of the sheet as it was read back; `category` is the person's, None where it is not filled."""

    question: str
    gold: str
    retrieved: tuple[str, ...]
    suggested: str
    why: str
    category: Category | None


@dataclass(frozen=True)
class Share:
    """How many of the sorted mistakes are of a category: percentages, with the ends of the confidence interval."""

    category: Category
    n: int
    percent: float
    low: float
    high: float


@dataclass(frozen=True)
class ErrorTable:
    """A line for each category, of the rows that a person has filled."""

    shares: list[Share]
    n_filled: int
    n_unfilled: int

    def rows(self) -> list[dict[str, str | int | float]]:
        """Return the table."""
        return [
            {
                "category": str(one.category),
                "mistakes": one.n,
                "%": round(one.percent, 1),
                "95 % interval": f"{one.low:.1f} to {one.high:.1f}",
            }
            for one in self.shares
        ]


def sample_mistakes(mistakes: Sequence[Mistake], size: int, seed: int = 0) -> list[Mistake]:
    """Return so many mistakes, each question once; the same for the same questions in any order."""
    first = {mistake.question: mistake for mistake in reversed(mistakes)}
    return [first[question] for question in sorted(first, key=lambda question: _hash(question, seed))[:size]]


def write_error_sheet(path: Path, mistakes: Sequence[Mistake], size: int = 100, seed: int = 0) -> int:
    """Write a sample of mistakes, with suggested categories, to a new file, and return how many they are."""
    if path.exists():
        raise ConfigError(f"{path} is there already and may be filled by somebody. Name another file, or remove it.")
    sample = sample_mistakes(mistakes, size, seed)
    write_sheet(path, COLUMNS, [_cells(mistake) for mistake in sample])
    return len(sample)


def read_error_sheet(path: Path) -> list[SheetRow]:
    """Read a sheet back, in its order; rows may be missing, but no question may stand twice."""
    rows: list[SheetRow] = []
    seen: dict[str, int] = {}
    for number, cells in read_sheet(path, COLUMNS):
        question = cells["question"]
        if question in seen:
            raise SourceFormatError(
                f"{path}, row {number:,}: the question of row {seen[question]:,} again. Delete one of them."
            )
        seen[question] = number
        retrieved = tuple(cells[column] for column in _RETRIEVED if cells[column])
        category = _category(path, number, cells["category"])
        rows.append(SheetRow(question, cells["gold"], retrieved, cells["suggested"], cells["why"], category))
    return rows


def error_table(rows: Sequence[SheetRow]) -> ErrorTable:
    """Count the categories that a person has given; there are no shares where none is given."""
    counts = Counter(row.category for row in rows if row.category)
    n = counts.total()
    return ErrorTable([_share(category, counts[category], n) for category in Category] if n else [], n, len(rows) - n)


def _share(category: Category, n: int, of: int) -> Share:
    interval = binomtest(n, of).proportion_ci(_CONFIDENCE, method="wilson")
    return Share(category, n, 100 * n / of, 100 * interval.low, 100 * interval.high)


def _hash(question: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{question}".encode("utf-8", "surrogatepass")).digest()


def _cells(mistake: Mistake) -> list[str]:
    category, why = suggest(mistake)
    retrieved = [_told(pair) for pair in mistake.retrieved[:N_RETRIEVED]]
    retrieved += [""] * (N_RETRIEVED - len(retrieved))
    return [mistake.question, "; ".join(mistake.gold), *retrieved, category or "", why, ""]


def _told(pair: RetrievedPair) -> str:
    score = "" if pair.score is None else f" ({pair.score:.2f})"
    return f"{pair.question} → {pair.answer}{score}"


def _category(path: Path, number: int, cell: str) -> Category | None:
    text = " ".join(cell.split()).casefold()
    if text and text not in list(Category):
        raise SourceFormatError(
            f"{path}, row {number:,}: there is no category {cell[:80]!r}. There are: {', '.join(Category)}."
        )
    return Category(text) if text else None
