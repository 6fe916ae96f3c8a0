"""Search: questions against any set of shards, as one.

Each question is searched once in each shard; the answer is the merge. A pair's score never depends on which other
shards are searched, so adding and leaving out shards is a matter of merging stored rankings.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from factmill.corpus import Corpus
from factmill.encoders import Encoder, Vectors, default_encoder
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.index import IndexFolder, IndexShard
from factmill.metrics import exact_match
from factmill.names import ShardName
from factmill.ranking import Ranking, merge
from factmill.settings import settings


@dataclass(frozen=True)
class Hit:
    """One retrieved pair: the row of the corpus it is, and how well it fits."""

    score: float
    shard: ShardName
    row: dict[str, Any]

    @property
    def answer(self) -> str:
        """Return the best answer."""
        return str(self.row["answer"][0])


class Retriever:
    """Answers questions from the corpus of a home, as it was when the retriever was made."""

    def __init__(self, home: Home | Path | str, shards: Iterable[ShardName] | None = None) -> None:
        opened = home if isinstance(home, Home) else Home.open(Path(home))
        faiss.omp_set_num_threads(settings().n_threads)
        self._corpus = Corpus(opened).latest()
        self.encoder: Encoder = default_encoder()
        present = self._corpus.shards()
        if not present:
            raise ConfigError(
                "the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first."
            )
        self.shards = list(present) if shards is None else sorted(set(shards))
        if missing := [str(shard) for shard in self.shards if shard not in present]:
            raise ConfigError(f"the corpus has no shard {', '.join(missing)}. See `factmill corpus log`.")
        self._indexes = [
            IndexShard(IndexFolder.of(opened, self.encoder.name, shard), self.encoder, self._corpus)
            for shard in self.shards
        ]

    @property
    def stale_shards(self) -> list[ShardName]:
        """Name the shards that changed since they were indexed: their new pairs are not found yet."""
        return [index.shard for index in self._indexes if index.is_stale]

    def ask(self, questions: Sequence[str], k: int = 5) -> list[list[Hit]]:
        """Return the best k pairs for each question."""
        return self.hits(self.search(self.encoder.encode(questions), k))

    def search(self, queries: Vectors, k: int) -> Ranking:
        """Return the best k pairs of all shards for each encoded question."""
        return merge(list(self.search_each(queries, k).values()), k)

    def search_each(self, queries: Vectors, k: int) -> dict[ShardName, Ranking]:
        """Return the best k pairs of each shard for each encoded question."""
        return {index.shard: index.search(queries, k, number) for number, index in enumerate(self._indexes)}

    def mark(self, ranking: Ranking, gold: Sequence[Sequence[str]]) -> Ranking:
        """Mark the pairs whose first answer is one of the question's gold answers."""
        right = np.zeros(ranking.scores.shape, np.bool_)
        for question, hits in enumerate(self.hits(ranking, ("qa_id", "answer"))):
            for rank, hit in enumerate(hits):
                right[question, rank] = exact_match(hit.answer, gold[question])
        return ranking.marked(right)

    def n_rows(self, shard: ShardName) -> int:
        """Count the pairs of a shard."""
        return len(self._corpus.rows(shard, ("qa_id",)))

    @property
    def corpus_version(self) -> int | None:
        """Return the number of the corpus version that is searched."""
        return self._corpus.number

    def hits(self, ranking: Ranking, columns: Sequence[str] = ()) -> list[list[Hit]]:
        """Look the ranked pairs up in the corpus."""
        n_questions = len(ranking.scores)
        found: list[list[tuple[ShardName, str, float]]] = [
            [
                (
                    self.shards[ranking.shards[question, rank]],
                    ranking.qa_id(question, rank),
                    ranking.cosine(question, rank),
                )
                for rank in range(ranking.depth(question))
            ]
            for question in range(n_questions)
        ]
        wanted: dict[ShardName, set[str]] = defaultdict(set)
        for ranks in found:
            for shard, qa_id, _ in ranks:
                wanted[shard].add(qa_id)
        rows = {
            (shard, row["qa_id"]): row
            for shard, qa_ids in wanted.items()
            for row in self._corpus.rows(shard, columns, sorted(qa_ids)).to_pylist()
        }
        return [[Hit(score, shard, rows[shard, qa_id]) for shard, qa_id, score in ranks] for ranks in found]
