"""The seams of a large log, where it is divided into shares: between two transactions."""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import BinaryIO, Final

from conformance.binlog.event_types import EventType, Purpose, types_of
from conformance.binlog.header import HEADER_BYTES, LENGTH_AT, MAGIC, TYPE_AT

_LENGTH: Final = Struct("<I")
_GTIDS: Final = frozenset(map(int, types_of(Purpose.GTID)))
_XID: Final = int(EventType.XID)
#: The bytes that are read at once to walk through the headers.
_PIECE: Final = 1 << 20
#: The part of a log, as a divisor of its bytes, that may pass before a seam, and that a share may read before its own:
#: with eight shares, a quarter of each.
_REACH: Final = 32


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a log that is judged by itself; offsets are in bytes from the start of the file.

    Attributes:
        begin: Where it begins: the Gtid event of a transaction; 0 for the first share.
        end: Where the next one begins, None for the last.
        head: End of the first transaction of the log that an Xid event ends.
        before: Where the transaction before the share begins.
    """

    begin: int
    end: int | None
    head: int = 0
    before: int = 0


@dataclass(frozen=True, slots=True)
class _Seam:
    """The offset of a Gtid event directly after an Xid event, and that of the Gtid event before it."""

    before: int
    at: int


def shares_of(stream: BinaryIO, size: int, number: int, *, reach: int | None = None) -> tuple[Share, ...]:
    """Divide a log into about even shares, by its headers.

    A seam is only a guess at where a transaction begins: whether it was right shows when the shares are judged.

    Args:
        stream: The log, seekable.
        size: Its bytes.
        number: The most shares.
        reach: The most bytes from where a share would begin to its seam; None for a part of the log.
    """
    reach = size // _REACH if reach is None else reach
    stream.seek(0)
    first = _seam(stream, len(MAGIC), reach) if stream.read(len(MAGIC)) == MAGIC else None
    seams: list[_Seam] = []
    at: int | None = None if first is None else first.at
    for index in range(1, number):
        at = None if at is None else _event_after(stream, at, size * index // number)
        seam = None if at is None else _seam(stream, at, reach)
        if seam is not None and seam not in seams:
            seams.append(seam)
    if first is None or not seams:
        return (Share(0, None),)
    ends = [*(each.at for each in seams[1:]), None]
    later = (Share(seam.at, end, first.at, seam.before) for seam, end in zip(seams, ends, strict=True))
    return (Share(0, seams[0].at), *later)


def _event_after(stream: BinaryIO, at: int, goal: int) -> int | None:
    """Return the offset of the first event at a goal or after it, from that of one before; None if none is there."""
    if at >= goal:
        return at
    return next((offset for offset, _ in _headers(stream, at) if offset >= goal), None)


def _seam(stream: BinaryIO, at: int, reach: int) -> _Seam | None:
    """Return the first seam after the event at an offset, None if there is none within so many bytes."""
    before: int | None = None
    code_before = 0
    for offset, code in _headers(stream, at):
        if offset > at + reach:
            break
        if code in _GTIDS:
            if code_before == _XID and before is not None:
                return _Seam(before, offset)
            before = offset
        code_before = code
    return None


def _headers(stream: BinaryIO, at: int) -> Iterator[tuple[int, int]]:
    """Yield offset and type code of each event from an offset on, to one whose length cannot be right."""
    piece, start = b"", at
    while True:
        left = at - start
        if left + HEADER_BYTES > len(piece):
            stream.seek(at)
            piece, start, left = stream.read(_PIECE), at, 0
            if len(piece) < HEADER_BYTES:
                return
        yield at, piece[left + TYPE_AT]
        (length,) = _LENGTH.unpack_from(piece, left + LENGTH_AT)
        if length < HEADER_BYTES:
            return
        at += length
