"""Choosing parts on development sets, to be measured on others.

The rule of the thesis *Incorporating Structured Knowledge into PAQ*: what gains enough on its own on one of the sets.
Greedy: one after the other what gains most on top of what was chosen before, on the mean of the sets.
"""

from collections.abc import Sequence

import numpy as np

from factmill.ablation.rankings import Searched
from factmill.ablation.result import Part
from factmill.ranking import Ranking, put_on_top, touched


def gains(searched: Searched, current: Ranking, parts: Sequence[Part], k: int) -> list[float]:
    """Return what each part gains at k on top of a ranking, in points."""
    first = current.of_ranks(slice(k)).widened(k)
    right = first.right_at(k)
    found = []
    for part in parts:
        questions, ranking = touched(first, searched.rankings[part].of_ranks(slice(k)), k)
        net = int(ranking.right_at(k).sum()) - int(right[questions].sum())
        found.append(100 * net / len(searched.questions))
    return found


def choose_each(sets: Sequence[Searched], parts: Sequence[Part], k: int, min_gain: float) -> list[Part]:
    """Return what gains at least so much on its own on one of the sets; of several views of a shard the best one."""
    alone = [gains(one, one.rankings[one.base], parts, k) for one in sets]
    best = dict(zip(parts, np.max(alone, axis=0).tolist(), strict=True)) if parts else {}
    enough = sorted((part for part in parts if best[part] >= min_gain), key=lambda part: -best[part])
    chosen = {part.shard: part for part in reversed(enough)}
    return [part for part in parts if chosen.get(part.shard) == part]


def choose_forward(sets: Sequence[Searched], parts: Sequence[Part], k: int, min_gain: float) -> list[Part]:
    """Return what is chosen one after the other until nothing gains at least so much, or nothing gains at all."""
    current = [one.rankings[one.base] for one in sets]
    left, chosen = list(parts), list[Part]()
    while left:
        mean = np.mean([gains(one, ranking, left, k) for one, ranking in zip(sets, current, strict=True)], axis=0)
        best = int(mean.argmax())
        if mean[best] < min_gain or mean[best] <= 0:
            break
        part = left[best]
        chosen.append(part)
        left = [other for other in left if other.shard != part.shard]
        current = [put_on_top(ranking, one.rankings[part], k) for one, ranking in zip(sets, current, strict=True)]
    return chosen
