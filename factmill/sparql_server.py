"""A SPARQL server on loopback for the demo and the tests: Oxigraph, loaded with a file, gone when its user is.

The server runs under a keeper, this module as a program, which ends it as soon as its own input ends. So the server
goes away even if the process that wanted it is killed.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factmill.errors import ConfigError, SourceUnavailable

_START_SECONDS = 30
_PORT_ATTEMPTS = 5


@contextmanager
def sparql_server(data: Path, *, is_writable: bool = False) -> Iterator[str]:
    """Serve a file of triples on a free port; give the address of its SPARQL endpoint.

    One that is writable takes updates at `/update` beside it.
    """
    program = _program()
    with tempfile.TemporaryDirectory(prefix="factmill-sparql-") as store:
        load = [program, "load", "--location", store, "--file", str(data)]
        loaded = subprocess.run(load, capture_output=True, text=True, check=False)
        if loaded.returncode:
            raise ConfigError(f"{data} cannot be loaded: {loaded.stderr.strip()[:300]}")
        keeper, url = _start([program, "serve" if is_writable else "serve-read-only", "--location", store])
        try:
            with _no_proxy_for_loopback():
                yield url
        finally:
            _stop(keeper)


@contextmanager
def _no_proxy_for_loopback() -> Iterator[None]:
    """Keep a proxy in the environment out of the way: urllib would send it even requests to this machine."""
    before = {name: os.environ.get(name) for name in ("no_proxy", "NO_PROXY")}
    os.environ.update({name: f"{value},127.0.0.1" if value else "127.0.0.1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _start(server: list[str]) -> tuple[subprocess.Popen[bytes], str]:
    """Start the server; another program may take the port that was free a moment ago, so try a few."""
    message = ""
    for _ in range(_PORT_ATTEMPTS):
        port = free_port()
        command = [*server, "--bind", f"127.0.0.1:{port}"]
        keeper = subprocess.Popen(
            [sys.executable, "-m", "factmill.sparql_server", *command], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        url = f"http://127.0.0.1:{port}/query"
        if _answers(url, keeper):
            return keeper, url
        message = _stop(keeper)
    raise SourceUnavailable(f"the SPARQL server does not start on loopback: {message[-300:]}. Try again.")


def _answers(url: str, keeper: subprocess.Popen[bytes]) -> bool:
    """Wait until our server answers; False if it ended instead."""
    deadline = time.monotonic() + _START_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline and keeper.poll() is None:
        try:
            with direct.open(f"{url}?query=ASK%20%7B%7D", timeout=5):
                # Somebody else's server on a port we did not get would answer too, while ours ends.
                time.sleep(0.05)
                return keeper.poll() is None
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    return False


def _stop(keeper: subprocess.Popen[bytes]) -> str:
    """End the keeper and with it the server; return what they said last."""
    _, errors = keeper.communicate()
    return errors.decode("utf-8", "replace").strip()


def free_port() -> int:
    """Return a port on loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _program() -> str:
    beside = Path(sys.executable).parent / "oxigraph"
    program = str(beside) if beside.exists() else shutil.which("oxigraph")
    if program is None:
        raise ConfigError("the program oxigraph is missing. Install factmill with its dependencies again.")
    return program


def _keep(command: list[str]) -> int:
    """Run the server until it ends or until our input does."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def end_with_input() -> None:
        sys.stdin.buffer.read()
        server.terminate()

    threading.Thread(target=end_with_input, daemon=True).start()
    return server.wait()


if __name__ == "__main__":
    # Ctrl-C goes to every process of the terminal; the server ends when its user has cleaned up.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(_keep(sys.argv[1:]))
