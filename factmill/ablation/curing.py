"""Curing: what keeps a shard from doing harm, chosen on the even half of the questions and measured on the odd one.

A shard does harm where a question is right without it and wrong with it, all other shards being there. A cure is chosen
if more questions are right with it, or as many and fewer are harmed; of equally good ones the mildest.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from factmill.ablation.rankings import Searched, Searcher
from factmill.ablation.result import Curing, Part
from factmill.ablation.variants import each_part, leave_each_out
from factmill.cures import Cure
from factmill.halves import is_for_tuning
from factmill.questions import QuestionSet
from factmill.ranking import Ranking, put_on_top

OFFSETS = (0.02, 0.05, 0.1, 0.2)
LEAST_SCORES = (0.6, 0.7, 0.8, 0.9)

Steps = Callable[[float], int]
"""Turns a score that is shown into the whole number that rankings hold."""


def halves(searched: Searched) -> tuple[Searched, Searched]:
    """Return what was found for the questions to choose on, and for those to measure on."""
    is_even = np.array([is_for_tuning(question) for question in searched.questions.questions])
    return _some(searched, np.flatnonzero(is_even), "even"), _some(searched, np.flatnonzero(~is_even), "odd")


def _some(searched: Searched, which: npt.NDArray[np.intp], half: str) -> Searched:
    given = searched.questions
    questions = QuestionSet(
        f"{given.name}, {half} half",
        given.sha256,
        tuple(given.questions[number] for number in which),
        tuple(given.gold[number] for number in which),
    )
    rankings = {part: ranking.of_questions(which) for part, ranking in searched.rankings.items()}
    return replace(searched, questions=questions, rankings=rankings)


def effects(searched: Searched, parts: Sequence[Part], k: int) -> dict[Part, tuple[int, int]]:
    """Count for each part the questions that it harms and those that it helps."""
    right = searched.merged(parts).right_at(k)
    found = {}
    for part, outcome in zip(parts, leave_each_out(searched, each_part(parts)), strict=True):
        without = outcome.ranking.right_at(k)
        found[part] = int((without & ~right).sum()), int((right & ~without).sum())
    return found


def treated(searched: Searched, cures: Mapping[Part, Cure], steps: Steps) -> Searched:
    """Return the rankings as they are with cures; what a view is to cure must have been searched in it."""
    changed = {part: _treated(searched, part, cure, steps) for part, cure in cures.items()}
    return replace(searched, rankings=searched.rankings | changed)


def _treated(searched: Searched, part: Part, cure: Cure, steps: Steps) -> Ranking:
    ranking = searched.rankings[Part(part.shard, cure.view) if cure.view else part]
    lowered = ranking.lowered(steps(cure.offset))
    # Without a least score even what scores less than nothing is found.
    return lowered.at_least(steps(cure.least_score)) if cure.least_score else lowered


def find_cures(
    searcher: Searcher, searched: Searched, parts: Sequence[Part], k: int
) -> tuple[Searched, dict[Part, Cure]]:
    """Choose cures on one half of the questions, and return them behind what was found for the other half.

    What does harm is searched in all views, but in those that have seen the questions.
    """
    even, _ = halves(searched)
    harmful = [part.shard for part, counts in effects(even, parts, k).items() if counts[0]]
    views = [view for view in searcher.views if view not in searcher.oracles(searched.questions)]
    viewed = [part for view in views for part in searcher.parts(harmful, view) if part not in parts]
    if viewed:
        more = searcher.search(searched.questions, searched.base, viewed, searched.depth)
        searched = replace(searched, rankings=searched.rankings | more.rankings)
    even, odd = halves(searched)
    return odd, choose_cures(even, parts, views, k, searcher.retriever.steps)


def choose_cures(
    searched: Searched, parts: Sequence[Part], views: Iterable[str], k: int, steps: Steps
) -> dict[Part, Cure]:
    """Choose a cure for every part that does harm, the most harmful first, each with what was chosen before."""
    harmed = {part: counts[0] for part, counts in effects(searched, parts, k).items() if counts[0]}
    possible = [
        *(Cure(offset=offset) for offset in OFFSETS),
        *(Cure(least_score=least) for least in LEAST_SCORES),
        *(Cure(view=view) for view in views),
    ]
    chosen: dict[Part, Cure] = {}
    for part in sorted(harmed, key=lambda part: -harmed[part]):
        others = treated(searched, chosen, steps).merged(one for one in parts if one != part)
        has = searched.rankings
        tried = [Cure(), *(cure for cure in possible if not cure.view or Part(part.shard, cure.view) in has)]
        worth = [_worth(others, _treated(searched, part, cure, steps), k) for cure in tried]
        if best := worth.index(max(worth)):
            chosen[part] = tried[best]
    return chosen


def _worth(others: Ranking, ranking: Ranking, k: int) -> tuple[int, int]:
    """Return how many questions are right, and how many are not harmed."""
    right, without = put_on_top(others, ranking, k).right_at(k), others.right_at(k)
    return int(right.sum()), -int((without & ~right).sum())


def measured(
    searched: Searched, parts: Sequence[Part], cures: Mapping[Part, Cure], k: int, steps: Steps
) -> list[Curing]:
    """Return what the cures did on questions that did not choose them."""
    before = effects(searched, parts, k)
    after = effects(treated(searched, cures, steps), parts, k)
    return [
        Curing(part.shard, cure, before[part][0], after[part][0], before[part][1], after[part][1])
        for part, cure in sorted(cures.items())
    ]
