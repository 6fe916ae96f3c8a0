"""A small stage for the gap analysis: a film, its people, a song and a series, and a file of qualifiers."""

import gzip
from pathlib import Path

from factmill.home import Home
from factmill.names import PropertyId
from factmill.stage import stage_wikidata
from tests.dumps import ALIAS, DIRECT, ENTITY, XSD, date, fact, name, write_dump
from tests.milling import statement

HUMAN = "Q5"

LINES = [
    name("Q1", "Hello"),
    fact("Q1", "P175", "Q10"),
    date("Q1", "P577", "2015-01-01"),
    name("Q10", "Adele"),
    name("Q10", "Adele Adkins", role=ALIAS),
    fact("Q10", "P31", HUMAN),
    fact("Q10", "P19", "Q84"),
    fact("Q1", "P495", "Q85"),
    name("Q85", "Malmö"),
    name("Q84", "Tottenham"),
    name("Q2", "Heat"),
    fact("Q2", "P57", "Q22"),
    fact("Q2", "P161", "Q24"),
    fact("Q2", "P161", "Q26"),
    # Written by somebody who has the name that the actor was born with.
    f'<{ENTITY}Q2> <{DIRECT}P2093> "Alfredo James Pacino"@en .',
    fact("Q2", "P9999", "Q30"),
    date("Q2", "P577", "1995-12-15"),
    name("Q22", "Michael Mann"),
    fact("Q22", "P31", HUMAN),
    name("Q24", "Al Pacino"),
    fact("Q24", "P31", HUMAN),
    f'<{ENTITY}Q24> <{DIRECT}P1477> "Alfredo James Pacino"@en .',
    name("Q26", "Robert De Niro"),
    fact("Q26", "P31", HUMAN),
    name("Q25", "Vincent Hanna"),
    name("Q27", "Neil McCauley"),
    name("Q30", "Steel Door"),
    name("Q3", "Bear Valley"),
    f'<{ENTITY}Q3> <{DIRECT}P1113> "+38"^^<{XSD}decimal> .',
    name(HUMAN, "human"),
]
STATEMENTS = [
    *statement("Q2-a", "P161", "Q24", f"P453> <{ENTITY}Q25>"),
    *statement("Q2-b", "P161", "Q26", f"P453> <{ENTITY}Q27>"),
]


def gap_home(home: Home, folder: Path) -> Home:
    """Stage the lines in a home, the cast with its characters."""
    second = folder / "statements.nt.gz"
    second.write_bytes(gzip.compress("".join(f"{line}\n" for line in STATEMENTS).encode(), mtime=0))
    dump = write_dump(folder / "gaps.nt.gz", LINES)
    stage_wikidata(home, dump, "en", second=second, qualified=[PropertyId(161)])
    return home
