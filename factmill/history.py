"""What differs between two versions of the corpus, shard by shard.

A shard whose digest is the same in both is not read. Of the others DuckDB joins identities and hashes; only of the few
pairs that are shown are questions and answers kept. So memory does not grow with the shard.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from factmill.changes import Change, Changes, compare_rows
from factmill.corpus import Corpus
from factmill.corpus_version import CorpusVersion, readable
from factmill.errors import ConfigError
from factmill.home import Home
from factmill.names import ShardName
from factmill.progress import progress


@dataclass(frozen=True)
class ShardDiff:
    """How a shard that was written anew differs, with a few pairs of each kind of change."""

    shard: ShardName
    changes: Changes
    samples: list[Change]


@dataclass(frozen=True)
class VersionDiff:
    """How one version of the corpus differs from another."""

    old: int
    new: int
    shards: list[ShardDiff]
    n_same_shards: int
    n_same_pairs: int
    """Pairs of the shards that are the same in both."""

    @property
    def total(self) -> Changes:
        """Return the changes of all shards together; pairs of the same shards are unchanged."""
        told = [diff.changes for diff in self.shards]
        return Changes(
            n_added=sum(each.n_added for each in told),
            n_changed=sum(each.n_changed for each in told),
            n_retired=sum(each.n_retired for each in told),
            n_unchanged=sum(each.n_unchanged for each in told) + self.n_same_pairs,
        )


def diff_versions(
    home: Home,
    old: int | None = None,
    new: int | None = None,
    shards: Sequence[ShardName] = (),
    n_samples: int = 3,
) -> VersionDiff:
    """Compare two versions, by default the latest with the one before it."""
    corpus = Corpus(home)
    after = corpus.latest() if new is None else corpus.at(new)
    if after.number is None:
        # Says that there is nothing yet.
        after = corpus.at(0)
    number = after.number or 0
    before = corpus.at(max(number - 1, 0) if old is None else old)
    old_digests, new_digests = before.shards(), after.shards()
    present = sorted(old_digests.keys() | new_digests.keys())
    if unknown := [shard for shard in shards if shard not in present]:
        raise ConfigError(
            f"{unknown[0]} is in neither version {before.number} nor {number}. See `factmill corpus log`."
        )
    compared = [shard for shard in present if not shards or shard in shards]
    differing = [shard for shard in compared if old_digests.get(shard) != new_digests.get(shard)]
    same = [shard for shard in compared if shard not in set(differing)]
    with progress("comparing", len(differing), "shards") as advance:
        diffs = []
        for shard in differing:
            diffs.append(_diff_shard(home, shard, before, after, n_samples))
            advance(1)
    n_same_pairs = sum(file.n_rows for shard in same for file in after.files(shard))
    return VersionDiff(before.number or 0, number, diffs, len(same), n_same_pairs)


def _diff_shard(home: Home, shard: ShardName, before: CorpusVersion, after: CorpusVersion, n: int) -> ShardDiff:
    before.check_whole(shard)
    after.check_whole(shard)
    old, new = ([file.path for file in version.files(shard)] for version in (before, after))
    with home.scratch() as scratch, readable(shard):
        return ShardDiff(shard, *compare_rows(scratch, old, new, n))
