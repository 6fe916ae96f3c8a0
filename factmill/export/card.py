"""The data card of a Hugging Face data set: README.md with its configurations as YAML, and what people must know."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
from jinja2 import Environment, PackageLoader, StrictUndefined

from factmill import __version__
from factmill.export.chosen import may_be_passed_on
from factmill.names import ShardName

_HF_LICENCES = {"CC0-1.0": "cc0-1.0", "CC-BY-SA-3.0": "cc-by-sa-3.0", "CC-BY-SA-4.0": "cc-by-sa-4.0"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGER_SIZES = ((10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"), (1_000_000_000, "100M<n<1B"))

COLUMNS = {
    "qa_id": "identity of the pair, the same for the same question key on every machine",
    "ordinal": "line number in an imported base, from 0; null elsewhere",
    "question": "lower case, no final question mark; an imported base keeps its own form",
    "answer": "list of answers, best form first",
    "source": "where the fact comes from",
    "predicate": "the property of the source that the question asks about, and its variant",
    "template": "the template that made the question",
    "wording": "the line of the template",
    "subject": "id of what is asked about",
    "subject_label": "its name",
    "subject_name": "the name that the question uses",
    "objects": "ids or values behind the answers",
    "kind": "single: any answer will do; multi: the answer is the whole list",
    "popularity": "how well known the subject is, by the source's own measure",
    "licence": "of this row",
    "as_of": "date of the facts",
    "places": "where the facts stand in the source",
    "wikipedia_title": "title of English Wikipedia's article about the subject",
}


@dataclass
class Source:
    """What the card says of one source."""

    name: str
    pairs: Counter[ShardName] = field(default_factory=Counter)
    licences: Counter[str | None] = field(default_factory=Counter)
    first_date: date | None = None
    last_date: date | None = None

    @property
    def folder(self) -> str:
        """Where its files are."""
        return f"data/{self.name}"

    @property
    def n_pairs(self) -> int:
        """How many pairs it has."""
        return self.pairs.total()

    @property
    def counted_licences(self) -> list[tuple[str | None, int]]:
        """Return the licences with the number of their pairs, what has none at the end."""
        return sorted(self.licences.items(), key=lambda item: (item[0] is None, item[0] or ""))

    def add(self, shard: ShardName, batch: pa.RecordBatch) -> None:
        """Count some pairs."""
        self.pairs[shard] += len(batch)
        for count in pc.value_counts(batch["licence"]).to_pylist():
            self.licences[count["values"]] += count["counts"]
        found = pc.min_max(batch["as_of"]).as_py()
        self.first_date = min(filter(None, (self.first_date, found["min"])), default=None)
        self.last_date = max(filter(None, (self.last_date, found["max"])), default=None)


def card(sources: Sequence[Source], columns: Sequence[str]) -> str:
    """Return the text of README.md."""
    environment = Environment(
        loader=PackageLoader("factmill.export", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Markdown; what comes from users goes through the filters below
    )
    environment.filters |= {"yaml": json.dumps, "cell": _cell, "number": "{:,}".format}
    licences = sum((source.licences for source in sources), Counter[str | None]())
    n_pairs = sum(source.n_pairs for source in sources)
    return environment.get_template("card.md.j2").render(
        sources=sources,
        licences=sorted({_HF_LICENCES.get(text or "", "other" if text else "unknown") for text in licences}),
        size=next((name for limit, name in (*_SIZES, *_LARGER_SIZES) if n_pairs < limit), "n>1T"),
        n_pairs=n_pairs,
        may_be_passed_on=all(map(may_be_passed_on, licences)),
        columns=[(name, COLUMNS[name]) for name in columns],
        version=__version__,
    )


def _cell(text: str | None) -> str:
    """Write a text so that it stays in its cell of a table; what has no licence says so."""
    if text is None:
        return "none stated"
    shown = "".join(character if character.isprintable() else " " for character in text)
    return "".join(f"\\{character}" if character in "\\|`*_[]<>{}#" else character for character in shown)
