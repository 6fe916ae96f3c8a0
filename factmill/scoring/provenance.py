"""Evidence, as KILT counts it: how well the pages that a prediction ranks fit the sets of pages that prove an answer.

A set counts once, where its last page stands in the ranking. So with {1, 2} as the evidence, the ranking 1, 2 has a
precision at 1 of 1.0, because the two pages are one hit.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

PAGE_KEYS = ("wikipedia_id",)
"""What names a piece of evidence, if nothing finer is asked for: its page."""


class EvidenceSet(NamedTuple):
    """The pieces of evidence that prove one answer together, each as its id. None at all is a set that is never found.

    A piece that lacks a rank key has an id cut short. It does not count for R-precision, and its set is never found.
    """

    ids: tuple[str, ...]
    cut_ids: tuple[str, ...] = ()

    @classmethod
    def of(cls, provenance: Iterable[Mapping[str, Any]], rank_keys: Sequence[str] = PAGE_KEYS) -> "EvidenceSet":
        """Make a set of the provenance of one gold answer.

        >>> EvidenceSet.of([{"wikipedia_id": 7, "section": " 2"}, {"wikipedia_id": 9}], ["wikipedia_id", "section"])
        EvidenceSet(ids=('7+2',), cut_ids=('9',))
        """
        ids: dict[str, None] = {}
        cut_ids: dict[str, None] = {}
        for piece in provenance:
            is_whole = all(key in piece for key in rank_keys)
            (ids if is_whole else cut_ids)[_id_of(piece, rank_keys)] = None
        return cls(tuple(ids), tuple(cut_ids))


class RankScores(NamedTuple):
    """How good one ranking is; the last three for each k that was asked for."""

    r_precision: float
    precision: tuple[float, ...]
    recall: tuple[float, ...]
    success: tuple[float, ...]


def ranked_ids(provenance: Iterable[Mapping[str, Any]], rank_keys: Sequence[str] = PAGE_KEYS) -> tuple[str, ...]:
    """Return the ids that a prediction ranks, each once. A piece that lacks a rank key is left out.

    >>> ranked_ids([{"wikipedia_id": 3}, {"title": "Paris"}, {"wikipedia_id": "1"}, {"wikipedia_id": "3 "}])
    ('3', '1')
    """
    whole = (_id_of(piece, rank_keys) for piece in provenance if all(key in piece for key in rank_keys))
    return tuple(dict.fromkeys(whole))


def r_precision(evidence: Iterable[EvidenceSet], ranked: Sequence[str]) -> float:
    """Return the share of a set of R ids among the first R that are ranked, for the set that fits best."""
    return max((_share_found(each.ids, ranked) for each in evidence), default=0.0)


def hits_by_rank(evidence: Iterable[EvidenceSet], ranked: Iterable[str]) -> list[bool]:
    """Tell of each rank whether a set of evidence is complete there. Ranks of a set before its last are taken out.

    >>> hits_by_rank([EvidenceSet(("1",)), EvidenceSet(("1", "2"))], ["1", "2"])
    [True, True]
    >>> hits_by_rank([EvidenceSet(("1", "2"))], ["3", "1", "2"])
    [False, True]
    """
    missing = [set(each) for each in _distinct(evidence)]
    # A number stands for a set of which something is missing.
    ranks: list[bool | tuple[int]] = []
    for one in dict.fromkeys(ranked):
        touched = [(number, left) for number, left in enumerate(missing) if one in left]
        for number, left in touched:
            if (number,) in ranks:
                ranks.remove((number,))
            left.remove(one)
            ranks.append((number,) if left else True)
        if not touched:
            ranks.append(False)
    return [rank is True for rank in ranks]


def rank_scores(evidence: Sequence[EvidenceSet], ranked: Sequence[str], ks: Sequence[int]) -> RankScores:
    """Score one ranking. Without evidence, or without a ranking, everything is 0."""
    hits = hits_by_rank(evidence, ranked)
    n_sets = len(_distinct(evidence))
    found = [sum(hits[:k]) for k in ks]
    return RankScores(
        r_precision=r_precision(evidence, ranked),
        precision=tuple(n / k if n_sets else 0.0 for n, k in zip(found, ks, strict=True)),
        recall=tuple(n / n_sets if n_sets else 0.0 for n in found),
        success=tuple(float(n > 0) for n in found),
    )


def _id_of(piece: Mapping[str, Any], rank_keys: Sequence[str]) -> str:
    return "+".join(str(piece[key]).strip() for key in rank_keys if key in piece)


def _share_found(ids: Sequence[str], ranked: Sequence[str]) -> float:
    return len(set(ids) & set(ranked[: len(ids)])) / len(ids) if ids else 0.0


def _distinct(evidence: Iterable[EvidenceSet]) -> list[frozenset[str]]:
    # The ids cut short stay in, where nothing that is ranked ever finds them.
    return list(dict.fromkeys(frozenset(each.ids + each.cut_ids) for each in evidence))
