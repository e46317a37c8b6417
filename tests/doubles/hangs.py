"""Never answers, and does not end when it is asked to."""

import signal
import time

from speaker import converse

signal.signal(signal.SIGTERM, signal.SIG_IGN)
converse(lambda seq, stream: time.sleep(3600))
