"""Ablation: what each source adds to the base, from one search pass.

Each question is searched once in each shard. A variant (base, base and one source, all) is a merge of those rankings,
so a further variant costs a merge, not a search. Losses are counted as carefully as gains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import binomtest

from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName
from factmill.questions import QuestionSet
from factmill.ranking import Ranking, merge
from factmill.search import Retriever
from factmill.views import is_oracle

DEPTH = 5


@dataclass(frozen=True)
class Delta:
    """Questions that a variant answers and the base does not, and the other way round.

    `p_value` is the exact two-sided sign test: how likely a difference this large is if neither were better.
    """

    gained: list[str]
    lost: list[str]
    p_value: float


@dataclass(frozen=True)
class Variant:
    """One line of the table; em_1 and em_5 are percentages."""

    name: str
    shards: list[ShardName]
    n_pairs_added: int
    em_1: float
    em_5: float
    at_1: Delta
    at_5: Delta


@dataclass(frozen=True)
class Ablation:
    """The table, and what it was made from."""

    questions: str
    questions_sha256: str
    n_questions: int
    corpus_version: int | None
    encoder: str
    base: ShardName
    view: str | None
    is_oracle: bool
    """Whether the view has seen some of these questions."""
    variants: list[Variant]

    def rows(self) -> list[dict[str, str | int | float | None]]:
        """Return the table: one row a variant; deltas are of EM-5 and empty for the base itself."""
        return [
            {
                "corpus": variant.name,
                "pairs added": variant.n_pairs_added,
                "EM-1": round(variant.em_1, 2),
                "EM-5": round(variant.em_5, 2),
                "gained": len(variant.at_5.gained) if variant.shards else None,
                "lost": len(variant.at_5.lost) if variant.shards else None,
                "p": float(f"{variant.at_5.p_value:.2g}") if variant.shards else None,
            }
            for variant in self.variants
        ]


def ablate_by_source(home: Home, questions: QuestionSet, base: ShardName, view: str | None = None) -> Ablation:
    """Compare the base with the base and each source, and with everything."""
    retriever = Retriever(home, exact=True, view=view)
    if base not in retriever.shards:
        raise ConfigError(f"the corpus has no base {base}. Import one with `factmill corpus import FILE --as {base}`.")
    sources = sorted({shard.source for shard in retriever.shards if shard != base})
    queries = retriever.encode(questions.questions)
    rankings = {
        shard: retriever.mark(ranking, questions.gold)
        for shard, ranking in retriever.search_each(queries, DEPTH).items()
    }
    n_rows = {shard: retriever.n_rows(shard) for shard in retriever.shards}
    added: dict[str, list[ShardName]] = {"base": []}
    added |= {f"+ {source}": [s for s in retriever.shards if s.source == source and s != base] for source in sources}
    if len(sources) > 1:
        added["+ all"] = [shard for shard in retriever.shards if shard != base]
    before = merge([rankings[base]], DEPTH)
    variants = [
        _variant(name, shards, sum(n_rows[shard] for shard in shards), before, rankings, base, questions)
        for name, shards in added.items()
    ]
    return Ablation(
        questions=questions.name,
        questions_sha256=questions.sha256,
        n_questions=len(questions),
        corpus_version=retriever.corpus_version,
        encoder=f"{retriever.encoder.name} {retriever.encoder.digest}",
        base=base,
        view=view,
        is_oracle=bool(retriever.view and is_oracle(home, retriever.view, questions.questions)),
        variants=variants,
    )


def _variant(
    name: str,
    shards: list[ShardName],
    n_pairs: int,
    before: Ranking,
    rankings: dict[ShardName, Ranking],
    base: ShardName,
    questions: QuestionSet,
) -> Variant:
    after = merge([rankings[shard] for shard in (base, *shards)], DEPTH)
    return Variant(
        name=name,
        shards=shards,
        n_pairs_added=n_pairs,
        em_1=100 * float(after.right_at(1).mean()),
        em_5=100 * float(after.right_at(DEPTH).mean()),
        at_1=_delta(before, after, 1, questions.questions),
        at_5=_delta(before, after, DEPTH, questions.questions),
    )


def _delta(before: Ranking, after: Ranking, k: int, questions: Sequence[str]) -> Delta:
    was, now = before.right_at(k), after.right_at(k)
    gained = [question for question, yes in zip(questions, now & ~was, strict=True) if yes]
    lost = [question for question, yes in zip(questions, was & ~now, strict=True) if yes]
    changed = len(gained) + len(lost)
    return Delta(gained, lost, float(binomtest(len(gained), changed).pvalue) if changed else 1.0)
