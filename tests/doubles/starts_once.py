"""Starts once, where its second argument names a folder; never again after that. Ends at its first question."""

import sys
from pathlib import Path

from speaker import converse

starts = Path(sys.argv.pop())
already = len(list(starts.iterdir()))
(starts / str(already)).touch()
if already:
    sys.exit("the licence has expired")
converse(lambda seq, stream: sys.exit(1))
