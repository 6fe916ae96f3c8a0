"""The catalogue of templates: how much there is, what it covers, and that its wordings are ours."""

import gzip
import json
import os
import re
from collections import defaultdict
from pathlib import Path

from factmill.templates import Template, catalogue


def _words(wording: str) -> str:
    """Return a wording without case and punctuation, whatever its subject is called."""
    return " ".join(re.sub(r"[^\w ]+", " ", re.sub(r"\{\{.*?\}\}|\[X\]", " subject ", wording).lower()).split())


def _common_start(texts: list[str]) -> str:
    """Return what all texts begin with, character by character."""
    return os.path.commonprefix(texts)  # noqa: RUF071


def _predicates(source: str) -> dict[str, list[Template]]:
    found = defaultdict(list)
    for shard, template in catalogue().items():
        if shard.source == source:
            found[shard.predicate].append(template)
    return found


def _is_generic(template: Template, wording: str) -> bool:
    return _words(wording) == f"what is the {_words(template.matter.label)} of subject"


def test_the_catalogue_is_as_large_as_promised() -> None:
    assert len(_predicates("wikidata")) >= 120
    assert len(_predicates("dbpedia")) >= 30
    assert sum(shard.source == "imdb" for shard in catalogue()) >= 8
    rich = [one for one in catalogue().values() if sum(not _is_generic(one, text) for text in one.wordings) >= 3]
    assert len({(one.shard.source, one.shard.predicate) for one in rich}) >= 60


def test_every_template_has_an_example_and_a_wording_that_is_not_generic() -> None:
    for template in catalogue().values():
        assert template.matter.example is not None, template.path
        assert any(not _is_generic(template, wording) for wording in template.wordings), template.path


def test_every_property_that_the_questions_ask_for_has_a_template(shared: Path) -> None:
    asked = set()
    for name in ("simplequestions_wd_train", "popqa_A", "entityquestions_dev"):
        with gzip.open(shared / "questions" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            asked |= {json.loads(line)["property"] for line in lines}
    assert len(asked) > 90
    # SimpleQuestions writes R57 where the subject of P57 is asked for.
    assert {f"P{name[1:]}" for name in asked} <= set(_predicates("wikidata"))


def test_no_wording_is_one_of_popqas_or_entityquestions(shared: Path) -> None:
    theirs = json.loads((shared / "templates" / "entityquestions.json").read_text(encoding="utf-8")).values()
    by_property = defaultdict(list)
    with gzip.open(shared / "questions" / "popqa_A.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            by_property[row["property"]].append(row["question"].lower())
    # What all questions of a property begin and end with is the wording.
    known = {_words(str(text)) for text in theirs}
    for questions in by_property.values():
        if len(questions) > 2:
            begin, end = _common_start(questions), _common_start([question[::-1] for question in questions])[::-1]
            known.add(_words(f"{begin}[X]{end}"))
    assert len(known) >= 35
    ours = {_words(wording): one.name for one in catalogue().values() for wording in one.wordings}
    assert {ours[wording]: wording for wording in known & set(ours)} == {}
