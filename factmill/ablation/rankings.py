"""The search pass: each question is searched once in each shard and each view of it. All else is merging."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from factmill.ablation.result import Part
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet
from factmill.ranking import Ranking, merge
from factmill.search import Retriever
from factmill.views import FULL, find_view, is_milled, is_oracle


@dataclass(frozen=True)
class Searched:
    """The best pairs of each part for each question, marked where they are right."""

    questions: QuestionSet
    base: Part
    rankings: dict[Part, Ranking]
    depth: int

    def merged(self, parts: Iterable[Part]) -> Ranking:
        """Return the best pairs of the base and these parts together."""
        return merge([self.rankings[part] for part in (self.base, *parts)], self.depth)


class Searcher:
    """Searches parts of the corpus. An imported base has no views and is always searched whole."""

    def __init__(self, home: Home, retriever: Retriever, views: Sequence[str]) -> None:
        self._home = home
        self.retriever = retriever
        self.views = list(views)
        self._narrowed = {view: retriever if view == FULL else retriever.in_view(view) for view in (FULL, *views)}

    def parts(self, shards: Sequence[ShardName], view: str) -> list[Part]:
        """Return a view of these shards, or the whole of those that have none."""
        return [Part(shard, view if is_milled(shard) else FULL) for shard in shards]

    def n_pairs(self, parts: Iterable[Part]) -> int:
        """Count the pairs of some parts."""
        return sum(self._narrowed[part.view].n_rows(part.shard) for part in parts)

    def oracles(self, questions: QuestionSet) -> set[str]:
        """Return the views that have seen some of these questions."""
        named = [view for view in self.views if view != FULL]
        return {view for view in named if is_oracle(self._home, find_view(self._home, view), questions.questions)}

    def search(self, questions: QuestionSet, base: Part, parts: Iterable[Part], depth: int) -> Searched:
        """Search every question once in the base and in each of these parts."""
        queries = self.retriever.encode(questions.questions)
        rankings: dict[Part, Ranking] = {}
        wanted = {base, *parts}
        for view, retriever in self._narrowed.items():
            shards = [part.shard for part in wanted if part.view == view]
            found = retriever.search_each(queries, depth, shards) if shards else {}
            rankings |= {Part(shard, view): retriever.mark(ranking, questions.gold) for shard, ranking in found.items()}
        return Searched(questions, base, rankings, depth)
