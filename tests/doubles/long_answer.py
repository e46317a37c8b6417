"""Answers with a text of a megabyte that nobody has asked for."""

from speaker import converse, honest, write

converse(lambda seq, stream: write(honest(seq, stream) | {"remark": "x" * (1 << 20)}))
