"""Leaves a declared field out."""

from speaker import converse, say

converse(lambda seq, stream: say({"seq": seq, "events": [{"offset": 4, "type": 15}], "error": None}))
