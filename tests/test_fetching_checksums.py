"""A file is compared with its checksum, where there is one."""

import hashlib

import pytest

from factmill.errors import ConfigError, FactmillError, SourceFormatError, SourceIncomplete, SourceUnavailable
from factmill.fetch_record import Checksum
from tests.fetching import HALF, NAME, NEW, NOTHING_ELSE, OLD, Client, lines, sha256
from tests.flaky_server import (
    File,
    FlakyServer,
    cut,
    status,
)


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
