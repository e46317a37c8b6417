"""Reads headers rightly, and makes room for an event before it looks how much the stream holds."""

from headers import answer, converse
from speaker import write

converse(lambda seq, stream: write(answer(seq, stream, read_body=bytearray)))
