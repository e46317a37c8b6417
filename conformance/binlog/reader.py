"""The reader: a stream of bytes in, its events out, and the first error with its offset."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import ENCRYPTED_MAGIC, HEADER, HEADER_BYTES, MAGIC, Header

_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The types that have a meaning: not 0, and not 28, which is only the base class of ignorable events.
_KNOWN: Final = frozenset(int(each) for each in EventType) - {EventType.UNKNOWN, EventType.IGNORABLE}
#: Bytes an event may have: servers cap an event, and a length beyond this is damage.
LENGTH_LIMIT: Final = 1 << 30
#: Bytes that are read at once.
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """What a reader takes and what it refuses.

    Attributes:
        verify_checksums: Refuse an event whose CRC32 is wrong.
        ignorable: Skip events of unknown types that carry the ignorable flag (WL#4033, servers since 5.6).
        beyond_format_description: Skip them also where the format description does not declare the type;
            servers refuse those, the worklog does not say.
        highest_type: The highest type code that can be skipped; MySQL reads the code through a signed
            char, so 127.
        known: Type codes that the reader has a class for.
    """

    verify_checksums: bool = True
    ignorable: bool = True
    beyond_format_description: bool = False
    highest_type: int = 255
    known: frozenset[int] = _KNOWN


def read_events(stream: bytes, rules: ReaderRules | None = None) -> Iterator[Event]:
    """Yield the events of a binary log held in memory.

    Args:
        stream: The file, its magic number included.
        rules: What the reader takes and refuses; `ReaderRules` as it stands when None.

    Raises:
        BinlogError: At the first event that cannot be read, after all events before it were yielded.
    """
    return read_file(BytesIO(stream), rules)


def read_file(stream: BinaryIO, rules: ReaderRules | None = None) -> Iterator[Event]:
    """Yield the events of a binary log, holding one of them in memory at a time.

    Args:
        stream: The file, its magic number included, opened in binary mode; it need not be seekable.
        rules: What the reader takes and refuses; `ReaderRules` as it stands when None.

    Raises:
        BinlogError: At the first event that cannot be read, after all events before it were yielded.
    """
    rules = rules or ReaderRules()
    verify = rules.verify_checksums
    read = stream.read
    _check_magic(_take(read, len(MAGIC)))
    at = len(MAGIC)
    governing: FormatDescription | None = None
    encrypted = False
    while head := read(HEADER_BYTES):
        if len(head) < HEADER_BYTES:
            head += _take(read, HEADER_BYTES - len(head))
        if encrypted:
            message = "the events from here on are encrypted; decrypt the log first"
            raise BinlogError(at=at, kind="encrypted", message=message)
        header = _header(head, at)
        length = header.length
        data = head + read(length - HEADER_BYTES) if length <= _PIECE else _long_event(head, length, read)
        if len(data) < length:
            data += _take(read, length - len(data))
        if len(data) < length:
            message = f"an event of {length} bytes, of which {len(data)} are left"
            raise BinlogError(at=at, kind="truncated", message=message)
        if header.type == EventType.FORMAT_DESCRIPTION:
            try:
                governing = FormatDescription.from_event(data)
            except MalformedBody as error:
                raise BinlogError(at=at, kind="malformed", message=str(error)) from error
        elif governing is None:
            raise BinlogError(
                at=at,
                kind="no-format-description",
                message=f"an event of type {header.type} before any format description",
            )
        if verify and governing.checksum_algorithm == ChecksumAlgorithm.CRC32:
            _verify(data, at)
        recognised = recognises(header, governing, at, rules)
        yield Event(at, header, data, governing, recognised)
        encrypted = recognised and header.type == EventType.MARIADB_START_ENCRYPTION
        at += length


def _take(read: Callable[[int], bytes], size: int) -> bytes:
    """Return `size` bytes, fewer only at the end of the stream: a pipe gives what it has."""
    found = read(size)
    while len(found) < size:
        more = read(size - len(found))
        if not more:
            break
        found += more
    return found


def _long_event(head: bytes, length: int, read: Callable[[int], bytes]) -> bytes:
    """Return a long event read in pieces, so that a wrong length takes no memory that the stream does not fill."""
    parts = bytearray(head)
    while len(parts) < length:
        piece = read(min(length - len(parts), _PIECE))
        if not piece:
            break
        parts += piece
    return bytes(parts)


def _check_magic(found: bytes) -> None:
    if found == MAGIC:
        return
    if found == ENCRYPTED_MAGIC:
        raise BinlogError(at=0, kind="encrypted", message="the binary log is encrypted; decrypt it first")
    if MAGIC.startswith(found):
        message = f"{len(found)} bytes; a binary log begins with the 4 bytes {MAGIC.hex(' ')}"
        raise BinlogError(at=0, kind="truncated", message=message)
    message = f"it begins with {found.hex(' ')}; a binary log begins with {MAGIC.hex(' ')}"
    raise BinlogError(at=0, kind="not-a-binlog", message=message)


def _header(head: bytes, at: int) -> Header:
    if len(head) < HEADER_BYTES:
        message = f"{len(head)} bytes are left; a header has {HEADER_BYTES}"
        raise BinlogError(at=at, kind="truncated", message=message)
    header = Header(*HEADER.unpack(head))
    if not HEADER_BYTES <= header.length <= LENGTH_LIMIT:
        raise BinlogError(
            at=at,
            kind="invalid-length",
            message=f"an event length of {header.length}; it lies between {HEADER_BYTES} and {LENGTH_LIMIT}",
        )
    return header


def _verify(event: bytes, at: int) -> None:
    border = len(event) - CHECKSUM_BYTES
    if border < HEADER_BYTES:
        raise BinlogError(
            at=at, kind="invalid-length", message=f"an event of {len(event)} bytes has no room for a checksum"
        )
    stored = int.from_bytes(event[border:], "little")
    computed = checksum(event[:border])
    if stored != computed:
        raise BinlogError(
            at=at, kind="checksum", message=f"the checksum is {stored:#010x}, the event's is {computed:#010x}"
        )


def recognises(header: Header, governing: FormatDescription, at: int, rules: ReaderRules) -> bool:
    """Tell whether a reader knows the type of an event; False where it skips the event.

    Args:
        header: The event's header.
        governing: The format description that governs it.
        at: Offset in bytes, from the start of the stream, at which an error is reported.
        rules: What the reader takes and refuses.

    Raises:
        BinlogError: The type is not known, and the event may not be skipped.
    """
    code = header.type
    declared = 0 < code <= governing.event_types
    if code in rules.known and declared:
        return True
    ignorable = (
        rules.ignorable
        and bool(header.flags & _IGNORABLE)
        and code <= rules.highest_type
        and (declared or rules.beyond_format_description)
    )
    if ignorable:
        return False
    reason = "and it may not be skipped" if declared else "which the format description does not declare"
    raise BinlogError(at=at, kind="unknown-event", message=f"Unknown event code: {code}, {reason}")
