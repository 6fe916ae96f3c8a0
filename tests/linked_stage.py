"""A small stage for the linker: things that share a name, and names that are traps."""

from pathlib import Path

from factmill.home import Home
from factmill.stage import stage_wikidata
from tests.dumps import ALIAS, DESCRIPTION, date, fact, name, write_dump

LINES = [
    # Two songs called Hello, the second less known.
    name("Q1", "Hello"),
    name("Q1", "2015 song by Adele", role=DESCRIPTION),
    fact("Q1", "P31", "Q7366"),
    fact("Q1", "P175", "Q10"),
    date("Q1", "P577", "2015-10-23"),
    name("Q2", "Hello"),
    name("Q2", "1984 song by Lionel Richie", role=DESCRIPTION),
    fact("Q2", "P175", "Q11"),
    name("Q10", "Adele"),
    name("Q10", "Adele Adkins", role=ALIAS),
    fact("Q10", "P19", "Q84"),
    name("Q11", "Lionel Richie"),
    name("Q84", "London"),
    # A film and a city of one name.
    name("Q20", "Paris"),
    name("Q20", "capital of France", role=DESCRIPTION),
    fact("Q20", "P17", "Q142"),
    fact("Q20", "P36", "Q20"),
    name("Q21", "Paris"),
    name("Q21", "2008 film by Cédric Klapisch", role=DESCRIPTION),
    fact("Q21", "P57", "Q22"),
    name("Q22", "Cédric Klapisch"),
    name("Q142", "France"),
    fact("Q142", "P36", "Q20"),
    # Names that are no names on their own.
    name("Q30", "It"),
    name("Q30", "2017 horror film", role=DESCRIPTION),
    fact("Q30", "P57", "Q31"),
    name("Q31", "Andy Muschietti"),
    name("Q32", "The"),
    name("Q33", "x"),
    fact("Q33", "P19", "Q84"),
    name("Q34", "1917"),
    name("Q34", "2019 war film", role=DESCRIPTION),
    fact("Q34", "P57", "Q31"),
    name("Q35", "?"),
    name("Q36", "The Who"),
    name("Q36", "British rock band", role=DESCRIPTION),
    name("Q37", "who"),
    name("Q40", "Schindler's List"),
    fact("Q40", "P57", "Q41"),
    name("Q41", "Steven Spielberg"),
    name("Q42", "Rock & Roll"),
    name("Q7366", "song"),
]


def linked_home(home: Home, folder: Path) -> Home:
    """Stage the lines in a home."""
    stage_wikidata(home, write_dump(folder / "linked.nt.gz", LINES), "en")
    return home
