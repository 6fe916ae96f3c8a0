"""A download that breaks off goes on where it ended, if the file is still the same."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from factmill.errors import SourceUnavailable
from factmill.fetch_record import Remote
from factmill.partfile import PartFile
from factmill.remote import open_client
from factmill.transfer import Transfer
from tests.conftest import ROOT
from tests.fetching import HALF, NAME, NEW, NO_CHECKSUM, NOTHING_ELSE, OLD, Client, sha256
from tests.flaky_server import (
    MONDAY,
    TUESDAY,
    Answer,
    File,
    FlakyServer,
    Request,
    cut,
    exactly,
    reset,
    stall,
    status,
    whole_again,
)


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
