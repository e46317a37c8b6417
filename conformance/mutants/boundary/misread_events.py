"""Mutants of both boundary parsers that misread an event: its header, where its statement ends, or its text."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import read_events
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser, ShippedStep
from conformance.mutants.boundary.altered_answers import Answer, parses
from conformance.mutants.boundary.faulty_parsers import LoadWordsUnread
from conformance.mutants.boundary.shipped_parser import answer_with
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.boundary import EVERY_EVENT, observe, parser_of

#: Bytes of a statement that a careless parser compares.
_COMPARED: Final = 64
_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
#: Where the header has the flags word.
_FLAGS: Final = slice(17, 19)
#: The types of group replication, and one that no server has given a meaning.
_FLAGGED: Final = (EventType.TRANSACTION_CONTEXT, EventType.VIEW_CHANGE)
_OF_NO_SERVER: Final = 99
#: A statement that is none of the words, of the same length.
_FILLER: Final = b"x"


def _reread(change: Callable[[list[Event], Event], bytes]) -> Answer:
    """Return the answer of the right parser that is fed other bytes; positions and types stay as they are.

    Args:
        change: Returns other bytes of an event, without checksum, given the events before it.
    """

    def answer(request: Request) -> Observation:
        parser = parser_of(request.profile)
        assert parser is not None, "the profiles of this role have a parser"
        stream = _changed(request.stream, change)
        return observe(Request(request.role, request.profile, stream, request.settings), parser)

    return answer


def _changed(stream: bytes, change: Callable[[list[Event], Event], bytes]) -> bytes:
    """Return a stream with other bytes of its events, of the same lengths, up to where it cannot be read."""
    changed = bytearray(MAGIC)
    before: list[Event] = []
    with suppress(BinlogError):
        for event in read_events(stream, EVERY_EVENT):
            data = change(before, event)
            changed += data
            if event.has_checksum:
                changed += checksum(data).to_bytes(CHECKSUM_BYTES, "little")
            before.append(event)
    return bytes(changed + stream[len(changed) :])


def _rotate_by_log_pos(before: list[Event], event: Event) -> bytes:
    """Give a Rotate event the flag of an artificial one if its log_pos is 0, and take it away otherwise."""
    data = event.data[: event.body_end]
    if event.header.type != EventType.ROTATE:
        return data
    flags = event.header.flags & ~_ARTIFICIAL | (0 if event.header.log_pos else _ARTIFICIAL)
    return data[: _FLAGS.start] + flags.to_bytes(2, "little") + data[_FLAGS.stop :]


def _by_first_checksums(before: list[Event], event: Event) -> bytes:
    """Replace the statement of a Query event whose log has another checksum algorithm than the first one."""
    data = event.data[: event.body_end]
    first = before[0].format.checksum_algorithm if before else event.format.checksum_algorithm
    if event.header.type != EventType.QUERY or event.format.checksum_algorithm == first:
        return data
    statement = event.fields()["query"]
    return data[: len(data) - len(statement)] + _FILLER * len(statement)


class _IgnoresFlaggedRows(ShippedParser):
    """A parser that ignores rows and their Table_map with the ignorable flag."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        rows = event.type == EventType.TABLE_MAP or event.type in ROWS_TYPES
        return super().feed(FedEvent(int(EventType.STOP), event.flags, None) if rows and event.ignorable else event)


class _IgnoresFlaggedAnonymous(ShippedParser):
    """A parser that ignores Anonymous_gtid events with the ignorable flag, which a given GTID_NEXT leads to."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        ignored = event.type == EventType.ANONYMOUS_GTID and event.ignorable
        return super().feed(FedEvent(int(EventType.STOP), event.flags, None) if ignored else event)


class _NeedsFlags(ShippedParser):
    """A parser that does not know the types which servers log with the ignorable flag where they lack it."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        lacks = event.type in _FLAGGED and not event.ignorable
        return super().feed(FedEvent(_OF_NO_SERVER, event.flags, None) if lacks else event)


class _SkipsBaseClass(ShippedParser):
    """A parser that passes over the base class of ignorable events, whether or not an event of it may be skipped."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        return super().feed(FedEvent(EventType.STOP) if event.type == EventType.IGNORABLE else event)


class _ComparesShortStatements(ShippedParser):
    """A parser to which a long statement of an XA transaction is an ordinary one."""

    def feed(self, event: FedEvent) -> ShippedStep:
        """See `ShippedParser.feed`."""
        query = event.query or b""
        long = len(query) > _COMPARED and query.upper().startswith(b"XA")
        return super().feed(FedEvent(event.type, event.flags, _FILLER) if long else event)


#: Every mutant of this kind.
MISREAD_EVENT_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "first-checksums-for-good",
        "WL4162-STREAM-WHOLE-EVENT-FED",
        "where the checksum algorithm is not that of the first format description, statements are misread",
        answer=_reread(_by_first_checksums),
    ),
    Mutant(
        "words-of-load-unread",
        "WL4162-TYPE-EXECUTE-LOAD-QUERY",
        "an Execute_load_query event never counts as BEGIN, COMMIT or ROLLBACK, whatever its text is",
        answer=parses(LoadWordsUnread),
    ),
    Mutant(
        "artificial-by-log-pos",
        "WL4162-TYPE-ROTATE-FAKE",
        "a Rotate is artificial if its log_pos is 0, whatever its flag is",
        answer=_reread(_rotate_by_log_pos),
        also=("WL4162-TYPE-ROTATE",),
    ),
    Mutant(
        "flagged-rows-ignored",
        "FORMAT-BOUNDARY-STATE",
        "a parser that servers ship ignores rows and their Table_map with the ignorable flag",
        answer=answer_with(_IgnoresFlaggedRows),
    ),
    Mutant(
        "shipped-flagged-anonymous-ignored",
        "FORMAT-BOUNDARY-STATE",
        "a parser that servers ship ignores Anonymous_gtid events with the ignorable flag",
        answer=answer_with(_IgnoresFlaggedAnonymous),
    ),
    Mutant(
        "shipped-needs-ignorable-flag",
        "FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD",
        "a parser that servers ship takes Transaction_context and View_change without the ignorable flag for unknown",
        answer=answer_with(_NeedsFlags),
    ),
    Mutant(
        "base-class-passed-over",
        "FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD",
        "a parser that servers ship passes over an event of the base class of ignorable events without the flag",
        answer=answer_with(_SkipsBaseClass),
    ),
    Mutant(
        "long-xa-statements-unread",
        "FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD",
        "to a parser that servers ship an XA statement of more than 64 bytes is an ordinary one",
        answer=answer_with(_ComparesShortStatements),
    ),
)
