"""The implementations under test: one protocol, one process each, and the kit's own reference."""
