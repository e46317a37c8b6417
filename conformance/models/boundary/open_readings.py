"""The events that a parser of WL#4162 may read in more than one way, because the worklog leaves it open.

A parser may read such an event either way, so what follows from the reading is asked of nobody.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.worklog_parser import ParserStep, WorklogParser

#: Returns an event as a parser with another reading takes it, None if there is one reading only.
Reading = Callable[[FedEvent], FedEvent | None]
#: What a parser remembers: its type, and whether the open transaction has a BEGIN.
ParserState = tuple[BoundaryType, bool]

#: A type code that no server has given a meaning.
_OF_NO_SERVER: Final = 99
#: The types that the worklog's type table does not name, nor a class that they were split from.
_LATER_TYPES: Final = frozenset(
    {
        EventType.ANONYMOUS_GTID,
        EventType.TRANSACTION_CONTEXT,
        EventType.VIEW_CHANGE,
        EventType.XA_PREPARE,
        EventType.PARTIAL_UPDATE_ROWS,
        EventType.TRANSACTION_PAYLOAD,
        EventType.HEARTBEAT_V2,
        EventType.GTID_TAGGED,
    }
)
_COMMENT: Final = re.compile(rb"/\*.*?\*/|--\s[^\n]*|#[^\n]*", re.DOTALL)
_SPACE: Final = re.compile(rb"\s+")
#: The statements that mean the same as one of the three words, without comments, in upper case.
_STATEMENTS: Final[Mapping[bytes, re.Pattern[bytes]]] = {
    b"BEGIN": re.compile(rb"BEGIN( WORK)?|START TRANSACTION|XA (START|BEGIN) .*"),
    b"COMMIT": re.compile(rb"COMMIT( WORK)?( AND (NO )?CHAIN)?( (NO )?RELEASE)?|XA COMMIT .*"),
    b"ROLLBACK": re.compile(rb"ROLLBACK( WORK)?( AND (NO )?CHAIN)?( (NO )?RELEASE)?|XA ROLLBACK .*"),
}


def _is_open(event: FedEvent, types: Collection[int]) -> bool:
    """Return whether an event is of one of some types, and has the ignorable flag and no marker."""
    return event.type in types and event.ignorable and not MARKER_BITS.stored(event.flags)


def _as_skipped(event: FedEvent) -> FedEvent | None:
    """Return an open event of a later type as one of an unknown type."""
    return event._replace(type=_OF_NO_SERVER) if _is_open(event, _LATER_TYPES) else None


def _as_unknown(event: FedEvent) -> FedEvent | None:
    """Return an open event of the type Unknown as one without the ignorable flag."""
    open_ = _is_open(event, (EventType.UNKNOWN,))
    return event._replace(flags=event.flags & ~Flag.IGNORABLE) if open_ else None


def _as_word(event: FedEvent) -> FedEvent | None:
    """Return a statement with the meaning of BEGIN, COMMIT or ROLLBACK as that word in the spelling of servers."""
    if event.query is None or event.query in _STATEMENTS:
        return None
    plain = _SPACE.sub(b" ", _COMMENT.sub(b" ", event.query)).strip(b" ;\0").upper()
    word = next((each for each, pattern in _STATEMENTS.items() if pattern.fullmatch(plain)), None)
    return None if word is None else event._replace(query=word)


#: A parser may pass over ignorable events of types that came after the worklog.
PASSED_OVER: Final[Reading] = _as_skipped
#: The worklog has one row for the class of unknown events, and one for ignorable ones: type 0 may be of either.
UNKNOWN_BY_CODE: Final[Reading] = _as_unknown
#: Servers write the words in upper case alone; the worklog does not say what other spellings are.
SPELLINGS: Final[Reading] = _as_word
#: Every reading besides the kit's.
OPEN_READINGS: Final[tuple[Reading, ...]] = (PASSED_OVER, UNKNOWN_BY_CODE, SPELLINGS)


class OpenReadings:
    """Follows a stream as parsers with any of some readings do.

    Args:
        others: The readings besides the kit's.
    """

    def __init__(self, others: Sequence[Reading] = OPEN_READINGS) -> None:
        self._others = others
        self._parser = WorklogParser()
        self.reset()

    def reset(self) -> None:
        """Return to the state Not Defined, for another stream."""
        self._parser.reset()
        #: The states that a parser may be in.
        self.states: tuple[ParserState, ...] = ((self._parser.state, self._parser.begun),)

    def feed(self, event: FedEvent) -> list[ParserStep]:
        """Take the next event of the stream, and return the steps that parsers may take; the first is the kit's."""
        read = (reading(event) for reading in self._others)
        taken = [event, *(each for each in read if each is not None)]
        steps, states = [], []
        for before in self.states:
            for each in taken:
                self._parser.state, self._parser.begun = before
                steps.append(self._parser.feed(each))
                states.append((self._parser.state, self._parser.begun))
        self.states = tuple(dict.fromkeys(states))
        return steps
