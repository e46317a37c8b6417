"""The mutants of the role `boundary`."""
