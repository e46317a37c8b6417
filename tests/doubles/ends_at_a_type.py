"""Is ended by a signal at the first event of the type code in its argument, or at an event that is cut short."""

import os
import sys

from headers import answer, converse
from speaker import write

#: Taken away, as the first argument that is left is the stream to misbehave at.
ENDS_AT = int(sys.argv.pop())


def read(seq, stream):
    answered = answer(seq, stream)
    cut_short = answered["error"] is not None
    if cut_short or any(event["type"] == ENDS_AT for event in answered["events"]):
        os.abort()
    write(answered)


converse(read)
