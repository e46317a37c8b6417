"""Starts only once (its second argument is a folder for its state), and ends at its first request."""

import sys
from pathlib import Path

from speaker import converse

starts = Path(sys.argv.pop())
already = len(list(starts.iterdir()))
(starts / str(already)).touch()
if already:
    sys.exit("the licence has expired")
converse(lambda seq, stream: sys.exit(1))
