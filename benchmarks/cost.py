"""What a command costs: processor time, time on the clock and the most memory it took, without what its caller took.

A process that is started by another counts the other's peak of memory as its own, until its own is larger. So a small
process stands between the caller and the command.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_LAUNCHER = """
import json, resource, subprocess, sys, time
started = time.perf_counter()
status = subprocess.call(sys.argv[2:])
wall = time.perf_counter() - started
used = resource.getrusage(resource.RUSAGE_CHILDREN)
unit = 1 if sys.platform == "darwin" else 1024
with open(sys.argv[1], "w") as file:
    json.dump({"cpu": used.ru_utime + used.ru_stime, "wall": wall, "peak_bytes": used.ru_maxrss * unit}, file)
sys.exit(status)
"""


class Cost(NamedTuple):
    """Seconds of the processors, seconds on the clock, bytes of memory."""

    cpu: float
    wall: float
    peak_bytes: int


def cost_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command that must succeed, let go what it prints unless it fails, and return what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "cost.json"
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(told)]
        # What zcat writes must not go through a pipe, which would cost this process something.
        done = subprocess.run(
            [*launcher, *command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
        return Cost(**json.loads(told.read_text()))
