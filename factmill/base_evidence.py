"""Where the pairs of an imported base come from: lines of a file, known by their number and the file's digest."""

from collections.abc import Sequence
from pathlib import Path

from factmill.errors import SourceError
from factmill.evidence import Evidence, Verdict
from factmill.identity import file_digest
from factmill.importing import parse_pair
from factmill.lineblocks import read_lines
from factmill.lookup import Row
from factmill.places import shown


def base_evidence(rows: Sequence[Row], digest: str, named: Sequence[Path]) -> list[list[Evidence]]:
    """Return the line behind each row, from the named file with the digest that the import noted."""
    reason = f"Name the file whose SHA-256 begins with {digest} with --dump to see the line."
    path = None
    for candidate in named:
        if candidate.is_file() and file_digest(candidate).startswith(digest):
            path = candidate
        else:
            reason = f"{candidate} is not the file that was imported: its SHA-256 does not begin with {digest}."
    ordinals = {row["ordinal"] for row in rows}
    lines = _lines(path, ordinals) if path else {}
    return [[_evidence(row, path, lines.get(row["ordinal"]), digest, reason)] for row in rows]


def _lines(path: Path, ordinals: set[int]) -> dict[int, bytes]:
    found = {}
    last = max(ordinals)
    try:
        for ordinal, (line, _) in enumerate(read_lines(path)):
            if ordinal in ordinals:
                found[ordinal] = line
            if ordinal >= last:
                break
    except SourceError:
        return found
    return found


def _evidence(row: Row, path: Path | None, line: bytes | None, digest: str, reason: str) -> Evidence:
    verdict = Verdict.UNKNOWN
    if path is not None:
        _, pair = parse_pair(line or b"")
        is_same = pair == (row["question"], row["answer"])
        verdict, reason = (Verdict.STATED, "") if is_same else (Verdict.NOT_STATED, "Another pair stands there.")
    return Evidence(
        subject=None,
        subject_label=None,
        predicate=row["predicate"],
        object=None,
        object_label=None,
        qualifiers=[],
        place=str(row["ordinal"]),
        file=str(path) if path else f"the file whose SHA-256 begins with {digest}",
        where=f"line {row['ordinal'] + 1:,}",
        lines=[shown(line)] if line is not None else [],
        query=None,
        verdict=verdict,
        reason=reason,
    )
