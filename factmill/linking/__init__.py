"""The parts of the default entity linker: names, their table, what entities are known by, features and weights."""
