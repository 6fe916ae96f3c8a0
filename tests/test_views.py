import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from factmill.ablation.experiment import make_experiment
from factmill.ablation.run import run_experiment
from factmill.corpus import Corpus
from factmill.cures import Cure, save_cures
from factmill.errors import ConfigError
from factmill.evaluate import evaluate
from factmill.facts import IdSpace
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet, read_questions
from factmill.search import Retriever
from factmill.stage import stage_wikidata
from factmill.steps import augment, index_corpus
from factmill.templates import read_template
from factmill.view_rows import rows_in_view, update_views
from factmill.views import add_view, drop_view, find_view, is_oracle, questions_of, read_views
from factmill.warehouse import Warehouse
from tests.conftest import Outcome
from tests.dumps import ALIAS, fact, name, write_dump
from tests.pairs import ORIGIN, shard_rows

SONGS = ShardName("wikidata", "P175")
BASE = ShardName("paq", "base")
SINGERS = {
    "Hello": ("Adele", 9),
    "Thriller": ("Michael Jackson", 5),
    "Imagine": ("John Lennon", 3),
    "Vogue": ("Madonna", 1),
}

Factmill = Callable[..., Outcome]


def _questions(path: Path, questions: Sequence[str]) -> Path:
    path.write_text("".join(json.dumps({"question": one, "answer": ["x"]}) + "\n" for one in questions))
    return path


def _set(tmp_path: Path, *questions: str) -> QuestionSet:
    return read_questions(_questions(tmp_path / "asked.jsonl", questions))


@pytest.fixture
def songs(home: Home, tmp_path: Path) -> Home:
    """Four songs, by singers that other facts point to more or less often; pairs of them and of a base."""
    lines, number = [name("Q7366", "song"), name("Q1", "Hello from the Other Side", role=ALIAS)], 1_000
    for n, (song, (singer, fame)) in enumerate(SINGERS.items(), 1):
        lines += [name(f"Q{n}", song), name(f"Q{n + 100}", singer)]
        lines += [fact(f"Q{n}", "P31", "Q7366"), fact(f"Q{n}", "P175", f"Q{n + 100}")]
        for _ in range(fame):
            number += 1
            lines.append(fact(f"Q{number}", "P155", f"Q{n}"))
    dump = write_dump(tmp_path / "songs.nt.gz", lines)
    stage_wikidata(home, dump, "en")
    augment(home, read_template(_template(tmp_path)))
    Corpus(home).write(BASE, shard_rows(BASE, {"who sings it": "Nobody", "who sings hello": "Lionel Richie"}), ORIGIN)
    return home


def _template(tmp_path: Path) -> Path:
    path = tmp_path / "songs.j2"
    path.write_text(
        '+++\npredicate = "wikidata/P175"\nlabel = "performer"\naliases = true\n+++\nwho sings {{ subject }}\n'
    )
    return path


def _held(home: Home, view: str) -> list[str]:
    corpus = Corpus(home).latest()
    mask = rows_in_view(home, corpus, SONGS, find_view(home, view))
    questions = corpus.rows(SONGS, ("question",))["question"].to_pylist()
    return sorted(question for question, is_in in zip(questions, mask.tolist(), strict=True) if is_in)


def test_each_kind_of_view_holds_what_it_says(songs: Home, tmp_path: Path) -> None:
    asked = _set(tmp_path, "who sang hello by adele", "when did imagine come out")
    add_view(songs, "linked", "linked", sets=[asked])
    add_view(songs, "known", "popular", least_popularity=6)
    add_view(songs, "labels", "labels")
    add_view(songs, "learned", "learned", sets=[asked], kept_share=1)
    (viewed,) = update_views(songs)
    other_side = "who sings hello from the other side"
    assert _held(songs, "linked") == ["who sings hello", other_side, "who sings imagine"]
    assert _held(songs, "known") == ["who sings hello", other_side, "who sings thriller"]
    assert _held(songs, "labels") == [f"who sings {name}" for name in ("hello", "imagine", "thriller", "vogue")]
    assert set(_held(songs, "learned")) >= set(_held(songs, "linked"))
    assert (viewed.n_pairs, viewed.n_in["linked"], viewed.n_in["known"], viewed.n_in["labels"]) == (5, 3, 3, 4)


def test_views_cost_no_version_and_no_second_index(songs: Home) -> None:
    list(index_corpus(songs))
    version = Corpus(songs).latest().number
    for n in range(3):
        add_view(songs, f"known-{n}", "popular", least_popularity=n)
    assert [one.is_new for one in update_views(songs)] == [True]
    assert [one.is_new for one in update_views(songs)] == [False]
    assert Corpus(songs).latest().number == version
    assert [one.was_built for one in index_corpus(songs)] == [False, False]
    files = list((songs.views / "rows").rglob("*.npy"))
    assert len(files) == 3
    drop_view(songs, "known-1")
    list(update_views(songs))
    assert len(list((songs.views / "rows").rglob("*.npy"))) == 2


def test_a_search_in_a_view_leaves_the_other_pairs_out_and_the_base_in(songs: Home) -> None:
    list(index_corpus(songs))
    add_view(songs, "known", "popular", least_popularity=6)
    list(update_views(songs))
    everything = Retriever(songs).ask(["who sings vogue"], 9)[0]
    narrowed = Retriever(songs, view="known").ask(["who sings vogue"], 9)[0]
    held = {*_held(songs, "known"), "who sings it", "who sings hello"}
    expected = [(r.question, r.score) for r in everything if r.question in held]
    assert [(r.question, r.score) for r in narrowed] == expected
    assert len(everything) == 6 > len(narrowed) == 4
    assert Retriever(songs, view="known").n_rows(SONGS) == 3
    assert Retriever(songs, view="known").n_rows(BASE) == 2


def test_a_shard_that_is_milled_again_has_its_views(songs: Home, tmp_path: Path) -> None:
    add_view(songs, "known", "popular", least_popularity=6)
    list(update_views(songs))
    template = _template(tmp_path)
    template.write_text(template.read_text() + "{{ subject }} singer\n")
    augment(songs, read_template(template))
    assert len(_held(songs, "known")) == 6
    assert len(list((songs.views / "rows").rglob("*.npy"))) == 1, "what was of the old pairs is gone"


def test_a_view_that_is_not_computed_is_no_empty_one(songs: Home, tmp_path: Path) -> None:
    list(index_corpus(songs))
    add_view(songs, "known", "popular", least_popularity=6)
    with pytest.raises(ConfigError, match=r"known is not computed for wikidata/P175\. Run `factmill views update`"):
        Retriever(songs, view="known")
    list(update_views(songs))
    (file,) = (songs.views / "rows").rglob("*.npy")
    file.write_bytes(file.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ConfigError, match="is not computed"):
        Retriever(songs, view="known")
    list(update_views(songs))
    assert Retriever(songs, view="known").n_rows(SONGS) == 3


def test_a_view_that_has_seen_the_questions_is_an_oracle(songs: Home, tmp_path: Path) -> None:
    list(index_corpus(songs))
    seen = _set(tmp_path, "Who sang Hello by Adele?", "when did imagine come out")
    add_view(songs, "linked", "linked", sets=[seen])
    add_view(songs, "labels", "labels")
    list(update_views(songs))
    view = find_view(songs, "linked")
    assert questions_of(songs, view) == ["when did imagine come out", "who sang hello by adele"]
    assert is_oracle(songs, view, ["who  sang hello by adele"])
    assert not is_oracle(songs, view, ["who sang thriller"])
    other = read_questions(_questions(tmp_path / "other.jsonl", ["who sang thriller"]))
    assert [evaluate(songs, one, view="linked").evaluation.is_oracle for one in (seen, other)] == [True, False]
    assert not evaluate(songs, seen, view="labels").evaluation.is_oracle
    (songs.views / "linked.questions.json").write_text("[]")
    with pytest.raises(ConfigError, match="is not what the view linked was made from"):
        is_oracle(songs, view, ["who sang thriller"])


def test_an_ablation_compares_a_shard_with_views_of_it(songs: Home, tmp_path: Path) -> None:
    list(index_corpus(songs))
    seen = tmp_path / "sung.jsonl"
    seen.write_text('{"question": "who sang vogue", "answer": ["Madonna"]}\n')
    add_view(songs, "known", "popular", least_popularity=6)
    add_view(songs, "linked", "linked", sets=[read_questions(seen)])
    list(update_views(songs))
    options = {"questions": [seen], "by": "predicate", "views": ["full", "known", "linked"]}
    (table,) = run_experiment(songs, make_experiment(options=options)).tables
    found = [(row["corpus"], row["pairs added"], row["EM-1"]) for row in table.rows()]
    assert found == [
        ("base", 0, 0.0),
        ("+ wikidata/P175", 5, 100.0),
        ("+ wikidata/P175 (known)", 3, 0.0),
        ("+ wikidata/P175 (linked) (oracle)", 1, 100.0),
    ]
    for variant, view in zip(table.variants[1:], (None, "known", "linked"), strict=True):
        direct = evaluate(songs, read_questions(seen), view=view).evaluation
        assert (variant.at(1).em, variant.at(5).em) == (direct.em(1), direct.em(5))
    by_source = run_experiment(songs, make_experiment(options=options | {"by": "source"})).tables[0]
    assert [variant.name for variant in by_source.variants] == [
        "base",
        "+ wikidata",
        "+ wikidata (known)",
        "+ wikidata (linked)",
    ]


def test_a_view_that_cures_a_shard_narrows_every_search_of_it(songs: Home) -> None:
    list(index_corpus(songs))
    add_view(songs, "known", "popular", least_popularity=6)
    add_view(songs, "labels", "labels")
    list(update_views(songs))
    save_cures(songs, Retriever(songs).encoder, {SONGS: Cure(view="known")})
    assert Retriever(songs).n_rows(SONGS) == 3
    assert Retriever(songs, cured=False).n_rows(SONGS) == 5
    # One that is known has a second name: a view on top of the cure narrows further.
    assert Retriever(songs, view="labels").n_rows(SONGS) == Retriever(songs).in_view("labels").n_rows(SONGS) == 2
    found = Retriever(songs).ask(["who sings vogue"], 9)[0]
    assert "who sings vogue" not in [result.question for result in found]


@pytest.mark.parametrize("odd", ["full", "Known", "a b", "../etc", "x" * 50, ""])
def test_a_name_that_cannot_be_a_view_is_refused(home: Home, odd: str) -> None:
    with pytest.raises(ConfigError, match=r"cannot be a view|is a view"):
        add_view(home, odd, "labels")
    assert read_views(home) == ()


def test_views_have_names_and_bits_of_their_own(home: Home) -> None:
    bits = [add_view(home, f"known-{n}", "popular", least_popularity=n).bit for n in range(3)]
    assert bits == [0, 1, 2]
    with pytest.raises(ConfigError, match="there is a view 'known-1' already"):
        add_view(home, "known-1", "labels")
    drop_view(home, "known-1")
    assert add_view(home, "labels", "labels").bit == 1
    with pytest.raises(ConfigError, match=r"there is no view 'nobody'\. There are: known-0, known-2, labels"):
        find_view(home, "nobody")
    (home.views / "views.json").write_text("{")
    with pytest.raises(ConfigError, match=r"views\.json cannot be read"):
        read_views(home)


@pytest.fixture
def db(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.use_ids(IdSpace.WIKIDATA)
    return warehouse


def test_the_learned_limit_follows_popularity_and_types(db: Warehouse) -> None:
    """Of 40 people and 40 towns the famous people are mentioned, but for one; an unknown person and a town are not."""
    numbers = list(range(80))
    entities = {
        "id": numbers,
        "types": [["person" if n < 40 else "town"] for n in numbers],
        "popularity": [500 if n % 2 else 1 for n in numbers],
    }
    db.load("entities", pa.table(entities))
    db.load("facts", pa.table({"subject": numbers}))
    db.load("mentioned", pa.table({"id": list(range(3, 40, 2))}))
    db.run("learned_subjects", kept_share=0.9, smoothing=1.0)
    held = {int(text.removeprefix("Q")) for (text,) in db.rows("learned_subjects")}
    assert held == set(range(1, 40, 2))


def test_views_from_the_command_line(factmill: Factmill, songs: Home, tmp_path: Path) -> None:
    asked = _questions(tmp_path / "asked.jsonl", ["who sang hello by adele"])
    at = ("--home", songs.root)
    assert "There is no view" in factmill("views", "list", *at).out
    added = factmill("views", "add", "linked", "--linked-to", asked, *at).out.splitlines()
    assert added[0] == "linked: subjects that asked.jsonl mentions."
    assert added[1].split() == ["shard", "pairs", "linked"]
    assert [line.split() for line in added[3:5]] == [["wikidata/P175", "5", "2"], ["all", "5", "2"]]
    (told,) = json.loads(factmill("views", "list", "--json", *at).out)
    assert (told["name"], told["kind"], told["questions"]) == ("linked", "linked", ["asked.jsonl"])
    assert factmill("views", "add", "two", "--labels", "--popular", "3", *at).status == 2
    assert factmill("views", "add", "none", *at).status == 2
    factmill("index", *at)
    evaluated = factmill("evaluate", "--questions", asked, "--view", "linked", *at).out
    assert "It has seen these questions: an oracle" in evaluated
    assert "Only the view linked" in factmill("ablate", "--questions", asked, "--view", "linked", *at).out
    assert factmill("ask", "who sings vogue", "--view", "nothing", *at).err.startswith("Error: there is no view")
    assert factmill("views", "update", "paq/base", *at).err.startswith("Error: the corpus has no milled shard paq/base")
    assert "linked" not in factmill("views", "drop", "linked", *at).out
    assert read_views(songs) == ()


def test_a_question_set_that_mentions_nothing_staged_says_so(factmill: Factmill, songs: Home, tmp_path: Path) -> None:
    foreign = _questions(tmp_path / "fremd.jsonl", ["wer hat das geschrieben", "wo liegt das"])
    outcome = factmill("select", "--questions", foreign, "--home", songs.root)
    assert outcome.status == 1
    assert "none of the 2 questions mentions an entity that is staged from wikidata" in outcome.err
    assert "in the language of the staged names (en)" in outcome.err
    (tmp_path / "empty.jsonl").write_text("")
    assert (
        "empty.jsonl is empty" in factmill("select", "--questions", tmp_path / "empty.jsonl", "--home", songs.root).err
    )
    lacking = tmp_path / "lacking.jsonl"
    lacking.write_text('{"question": "who sang hello"}\n')
    assert "no answer" in factmill("select", "--questions", lacking, "--home", songs.root).err


def test_selection_counts_over_what_questions_mention(factmill: Factmill, songs: Home, tmp_path: Path) -> None:
    asked = _questions(tmp_path / "asked.jsonl", ["who sang hello by adele", "when did imagine come out"])
    rows = json.loads(factmill("select", "--questions", asked, "--json", "--home", songs.root).out)
    (row,) = [row for row in rows if row["shard"] == "wikidata/P175"]
    assert (row["n_linked_subjects"], row["linked_mean_answers"], row["linked_share"]) == (2, 1, 0.5)
    assert len(list(songs.links("wikidata").glob("*.parquet"))) == 1
