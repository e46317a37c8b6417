"""Lines that are printed later: a statement's, which may be larger than the memory."""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO, Final

from conformance.binlog.raw_text import LONG, long_raw_text, raw_bytes, raw_text

#: Bytes that an empty line takes in memory.
_OVERHEAD: Final = 64
#: Characters that are held in memory; more are in a temporary file, as mysqlbinlog does.
_IN_MEMORY: Final = 8 << 20


class HeldLines:
    """Lines in the order in which they were added."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._size = 0
        self._file: IO[bytes] | None = None

    def __bool__(self) -> bool:
        return bool(self._lines) or self._file is not None

    def add(self, lines: Iterable[str]) -> None:
        """Add lines at the end."""
        for line in lines:
            self._lines.append(line)
            self._size += len(line) + _OVERHEAD
            if self._size > _IN_MEMORY:
                self._write()

    def take(self) -> Iterator[str]:
        """Yield all lines, and hold none of them from then on."""
        file, lines = self._file, self._lines
        self._file, self._lines, self._size = None, [], 0
        if file is not None:
            with file:
                file.seek(0)
                while line := file.readline(LONG):
                    yield raw_text(line[:-1]) if line.endswith(b"\n") else long_raw_text(_long_line(line, file))
        yield from lines

    def close(self) -> None:
        """Drop all lines."""
        if self._file is not None:
            self._file.close()
        self._file, self._lines, self._size = None, [], 0

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 - closed once its lines are taken
        for line in self._lines:
            self._file.write(raw_bytes(line))
            self._file.write(b"\n")
        self._lines, self._size = [], 0


def _long_line(start: bytes, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a line, of which the first has been read."""
    while not start.endswith(b"\n"):
        yield start
        start = file.readline(LONG)
    yield start[:-1]
