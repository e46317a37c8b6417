"""Declares itself and never reads what it is asked."""

import time

from speaker import declaration, say

say(declaration())
time.sleep(3600)
