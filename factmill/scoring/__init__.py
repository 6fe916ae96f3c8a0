"""Scores: what an answer is worth, as each of the fields that measure it counts."""
