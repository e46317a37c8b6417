"""The memory of a process: how much it has asked for, and whether the limit ended it, as far as its last words show."""

import re
from pathlib import Path
from typing import Final, NamedTuple

#: What runtimes write before they end because the system refuses them memory. Not among them is a heap that a runtime
#: limits by itself, as Java's -Xmx and Node do: the kit's limit did not cause that.
_LAST_WORDS: Final = re.compile(
    rb"""
      ^memory\ allocation\ of\ \d+\ bytes\ failed                            # Rust
    | ^(fatal\ error|runtime):\ .*(out\ of\ memory|cannot\ allocate\ memory)  # Go
    | There\ is\ insufficient\ memory\ for\ the\ Java\ Runtime\ Environment
    | ^terminate\ called\ .*'std::bad_alloc'                                # C++
    | ^MemoryError(:\ [^\n]*)?\s*\Z                                         # Python, at the end of a traceback
    """,
    re.MULTILINE | re.VERBOSE,
)


def ran_out_of_memory(errors: bytes) -> bool:
    """Return whether a process that has ended was refused memory, given its standard error."""
    return _LAST_WORDS.search(errors) is not None


class Peak(NamedTuple):
    """The largest sizes of a process so far, in bytes.

    Attributes:
        address_space: What it has asked for, touched or not.
        resident: What it has touched; a runtime that reserves its heap at the start asks for no more later.
        threads: How many threads it has now.
    """

    address_space: int
    resident: int
    threads: int

    def growth(self, before: "Peak") -> int:
        """Return by how many bytes it has grown since an earlier peak, without what new threads reserve."""
        reserved = max(self.threads - before.threads, 0) * _OF_THREAD
        return max(self.address_space - before.address_space - reserved, self.resident - before.resident)


#: What glibc reserves for a thread: an arena of 64 MiB, and a stack of 8 MiB.
_OF_THREAD: Final = 72 << 20
_SIZES: Final = re.compile(r"^Vm(?:Peak|HWM):\s*(\d+) kB$", re.MULTILINE)
_THREADS: Final = re.compile(r"^Threads:\s*(\d+)$", re.MULTILINE)


def peak_of(pid: int) -> Peak | None:
    """Return the largest sizes of a process, None if this system does not show them or the process has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    sizes = [int(each) << 10 for each in _SIZES.findall(status)]
    threads = [int(each) for each in _THREADS.findall(status)]
    # A process that has ended, and is not waited for yet, has no sizes.
    return Peak(*sizes, *threads) if len(sizes + threads) == len(Peak._fields) else None
