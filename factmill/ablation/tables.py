"""Tables: what each outcome gains and loses against a reference, and what was retrieved where it matters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factmill.ablation.rankings import Searched, Searcher
from factmill.ablation.result import Change, Delta, Retrieved, Score, Table, Variant
from factmill.ablation.variants import Outcome
from factmill.questions import QuestionSet
from factmill.ranking import Ranking, stacked
from factmill.results import Hit
from factmill.statistics import Comparison, compare, holm

Numbers = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Maker:
    """Makes tables at some k, with what a searcher found."""

    searcher: Searcher
    ks: Sequence[int]

    def table(
        self,
        title: str,
        searched: Searched,
        reference: Outcome,
        outcomes: Sequence[Outcome],
        *,
        leaves_out: bool = False,
    ) -> Table:
        """Compare all outcomes with the reference."""
        questions = searched.questions
        oracles = self.searcher.oracles(questions)
        found = [self._scores(reference.ranking, [one.ranking for one in outcomes], k) for k in self.ks]
        changes = self._changes(questions, reference.ranking, [one.ranking for one in outcomes])
        first = [_score(reference.ranking, k, None) for k in self.ks]
        variants = [self._variant(reference, first, {}, oracles)]
        for number, outcome in enumerate(outcomes):
            scores = [of_k[number] for of_k in found]
            variants.append(self._variant(outcome, scores, changes[number], oracles))
        return Table(title, questions.name, questions.sha256, len(questions), leaves_out, variants)

    def _variant(self, outcome: Outcome, scores: list[Score], changes: dict[int, Change], oracles: set[str]) -> Variant:
        parts = list(outcome.combination.parts)
        return Variant(
            name=outcome.combination.name,
            parts=parts,
            n_pairs=self.searcher.n_pairs(parts),
            is_oracle=any(part.view in oracles for part in parts),
            scores=scores,
            changes=changes,
        )

    def _scores(self, reference: Ranking, rankings: Sequence[Ranking], k: int) -> list[Score]:
        """Compare all rankings at one k; p-values are corrected for how many there are."""
        before = reference.right_at(k)
        compared = [compare(before, ranking.right_at(k)) for ranking in rankings]
        corrected = holm([one.p_value for one in compared])
        return [
            _score(ranking, k, _delta(before, ranking.right_at(k), one, p_holm))
            for ranking, one, p_holm in zip(rankings, compared, corrected, strict=True)
        ]

    def _changes(self, questions: QuestionSet, before: Ranking, after: Sequence[Ranking]) -> list[dict[int, Change]]:
        """Look up what was retrieved for the questions that are gained or lost, and for no others."""
        changed = [_changed(before, ranking, self.ks) for ranking in after]
        numbers = np.unique(np.concatenate([np.empty(0, np.intp), *changed]))
        found_before = dict(zip(numbers.tolist(), self._retrieved(before.of_questions(numbers)), strict=True))
        some = [ranking.of_questions(which) for ranking, which in zip(after, changed, strict=True)]
        found_after = iter(self._retrieved(stacked(some)) if some else ())
        found = []
        for ranking, which in zip(after, changed, strict=True):
            gained_at = _deepest(before, ranking, which, self.ks)
            found.append(
                {
                    number: _change(questions, number, found_before[number], next(found_after), deepest)
                    for number, deepest in zip(which.tolist(), gained_at, strict=True)
                }
            )
        return found

    def _retrieved(self, ranking: Ranking) -> list[list[Retrieved]]:
        return [[_retrieved(hit) for hit in hits] for hits in self.searcher.retriever.hits(ranking)]


def _score(ranking: Ranking, k: int, delta: Delta | None) -> Score:
    right = ranking.right_at(k)
    return Score(k, 100 * float(right.mean()), int(right.sum()), delta)


def _delta(before: npt.NDArray[np.bool_], after: npt.NDArray[np.bool_], found: Comparison, p_holm: float) -> Delta:
    gained, lost = np.flatnonzero(after & ~before), np.flatnonzero(before & ~after)
    return Delta(gained.tolist(), lost.tolist(), found, p_holm)


def _changed(before: Ranking, after: Ranking, ks: Sequence[int]) -> Numbers:
    return np.flatnonzero(np.logical_or.reduce([before.right_at(k) != after.right_at(k) for k in ks]))


def _deepest(before: Ranking, after: Ranking, which: Numbers, ks: Sequence[int]) -> list[tuple[int, bool]]:
    """Return for each of these questions the deepest k at which it changed, and whether it is gained there."""
    found: dict[int, tuple[int, bool]] = {}
    for k in sorted(ks):
        was, now = before.right_at(k)[which], after.right_at(k)[which]
        found |= {int(place): (k, bool(now[place])) for place in np.flatnonzero(was != now)}
    return [found[place] for place in range(len(which))]


def _change(
    questions: QuestionSet, number: int, before: list[Retrieved], after: list[Retrieved], deepest: tuple[int, bool]
) -> Change:
    k, is_gained = deepest
    wrong, right = (before[:k], after[:k]) if is_gained else (after[:k], before[:k])
    displacing = [pair for pair in wrong if pair not in right]
    return Change(questions.questions[number], list(questions.gold[number]), before, after, displacing)


def _retrieved(hit: Hit) -> Retrieved:
    return Retrieved(hit.qa_id, hit.question, hit.answer, hit.shard, round(hit.score, 4))
