"""The lock of a folder that a run writes: a second run in it is refused, and a killed run leaves no lock."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

#: The file that is locked. It remains when the lock is released: deleting it would let two runs lock two files.
LOCK: Final = ".run.lock"


class InUse(Exception):
    """Another run writes to the folder; the message says which, in one line."""

    def __init__(self, folder: object, holder: str) -> None:
        super().__init__(f"{folder} is in use by another run{f' ({holder})' if holder else ''}")


def this_process() -> str:
    """Return how a message names this process."""
    return f"process {os.getpid()} on host {socket.gethostname()}"


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if it does not exist; the same process may hold it several times.

    The lock belongs to an open file, so that the system releases it however the process ends.

    Raises:
        InUse: Another process holds it.
        OSError: The folder cannot be made or written, or its file system has no locks.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.resolve() / LOCK, is_singleton=True, on_acquired=_sign)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise InUse(folder, _holder(folder)) from None
    try:
        yield
    finally:
        lock.release()


def running_in(folder: Path) -> str | None:
    """Return which process holds a folder, None if none does or if that cannot be known."""
    if not os.access(folder / LOCK, os.W_OK):
        return None
    try:
        with run_lock(folder):
            return None
    except InUse:
        return _holder(folder) or "another process"
    except OSError:
        return None


def _sign(descriptor: int) -> None:
    """Write this process into the locked file, for the message of a run that is refused."""
    os.ftruncate(descriptor, 0)
    os.write(descriptor, this_process().encode())


def _holder(folder: Path) -> str:
    """Return what the process that holds a folder wrote, nothing where a locked file cannot be read."""
    try:
        return (folder / LOCK).read_text(encoding="utf-8", errors="replace")[:200]
    except OSError:
        return ""
