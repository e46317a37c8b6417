"""Follows the transactions of a log: the place of each event, and which events contradict earlier ones."""

from collections.abc import Mapping
from enum import Enum, auto
from itertools import product
from typing import Final

from conformance.binlog.event_types import ROWS_TYPES, EventType, Purpose, types_of
from conformance.binlog.layouts.mariadb_layouts import STANDALONE
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.total_table import check_complete, total
from conformance.log_check.log_event import (
    BEGINNING,
    Break,
    Log,
    LogEvent,
    Place,
    Transaction,
)
from conformance.log_check.statements import LoggedStatement


class _State(Enum):
    # States and parts are keys of `_STEPS`, for every event; an enumeration's own hash is that of a name.
    __hash__ = object.__hash__

    #: Outside any transaction.
    OUTSIDE = auto()
    #: After a Gtid event whose transaction has not begun.
    MARKED = auto()
    #: After the BEGIN of a transaction that no Gtid event announced.
    BEGUN = auto()
    #: Inside a transaction.
    OPEN = auto()
    #: Inside the rows of a statement outside any transaction (servers before 5.5).
    LOOSE = auto()


class _Part(Enum):
    """What an event does to a transaction."""

    __hash__ = object.__hash__

    MARKER = auto()
    BEGIN = auto()
    #: MariaDB's Gtid event of a transaction: marker and BEGIN in one.
    MARKER_AND_BEGIN = auto()
    COMMIT = auto()
    #: Ends an open transaction, or is a transaction by itself.
    FINISH = auto()
    STATEMENT = auto()
    ROWS = auto()
    LAST_ROWS = auto()
    PAYLOAD = auto()
    #: Ends or begins a log: no transaction may be open.
    BORDER = auto()
    #: Drops the open transaction without a violation.
    RESET = auto()
    #: Takes no part.
    PASSED = auto()


_OUT, _MARKED, _BEGUN, _OPEN, _LOOSE = _State.OUTSIDE, _State.MARKED, _State.BEGUN, _State.OPEN, _State.LOOSE

#: (state, part) -> (next state, place, break). Context events (Intvar, Rand, User_var, load-data blocks) and ignorable
#: ones are `PASSED`, which changes nothing.
_LISTED_STEPS: Final[dict[tuple[_State, _Part], tuple[_State, Place, Break | None]]] = {
    (_OUT, _Part.MARKER): (_MARKED, Place.MARKER, None),
    (_OUT, _Part.BEGIN): (_BEGUN, Place.BEGIN, None),
    (_OUT, _Part.MARKER_AND_BEGIN): (_OPEN, Place.BEGIN, None),
    (_OUT, _Part.COMMIT): (_OUT, Place.BETWEEN, Break.NOTHING_TO_END),
    (_OUT, _Part.FINISH): (_OUT, Place.ALONE, None),
    (_OUT, _Part.STATEMENT): (_OUT, Place.ALONE, None),
    (_OUT, _Part.ROWS): (_LOOSE, Place.ALONE, None),
    (_OUT, _Part.LAST_ROWS): (_OUT, Place.ALONE, None),
    (_OUT, _Part.PAYLOAD): (_OUT, Place.ALONE, None),
    (_OUT, _Part.BORDER): (_OUT, Place.BETWEEN, None),
    (_OUT, _Part.RESET): (_OUT, Place.BETWEEN, None),
    (_MARKED, _Part.MARKER): (_MARKED, Place.MARKER, Break.SECOND_MARKER),
    (_MARKED, _Part.BEGIN): (_OPEN, Place.BEGIN, None),
    (_MARKED, _Part.MARKER_AND_BEGIN): (_OPEN, Place.BEGIN, Break.SECOND_MARKER),
    (_MARKED, _Part.COMMIT): (_OUT, Place.BETWEEN, Break.NOTHING_TO_END),
    (_MARKED, _Part.FINISH): (_OUT, Place.ALONE, None),
    (_MARKED, _Part.STATEMENT): (_OUT, Place.ALONE, None),
    (_MARKED, _Part.ROWS): (_LOOSE, Place.ALONE, None),
    (_MARKED, _Part.LAST_ROWS): (_OUT, Place.ALONE, None),
    (_MARKED, _Part.PAYLOAD): (_OUT, Place.ALONE, None),
    (_MARKED, _Part.BORDER): (_OUT, Place.BETWEEN, Break.LONE_MARKER),
    (_MARKED, _Part.RESET): (_OUT, Place.BETWEEN, None),
    (_OPEN, _Part.MARKER): (_MARKED, Place.MARKER, Break.NOT_ENDED),
    (_OPEN, _Part.BEGIN): (_OPEN, Place.BEGIN, Break.NOT_ENDED),
    (_OPEN, _Part.MARKER_AND_BEGIN): (_OPEN, Place.BEGIN, Break.NOT_ENDED),
    (_OPEN, _Part.COMMIT): (_OUT, Place.END, None),
    (_OPEN, _Part.FINISH): (_OUT, Place.END, None),
    (_OPEN, _Part.STATEMENT): (_OPEN, Place.INSIDE, None),
    (_OPEN, _Part.ROWS): (_OPEN, Place.INSIDE, None),
    (_OPEN, _Part.LAST_ROWS): (_OPEN, Place.INSIDE, None),
    (_OPEN, _Part.PAYLOAD): (_OUT, Place.ALONE, Break.NOT_ENDED),
    (_OPEN, _Part.BORDER): (_OUT, Place.BETWEEN, Break.NOT_ENDED),
    (_OPEN, _Part.RESET): (_OUT, Place.BETWEEN, None),
    (_LOOSE, _Part.MARKER): (_MARKED, Place.MARKER, None),
    (_LOOSE, _Part.BEGIN): (_BEGUN, Place.BEGIN, None),
    (_LOOSE, _Part.MARKER_AND_BEGIN): (_OPEN, Place.BEGIN, None),
    (_LOOSE, _Part.COMMIT): (_OUT, Place.BETWEEN, Break.NOTHING_TO_END),
    (_LOOSE, _Part.FINISH): (_OUT, Place.ALONE, None),
    (_LOOSE, _Part.STATEMENT): (_OUT, Place.ALONE, None),
    (_LOOSE, _Part.ROWS): (_LOOSE, Place.INSIDE, None),
    (_LOOSE, _Part.LAST_ROWS): (_OUT, Place.INSIDE, None),
    (_LOOSE, _Part.PAYLOAD): (_OUT, Place.ALONE, None),
    (_LOOSE, _Part.BORDER): (_OUT, Place.BETWEEN, None),
    (_LOOSE, _Part.RESET): (_OUT, Place.BETWEEN, None),
}
#: A Gtid event directly after such a BEGIN is that transaction's own, too late; all else is as in any transaction.
_STEPS: Final = {
    **{(_BEGUN, part): step for (state, part), step in _LISTED_STEPS.items() if state is _OPEN},
    **_LISTED_STEPS,
    (_BEGUN, _Part.MARKER): (_OPEN, Place.INSIDE, Break.LATE_MARKER),
}
check_complete(
    f"{__name__}._STEPS",
    product(_State, set(_Part) - {_Part.PASSED}),
    _STEPS,
    entry="the next state, the place and what it breaks",
)

_STATEMENT_PARTS: Final[Mapping[LoggedStatement, _Part]] = total(
    f"{__name__}._STATEMENT_PARTS",
    LoggedStatement,
    {
        LoggedStatement.BEGIN: _Part.BEGIN,
        LoggedStatement.XA_START: _Part.BEGIN,
        LoggedStatement.COMMIT: _Part.COMMIT,
        LoggedStatement.ROLLBACK: _Part.COMMIT,
        LoggedStatement.XA_FINISH: _Part.FINISH,
    },
    entry="what it does to a transaction",
    rest={
        (LoggedStatement.CREATE_TABLE, LoggedStatement.DROP_TABLE, LoggedStatement.TEMPORARY_TABLE): _Part.STATEMENT,
        (LoggedStatement.MAINTENANCE, LoggedStatement.OTHER): _Part.STATEMENT,
    },
)
_PARTS: Final[Mapping[int, _Part]] = total(
    f"{__name__}._PARTS",
    EventType,
    {
        **dict.fromkeys((EventType.TABLE_MAP, EventType.ROWS_QUERY, EventType.MARIADB_ANNOTATE_ROWS), _Part.ROWS),
        **dict.fromkeys((EventType.FORMAT_DESCRIPTION, EventType.ROTATE, EventType.STOP), _Part.BORDER),
        EventType.INCIDENT: _Part.RESET,
        EventType.VIEW_CHANGE: _Part.STATEMENT,
    },
    entry="what an event does to a transaction",
    rest={
        types_of(Purpose.GTID): _Part.MARKER,
        types_of(Purpose.ROWS): _Part.ROWS,
        types_of(Purpose.COMMIT): _Part.COMMIT,
        types_of(Purpose.PAYLOAD): _Part.PAYLOAD,
        types_of(Purpose.LOG, Purpose.HEARTBEAT, Purpose.ANNOUNCEMENT): _Part.PASSED,
        types_of(Purpose.CONTEXT, Purpose.NOTE, Purpose.UNMODELLED): _Part.PASSED,
        # A statement that cannot be read.
        types_of(Purpose.STATEMENT): _Part.PASSED,
    },
)


_PASSED: Final = _Part.PASSED
_BORDER: Final = _Part.BORDER
_ROWS: Final = _Part.ROWS
_LAST_ROWS: Final = _Part.LAST_ROWS
_MARKING: Final = frozenset({_Part.MARKER, _Part.MARKER_AND_BEGIN})
#: The states in which a transaction is open, and those in which one has begun.
_OPEN_STATES: Final = frozenset({_State.BEGUN, _State.OPEN})
_BEGUN_STATES: Final = _OPEN_STATES | {_State.LOOSE}
_INSIDE: Final = Place.INSIDE
_MARKER_PLACE: Final = Place.MARKER
_ALONE: Final = Place.ALONE
_END: Final = Place.END
_MARIADB_GTID: Final = int(EventType.MARIADB_GTID)


def _part(seen: LogEvent, log: Log) -> _Part:
    if seen.statement is not None:
        return _STATEMENT_PARTS[seen.statement]
    if seen.code in ROWS_TYPES:
        return _LAST_ROWS if seen.fields.get("rows_flags", 0) & STATEMENT_END else _ROWS
    if seen.code == _MARIADB_GTID:
        alone = seen.fields.get("mariadb_gtid_flags", 0) & STANDALONE
        return _Part.MARKER if alone else _Part.MARKER_AND_BEGIN
    part = _PARTS.get(seen.code, _PASSED)
    if part is _BORDER and log.relay:
        # A relay log may be rotated inside a transaction, and holds the source's Rotates; a source that restarts
        # leaves its last transaction unfinished.
        return _Part.RESET if seen.code == EventType.FORMAT_DESCRIPTION else _Part.PASSED
    return part


class Transactions:
    """The transactions of one log, event by event.

    Attributes:
        entered: Whether a Gtid event or the end of a transaction was seen: a relay log may begin inside a transaction.
    """

    def __init__(self) -> None:
        self.entered = False
        self._state = _State.OUTSIDE
        #: The transaction that a Gtid event announced and that has not begun.
        self._announced: Transaction | None = None
        self._transaction: Transaction | None = None

    @property
    def unfinished(self) -> Transaction | None:
        """The transaction that is open, or only marked, at this point of the log."""
        if self._state in _BEGUN_STATES:
            return self._transaction
        return self._announced

    def place(self, seen: LogEvent, log: Log) -> None:
        """Record in `seen` its place, and how it contradicts the events before it."""
        part = _part(seen, log)
        if part is _PASSED:
            if self._state in _OPEN_STATES:
                seen.place, seen.transaction = _INSIDE, self._transaction
            return
        before = self.unfinished
        state, place, broken = _STEPS[self._state, part]
        announced = self._announced
        if part in _MARKING:
            announced = Transaction(seen.offset, seen.code, seen.fields.get("transaction_length"))
        if place in BEGINNING:
            self._transaction = announced or Transaction(seen.offset)
        seen.place, seen.broken = place, broken
        seen.transaction = before if broken is not None and place is not _ALONE else self._transaction
        if announced is not None or place is _END:
            self.entered = True
        self._announced = announced if place is _MARKER_PLACE else None
        self._state = state
