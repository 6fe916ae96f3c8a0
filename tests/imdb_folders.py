"""Small folders of IMDb's files, and what is staged from them."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from factmill.stage import StageResult

HEADERS = {
    "title.basics": "tconst titleType primaryTitle originalTitle isAdult startYear endYear runtimeMinutes genres",
    "title.principals": "tconst ordering nconst category job characters",
    "name.basics": "nconst primaryName birthYear",
    "title.ratings": "tconst averageRating numVotes",
    "title.akas": "titleId ordering title region",
    "title.episode": "tconst parentTconst seasonNumber episodeNumber",
}
TITLES = ["t1 movie Heat Heat 0 1995", "t2 movie About_Me Moi 0 \\N"]
PEOPLE = ["n1 Al_Pacino 1940", "n2 Robert_De_Niro 1943"]


def row(text: str) -> str:
    """Write a row of words; an underscore is a space inside one."""
    return "\t".join(word.replace("_", " ") for word in text.split(" "))


def credit(title: str, ordering: int | str, person: str, category: str, characters: str = "\\N") -> str:
    """Write a row of title.principals."""
    return f"{title}\t{ordering}\t{person}\t{category}\t\\N\t{characters}"


def write_folder(folder: Path, rows_of_principals: list[str], **files: list[str]) -> Path:
    """Write a folder; basics=, names= and so on replace or add rows of the other files."""
    rows = {
        "title.basics": [row(f"{text} \\N \\N \\N") for text in files.get("basics", TITLES)],
        "name.basics": [row(text) for text in files.get("names", PEOPLE)],
        "title.principals": rows_of_principals,
        **{
            f"title.{name}": [row(text) for text in files[name]]
            for name in ("ratings", "akas", "episode")
            if name in files
        },
    }
    folder.mkdir()
    for name, lines in rows.items():
        text = "\n".join(["\t".join(HEADERS[name].split()), *lines])
        (folder / f"{name}.tsv").write_text(text + "\n", encoding="utf-8")
    return folder


def facts(result: StageResult, predicate: str = "plays_character_in") -> list[tuple[Any, ...]]:
    """Return subject, object or value, character if there is one, and place."""
    rows = pq.read_table(result.stage.facts).to_pylist()
    return [
        (r["subject"], r["object"] or r["value"], *(q["value"] for q in r["qualifiers"] or []), r["place"])
        for r in rows
        if r["predicate"] == predicate
    ]


def entities(result: StageResult) -> dict[str, dict[str, Any]]:
    """Return the entities by id."""
    return {r["id"]: r for r in pq.read_table(result.stage.entities).to_pylist()}
