"""QAMPARI's JSONL: questions whose answer is a whole list.

A pair holds its answers as one list: the names of all objects, best known first, then their other forms. How many
names there are follows from the objects, but not which name a further form belongs to. So an answer has only its name
for an alias, unless it is the only one. Names that are equal for the scorer are one answer: it could never find both.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from factmill.export.chosen import ChosenPairs
from factmill.export.lines import Block
from factmill.names import ShardName
from factmill.scoring.exact import normalise_answer

_COLUMNS = (
    "qa_id",
    "question",
    "answer",
    "objects",
    "kind",
    "subject",
    "subject_label",
    "subject_name",
    "places",
    "licence",
)
_TYPES = {"multi": "simple", "intersection": "intersection", "composition": "comp"}
_WIKIDATA = "https://www.wikidata.org/wiki/"


class QampariFormat:
    """How pairs become QAMPARI's questions."""

    name = "qampari"
    beside: Sequence[str] = ()

    def __init__(self, *, split: str = "train", min_answers: int = 1) -> None:
        self._split = split
        self._min_answers = min_answers
        self._n_questions = 0

    def blocks(self, pairs: ChosenPairs, shard: ShardName) -> Iterator[Block]:
        """Yield the lines of a shard."""
        for batch in pairs.batches(shard, _COLUMNS):
            asking_for_all = [row for row in batch.to_pylist() if row["kind"] in _TYPES and row["objects"]]
            pairs.leave_out(shard, "they ask for one answer, not for all", len(batch) - len(asking_for_all))
            lines = []
            for row in asking_for_all:
                answers = separate_answers(row["answer"], row["objects"])
                if len(answers) < self._min_answers:
                    pairs.leave_out(shard, f"they have fewer than {self._min_answers} answers", 1)
                else:
                    lines.append(json.dumps(self._question(row, answers, shard)) + "\n")
            if lines:
                yield Block(len(lines), [lines])

    def figures(self) -> Mapping[str, int]:
        """Return nothing: there is nothing else to count."""
        return {}

    def origin(self) -> Mapping[str, Any]:
        """Return what else shaped the lines."""
        return {"split": self._split, "min_answers": self._min_answers}

    def _question(self, row: Mapping[str, Any], answers: Sequence[Sequence[str]], shard: ShardName) -> dict[str, Any]:
        qid = f"{self._n_questions}__{shard.source}_{_TYPES[row['kind']]}__{self._split}"
        self._n_questions += 1
        return {
            "qid": qid,
            "question_text": row["question"],
            "entities": [_entity(row, shard)],
            # No passage was read, so there is nothing true to give as proof.
            "answer_list": [
                {"answer_text": forms[0], "aliases": list(forms), "aid": f"{qid}__{number}", "proof": []}
                for number, forms in enumerate(answers)
            ],
            "qa_id": row["qa_id"],
            "shard": str(shard),
            "licence": row["licence"],
            "places": row["places"],
        }


def separate_answers(forms: Sequence[str], objects: Sequence[str]) -> list[list[str]]:
    """Return the answers of a pair, each as the list of its names.

    >>> separate_answers(["Adele", "Lionel Richie", "Adele Adkins"], ["Q23215", "Q44857"])
    [['Adele'], ['Lionel Richie']]
    >>> separate_answers(["Adele", "Adele Adkins"], ["Q23215"])
    [['Adele', 'Adele Adkins']]
    >>> separate_answers(["The Band", "Band", "Cream"], ["Q1", "Q2", "Q3"])
    [['The Band', 'Band'], ['Cream']]
    """
    n_names = len(set(objects))
    if n_names == 1:
        return [list(forms)]
    answers: dict[str, list[str]] = {}
    for name in forms[:n_names]:
        answers.setdefault(normalise_answer(name), []).append(name)
    return list(answers.values())


def _entity(row: Mapping[str, Any], shard: ShardName) -> dict[str, Any]:
    """Return the subject of the question."""
    names = list(dict.fromkeys([row["subject_label"], row["subject_name"]]))
    entity = {"entity_text": names[0], "aliases": names, "entity_id": row["subject"]}
    return entity | ({"entity_url": _WIKIDATA + row["subject"]} if shard.source == "wikidata" else {})
