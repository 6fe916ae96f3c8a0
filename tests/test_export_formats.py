"""Every export of the demo's data and of hostile pairs keeps every rule of its readers."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.corpus import Corpus
from factmill.evaluate import evaluate
from factmill.export.chosen import Choice
from factmill.export.formats import FormatName, Options, export_corpus
from factmill.export.paq import paq_lines
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.questions import read_questions
from factmill.steps import index_corpus
from tests.export_homes import (
    BASE,
    DEMO,
    DEMO_SHARDS,
    HOSTILE_ANSWERS,
    HOSTILE_TEXTS,
    demo_home,
    hostile_home,
    pair,
    write_pairs,
)
from tests.format_rules import (
    check_hf,
    check_kilt,
    check_paq,
    check_paq_metadata,
    check_paq_retrieved,
    check_qampari,
    json_lines,
    normalised,
    qampari_scores,
)

ALL = Choice(include_noncommercial=True)
SONGS = ShardName("wikidata", "P175")
BOOKS = ShardName("wikidata", "P50", "inverse")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return demo_home(tmp_path_factory.mktemp("demo") / "home")


@pytest.fixture(scope="module")
def same_again(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return hostile_home(tmp_path_factory.mktemp("again") / "home")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return hostile_home(tmp_path_factory.mktemp("hostile") / "home")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Page ids of some titles of both homes."""
    titles = ["Juno_(film)", "schitt's Creek", "Billie Jean", *HOSTILE_TEXTS]
    rows = [{"wikipedia_title": title, "wikipedia_id": str(100 + n)} for n, title in enumerate(titles)]
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_paq_reads_the_demo_with_the_base_in_front_as_it_was(demo: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl.gz"
    base = [json.loads(line) for line in (DEMO / "base.jsonl").read_text(encoding="utf-8").splitlines()]
    exported = export_corpus(demo, out, "paq", ALL, Options(metadata=True))
    rows = check_paq(out, n_base=len(base))
    assert len(rows) == exported.n_pairs == exported.n_lines
    assert [(row["question"], row["answer"]) for row in rows[: len(base)]] == [
        (row["question"], row["answer"]) for row in base
    ]
    assert list(dict.fromkeys(row["shard"] for row in rows)) == [str(shard) for shard in (BASE, *DEMO_SHARDS)]
    metadata = check_paq_metadata(tmp_path / "out.metadata.jsonl.gz", rows)
    tags = {row["shard"].split("/")[0]: row["subsets"] for row in metadata}
    assert tags == {"paq": ["PAQ"], "dbpedia": ["DBP"], "imdb": ["IMDB"], "wikidata": ["WD"]}
    # Both forms can be imported again, and are the same questions.
    assert read_questions(out).questions == read_questions(tmp_path / "out.metadata.jsonl.gz").questions


def test_paq_reads_hostile_pairs_as_they_are(hostile: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    export_corpus(hostile, out, options=Options(metadata=True))
    rows = check_paq(out)
    check_paq_metadata(tmp_path / "out.metadata.jsonl", rows)
    corpus = Corpus(hostile).latest()
    held = [row for shard in corpus.shards() for row in corpus.rows(shard).to_pylist()]
    assert [(row["question"], row["answer"], row["qa_id"], row["licence"]) for row in rows] == [
        (row["question"], row["answer"], row["qa_id"], row["licence"]) for row in held
    ]


def test_a_line_of_metadata_says_all_that_is_known_of_a_pair(demo: Home, tmp_path: Path) -> None:
    export_corpus(demo, tmp_path / "out.jsonl", "paq", Choice((SONGS, BASE)), Options(metadata=True))
    base, *_, song = json_lines(tmp_path / "out.metadata.jsonl")
    assert set(base) == {"question", "subsets", "answer", "answers", "shard", "qa_id", "kind", "licence"}
    row = Corpus(demo).latest().rows(SONGS, qa_ids=[song["qa_id"]]).to_pylist()[0]
    ours = {name: row[name] for name in row if name in song and name not in ("answer", "as_of")}
    assert song == ours | {
        "answer": row["answer"][0],
        "subsets": ["WD"],
        "answers": [],
        "shard": "wikidata/P175",
        "as_of": row["as_of"].isoformat(),
    }
    assert {"subject", "subject_label", "objects", "template", "wording", "popularity", "places"} <= set(ours)


@given(st.lists(st.tuples(st.text(), st.lists(st.text(), min_size=1, max_size=3), st.none() | st.text())))
def test_a_line_is_what_json_writes(pairs: list[tuple[str, list[str], str | None]]) -> None:
    rows = [
        {"question": question, "answer": answer, "qa_id": f"{n:032x}", "licence": licence}
        for n, (question, answer, licence) in enumerate(pairs)
    ]
    keys = ("question", "answer", "qa_id", "licence")
    types = (pa.string(), pa.list_(pa.string()), pa.string(), pa.string())
    batch = pa.RecordBatch.from_pylist(rows, pa.schema(list(zip(keys, types, strict=True))))
    for start in range(2):
        assert paq_lines(batch.slice(start), SONGS) == [
            json.dumps({**{key: row[key] for key in keys[:3]}, "shard": "wikidata/P175", "licence": row["licence"]})
            + "\n"
            for row in rows[start:]
        ]


def test_paq_scores_what_was_retrieved(demo: Home, tmp_path: Path) -> None:
    list(index_corpus(demo, [BASE]))
    questions = tmp_path / "questions.jsonl"
    lines = (DEMO / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:20]
    questions.write_text("".join(lines), encoding="utf-8")
    evaluate(demo, read_questions(questions), [BASE], tmp_path / "retrieved.jsonl")
    check_paq_retrieved(tmp_path / "retrieved.jsonl", [json.loads(line) for line in lines], k=5)


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("where", ["demo", "hostile"])
@pytest.mark.parametrize("with_pages", [False, True])
def test_kilt_reads_questions_and_slots(
    request: pytest.FixtureRequest, pages: Path, tmp_path: Path, slots: bool, where: str, with_pages: bool
) -> None:
    out = tmp_path / "out.jsonl"
    options = Options(slots=slots, wikipedia_pages=pages if with_pages else None)
    exported = export_corpus(request.getfixturevalue(where), out, "kilt", ALL, options)
    rows = check_kilt(out)
    named = [row for row in rows if any("provenance" in output for output in row["output"])]
    assert exported.figures == {"with provenance": len(named)}
    assert bool(named) == with_pages
    assert all("provenance" not in output for row in rows for output in row["output"][1:])
    if slots:
        assert all(row["input"].count(" [SEP] ") == 1 for row in rows)


def test_slot_filling_has_one_record_a_subject_and_only_what_is_true_of_it(home: Home, tmp_path: Path) -> None:
    hello = {"subject": "Q1", "subject_label": "Hello", "wikipedia_title": "Hello"}
    write_pairs(
        home,
        [
            # Another song is called so, too: its singer is in the list.
            pair(SONGS, "who sings hello", ["Adele", "Lionel Richie"], objects=["Q8", "Q9"], **hello),
            pair(SONGS, "who sings hello by adele", ["Adele"], objects=["Q8"], **hello | {"subject_name": "Hallo"}),
            pair(SONGS, "who sings bad", ["Michael Jackson", "MJ"], subject="Q2", subject_label="Bad"),
            pair(BOOKS, "what did melville write", ["Moby-Dick"], kind="multi"),
            pair(ShardName("imdb", "plays_character_in"), "who plays x in y", ["z"]),
            pair(ShardName("wikidata", "P999999"), "who knows", ["nobody"]),
            pair(BASE, "who else", ["somebody"], objects=None, subject=None),
        ],
    )
    exported = export_corpus(home, tmp_path / "out.jsonl", "kilt", options=Options(slots=True))
    rows = check_kilt(tmp_path / "out.jsonl")
    first, second = sorted(rows, key=lambda row: row["id"])
    assert first == {
        "id": "wikidata/P175/Q1",
        "input": "Hello [SEP] performer",
        "output": [{"answer": "Adele"}],
        "meta": {
            "template_questions": first["meta"]["template_questions"],
            "subj_aliases": ["Hallo", "who sings hello"],
            "shard": "wikidata/P175",
            "licence": "CC0-1.0",
        },
    }
    assert sorted(first["meta"]["template_questions"]) == ["who sings hello", "who sings hello by adele"]
    assert (second["input"], second["output"]) == (
        "Bad [SEP] performer",
        [{"answer": "Michael Jackson"}, {"answer": "MJ"}],
    )
    assert (exported.n_pairs, exported.n_lines) == (3, 2)
    unnamed = "no template of the project says what their relation is called"
    assert [(str(left.shard), left.reason, left.n_pairs) for left in exported.left_out] == [
        ("imdb/plays_character_in", "their questions name more than the subject", 1),
        ("paq/base", unnamed, 1),
        ("wikidata/P50~inverse", "they ask for the subject of the relation", 1),
        ("wikidata/P999999", unnamed, 1),
    ]


@pytest.mark.parametrize("where", ["demo", "hostile"])
def test_qampari_reads_and_can_score_every_question(request: pytest.FixtureRequest, tmp_path: Path, where: str) -> None:
    home = request.getfixturevalue(where)
    export_corpus(home, tmp_path / "out.jsonl", "qampari", ALL, Options(split="dev"))
    rows = check_qampari(tmp_path / "out.jsonl")
    assert rows
    corpus = Corpus(home).latest()
    held = {row["qa_id"]: row for shard in corpus.shards() for row in corpus.rows(shard).to_pylist()}
    for row in rows:
        known = held[row["qa_id"]]
        names = [name for answer in row["answer_list"] for name in answer["aliases"]]
        assert names == [form for form in known["answer"] if form in names]
        assert len(row["answer_list"]) <= len(set(known["objects"]))
        if row["shard"].startswith("wikidata/"):
            assert row["qid"].split("__")[1:] == ["wikidata_simple", "dev"]


def test_answers_that_the_scorer_cannot_tell_apart_are_one(hostile: Home, tmp_path: Path) -> None:
    export_corpus(hostile, tmp_path / "out.jsonl", "qampari", Choice((BOOKS,)))
    held = Corpus(hostile).latest().rows(BOOKS).to_pylist()
    of_three = {tuple(row["answer"]): row["qa_id"] for row in held if len(row["objects"]) == 3}
    answers = {row["qa_id"]: [a["aliases"] for a in row["answer_list"]] for row in json_lines(tmp_path / "out.jsonl")}
    paris, articles, bands, padded = (answers[of_three[tuple(forms)]] for forms in HOSTILE_ANSWERS)
    assert paris == [["Paris", "paris", "PARIS"]]
    assert articles == [["The", "A"]]
    assert bands == [["The Band", "Band"], ["Cream"]]
    assert padded == [["  padded  "], ["x"]]


def test_questions_that_do_not_ask_for_all_or_have_too_few_answers_are_counted(home: Home, tmp_path: Path) -> None:
    write_pairs(
        home,
        [
            pair(BOOKS, "what did melville write", ["Moby-Dick", "Omoo"], objects=["Q1", "Q2"], kind="multi"),
            pair(BOOKS, "what did lee write", ["To Kill a Mockingbird"], objects=["Q3"], kind="multi"),
            pair(SONGS, "who sings hello", ["Adele"]),
        ],
    )
    exported = export_corpus(home, tmp_path / "out.jsonl", "qampari", options=Options(min_answers=2))
    assert [row["question_text"] for row in check_qampari(tmp_path / "out.jsonl")] == ["what did melville write"]
    assert [(str(left.shard), left.reason, left.n_pairs) for left in exported.left_out] == [
        ("wikidata/P175", "they ask for one answer, not for all", 1),
        ("wikidata/P50~inverse", "they have fewer than 2 answers", 1),
    ]


def test_a_question_of_qampari_in_full(home: Home, tmp_path: Path) -> None:
    melville = {"subject": "Q4985", "subject_label": "Herman Melville", "subject_name": "Melville"}
    answer = ["Moby-Dick", "Omoo", "The Whale"]
    row = pair(BOOKS, "what did melville write", answer, objects=["Q1", "Q2"], kind="multi", places=["0+1"], **melville)
    write_pairs(home, [row])
    export_corpus(home, tmp_path / "out.jsonl", "qampari")
    assert json_lines(tmp_path / "out.jsonl") == [
        {
            "qid": "0__wikidata_simple__train",
            "question_text": "what did melville write",
            "entities": [
                {
                    "entity_text": "Herman Melville",
                    "aliases": ["Herman Melville", "Melville"],
                    "entity_id": "Q4985",
                    "entity_url": "https://www.wikidata.org/wiki/Q4985",
                }
            ],
            "answer_list": [
                {"answer_text": name, "aliases": [name], "aid": f"0__wikidata_simple__train__{n}", "proof": []}
                for n, name in enumerate(["Moby-Dick", "Omoo"])
            ],
            "qa_id": row["qa_id"],
            "shard": "wikidata/P50~inverse",
            "licence": "CC0-1.0",
            "places": ["0+1"],
        }
    ]


@pytest.mark.parametrize("where", ["demo", "hostile"])
def test_a_data_card_has_a_configuration_a_source_with_all_its_pairs(
    request: pytest.FixtureRequest, tmp_path: Path, where: str
) -> None:
    home = request.getfixturevalue(where)
    exported = export_corpus(home, tmp_path / "out", "hf", ALL)
    corpus = Corpus(home).latest()
    files = check_hf(tmp_path / "out")
    assert set(files) == {shard.source for shard in corpus.shards()}
    read = pa.concat_tables(pq.read_table(file, partitioning=None) for some in files.values() for file in some)
    assert read.schema == PAIR_SCHEMA
    held = pa.concat_tables(corpus.rows(shard, PAIR_SCHEMA.names) for shard in corpus.shards())
    assert read.sort_by("qa_id").equals(held.sort_by("qa_id"))
    assert exported.n_pairs == len(read)
    for source, some in files.items():
        assert {value for file in some for value in pq.read_table(file)["source"].to_pylist()} == {source}
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert ("Do not publish this data set" in text) == (where == "demo")
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in tables} == {3, 6}


def test_the_non_commercial_source_has_no_configuration_unless_asked_for(demo: Home, tmp_path: Path) -> None:
    exported = export_corpus(demo, tmp_path / "out", "hf")
    assert set(check_hf(tmp_path / "out")) == {"paq", "dbpedia", "wikidata"}
    assert not list((tmp_path / "out").rglob("*imdb*"))
    assert {left.shard.source for left in exported.left_out} == {"imdb"}
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert 'license: ["cc-by-sa-3.0", "cc0-1.0"]' in text
    assert "Do not publish" not in text


def test_a_large_shard_of_a_data_set_is_several_files(
    demo: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmill.export.hf._ROWS_A_GROUP", 50)
    monkeypatch.setattr("factmill.export.hf._GROUPS_A_FILE", 2)
    export_corpus(demo, tmp_path / "out", "hf", Choice((BASE,)))
    files = check_hf(tmp_path / "out")["paq"]
    assert [(file.name, pq.read_metadata(file).num_rows) for file in files] == [
        ("base-00000.parquet", 100),
        ("base-00001.parquet", 100),
        ("base-00002.parquet", 100),
        ("base-00003.parquet", 5),
    ]
    ordinals = [n for file in files for n in pq.read_table(file)["ordinal"].to_pylist()]
    assert ordinals == list(range(305))


@pytest.mark.parametrize(
    ("form", "name"),
    [("paq", "x.jsonl"), ("paq", "x.jsonl.gz"), ("kilt", "x.jsonl.gz"), ("qampari", "x.jsonl"), ("hf", "x")],
)
def test_equal_pairs_make_equal_files(
    demo: Home, hostile: Home, same_again: Home, tmp_path: Path, pages: Path, form: FormatName, name: str
) -> None:
    """Manifests and all; from one home twice, and from two that were filled apart."""
    options = {"paq": Options(metadata=True), "kilt": Options(wikipedia_pages=pages)}.get(form, Options())
    written = []
    for number, home in enumerate((demo, demo, hostile, same_again)):
        folder = tmp_path / str(number)
        folder.mkdir()
        export_corpus(home, folder / name, form, ALL, options)
        written.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert written[0] == written[1]
    assert written[2] == written[3]


def test_the_scorer_shows_what_the_rules_are_for() -> None:
    """The traps that the exports avoid, so that the checks above could fail."""
    alone = [{"answer_text": "Paris", "aliases": ["City of Light"]}]
    assert qampari_scores({"answer_list": alone}, ["Paris"]) == (0.0, 0.0)
    shared = [{"answer_text": text, "aliases": [text, "Bush"]} for text in ("G. W. Bush", "G. H. W. Bush")]
    assert qampari_scores({"answer_list": shared}, ["Bush"]) == (1.0, 0.5)
    twice = [{"answer_text": text, "aliases": [text]} for text in ("Paris", "paris")]
    assert qampari_scores({"answer_list": twice}, ["Paris", "paris"])[1] == 0.5
    assert normalised("The U.S.A.") == "usa"
