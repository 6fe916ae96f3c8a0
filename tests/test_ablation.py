import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from factmill.ablation.curing import treated
from factmill.ablation.experiment import make_experiment
from factmill.ablation.rankings import Searched
from factmill.ablation.result import Ablation, Part
from factmill.ablation.run import run_experiment
from factmill.corpus import Corpus
from factmill.cures import Cure, read_cures, save_cures
from factmill.errors import ConfigError
from factmill.evaluate import evaluate
from factmill.halves import is_for_tuning
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import read_questions
from factmill.ranking import merge
from factmill.search import Retriever
from factmill.steps import ablate, index_corpus
from tests.conftest import Outcome
from tests.pairs import ORIGIN, shard_rows

Factmill = Callable[..., Outcome]

BASE = ShardName("paq", "base")
SINGERS = ShardName("wikidata", "P175")
WRITERS = ShardName("wikidata", "P50")
JOBS = ShardName("wikidata", "P106")
ROLES = ShardName("imdb", "plays_character_in")

PAIRS = {
    BASE: {
        "who wrote the novel dune": "Frank Herbert",
        "what is the capital of france": "Paris",
        "occupation of marie curie": "physicist",
        "occupation of alan turing": "mathematician",
    },
    SINGERS: {"who sings hello": "Adele", "who sings thriller": "Michael Jackson"},
    WRITERS: {"who wrote emma": "Jane Austen", "who wrote the novel the dune": "Somebody Else"},
    JOBS: {"what does marie curie do": "chemist", "what does alan turing do": "runner"},
    ROLES: {"who plays batman in the dark knight": "Christian Bale"},
}
ASKED = {
    "who wrote the novel the dune": "Frank Herbert",
    "capital of france": "Paris",
    "what does marie curie do": "physicist",
    "what does alan turing do": "mathematician",
    "singer of hello": "Adele",
    "singer of thriller": "Michael Jackson",
    "emma was written by": "Jane Austen",
    "actor of batman in the dark knight": "Christian Bale",
}


@pytest.fixture
def filled(home: Home) -> Home:
    for shard, answers in PAIRS.items():
        Corpus(home).write(shard, shard_rows(shard, answers), ORIGIN)
    list(index_corpus(home))
    return home


def _file(path: Path, asked: Mapping[str, str]) -> Path:
    lines = [json.dumps({"question": question, "answer": [answer]}) for question, answer in asked.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return _file(tmp_path / "asked.jsonl", ASKED)


def _ablate(home: Home, **options: Any) -> Ablation:
    return run_experiment(home, make_experiment(options=options))


def _counts(result: Ablation, k: int, table: int = 0) -> dict[str, tuple[int, list[str], list[str]]]:
    """Return of each variant how many are right, and the questions gained and lost."""
    found = {}
    for variant in result.tables[table].variants:
        score = variant.at(k)
        gained, lost = (score.delta.gained, score.delta.lost) if score.delta else ([], [])
        told = [[variant.changes[number].question for number in numbers] for numbers in (gained, lost)]
        found[variant.name] = (score.n_right, told[0], told[1])
    return found


def test_each_predicate_is_put_on_top_of_the_base(filled: Home, asked: Path) -> None:
    result = _ablate(filled, questions=[asked], by="predicate")
    assert _counts(result, 1) == {
        "base": (4, [], []),
        "+ imdb/plays_character_in": (5, ["actor of batman in the dark knight"], []),
        "+ wikidata/P106": (2, [], ["what does marie curie do", "what does alan turing do"]),
        "+ wikidata/P175": (6, ["singer of hello", "singer of thriller"], []),
        "+ wikidata/P50": (4, ["emma was written by"], ["who wrote the novel the dune"]),
    }
    for variant in result.tables[0].variants:
        direct = evaluate(filled, read_questions(asked), [BASE, *(part.shard for part in variant.parts)]).evaluation
        assert (variant.at(1).em, variant.at(5).em) == (direct.em(1), direct.em(5))


def test_what_was_retrieved_is_told_of_changed_questions_only(filled: Home, asked: Path) -> None:
    (table,) = _ablate(filled, questions=[asked], by="predicate", k=[1]).tables
    jobs = next(variant for variant in table.variants if variant.parts == [Part(JOBS)])
    assert list(jobs.changes) == [2, 3]
    change = jobs.changes[2]
    assert [(pair.question, pair.answer, pair.shard) for pair in change.before] == [
        ("occupation of marie curie", "physicist", BASE)
    ]
    assert [(pair.question, pair.answer, pair.shard) for pair in change.after] == [
        ("what does marie curie do", "chemist", JOBS)
    ]
    assert (change.gold, change.displaced_by) == (["physicist"], change.after)


def test_leaving_a_shard_out_shows_what_it_spoils(filled: Home, asked: Path) -> None:
    result = _ablate(filled, questions=[asked], by="leave-one-out", k=[1])
    assert _counts(result, 1) == {
        "base + all": (5, [], []),
        "all but imdb/plays_character_in": (4, [], ["actor of batman in the dark knight"]),
        "all but wikidata/P106": (7, ["what does marie curie do", "what does alan turing do"], []),
        "all but wikidata/P175": (3, [], ["singer of hello", "singer of thriller"]),
        "all but wikidata/P50": (5, ["who wrote the novel the dune"], ["emma was written by"]),
    }
    jobs = next(variant for variant in result.tables[0].variants if variant.parts == [Part(JOBS)])
    assert [pair.shard for change in jobs.changes.values() for pair in change.displaced_by] == [JOBS, JOBS]
    row = result.tables[0].rows()[2]
    assert (row["corpus"], row["pairs left out"], row["EM-1 harmed"], row["EM-1 helped"]) == (
        "all but wikidata/P106",
        2,
        2,
        0,
    )


def test_leaving_a_source_out_leaves_all_its_shards_out(filled: Home, asked: Path) -> None:
    (table,) = _ablate(filled, questions=[asked], by="leave-one-source-out").tables
    found = {variant.name: variant.at(1).em for variant in table.variants}
    every = [BASE, SINGERS, WRITERS, JOBS, ROLES]
    direct = {
        "base + all": every,
        "all but imdb": [shard for shard in every if shard != ROLES],
        "all but wikidata": [BASE, ROLES],
    }
    assert found == {
        name: evaluate(filled, read_questions(asked), shards).evaluation.em(1) for name, shards in direct.items()
    }


def test_only_the_named_shards_and_sources_are_compared(filled: Home, asked: Path) -> None:
    (table,) = _ablate(filled, questions=[asked], by="predicate", shards=["imdb", "wikidata/P50"]).tables
    assert [variant.name for variant in table.variants] == ["base", "+ imdb/plays_character_in", "+ wikidata/P50"]
    for wrong in ("dbpedia", "wikidata/P1", "paq/base"):
        with pytest.raises(ConfigError, match=f"the corpus has no shard {wrong} beside the base"):
            _ablate(filled, questions=[asked], shards=[wrong])


def test_every_question_set_and_k_has_its_figures(filled: Home, asked: Path, tmp_path: Path) -> None:
    other = _file(tmp_path / "other.jsonl", {"singer of hello": "Adele"})
    result = _ablate(filled, questions=[asked, other], by="source", k=[1, 2, 7])
    assert [(table.questions, table.n_questions) for table in result.tables] == [("asked.jsonl", 8), ("other.jsonl", 1)]
    assert [score.k for score in result.tables[1].variants[0].scores] == [1, 2, 7]
    assert [variant.at(1).em for variant in result.tables[1].variants] == [0, 0, 100, 100]
    # As deep as there are pairs, everything that is known is found.
    assert [variant.at(7).em for variant in result.tables[0].variants][-1] == 100


def test_shards_that_gain_enough_are_chosen_and_measured_on_other_questions(filled: Home, tmp_path: Path) -> None:
    names = ["singer of hello", "emma was written by", "who wrote the novel the dune", "what does marie curie do"]
    dev = _file(tmp_path / "dev.jsonl", {name: ASKED[name] for name in names})
    test = _file(tmp_path / "test.jsonl", {name: answer for name, answer in ASKED.items() if name not in names[:3]})
    result = _ablate(filled, select_on=[dev], report_on=[test], by="predicate", k=[1], select_k=1, min_gain=25)
    assert result.selection is not None
    assert result.selection.chosen == [Part(SINGERS)]
    assert result.selection.n_shared_questions == 1
    assert [(table.title, table.questions) for table in result.tables] == [
        ("choosing", "dev.jsonl"),
        ("report", "test.jsonl"),
    ]
    assert _counts(result, 1, table=1) == {
        "base": (3, [], []),
        "+ wikidata/P175": (4, ["singer of thriller"], []),
    }
    lower = _ablate(filled, select_on=[dev], report_on=[test], by="predicate", k=[1], select_k=1, min_gain=0)
    assert lower.selection is not None
    assert lower.selection.chosen == [Part(ROLES), Part(SINGERS), Part(WRITERS)]
    assert list(_counts(lower, 1, table=1))[-1] == "+ chosen"
    by_source = _ablate(filled, select_on=[dev], report_on=[test], by="source", k=[1], select_k=1, min_gain=0)
    assert list(_counts(by_source, 1, table=1)) == ["base", "+ imdb", "+ wikidata", "+ chosen"]


def test_nothing_is_chosen_where_nothing_gains(filled: Home, tmp_path: Path) -> None:
    dev = _file(tmp_path / "dev.jsonl", {"capital of france": "Paris"})
    result = _ablate(filled, select_on=[dev], report_on=[dev], k=[1], select_k=1)
    assert result.selection is not None
    assert result.selection.chosen == []
    assert [variant.name for variant in result.tables[-1].variants] == ["base"]


def test_greedy_adds_what_gains_most_until_nothing_does(filled: Home, asked: Path, tmp_path: Path) -> None:
    again = ShardName("dbpedia", "dbo:artist")
    Corpus(filled).write(again, shard_rows(again, {"who sings hello": "Adele"}), ORIGIN)
    list(index_corpus(filled))
    test = _file(tmp_path / "test.jsonl", {"singer of thriller": "Michael Jackson", "capital of france": "Paris"})
    result = _ablate(filled, select_on=[asked], report_on=[test], greedy=True, k=[1], select_k=1)
    assert result.selection is not None
    # dbpedia knows nothing that was not chosen before; P50 gains as much as it loses.
    assert result.selection.chosen == [Part(SINGERS), Part(ROLES)]
    assert [(variant.name, variant.at(1).n_right) for variant in result.tables[0].variants] == [
        ("base", 4),
        ("+ wikidata/P175", 6),
        ("…+ imdb/plays_character_in", 7),
    ]
    assert [variant.at(1).em for variant in result.tables[1].variants] == [50, 100, 100]


def test_an_experiment_gives_the_same_again(filled: Home, asked: Path) -> None:
    first, again = (_ablate(filled, questions=[asked], by="predicate") for _ in range(2))
    assert first == again
    assert first.corpus_version == Corpus(filled).latest().number
    assert first.settings == {"word_weight": 0.2, "exact_rows": 1_000_000, "search_width": 64}


def test_a_file_and_options_build_the_same_experiment(tmp_path: Path) -> None:
    file = tmp_path / "table_4_4.toml"
    file.write_text('questions = ["nq.jsonl"]\nby = "predicate"\nviews = ["full", "known"]\nk = [1, 5, 50]\n')
    options = {"questions": [tmp_path / "nq.jsonl"], "by": "predicate", "views": ["full", "known"], "k": [1, 5, 50]}
    assert make_experiment(file) == make_experiment(options=options)
    assert make_experiment(file, {"by": "source", "k": None}).by == "source"
    assert make_experiment(file, {"questions": [Path("other.jsonl")]}).questions == (Path("other.jsonl"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('questions = ["q"]\nmin_gian = 1', r"e\.toml: has an unknown key 'min_gian'\. See docs/ablation\.md"),
        ('questions = ["q"]\nby = "predicates"', "has a wrong 'by': Input should be 'source', 'predicate'"),
        ('questions = ["q"]\nk = [5, 1]', "a k stands twice, or they are not in order"),
        ('questions = ["q"]\nk = []', "has a wrong 'k'"),
        ('questions = ["q"]\nviews = []', "has a wrong 'views'"),
        ('questions = ["q"]\nviews = ["full", "full"]', "a view stands twice"),
        ('questions = ["q"]\nbase = "paq"', "'paq' is not a shard name"),
        ('by = "source"', "name questions, or select_on and report_on"),
        ('select_on = ["q"]', "select_on and report_on go together"),
        ('questions = ["q"]\ngreedy = true', "greedy needs select_on"),
        ('select_on = ["q"]\nreport_on = ["q"]\nk = [1]', "select_k = 5 must be one of k"),
        ('select_on = ["q"]\nreport_on = ["q"]\nby = "leave-one-out"', "select_on goes with by = 'source'"),
        ('questions = ["q"]\nby = "leave-one-out"\nviews = ["full", "known"]', "takes one view"),
        ('questions = ["q"]\ncure = true', "cure goes with by = 'leave-one-out'"),
        ("questions = 7", "has a wrong 'questions'"),
        ("questions", "it is not valid TOML"),
        ("# \xff".encode("latin-1"), "it is not UTF-8"),
    ],
)
def test_a_fault_in_an_experiment_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    file = tmp_path / "e.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match=message):
        make_experiment(file)


def test_an_experiment_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: it cannot be read: No such file"):
        make_experiment(tmp_path / "none.toml")


def _many_jobs(home: Home, tmp_path: Path) -> Path:
    """Fill a home with jobs that the base knows better, and return questions about them."""
    people = [f"{first} {last}" for first in ("anna", "boris", "clara", "dmitri") for last in ("berg", "falk", "lind")]
    base = {f"the occupation of {name}": f"job {n}" for n, name in enumerate(people)}
    Corpus(home).write(BASE, shard_rows(BASE, base), ORIGIN)
    Corpus(home).write(JOBS, shard_rows(JOBS, {f"what does {name} do": "wrong" for name in people}), ORIGIN)
    Corpus(home).write(SINGERS, shard_rows(SINGERS, {"who sings hello": "Adele"}), ORIGIN)
    list(index_corpus(home))
    questions = {f"what does {name} do at work": f"job {n}" for n, name in enumerate(people)}
    return _file(tmp_path / "jobs.jsonl", questions | {"who is it who sings hello": "Adele"})


def test_a_cure_is_chosen_on_one_half_and_measured_on_the_other(home: Home, tmp_path: Path) -> None:
    questions = _many_jobs(home, tmp_path)
    options = {"questions": [questions], "by": "leave-one-out", "cure": True, "k": [1], "select_k": 1}
    result = _ablate(home, **options)
    assert result.curing is not None
    (curing,) = result.curing
    assert (curing.shard, curing.harmed_cured) == (JOBS, 0)
    assert curing.harmed > 0
    odd = [one for one in read_questions(questions).questions if not is_for_tuning(one)]
    assert [(table.title, table.n_questions) for table in result.tables] == [
        ("by leave-one-out", 13),
        ("cured", len(odd)),
    ]
    before, after = (variant.at(1) for variant in result.tables[1].variants)
    assert after.n_right == before.n_right + curing.harmed == len(odd)
    assert not (home.root / "cures").exists(), "nothing is kept unless told to"


def test_a_cure_that_is_kept_holds_for_every_search(home: Home, tmp_path: Path) -> None:
    questions = _many_jobs(home, tmp_path)
    before = evaluate(home, read_questions(questions)).evaluation.em(1)
    options = {"questions": [questions], "by": "leave-one-out", "cure": True, "k": [1], "select_k": 1}
    result, _ = ablate(home, make_experiment(options=options), save=True)
    after = evaluate(home, read_questions(questions)).evaluation.em(1)
    assert before < after == 100
    assert result.curing is not None
    (cure,) = result.curing
    assert read_cures(home, Retriever(home).encoder) == {JOBS: cure.cure}
    uncured = Retriever(home, cured=False).ask(["what does anna berg do at work"])[0][0]
    cured = Retriever(home).ask(["what does anna berg do at work"])[0][0]
    assert (uncured.answer, cured.answer) == ("wrong", "job 0")
    assert _ablate(home, questions=[questions]).cures == {JOBS: cure.cure}
    assert _ablate(home, **options).curing == result.curing, "cures are chosen as if there were none"


@pytest.mark.parametrize("cure", [Cure(offset=0.1), Cure(least_score=0.7), Cure(offset=0.05, least_score=0.6)])
def test_searching_cured_shards_together_is_merging_them(filled: Home, asked: Path, cure: Cure) -> None:
    save_cures(filled, Retriever(filled).encoder, {WRITERS: cure, BASE: cure})
    retriever, plain = Retriever(filled), Retriever(filled, cured=False)
    queries = retriever.encode(read_questions(asked).questions)
    together = retriever.search(queries, 7)
    merged = merge(list(retriever.search_each(queries, 7).values()), 7)
    assert (together.scores == merged.scores).all()
    found = {Part(shard): ranking for shard, ranking in plain.search_each(queries, 7).items()}
    searched = Searched(read_questions(asked), Part(BASE), found, 7)
    stored = treated(searched, {Part(WRITERS): cure, Part(BASE): cure}, retriever.steps)
    assert (stored.merged(part for part in found if part != Part(BASE)).scores == together.scores).all()
    assert (plain.search(queries, 7).scores != together.scores).any()


def test_cures_of_another_encoder_are_refused(filled: Home) -> None:
    encoder = Retriever(filled).encoder
    save_cures(filled, encoder, {WRITERS: Cure(offset=0.1)})
    path = filled.cures(encoder.name)
    path.write_text(path.read_text().replace(encoder.digest, "0" * 16))
    with pytest.raises(ConfigError, match="was made with another version of the encoder minilm"):
        Retriever(filled)
    path.write_text('{"encoder_digest": "0", "cures": {"wikidata/P50": {"offset": 7}}}')
    with pytest.raises(ConfigError, match=r"cannot be read\. Delete it"):
        Retriever(filled)


def test_the_table_fits_a_terminal_of_120_columns(
    factmill: Factmill, filled: Home, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    at = ("--home", filled.root)
    out = re.sub(r"\x1b\[[0-9;]*m", "", factmill("ablate", "--questions", asked, "--by", "predicate", *at).out)
    assert all(len(line) <= 120 or line.startswith("Report") for line in out.splitlines())
    assert "wikidata/P106" in out


def test_ablation_from_the_command_line(factmill: Factmill, filled: Home, asked: Path, tmp_path: Path) -> None:
    at = ("--home", filled.root)
    (tmp_path / "e.toml").write_text('questions = ["asked.jsonl"]\nby = "leave-one-out"\nk = [1]\n')
    lines = factmill("ablate", tmp_path / "e.toml", *at).out.splitlines()
    assert lines[0] == "asked.jsonl, by leave-one-out: 8 questions"
    (jobs,) = [line.split() for line in lines if line.startswith(" all but wikidata/P106")]
    assert jobs == ["all", "but", "wikidata/P106", "2", "87.50", "+25.00", "+0.00", "+62.50", "2", "0", "1"]
    assert any('what does marie curie do: "what does marie curie do" → chemist (wikidata/P106)' in one for one in lines)
    told = json.loads(factmill("ablate", tmp_path / "e.toml", "--by", "predicate", "--json", *at).out)
    assert told["experiment"]["by"] == "predicate"
    assert told["tables"][0]["variants"][2]["changes"]["2"]["after"][0]["answer"] == "chemist"
    chosen = factmill("ablate", "--select-on", asked, "--report-on", asked, "--min-gain", "20", "-k", "1", *at)
    assert "select_k = 5 must be one of k" in chosen.err
    chosen = factmill("ablate", "--select-on", asked, "--report-on", asked, "--min-gain", "20", "--select-k", "1", *at)
    assert "Chosen, each that gains 20 points of EM-1: wikidata/P175." in chosen.out
    assert "8 questions of the report took part in the choice." in chosen.out
    cured = factmill("ablate", tmp_path / "e.toml", "--cure", "--select-k", "1", *at)
    assert "Cures, chosen on the even half of the questions" in cured.out
    assert "nothing to save without --cure" in factmill("ablate", tmp_path / "e.toml", "--save", *at).err
    assert factmill("ablate", *at).err.startswith("Error: the experiment: name questions")
