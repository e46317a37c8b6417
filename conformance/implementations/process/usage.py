"""What a process has used: its largest sizes, and processor time."""

import os
from pathlib import Path
from typing import NamedTuple

from conformance.implementations.process.memory import Peak, peak_of


class Usage(NamedTuple):
    """What a process has used so far; its own children do not count.

    Attributes:
        peak: Its largest sizes.
        processor_seconds: The processor time of all its threads, which other programs on the machine do not lengthen.
    """

    peak: Peak
    processor_seconds: float


def usage_of(pid: int) -> Usage | None:
    """Return what a process has used, None if this system does not show it or the process has ended."""
    peak = peak_of(pid)
    if peak is None:
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name in parentheses may have spaces and parentheses itself; the 14th and 15th fields are in clock ticks.
    user, system = stat.rpartition(b")")[2].split()[11:13]
    return Usage(peak, (int(user) + int(system)) / os.sysconf("SC_CLK_TCK"))
