"""The reference implementation: the kit's own reader and models, asked like any other implementation."""
