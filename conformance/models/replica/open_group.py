"""Where the groups of a stream begin and end, for a client that moves its position with whole groups only."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, QUERY_TYPES, ROWS_TYPES, VARIABLE_TYPES, EventType
from conformance.binlog.layouts.mariadb_layouts import STANDALONE

#: The statements with which a transaction begins, and with which one that has begun ends.
BEGINNINGS: Final = ("BEGIN", "XA START", "XA BEGIN")
ENDS: Final = ("COMMIT", "ROLLBACK")
#: The events that end a group, whatever it is.
CLOSING: Final = (EventType.XID, EventType.XA_PREPARE, EventType.TRANSACTION_PAYLOAD)
#: The events before a statement, which are a group with it where nothing has begun one.
_BEFORE: Final = frozenset(
    {
        *VARIABLE_TYPES,
        *ROWS_TYPES,
        EventType.ROWS_QUERY,
        EventType.MARIADB_ANNOTATE_ROWS,
        EventType.TABLE_MAP,
        EventType.BEGIN_LOAD_QUERY,
        EventType.APPEND_BLOCK,
    }
)


class OpenGroup:
    """Follows a stream event by event, in the words of the protocol."""

    def __init__(self) -> None:
        self._beginnings: list[int] = []
        self._ignored: list[int] = []
        self._begun = False
        self._marked = False

    def after(self, entry: Mapping[str, Any]) -> tuple[int, ...]:
        """Return where the group begins that is open after an event, in bytes; empty if none is.

        A group that another one begins within has not ended: it is returned as well. An event of an unknown type
        between groups may belong to the one after it. Where nothing has begun a group, as in a part of a log, it may
        begin with each of the events before its statement or rows.

        Args:
            entry: The event.
        """
        code = entry["type"]
        if code in GTID_TYPES or code == EventType.MARIADB_GTID:
            self._beginnings.append(entry["offset"])
            self._marked = True
            flags = entry.get("mariadb_gtid_flags", STANDALONE)
            self._begun = code == EventType.MARIADB_GTID and not flags & STANDALONE
        elif code in QUERY_TYPES:
            self._statement(entry)
        elif code in CLOSING:
            self._end()
        elif code in _BEFORE and not self._begun and not self._marked:
            self._beginnings.append(entry["offset"])
        elif entry.get("handled") == "ignored" and not self._beginnings:
            self._ignored.append(entry["offset"])
        return (*self._ignored, *self._beginnings)

    def _statement(self, entry: Mapping[str, Any]) -> None:
        query = str(entry.get("query", ""))
        if query.startswith(BEGINNINGS):
            self._begun = True
            self._beginnings = self._beginnings or [entry["offset"]]
        elif not self._begun or query in ENDS:
            self._end()

    def _end(self) -> None:
        self._beginnings, self._ignored, self._begun, self._marked = [], [], False, False
