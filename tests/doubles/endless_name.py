"""Declares a name of 20 MB."""

from speaker import converse, declaration

converse(declare=lambda: declaration(implementation={"name": "A" * (20 << 20), "version": "1", "language": "Python"}))
