"""The thresholds of the selection: the settings of the same names, of which a preset may fix some."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from factmill.settings import settings


@dataclass(frozen=True)
class Thresholds:
    """What a predicate must meet to be selected. docs/selection.md explains each."""

    max_mean_answers: float
    min_labelled_share: float
    min_facts: int
    max_ambiguous_share: float
    min_repairs: int

    @classmethod
    def of_settings(cls, fixed: Mapping[str, Any] = MappingProxyType({})) -> "Thresholds":
        """Return what the user has set, but those that are fixed."""
        chosen = settings()
        mine = cls(**{field.name: getattr(chosen, field.name) for field in fields(cls)})
        return replace(mine, **fixed)
