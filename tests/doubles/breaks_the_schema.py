"""Reports an event type as a name."""

from speaker import converse, say

converse(lambda seq, stream: say({"seq": seq, "events": [{"offset": 4, "type": "QUERY"}], "error": None}))
