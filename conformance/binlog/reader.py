"""The reader: a stream of bytes in, its events out, and the first error with its offset."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Final
from zlib import crc32

from conformance.binlog.checksum import CHECKSUM_BYTES, RESIDUE, checksum
from conformance.binlog.errors import BinlogError, located
from conformance.binlog.event import Event
from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import ENCRYPTED_MAGIC, HEADER, HEADER_BYTES, MAGIC, Header
from conformance.binlog.limits import check_event_bytes, current_limits
from conformance.binlog.vendor_types import vendor_type

_IGNORABLE: Final = int(Flag.IGNORABLE)
_FORMAT_DESCRIPTION: Final = int(EventType.FORMAT_DESCRIPTION)
_START_ENCRYPTION: Final = int(EventType.MARIADB_START_ENCRYPTION)
#: The least bytes of an event with a checksum.
_SHORTEST: Final = HEADER_BYTES + CHECKSUM_BYTES
#: The most bytes that an event may have: servers limit an event's size, and a larger length is corruption.
LENGTH_LIMIT: Final = 1 << 30
#: The most bytes that are read at once.
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """What a reader accepts and what it refuses.

    Attributes:
        verify_checksums: Refuse an event whose CRC32 is wrong.
        ignorable: Skip events of unknown types that carry the ignorable flag (WL#4033, servers since 5.6).
        beyond_format_description: Skip them also if the format description does not declare the type;
            servers refuse those, the worklog leaves it open.
        highest_type: The highest type code that can be skipped; MySQL reads the code through a signed
            char, so 127.
        known: The type codes that the reader knows.
        passes_unknown: Skip events of unknown types without the flag too, as a receiver does, which copies them.
    """

    verify_checksums: bool = True
    ignorable: bool = True
    beyond_format_description: bool = False
    highest_type: int = 255
    known: frozenset[int] = KNOWN_TYPES
    passes_unknown: bool = False

    def known_under(self, governing: FormatDescription) -> frozenset[int]:
        """Return the type codes that a reader knows and a format description declares."""
        return frozenset(code for code in self.known if 0 < code <= governing.event_types)


#: Reads every event, whatever its type and its checksum.
READS_ALL: Final = ReaderRules(known=frozenset(range(256)), beyond_format_description=True, verify_checksums=False)


def framed_events(log: bytes) -> Iterator[bytes]:
    """Yield the events of a log as the lengths in their headers divide it, whatever they are.

    A length that is less than that of a header is taken for it; the last event may be cut short.
    """
    at = len(MAGIC)
    while at + HEADER_BYTES <= len(log):
        length = max(HEADER.unpack_from(log, at)[3], HEADER_BYTES)
        yield log[at : at + length]
        at += length


def framed_event(log: bytes, at: int) -> bytes:
    """Return the event at an offset, in bytes, as far as the length in its header goes."""
    return log[at : at + HEADER.unpack_from(log, at)[3]]


def read_events(stream: bytes, rules: ReaderRules | None = None) -> Iterator[Event]:
    """Yield the events of a binary log held in memory.

    Args:
        stream: The file, its magic number included.
        rules: What the reader accepts and refuses; None: the default `ReaderRules`.

    Raises:
        BinlogError: At the first event that cannot be read, after all events before it were yielded.
    """
    return read_file(BytesIO(stream), rules)


def read_file(
    stream: BinaryIO, rules: ReaderRules | None = None, *, at: int = 0, governing: FormatDescription | None = None
) -> Iterator[Event]:
    """Yield the events of a binary log, holding one of them in memory at a time.

    Args:
        stream: The file, its magic number included, opened in binary mode; it need not be seekable.
        rules: What the reader accepts and refuses; None: the default `ReaderRules`.
        at: Where the stream stands, in bytes from the start of the file: there, or at the beginning of an event.
        governing: The format description that governs the event there; None at the start of the file.

    Raises:
        BinlogError: At the first event that cannot be read, after all events before it were yielded; `BeyondLimit`
            if it is only too large. It has the event's `head`.
    """
    rules = rules or ReaderRules()
    short = min(_PIECE, current_limits().event_bytes)
    read = stream.read
    if not at:
        _check_magic(_read_up_to(read, len(MAGIC)))
        at = len(MAGIC)
    known = frozenset[int]() if governing is None else rules.known_under(governing)
    verified = governing is not None and rules.verify_checksums and governing.checksum_bytes > 0
    encrypted = False
    while head := read(HEADER_BYTES):
        try:
            if len(head) < HEADER_BYTES:
                head += _read_up_to(read, HEADER_BYTES - len(head))
            if encrypted:
                message = "the events from here on are encrypted; decrypt the log first"
                raise BinlogError(at=at, kind="encrypted", message=message)
            header = _parse_header(head, at)
            length = header.length
            if length <= short:
                data = head + read(length - HEADER_BYTES)
                if len(data) < length:
                    data += _read_up_to(read, length - len(data))
                    if len(data) < length:
                        raise _cut_short(len(data), length, at)
            else:
                data = _read_long_event(head, length, read, at)
            if header.type == _FORMAT_DESCRIPTION:
                with located(at):
                    governing = FormatDescription.from_event(data)
                known = rules.known_under(governing)
                verified = rules.verify_checksums and governing.checksum_bytes > 0
            elif governing is None:
                raise _undescribed(header, at)
            if verified and (crc32(data) != RESIDUE or length < _SHORTEST or header.type == _FORMAT_DESCRIPTION):
                _verify_checksum(data, at)
            recognised = header.type in known or recognises(header, governing, at, rules)
        except BinlogError as error:
            error.head = head
            raise
        yield Event(at, header, data, governing, recognised)
        encrypted = recognised and header.type == _START_ENCRYPTION and governing.is_mariadb
        at += length


def _read_up_to(read: Callable[[int], bytes], size: int) -> bytes:
    """Return `size` bytes, fewer only at the end of the stream: a single read of a pipe may return fewer."""
    data = read(size)
    while len(data) < size:
        more = read(size - len(data))
        if not more:
            break
        data += more
    return data


def _read_long_event(head: bytes, length: int, read: Callable[[int], bytes], at: int) -> bytes:
    """Return a long event read in pieces, so that a wrong length takes no more memory than the stream has bytes.

    One that is too long to be held is read to its end, to know whether it is only a wrong length.
    """
    held = length <= current_limits().event_bytes
    parts = [head]
    size = len(head)
    while size < length:
        piece = read(min(length - size, _PIECE))
        if not piece:
            break
        size += len(piece)
        if held:
            parts.append(piece)
    if size < length:
        raise _cut_short(size, length, at)
    if not held:
        with located(at):
            check_event_bytes(length, "the event has")
    return b"".join(parts)


def _cut_short(size: int, length: int, at: int) -> BinlogError:
    return BinlogError(at=at, kind="truncated", message=f"expected an event of {length} bytes, found {size}")


def _undescribed(header: Header, at: int) -> BinlogError:
    message = f"an event of type {header.type} comes before any format description"
    return BinlogError(at=at, kind="no-format-description", message=message)


def _check_magic(magic: bytes) -> None:
    if magic == MAGIC:
        return
    if magic == ENCRYPTED_MAGIC:
        raise BinlogError(at=0, kind="encrypted", message="the binary log is encrypted; decrypt it first")
    if MAGIC.startswith(magic):
        message = f"expected the 4 bytes {MAGIC.hex(' ')} with which a binary log begins, found {len(magic)}"
        raise BinlogError(at=0, kind="truncated", message=message)
    message = f"the file begins with {magic.hex(' ')}; a binary log begins with {MAGIC.hex(' ')}"
    raise BinlogError(at=0, kind="not-a-binlog", message=message)


def _parse_header(head: bytes, at: int) -> Header:
    if len(head) < HEADER_BYTES:
        message = f"expected a header of {HEADER_BYTES} bytes, found {len(head)}"
        raise BinlogError(at=at, kind="truncated", message=message)
    header = Header._make(HEADER.unpack(head))
    if not HEADER_BYTES <= header.length <= LENGTH_LIMIT:
        raise BinlogError(
            at=at,
            kind="invalid-length",
            message=f"an event length of {header.length}; it must be from {HEADER_BYTES} to {LENGTH_LIMIT}",
        )
    return header


def _verify_checksum(event: bytes, at: int) -> None:
    border = len(event) - CHECKSUM_BYTES
    if border < HEADER_BYTES:
        raise BinlogError(
            at=at, kind="invalid-length", message=f"an event of {len(event)} bytes has no room for a checksum"
        )
    stored = int.from_bytes(event[border:], "little")
    computed = checksum(memoryview(event)[:border])
    if stored != computed:
        raise BinlogError(
            at=at, kind="checksum", message=f"the checksum is {stored:#010x}, but {computed:#010x} is computed"
        )


def recognises(header: Header, governing: FormatDescription, at: int, rules: ReaderRules) -> bool:
    """Return whether a reader knows the type of an event; False if it skips the event.

    Args:
        header: The event's header.
        governing: The format description that governs it.
        at: Offset of the event, in bytes from the start of the stream, for the error.
        rules: What the reader accepts and refuses.

    Raises:
        BinlogError: The type is not known, and the event must not be skipped.
    """
    code = header.type
    declared = 0 < code <= governing.event_types
    if code in rules.known and declared:
        return True
    if declared and vendor_type(code, governing) is not None:
        return True
    if rules.passes_unknown:
        return False
    ignorable = (
        rules.ignorable
        and bool(header.flags & _IGNORABLE)
        and code <= rules.highest_type
        and (declared or rules.beyond_format_description)
    )
    if ignorable:
        return False
    reason = "and it must not be skipped" if declared else "which the format description does not declare"
    raise BinlogError(at=at, kind="unknown-event", message=f"Unknown event code: {code}, {reason}")
