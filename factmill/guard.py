"""A process of its own for wordings that are more than text and names.

Jinja's sandbox keeps a wording away from the machine, not from its time and memory: loops nest, strings grow. So such a
wording is compiled and rendered in a child with a limit on both, which the operating system enforces. Rows go in and
texts come out as JSON lines; nothing else connects the two.
"""

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from factmill.errors import ConfigError

MAX_MEGABYTES = 400
MAX_SECONDS = 1
"""Of processor time, for a batch."""
_ROWS_A_BATCH = 2_000
_MAX_CHARACTERS = 2_000
"""Of one question, on average over a batch."""


class Guard(AbstractContextManager["Guard"]):
    """Renders one wording in a child process."""

    def __init__(self, wording: str, names: Sequence[str]) -> None:
        self._wording = wording
        self._names = list(names)
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Guard":
        # -P: what lies in the current folder is not to be imported.
        command = [sys.executable, "-P", "-m", "factmill.guard"]
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            self._ask({"wording": self._wording, "names": self._names})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        if self._child:
            self._child.kill()
            self._child.communicate()

    def render(self, rows: Sequence[Any]) -> str:
        """Return the texts of all rows, each with the end mark of a row behind it."""
        batches = (rows[first : first + _ROWS_A_BATCH] for first in range(0, len(rows), _ROWS_A_BATCH))
        texts = [str(self._ask({"rows": batch})) for batch in batches]
        if any(not _is_text(text) for text in texts):
            raise ConfigError(
                f"the wording '{self._wording}' cannot be rendered: it gives characters that are no text."
            )
        return "".join(texts)

    def _ask(self, message: dict[str, Any]) -> Any:
        child = self._child
        if child is None or child.stdin is None or child.stdout is None:
            raise RuntimeError("a guard renders only inside its `with` block")
        try:
            child.stdin.write(json.dumps(message) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise ConfigError(f"the wording '{self._wording}' cannot be rendered: {_cause(child.wait())}.")
        answer = json.loads(line)
        if "error" in answer:
            raise ConfigError(f"the wording '{self._wording}' cannot be rendered: {answer['error']}.")
        return answer["text"]


def _is_text(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _cause(status: int) -> str:
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"{_ROWS_A_BATCH:,} rows or fewer take more than {MAX_SECONDS} s"
    if status < 0:
        return f"its process was ended by {signal.Signals(-status).name}; {MAX_MEGABYTES} MB may be too little for it"
    return f"its process ended by itself, with status {status}"


def serve() -> None:
    """Be the child: answer each line of standard input with one of standard output."""
    limit = MAX_MEGABYTES << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from factmill.render import looped

    template: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        _limit_processor_time()
        try:
            if "wording" in message:
                template = looped(message["wording"], tuple(message["names"]))
                answer = {"text": ""}
            else:
                answer = {"text": _capped(template.render(rows=message["rows"]), len(message["rows"]))}
        except MemoryError:
            answer = {"error": f"it needs more than {MAX_MEGABYTES} MB"}
        except RecursionError:
            answer = {"error": "it is nested too deeply"}
        except Exception as error:  # noqa: BLE001
            # Whatever a wording's filters raise is a fault of the wording, and the parent says so.
            answer = {"error": str(error).rstrip(".") or type(error).__name__}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _capped(text: str, n_rows: int) -> str:
    if len(text) > n_rows * _MAX_CHARACTERS:
        raise ValueError(f"it gives more than {_MAX_CHARACTERS:,} characters a row")
    return text


def _limit_processor_time() -> None:
    """Allow a second from now on. The system counts whole seconds, so it may be half a second more or less."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (round(spent) + MAX_SECONDS, most))


if __name__ == "__main__":
    serve()
