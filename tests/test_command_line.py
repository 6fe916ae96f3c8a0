import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from factmill.cli.app import app
from factmill.corpus import Corpus
from factmill.home import Home
from factmill.names import ShardName
from tests.conftest import Outcome
from tests.dumps import SONGS, fact, name, write_dump

Factmill = Callable[..., Outcome]
HEAVY = ("prefect", "polars", "pyarrow", "duckdb", "onnxruntime", "faiss", "deltalake", "numpy")


def commands() -> list[tuple[str, ...]]:
    def walk(group: TyperGroup, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        found = []
        for text, command in sorted(group.commands.items()):
            found += walk(command, (*path, text)) if isinstance(command, TyperGroup) else [(*path, text)]
        return found

    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return walk(group, ())


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_has_an_example_in_its_help(factmill: Factmill, command: tuple[str, ...]) -> None:
    outcome = factmill(*command, "--help")
    assert outcome.status == 0
    assert f"Example: factmill {' '.join(command)}" in outcome.out


@pytest.mark.parametrize("words", [["--help"], ["templates", "list"], ["--version"]])
def test_help_and_lists_start_fast_and_import_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys; sys.argv = ['factmill', *sys.argv[1:]]\n"
        "from factmill.cli import main\n"
        "try: main()\n"
        f"finally: print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    seconds = []
    for _ in range(3):
        # Of the processor: how long it takes on the clock depends on what else runs.
        before = os.times()
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        after = os.times()
        seconds.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert done.stdout.splitlines()[-1] == "[]"
    assert min(seconds) < 1


def test_the_whole_path_from_a_dump_to_an_answer(factmill: Factmill, dump: Path) -> None:
    staged = factmill("stage", "wikidata", dump)
    assert staged.status == 0
    assert "Staged 10 facts about 10 entities from 22 lines" in staged.out
    assert "wikidata/P175" in factmill("select").out
    dry = factmill("augment", "wikidata/P175", "--dry-run")
    assert "3 pairs (3 added, 0 changed, 0 retired); would be written." in dry.out
    assert "who sings hello → Adele" in dry.out
    assert factmill("corpus", "log").out == "The corpus is empty.\n"
    written = factmill("augment", "--all")
    assert "wikidata/P175: 5 facts, 3 pairs (3 added, 0 changed, 0 retired); written as version" in written.out
    answer = factmill("ask", "what is the name of the singer of hello", "-k", "1", "--json")
    (hit,) = json.loads(answer.out)
    assert (hit["answer"], hit["shard"], hit["subject"]) == (
        ["Adele", "Lionel Richie", "Adele Adkins"],
        "wikidata/P175",
        "Q1",
    )
    again = factmill("augment", "--all")
    assert again.out.count("up to date") == 4
    assert "Indexed 0 pairs in 0 of 4 shards." in again.out
    log = json.loads(factmill("corpus", "log", "--json").out)
    assert [entry["operation"] for entry in log] == ["write"] * 4 + ["create"]


def test_a_dry_run_writes_nothing(factmill: Factmill, dump: Path, home: Home) -> None:
    factmill("stage", "wikidata", dump)
    before = sorted(path for path in home.root.rglob("*"))
    assert factmill("augment", "--all", "--dry-run").status == 0
    assert factmill("templates", "preview", "P175").status == 0
    assert sorted(path for path in home.root.rglob("*") if path.name != "warehouse") == [
        path for path in before if path.name != "warehouse"
    ]


def test_a_base_corpus_keeps_its_order_and_duplicates(factmill: Factmill, tmp_path: Path, home: Home) -> None:
    lines = [
        '\ufeff{"question": "who wrote carmen", "answer": ["Georges Bizet", "Bizet"]}',
        '{"question": "when was it", "answer": "1875", "subsets": ["L1"]}',
        '{"question": "who wrote carmen", "answer": ["Prosper Mérimée"]}',
        '{"question": "who wrote carmen"}',
        '{"question": "", "answer": ["x"]}',
        "[1]",
        "{not json",
        '{"question": "half", "answer": ["\\ud800"]}',
        '{"question": "who wrote carmen", "answer": ["Georges Bizet", "Bizet"]}',
    ]
    file = tmp_path / "base.jsonl"
    file.write_text("\n".join(lines) + "\n")
    outcome = factmill("corpus", "import", file)
    assert "paq/base: 4 pairs (4 added), written as version 1." in outcome.out
    for refusal in ("1 lines, no answer", "2 lines, no question", "1 lines, not JSON", "characters that are no text"):
        assert refusal in outcome.out
    rows = sorted(Corpus(home).latest().rows(ShardName("paq", "base")).to_pylist(), key=lambda row: row["ordinal"])
    assert [(row["ordinal"], row["question"], row["answer"]) for row in rows] == [
        (0, "who wrote carmen", ["Georges Bizet", "Bizet"]),
        (1, "when was it", ["1875"]),
        (2, "who wrote carmen", ["Prosper Mérimée"]),
        (8, "who wrote carmen", ["Georges Bizet", "Bizet"]),
    ]
    assert len({row["qa_id"] for row in rows}) == 4
    assert "paq/base is up to date: 4 pairs." in factmill("corpus", "import", file).out


def test_questions_that_differ_only_in_unicode_form_stay_apart(factmill: Factmill, tmp_path: Path, home: Home) -> None:
    file = tmp_path / "base.jsonl"
    file.write_text("".join(json.dumps({"question": q, "answer": [q]}) + "\n" for q in ("caf\u00e9", "cafe\u0301")))
    factmill("corpus", "import", file)
    rows = Corpus(home).latest().rows(ShardName("paq", "base"))
    assert len(set(rows["qa_id"].to_pylist())) == 2
    assert "is up to date: 2 pairs" in factmill("corpus", "import", file).out


def test_a_predicate_that_is_gone_from_a_new_dump_is_retired(factmill: Factmill, dump: Path, tmp_path: Path) -> None:
    factmill("stage", "wikidata", dump)
    factmill("augment", "--all", "--no-index")
    newer = write_dump(tmp_path / "newer.nt.gz", [line for line in SONGS if "/P577>" not in line])
    factmill("stage", "wikidata", newer)
    assert "wikidata/P577: gone from its source; would be retired." in factmill("augment", "--all", "--dry-run").out
    out = factmill("augment", "--all", "--no-index").out
    assert "wikidata/P577: gone from its source; its pairs were retired." in out
    assert "Next: factmill index" in out
    log = json.loads(factmill("corpus", "log", "--json").out)
    assert (log[0]["shard"], log[0]["n_rows"], log[0]["changes"]["n_retired"]) == ("wikidata/P577", 0, 4)
    assert "gone" not in factmill("augment", "--all", "--no-index").out


def test_a_shard_can_be_dropped(factmill: Factmill, dump: Path) -> None:
    factmill("stage", "wikidata", dump)
    factmill("augment", "wikidata/P175", "--no-index")
    assert "wikidata/P175: 3 pairs retired in version 2." in factmill("corpus", "drop", "wikidata/P175").out
    assert "the corpus has no shard wikidata/P175" in factmill("corpus", "drop", "wikidata/P175").err


def test_a_repeated_run_leaves_no_trace(factmill: Factmill, dump: Path, home: Home) -> None:
    factmill("stage", "wikidata", dump)
    factmill("augment", "--all")
    before = sorted(home.root.rglob("*"))
    assert "Indexed 0 pairs" in factmill("augment", "--all").out
    assert sorted(home.root.rglob("*")) == before


def test_ctrl_c_during_a_query_is_ctrl_c(tmp_path: Path) -> None:
    """A real SIGINT while DuckDB works on something that would take an hour."""
    code = (
        "import os, signal, sys, threading\n"
        "from pathlib import Path\n"
        "from factmill.warehouse import Warehouse\n"
        "threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    sql = 'select sum(hash(a.range * b.range) % 7) from range(1000000) a, range(1000000) b'\n"
        "    Warehouse(Path(sys.argv[1])).query(sql)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "stopped\n", done.stderr


def test_a_template_of_ones_own_is_used(factmill: Factmill, dump: Path, tmp_path: Path) -> None:
    factmill("stage", "wikidata", dump)
    file = tmp_path / "mine.j2"
    file.write_text('+++\npredicate = "wikidata/P175"\nlabel = "singer"\n+++\nname the singer of {{ subject }}\n')
    shown = factmill("templates", "preview", file).out
    assert re.search(r"name the singer of hello +│? *Adele +│? *Q1 \(Hello\), singer: Q10, Q11", shown), shown
    assert "5 facts about the best known subjects give 1 pairs." in shown
    assert "  refused: 1, the object has no label" in shown
    assert "name the singer of hello" in factmill("augment", "wikidata/P175", "--template", file).out
    assert factmill("augment", "wikidata/P50", "--template", file).status == 1


BAD = [
    (["stage", "wikidata", "{tmp}/none.nt.gz"], "none.nt.gz does not exist. Check the path."),
    (["stage", "wikidata", "{tmp}/empty.nt.gz"], "empty.nt.gz is empty. Nothing was read; fetch the file again."),
    (["stage", "wikidata", "{tmp}/cut.nt.gz"], "ends inside a gzip member"),
    (["stage", "wikidata", "{tmp}/page.nt.gz"], "is not a gzip file"),
    (["stage", "dbpedia", "--endpoint", "file:///etc/passwd"], "'file:///etc/passwd' is no SPARQL endpoint."),
    (["select", "--source", "imdb"], "nothing of imdb is staged"),
    (["augment", "wikidata/P99999"], "there is no template for wikidata/P99999."),
    (["augment", "wikidata/P50"], "no fact of wikidata/P50 is staged. See `factmill select --source wikidata`."),
    (["augment", "wikdata/P50"], "there is no template for wikdata/P50."),
    (["select", "--source", "wikdata"], "there is no source called 'wikdata'. There are: dbpedia, imdb, wikidata."),
    (["evaluate", "--questions", "{tmp}/empty.nt.gz"], "is empty"),
    (["augment", "wikidata/P279"], "there is no template for wikidata/P279."),
    (["augment", "nonsense"], "'nonsense' is not a shard name."),
    (["augment", "wikidata/P175", "--template", "{tmp}/bad.j2"], "bad.j2: the front matter lacks 'predicate'."),
    (["augment", "wikidata/P175", "--template", "{tmp}/none.j2"], "none.j2 cannot be read: No such file or directory."),
    (["templates", "preview", "P99999"], "'P99999' is no predicate with a template."),
    (["corpus", "import", "{tmp}/empty.nt.gz"], "is empty"),
    (["corpus", "import", "{tmp}/bad.j2"], "holds no question-answer pairs"),
    (["corpus", "import", "{tmp}/bad.j2", "--as", "wikidata/P1"], "wikidata/P1 would be milled from wikidata."),
    (["corpus", "import", "{tmp}/bad.j2", "--as", "../x"], "is not a shard name"),
    (["index"], "the corpus is empty"),
    (["ask", "who sings hello"], "the corpus is empty"),
    (
        ["ask", "x", "--home", "{tmp}/nowhere"],
        "is not a factmill home. `factmill stage` and `factmill corpus import` start one",
    ),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input_gets_one_clear_line_and_status_1(
    factmill: Factmill, tmp_path: Path, dump: Path, words: list[str], message: str
) -> None:
    (tmp_path / "empty.nt.gz").touch()
    (tmp_path / "cut.nt.gz").write_bytes(dump.read_bytes()[:-20])
    (tmp_path / "page.nt.gz").write_text("<html>502</html>")
    (tmp_path / "bad.j2").write_text("+++\nlabel = 'x'\n+++\nwho {{ subject }}\n")
    factmill("stage", "wikidata", dump)
    outcome = factmill(*(word.format(tmp=tmp_path) for word in words))
    assert outcome.status == 1
    assert outcome.err.startswith("Error: ")
    assert outcome.err.count("\n") == 1
    assert message in outcome.err


def test_a_predicate_with_too_many_answers_is_refused_with_the_reason(
    factmill: Factmill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [name(f"Q{n}", f"thing {n}") for n in range(1, 9)] + [fact("Q1", "P106", f"Q{n}") for n in range(2, 9)]
    factmill("stage", "wikidata", write_dump(tmp_path / "d.nt.gz", lines))
    outcome = factmill("augment", "wikidata/P106")
    assert "wikidata/P106 is not worth asking: 7.0 answers a question on average, the limit is 5.0." in outcome.err
    monkeypatch.setenv("FACTMILL_MAX_MEAN_ANSWERS", "9")
    assert factmill("augment", "wikidata/P106", "--dry-run").status == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"format": 99}', "has format 99, this factmill knows format 2."), ("{", "home.json is damaged.")],
)
def test_a_home_of_another_format_is_refused(
    factmill: Factmill, home: Home, dump: Path, text: str, message: str
) -> None:
    (home.root / "home.json").write_text(text)
    outcome = factmill("stage", "wikidata", dump)
    assert (outcome.status, message in outcome.err) == (1, True)
    assert [path.name for path in home.root.iterdir()] == ["home.json"]


def test_an_unwritable_home_is_refused(factmill: Factmill, dump: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = factmill("stage", "wikidata", dump, "--home", tmp_path / "file" / "home")
    assert outcome.status == 1
    assert "Choose another with --home or FACTMILL_HOME." in outcome.err


def test_a_read_only_home_is_refused_without_a_trace(dump: Path, tmp_path: Path) -> None:
    """Root may write anywhere, so the folder lies on a file system without that: /proc."""
    done = _run(tmp_path, "stage", "wikidata", str(dump), "--home", "/proc/factmill")
    assert (done.returncode, done.stderr.startswith("Error: cannot use /proc/factmill as the home")) == (1, True)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("FACTMILL_MAX_MEAN_ANSWERS", "many", "setting 'max_mean_answers'"),
        ("FACTMILL_LANG", "../en", "setting 'lang'"),
        ("FACTMILL_PROJECT", "/nowhere", "FACTMILL_PROJECT is /nowhere, which lacks sources/"),
    ],
)
def test_a_wrong_setting_is_named(
    factmill: Factmill, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    outcome = factmill("templates", "list")
    assert (outcome.status, message in outcome.err) == (1, True)


def test_settings_come_from_a_file_too(factmill: Factmill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "factmill.toml").write_text("max_mean_answers = 'x'\n")
    assert "setting 'max_mean_answers'" in factmill("templates", "list").err
    (tmp_path / "factmill.toml").write_text("max_mean_answers = \n")
    assert "factmill.toml is not valid TOML" in factmill("templates", "list").err
    (tmp_path / "factmill.toml").write_text("no_such_setting = 1\n")
    assert "there is no setting 'no_such_setting'" in factmill("templates", "list").err


def test_wrong_usage_has_status_2(factmill: Factmill) -> None:
    assert factmill("augment").status == 2
    assert factmill("augment", "wikidata/P1", "--all").status == 2
    assert factmill("ask", " ").status == 2
    assert factmill("no-such-command").status == 2


def _run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"FACTMILL_HOME": str(home)}
    command = [sys.executable, "-m", "factmill", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def _state(home: Path) -> dict[str, bytes]:
    """Every file a reader may look at, with its content; what the next run goes on with is not for readers."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file()
        and not {"warehouse", "rejects", "unfinished"} & set(path.parts)
        and ".unfinished" not in str(path)
    }


@pytest.mark.parametrize("stage", ["stage", "augment", "index", "import"])
def test_ctrl_c_in_any_stage_exits_with_130_and_leaves_the_state_before(tmp_path: Path, stage: str) -> None:
    """The process stops itself with a real SIGINT at the last moment before it would make its work visible."""
    home = tmp_path / "home"
    first, second = write_dump(tmp_path / "a.nt.gz"), write_dump(tmp_path / "b.nt.gz", SONGS[:-1])
    base = tmp_path / "base.jsonl"
    base.write_text('{"question": "who wrote carmen", "answer": ["Bizet"]}\n')
    assert _run(home, "stage", "wikidata", str(first)).returncode == 0
    assert _run(home, "augment", "wikidata/P577").returncode == 0
    moment, words = {
        "stage": ("factmill.snapshot._publish", ["stage", "wikidata", str(second)]),
        "augment": ("factmill.corpus._add_new_columns", ["augment", "wikidata/P175"]),
        "index": ("factmill.index._live_digest", ["index", "--rebuild"]),
        "import": ("factmill.corpus._add_new_columns", ["corpus", "import", str(base)]),
    }[stage]
    before = _state(home)
    code = (
        "import importlib, os, signal, sys, threading, time\n"
        f"module, name = {moment.rsplit('.', 1)!r}\n"
        "def interrupted(*a, **k):\n"
        f"    os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        # Another thread is waited for, so it must not take long.
        "    time.sleep(30 if threading.current_thread() is threading.main_thread() else 1)\n"
        "setattr(importlib.import_module(module), name, interrupted)\n"
        "from factmill.cli import main\n"
        "main()"
    )
    environment = os.environ | {"FACTMILL_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment, check=False, timeout=60
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1].startswith("Interrupted.")
    assert _state(home) == before
    assert list((home / "warehouse").iterdir()) == []
