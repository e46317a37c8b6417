"""The frame of a log: header fields, checksums, format descriptions, and why a log cannot be read further."""

from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, ChecksumAlgorithm, checksum
from conformance.binlog.errors import BeyondLimit, BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import KNOWN_TYPES, PLAIN_GTID_TYPES, EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.binlog.reader import LENGTH_LIMIT, ReaderRules
from conformance.log_check.log_event import IGNORABLE_CLASS, Log, LogEvent, Place, is_artificial
from conformance.log_check.verdicts import Verdicts
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.specs.versions import Profiles

TRUNCATED_HEADER: Final = "FORMAT-TRUNCATED-HEADER"
TRUNCATED_BODY: Final = "FORMAT-TRUNCATED-BODY"
LENGTH_TOO_SMALL: Final = "FORMAT-LENGTH-TOO-SMALL"
LENGTH_TOO_LARGE: Final = "FORMAT-LENGTH-TOO-LARGE"
LENGTH_NO_CHECKSUM: Final = "FORMAT-LENGTH-NO-CHECKSUM"
CHECKSUM_WRONG: Final = "FORMAT-CHECKSUM-WRONG"
IN_USE_CHECKSUM: Final = "FORMAT-IN-USE-CHECKSUM"
DESCRIPTION_CHECKSUM: Final = "FORMAT-LOG-DESCRIPTION-CHECKSUM"
DESCRIPTION_FIELDS: Final = "FORMAT-DESCRIPTION-FIELDS"
TYPE_NOT_DECLARED: Final = "FORMAT-TYPE-NOT-DECLARED"
UNKNOWN_REFUSED: Final = "WL4033-READ-UNKNOWN-REFUSED"
POSITION_CHAIN: Final = "WL4033-READ-POSITION-CHAIN"
HEADER_19_BYTES: Final = "WL7592-HEADER-19-BYTES"
IGNORABLE_POST_HEADER: Final = "WL4033-READ-IGNORABLE-POST-HEADER"
ANON_CODE_DECLARED: Final = "WL7592-ANON-CODE-DECLARED-EARLY"
XID_SIZE: Final = "WL7592-XID-SIZE"
MARKER_EVERY_EVENT: Final = "WL4162-MARKER-EVERY-EVENT"
MARKER_SIX_VALUES: Final = "WL4162-VALUES-SIX-OF-EIGHT"
BODY: Final = "FORMAT-LOG-BODY"

#: How the checker reads: it accepts every type that the format description declares, and judges it afterwards.
READER_RULES: Final = ReaderRules(known=frozenset(range(256)), beyond_format_description=True)

#: Kinds of error that leave nothing to judge, wherever they occur.
_UNREADABLE: Final = {"not-a-binlog", "encrypted", "no-format-description"}

_IGNORABLE: Final = int(Flag.IGNORABLE)
_RELAY_LOG: Final = int(Flag.RELAY_LOG)
_IN_USE: Final = int(Flag.BINLOG_IN_USE)

#: Servers that may give what is inside a transaction no position: 11.4.5 and 11.8.9 do, 10.11.18 does not, and of
#: those between it is not known.
_PERHAPS_WITHOUT_POSITIONS_INSIDE: Final = Profiles("mariadb >= 11.0")

_COMPLETE: Final = "a complete event"


def is_unreadable(error: BinlogError) -> bool:
    """Return whether an error means that the file is not a log that can be judged, or not within the limits."""
    if isinstance(error, BeyondLimit):
        return True
    first = error.at <= len(MAGIC)
    # Without its first format description nothing is known of a log.
    return error.kind in _UNREADABLE or error.at < len(MAGIC) or (first and error.kind == "malformed")


def is_torn_tail(error: BinlogError, log: Log) -> bool:
    """Return whether an error is only the end of a log that a server is writing, or was writing when it crashed.

    Args:
        error: Where the reader stopped.
        log: The log.
    """
    return log.in_use and (error.kind == "truncated" or (error.kind == "invalid-length" and not any(error.head)))


def broken_by(error: BinlogError) -> tuple[str, str]:
    """Return the requirement broken by a log that cannot be read further, and what the requirement expects."""
    left = error.head
    if error.kind == "truncated":
        return (TRUNCATED_HEADER if len(left) < HEADER_BYTES else TRUNCATED_BODY), _COMPLETE
    if error.kind == "invalid-length":
        length = HEADER.unpack(left)[3]
        if HEADER_BYTES <= length <= LENGTH_LIMIT:
            return LENGTH_NO_CHECKSUM, "room for the checksum after the header"
        limits = f"a length from {HEADER_BYTES} to {LENGTH_LIMIT} bytes"
        return (LENGTH_TOO_LARGE if length > LENGTH_LIMIT else LENGTH_TOO_SMALL), limits
    if error.kind == "checksum":
        in_use = left[4] == EventType.FORMAT_DESCRIPTION and left[17] & _IN_USE
        return (IN_USE_CHECKSUM if in_use else CHECKSUM_WRONG), "the CRC32 of the event's bytes"
    if error.kind == "unknown-event":
        return TYPE_NOT_DECLARED, "a type that the format description declares, or the ignorable flag"
    return DESCRIPTION_FIELDS, "a format description of version 4"


#: The requirements that every readable event shows.
SHOWN_BY_EVERY_EVENT: Final = (
    TRUNCATED_HEADER,
    TRUNCATED_BODY,
    LENGTH_TOO_SMALL,
    LENGTH_TOO_LARGE,
    TYPE_NOT_DECLARED,
)
#: Those that every event with a checksum shows.
SHOWN_BY_CHECKSUMS: Final = (CHECKSUM_WRONG, LENGTH_NO_CHECKSUM)


class UnknownTypes:
    """Judges events of a type that this kit does not know."""

    requirements = (UNKNOWN_REFUSED,)
    codes = frozenset(range(256)) - KNOWN_TYPES
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self._undeclared_noted = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event: a log may hold it only if it has the ignorable flag."""
        code = seen.event.header.type
        declared = 0 < code <= seen.event.format.event_types
        if not seen.flags & _IGNORABLE:
            actual = f"an event of type {code} without the ignorable flag"
            verdicts.bad(UNKNOWN_REFUSED, seen.offset, actual, "a type that readers know, or the flag 0x0080")
            return
        verdicts.good(UNKNOWN_REFUSED)
        if not declared and not self._undeclared_noted:
            self._undeclared_noted = True
            count = seen.event.format.event_types
            text = f"an ignorable event of type {code}, but {count} types are declared: MySQL servers refuse it"
            verdicts.note(seen.offset, text)


class Positions:
    """Judges that each event's log_pos is the offset of its end, modulo 2**32.

    In a log that was cut or edited, all positions after the change are off by the same number of bytes: that is
    reported once, at the first of them.
    """

    requirements = (POSITION_CHAIN,)
    codes = None
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self._shift = 0

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; in a relay log only the events that the replica made have positions of that log."""
        if log.relay and not seen.flags & _RELAY_LOG:
            return
        event = seen.event
        log_pos = event.header.log_pos
        if log_pos == 0 and (is_artificial(seen) or _is_inside(seen, log)):
            return
        end = event.offset + len(event.data)
        shift = (log_pos - end) & 0xFFFFFFFF
        if not shift or shift == self._shift:
            verdicts.good(POSITION_CHAIN)
        else:
            expected = f"{end & 0xFFFFFFFF}, where the event ends"
            verdicts.bad(POSITION_CHAIN, seen.offset, f"log_pos {log_pos}", expected)
        self._shift = shift


def _is_inside(seen: LogEvent, log: Log) -> bool:
    """Return whether an event is inside a transaction of a server that may give such events no position."""
    return seen.place is Place.INSIDE and log.profile in _PERHAPS_WITHOUT_POSITIONS_INSIDE


class Descriptions:
    """Judges format descriptions."""

    requirements = (
        DESCRIPTION_FIELDS,
        DESCRIPTION_CHECKSUM,
        IN_USE_CHECKSUM,
        HEADER_19_BYTES,
        IGNORABLE_POST_HEADER,
        ANON_CODE_DECLARED,
    )
    codes = frozenset({int(EventType.FORMAT_DESCRIPTION)})
    places = None
    inside_payloads = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one format description."""
        at, described = seen.offset, seen.event.format
        verdicts.good(DESCRIPTION_FIELDS)
        if described.header_length == HEADER_BYTES:
            verdicts.good(HEADER_19_BYTES)
        else:
            verdicts.bad(HEADER_19_BYTES, at, f"headers of {described.header_length} bytes", "headers of 19 bytes")
        for code in IGNORABLE_CLASS:
            if code > described.event_types:
                continue
            length = described.post_header_length(code)
            if not length:
                verdicts.good(IGNORABLE_POST_HEADER)
            else:
                actual = f"a post-header of {length} bytes for {type_name(code)}"
                verdicts.bad(IGNORABLE_POST_HEADER, at, actual, "a post-header of 0 bytes")
        if described.event_types >= EventType.GTID:
            lengths = [described.post_header_length(code) for code in PLAIN_GTID_TYPES]
            if lengths[0] == lengths[1]:
                verdicts.good(ANON_CODE_DECLARED)
            else:
                actual = f"post-headers of {lengths[0]} bytes for GTID and {lengths[1]} for ANONYMOUS_GTID"
                verdicts.bad(ANON_CODE_DECLARED, at, actual, "both types declared, with the same length")
        # A source without checksums changes what it sends of its own, and leaves the CRC32 as it was.
        if not log.relay or not log.events:
            self._checksum(seen.event, verdicts)

    def _checksum(self, event: Event, verdicts: Verdicts) -> None:
        """Judge the CRC32, which a reader verifies only if the following events have one too."""
        algorithm = event.format.checksum_algorithm
        if algorithm == ChecksumAlgorithm.CRC32:
            if event.header.flags & _IN_USE:
                verdicts.good(IN_USE_CHECKSUM)
        elif algorithm is not None:
            stored = int.from_bytes(event.data[-CHECKSUM_BYTES:], "little")
            computed = checksum(event.data[:-CHECKSUM_BYTES])
            if stored == computed:
                verdicts.good(DESCRIPTION_CHECKSUM)
            else:
                actual = f"the checksum {stored:#010x}"
                verdicts.bad(DESCRIPTION_CHECKSUM, event.offset, actual, f"{computed:#010x}, the event's CRC32")


_XID_BYTES: Final = HEADER_BYTES + 8


class XidSize:
    """Judges the size of Xid events."""

    requirements = (XID_SIZE,)
    codes = frozenset({int(EventType.XID)})
    places = None
    inside_payloads = True

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one Xid event."""
        expected = _XID_BYTES + seen.event.format.checksum_bytes
        length = seen.event.header.length
        if length == expected:
            verdicts.good(XID_SIZE)
        else:
            verdicts.bad(XID_SIZE, seen.offset, f"an Xid event of {length} bytes{seen.where}", f"{expected} bytes")


_HIGHEST_MARKER: Final = max(BoundaryType)


class BoundaryMarkers:
    """Judges the boundary markers of WL#4162 in logs that have them; no shipped server writes them."""

    requirements = (MARKER_EVERY_EVENT, MARKER_SIX_VALUES)
    codes = None
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self._marked = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event's marker: once one event has a marker, all later ones must."""
        marker = MARKER_BITS.stored(seen.flags)
        if marker > _HIGHEST_MARKER:
            verdicts.bad(MARKER_SIX_VALUES, seen.offset, f"the boundary marker {marker}", "one of 0 to 5")
        elif marker:
            verdicts.good(MARKER_SIX_VALUES)
        if marker:
            self._marked = True
            verdicts.good(MARKER_EVERY_EVENT)
        elif self._marked:
            verdicts.bad(MARKER_EVERY_EVENT, seen.offset, "no boundary marker", "one, as the events before it have")
