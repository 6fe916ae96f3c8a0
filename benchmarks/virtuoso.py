"""A Virtuoso on loopback with the limits of DBpedia's public endpoint, for tests and benchmarks.

It needs Debian's virtuoso-opensource-7-bin; nothing else in the project does. Like the public one it cuts every answer
at 10,000 rows, sorts no more than that, and refuses queries that take too long.
"""

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from factmill.sparql_server import free_port

MAX_ROWS = 10_000
MAX_SECONDS = 10
GRAPH = "http://dbpedia.org"
_START_SECONDS = 60
_LOAD_SECONDS = 120
_PASSWORD = "dba"  # the one it starts with, on a server that nobody else can reach

_CONFIGURATION = """
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
TempStorage = TempDatabase
[TempDatabase]
DatabaseFile = temporary.db
TransactionFile = temporary.trx
[Parameters]
ServerPort = 127.0.0.1:{sql_port}
DisableUnixSocket = 1
ServerThreads = 10
NumberOfBuffers = 40000
MaxDirtyBuffers = 30000
DirsAllowed = .
MaxSortedTopRows = {max_rows}
[HTTPServer]
ServerPort = 127.0.0.1:{http_port}
ServerThreads = 8
[SPARQL]
DefaultGraph = {graph}
ResultSetMaxRows = {max_rows}
MaxQueryCostEstimationTime = 1500
MaxQueryExecutionTime = {max_seconds}
"""


def is_installed() -> bool:
    """Tell whether this machine has a Virtuoso."""
    return shutil.which("virtuoso-t") is not None and shutil.which("isql-vt") is not None


@contextmanager
def virtuoso_server(files: Sequence[Path]) -> Iterator[str]:
    """Serve N-Triples files (.nt or .nt.gz) on a free port; give the address of the SPARQL endpoint."""
    with tempfile.TemporaryDirectory(prefix="factmill-virtuoso-") as name:
        folder = Path(name)
        sql_port, http_port = free_port(), free_port()
        (folder / "virtuoso.ini").write_text(
            _CONFIGURATION.format(
                sql_port=sql_port, http_port=http_port, graph=GRAPH, max_rows=MAX_ROWS, max_seconds=MAX_SECONDS
            )
        )
        for number, file in enumerate(files):
            shutil.copyfile(file, folder / f"{number:02}-{file.name}")
        # The keeper ends the server when we do, whatever happens to us.
        keeper = [sys.executable, "-m", "factmill.sparql_server"]
        server = [*keeper, "virtuoso-t", "+foreground", "+configfile", "virtuoso.ini"]
        with subprocess.Popen(server, cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                url = f"http://127.0.0.1:{http_port}/sparql"
                _wait_for(url, process)
                _load(folder, sql_port)
                yield url
            finally:
                process.communicate()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with direct.open(f"{url}?query=ASK%20%7B%7D", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"Virtuoso does not answer at {url} within {_START_SECONDS} s")


def _load(folder: Path, port: int) -> None:
    """Load the files of the folder; Virtuoso notes what goes wrong in a table."""
    statements = [
        f"ld_dir('.', '*.nt', '{GRAPH}');",
        f"ld_dir('.', '*.nt.gz', '{GRAPH}');",
        "rdf_loader_run();",
        "select 'trouble', ll_file, ll_error from DB.DBA.load_list where ll_error is not null or ll_state <> 2;",
    ]
    loaded = subprocess.run(
        ["isql-vt", f"127.0.0.1:{port}", "dba", _PASSWORD, f"exec={' '.join(statements)}"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LOAD_SECONDS,
        check=False,
    )
    if loaded.returncode or "trouble  " in loaded.stdout or "Error" in loaded.stderr + loaded.stdout:
        raise RuntimeError(f"Virtuoso cannot load the files: {(loaded.stderr + loaded.stdout)[-500:]}")
