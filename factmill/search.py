"""Search: questions against any set of shards, as one.

Each question is searched once in each shard; the answer is the merge. A pair's score never depends on which other
shards are searched, so adding and leaving out shards is a matter of merging stored rankings.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt

from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion
from factmill.cures import Cure, read_cures
from factmill.encoders import Encoder, Vectors, encode_all, open_encoder
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.index_files import IndexFolder
from factmill.index_shard import IndexShard
from factmill.names import ShardName
from factmill.ranking import NOTHING, Ranking, merge, side_by_side, tops
from factmill.rerank import CANDIDATES, Reranker
from factmill.results import COMPARED, Hit, Result, collapse
from factmill.scoring.exact import normalise_answer
from factmill.settings import settings
from factmill.shared_words import QuestionWords
from factmill.view_rows import rows_in_view
from factmill.views import View, find_view, is_milled

_FEW_QUESTIONS = 8
"""So few are searched in several shards at a time; of more, several in one shard."""
_HITS_A_STEP = 10_000
_RANKS_A_STEP = 1_000_000
"""So many ranks are in memory at a time, of all questions and several shards together."""
_CANDIDATES = 50
"""Pairs of each shard whose words are compared with the question's, nearest vectors first. However many are asked for:
the first ranks must not depend on how many follow."""


@dataclass(frozen=True)
class Queries:
    """Questions and their vectors."""

    questions: Sequence[str]
    vectors: Vectors

    def __len__(self) -> int:
        return len(self.questions)

    def taken(self, numbers: npt.NDArray[np.integer]) -> "Queries":
        """Return some of them."""
        return Queries([self.questions[number] for number in numbers], self.vectors[numbers])


class Retriever:
    """Answers questions from the corpus of a home, as it was when the retriever was made.

    With `exact`, shards up to the setting `exact_rows` are searched exactly, as an evaluation wants it. A `view`
    narrows milled shards; an imported base is always searched whole. The home's cures count unless `cured` is False.
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
        view: View | str | None = None,
        cured: bool = True,
    ) -> None:
        opened = home if isinstance(home, Home) else Home.open(Path(home))
        self._home = opened
        faiss.omp_set_num_threads(settings().n_threads)
        self._corpus = Corpus(opened).latest()
        chosen = encoder or settings().encoder
        self.encoder: Encoder = open_encoder(chosen) if isinstance(chosen, str) else chosen
        present = self._corpus.shards()
        if not present:
            raise ConfigError(
                "the corpus is empty. Add pairs with `factmill augment` or `factmill corpus import` first."
            )
        wanted = list(present) if shards is None else sorted(set(shards))
        if not wanted:
            raise ConfigError("name at least one shard, or none to search them all.")
        if missing := [str(shard) for shard in wanted if shard not in present]:
            raise ConfigError(f"the corpus has no shard {', '.join(missing)}. See `factmill corpus log`.")
        folders = [IndexFolder.of(opened, self.encoder.name, shard) for shard in wanted]
        self.unindexed_shards: list[ShardName] = []
        if shards is None and not exact:
            # To answer from what is there is better than not to answer; an evaluation wants all.
            self.unindexed_shards = [folder.shard for folder in folders if folder.is_empty()]
            folders = [folder for folder in folders if folder.shard not in self.unindexed_shards] or folders
        self.shards = [folder.shard for folder in folders]
        self.view = find_view(opened, view) if isinstance(view, str) else view
        self.cures = read_cures(opened, self.encoder) if cured else {}
        self._pool = ThreadPoolExecutor(settings().n_threads, initializer=faiss.omp_set_num_threads, initargs=(1,))
        # Most of the time goes into digests of files, which are counted without Python's lock.
        self._indexes = list(self._pool.map(self._open, folders))
        self._exact_rows = settings().exact_rows if exact else 0
        self._word_weight = settings().word_weight if word_weight is None else word_weight
        folder = reranker or settings().reranker
        self._reranker = Reranker(folder) if folder else None
        cures = [self.cures.get(shard, Cure()) for shard in self.shards]
        self._offsets = [self.steps(cure.offset) for cure in cures]
        self._least = np.array([self.steps(cure.least_score) if cure.least_score else NOTHING for cure in cures])

    def _open(self, folder: IndexFolder) -> IndexShard:
        index = self._narrowed(IndexShard(folder, self.encoder, self._corpus), self.view)
        cure = self.cures.get(folder.shard)
        return self._narrowed(index, find_view(self._home, cure.view)) if cure and cure.view else index

    def _narrowed(self, index: IndexShard, view: View | None) -> IndexShard:
        if view is None or not is_milled(index.shard):
            return index
        return index.narrowed(rows_in_view(self._home, self._corpus, index.shard, view))

    def in_view(self, name: str) -> "Retriever":
        """Return a retriever of the same shards that searches only this view of them, without opening them again."""
        other = copy(self)
        other.view = find_view(self._home, name)
        other._indexes = [other._narrowed(index, other.view) for index in self._indexes]
        return other

    def steps(self, score: float) -> int:
        """Return a score that is shown as the whole number that rankings hold."""
        return round(score * self._unit)

    @property
    def _unit(self) -> float:
        """Return what fits best scores in rankings; it is shown as 1."""
        return self.encoder.grid**2 * (1 + self._word_weight)

    @property
    def stale_shards(self) -> list[ShardName]:
        """Name the shards that changed since they were indexed: their new pairs are not found yet."""
        return [index.shard for index in self._indexes if index.is_stale]

    @property
    def corpus(self) -> CorpusVersion:
        """Return the version of the corpus that is searched."""
        return self._corpus

    @property
    def corpus_version(self) -> int | None:
        """Return the number of the corpus version that is searched."""
        return self._corpus.number

    def n_rows(self, shard: ShardName) -> int:
        """Count the pairs of a shard, or of the view of it."""
        return self._indexes[self.shards.index(shard)].n_rows

    def encode(self, questions: Sequence[str]) -> Queries:
        """Encode questions once, for any number of searches."""
        return Queries(questions, encode_all(self.encoder, questions))

    def ask(self, questions: Sequence[str], k: int = 5) -> list[list[Result]]:
        """Return the best k results for each question; pairs that ask the same are one result."""
        if isinstance(questions, str):
            raise TypeError("ask takes a list of questions")
        if k < 1:
            raise ValueError("k must be at least 1")
        n_results = max(k, CANDIDATES if self._reranker else COMPARED)
        found = [collapse(hits, n_results) for hits in self._hits_of(self.encode(questions), n_results)]
        if self._reranker:
            pairs = zip(questions, found, strict=True)
            found = [self._reranker.rerank(question, results) for question, results in pairs]
        return [results[:k] for results in found]

    def search(self, queries: Queries, k: int) -> Ranking:
        """Return the best k pairs of all shards for each question."""
        words = QuestionWords(queries.questions) if self._word_weight else None
        best = Ranking.empty(len(queries), k)
        for step in self._searched(queries, k, range(len(self._indexes))):
            front = side_by_side([ranking.of_ranks(slice(_CANDIDATES)) for ranking in step])
            behind = side_by_side([ranking.of_ranks(slice(_CANDIDATES, None)) for ranking in step])
            if words:
                # A pair whose vector is so far behind that no words could make up for it need not be looked at.
                # How far that is, the nearest tell.
                near = front.top(max(2 * k, _CANDIDATES))
                near = self._cut(self._with_words(words, near, near.scores != NOTHING)).top(k)
                enough = np.maximum(near.scores[:, -1:], best.scores[:, -1:]).astype(np.int64)
                may_win = (front.scores != NOTHING) & (front.scores >= enough - math.ceil(self._most_for_words))
                front = self._with_words(words, front, may_win)
            best = merge([best, self._cut(front), self._cut(behind)], k)
        return best

    def search_each(
        self, queries: Queries, k: int, shards: Iterable[ShardName] | None = None
    ) -> dict[ShardName, Ranking]:
        """Return the best k pairs of each shard, or of some, for each question."""
        words = QuestionWords(queries.questions) if self._word_weight else None
        wanted = self.shards if shards is None else sorted(set(shards))
        numbers = [self.shards.index(shard) for shard in wanted]
        found: list[Ranking] = []
        for step in self._searched(queries, k, numbers):
            weighed = [self._weighed(words, ranking) for ranking in step] if words else step
            found += tops([self._cut(ranking) for ranking in weighed], k)
        return dict(zip(wanted, found, strict=True))

    def _searched(self, queries: Queries, k: int, numbers: Sequence[int]) -> Iterator[list[Ranking]]:
        """Yield what is nearest by vectors alone, in order, a ranking a shard and several shards at a time."""
        depth = max(k, _CANDIDATES) if self._word_weight else k

        def searched(number: int) -> Ranking:
            index = self._indexes[number]
            found = index.candidates(queries.vectors, depth, number, exact=index.n_rows <= self._exact_rows)
            return found.lowered(self._offsets[number]) if self._offsets[number] else found

        found = self._pool.map(searched, numbers) if len(queries) <= _FEW_QUESTIONS else map(searched, numbers)
        waiting: list[Ranking] = []
        for ranking in found:
            waiting.append(ranking)
            if sum(one.scores.size for one in waiting) >= _RANKS_A_STEP:
                yield tops(waiting, depth)
                waiting = []
        if waiting:
            yield tops(waiting, depth)

    def _cut(self, ranking: Ranking) -> Ranking:
        """Leave out what scores less than the cure of its shard wants."""
        return ranking.at_least(self._least[ranking.shards]) if (self._least != NOTHING).any() else ranking

    def _weighed(self, words: QuestionWords, ranking: Ranking) -> Ranking:
        """Add what shared words give to the candidates of a shard."""
        is_candidate = np.arange(ranking.scores.shape[1]) < _CANDIDATES
        return self._with_words(words, ranking, (ranking.scores != NOTHING) & is_candidate)

    def _with_words(self, words: QuestionWords, ranking: Ranking, which: npt.NDArray[np.bool_]) -> Ranking:
        """Add to the scores of some pairs what their words share with their question's."""
        questions, ranks = np.nonzero(which)
        shards, rows = ranking.shards[questions, ranks], ranking.rows[questions, ranks]
        texts: list[str] = []
        places = np.empty(len(rows), np.int64)
        for number in np.unique(shards):
            of_shard = np.flatnonzero(shards == number)
            different, found = np.unique(rows[of_shard], return_inverse=True)
            places[of_shard] = found + len(texts)
            texts += self._indexes[number].texts.column("question", different)
        shares = words.shares(texts, questions, places)
        scores = ranking.scores.copy()
        scores[questions, ranks] += np.rint(shares * self._most_for_words).astype(np.int32)
        return replace(ranking, scores=scores)

    @property
    def _most_for_words(self) -> float:
        """Return what is added to the score of a pair that has all words of its question."""
        return self._word_weight * self.encoder.grid**2

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
        for number, index in enumerate(self._indexes):
            places = np.nonzero((ranking.shards == number) & (ranking.scores != NOTHING))
            rows = index.texts.rows(ranking.rows[places])
            for question, rank, row in zip(*(place.tolist() for place in places), rows, strict=True):
                found[question][rank] = Hit(
                    score=float(ranking.scores[question, rank]) / self._unit,
                    shard=self.shards[number],
                    answers=row["answer"],
                    **{name: row[name] for name in _SHOWN},
                    objects=row["objects"] or [],
                )
        return [[hit for hit in ranks if hit] for ranks in found]

    def _hits_of(self, queries: Queries, k: int) -> list[list[Hit]]:
        """Search each question until the pairs of its first k different questions are all there."""
        n_pairs = sum(index.n_rows for index in self._indexes)
        found: list[list[Hit]] = [[] for _ in range(len(queries))]
        waiting = np.arange(len(queries))
        depth = 2 * k
        while len(waiting):
            behind = []
            for some in np.array_split(waiting, -(-len(waiting) * depth // _HITS_A_STEP)):
                ranking = self.search(queries.taken(some), depth)
                is_done = _are_deep_enough(ranking, k) | (depth >= n_pairs)
                done = np.flatnonzero(is_done)
                for number, hits in zip(some[done], self.hits(ranking.of_questions(done)), strict=True):
                    found[number] = hits
                behind.append(some[~is_done])
            waiting = np.concatenate(behind)
            depth *= 2
        return found


_SHOWN = ("qa_id", "question", "subject", "popularity", "licence", "as_of")


def _are_deep_enough(ranking: Ranking, k: int) -> npt.NDArray[np.bool_]:
    """Tell whether the last rank of each question is worse than the k-th different question before it."""
    enough = []
    for scores, asked in zip(ranking.scores, ranking.questions, strict=True):
        firsts = np.sort(np.unique(asked, return_index=True)[1])
        enough.append(scores[-1] == NOTHING or (len(firsts) >= k and scores[firsts[k - 1]] > scores[-1]))
    return np.array(enough, np.bool_)
