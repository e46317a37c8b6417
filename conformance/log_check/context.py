"""The rule on context events, which give a statement its generated numbers, its seed and its user variables."""

from typing import Final

from conformance.binlog.event_types import EventType, type_name
from conformance.log_check.log_event import Log, LogEvent, Place
from conformance.log_check.verdicts import Verdicts

CONTEXT: Final = "FORMAT-LOG-CONTEXT"

_CONTEXT: Final = frozenset({int(EventType.INTVAR), int(EventType.RAND), int(EventType.USER_VAR)})
#: Where a statement cannot stand: what is there begins or ends a transaction, or a log.
_NO_STATEMENT: Final = frozenset({Place.MARKER, Place.BEGIN, Place.END, Place.BETWEEN})


class Context:
    """Judges that a statement comes after the context events that are for it."""

    requirements = (CONTEXT,)
    codes = None
    places = None
    inside_payloads = True

    def __init__(self) -> None:
        #: The first of the events whose statement has not come yet.
        self._first: LogEvent | None = None

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; a transaction that is cut off breaks another rule."""
        first = self._first
        if seen.code in _CONTEXT:
            self._first = first or seen
        elif first is not None and seen.known:
            if seen.broken is None and seen.place in _NO_STATEMENT and not log.relay:
                actual = f"{type_name(seen.code)} after the {type_name(first.code)} event at offset {first.offset}"
                verdicts.bad(CONTEXT, seen.offset, f"{actual}{seen.where}", "the statement that the event is for")
            else:
                verdicts.good(CONTEXT)
            self._first = None
