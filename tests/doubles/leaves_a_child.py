"""Starts a process that outlives it, writes its number to standard error, and hangs."""

import subprocess
import sys
import time

from speaker import converse


def leave(seq, stream):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    sys.stderr.write(f"child {child.pid}\n")
    sys.stderr.flush()
    time.sleep(3600)


converse(leave)
