"""Homes with something to export: the demo's data milled, and pairs that no reader would expect."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from factmill.corpus import Corpus, Origin
from factmill.home import Home
from factmill.importing import import_base
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA
from factmill.stage import stage_dbpedia_files, stage_imdb, stage_wikidata
from factmill.steps import augment, resolve_template
from tests.conftest import ROOT

BASE = ShardName("paq", "base")
DEMO = ROOT / "demo"
DEMO_SHARDS = [
    ShardName.parse(name)
    for name in (
        "dbpedia/dbo:writer",
        "dbpedia/dbp:numSeasons",
        "imdb/director~inverse",
        "imdb/plays_character_in",
        "wikidata/P106~inverse",
        "wikidata/P175",
        "wikidata/P577",
    )
]

HOSTILE_TEXTS = (
    'say "hello" \\ \\" {{ subject }} {% raw %}',
    "line\u2028paragraph\u2029next\x85line\x0bfeed\x0c",
    "emoji 👩\u200d🚀🏳\ufe0f\u200d🌈 and e\u0301 and \U0001f9d1\U0001f3fd",
    "\ufeffafter a mark",
    "right \u202eto left\u202c עברית",
    "</script><!-- & | ` * _ # --- -->",
    "a [sep] b, [1, 2], null, nan",
    "\u00a0no-break\u00a0spaces\u3000",
    "\u0001control\u007f\u0000",
    "ﷺ ǆ ß ı ſ 𝔘𝔫𝔦",
)
HOSTILE_ANSWERS = (["Paris", "paris", "PARIS"], ["The", "A"], ["The Band", "Band", "Cream"], ["  padded  ", "x"])


def demo_home(folder: Path) -> Home:
    """Stage the demo's three sources, mill some shards of each and import its base."""
    home = Home.open(folder, create=True)
    import_base(home, DEMO / "base.jsonl", BASE, "CC0-1.0")
    stage_wikidata(home, DEMO / "wikidata.nt.gz", "en")
    stage_imdb(home, DEMO / "imdb", "en")
    dbpedia = [shard for shard in DEMO_SHARDS if shard.source == "dbpedia"]
    stage_dbpedia_files(home, [DEMO / "dbpedia.ttl"], dbpedia, "en")
    for shard in DEMO_SHARDS:
        augment(home, resolve_template(shard, None))
    return home


def pair(shard: ShardName, question: str, answer: Iterable[str], **more: Any) -> dict[str, Any]:
    """Return a pair as a row of the corpus; its subject is its question unless told."""
    return {
        "qa_id": hashlib.sha256(f"{shard} {question}".encode()).hexdigest()[:32],
        "question": question,
        "answer": list(answer),
        "source": shard.source,
        "predicate": shard.key,
        "template": f"{shard.source}/{shard.predicate}",
        "wording": "who sings {{ subject }}",
        "subject": question,
        "subject_label": question,
        "subject_name": question,
        "objects": ["Q1"],
        "kind": "single",
        "popularity": 1,
        "licence": "CC0-1.0",
        **more,
    }


def write_pairs(home: Home, rows: Iterable[dict[str, Any]]) -> None:
    """Write pairs to their shards."""
    by_shard: dict[ShardName, list[dict[str, Any]]] = {}
    for row in rows:
        by_shard.setdefault(ShardName.parse(f"{row['source']}/{row['predicate']}"), []).append(row)
    for shard, some in by_shard.items():
        origin = Origin("test", "0", "0", some[0]["licence"])
        Corpus(home).write(shard, pa.Table.from_pylist(some, schema=PAIR_SCHEMA).sort_by("qa_id"), origin)


def hostile_home(folder: Path) -> Home:
    """Every odd text as a question, a name, an answer, a title and a licence; answers that are equal to a scorer."""
    home = Home.open(folder, create=True)
    single, multi, cc_by = (
        ShardName("wikidata", "P175"),
        ShardName("wikidata", "P50", "inverse"),
        ShardName("dbpedia", "dbo:artist"),
    )
    lists = [[text, text.upper(), f"{text} 2"] for text in HOSTILE_TEXTS] + [list(forms) for forms in HOSTILE_ANSWERS]
    rows = []
    for number, forms in enumerate(lists):
        text = forms[0]
        # As milling makes questions: lower case, and nothing around them.
        question = f"q {number} {text} end".lower()
        names = {"subject_label": text, "subject_name": f"{text} ({number})", "wikipedia_title": text}
        rows.append(pair(single, question, forms, **names))
        for n_objects in (1, 2, 3):
            objects = [f"Q{n}" for n in range(n_objects)]
            asked = f"{question} {n_objects}"
            rows.append(pair(multi, asked, forms, objects=objects, kind="multi", subject=f"Q{number}", **names))
        rows.append(pair(cc_by, question, forms, licence=f"{text} | licence", **names))
    write_pairs(home, rows)
    return home
