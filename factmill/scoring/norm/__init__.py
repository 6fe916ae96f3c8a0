"""EM_norm: exact match, and other ways to write the same name, date or amount. docs/evaluation.md has the rules."""

from factmill.scoring.norm.judge import Accepted, Judge, Part, open_judge

__all__ = ["Accepted", "Judge", "Part", "open_judge"]
