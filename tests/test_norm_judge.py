"""The judge says as what each prediction is right."""

import gzip
from pathlib import Path

import pytest

from factmill.home import Home
from factmill.names import ShardName
from factmill.scoring.norm import Part, open_judge
from factmill.stage import stage_dbpedia_files, stage_imdb
from tests.imdb_folders import credit, write_folder
from tests.norm_stage import norm_home

RESOURCE, ONTOLOGY = "http://dbpedia.org/resource/", "http://dbpedia.org/ontology/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def test_every_prediction_gets_its_part_and_what_is_missing_is_wrong(home: Home, tmp_path: Path) -> None:
    judge = open_judge(norm_home(home, tmp_path))
    questions = ["who wrote oliver twist", "when was it", "how many are there", "what is it", "who is it"]
    gold = [["Charles Dickens"], ["1970"], ["6"], ["a thing", "Boz"], []]
    predictions = [
        ["The Charles Dickens!", "Boz", "1970"],
        ["1970", "April 1970", "1971", "Boz"],
        ["six", "6"],
        ["thing", "Charles Dickens"],
        [],
    ]
    accepted = judge.accepted(questions, gold)
    assert judge.mark(accepted, predictions).tolist() == [
        [Part.EXACT, Part.NAME, Part.WRONG, Part.WRONG],
        [Part.EXACT, Part.DATE, Part.WRONG, Part.WRONG],
        [Part.AMOUNT, Part.EXACT, Part.WRONG, Part.WRONG],
        [Part.EXACT, Part.WRONG, Part.WRONG, Part.WRONG],
        [Part.WRONG] * 4,
    ]


def test_nothing_is_right_where_nothing_is_asked() -> None:
    judge = open_judge()
    assert judge.accepted([], []) == []
    assert judge.mark([], []).shape == (0, 0)


def test_questions_and_answers_have_to_be_as_many(home: Home, tmp_path: Path) -> None:
    judge = open_judge(norm_home(home, tmp_path))
    with pytest.raises(ValueError, match="zip"):
        judge.accepted(["when was it"], [["1970"], ["1971"]])
    with pytest.raises(ValueError, match="zip"):
        judge.mark(judge.accepted(["when was it"], [["1970"]]), [])


def test_what_is_right_does_not_depend_on_the_other_questions(home: Home, tmp_path: Path) -> None:
    judge = open_judge(norm_home(home, tmp_path))
    questions = ["who plays in spider-man", "who wrote rubicon", "who was the sixth president", "when was it"]
    gold = [["Tom Holland"], ["Tom Holland"], ["John Quincy Adams"], ["1970"]]
    alone = [judge.accepted([question], [answers])[0] for question, answers in zip(questions, gold, strict=True)]
    assert judge.accepted(questions, gold) == alone
    assert judge.accepted(questions[::-1], gold[::-1]) == alone[::-1]
    assert open_judge(home).accepted(questions, gold) == alone


def _dbpedia(home: Home, folder: Path) -> None:
    lines = [
        f"<{RESOURCE}Jaws> <{ONTOLOGY}director> <{RESOURCE}Steven_Spielberg> .",
        f"<{RESOURCE}Jaws> <{RDF_TYPE}> <{ONTOLOGY}Film> .",
        f'<{RESOURCE}Jaws> <{LABEL}> "Jaws"@en .',
        f'<{RESOURCE}Jaws> <{ONTOLOGY}abstract> "Jaws the First is a film. It is long."@en .',
        f'<{RESOURCE}Steven_Spielberg> <{LABEL}> "Steven Spielberg"@en .',
        f'<{RESOURCE}Steven_Spielberg> <{ONTOLOGY}abstract> "Steven Allan Spielberg KBE is a director."@en .',
        f"<{RESOURCE}Hail_Band> <{ONTOLOGY}artist> <{RESOURCE}Nobody> .",
        f"<{RESOURCE}Hail_Band> <{RDF_TYPE}> <{ONTOLOGY}Band> .",
        f'<{RESOURCE}Hail_Band> <{LABEL}> "Hail Band"@en .',
        f'<{RESOURCE}Hail_Band> <{ONTOLOGY}abstract> "Hail Band Of Oslo was a band."@en .',
    ]
    path = folder / "films.nt.gz"
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    stage_dbpedia_files(home, [path], [ShardName("dbpedia", f"dbo:{name}") for name in ("director", "artist")], "en")


def test_names_of_dbpedia_are_accepted_by_types_and_facts(home: Home, tmp_path: Path) -> None:
    _dbpedia(home, tmp_path)
    accepted = open_judge(home).accepted(
        ["who directed jaws", "what did steven spielberg direct", "who is hail band"],
        [["Steven Spielberg"], ["Jaws"], ["Hail Band"]],
    )
    assert [sorted(one.names) for one in accepted] == [
        ["steven allan spielberg kbe", "steven spielberg", "steven spielberg director"],
        [],
        ["hail band", "hail band band", "hail band of oslo"],
    ]


def test_names_of_several_sources_are_accepted_together(home: Home, tmp_path: Path) -> None:
    _dbpedia(home, tmp_path)
    norm_home(home, tmp_path)
    people = ["nm1 Steven_Spielberg 1946", "nm2 Al_Pacino 1940"]
    titles = ["tt1 movie Jaws Jaws 0 1975", "tt2 movie Heat Heat 0 1995"]
    cast = [credit("tt1", 1, "nm1", "director"), credit("tt2", 1, "nm2", "actor", '["Vincent"]')]
    stage_imdb(home, write_folder(tmp_path / "imdb", cast, names=people, basics=titles), "en")
    judge = open_judge(home)
    accepted = judge.accepted(
        ["who directed jaws", "who wrote oliver twist", "who plays vincent in heat", "what did al pacino play in"],
        [["Steven Spielberg"], ["Charles Dickens"], ["actor Al Pacino"], ["Heat"]],
    )
    marks = judge.mark(accepted, [["Steven Allan Spielberg KBE"], ["Boz"], ["Al Pacino"], ["Heat 1995"]])
    assert marks[:, 0].tolist() == [Part.NAME, Part.NAME, Part.NAME, Part.WRONG]
