"""Pools of processes of the kit: a pool ends with the command that began it, however that ends."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, resource_tracker
from types import FrameType
from typing import Final

Handler = Callable[[int, FrameType | None], object] | signal.Handlers

_PR_SET_PDEATHSIG: Final = 1
#: Signals that a user ends a command with; not every system has each of them.
ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)


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
def signals_held() -> Iterator[None]:
    """Hold back the signals that end a command while it begins a process, which would take them as this one does.

    The process has them held back too, until it calls `take_signals`.
    """
    if not can_fork():
        # A process that is not a fork needs it, and its start would let the signals through.
        resource_tracker.ensure_running()
    _mask_signals(held=True)
    try:
        yield
    finally:
        _mask_signals(held=False)


def take_signals(handlers: Mapping[int, Handler], *, others: Handler) -> None:
    """Have a process that has begun take the signals that end a command.

    Args:
        handlers: The handlers of some of them.
        others: The handler of the others, except those that the command ignores, as under nohup.
    """
    for each in ENDING:
        if each in handlers or signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, handlers.get(each, others))
    _mask_signals(held=False)


def _mask_signals(*, held: bool) -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK if held else signal.SIG_UNBLOCK, ENDING)


@contextmanager
def process_pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; an interruption does not wait for what they have begun, and kills them."""
    context = get_context("fork" if can_fork() else "spawn")
    pool = ProcessPoolExecutor(number, mp_context=context, initializer=_begin, initargs=(os.getpid(),))
    others = set(active_children())
    try:
        with signals_held():
            # Forks begin with the first task: before the command has threads. Others begin one by one.
            for _ in range(1 if can_fork() else number):
                pool.submit(os.getpid)
        yield pool
    except BaseException:
        for worker in set(active_children()) - others:
            worker.kill()
        # The pool's thread ends here, soon after its processes: at the end of the interpreter it would close a pipe
        # that `concurrent.futures` still writes to.
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def _begin(parent: int) -> None:
    # A process that the user ends ends without a word; SIGQUIT would leave its core.
    take_signals({getattr(signal, "SIGQUIT", 0): signal.SIG_IGN}, others=signal.SIG_DFL)
    end_with_parent(parent)
