"""A dump is fetched if it changed."""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from factmill.fetch import Fetched
from factmill.settings import Settings, settings
from factmill.steps import fetch_if_remote
from tests.conftest import ROOT, Outcome
from tests.fetching import HALF, NAME, NEW, NO_CHECKSUM, NOTHING_ELSE, OLD, Client, lines, sha256
from tests.flaky_server import (
    MONDAY,
    TUESDAY,
    File,
    FlakyServer,
    Request,
    chunked,
    exactly,
    status,
)


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


@pytest.fixture
def data_sets(server: FlakyServer) -> dict[str, bytes]:
    """IMDb's files as the demo has them, packed as IMDb does, on the server."""
    folder = ROOT / "demo" / "imdb"
    files = {f"{path.name}.gz": gzip.compress(path.read_bytes(), mtime=0) for path in folder.glob("*.tsv")}
    for name, body in files.items():
        server.files[f"sets/{name}"] = File(body)
    return files


@pytest.mark.parametrize("url", ["sets", "sets/"])
def test_imdbs_files_are_fetched_into_a_folder_that_can_be_staged(
    factmill: Callable[..., Outcome], server: FlakyServer, tmp_path: Path, data_sets: dict[str, bytes], url: str
) -> None:
    to = tmp_path / "imdb"
    words = ["fetch", "imdb", "--url", server.url(url), "--to", str(to)]
    first = factmill(*words)
    assert (first.status, first.out.splitlines()[-1]) == (0, f"Next: factmill stage imdb {to}")
    assert {path.name: path.read_bytes() for path in to.glob("*.tsv.gz")} == data_sets
    again = json.loads(factmill(*words, "--json").out)
    assert [(Path(row["path"]).name in data_sets, row["is_new"]) for row in again] == [(True, False)] * len(data_sets)
    assert factmill("stage", "imdb", to).status == 0


def test_imdbs_files_at_an_address_are_fetched_before_staging(
    server: FlakyServer, tmp_path: Path, data_sets: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACTMILL_DOWNLOADS", str(tmp_path / "to"))
    settings.cache_clear()
    folder = fetch_if_remote("imdb", server.url("sets/"))
    assert (folder, len(list(Path(folder).glob("*.tsv.gz")))) == (str(tmp_path / "to" / "imdb"), len(data_sets))


@pytest.mark.parametrize(("name", "setting"), [("wikidata-weekly", "wikidata_url"), ("imdb-daily", "imdb_url")])
def test_the_scheduled_deployments_fetch_from_the_addresses_of_the_settings(name: str, setting: str) -> None:
    import yaml

    deployments = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    (found,) = [deployment for deployment in deployments if deployment["name"] == name]
    assert found["parameters"]["location"] == Settings.model_fields[setting].default
