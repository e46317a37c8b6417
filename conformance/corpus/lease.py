"""A lease on a folder of a file system without locks, such as HDFS or S3: a file that the run renews while it lives.

A run that is killed leaves the file. The next run watches it for `LAPSED` seconds, and takes the folder if it is not
renewed; no clocks are compared. A run that was stopped for longer notices that another has the lease before it commits
its next wave, and ends.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final
from uuid import uuid4

import msgspec
from py4j.protocol import Py4JError

from conformance.corpus.repetition import repeated
from conformance.corpus.storage import Storage, StorageError
from conformance.engine.run_lock import InUse, this_process

#: The file.
LEASE: Final = "_LEASE"
#: Bytes of that file.
_BYTES: Final = 1 << 20
#: Seconds between two renewals.
RENEWED: Final = 5.0
#: Seconds after which a lease that was not renewed has lapsed.
LAPSED: Final = 30.0
_LOOK: Final = 0.5
#: What happens where the storage, or Spark's Java process, cannot be reached.
_UNREACHABLE: Final = (StorageError, Py4JError, OSError)


class _Content(msgspec.Struct, frozen=True):
    """The content of the file: who holds the folder, an id of that run, how often it has renewed the lease."""

    holder: str
    run: str
    renewed: int


class Lease:
    """A lease on a folder, held from `held` on.

    Args:
        storage: The folder.
        renewed: Seconds between two renewals.
        lapsed: Seconds after which it has lapsed.
    """

    def __init__(self, storage: Storage, *, renewed: float = RENEWED, lapsed: float = LAPSED) -> None:
        self._storage = storage
        self._renewed = renewed
        self._lapsed = lapsed
        self._mine = _Content(this_process(), uuid4().hex, 0)
        self._lost = False
        # Reading while the file is being renewed would find it empty.
        self._file = Lock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take the lease, renew it, and delete it at the end.

        Raises:
            InUse: Another run renews it.
            StorageError: The folder cannot be reached.
        """
        self._wait_until_lapsed()
        self._write()
        try:
            with repeated(self._renew, seconds=self._renewed, name="lease"):
                yield
        finally:
            with suppress(*_UNREACHABLE):
                if self._is_mine(read_lease(self._storage)):
                    self._storage.delete(LEASE)

    def check(self) -> None:
        """Check that no other run has taken the folder.

        Raises:
            InUse: One has.
            StorageError: The folder cannot be reached.
        """
        with self._file:
            content = read_lease(self._storage)
        if self._lost or not self._is_mine(content):
            raise InUse(self._storage.uri, "" if content is None else content.holder)

    def _is_mine(self, content: _Content | None) -> bool:
        return content is not None and content.run == self._mine.run

    def _wait_until_lapsed(self) -> None:
        first = read_lease(self._storage)
        deadline = time.monotonic() + self._lapsed
        while first is not None and time.monotonic() < deadline:
            time.sleep(_LOOK)
            now = read_lease(self._storage)
            if now is None:
                return
            # Nobody's is being written: the next look has who writes it.
            if now != first and now.run:
                raise InUse(self._storage.uri, now.holder)

    def _write(self) -> None:
        self._storage.overwrite(LEASE, msgspec.json.encode(self._mine))

    def _renew(self) -> None:
        with suppress(*_UNREACHABLE), self._file:
            self._lost = self._lost or not self._is_mine(read_lease(self._storage))
            if not self._lost:
                self._mine = msgspec.structs.replace(self._mine, renewed=self._mine.renewed + 1)
                self._write()


def read_lease(storage: Storage) -> _Content | None:
    """Return the lease on a folder, None if there is none; nobody's while it is being written.

    Raises:
        StorageError: The folder cannot be reached.
    """
    if not storage.exists(LEASE):
        return None
    try:
        return msgspec.json.decode(storage.read(LEASE, limit=_BYTES), type=_Content)
    except msgspec.DecodeError:
        return _Content("", "", 0)
    except StorageError:
        if storage.exists(LEASE):
            raise
        return None  # It was deleted in between.
