"""The reader: a stream of bytes in, its events out, and the first error with its offset."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import ENCRYPTED_MAGIC, HEADER, HEADER_BYTES, MAGIC, Header

_IGNORABLE: Final = int(Flag.IGNORABLE)
_KNOWN: Final = frozenset(int(each) for each in EventType) - {EventType.UNKNOWN}
#: Bytes an event may have: servers cap an event, and a length beyond this is damage.
LENGTH_LIMIT: Final = 1 << 30


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
    rules = rules or ReaderRules()
    _check_magic(stream)
    at = len(MAGIC)
    governing: FormatDescription | None = None
    end = len(stream)
    while at < end:
        header = _header(stream, at)
        data = stream[at : at + header.length]
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
        if rules.verify_checksums and governing.checksum_algorithm == ChecksumAlgorithm.CRC32:
            _verify(data, at)
        yield Event(at, header, data, governing, _recognise(header, governing, at, rules))
        at += header.length


def _check_magic(stream: bytes) -> None:
    found = stream[: len(MAGIC)]
    if found == MAGIC:
        return
    if found == ENCRYPTED_MAGIC:
        raise BinlogError(at=0, kind="encrypted", message="the binary log is encrypted; decrypt it first")
    if MAGIC.startswith(found):
        message = f"{len(found)} bytes; a binary log begins with the 4 bytes {MAGIC.hex(' ')}"
        raise BinlogError(at=0, kind="truncated", message=message)
    message = f"it begins with {found.hex(' ')}; a binary log begins with {MAGIC.hex(' ')}"
    raise BinlogError(at=0, kind="not-a-binlog", message=message)


def _header(stream: bytes, at: int) -> Header:
    left = len(stream) - at
    if left < HEADER_BYTES:
        raise BinlogError(
            at=at, kind="truncated", message=f"{left} bytes are left; a header has {HEADER_BYTES}"
        )
    header = Header(*HEADER.unpack_from(stream, at))
    if not HEADER_BYTES <= header.length <= LENGTH_LIMIT:
        raise BinlogError(
            at=at,
            kind="invalid-length",
            message=f"an event length of {header.length}; it lies between {HEADER_BYTES} and {LENGTH_LIMIT}",
        )
    if header.length > left:
        raise BinlogError(
            at=at, kind="truncated", message=f"an event of {header.length} bytes, of which {left} are left"
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


def _recognise(header: Header, governing: FormatDescription, at: int, rules: ReaderRules) -> bool:
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
    reason = "that the format description does not declare" if not declared else "that no reader knows"
    raise BinlogError(at=at, kind="unknown-event", message=f"an event of type {code}, {reason}")
