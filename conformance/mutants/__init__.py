"""The mutants: the reference implementation with one named fault each, a room for each role."""
