"""Says that it cannot answer."""

from speaker import converse, say

converse(lambda seq, stream: say({"seq": seq, "unsupported": "not this profile"}))
