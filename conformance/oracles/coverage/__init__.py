"""Tables of coverage: what the cases of a run exercised, counted in cells."""
