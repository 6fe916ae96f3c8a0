"""One module a source. Each has INFO (what it is) and a reader that yields batches of facts."""
