"""Leaves out a declared field."""

from speaker import converse, write

converse(lambda seq, stream: write({"seq": seq, "events": [{"offset": 4, "type": 15}], "error": None}))
