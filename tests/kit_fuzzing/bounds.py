"""Bounds on the time and the memory of one run of the kit, in the process that runs it."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

#: Seconds of processor time, which a busy machine does not lengthen; instrumented code takes about twice as long.
SECONDS: Final = 10
#: Bytes of address space that a run may add. What the kit unpacks is limited to less.
MEMORY: Final = 768 << 20


class TooSlow(BaseException):
    """A run took more than `SECONDS`; not an `Exception`, which the kit would report as its own."""


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise TooSlow


@contextmanager
def bounded() -> Iterator[None]:
    """Bound what runs inside; more memory is refused with `MemoryError`.

    Raises:
        TooSlow: It takes more than `SECONDS`.
    """
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, _interrupt)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MEMORY, most))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (before, most))
        signal.signal(signal.SIGPROF, handler)


def _address_space() -> int:
    with open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read(32).split()[0]) * resource.getpagesize()
