"""Pools of processes of the kit: a pool ends with the command that began it, however that ends."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
#: Signals that a user ends a command with. The kit may handle them itself; a process of a pool ends without a word.
_ENDING: Final = ("SIGINT", "SIGTERM", "SIGHUP")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_fork() -> bool:
    """Return whether a process may be a fork of this one, which is quick.

    A fork of a process with threads may have a lock that nobody releases.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def end_with_parent(parent: int) -> None:
    """Have the system kill this process when its parent, given by its process id, is killed.

    Raises:
        SystemExit: The parent is gone already.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            raise SystemExit


@contextmanager
def process_pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; an interruption does not wait for what they have begun, and kills them."""
    context = get_context("fork" if can_fork() else "spawn")
    pool = ProcessPoolExecutor(number, mp_context=context, initializer=_begin, initargs=(os.getpid(),))
    others = set(active_children())
    try:
        if can_fork():
            # Forks begin with the first task: before the command has threads.
            pool.submit(os.getpid)
        yield pool
    except BaseException:
        for worker in set(active_children()) - others:
            worker.kill()
        # The thread of the pool ends here, soon after its processes: at the end of the interpreter it would close a
        # pipe that `concurrent.futures` still writes to.
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _begin(parent: int) -> None:
    for name in _ENDING:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    end_with_parent(parent)
