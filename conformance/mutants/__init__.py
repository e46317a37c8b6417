"""The mutants: the reference implementation with one named fault each, a folder or module for each role."""
