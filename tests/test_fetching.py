"""A fetched file is whole, or it is not there; the file before stays until then. Against a real server on loopback."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from factmill.errors import ConfigError, FactmillError, SourceFormatError, SourceIncomplete, SourceUnavailable
from factmill.fetch import Fetched, fetch
from factmill.fetch_record import Checksum, Remote
from factmill.partfile import PartFile
from factmill.remote import open_client
from factmill.settings import Settings, settings
from factmill.sparql_server import free_port
from factmill.steps import fetch_if_remote
from factmill.transfer import Transfer
from tests.conftest import ROOT, Outcome
from tests.flaky_server import (
    MONDAY,
    TUESDAY,
    Answer,
    File,
    FlakyServer,
    Request,
    chunked,
    cut,
    exactly,
    flaky_server,
    reset,
    stall,
    status,
    whole_again,
)

NAME = "dump.nt.gz"
OLD = random.Random(1).randbytes(200_000)
NEW = random.Random(2).randbytes(300_000)
HALF = len(NEW) // 2
NOTHING_ELSE = [".fetch.lock", NAME, f"{NAME}.fetched.json"]
NO_CHECKSUM = [f"GET {NAME}.sha256", f"GET {NAME}.sha1", f"GET {NAME}.md5"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FlakyServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with flaky_server() as server:
        server.files[NAME] = File(NEW)
        yield server


class Client:
    """Fetches into one folder, with little patience, and hears what is told."""

    def __init__(self, server: FlakyServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.told: list[str] = []

    def __call__(self, url: str | None = None, **options: Any) -> Fetched:
        self.told.clear()
        self.server.asked.clear()
        chosen: dict[str, Any] = {"timeout_seconds": 5, "attempts": 3, "wait_seconds": 0, "tell": self._hear} | options
        return fetch(url or self.server.url(), self.folder, **chosen)

    def _hear(self, text: str) -> None:
        self.told.append(text.replace(self.server.root, ""))

    @property
    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    @property
    def body(self) -> bytes:
        return (self.folder / NAME).read_bytes()

    def part(self) -> bytes:
        return (self.folder / f"{NAME}.part").read_bytes()

    def record(self) -> dict[str, Any]:
        record: dict[str, Any] = json.loads((self.folder / f"{NAME}.fetched.json").read_text())
        return record


@pytest.fixture
def client(server: FlakyServer, tmp_path: Path) -> Client:
    return Client(server, tmp_path / "downloads")


@pytest.fixture
def with_old(client: Client) -> Client:
    """A client that has the file of Monday, while the server has that of Tuesday."""
    client.server.files[NAME] = File(OLD, '"zero"', MONDAY)
    client()
    client.server.files[NAME] = File(NEW, '"one"', TUESDAY)
    return client


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def test_a_file_is_fetched_with_a_record_of_what_it_is(server: FlakyServer, client: Client) -> None:
    fetched = client()
    assert replace(fetched, seconds=0) == Fetched(
        path=client.folder / NAME,
        url=server.url(),
        is_new=True,
        n_bytes=len(NEW),
        n_bytes_transferred=len(NEW),
        sha256=sha256(NEW),
        checksum=None,
        seconds=0,
    )
    assert (client.body, client.names, client.told) == (NEW, NOTHING_ELSE, [])
    record = client.record()
    assert datetime.fromisoformat(record.pop("fetched_at")).tzinfo is not None
    assert record == {
        "url": server.url(),
        "etag": '"one"',
        "last_modified": MONDAY,
        "n_bytes": len(NEW),
        "sha256": sha256(NEW),
        "checksum": None,
    }
    assert server.asked == [f"HEAD {NAME}", *NO_CHECKSUM, f"GET {NAME}"]


def test_we_say_who_we_are_and_want_the_bytes_as_they_are(server: FlakyServer, client: Client) -> None:
    heard: list[tuple[str | None, str | None]] = []

    def answer(request: Request) -> None:
        heard.append((request.header("User-Agent"), request.header("Accept-Encoding")))
        request.send_file()

    server.next(answer)
    client()
    assert heard == [("factmill/0.1.0", "identity")]


def test_a_file_that_the_server_calls_packed_is_not_unpacked(server: FlakyServer, client: Client) -> None:
    server.next(exactly(200, {"Content-Encoding": "gzip", "Content-Length": str(len(NEW))}, NEW))
    client()
    assert client.body == NEW


# --- Unchanged or not ---


@pytest.mark.parametrize(
    "file",
    [File(NEW), File(NEW, etag='W/"weak"'), File(NEW, etag=None), File(NEW, last_modified=None)],
    ids=["etag", "weak etag", "time alone", "etag alone"],
)
def test_an_unchanged_file_is_not_transferred(server: FlakyServer, client: Client, file: File) -> None:
    server.files[NAME] = file
    first = client()
    again = client()
    assert replace(again, seconds=0) == replace(first, seconds=0, is_new=False, n_bytes_transferred=0)
    assert server.asked == [f"HEAD {NAME}"]


def test_a_server_that_ignores_conditions_is_seen_through(server: FlakyServer, client: Client) -> None:
    client()
    server.next(Request.send_file, method="HEAD")
    assert not client().is_new
    assert (server.asked, client.told) == ([f"HEAD {NAME}"], [])


@pytest.mark.parametrize(
    "changed",
    [File(OLD, '"two"'), File(NEW[::-1], '"two"'), File(NEW[::-1], None, TUESDAY), File(OLD, None, None)],
    ids=["etag and size", "etag", "time", "size alone"],
)
def test_a_changed_file_replaces_the_one_before(server: FlakyServer, client: Client, changed: File) -> None:
    client()
    server.files[NAME] = changed
    assert client().is_new
    assert (client.body, client.names) == (changed.body, NOTHING_ELSE)
    assert client.record()["sha256"] == sha256(changed.body)


def test_without_validators_the_size_is_compared_and_that_is_said(server: FlakyServer, client: Client) -> None:
    server.files[NAME] = File(NEW, None, None)
    client()
    assert not client().is_new
    assert client.told == [f"/{NAME} has neither ETag nor time of change: only its size is compared."]


def test_where_nothing_can_be_told_that_is_said_and_the_file_fetched(server: FlakyServer, client: Client) -> None:
    server.files[NAME] = File(NEW, None, None)
    for _ in range(2):
        server.next(exactly(200, {}), method="HEAD")
        server.next(exactly(200, {"Transfer-Encoding": "chunked"}, *chunked(NEW[:HALF], NEW[HALF:])))
        fetched = client()
    assert fetched.is_new
    assert client.told == [f"/{NAME} does not show whether it changed. Fetching it again."]
    assert client.body == NEW


@pytest.mark.parametrize("damage", ["file gone", "file cut", "record gone", "record damaged", "other address"])
def test_a_record_that_is_not_of_the_file_is_not_believed(server: FlakyServer, client: Client, damage: str) -> None:
    server.files["mirror/" + NAME] = server.files[NAME]
    client(server.url("mirror/" + NAME) if damage == "other address" else None)
    target, record = client.folder / NAME, client.folder / f"{NAME}.fetched.json"
    if damage == "file gone":
        target.unlink()
    elif damage == "file cut":
        os.truncate(target, 10)
    elif damage == "record gone":
        record.unlink()
    elif damage == "record damaged":
        record.write_text('{"url":')
    assert client().n_bytes_transferred == len(NEW)
    assert (client.body, client.record()["url"]) == (NEW, server.url())


def test_a_server_that_knows_no_head_is_asked_otherwise(server: FlakyServer, client: Client) -> None:
    server.always(status(405), "HEAD")
    client()
    assert not client().is_new
    assert server.asked == [f"HEAD {NAME}", f"GET {NAME}"]


def test_redirects_are_followed_and_the_name_is_that_asked_for(server: FlakyServer, client: Client) -> None:
    server.redirects["latest.nt.gz"] = "/moved.nt.gz"
    server.redirects["moved.nt.gz"] = server.url()
    fetched = client(server.url("latest.nt.gz"))
    assert (fetched.path.name, fetched.url, fetched.path.read_bytes()) == (
        "latest.nt.gz",
        server.url("latest.nt.gz"),
        NEW,
    )


# --- Resuming ---


@pytest.mark.parametrize("trouble", [cut(HALF), reset(HALF), stall(HALF)], ids=["cut", "reset", "stall"])
@pytest.mark.parametrize("file", [File(NEW), File(NEW, etag=None), File(NEW, etag='W/"w"')], ids=["etag", "time", "w"])
def test_a_download_that_breaks_off_goes_on_where_it_ended(
    server: FlakyServer, client: Client, trouble: Answer, file: File
) -> None:
    server.files[NAME] = file
    server.next(trouble)
    fetched = client(timeout_seconds=0.3)
    *_, first, second = server.asked
    start = int(second.removeprefix(f"GET {NAME} bytes=").removesuffix("-"))
    assert (first, 0 < start <= HALF) == (f"GET {NAME}", True)
    assert (fetched.n_bytes_transferred, fetched.sha256, client.body) == (len(NEW), sha256(NEW), NEW)
    assert client.names == NOTHING_ELSE


@pytest.mark.parametrize(
    ("file", "condition"), [(File(NEW), '"one"'), (File(NEW, 'W/"w"'), MONDAY)], ids=["strong etag", "weak etag"]
)
def test_the_rest_is_asked_for_on_the_condition_that_nothing_changed(
    server: FlakyServer, client: Client, file: File, condition: str
) -> None:
    heard: list[str | None] = []

    def answer(request: Request) -> None:
        heard.append(request.header("If-Range"))
        request.send_file()

    server.files[NAME] = file
    server.next(cut(HALF), answer)
    client()
    assert heard == [condition]


def test_progress_counts_the_part_that_is_here_and_takes_back_what_is_lost(server: FlakyServer, tmp_path: Path) -> None:
    url, part = httpx.URL(server.url()), PartFile(tmp_path / NAME)
    steps: list[int] = []

    def advance(done: int, lines: int = 0) -> None:
        steps.append(done)

    remote = Remote(url=server.url(), etag='"one"', last_modified=MONDAY, n_bytes=len(NEW))
    server.next(cut(HALF), cut(1_000), whole_again)
    with open_client(5) as connection:
        for reached in (HALF, HALF + 1_000):
            transfer = Transfer(connection, url, remote, part, lambda _: None)
            with pytest.raises(SourceUnavailable):
                transfer.run(advance, has_checksum=False)
            assert sum(steps) == reached
        left = PartFile(tmp_path / NAME)
        steps.clear()
        left.take_up(remote, ["sha256"], advance)
        assert sum(steps) == HALF + 1_000
        Transfer(connection, url, remote, left, lambda _: None).run(advance, has_checksum=False)
    assert (sum(steps), left.digest("sha256")) == (len(NEW), sha256(NEW))


def test_a_part_is_of_no_use_once_the_file_is_again_what_it_was(server: FlakyServer, with_old: Client) -> None:
    server.next(cut(HALF), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        with_old()
    server.files[NAME] = File(OLD, '"zero"', MONDAY)
    assert not with_old().is_new
    assert (with_old.body, with_old.names) == (OLD, NOTHING_ELSE)


def test_any_number_of_breaks_is_fine_as_long_as_something_arrives(server: FlakyServer, client: Client) -> None:
    server.next(*[cut(10_000) for _ in range(20)])
    client(attempts=1 + 1)
    assert client.body == NEW
    assert server.asked.count(f"GET {NAME} bytes=200000-") == 1


def test_attempts_that_bring_nothing_are_limited(server: FlakyServer, client: Client) -> None:
    server.next(cut(HALF))
    server.always(cut(0))
    with pytest.raises(SourceUnavailable) as caught:
        client()
    assert str(caught.value) == f"{server.url()} ended after 150,000 of 300,000 bytes."
    assert server.asked[-4:] == [f"GET {NAME}", *[f"GET {NAME} bytes=150000-"] * 3]
    assert client.names == [".fetch.lock", f"{NAME}.part", f"{NAME}.part.json"]
    assert client.part() == NEW[:HALF]


def test_the_next_run_goes_on_where_the_last_ended(server: FlakyServer, client: Client) -> None:
    server.next(cut(HALF), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        client()
    fetched = client()
    assert client.told == ["Resuming after 150,000 bytes."]
    assert server.asked == [f"HEAD {NAME}", *NO_CHECKSUM, f"GET {NAME} bytes=150000-"]
    assert (fetched.n_bytes_transferred, fetched.n_bytes, fetched.sha256) == (HALF, len(NEW), sha256(NEW))
    assert (client.body, client.names) == (NEW, NOTHING_ELSE)


def test_a_killed_run_is_resumed_by_the_next(server: FlakyServer, client: Client) -> None:
    server.next(stall(HALF))
    words = [sys.executable, "-m", "factmill", "fetch", "wikidata", "--url", server.url(), "--to", str(client.folder)]
    with subprocess.Popen(words, cwd=ROOT) as run:
        part = client.folder / f"{NAME}.part"
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size == HALF):
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    fetched = client()
    assert (fetched.n_bytes_transferred, client.body, client.names) == (HALF, NEW, NOTHING_ELSE)


def test_a_part_that_is_whole_is_confirmed_by_its_last_byte(server: FlakyServer, client: Client) -> None:
    server.next(cut(HALF), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        client()
    (client.folder / f"{NAME}.part").write_bytes(NEW)
    assert client().n_bytes_transferred == 1
    assert (server.asked[-1], client.body) == (f"GET {NAME} bytes=299999-", NEW)


@pytest.mark.parametrize("damage", ["part gone", "state gone", "state damaged"])
def test_a_part_that_nothing_is_known_about_is_not_used(server: FlakyServer, client: Client, damage: str) -> None:
    server.next(cut(HALF), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        client()
    part, state = client.folder / f"{NAME}.part", client.folder / f"{NAME}.part.json"
    if damage == "part gone":
        part.unlink()
    elif damage == "state gone":
        state.unlink()
    else:
        state.write_text("{}")
    assert client().n_bytes_transferred == len(NEW)
    assert (client.body, client.names) == (NEW, NOTHING_ELSE)


def test_a_part_of_another_state_is_not_used_in_the_next_run(server: FlakyServer, client: Client) -> None:
    server.next(cut(HALF), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        client()
    server.files[NAME] = File(OLD, '"two"')
    client()
    assert client.told == [f"{NAME}.part is not of the file as it is now. Starting over."]
    assert (client.body, server.asked[-1]) == (OLD, f"GET {NAME}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (File(OLD, '"a"'), File(NEW, '"b"')),
        (File(OLD, None, MONDAY), File(NEW, None, TUESDAY)),
        (File(NEW[::-1], None, MONDAY), File(NEW, None, TUESDAY)),
        (File(NEW + OLD, '"a"'), File(NEW[:9], '"b"')),
    ],
    ids=["etag", "time and size", "time", "shorter than the part"],
)
@pytest.mark.parametrize("looks_at_if_range", [True, False])
def test_a_file_that_changes_in_the_middle_is_begun_again(
    server: FlakyServer, client: Client, before: File, after: File, looks_at_if_range: bool
) -> None:
    def change(request: Request) -> None:
        cut(100_000)(request)
        server.files[NAME] = after

    def rest(request: Request) -> None:
        total = len(request.file.body)
        if total <= 100_000:
            status(416)(request)
        else:
            place = {"Content-Range": f"bytes 100000-{total - 1}/{total}", "Content-Length": str(total - 100_000)}
            exactly(206, place, request.file.body[100_000:])(request)

    server.files[NAME] = before
    server.next(change, Request.send_properly if looks_at_if_range else rest)
    fetched = client()
    assert client.told[-1] == f"/{NAME} changed in the middle. Starting over."
    assert (client.body, fetched.sha256, client.names) == (after.body, sha256(after.body), NOTHING_ELSE)


def test_a_file_that_changes_all_the_time_is_given_up(server: FlakyServer, with_old: Client) -> None:
    def change(request: Request) -> None:
        server.files[NAME] = File(NEW, f'"{len(server.asked)}"')
        request.send_file()

    server.always(change, "HEAD")
    with pytest.raises(SourceUnavailable, match=r"changed in the middle\. This happened 5 times\. Nothing was fetched"):
        with_old()
    assert (with_old.body, with_old.names) == (OLD, NOTHING_ELSE)


def test_a_server_that_ignores_ranges_is_begun_again(server: FlakyServer, client: Client) -> None:
    server.next(cut(HALF), whole_again)
    fetched = client()
    assert client.told[-1] == f"/{NAME} cannot be resumed. Starting over."
    assert (fetched.n_bytes_transferred, client.body) == (HALF + len(NEW), NEW)


def test_without_validators_nothing_is_resumed(server: FlakyServer, client: Client) -> None:
    server.files[NAME] = File(NEW, None, None)
    server.next(cut(HALF))
    client()
    assert server.asked[-2:] == [f"GET {NAME}", f"GET {NAME}"]
    assert client.body == NEW


def test_a_server_that_sends_less_than_the_rest_is_asked_for_more(server: FlakyServer, client: Client) -> None:
    place = {"Content-Range": "bytes 150000-199999/300000", "Content-Length": "50000"}
    server.next(cut(HALF), exactly(206, place, NEW[HALF:200_000]))
    client()
    assert (client.body, server.asked[-1]) == (NEW, f"GET {NAME} bytes=200000-")


# --- Waiting ---


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_a_server_that_is_busy_for_a_moment_does_no_harm(server: FlakyServer, client: Client, method: str) -> None:
    server.next(status(503), status(502), method=method)
    client()
    assert client.body == NEW
    assert client.told[0] == f"/{NAME} answers 503 Service Unavailable. Trying again in 0 s."


def test_a_server_is_not_asked_before_it_wants_to(server: FlakyServer, client: Client) -> None:
    server.next(status(429, Retry_After="1"))
    fetched = client()
    assert (client.body, 1 <= fetched.seconds < 3) == (NEW, True)
    assert client.told == [f"/{NAME} answers 429 Too Many Requests and asks to wait 1 s. Trying again in 1 s."]


def test_a_server_that_wants_a_day_is_not_waited_for(server: FlakyServer, client: Client) -> None:
    server.always(status(429, Retry_After="86400"), "HEAD")
    with pytest.raises(SourceUnavailable, match="answers 429 Too Many Requests and asks to wait 86,400 s"):
        client()
    assert server.asked == [f"HEAD {NAME}"]


def test_waits_grow_until_patience_is_over(server: FlakyServer, client: Client) -> None:
    server.always(status(503), "HEAD")
    started = time.monotonic()
    with pytest.raises(SourceUnavailable, match="answers 503"):
        client(attempts=4, wait_seconds=0.1)
    assert 0.7 <= time.monotonic() - started < 1.5
    assert len(server.asked) == 4


# --- Checksums ---


def lines(*named: tuple[str, str]) -> File:
    return File("".join(f"{digest}  {name}\n" for digest, name in named).encode(), content_type="text/plain")


@pytest.mark.parametrize("algorithm", ["sha256", "sha1", "md5"])
@pytest.mark.parametrize("alone", [False, True])
def test_a_checksum_beside_the_file_is_found_and_compared(
    server: FlakyServer, client: Client, algorithm: str, alone: bool
) -> None:
    digest = hashlib.new(algorithm, NEW).hexdigest()
    name = f"{NAME}.{algorithm}"
    server.files[name] = File(digest.upper().encode()) if alone else lines((digest, f"./{NAME}"))
    assert client().checksum == Checksum(algorithm, digest, server.url(name))
    assert client.record()["checksum"] == {"algorithm": algorithm, "digest": digest, "url": server.url(name)}


@pytest.mark.parametrize("asked", ["wikidata-20240101-truthy-BETA.nt.gz", "latest-truthy.nt.gz"])
def test_wikimedias_lists_of_checksums_are_found(server: FlakyServer, client: Client, asked: str) -> None:
    dated = "wikidata-20240101-truthy-BETA.nt.gz"
    server.files[dated] = File(NEW)
    server.redirects["latest-truthy.nt.gz"] = f"/{dated}"
    digest = hashlib.sha1(NEW).hexdigest()
    listed = "wikidata-20240101-sha1sums.txt"
    server.files[listed] = lines(("0" * 40, "wikidata-20240101-all.json.gz"), (digest, dated))
    assert client(server.url(asked)).checksum == Checksum("sha1", digest, server.url(listed))
    (client.folder / asked).unlink()
    assert client(server.url(asked), checksums=server.url(listed)).checksum == Checksum(
        "sha1", digest, server.url(listed)
    )


def test_a_list_beside_the_file_that_is_none_is_left_aside_and_that_is_said(
    server: FlakyServer, client: Client
) -> None:
    server.files[f"{NAME}.sha256"] = File(b"soon to come\n", content_type="text/plain")
    server.files[f"{NAME}.sha1"] = File(f"{sha256(NEW)}\n{sha256(OLD)}\n".encode())
    server.files[f"{NAME}.md5"] = File(b"<html>", content_type="text/html; charset=utf-8")
    assert client().checksum is None
    assert client.told == [
        f"/{NAME}.{end} names no checksum of {NAME} and is left aside." for end in ("sha256", "sha1")
    ]


def test_a_given_list_is_compared(server: FlakyServer, client: Client) -> None:
    digest = sha256(NEW)
    server.files["sums"] = lines((sha256(OLD), "other.nt.gz"), (digest, f"*{NAME}"))
    assert client(checksums=server.url("sums")).checksum == Checksum("sha256", digest, server.url("sums"))
    assert server.asked == [f"HEAD {NAME}", "GET sums", f"GET {NAME}"]


def test_a_resumed_file_is_compared_as_a_whole(server: FlakyServer, client: Client) -> None:
    digest = hashlib.md5(NEW).hexdigest()
    server.files["sums"] = lines((digest, NAME))
    server.next(cut(HALF), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        client()
    fetched = client(checksums=server.url("sums"))
    assert (fetched.n_bytes_transferred, fetched.checksum) == (HALF, Checksum("md5", digest, server.url("sums")))


def test_a_wrong_checksum_deletes_what_came_and_says_so(server: FlakyServer, with_old: Client) -> None:
    server.files[f"{NAME}.sha256"] = lines((sha256(OLD), NAME))
    record = with_old.record()
    with pytest.raises(SourceIncomplete) as caught:
        with_old()
    assert str(caught.value) == (
        f"{NAME} has the sha256 {sha256(NEW)}, but {server.url(NAME)}.sha256 says {sha256(OLD)}."
        " It was deleted; fetch it again."
    )
    assert (with_old.body, with_old.names, with_old.record()) == (OLD, NOTHING_ELSE, record)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (lines((sha256(NEW), "other.gz")), ConfigError, f"/sums names no checksum of {NAME}, or several."),
        (
            lines((sha256(NEW), f"a/{NAME}"), (sha256(OLD), f"b/{NAME}"), (sha256(OLD), "c.gz")),
            ConfigError,
            f"/sums names no checksum of {NAME}, or several.",
        ),
        (File(b"soon"), SourceFormatError, "/sums is no list of checksums in the form of sha256sum."),
        (lines((sha256(NEW)[1:], NAME)), SourceFormatError, "/sums is no list of checksums in the form of sha256sum."),
        (File(b"\0" * 5_000_000), SourceFormatError, "/sums is no list of checksums in the form of sha256sum."),
        (None, ConfigError, "/sums answers 404 Not Found. Check the address."),
    ],
    ids=["other file", "two files", "text", "odd length", "huge", "missing"],
)
def test_a_given_list_that_does_not_help_is_an_error(
    server: FlakyServer, client: Client, given: File | None, error: type[FactmillError], message: str
) -> None:
    if given:
        server.files["sums"] = given
    with pytest.raises(error) as caught:
        client(checksums=server.url("sums"))
    assert str(caught.value) == server.root + message
    assert client.names == [".fetch.lock"]


def test_an_unchanged_file_is_compared_with_a_list_that_is_given_later(server: FlakyServer, client: Client) -> None:
    client()
    server.files["sums"] = lines((sha256(NEW), NAME))
    for asked in ([f"HEAD {NAME}", "GET sums"], [f"HEAD {NAME}"]):
        fetched = client(checksums=server.url("sums"))
        assert (fetched.is_new, fetched.checksum) == (False, Checksum("sha256", sha256(NEW), server.url("sums")))
        assert server.asked == asked
    server.files["wrong"] = lines((sha256(OLD), NAME))
    with pytest.raises(SourceIncomplete, match="Delete it and fetch it again"):
        client(checksums=server.url("wrong"))
    assert client.body == NEW


# --- What fails leaves the file before ---

LENGTH = {"Content-Length": "300000"}
CHUNKED = {"Transfer-Encoding": "chunked"}
FAILURES: dict[str, tuple[list[Answer], type[FactmillError], str]] = {
    "404": ([status(404)], ConfigError, "answers 404 Not Found. Check the address."),
    "403": ([status(403)], ConfigError, "answers 403 Forbidden. Check the address."),
    "204": ([status(204)], SourceFormatError, "answers 204 No Content. That is not a file."),
    "304 to nothing": ([status(304)], SourceFormatError, "answers 304 Not Modified. That is not a file."),
    "503 for ever": ([status(503)] * 3, SourceUnavailable, "answers 503 Service Unavailable."),
    "stalls for ever": ([stall(0)] * 3, SourceUnavailable, "sends nothing for 0.2 s."),
    "a page": (
        [exactly(200, LENGTH | {"Content-Type": "text/html; charset=utf-8"}, NEW)],
        SourceFormatError,
        "is a web page (text/html), not a file. Check the address.",
    ),
    "nothing": ([exactly(200, {"Content-Length": "0"})], SourceFormatError, "is empty."),
    "no chunk": ([exactly(200, CHUNKED, *chunked())], SourceFormatError, "is empty."),
    "shorter than promised": (
        [cut(1_000), *[cut(0)] * 3],
        SourceUnavailable,
        "ended after 1,000 of 300,000 bytes.",
    ),
    "a shorter end": (
        [exactly(200, LENGTH | CHUNKED, *chunked(NEW[:1_000])), *[cut(0)] * 3],
        SourceUnavailable,
        "ended after 1,000 of 300,000 bytes.",
    ),
    "longer than promised": (
        [exactly(200, LENGTH | CHUNKED, *chunked(NEW, b"more"))],
        SourceFormatError,
        "sends more than the 300,000 bytes that it promised. Nothing of it is kept.",
    ),
    "two lengths": (
        [exactly(200, {"Content-Length": "5"}, NEW[:5])],
        SourceFormatError,
        "says that its file has 300,000 bytes, and then that the same file has 5.",
    ),
    "a part unasked": (
        [exactly(206, {"Content-Range": "bytes 0-9/300000", "Content-Length": "10"}, NEW[:10])],
        SourceFormatError,
        "sends a part of the file where all of it was asked for.",
    ),
    "a part of another length": (
        [cut(1_000), exactly(206, {"Content-Range": "bytes 1000-1009/1010", "Content-Length": "10"}, NEW[:10])],
        SourceFormatError,
        "says that its file has 300,000 bytes, and then that the same file has 1,010.",
    ),
    "a longer part": (
        [
            cut(1_000),
            exactly(206, {"Content-Range": "bytes 1000-1009/300000"} | CHUNKED, *chunked(NEW[1_000:1_020])),
        ],
        SourceFormatError,
        "sends more than the 1,010 bytes that it promised. Nothing of it is kept.",
    ),
}


@pytest.mark.parametrize(("answers", "error", "message"), FAILURES.values(), ids=FAILURES)
def test_every_failure_is_named_and_leaves_the_file_before(
    with_old: Client, answers: list[Answer], error: type[FactmillError], message: str
) -> None:
    record = with_old.record()
    with_old.server.next(*answers)
    with pytest.raises(error) as caught:
        with_old(timeout_seconds=0.2)
    assert (type(caught.value).__mro__[:-1].count(error), str(caught.value)) == (
        1,
        f"{with_old.server.url()} {message}",
    )
    assert (with_old.body, with_old.record()) == (OLD, record)
    with_old()
    assert (with_old.body, with_old.names) == (NEW, NOTHING_ELSE)


PLACE = {"Content-Range": "bytes 0-9/300000", "Content-Length": "10"}
USELESS_PARTS: dict[str, tuple[Answer, str]] = {
    "of nothing": (
        exactly(206, {"Content-Length": "10"}, NEW[:10]),
        "sends a part of the file and does not say which: ''.",
    ),
    "several": (
        exactly(206, {"Content-Type": "multipart/byteranges; boundary=x", "Content-Length": "10"}, NEW[:10]),
        "sends a part of the file and does not say which: ''.",
    ),
    "another": (
        exactly(206, PLACE, NEW[:10]),
        "was asked for the bytes from 2,000 of 300,000 and sends those from 0 to 9.",
    ),
    "beyond the end": (
        exactly(206, {"Content-Range": "bytes 2000-300000/300000", "Content-Length": "298001"}, NEW),
        "was asked for the bytes from 2,000 of 300,000 and sends those from 2,000 to 300,000.",
    ),
}


@pytest.mark.parametrize(("useless", "reason"), USELESS_PARTS.values(), ids=USELESS_PARTS)
def test_a_part_that_is_of_no_use_is_told_and_the_whole_file_asked_for(
    server: FlakyServer, client: Client, useless: Answer, reason: str
) -> None:
    server.next(cut(2_000), useless)
    client()
    assert client.told[-1] == f"/{NAME} {reason} Starting over."
    assert (client.body, server.asked[-1]) == (NEW, f"GET {NAME}")


def test_a_server_that_only_sends_such_parts_is_given_up(server: FlakyServer, with_old: Client) -> None:
    server.next(*[cut(2_000), exactly(206, PLACE, NEW[:10])] * 5)
    with pytest.raises(SourceUnavailable, match=r"sends those from 0 to 9\. This happened 5 times"):
        with_old()
    assert (with_old.body, with_old.names) == (OLD, NOTHING_ELSE)


@pytest.mark.parametrize(
    ("file", "headers"),
    [
        (File(NEW, 'W/"w"', MONDAY), {"ETag": 'W/"w"', "Content-Range": "bytes 150000-299999/300000"}),
        (File(NEW, None, MONDAY), {"Last-Modified": MONDAY, "Content-Range": "bytes 150000-299999/*"}),
    ],
    ids=["without its time", "without its length"],
)
def test_a_rest_that_does_not_repeat_everything_is_taken(
    server: FlakyServer, client: Client, file: File, headers: dict[str, str]
) -> None:
    def rest(request: Request) -> None:
        request.send(206, headers | {"Content-Length": "150000"}, NEW[HALF:])

    server.files[NAME] = file
    server.next(cut(HALF), rest)
    assert client().n_bytes_transferred == len(NEW)
    assert client.body == NEW


def test_a_length_that_was_said_before_is_a_promise(server: FlakyServer, with_old: Client) -> None:
    server.next(exactly(200, CHUNKED, *chunked(NEW[:2_000])))
    with_old()
    assert (with_old.body, server.asked[-1]) == (NEW, f"GET {NAME} bytes=2000-")


def test_without_any_length_nobody_can_tell_when_a_file_is_whole(server: FlakyServer, with_old: Client) -> None:
    server.always(exactly(200, {}), "HEAD")
    server.next(exactly(200, {}, NEW))
    with pytest.raises(SourceFormatError, match=r"does not say how long the file is.* Name its checksums"):
        with_old()
    assert with_old.body == OLD


def trickle(request: Request) -> None:
    request.send(200, request.file.headers() | {"Content-Length": str(len(NEW))})
    for byte in NEW[:50]:
        request.send_more(bytes([byte]))
        time.sleep(0.02)


def test_a_server_that_only_trickles_is_given_up(server: FlakyServer, client: Client) -> None:
    server.always(trickle)
    with pytest.raises(SourceUnavailable, match=r"sends only \d+ bytes in 0 s"):
        client(timeout_seconds=0.2)


def test_a_server_that_dislikes_being_asked_is_asked_for_the_file(server: FlakyServer, client: Client) -> None:
    for code in (404, 500, 501):
        server.next(status(code), method="HEAD")
        assert client().path.read_bytes() == NEW


@pytest.mark.parametrize("code", [204, 300, 302, 500, 999])
def test_no_answer_about_a_checksum_that_nobody_asked_for_stops_the_fetch(
    server: FlakyServer, client: Client, code: int
) -> None:
    server.files[f"{NAME}.sha256.gz"] = File(b"")
    server.redirects[f"{NAME}.sha256"] = f"/{NAME}.sha256.gz"
    server.next(*[status(code)] * (3 if code == 500 else 1))
    fetched = client()
    assert (client.body, fetched.checksum) == (NEW, None)
    assert any("left aside" in told or "is not compared with a checksum" in told for told in client.told)


def test_a_given_checksum_may_stand_alone(server: FlakyServer, client: Client) -> None:
    server.files["sum"] = File(sha256(NEW).encode())
    assert client(checksums=server.url("sum")).checksum == Checksum("sha256", sha256(NEW), server.url("sum"))


def test_an_unchanged_file_is_compared_by_the_name_that_it_has_in_the_end(server: FlakyServer, client: Client) -> None:
    server.redirects["latest.nt.gz"] = f"/{NAME}"
    client(server.url("latest.nt.gz"))
    server.files["sums"] = lines((sha256(NEW), NAME))
    fetched = client(server.url("latest.nt.gz"), checksums=server.url("sums"))
    assert (fetched.is_new, fetched.checksum) == (False, Checksum("sha256", sha256(NEW), server.url("sums")))


def test_a_validator_that_is_not_ascii_is_not_sent_back(server: FlakyServer, client: Client) -> None:
    server.files[NAME] = File(NEW, etag='"gr\xfc\xdfe"')
    client()
    assert not client().is_new


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9"),
        ("HTTP_PROXY", "foo://x"),
        ("SSL_CERT_FILE", "/none"),
        ("NO_PROXY", "[::1]"),
    ],
)
def test_an_environment_that_cannot_be_used_is_named(
    client: Client, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=r"the proxy or the certificates that the environment names"):
        client()


def test_bytes_after_the_promised_length_are_no_part_of_the_file(server: FlakyServer, client: Client) -> None:
    server.next(exactly(200, LENGTH, NEW + b"more"))
    assert client().sha256 == sha256(NEW)
    assert client.body == NEW


def test_a_file_without_length_is_taken_if_its_checksum_shows_that_it_is_whole(
    server: FlakyServer, with_old: Client
) -> None:
    server.files[f"{NAME}.sha1"] = lines((hashlib.sha1(NEW).hexdigest(), NAME))
    server.always(exactly(200, {}), "HEAD")
    server.next(exactly(200, {}, NEW[:HALF]))
    with pytest.raises(SourceIncomplete, match="It was deleted"):
        with_old()
    assert (with_old.body, with_old.names) == (OLD, NOTHING_ELSE)
    server.next(exactly(200, {}, NEW))
    with_old()
    assert with_old.body == NEW


def test_a_server_that_is_not_there_is_unavailable(client: Client) -> None:
    url = f"http://127.0.0.1:{free_port()}/{NAME}"
    with pytest.raises(SourceUnavailable, match="cannot be reached or broke off"):
        client(url)
    assert len(client.told) == 2


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://example.org/dump.nt.gz", "is no web address. It starts with http:// or https://."),
        ("downloads/dump.nt.gz", "is no web address. It starts with http:// or https://."),
        ("http:///dump.nt.gz", "is no web address. It starts with http:// or https://."),
        ("http://[::1/dump.nt.gz", "is no web address."),
        ("http://example.org/\udcff", "is no web address."),
        ("http://example.org/", "http://example.org/ does not end with the name of a file."),
        ("http://example.org/..%2Fdump", "http://example.org/..%2Fdump does not end with the name of a file."),
        ("http://u:secret@example.org/.bashrc", "http://example.org/.bashrc does not end with the name of a file."),
        (f"http://{'a' * 70}/dump.nt.gz", "leads nowhere"),
    ],
)
def test_an_address_that_is_none_is_refused(client: Client, url: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        client(url)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("to", ["/loop.nt.gz", "ftp://example.org/dump.nt.gz"])
def test_redirects_that_lead_nowhere_are_refused(server: FlakyServer, client: Client, to: str) -> None:
    server.redirects["loop.nt.gz"] = to
    with pytest.raises(ConfigError, match=r"/loop\.nt\.gz leads nowhere"):
        client(server.url("loop.nt.gz"))


# --- The disk ---


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=False)
    if mounted.returncode:
        pytest.skip("only root can mount a small file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_too_small_is_seen_before_anything_is_transferred(with_old: Client) -> None:
    server = with_old.server
    server.always(exactly(200, {"Content-Length": str(10**18)}), "HEAD", "GET")
    with pytest.raises(ConfigError) as caught:
        with_old()
    start = f"the disk of {with_old.folder} is too small: 1,000,000,000,001,048,576 bytes are needed, "
    end = " are free. Make room, or choose another folder with --to."
    free = str(caught.value).removeprefix(start).removesuffix(end)
    assert (str(caught.value), int(free.replace(",", "")) > 0) == (start + free + end, True)
    assert with_old.body == OLD


def test_what_is_here_already_needs_no_room(server: FlakyServer, small_disk: Path) -> None:
    body = random.Random(3).randbytes(2_600_000)
    server.files[NAME] = File(body)
    client = Client(server, small_disk)
    server.next(cut(2_000_000), *[cut(0)] * 3)
    with pytest.raises(SourceUnavailable):
        client()
    client()
    assert client.body == body


def test_a_disk_that_fills_up_keeps_the_part_for_the_next_run(server: FlakyServer, small_disk: Path) -> None:
    body = random.Random(3).randbytes(2_000_000)
    server.files[NAME] = File(body)
    client = Client(server, small_disk)
    filler = small_disk / "filler"

    def fill_up(request: Request) -> None:
        request.send(200, request.file.headers() | {"Content-Length": str(len(body))}, body[:500_000])
        deadline = time.monotonic() + 5
        part = small_disk / f"{NAME}.part"
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size == 500_000):
            time.sleep(0.01)
        filler.write_bytes(bytes(3_200_000))
        request.send_more(body[500_000:])

    server.next(fill_up)
    with pytest.raises(ConfigError) as caught:
        client()
    kept = len(client.part())
    assert str(caught.value) == (
        f"the disk of {small_disk} is full. {kept:,} bytes are kept in {NAME}.part: make room and run it again."
    )
    assert (500_000 <= kept < len(body), client.part() == body[:kept]) == (True, True)
    filler.unlink()
    assert client().n_bytes_transferred == len(body) - kept
    assert client.body == body


def test_a_folder_that_cannot_be_written_is_refused(server: FlakyServer, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"Choose another folder with --to\."):
        fetch(server.url(), tmp_path / "file" / "downloads")
    (tmp_path / NAME).mkdir()
    with pytest.raises(ConfigError, match="is a folder"):
        fetch(server.url(), tmp_path)
    assert server.asked == []


def test_two_fetches_into_one_folder_do_not_meet(server: FlakyServer, client: Client) -> None:
    held, go_on = threading.Event(), threading.Event()

    def wait(request: Request) -> None:
        held.set()
        go_on.wait(10)
        request.send_file()

    server.next(wait)
    first = threading.Thread(target=client)
    first.start()
    assert held.wait(10)
    with pytest.raises(ConfigError) as caught:
        fetch(server.url(), client.folder)
    go_on.set()
    first.join()
    assert str(caught.value) == (
        f"another fetch is at work in {client.folder}. Wait for it, or choose another folder with --to."
    )
    assert (client.body, client.names) == (NEW, NOTHING_ELSE)


# --- The command line and the step of the flow ---


def test_the_command_says_what_it_did_and_what_comes_next(
    factmill: Callable[..., Outcome], server: FlakyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTMILL_WIKIDATA_URL", server.url())
    path = f"downloads/{NAME}"
    first = factmill("fetch", "wikidata")
    words = first.out.split(" in ")
    assert (first.status, first.err, words[0]) == (0, "", f"Fetched {path}: 300,000 bytes")
    assert words[1].split("\n")[1:] == [
        f"No checksum is published. Its sha256 is {sha256(NEW)}.",
        f"Next: factmill stage wikidata {path}",
        "",
    ]
    server.files["sums"] = lines((sha256(NEW), NAME))
    again = factmill("fetch", "wikidata", "--checksums", server.url("sums"))
    assert again.out == (
        f"{path} is unchanged: 300,000 bytes.\n"
        f"Its sha256 is that of {server.url('sums')}.\n"
        f"Next: factmill stage wikidata {path}\n"
    )
    printed = json.loads(factmill("fetch", "wikidata", "--json").out)
    assert printed | {"seconds": 0} == {
        "path": path,
        "url": server.url(),
        "is_new": False,
        "n_bytes": len(NEW),
        "n_bytes_transferred": 0,
        "sha256": sha256(NEW),
        "checksum": {"algorithm": "sha256", "digest": sha256(NEW), "url": server.url("sums")},
        "seconds": 0,
    }


def test_an_expected_error_is_one_line(factmill: Callable[..., Outcome], server: FlakyServer, tmp_path: Path) -> None:
    outcome = factmill("fetch", "wikidata", "--url", server.url("none.nt.gz"), "--to", tmp_path / "to")
    assert outcome == Outcome(1, "", f"Error: {server.url('none.nt.gz')} answers 404 Not Found. Check the address.\n")


def test_the_checksums_of_the_settings_are_those_of_the_address_in_the_settings(
    factmill: Callable[..., Outcome], server: FlakyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_DOWNLOADS", str(tmp_path / "to"))
    monkeypatch.setenv("FACTMILL_WIKIDATA_URL", server.url())
    monkeypatch.setenv("FACTMILL_WIKIDATA_CHECKSUMS", server.url("sums"))
    server.files["other.nt.gz"] = File(OLD)
    assert factmill("fetch", "wikidata", "--url", server.url("other.nt.gz")).status == 0
    assert (tmp_path / "to" / "other.nt.gz").read_bytes() == OLD
    assert (
        factmill("fetch", "wikidata").err == f"Error: {server.url('sums')} answers 404 Not Found. Check the address.\n"
    )


def test_only_a_dump_at_an_address_is_fetched_before_staging(
    server: FlakyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_DOWNLOADS", str(tmp_path / "to"))
    settings.cache_clear()
    assert fetch_if_remote("wikidata", "dumps/a.nt.gz") == "dumps/a.nt.gz"
    assert fetch_if_remote("dbpedia", "https://example.org/sparql") == "https://example.org/sparql"
    assert fetch_if_remote("imdb", "downloads/imdb") == "downloads/imdb"
    assert server.asked == []
    fetched = fetch_if_remote("wikidata", server.url())
    assert (fetched, Path(fetched).read_bytes()) == (str(tmp_path / "to" / NAME), NEW)


def test_the_weekly_deployment_fetches_from_the_address_of_the_settings() -> None:
    import yaml

    deployments = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    (weekly,) = [deployment for deployment in deployments if deployment["name"] == "wikidata-weekly"]
    assert weekly["parameters"]["location"] == Settings.model_fields["wikidata_url"].default
