"""KILT's JSONL: questions with all their answers, or slot filling, `subject [SEP] relation`.

An evidence set that cannot be found spoils KILT's scores: an empty list of pages counts as one, and a null id equals
every other null. So a record has pages only if the id is known, and only beside the first answer.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, islice
from typing import Any

from factmill.export.chosen import ChosenPairs
from factmill.export.lines import Block
from factmill.export.pages import WikipediaPages
from factmill.names import ShardName
from factmill.templates import Template, catalogue

_COLUMNS = ("qa_id", "question", "answer", "subject", "subject_label", "wikipedia_title", "licence")
_SLOT_COLUMNS = (*_COLUMNS, "subject_name", "objects")
_SUBJECTS_A_BLOCK = 2_000

Row = dict[str, Any]


class KiltFormat:
    """How pairs become KILT's records."""

    name = "kilt"
    beside: Sequence[str] = ()

    def __init__(self, pages: WikipediaPages, *, slots: bool = False) -> None:
        self._pages = pages
        self._slots = slots
        self._n_with_provenance = 0

    def blocks(self, pairs: ChosenPairs, shard: ShardName) -> Iterator[Block]:
        """Yield the lines of a shard."""
        if not self._slots:
            for batch in pairs.batches(shard, _COLUMNS):
                records = [_question(row, shard) for row in batch.to_pylist()]
                yield Block(len(batch), [self._lines(records, batch["wikipedia_title"].to_pylist())])
            return
        relation, reason = self._relation(shard)
        if reason:
            pairs.leave_out_all(shard, reason)
            return
        found = _subjects(pairs, shard)
        while subjects := list(islice(found, _SUBJECTS_A_BLOCK)):
            records = [_slot(rows, shard, relation) for rows in subjects]
            titles = [rows[0]["wikipedia_title"] for rows in subjects]
            yield Block(sum(map(len, subjects)), [self._lines(records, titles)])

    def figures(self) -> Mapping[str, int]:
        """Return how many records name a page."""
        return {"with provenance": self._n_with_provenance}

    def origin(self) -> Mapping[str, Any]:
        """Return what else shaped the lines."""
        return {"slots": self._slots, "wikipedia_pages_sha256": self._pages.sha256}

    def _lines(self, records: Sequence[Row], titles: Sequence[str | None]) -> list[str]:
        ids = self._pages.ids(titles)
        for record, title in zip(records, titles, strict=True):
            if title in ids:
                record["output"][0]["provenance"] = [{"wikipedia_id": ids[title], "title": title}]
                self._n_with_provenance += 1
        return [json.dumps(record) + "\n" for record in records]

    def _relation(self, shard: ShardName) -> tuple[str, str]:
        """Return what a shard's relation is called, or why its pairs are no slots."""
        template = self._templates.get(shard)
        if template is None:
            return "", "no template of the project says what their relation is called"
        if template.matter.inverse:
            return "", "they ask for the subject of the relation"
        if template.key_variables:
            return "", "their questions name more than the subject"
        return template.matter.label, ""

    @cached_property
    def _templates(self) -> dict[ShardName, Template]:
        return catalogue()


def _question(row: Row, shard: ShardName) -> Row:
    return {
        "id": row["qa_id"],
        "input": row["question"],
        "output": _output(row["answer"]),
        "meta": {"shard": str(shard), "licence": row["licence"]},
    }


def _subjects(pairs: ChosenPairs, shard: ShardName) -> Iterator[list[Row]]:
    """Yield the pairs about one subject after the other."""
    batches = pairs.batches(shard, _SLOT_COLUMNS, by=("subject", "qa_id"))
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, group in groupby(rows, key=lambda row: row["subject"]):
        yield list(group)


def _slot(rows: Sequence[Row], shard: ShardName, relation: str) -> Row:
    """Return one record for all the wordings about a subject.

    A name that another subject has, too, brings its answers with it, so the pair with the fewest objects counts.
    """
    best = min(rows, key=lambda row: len(row["objects"]))
    label = best["subject_label"]
    return {
        "id": f"{shard}/{best['subject']}",
        "input": f"{label} [SEP] {relation}",
        "output": _output(best["answer"]),
        "meta": {
            "template_questions": [row["question"] for row in rows],
            "subj_aliases": sorted({row["subject_name"] for row in rows} - {label}),
            "shard": str(shard),
            "licence": best["licence"],
        },
    }


def _output(answers: Sequence[str]) -> list[Row]:
    return [{"answer": answer} for answer in answers]
