"""The reference implementation: the kit's own reader and models, which answer like any other implementation."""
