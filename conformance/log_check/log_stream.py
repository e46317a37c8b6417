"""The bytes of a log as they are read: how far, and the header of the next event."""

from typing import BinaryIO

from conformance.binlog.header import HEADER_BYTES, MAGIC


class LogStream:
    """A binary stream that remembers how far it was read, and the header at one offset.

    Attributes:
        position: Bytes read so far.
        next_at: Where the next event begins, which the reader's caller sets.
        head: The bytes read at `next_at`, at most a header.

    Args:
        stream: A log opened in binary mode; it need not be seekable.
    """

    __slots__ = ("_read", "head", "next_at", "position")

    def __init__(self, stream: BinaryIO) -> None:
        self._read = stream.read
        self.position = 0
        self.next_at = len(MAGIC)
        self.head = b""

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, fewer than `size` only if the stream has no more at the moment."""
        data = self._read(size)
        if self.position == self.next_at:
            self.head = data[:HEADER_BYTES]
        elif self.next_at < self.position < self.next_at + HEADER_BYTES and len(self.head) < HEADER_BYTES:
            self.head += data[: HEADER_BYTES - len(self.head)]
        self.position += len(data)
        return data
