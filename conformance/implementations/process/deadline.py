"""The deadline of an answer, which waits for a process that the machine does not let run."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: Seconds of a wait before it is worth a look at the threads of the process.
_UNWATCHED: Final = 0.1
#: A deadline is put off by so many times its seconds at most, so that a loop on a crowded machine ends, too.
_MOST_PUT_OFF: Final = 4


class Deadline:
    """The time until which a process may take.

    On Linux the time that its threads spent waiting for a processor does not count, nor that of the kit's own threads,
    one of which may be the server that it reads from: other programs on the machine must not make a hang of a slow
    answer. The threads of one process wait beside each other, so the one that waited longest counts; the two processes
    wait for each other, so both count. What its own children wait for is not seen.

    Args:
        seconds: The time that it may take.
        pid: The process.
    """

    def __init__(self, seconds: float, pid: int) -> None:
        self._seconds = seconds
        self._pid = pid
        self._began = time.monotonic()
        self._waits: list[Mapping[str, float]] | None = None

    def step(self) -> float:
        """Return the seconds to wait before `has_passed` is asked again, at least a thousandth."""
        until = self._seconds + self._put_off() if self._waits is not None else min(self._seconds, _UNWATCHED)
        return max(self._began + until - time.monotonic(), 0.001)

    def has_passed(self) -> bool:
        """Return whether the process has had its time."""
        passed = time.monotonic() - self._began
        if self._waits is None and passed >= min(self._seconds, _UNWATCHED):
            self._waits = self._seen()
        return passed >= self._seconds and passed >= self._seconds + self._put_off()

    def _put_off(self) -> float:
        waited = map(_longest, self._waits or [], self._seen())
        return min(sum(waited), self._seconds * _MOST_PUT_OFF)

    def _seen(self) -> list[Mapping[str, float]]:
        return [_waits_of(self._pid), _waits_of(os.getpid())]


def _longest(before: Mapping[str, float], now: Mapping[str, float]) -> float:
    """Return the most seconds that a thread of a process has waited since `before`."""
    return max((seconds - before.get(thread, 0.0) for thread, seconds in now.items()), default=0.0)


def _waits_of(pid: int) -> dict[str, float]:
    """Return the seconds that each thread has waited for a processor so far, none where the system does not show it."""
    waits = {}
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            # Nanoseconds on a processor, nanoseconds of waiting for one, turns; Documentation/scheduler/sched-stats.
            waits[thread.name] = int((thread / "schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, IndexError):
        pass  # The process or a thread has ended, or this is not Linux.
    return waits
