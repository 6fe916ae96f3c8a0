"""A corpus of made-up questions in shards of uneven size, as large as one likes."""

import hashlib

import pyarrow as pa

from factmill.corpus import Corpus, Origin
from factmill.home import Home
from factmill.names import ShardName
from factmill.pairs import PAIR_SCHEMA

_ASKED = (
    "who sings {}",
    "who wrote the book {}",
    "when was {} founded",
    "where is {} located",
    "what is the capital of {}",
    "who directed the film {}",
    "which club does {} play for",
    "what language is spoken in {}",
    "who is the mother of {}",
    "how many people live in {}",
)
_WORDS = """
silver golden old new red blue last first lost hidden great little wild quiet broken northern high deep
river mountain king garden letter winter summer city train stone heart moon island mirror road tower
song story house tale valley bridge market castle forest school harbour station empire village
anna boris clara dmitri elena felix greta hugo ida jonas klara leo maria nils olga paul rosa simon
"""
_AMONG = [line.split() for line in _WORDS.strip().splitlines()]


def question(shard: int, number: int) -> str:
    """Return one question of a shard, other than all others."""
    n = int.from_bytes(hashlib.sha256(f"{shard} {number}".encode()).digest()[:8], "big")
    words = []
    for among in _AMONG:
        n, place = divmod(n, len(among))
        words.append(among[place])
    return _ASKED[shard % len(_ASKED)].format(f"the {words[0]} {words[1]} {words[2]} of {words[3]} {number}")


def uneven_sizes(n_pairs: int, n_shards: int) -> list[int]:
    """Divide pairs among shards, the second half as large as the first, the third a third."""
    shares = [1 / (number + 1) for number in range(n_shards)]
    sizes = [max(1, round(n_pairs * share / sum(shares))) for share in shares]
    sizes[0] += n_pairs - sum(sizes)
    return sizes


def write_shard(home: Home, shard: int, numbers: range) -> ShardName:
    """Write a shard of the corpus, replacing what it was."""
    name = ShardName("wikidata", f"P{shard + 1}")
    rows = [
        {
            "qa_id": hashlib.sha256(f"{shard} {number}".encode()).hexdigest()[:32],
            "question": question(shard, number),
            "answer": [f"answer {number % 1000}"],
            "subject": f"Q{number}",
            "objects": [f"Q{number % 1000}"],
            "kind": "single",
            "popularity": number % 300,
            "licence": "CC0-1.0",
            "source": name.source,
            "predicate": name.key,
        }
        for number in numbers
    ]
    table = pa.Table.from_pylist(rows, schema=PAIR_SCHEMA)
    Corpus(home).write(name, table, Origin("bench", "1", "0", None))
    return name
