"""The figures of the selection against a slow and obvious count, on random stages in several buckets."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median_low
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill import selection_figures
from factmill.facts import IdSpace
from factmill.home import Home
from factmill.manifest import MANIFEST_FILE, Manifest, Stage
from factmill.selection import SelectedPredicate, select_predicates
from factmill.templates import Template, catalogue

PREDICATES = (161, 106, 175, 99_999)
"""Asked with qualifiers and for a qualifier, the other way round, as it is, and not at all."""
ENTITY_TYPES = [("label", pa.string())] + [(name, pa.int64()) for name in ("popularity", "n_statements", "in_degree")]
ENTITIES = pa.schema([("id", pa.int64()), *ENTITY_TYPES, ("sitelinks", pa.int64())])

Row = dict[str, Any]


def _random_facts(draw: random.Random) -> Iterator[Row]:
    for _ in range(draw.randrange(1, 60)):
        fact: Row = {"predicate": draw.choice(PREDICATES), "subject": draw.randrange(1, 12), "kind": "entity"}
        fact |= {"object": draw.randrange(1, 12), "place": {"member": 0, "offset": 0}}
        if draw.random() < 0.3:
            fact |= {"object": None, "value": draw.choice("abc"), "kind": "text"}
        said = [{"name": "P453", "object": draw.randrange(1, 12)}, {"name": "P1", "value": draw.choice("xy")}]
        plain = draw.random()
        if plain < 0.7:
            yield fact
        if plain > 0.4:
            yield fact | {"qualifiers": draw.sample(said, draw.randrange(1, 3))}


def _random_entity(draw: random.Random, number: int, *, sitelinks: float) -> Row:
    n = draw.randrange(5)
    label = draw.choice(["Ann", "ann", "Bob", "Cid", "Dee", "Eve", None])
    known = draw.randrange(9) if draw.random() < sitelinks else None
    return {"id": number, "label": label, "popularity": n + 3, "n_statements": n, "in_degree": 3, "sitelinks": known}


def _stage(home: Home, facts: Sequence[Row], entities: Sequence[Row]) -> None:
    folder = home.staged("wikidata") / "0"
    tables = {"facts": pa.Table.from_pylist(list(facts), schema=IdSpace.WIKIDATA.fact_schema())}
    tables["entities"] = pa.Table.from_pylist(list(entities), schema=ENTITIES)
    for name, table in tables.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / name / "0.parquet")
    told = {"source": "wikidata", "snapshot": "0", "ids": "wikidata", "input": "", "input_sha256": "", "lang": "en"}
    told |= {"licence": "", "machine": "", "staged_at": "2026-11-19T00:00:00Z"}
    numbers = ["input_bytes", "lines", "names", "qualified_facts", "qualified_lines", "facts", "entities", "seconds"]
    empty: Row = {"only": [], "qualified": [], "facts_by_kind": {}, "ignored": {}, "rejected": {}}
    absent = {"second_input": None, "as_of": None}
    manifest = Manifest.model_validate(told | dict.fromkeys(numbers, 0) | empty | absent)
    (folder / MANIFEST_FILE).write_text(manifest.model_dump_json())
    Stage(folder).make_current(home)


def _asked(fact: Row, template: Template | None) -> Iterator[tuple[int, tuple[Any, ...], Any]]:
    """Yield the subject, the rest of the question key and the answer of a fact, if it can be asked."""
    said = {one["name"]: (one.get("object"), one.get("value")) for one in fact.get("qualifiers") or []}
    said["object"] = said_object = (fact["object"], fact.get("value"))
    if template is None:
        yield fact["subject"], (), said_object
    elif template.matter.inverse:
        if fact["object"] is not None:
            yield fact["object"], (), (fact["subject"], None)
    elif all(name in said for name in (*template.key_variables, template.matter.answer or "object")):
        key = tuple(said[name] for name in template.key_variables)
        yield fact["subject"], key, said[template.matter.answer or "object"]


def _figures(facts: Sequence[Row], entities: dict[int, Row], template: Template | None, linked: set[int]) -> Row:
    asked = [one for fact in facts for one in _asked(fact, template)]
    answers: dict[Any, set[Any]] = defaultdict(set)
    for subject, key, answer in asked:
        answers[subject, key].add(answer)
    subjects = {subject for subject, _ in answers}
    labels = {one: (entities[one]["label"] or "").lower() for one in entities}
    named = [labels[one] for one in sorted(subjects) if labels[one]]
    counts = {key: len(found) for key, found in answers.items()}
    about_linked = [n for (subject, _), n in counts.items() if subject in linked]
    sitelinks = [entities[one]["sitelinks"] for one in subjects if entities[one]["sitelinks"] is not None]
    labelled = [
        bool(labels[subject] and (item is None or labels[item]))
        for (subject, _), found in answers.items()
        for item, _ in found
    ]
    by_sitelinks = len(sitelinks) * 2 > len(subjects)
    return {
        "n_facts": sum(counts.values()),
        "n_keys": len(counts),
        "n_subjects": len(subjects),
        "mean_answers": mean(counts.values()),
        "max_answers": max(counts.values()),
        "labelled_share": mean(labelled),
        "ambiguous_share": sum(named.count(one) > 1 for one in named) / max(1, len(named)),
        "popularity": median_low(sitelinks if by_sitelinks else [entities[one]["popularity"] for one in subjects]),
        "popularity_measure": "sitelinks" if by_sitelinks else "statements",
        "n_linked_subjects": len(subjects & linked) if linked else None,
        "linked_share": len(subjects & linked) / len(subjects) if linked else None,
        "n_linked_keys": len(about_linked) if linked else None,
        "linked_mean_answers": mean(about_linked) if about_linked else None,
        "linked_max_answers": max(about_linked, default=None),
    }


def _expected(facts: Sequence[Row], entities: dict[int, Row], linked: set[int]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for predicate in PREDICATES:
        mine = [fact for fact in facts if fact["predicate"] == predicate]
        templates: list[Template | None] = [
            one for shard, one in catalogue().items() if str(shard).split("~")[0] == f"wikidata/P{predicate}"
        ]
        for template in templates or [None]:
            if any(True for fact in mine for _ in _asked(fact, template)):
                shard = str(template.shard) if template else f"wikidata/P{predicate}"
                found[shard] = _figures(mine, entities, template, linked)
    return found


def _found(row: SelectedPredicate, names: Sequence[str]) -> Row:
    return {name: getattr(row, name) for name in names}


@pytest.mark.parametrize("seed", range(12))
def test_the_figures_are_those_of_a_slow_count(home: Home, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    draw = random.Random(seed)
    facts = list(_random_facts(draw))
    share = draw.choice([0, 0.4, 0.7, 1])
    entities = {number: _random_entity(draw, number, sitelinks=share) for number in range(1, 12)}
    linked = set(draw.sample(range(1, 40), draw.choice([0, 8])))
    _stage(home, facts, list(entities.values()))
    monkeypatch.setattr(selection_figures, "_FACTS_A_BUCKET", 5)
    table = pa.table({"id": pa.array(sorted(linked), pa.int64()), "n_questions": [1] * len(linked)})
    expected = _expected(facts, entities, linked)
    rows = {str(row.shard): row for row in select_predicates(home, "wikidata", linked=table)}
    assert sorted(rows) == sorted(expected)
    for shard, figures in expected.items():
        assert _found(rows[shard], list(figures)) == pytest.approx(figures), shard


def test_a_statement_with_its_character_twice_is_found_in_each_variant(home: Home, tmp_path: Path) -> None:
    place = {"member": 0, "offset": 0}
    fact: Row = {"predicate": 161, "subject": 1, "object": 2, "kind": "entity", "place": place}
    said = [{"name": "P453", "object": 3}]
    _stage(
        home, [fact, fact | {"qualifiers": said}], [_random_entity(random.Random(0), n, sitelinks=0) for n in (1, 2, 3)]
    )
    rows = {row.shard.variant: row for row in select_predicates(home, "wikidata", n_samples=1)}
    assert {variant: row.n_facts for variant, row in rows.items()} == {"": 1, "character": 1, "inverse": 1}
    assert [len(rows[variant].samples[0].names) for variant in ("", "character", "inverse")] == [1, 2, 2]
