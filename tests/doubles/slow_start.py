"""Takes its time to start."""

import time

from speaker import converse

time.sleep(0.5)
converse()
