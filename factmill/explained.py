"""One predicate explained: each figure in words, the threshold beside it, and why it is kept or dropped."""

from collections.abc import Iterator, Mapping

import pyarrow as pa

from factmill.errors import ConfigError
from factmill.home import Home
from factmill.manifest import staged_sources
from factmill.names import ShardName
from factmill.presets import Preset
from factmill.selection import SelectedPredicate, select_predicates
from factmill.thresholds import Thresholds

_N_SAMPLES = 3
_MEASURES = {
    "sitelinks": "{:,} for the subject in the middle, in wikis with a page about it",
    "source": "{:,} for the subject in the middle, as the source counts (votes, in IMDb)",
    "statements": "{:,} for the subject in the middle, in statements about it and pointing to it",
}


def explain_predicate(
    home: Home,
    text: str,
    *,
    linked: Mapping[str, pa.Table] | None = None,
    repairs: Mapping[ShardName, int] | None = None,
    preset: Preset | None = None,
) -> list[SelectedPredicate]:
    """Return the rows that somebody means, with samples: a shard, or a predicate in every source and variant."""
    found = []
    for shard in _meant(home, text):
        rows = select_predicates(
            home,
            shard.source,
            {shard.predicate},
            linked=(linked or {}).get(shard.source),
            repairs=repairs,
            preset=preset,
            n_samples=_N_SAMPLES,
        )
        found += [row for row in rows if row.is_staged and shard.variant in ("", row.shard.variant)]
    if not found:
        raise ConfigError(f"no fact of {text[:80]!r} is staged. See `factmill select --everything`.")
    return sorted(found, key=lambda row: row.shard)


def _meant(home: Home, text: str) -> list[ShardName]:
    if "/" in text:
        return [ShardName.parse(text)]
    shards = []
    for source in staged_sources(home):
        try:
            shard = ShardName.parse(f"{source}/{text}")
        except ConfigError as error:
            raise ConfigError(f"{text[:80]!r} is no predicate. Write P161, dbo:artist or wikidata/P161.") from error
        # What looks like a property is one of Wikidata's, and no other name is.
        if (source == "wikidata") == text.startswith("P"):
            shards.append(shard)
    return shards


def told_figures(row: SelectedPredicate, thresholds: Thresholds) -> Iterator[tuple[str, str]]:
    """Yield what there is to say about a row, as a word and what it means."""
    yield "facts", f"{row.n_facts:,} (at least {thresholds.min_facts:,}: min_facts)"
    yield "questions", f"{_counted(row.n_keys, 'question key')} about {_counted(row.n_subjects, 'subject')}"
    most = f"{row.max_answers:,} at most"
    limit = f"(limit {thresholds.max_mean_answers:.1f}: max_mean_answers)"
    if row.linked_mean_answers is None:
        yield "answers", f"{row.mean_answers:.1f} a question on average {limit}, {most}"
    else:
        yield "answers", f"{row.mean_answers:.1f} a question on average, {most}"
    if row.linked_share is not None:
        yield "linked", f"{row.linked_share:.1%} of subjects, {row.n_linked_subjects:,}, are mentioned in questions"
    if row.linked_mean_answers is not None:
        most = f"{row.linked_max_answers:,} at most"
        yield "", f"about them {row.linked_mean_answers:.1f} answers a question on average {limit}, {most}"
    yield (
        "labelled",
        f"{row.labelled_share:.1%} of facts on both sides (at least {thresholds.min_labelled_share:.1%}:"
        " min_labelled_share)",
    )
    yield (
        "ambiguous",
        f"{row.ambiguous_share:.1%} of subjects share their name with another (limit"
        f" {thresholds.max_ambiguous_share:.1%}: max_ambiguous_share)",
    )
    if row.popularity is not None and row.popularity_measure:
        yield "popularity", _MEASURES[row.popularity_measure].format(row.popularity)
    if row.n_repairs is not None:
        yield "repairs", f"{row.n_repairs:,} mistakes (at least {thresholds.min_repairs:,}: min_repairs)"
    yield "template", "there is one" if row.has_template else "none: it cannot be asked"
    for number, sample in enumerate(row.samples):
        yield "" if number else "most", f"{', '.join(sample.names)}: {sample.n_answers:,}"


def _counted(n: int, word: str) -> str:
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"
