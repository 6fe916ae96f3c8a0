"""Rows a minute of processor time in one loop, against a `render` call a row; the output is equal.

A wording of text and names is rendered in this process, any other in a process with limits (factmill/guard.py), whose
time counts too.
"""

import resource
import statistics
from collections.abc import Callable, Sequence
from functools import partial

from jinja2 import Environment

from factmill.render import Renderer

N_ROWS = 400_000
REPEATS = 5
AIM = 40_000_000
WORDINGS = (
    "who sings {{ subject }}",
    "who plays {{ character }} in {{ subject }}",
    "who {% if character %}plays {{ character | lower }} in{% else %}is in{% endif %} {{ subject }}",
)


def main(n_rows: int = N_ROWS) -> None:
    """Print both rates and their ratio for each wording."""
    columns = {"subject": [f"film {n}" for n in range(n_rows)], "character": [f"role {n}" for n in range(n_rows)]}
    for wording in WORDINGS:
        ours, loop = _measured(partial(_in_one_loop, wording, columns))
        theirs, calls = _measured(partial(_call_by_call, wording, columns), repeats=1)
        if ours != theirs:
            raise SystemExit("the outputs differ")
        print(wording)
        per_minute = [60 * n_rows / seconds / 1e6 for seconds in (loop, calls)]
        print(f"  loop {per_minute[0]:.1f} million rows a minute, calls {per_minute[1]:.1f}: ratio {calls / loop:.1f}")
    print(f"aim, for text and names: {AIM / 1e6:.0f} million, ratio 10")


def _in_one_loop(wording: str, columns: dict[str, list[str]]) -> list[str]:
    with Renderer(wording) as renderer:
        return renderer.texts(columns)


def _call_by_call(wording: str, columns: dict[str, list[str]]) -> list[str]:
    template = Environment(autoescape=False).from_string(wording)
    rows = zip(columns["subject"], columns["character"], strict=True)
    return [template.render(subject=subject, character=character) for subject, character in rows]


def _measured(work: Callable[[], Sequence[str]], repeats: int = REPEATS) -> tuple[Sequence[str], float]:
    """Return what the work gives and the seconds of the processors it takes, its children's included."""
    seconds = []
    for _ in range(repeats):
        before = _processor_seconds()
        made = work()
        seconds.append(_processor_seconds() - before)
    return made, statistics.median(seconds)


def _processor_seconds() -> float:
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
