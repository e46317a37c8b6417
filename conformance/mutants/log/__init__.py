"""The mutants of the role `log`, and the faults that they are made of."""
