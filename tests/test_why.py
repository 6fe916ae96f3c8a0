"""A pair leads back to the very line that its facts came from, or it is said why not."""

import bz2
import gzip
import json
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from factmill import steps
from factmill.corpus import Corpus
from factmill.corpus_log import read_log
from factmill.errors import ConfigError
from factmill.evidence import Evidence, Qualifier, Verdict
from factmill.home import Home
from factmill.inputs import INPUTS_FILE
from factmill.manifest import Stage
from factmill.names import PropertyId, ShardName
from factmill.stage import stage_wikidata
from factmill.why import AmbiguousPair, Why, why
from tests.conftest import ROOT, SHARED, Outcome
from tests.dumps import DIRECT, ENTITY, SONGS, fact, name, write_dump
from tests.milling import statement

Factmill = Callable[..., Outcome]
HELLO = "who sings hello"
CAST = PropertyId(161)
REAL_DUMP = SHARED / "data" / "wikidata" / "subset.truthy.nt.gz"


def _mill(home: Home, dump: Path, *shards: str, second: Path | None = None) -> None:
    stage_wikidata(home, dump, "en", second=second, qualified=[CAST] if second else [])
    for shard in shards or ("wikidata/P175",):
        steps.augment(home, steps.resolve_template(ShardName.parse(shard), None))


@pytest.fixture(scope="module")
def songs(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home for tests that only read: four shards of the small dump."""
    folder = tmp_path_factory.mktemp("songs")
    home = Home.open(folder / "home", create=True)
    _mill(home, write_dump(folder / "dump.nt.gz"), *(f"wikidata/{name}" for name in ("P175", "P577", "P571", "P31")))
    return home


def _ids(home: Home) -> list[str]:
    latest = Corpus(home).latest()
    return [qa_id for shard in latest.shards() for qa_id in latest.rows(shard, ["qa_id"])["qa_id"].to_pylist()]


def _verdicts(explained: Sequence[Why]) -> set[Verdict]:
    return {fact.verdict for one in explained for fact in one.facts}


def _rename(path: Path) -> Path:
    elsewhere = path.with_name(f"elsewhere-{path.name}")
    path.rename(elsewhere)
    return elsewhere


# --- Lines of a dump ---


def test_a_pair_leads_back_to_its_lines(home: Home, dump: Path) -> None:
    _mill(home, dump)
    (one,) = why(home, [HELLO])
    entry = read_log(home)[0]
    assert (one.question, one.answer) == (HELLO, ["Adele", "Lionel Richie", "Adele Adkins"])
    assert (one.shard, one.wording) == (ShardName("wikidata", "P175"), "who sings {{ subject }}")
    assert (one.run, one.snapshot, one.version, one.retired_in) == (entry.run, entry.snapshot, entry.version, None)
    lines = [fact("Q1", "P175", "Q10"), fact("Q2", "P175", "Q11")]
    common: dict[str, Any] = {
        "predicate": "P175",
        "qualifiers": [],
        "file": str(dump),
        "query": None,
        "verdict": Verdict.STATED,
    }
    assert [each.lines for each in one.facts] == [[line] for line in lines]
    member, _, offset = one.facts[0].place.partition("+")
    assert one.facts[0] == Evidence(
        subject="Q1",
        subject_label="Hello",
        object="Q10",
        object_label="Adele",
        place=one.facts[0].place,
        where=f"byte {int(offset):,} of what the gzip member at byte {int(member):,} holds",
        lines=lines[:1],
        reason="",
        **common,
    )
    assert (one.facts[1].subject, one.facts[1].reason) == ("Q2", "It is about Q2, which has the same name.")


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".zst", zstd.compress)],
    ids=["plain", "gzip", "bzip2", "zstandard"],
)
def test_lines_are_found_however_the_dump_is_packed(
    home: Home, tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    raw = "".join(f"{line}\r\n" for line in SONGS).encode()
    # Seven streams, cut in the middle of lines.
    size = -(-len(raw) // 7)
    dump = tmp_path / f"d.nt{suffix}"
    dump.write_bytes(b"".join(pack(raw[start : start + size]) for start in range(0, len(raw), size)))
    _mill(home, dump, "wikidata/P175", "wikidata/P577")
    explained = why(home, _ids(home))
    assert len(explained) > 2
    assert _verdicts(explained) == {Verdict.STATED}
    assert {line for one in explained for each in one.facts for line in each.lines} <= set(SONGS)


def test_odd_lines_and_values_are_compared_as_what_they_mean(home: Home, tmp_path: Path) -> None:
    odd = [
        f'<{ENTITY}Q1>\t<{DIRECT}P1477>  "Ad\\u00E8le \\"X\\""@en . # said so',
        name("Q1", "Adele"),
    ]
    _mill(home, write_dump(tmp_path / "d.nt.gz", odd, members=1), "wikidata/P1477")
    explained = why(home, _ids(home))
    assert [each.object for one in explained for each in one.facts] == ['Adèle "X"'] * len(explained) != []
    assert _verdicts(explained) == {Verdict.STATED}
    assert explained[0].facts[0].lines == odd[:1]


@pytest.mark.parametrize("shard", ["wikidata/P50~inverse", "wikidata/P106~inverse"])
def test_a_fact_that_is_asked_the_other_way_round_is_found(home: Home, tmp_path: Path, shard: str) -> None:
    predicate = shard.partition("/")[2].partition("~")[0]
    lines = [name("Q1", "Emma"), name("Q2", "Jane Austen"), fact("Q1", predicate, "Q2")]
    lines += [
        fact("Q2", "P31", kind) for kind in steps.resolve_template(ShardName.parse(shard), None).matter.subject_types
    ]
    _mill(home, write_dump(tmp_path / "d.nt.gz", lines, members=1), shard)
    explained = why(home, _ids(home))
    assert {(each.subject, each.object, each.verdict) for one in explained for each in one.facts} == {
        ("Q1", "Q2", Verdict.STATED)
    }


def test_a_hundred_pairs_at_random_lead_back_to_their_lines(home: Home) -> None:
    dump = REAL_DUMP if REAL_DUMP.exists() else ROOT / "demo" / "wikidata.nt.gz"
    _mill(home, dump, "wikidata/P50", "wikidata/P26", "wikidata/P175", "wikidata/P36", "wikidata/P57")
    asked = random.Random(7).sample(_ids(home), 100)
    explained = why(home, asked)
    assert [one.qa_id for one in explained] == asked
    assert [one.verdict for one in explained] == [Verdict.STATED] * 100
    with gzip.open(dump, "rt", encoding="utf-8") as file:
        every = set(file.read().splitlines())
    assert {line for one in explained for each in one.facts for line in each.lines} <= every


# --- Statements of a second file ---

CASTING = [name("Q1", "Heat"), name("Q2", "Al Pacino"), name("Q3", "Vincent Hanna"), name("Q4", "Val Kilmer")]
STATEMENTS = [
    *statement("Q1-a", "P161", "Q2", f"P453> <{ENTITY}Q3>", 'P1545> "1"'),
    *statement("Q1-b", "P161", "Q4", 'P1545> "2"'),
]


def _second(path: Path, lines: Sequence[str]) -> Path:
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
    return path


def test_a_statement_of_the_second_file_is_shown_whole(home: Home, tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d.nt.gz", [*CASTING, fact("Q1", "P161", "Q2")])
    second = _second(tmp_path / "full.nt.gz", STATEMENTS)
    _mill(home, dump, "wikidata/P161~character", "wikidata/P161~inverse", second=second)
    explained = why(home, ["who plays vincent hanna in heat", "who does al pacino play in heat"])
    for one in explained:
        (found,) = one.facts
        assert (found.file, found.verdict, found.lines) == (str(second), Verdict.STATED, STATEMENTS[1:5])
        assert found.qualifiers == [Qualifier("P1545", "1", None), Qualifier("P453", "Q3", "Vincent Hanna")]


def test_a_statement_without_a_plain_form_is_found_in_the_second_file(home: Home, tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d.nt.gz", [*CASTING, fact("Q1", "P161", "Q2")])
    second = tmp_path / "full.csv"
    second.write_text("Q1,P161,Q4,P453,Q3\nQ1,P161,Q2,P453,Q3\n")
    _mill(home, dump, "wikidata/P161", second=second)
    explained = why(home, _ids(home))
    found = {(each.object, each.file, each.lines[0], each.verdict) for one in explained for each in one.facts}
    assert found == {
        ("Q2", str(dump), fact("Q1", "P161", "Q2"), Verdict.STATED),
        ("Q4", str(second), "Q1,P161,Q4,P453,Q3", Verdict.STATED),
    }


def test_without_its_second_file_a_statement_is_not_looked_for_in_the_dump(home: Home, tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d.nt.gz", [*CASTING, fact("Q1", "P161", "Q2")], members=1)
    second = _second(tmp_path / "full.nt.gz", STATEMENTS)
    _mill(home, dump, "wikidata/P161~character", second=second)
    second.unlink()
    (found,) = why(home, ["who plays vincent hanna in heat"])[0].facts
    assert (found.verdict, found.lines) == (Verdict.STAGED, [])
    assert found.reason.startswith(f"{second} is gone.")
    assert found.qualifiers == [Qualifier("P1545", "1", None), Qualifier("P453", "Q3", "Vincent Hanna")]


# --- What is not here, or no longer what it was ---


def test_without_the_dump_the_staged_facts_answer(factmill: Factmill, home: Home, dump: Path) -> None:
    _mill(home, dump)
    moved = _rename(dump)
    outcome = factmill("corpus", "why", HELLO)
    assert outcome.status == 0
    assert f"{dump} is gone. If it lies elsewhere, name it with --dump. The staged facts of" in outcome.out
    assert _verdicts(why(home, [HELLO])) == {Verdict.STAGED}
    assert _verdicts(why(home, [HELLO], [moved])) == {Verdict.STATED}
    stage_wikidata(home, moved, "en")
    assert _verdicts(why(home, [HELLO])) == {Verdict.STATED}, "staging it again tells where it lies now"


@pytest.mark.parametrize(
    ("lines", "how"),
    [(SONGS[:-1], "bytes instead of"), ([*SONGS[:-1], SONGS[-1].replace("musical", "MUSICAL")], "with other content")],
    ids=["of another size", "of the same size"],
)
def test_a_dump_that_was_replaced_is_not_read(home: Home, tmp_path: Path, lines: list[str], how: str) -> None:
    dump = tmp_path / "d.nt"
    dump.write_text("".join(f"{line}\n" for line in SONGS))
    _mill(home, dump)
    (tmp_path / "kept").mkdir()
    kept = shutil.copy(dump, tmp_path / "kept")
    dump.write_text("".join(f"{line}\n" for line in lines))
    (one,) = why(home, [HELLO])
    assert {each.verdict for each in one.facts} == {Verdict.STAGED}
    assert f"{dump} is not the file that was staged:" in one.facts[0].reason
    assert how in one.facts[0].reason
    (one,) = why(home, [HELLO], [Path(kept).parent])
    assert {(each.verdict, each.file) for each in one.facts} == {(Verdict.STATED, str(kept))}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([line.replace("Q10>", "Q11>") for line in SONGS], "What stands there states Q1 P175 Q11."),
        ([line.replace("Q1>", "Q3>") for line in SONGS], "It is about Q3, which has another name."),
        (SONGS[:2], "Nothing stands there that can be read."),
        (["nonsense", *SONGS[1:]], "What stands there states no fact."),
    ],
)
def test_a_line_that_does_not_state_the_fact_is_a_warning_and_status_1(
    factmill: Factmill, home: Home, tmp_path: Path, changed: list[str], said: str
) -> None:
    dump = tmp_path / "d.nt"
    dump.write_text("".join(f"{line}\n" for line in SONGS))
    _mill(home, dump)
    # As a snapshot from before it was noted where its input lies.
    (Stage.current(home, "wikidata").folder / INPUTS_FILE).unlink()
    other = tmp_path / "other.nt"
    other.write_text("".join(f"{line}\n" for line in changed))
    outcome = factmill("corpus", "why", HELLO, "--dump", other)
    assert outcome.status == 1
    assert f"WARNING: the fact is not stated there. {said}" in outcome.out
    assert factmill("corpus", "why", HELLO, "--json", "--dump", other).status == 1
    assert factmill("corpus", "why", HELLO, "--dump", dump).status == 0


@pytest.mark.parametrize(
    ("content", "verdict", "said"),
    [
        (b"\x1f\x8b\x08\x00 no gzip at all", Verdict.NOT_STATED, "Nothing stands there that can be read."),
        (b"plain", Verdict.STAGED, "is not a gzip file: it begins with b'plai'. The staged facts of"),
    ],
    ids=["damaged", "not packed"],
)
def test_a_file_that_cannot_be_unpacked_states_nothing(
    home: Home, dump: Path, content: bytes, verdict: Verdict, said: str
) -> None:
    _mill(home, dump)
    (Stage.current(home, "wikidata").folder / INPUTS_FILE).unlink()
    dump.write_bytes(content)
    (one,) = why(home, [HELLO], [dump])
    assert {each.verdict for each in one.facts} == {verdict}
    assert said in one.facts[0].reason
    assert one.facts[0].lines == []


def test_where_the_snapshot_is_gone_the_one_in_use_stands_in(home: Home, dump: Path, tmp_path: Path) -> None:
    _mill(home, dump)
    first = Stage.current(home, "wikidata")
    stage_wikidata(home, write_dump(tmp_path / "new.nt.gz", [*SONGS, name("Q77", "New")]), "en")
    second = Stage.current(home, "wikidata").manifest.snapshot
    shutil.rmtree(first.folder)
    (one,) = why(home, [HELLO])
    assert one.notes == [f"The snapshot {first.manifest.snapshot} is gone; {second}, the one in use, stands in for it."]
    assert one.facts[0].verdict is Verdict.STAGED
    shutil.rmtree(home.staged("wikidata"))
    (one,) = why(home, [HELLO])
    assert {each.verdict for each in one.facts} == {Verdict.UNKNOWN}
    (one,) = why(home, [HELLO], [dump])
    assert one.facts[0].verdict is Verdict.STATED


# --- Which pair ---


def test_a_pair_is_named_by_its_id_its_beginning_or_its_question(songs: Home) -> None:
    (whole,) = why(songs, [HELLO])
    asked = [whole.qa_id, whole.qa_id[:9], whole.qa_id[:9].upper(), f" {HELLO} ", "Who sings  HELLO?"]
    assert why(songs, asked) == [whole] * len(asked)


def test_several_pairs_are_listed(factmill: Factmill, songs: Home) -> None:
    beginnings = [qa_id[0] for qa_id in _ids(songs)]
    shared = max(beginnings, key=beginnings.count)
    with pytest.raises(AmbiguousPair, match=f"{shared!r} means {beginnings.count(shared)} pairs"):
        why(songs, [shared])
    outcome = factmill("corpus", "why", shared, "--home", songs.root)
    assert outcome.status == 1
    listed = [line.split()[0] for line in outcome.err.splitlines()[1:]]
    assert listed == sorted(qa_id for qa_id in _ids(songs) if qa_id.startswith(shared))


@pytest.mark.parametrize(
    "text",
    ["", " ", "0" * 32, "f" * 33, "x" * 100_000, "' or 1=1 --", "../../etc/passwd", "\x1b]0;x\x07", "\udcff", "%", "*"],
)
def test_what_is_no_pair_is_one_clear_line(factmill: Factmill, songs: Home, text: str) -> None:
    outcome = factmill("corpus", "why", "--home", songs.root, "--", text)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("Error: no pair is meant by ")
    assert outcome.err.count("\n") == 1
    assert outcome.err.strip().isprintable()
    assert len(outcome.err) < 400


def test_an_empty_corpus_has_no_pairs(home: Home) -> None:
    with pytest.raises(ConfigError, match="the corpus is empty"):
        why(home, [HELLO])


def test_a_retired_pair_is_found_in_the_history(factmill: Factmill, home: Home, dump: Path, tmp_path: Path) -> None:
    _mill(home, dump)
    (before,) = why(home, [HELLO])
    fewer = [line for line in SONGS if f"<{ENTITY}Q1>" not in line and f"<{ENTITY}Q2>" not in line]
    _mill(home, write_dump(tmp_path / "new.nt.gz", fewer))
    retiring = read_log(home)[0]
    for text in (before.qa_id, before.qa_id[:8], HELLO):
        (after,) = why(home, [text])
        assert (after.retired_in, after.retired_when) == (retiring.version, retiring.when)
        assert (after.qa_id, after.version, after.facts) == (before.qa_id, before.version, before.facts)
    assert f"retired  in version {retiring.version}, " in factmill("corpus", "why", HELLO).out


def test_a_retired_pair_whose_files_are_gone_is_not_found_and_that_is_said(home: Home, dump: Path) -> None:
    _mill(home, dump)
    steps.retire(home, ShardName("wikidata", "P175"), "test")
    for file in home.corpus.rglob("*.parquet"):
        file.unlink()
    with pytest.raises(ConfigError, match="1 earlier versions that may hold it can no longer be read"):
        why(home, [HELLO])


# --- What is printed ---


def test_what_a_terminal_would_obey_is_shown_harmlessly(factmill: Factmill, home: Home, tmp_path: Path) -> None:
    bad = "Ad\u206631mele\u202e"
    lines = [name("Q1", "Hello\u202e"), fact("Q1", "P31", "Q7366"), fact("Q1", "P175", "Q10"), name("Q10", bad)]
    _mill(home, write_dump(tmp_path / "d.nt.gz", lines, members=1))
    (qa_id, *_) = _ids(home)
    shown = factmill("corpus", "why", qa_id).out
    assert "Ad\ufffd31mele\ufffd" in shown
    document = factmill("corpus", "why", qa_id, "--json").out
    for text in (shown, document):
        assert all(line.isprintable() for line in text.splitlines())
    assert json.loads(document)[0]["answer"] == [bad]


def test_machines_get_a_list_in_the_order_of_asking(factmill: Factmill, songs: Home) -> None:
    asked = _ids(songs)[::-1]
    outcome = factmill("corpus", "why", "--json", "--home", songs.root, *asked)
    found = json.loads(outcome.out)
    assert [one["qa_id"] for one in found] == asked
    assert {one["verdict"] for one in found} == {"stated"}
    one = next(one for one in found if one["question"] == HELLO)
    assert one["facts"][0]["lines"] == [fact("Q1", "P175", "Q10")]
    assert (one["shard"], one["as_of"]) == ("wikidata/P175", "2026-11-01")
