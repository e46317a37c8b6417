"""Declines every request."""

from speaker import converse, write

converse(lambda seq, stream: write({"seq": seq, "unsupported": "not this profile"}))
