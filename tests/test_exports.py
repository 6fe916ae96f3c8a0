"""What an export holds and leaves out, its manifest, and that it is whole or not there."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.corpus import Corpus
from factmill.errors import ConfigError, CorpusError
from factmill.export.chosen import Choice, may_be_passed_on
from factmill.export.formats import FormatName, Options, export_corpus
from factmill.home import Home
from factmill.importing import import_base
from factmill.names import ShardName
from factmill.questions import read_questions
from tests.conftest import Outcome
from tests.export_homes import BASE, pair, write_pairs
from tests.format_rules import json_lines

PLAYS = ShardName("imdb", "plays_character_in")
SONGS = ShardName("wikidata", "P175")
FILMS = ShardName("dbpedia", "dbo:starring")
FORMS: list[tuple[FormatName, str]] = [
    ("paq", "out.jsonl"),
    ("kilt", "out.jsonl.gz"),
    ("qampari", "out.jsonl"),
    ("hf", "out"),
]
NON_COMMERCIAL = "their licence is non-commercial"


@pytest.fixture
def filled(home: Home, tmp_path: Path) -> Home:
    """A base of two pairs, songs that are known better and worse, films under another licence, and IMDb's."""
    base = tmp_path / "base.jsonl"
    base.write_text('{"question": "zebra", "answer": ["z"]}\n{"question": "Ärger?", "answer": ["a", "b"]}\n')
    import_base(home, base, BASE, None)
    write_pairs(
        home,
        [
            pair(SONGS, "who sings hello", ["Adele"], popularity=9, kind="multi"),
            pair(SONGS, "who sings bad", ["Michael Jackson"], popularity=3),
            pair(FILMS, "who stars in heat", ["Al Pacino"], popularity=5, licence="CC-BY-SA-3.0"),
            pair(PLAYS, "who plays neil in heat", ["De Niro"], popularity=5, licence="IMDb non-commercial"),
        ],
    )
    return home


def _questions(path: Path) -> list[str]:
    return [row["question"] for row in json_lines(path)]


def test_pairs_that_may_not_be_passed_on_are_left_out_and_counted(filled: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    exported = export_corpus(filled, out)
    assert exported.n_pairs == 5
    assert [(left.shard, left.reason, left.n_pairs) for left in exported.left_out] == [(PLAYS, NON_COMMERCIAL, 1)]
    assert {row["licence"] for row in json_lines(out)} == {None, "CC0-1.0", "CC-BY-SA-3.0"}
    everything = export_corpus(filled, tmp_path / "all.jsonl", choice=Choice(include_noncommercial=True))
    assert (everything.n_pairs, everything.left_out) == (6, [])


def test_a_base_comes_first_and_as_it_was(filled: Home, tmp_path: Path) -> None:
    """So that vectors that were made of it keep their numbers."""
    out = tmp_path / "out.jsonl"
    export_corpus(filled, out)
    assert json_lines(out)[:2] == [
        {"question": "zebra", "answer": ["z"]} | _ours(filled, "zebra"),
        {"question": "Ärger?", "answer": ["a", "b"]} | _ours(filled, "Ärger?"),
    ]
    assert [row["shard"] for row in json_lines(out)[2:]] == ["dbpedia/dbo:starring", "wikidata/P175", "wikidata/P175"]
    assert read_questions(out).questions[:2] == ("zebra", "Ärger?")


def _ours(home: Home, question: str) -> dict[str, object]:
    rows = Corpus(home).latest().rows(BASE, ("qa_id", "question")).to_pylist()
    return {
        "qa_id": next(row["qa_id"] for row in rows if row["question"] == question),
        "shard": "paq/base",
        "licence": None,
    }


@pytest.mark.parametrize(
    ("choice", "questions", "reason"),
    [
        (Choice((SONGS,)), ["who sings bad", "who sings hello"], None),
        (Choice((SONGS, BASE, SONGS)), ["zebra", "Ärger?", "who sings bad", "who sings hello"], None),
        (Choice(licences=("CC-BY-SA-3.0",)), ["who stars in heat"], "they are under another licence"),
        (
            Choice(min_popularity=5),
            ["zebra", "Ärger?", "who stars in heat", "who sings hello"],
            "their subject is not known well enough",
        ),
        (
            Choice((SONGS, FILMS), ("CC0-1.0",), min_popularity=9),
            ["who sings hello"],
            "their subject is not known well enough",
        ),
    ],
)
def test_an_export_can_be_narrowed(
    filled: Home, tmp_path: Path, choice: Choice, questions: list[str], reason: str | None
) -> None:
    exported = export_corpus(filled, tmp_path / "out.jsonl", choice=choice)
    assert sorted(_questions(tmp_path / "out.jsonl")) == sorted(questions)
    shards = set(choice.shards) or {SONGS, FILMS, PLAYS, BASE}
    n_held = sum(Corpus(filled).latest().rows(shard).num_rows for shard in shards)
    assert exported.n_pairs + sum(left.n_pairs for left in exported.left_out) == n_held
    if reason:
        assert reason in {left.reason for left in exported.left_out}


def test_the_manifest_tells_whose_lines_are_whose(filled: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl.gz"
    exported = export_corpus(filled, out, options=Options(metadata=True))
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert exported.manifest == tmp_path / "out.manifest.json"
    assert [file["name"] for file in manifest["files"]] == ["out.jsonl.gz", "out.metadata.jsonl.gz"]
    for file in manifest["files"]:
        assert file["sha256"] == hashlib.sha256((tmp_path / file["name"]).read_bytes()).hexdigest()
        assert file["n_lines"] == 5
    lines = gzip.decompress(out.read_bytes()).splitlines(keepends=True)
    digests = Corpus(filled).latest().shards()
    assert [(part["shard"], part["first"], part["last"], part["n_pairs"]) for part in manifest["shards"]] == [
        ("paq/base", 0, 2, 2),
        ("dbpedia/dbo:starring", 2, 3, 1),
        ("wikidata/P175", 3, 5, 2),
    ]
    for part in manifest["shards"]:
        some = lines[part["first"] : part["last"]]
        assert part["sha256"] == hashlib.sha256(b"".join(some)).hexdigest()
        assert {json.loads(line)["shard"] for line in some} == {part["shard"]}
        assert part["corpus_digest"] == digests[ShardName.parse(part["shard"])]
    assert manifest["left_out"] == [{"shard": str(PLAYS), "reason": NON_COMMERCIAL, "n_pairs": 1}]


def test_what_is_appended_to_the_corpus_leaves_the_lines_before_it_alone(filled: Home, tmp_path: Path) -> None:
    export_corpus(filled, tmp_path / "old.jsonl")
    write_pairs(filled, [pair(ShardName("wikidata", "P86"), "who composed aida", ["Verdi"])])
    export_corpus(filled, tmp_path / "new.jsonl")
    old, new = (tmp_path / name for name in ("old.jsonl", "new.jsonl"))
    assert new.read_bytes().startswith(old.read_bytes())


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_nothing_is_written_where_nothing_may_be(filled: Home, tmp_path: Path, form: FormatName, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(ConfigError, match=r"all 1 pairs are left out: 1 because their licence is non-commercial\."):
        export_corpus(filled, folder / name, form, Choice((PLAYS,)))
    with pytest.raises(ConfigError, match="wikidata/P999 is not in the corpus"):
        export_corpus(filled, folder / name, form, Choice((ShardName("wikidata", "P999"),)))
    with pytest.raises(ConfigError, match="is not a folder"):
        export_corpus(filled, folder / "none" / name, form)
    assert list(folder.iterdir()) == []
    (folder / name).write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        export_corpus(filled, folder / name, form)
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [(name, "mine")]


def test_a_manifest_or_metadata_of_another_export_is_not_overwritten(filled: Home, tmp_path: Path) -> None:
    for name in ("out.manifest.json", "out.metadata.jsonl"):
        (tmp_path / name).write_text("mine")
        with pytest.raises(ConfigError, match=f"{name} exists already"):
            export_corpus(filled, tmp_path / "out.jsonl", options=Options(metadata=True))
        (tmp_path / name).unlink()
    assert not [path.name for path in tmp_path.iterdir() if "out" in path.name]


@pytest.mark.parametrize("name", ["out", "out.json", "out.jsonl.bz2", ".jsonl"])
def test_a_name_that_readers_would_take_for_something_else_is_refused(filled: Home, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"name a file that ends with \.jsonl or \.jsonl\.gz"):
        export_corpus(filled, tmp_path / name)
    with pytest.raises(ConfigError, match="--format hf writes a folder"):
        export_corpus(filled, tmp_path / "out.jsonl", "hf")


@pytest.mark.parametrize(
    ("form", "options", "message"),
    [
        ("kilt", Options(metadata=True), "--metadata goes with --format paq only"),
        ("paq", Options(slots=True), "--slots goes with --format kilt only"),
        ("hf", Options(wikipedia_pages=Path("x")), "--wikipedia-pages goes with --format kilt only"),
        ("kilt", Options(split="dev"), "--split goes with --format qampari only"),
        ("paq", Options(min_answers=5), "--min-answers goes with --format qampari only"),
    ],
)
def test_an_option_of_another_format_is_refused(
    filled: Home, tmp_path: Path, form: FormatName, options: Options, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        export_corpus(filled, tmp_path / "out.jsonl", form, options=options)


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_an_empty_corpus_has_nothing_to_export(home: Home, tmp_path: Path, form: FormatName, name: str) -> None:
    with pytest.raises(ConfigError, match="there is nothing to export"):
        export_corpus(home, tmp_path / name, form)
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_a_shard_that_breaks_in_the_middle_leaves_nothing(
    filled: Home, tmp_path: Path, form: FormatName, name: str
) -> None:
    (file,) = (filled.corpus / "source=wikidata").rglob("*.parquet")
    file.write_bytes(b"not parquet")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(CorpusError, match="cannot read wikidata/P175 from the corpus"):
        export_corpus(filled, folder / name, form)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_a_full_disk_leaves_nothing(home: Home, small_disk: Path, form: FormatName, name: str) -> None:
    noise = [os.urandom(3_000).hex() for _ in range(1_500)]
    write_pairs(home, [pair(SONGS, f"{n} {text}", [text], kind="multi") for n, text in enumerate(noise)])
    with pytest.raises(ConfigError, match=r"cannot write .*out.*: No space left on device\. Nothing was exported\."):
        export_corpus(home, small_disk / name, form)
    assert list(small_disk.iterdir()) == []


@pytest.mark.parametrize(("form", "name"), FORMS)
def test_ctrl_c_leaves_nothing(filled: Home, tmp_path: Path, form: FormatName, name: str) -> None:
    """The process stops itself with a real SIGINT at the last moment before the export would be there."""
    folder = tmp_path / "folder"
    folder.mkdir()
    code = (
        "import os, signal, sys, time\n"
        "import factmill.export.files as files\n"
        "def interrupted(*a, **k):\n"
        f"    os.kill(os.getpid(), {int(signal.SIGINT)}); time.sleep(30)\n"
        "files.os.replace = interrupted\n"
        "from factmill.cli import main\n"
        "main()"
    )
    words = ["corpus", "export", "--format", form, str(folder / name)]
    environment = os.environ | {"FACTMILL_HOME": str(filled.root)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment, check=False, timeout=60
    )
    assert done.returncode == 130, done.stderr
    assert list(folder.iterdir()) == []


def test_a_licence_decides_whether_pairs_may_be_passed_on() -> None:
    may_not = ["IMDb non-commercial", "CC BY-NC 4.0", "CC-BY-NC-SA-4.0", "noncommercial", "For Non-Commercial use"]
    may = [None, "", "CC0-1.0", "CC-BY-SA-3.0", "Apache-2.0", "licence of dance inc"]
    assert [text for text in may_not + may if not may_be_passed_on(text)] == may_not


def test_the_command_says_what_was_written_and_left_out(
    factmill: Callable[..., Outcome], filled: Home, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    told = factmill("corpus", "export", out, "--min-popularity", "4")
    assert told.out.splitlines() == [
        f"Wrote 4 pairs to {out}.",
        "Left out: 1 pairs of imdb/plays_character_in, because their licence is non-commercial.",
        "Left out: 1 pairs in shards: 1, because their subject is not known well enough.",
        f"Next: {tmp_path}/out.manifest.json tells which lines are whose, and what was left out of which shard.",
    ]
    told = factmill(
        "corpus",
        "export",
        "--format",
        "kilt",
        "--shard",
        PLAYS,
        "--include-noncommercial",
        "--json",
        tmp_path / "k.jsonl",
    )
    assert json.loads(told.out) == {
        "format": "kilt",
        "path": str(tmp_path / "k.jsonl"),
        "manifest": str(tmp_path / "k.manifest.json"),
        "n_pairs": 1,
        "n_lines": 1,
        "left_out": [],
        "figures": {"with provenance": 0},
    }
    told = factmill(
        "corpus", "export", "--format", "qampari", "--shards", SONGS, "--licence", "CC0-1.0", tmp_path / "q.jsonl"
    )
    assert told.out.startswith(f"Wrote 1 pairs to {tmp_path}/q.jsonl.")
    told = factmill("corpus", "export", "--format", "hf", tmp_path / "set")
    assert told.out.startswith(f"Wrote 5 pairs to {tmp_path}/set.")
    assert factmill("corpus", "export", "--format", "csv", tmp_path / "x").status == 2
    refused = factmill("corpus", "export", "--format", "paq", "--slots", tmp_path / "x.jsonl")
    assert (refused.status, refused.err) == (1, "Error: --slots goes with --format kilt only.\n")
