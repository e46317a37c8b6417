"""Declares itself and never reads its requests."""

import time

from speaker import declaration, write

write(declaration())
time.sleep(3600)
