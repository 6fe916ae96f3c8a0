"""How many mistakes each shard could repair, from the run folder of a gap analysis."""

import json
from collections.abc import Mapping
from pathlib import Path

from factmill.errors import ConfigError
from factmill.gaps import Way
from factmill.names import ShardName
from factmill.templates import Template, catalogue

METRICS = "metrics.json"


def read_repairs(run: Path) -> dict[ShardName, int]:
    """Return the mistakes that each shard with a template could repair, and each predicate without one.

    Sources that the analysis did not look into are left out.
    """
    path = run / METRICS if run.is_dir() else run
    try:
        metrics = json.loads(path.read_text(encoding="utf-8"))
        sources = set(metrics["sources"])
        counts = {Way(**row["way"]): int(row["n_mistakes"]) for row in metrics["predicates"]}
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}. Name the folder of a run of `factmill gaps`."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is not what `factmill gaps` writes. Name one of its run folders.") from error
    return _repairs(counts, {s: t for s, t in catalogue().items() if s.source in sources})


def _repairs(counts: Mapping[Way, int], templates: Mapping[ShardName, Template]) -> dict[ShardName, int]:
    repairs = {ShardName(way.source, way.predicate): n for way, n in counts.items() if not way.inverse and not way.path}
    for shard, template in templates.items():
        repairs[shard] = sum(n for way, n in counts.items() if way.is_asked_by(template))
    return repairs
