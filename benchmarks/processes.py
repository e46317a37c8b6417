"""Processor time of this process and of all that it started, those that still run included."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")


def descendants(root: int) -> Iterator[tuple[int, float]]:
    """Yield each running descendant of a process, with the seconds of processor time that it has used."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # It has ended.
            parents[int(entry.name)] = int(fields[1])
            # Its own, and that of its children that have ended.
            seconds[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS
    tree = {root}
    while more := {each for each, parent in parents.items() if parent in tree} - tree:
        tree |= more
    yield from ((each, seconds[each]) for each in tree - {root})


def of_children() -> float:
    """Return the seconds of processor time of all descendants of this process, running or ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + sum(seconds for _, seconds in descendants(os.getpid()))
