"""A client that fetches from a server that may fail; the fixtures are in conftest.py by name."""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from factmill.fetch import Fetched, fetch
from tests.flaky_server import (
    MONDAY,
    TUESDAY,
    File,
    FlakyServer,
    flaky_server,
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


def lines(*named: tuple[str, str]) -> File:
    return File("".join(f"{digest}  {name}\n" for digest, name in named).encode(), content_type="text/plain")
