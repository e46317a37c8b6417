"""Reports an event type as a name."""

from speaker import converse, write

converse(lambda seq, stream: write({"seq": seq, "events": [{"offset": 4, "type": "QUERY"}], "error": None}))
