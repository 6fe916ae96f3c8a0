"""Search: questions against any set of shards, as one.

Each question is searched once in each shard; the answer is the merge. A pair's score never depends on which other
shards are searched, so adding and leaving out shards is a matter of merging stored rankings.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import faiss
import numpy as np

from factmill.corpus import Corpus
from factmill.encoders import Encoder, Vectors, encode_all, open_encoder
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.index_files import IndexFolder
from factmill.index_shard import IndexShard
from factmill.metrics import normalise_answer
from factmill.names import ShardName
from factmill.ranking import NOTHING, Ranking, merge
from factmill.rerank import CANDIDATES, Reranker
from factmill.results import Hit, Result, collapse
from factmill.settings import settings
from factmill.shared_words import QuestionWords

_QUESTIONS_A_STEP = 512
_CANDIDATES = 50
"""Pairs of each shard whose words are compared with the question's, nearest vectors first."""
_PAIRS_A_STEP = 200_000


@dataclass(frozen=True)
class Queries:
    """Questions and their vectors."""

    questions: Sequence[str]
    vectors: Vectors

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, some: slice) -> "Queries":
        return Queries(self.questions[some], self.vectors[some])


class Retriever:
    """Answers questions from the corpus of a home, as it was when the retriever was made.

    With `exact`, shards up to the setting `exact_rows` are searched exactly, as an evaluation wants it.
    """

    def __init__(
        self,
        home: Home | Path | str,
        shards: Iterable[ShardName] | None = None,
        *,
        encoder: Encoder | str | None = None,
        exact: bool = False,
        word_weight: float | None = None,
        reranker: Path | None = None,
    ) -> None:
        opened = home if isinstance(home, Home) else Home.open(Path(home))
        faiss.omp_set_num_threads(settings().n_threads)
        self._corpus = Corpus(opened).latest()
        chosen = encoder or settings().encoder
        self.encoder: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
        present = self._corpus.shards()
        if not present:
            raise ConfigError(
                "the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first."
            )
        self.shards = list(present) if shards is None else sorted(set(shards))
        if missing := [str(shard) for shard in self.shards if shard not in present]:
            raise ConfigError(f"the corpus has no shard {', '.join(missing)}. See `factmill corpus log`.")
        folders = [IndexFolder.of(opened, self.encoder.name, shard) for shard in self.shards]
        # Most of the time goes into digests of files, which are counted without Python's lock.
        with ThreadPoolExecutor(settings().n_threads) as pool:
            self._indexes = list(pool.map(lambda folder: IndexShard(folder, self.encoder, self._corpus), folders))
        self._exact_rows = settings().exact_rows if exact else 0
        self._word_weight = settings().word_weight if word_weight is None else word_weight
        folder = reranker or settings().reranker
        self._reranker = Reranker(folder) if folder else None

    @property
    def stale_shards(self) -> list[ShardName]:
        """Name the shards that changed since they were indexed: their new pairs are not found yet."""
        return [index.shard for index in self._indexes if index.is_stale]

    @property
    def corpus_version(self) -> int | None:
        """Return the number of the corpus version that is searched."""
        return self._corpus.number

    def n_rows(self, shard: ShardName) -> int:
        """Count the pairs of a shard."""
        return len(self._indexes[self.shards.index(shard)].texts)

    def encode(self, questions: Sequence[str]) -> Queries:
        """Encode questions once, for any number of searches."""
        return Queries(questions, encode_all(self.encoder, questions))

    def ask(self, questions: Sequence[str], k: int = 5) -> list[list[Result]]:
        """Return the best k results for each question; pairs that ask the same are one result."""
        queries = self.encode(questions)
        found: list[list[Result]] = []
        for start in range(0, len(queries), _QUESTIONS_A_STEP):
            some = queries[start : start + _QUESTIONS_A_STEP]
            depth = max(k, CANDIDATES) if self._reranker else k
            results = [collapse(hits, depth) for hits in self.hits(self._deep_enough(some, depth))]
            if self._reranker:
                pairs = zip(some.questions, results, strict=True)
                results = [self._reranker.rerank(question, ranks)[:k] for question, ranks in pairs]
            found += results
        return found

    def search(self, queries: Queries, k: int) -> Ranking:
        """Return the best k pairs of all shards for each question."""
        return merge(list(self.search_each(queries, k).values()), k)

    def search_each(self, queries: Queries, k: int) -> dict[ShardName, Ranking]:
        """Return the best k pairs of each shard for each question."""
        depth = max(k, _CANDIDATES) if self._word_weight else k
        words = QuestionWords(queries.questions) if self._word_weight else None
        found: list[Ranking] = []
        waiting: list[Ranking] = []
        for number, index in enumerate(self._indexes):
            exact = index.n_rows <= self._exact_rows
            waiting.append(index.search(queries.vectors, depth, number, exact=exact))
            is_last = number + 1 == len(self._indexes)
            # Many shards at a time for one question, one for many questions.
            if words is None or is_last or sum(one.scores.size for one in waiting) >= _PAIRS_A_STEP:
                found += [one.top(k) for one in self._with_words(words, waiting)] if words else waiting
                waiting = []
        return dict(zip(self.shards, found, strict=True))

    def _with_words(self, words: QuestionWords, rankings: Sequence[Ranking]) -> list[Ranking]:
        """Add to the score of each pair what its words share with its question's."""
        texts: list[str] = []
        taken, which = [], []
        for ranking in rankings:
            questions, ranks = np.nonzero(ranking.scores != NOTHING)
            rows, places = np.unique(ranking.rows[questions, ranks], return_inverse=True)
            which.append(places + len(texts))
            taken.append((questions, ranks))
            if len(rows):
                texts += self._indexes[ranking.shards[questions[0], ranks[0]]].texts.column("question", rows)
        shares = words.shares(texts, np.concatenate([questions for questions, _ in taken]), np.concatenate(which))
        added = np.rint(self._word_weight * shares * self.encoder.grid**2).astype(np.int32)
        borders = np.cumsum([len(places) for places in which])[:-1]
        weighed = []
        for ranking, ranks_of, more in zip(rankings, taken, np.split(added, borders), strict=True):
            scores = ranking.scores.copy()
            scores[ranks_of] += more
            weighed.append(replace(ranking, scores=scores))
        return weighed

    def mark(self, ranking: Ranking, gold: Sequence[Sequence[str]]) -> Ranking:
        """Mark the pairs whose first answer is one of the question's gold answers."""
        wanted = [{normalise_answer(answer) for answer in answers} for answers in gold]
        right = np.zeros(ranking.scores.shape, np.bool_)
        for number, index in enumerate(self._indexes):
            questions, ranks = np.nonzero((ranking.shards == number) & (ranking.scores != NOTHING))
            rows, which = np.unique(ranking.rows[questions, ranks], return_inverse=True)
            answers = [normalise_answer(answer[0]) for answer in index.texts.column("answer", rows)]
            right[questions, ranks] = [
                answers[row] in wanted[question]
                for row, question in zip(which.tolist(), questions.tolist(), strict=True)
            ]
        return ranking.marked(right)

    def hits(self, ranking: Ranking) -> list[list[Hit]]:
        """Look the ranked pairs up."""
        found: list[list[Hit | None]] = [[None] * ranking.depth(row) for row in range(len(ranking.scores))]
        # So that what fits best scores 1.
        unit = self.encoder.grid**2 * (1 + self._word_weight)
        for number, index in enumerate(self._indexes):
            places = np.nonzero((ranking.shards == number) & (ranking.scores != NOTHING))
            rows = index.texts.rows(ranking.rows[places])
            for question, rank, row in zip(*(place.tolist() for place in places), rows, strict=True):
                found[question][rank] = Hit(
                    score=float(ranking.scores[question, rank]) / unit,
                    shard=self.shards[number],
                    answers=row["answer"],
                    **{name: row[name] for name in _SHOWN},
                    objects=row["objects"] or [],
                )
        return [[hit for hit in ranks if hit] for ranks in found]

    def _deep_enough(self, queries: Queries, k: int) -> Ranking:
        """Search until the pairs of the first k different questions are all there."""
        n_pairs = sum(index.n_rows for index in self._indexes)
        depth = 2 * k
        while True:
            ranking = self.search(queries, depth)
            if depth >= n_pairs or _is_deep_enough(ranking, k):
                return ranking
            depth *= 2


_SHOWN = ("qa_id", "question", "subject", "popularity", "licence", "as_of")


def _is_deep_enough(ranking: Ranking, k: int) -> bool:
    """Tell whether the last rank of each question is worse than the k-th different question before it."""
    for scores, asked in zip(ranking.scores, ranking.questions, strict=True):
        if scores[-1] == NOTHING:
            continue
        firsts = np.sort(np.unique(asked, return_index=True)[1])
        if len(firsts) < k or scores[firsts[k - 1]] == scores[-1]:
            return False
    return True
