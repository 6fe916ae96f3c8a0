from collections.abc import Sequence

import numpy as np
import pytest

from factmill.ranking import NOTHING, Ranking, leave_one_out, merge, put_on_top


def _random(chance: np.random.Generator, shard: int, n_questions: int, k: int) -> Ranking:
    """Return a ranking in order with many equal scores, in which some ranks are not taken."""
    shape = (n_questions, k)
    scores = chance.integers(0, 6, shape).astype(np.int32)
    scores[chance.random(shape) < 0.3] = NOTHING
    ids = chance.permutation(n_questions * k).reshape(shape).astype(np.uint64) * 16 + shard
    rows = np.arange(n_questions * k, dtype=np.int32).reshape(shape)
    marks = chance.random(shape) < 0.3
    return Ranking(scores, np.full(shape, shard, np.int16), rows, ids, ids, marks & (scores != NOTHING)).top(k)


def _taken(ranking: Ranking) -> list[list[tuple[int, int, int, bool]]]:
    columns = zip(ranking.scores, ranking.shards, ranking.rows, ranking.right, strict=True)
    return [
        [pair for pair in zip(*(column.tolist() for column in row), strict=True) if pair[0] != NOTHING]
        for row in columns
    ]


@pytest.fixture(params=range(5))
def rankings(request: pytest.FixtureRequest) -> Sequence[Ranking]:
    chance = np.random.default_rng(request.param)
    return [_random(chance, shard, 40, 4) for shard in range(6)]


@pytest.mark.parametrize("k", [1, 3, 4, 6])
def test_a_shard_on_top_of_a_base_is_their_merge(rankings: Sequence[Ranking], k: int) -> None:
    assert _taken(put_on_top(rankings[0], rankings[1], k)) == _taken(merge(rankings[:2], k))


def test_leaving_one_out_is_the_merge_of_all_others(rankings: Sequence[Ranking]) -> None:
    found = leave_one_out(rankings, 4)
    assert len(found) == len(rankings)
    for number, ranking in enumerate(found):
        assert _taken(ranking) == _taken(merge([*rankings[:number], *rankings[number + 1 :]], 4))


def test_leaving_the_only_one_out_leaves_nothing(rankings: Sequence[Ranking]) -> None:
    (found,) = leave_one_out(rankings[:1], 4)
    assert _taken(found) == [[]] * 40


def test_an_offset_and_a_least_score_keep_the_order(rankings: Sequence[Ranking]) -> None:
    lowered = rankings[0].lowered(2)
    assert _taken(lowered) == [[(score - 2, *rest) for score, *rest in row] for row in _taken(rankings[0])]
    assert _taken(lowered.at_least(1)) == [[pair for pair in row if pair[0] >= 1] for row in _taken(lowered)]
