"""Variants: the combinations of parts that a table compares, each a merge of stored rankings."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from factmill.ablation.rankings import Searched
from factmill.ablation.result import Part
from factmill.ranking import Ranking, leave_one_out, put_on_top
from factmill.views import FULL


@dataclass(frozen=True)
class Combination:
    """Parts that are added to the base, or left out, and what that is called."""

    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Outcome:
    """What a combination finds."""

    combination: Combination
    ranking: Ranking


def each_part(parts: Iterable[Part]) -> list[Combination]:
    """Return every part on its own."""
    return [Combination(str(part), (part,)) for part in dict.fromkeys(parts)]


def each_source(parts: Iterable[Part]) -> list[Combination]:
    """Return the parts of every source together."""
    by_source: dict[str, list[Part]] = defaultdict(list)
    for part in dict.fromkeys(parts):
        by_source[part.shard.source].append(part)
    return [_named(source, by_source[source]) for source in sorted(by_source)]


def together(name: str, parts: Iterable[Part]) -> Combination:
    """Return all parts as one."""
    return _named(name, list(dict.fromkeys(parts)))


def _named(name: str, parts: Sequence[Part]) -> Combination:
    views = sorted({part.view for part in parts if part.view != FULL})
    return Combination(f"{name} ({', '.join(views)})" if views else name, tuple(parts))


def add_each(searched: Searched, combinations: Iterable[Combination]) -> list[Outcome]:
    """Put every combination on top of the base."""
    return [
        Outcome(Combination(f"+ {one.name}", one.parts), _on_top(searched, searched.rankings[searched.base], one))
        for one in combinations
    ]


def add_in_turn(searched: Searched, combinations: Iterable[Combination]) -> list[Outcome]:
    """Put every combination on top of the base and those before it."""
    ranking = searched.rankings[searched.base]
    parts: tuple[Part, ...] = ()
    found: list[Outcome] = []
    for one in combinations:
        ranking, parts = _on_top(searched, ranking, one), (*parts, *one.parts)
        found.append(Outcome(Combination(f"{'…' if found else ''}+ {one.name}", parts), ranking))
    return found


def leave_each_out(searched: Searched, combinations: Sequence[Combination]) -> list[Outcome]:
    """Take every combination out of the base and all others."""
    nothing = Ranking.empty(len(searched.questions), searched.depth)
    groups = [_on_top(searched, nothing, one) for one in combinations]
    rest = leave_one_out([searched.rankings[searched.base], *groups], searched.depth)[1:]
    return [
        Outcome(Combination(f"all but {one.name}", one.parts), ranking)
        for one, ranking in zip(combinations, rest, strict=True)
    ]


def _on_top(searched: Searched, ranking: Ranking, combination: Combination) -> Ranking:
    rankings = [searched.rankings[part] for part in combination.parts]
    return reduce(partial(put_on_top, k=searched.depth), rankings, ranking)
