"""Characters as people say them: a table of oddities, and all real ones against a slow reader."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from factmill.home import Home
from factmill.stage import stage_imdb
from factmill.warehouse import Warehouse
from tests.imdb_folders import facts

SPOKEN = {
    "Otto (voice) (uncredited)": ["Otto"],
    "Burt (as Red Morgan)": ["Burt"],
    "Bly Tanaka (archive footage)": ["Bly Tanaka"],
    'Tristan (heavenly body) - (segment: "Ascension")': ["Tristan"],
    "Bash (Mudfighter (uncredited)": ["Bash"],
    "Bar Waitress (uncredited": ["Bar Waitress"],
    "Samir (Sammy) Forest": ["Samir (Sammy) Forest"],
    "(uncredited)": [""],
    "voice)": [""],
    "...": [""],
    "Sgt. Pedro Gonzales": ["Pedro Gonzales"],
    "Det. Sgt. Pedro Gonzales": ["Pedro Gonzales"],
    "Lt. J.J. Abrams": ["J.J. Abrams"],
    "Capt. 'Gorilla' Larsen": ["'Gorilla' Larsen"],
    "Capt. Spock": ["Capt. Spock"],
    "Lt. Col. Kilgore": ["Lt. Col. Kilgore"],
    "Lt. of Police (Donovan)": ["Lt. of Police"],
    "Dr. Evil": ["Dr. Evil"],
    "Mr. Bean": ["Mr. Bean"],
    "Mrs. Mary Smith": ["Mrs. Mary Smith"],
    "Guard #1": ["Guard"],
    "Alien Henchman # 1": ["Alien Henchman"],
    "Vanman#4": ["Vanman"],
    "Juror No. 12": ["Juror"],
    "No. 1": ["No. 1"],
    "Bum #2 Listening to Radio": ["Bum #2 Listening to Radio"],
    "Agent 47": ["Agent 47"],
    "Apollo 13": ["Apollo 13"],
    "Sheetal / Neetu": ["Sheetal", "Neetu"],
    "Capt. Spock/Elevator Voice": ["Capt. Spock", "Elevator Voice"],
    "Iggy/Muggsy/ Grandma/ Sonja/Marcy": ["Iggy", "Muggsy", "Grandma", "Sonja", "Marcy"],
    "Bombur/Troll #1 (voice)": ["Bombur", "Troll"],
    "B/M Thomas": ["B/M Thomas"],
    "Captain at S/S Kungsholm": ["Captain at S/S Kungsholm"],
    "HBO 24/7 Narrator (voice)": ["HBO 24/7 Narrator"],
    "Ensemble (Pearl Krabs/Undersea Creature)": ["Ensemble"],
    "Man w/ Hitman": ["Man with Hitman"],
    "'Mooney'": ["Mooney"],
    '"Hammerschlag"': ["Hammerschlag"],
    "'Chub' Hopping": ["'Chub' Hopping"],
    "- Marvin Black": ["Marvin Black"],
    "  Two   Spaces\u00a0Wide ": ["Two Spaces Wide"],
    "Jerzy Popiełuszko": ["Jerzy Popiełuszko"],
    "\u5b6b\u609f\u7a7a": ["\u5b6b\u609f\u7a7a"],
    "": [""],
}
SELVES = {
    "Self": True,
    "himself": True,
    "Self - Host": True,
    "Herself (archive footage)": True,
    "Themselves": True,
    "Self, psychiatrist": True,
    "Himself/TV host": True,
    "Self-Service Attendant": False,
    "Selfridge": False,
    "Selma": False,
}


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    opened = Warehouse(tmp_path)
    for macro in ("is_self", "spoken_character", "spoken_characters"):
        opened.run(macro)
    return opened


def test_characters_are_named_as_people_say_them(warehouse: Warehouse) -> None:
    import pyarrow as pa

    warehouse.load("names", pa.table({"written": list(SPOKEN)}))
    found = warehouse.query("select written, spoken_characters(written) as spoken from names").to_pylist()
    assert {row["written"]: row["spoken"] for row in found} == SPOKEN


def test_who_plays_themselves_plays_no_character(warehouse: Warehouse) -> None:
    import pyarrow as pa

    warehouse.load("names", pa.table({"written": list(SELVES)}))
    found = warehouse.query("select written, is_self(written) as is_self from names").to_pylist()
    assert {row["written"]: row["is_self"] for row in found} == SELVES


def test_the_documented_examples_are_true(warehouse: Warehouse) -> None:
    page = (Path(__file__).parent.parent / "docs" / "imdb.md").read_text(encoding="utf-8")
    table = page.split("## Character names", 1)[1].split("|---", 1)[1].split("\n\n", 1)[0]
    examples = re.findall(r"^\|[^|]+\| `(.+?)` \| (.+?) \|$", table, re.MULTILINE)
    assert len(examples) >= 8
    for written, said in examples:
        assert SPOKEN[written] == ([""] if said == "refused" else re.findall(r"`(.+?)`", said))


_RANKS = [
    "Det",
    "Sgt",
    "Lt",
    "Lieut",
    "Capt",
    "Cpt",
    "Col",
    "Cpl",
    "Maj",
    "Gen",
    "Pvt",
    "Pfc",
    "Sfc",
    "SSgt",
    "MSgt",
    "Cmdr",
    "Cdr",
    "Adm",
    "Brig",
    "Insp",
    "Const",
    "Ofc",
    "Supt",
]
_JUNK = " -–,;:"


def _say(text: str) -> str:
    """Say a name, step by step and without a pattern for the whole."""
    text = " ".join(text.replace("\u00a0", " ").split())
    text = _without_brackets(text)
    if ")" in text and "(" not in text.split(")")[0]:
        return ""
    text = text.lstrip(" -–—.,;:*")
    text = _without_ranks(text)
    number = re.search(r"(#|\b[Nn]o\.) ?[0-9]+$", text)
    if number and (rest := text[: number.start()]).strip(" #"):
        text = rest.rstrip(" ") if not rest.rstrip(" ").endswith("#") else text
    text = text.rstrip(" -–—,;:")
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text if any(sign.isalnum() for sign in text) else ""


def _without_brackets(text: str) -> str:
    while True:
        shorter = text.rstrip(_JUNK) if text.rstrip(_JUNK).endswith(")") else text
        start = shorter.rfind("(")
        inside = shorter[start + 1 :]
        if start < 0 or (")" in inside and not (inside.endswith(")") and inside.count(")") == 1)):
            return text
        text = shorter[:start].rstrip(_JUNK)


def _without_ranks(text: str) -> str:
    rest, found = text, False
    while True:
        rank = next((r for r in _RANKS if rest.startswith(r + ".")), None)
        if rank is None:
            break
        rest, found = rest[len(rank) + 1 :].removeprefix(" "), True
    first, space, second = rest.partition(" ")
    is_name = first.lstrip("\"'“‘")[:1].isupper() and ("." not in first or re.fullmatch(r"(\w\.)+", first))
    return rest if found and space and second and is_name else text


def _split(text: str) -> list[str]:
    if "/" not in text:
        return [text]
    text = re.sub(r"\bw/ *", "with ", text)
    while re.search(r" *\([^()]*\) *$", text):
        text = re.sub(r" *\([^()]*\) *$", "", text)
    text = re.sub(r"(?<=[^ /]{3})/(?=[^ /]{3})", " / ", text)
    return re.split(r" +/ *| */ +", text)


def _expected(folder: Path) -> tuple[Counter[str], set[tuple[str, str, str]]]:
    """Read principals line by line; return what becomes of each credit or character, and the facts."""
    fates: Counter[str] = Counter()
    played: set[tuple[str, str, str]] = set()
    with gzip.open(folder / "name.basics.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
        people = {line.split("\t", 1)[0] for line in file}
    with gzip.open(folder / "title.principals.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
        next(file)
        for line in file:
            title, _, person, category, _, cell = line.rstrip("\n").split("\t")
            if category not in ("actor", "actress"):
                category = "nobody" if category in ("director", "writer") and person not in people else category
                fates[category] += 1
                continue
            if cell == "\\N":
                fates["no character given"] += 1
                continue
            for text in json.loads(cell):
                for name in map(_say, _split(text)):
                    if re.match(r"(self|himself|herself|themself|themselves)(?![^\W\d_]|-[^\W\d_])", name.lower()):
                        fates["plays themselves"] += 1
                        continue
                    if name and person not in people:
                        fates["nobody"] += 1
                        continue
                    key = (title, person, name)
                    fate = "" if name and key not in played else "said by an earlier credit" if name else "refused"
                    fates[fate] += 1
                    if name:
                        played.add(key)
    return fates, played


@pytest.mark.parametrize("name", ["imdb", "imdb_casts"])
def test_all_characters_of_the_real_slices_are_accounted_for(home: Home, shared: Path, name: str) -> None:
    result = stage_imdb(home, shared / name, "en")
    fates, played = _expected(shared / name)
    found = facts(result)
    assert {fact[:3] for fact in found} == played
    assert len(found) == len(played) == fates[""]
    manifest = result.stage.manifest
    ignored = manifest.ignored
    assert ignored.get("plays themselves", 0) == fates["plays themselves"]
    crew = len(facts(result, "director")) + len(facts(result, "writer"))
    repeated = fates["director"] + fates["writer"] - crew
    assert ignored.get("said by an earlier credit", 0) == fates["said by an earlier credit"] + repeated
    assert manifest.rejected.get("nothing is left of the name of the character", 0) == fates["refused"]
    assert manifest.rejected.get("the person is not in name.basics", 0) == fates["nobody"]
    assert sum(manifest.rejected.values()) == fates["refused"] + fates["nobody"]
    told = {"", "plays themselves", "said by an earlier credit", "refused", "director", "writer", "nobody"}
    others = set(fates) - told
    assert ignored["not a credit for a character, directing or writing"] == sum(fates[each] for each in others)
