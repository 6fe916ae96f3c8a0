"""A qualifier as the answer: which character does a person play in a film."""

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.home import Home
from factmill.manifest import Stage
from factmill.names import PropertyId, ShardName
from factmill.selection import select_predicates
from factmill.stage import stage_imdb, stage_wikidata
from factmill.steps import Augmented, augment, plan_all, resolve_template
from factmill.templates import read_template, template_for
from tests.conftest import ROOT, Outcome
from tests.dumps import ENTITY, XSD, fact, name, write_dump

IMDB = ShardName("imdb", "plays_character_in", "inverse")
CAST = ShardName("wikidata", "P161", "inverse")
WHO, WHICH = "who does {{ object }} play in {{ subject }}", "which character does {{ object }} play in {{ subject }}"

TITLES = (
    "tconst\ttitleType\tprimaryTitle\toriginalTitle\tisAdult\tstartYear\n"
    "t1\tmovie\tSpy\tSpy\t0\t\\N\nt2\tmovie\tHeat\tHeat\t0\t\\N\n"
)
PEOPLE = "nconst\tprimaryName\tbirthYear\nn1\tPeter Sellers\t1925\nn2\tChris Evans\t1981\nn3\tChris Evans\t1966\n"
CREDITS = [
    ("t1", "n1", '["Muffley","Mandrake (voice)"]'),
    ("t1", "n2", '["Captain"]'),
    ("t1", "n3", '["Host"]'),
    ("t2", "n3", '["Chris Evans"]'),
]


@pytest.fixture
def films(home: Home, tmp_path: Path) -> Stage:
    """Peter Sellers plays two people in Spy; two persons called Chris Evans play one each."""
    rows = [f"{title}\t{n}\t{person}\tactor\t\\N\t{roles}\n" for n, (title, person, roles) in enumerate(CREDITS)]
    principals = "tconst\tordering\tnconst\tcategory\tjob\tcharacters\n" + "".join(rows)
    folder = tmp_path / "imdb"
    folder.mkdir()
    for file, text in {"title.basics": TITLES, "name.basics": PEOPLE, "title.principals": principals}.items():
        (folder / f"{file}.tsv").write_text(text, encoding="utf-8")
    return stage_imdb(home, folder, "en").stage


def _pairs(home: Home, template: str | Path) -> tuple[dict[str, dict[str, object]], Augmented]:
    """Mill a shard or a file of somebody's own; return the pairs by question."""
    from factmill.corpus import Corpus

    chosen = template_for(ShardName.parse(template)) if isinstance(template, str) else read_template(template)
    result = augment(home, chosen)
    rows = Corpus(home).latest().rows(chosen.shard).to_pylist()
    return {row["question"]: row for row in rows}, result


def _qa_id(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def test_the_characters_of_one_person_in_a_title_are_its_answers(home: Home, films: Stage) -> None:
    pairs, result = _pairs(home, str(IMDB))
    row = pairs["who does peter sellers play in spy"]
    assert (row["qa_id"], row["answer"], row["objects"], row["subject"], row["places"]) == (
        _qa_id(str(IMDB), WHO, "t1", "n1"),
        ["Mandrake", "Muffley"],
        ["Mandrake", "Muffley"],
        "t1",
        ["title.principals/t1/n1/0"] * 2,
    )
    assert pairs["which character does peter sellers play in spy"]["qa_id"] == _qa_id(str(IMDB), WHICH, "t1", "n1")
    assert (result.n_facts, result.n_keys) == (5, 4)
    assert result.refused == {"answer stands in the question": 3}


def test_two_persons_of_one_name_in_a_title_share_a_question_the_better_known_first(home: Home, films: Stage) -> None:
    pairs, result = _pairs(home, str(IMDB))
    row = pairs["who does chris evans play in spy"]
    # n3 has two credits.
    assert (row["answer"], row["qa_id"]) == (["Host", "Captain"], _qa_id(str(IMDB), WHO, "t1", "n3"))
    assert result.n_merged == 3
    assert len(pairs) == 6


def test_the_same_facts_are_asked_the_other_way_round_and_counted_per_person(home: Home, films: Stage) -> None:
    rows = {str(row.shard): row for row in select_predicates(home, "imdb")}
    assert {name: (row.n_facts, row.n_keys, row.max_answers) for name, row in rows.items()} == {
        "imdb/plays_character_in": (5, 5, 1),
        "imdb/plays_character_in~inverse": (5, 4, 2),
        "imdb/plays_character_in~title": (4, 3, 2),
    }
    pairs, _ = _pairs(home, "imdb/plays_character_in")
    assert pairs["who plays mandrake in spy"]["answer"] == ["Peter Sellers"]


def test_the_demo_has_previews_of_it(factmill: Callable[..., Outcome], home: Home) -> None:
    stage_imdb(home, ROOT / "demo" / "imdb", "en")
    outcome = factmill("templates", "preview", IMDB.source + "/" + IMDB.key, "-n", "1000", "--json")
    assert outcome.status == 0, outcome.err
    assert '"which character does jeff bridges play in the big lebowski"' in outcome.out


def _statement(key: str, value: str, *qualifiers: str) -> list[str]:
    prop, ontology = "http://www.wikidata.org/prop", "http://wikiba.se/ontology#"
    iri = f"<{ENTITY}statement/{key}>"
    return [
        f"<{ENTITY}{key.split('-')[0]}> <{prop}/P161> {iri} .",
        f"{iri} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{ontology}BestRank> .",
        f"{iri} <{prop}/statement/P161> <{ENTITY}{value}> .",
        *(f"{iri} <{prop}/qualifier/{qualifier} ." for qualifier in qualifiers),
    ]


@pytest.fixture
def heat(home: Home, tmp_path: Path) -> Stage:
    """Heat: Q2 plays Q3 and began on a day; Q4 plays somebody without a name; Q6 plays nobody; Q9 has no name."""
    names = {"Q1": "Heat", "Q2": "Al Pacino", "Q3": "Vincent Hanna", "Q4": "Robert De Niro", "Q6": "Somebody"}
    truthy = [name(item, text) for item, text in names.items()] + [fact("Q1", "P161", f"Q{n}") for n in (2, 4, 6, 9)]
    day = f'"1995-02-03T00:00:00Z"^^<{XSD}dateTime>'
    full = [
        *_statement("Q1-a", "Q2", f"P453> <{ENTITY}Q3>", f"P580> {day}"),
        *_statement("Q1-b", "Q4", f"P453> <{ENTITY}Q99>"),
        *_statement("Q1-c", "Q6", f"P580> {day}"),
        *_statement("Q1-d", "Q9", f"P453> <{ENTITY}Q3>"),
    ]
    second = tmp_path / "full.nt.gz"
    second.write_bytes(gzip.compress("".join(f"{line}\n" for line in full).encode(), mtime=0))
    dump = write_dump(tmp_path / "truthy.nt.gz", truthy)
    return stage_wikidata(home, dump, "en", second=second, qualified=[PropertyId(161)]).stage


def test_an_entity_answers_and_one_without_a_name_is_refused(home: Home, heat: Stage) -> None:
    assert CAST in plan_all(home, "wikidata").chosen
    pairs, result = _pairs(home, str(CAST))
    assert {question: (row["answer"], row["objects"]) for question, row in pairs.items()} == {
        "who does al pacino play in heat": (["Vincent Hanna"], ["Q3"]),
        "which character does al pacino play in heat": (["Vincent Hanna"], ["Q3"]),
    }
    assert result.n_facts == 3
    assert result.refused == {"the answer has no label": 1, "the object or a qualifier has no label": 1}


def test_a_qualifier_of_the_wording_stands_in_the_key_by_its_name(home: Home, heat: Stage, tmp_path: Path) -> None:
    """P453 comes before `object`; the answer is a date because the template says so."""
    wording = "when did {{ object }} become {{ character }} in {{ subject }}"
    matter = 'predicate = "wikidata/P161~start"\nlabel = "x"\nanswer = "P580"\nanswer_kinds = ["date"]'
    file = tmp_path / "P161.j2"
    file.write_text(f'+++\n{matter}\nqualifiers = {{ character = "P453" }}\n+++\n{wording}\n')
    pairs, result = _pairs(home, file)
    assert {question: (row["answer"], row["qa_id"]) for question, row in pairs.items()} == {
        "when did al pacino become vincent hanna in heat": (
            ["February 3, 1995", "3 February 1995"],
            _qa_id("wikidata/P161~start", wording, "Q1", "Q3", "Q2"),
        )
    }
    assert result.refused == {"a qualifier is missing or stands twice": 1}


def test_only_entities_may_be_asked_for(home: Home, heat: Stage, films: Stage, tmp_path: Path) -> None:
    file = tmp_path / "t.j2"
    matter = f'label = "x"\nanswer_kinds = ["entity"]\n+++\n{WHO}\n'
    file.write_text(f'+++\npredicate = "wikidata/P161~who"\nanswer = "P580"\n{matter}')
    assert _pairs(home, file)[1].refused == {"the value is of another kind": 2}
    file.write_text(f'+++\npredicate = "imdb/plays_character_in~who"\nanswer = "character"\n{matter}')
    assert _pairs(home, file)[1].refused == {"the value is of another kind": 5}


def test_the_real_statements_say_whom_somebody_plays(home: Home, shared: Path) -> None:
    folder = shared / "wikidata"
    second = folder / "statements_with_qualifiers.csv.gz"
    stage_wikidata(home, folder / "subset.truthy.nt.gz", "en", second=second, qualified=[PropertyId(161)])
    result = augment(home, resolve_template(CAST, None), dry_run=True)
    assert ("who does hugh laurie play in house", "Gregory House") in result.sample
