"""Programs that measure, and the dump generator that they measure with."""
