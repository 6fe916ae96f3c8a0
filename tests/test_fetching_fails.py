"""What fails is named and leaves the file before."""

import hashlib
import random
import threading
import time
from pathlib import Path

import pytest

from factmill.errors import ConfigError, FactmillError, SourceFormatError, SourceIncomplete, SourceUnavailable
from factmill.fetch import fetch
from factmill.sparql_server import free_port
from tests.fetching import HALF, NAME, NEW, NOTHING_ELSE, OLD, Client, lines, sha256
from tests.flaky_server import (
    MONDAY,
    Answer,
    File,
    FlakyServer,
    Request,
    chunked,
    cut,
    exactly,
    stall,
    status,
)

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
