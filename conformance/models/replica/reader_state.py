"""What a client that reads a source's stream keeps to resume it: its position and the set of executed GTIDs."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.models.replica.open_group import BEGINNINGS, CLOSING, ENDS

#: Events between transactions, at which an open one would be torn.
_BETWEEN: Final = (EventType.PREVIOUS_GTIDS, EventType.ROTATE, EventType.STOP, EventType.FORMAT_DESCRIPTION)
_LARGEST_LOG_POS: Final = 0xFFFFFFFF


class ReaderState:
    """Follows a stream of MySQL event by event; of MariaDB's GTIDs it keeps nothing."""

    def __init__(self) -> None:
        self._executed: ExecutedGtids | None = None
        self._open = ""
        self._begun = False
        self._is_whole = True

    def lose_track(self) -> None:
        """Be certain of no set from here on: whether readers understand the next event is left to them."""
        self._is_whole = False

    def after(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is certain after an event: `position` in bytes, `executed_gtid_set` between transactions.

        Args:
            entry: The event, in the words of the protocol.
        """
        state: dict[str, Any] = {}
        if _has_position(entry):
            state["position"] = entry["offset"] + entry["length"]
        if "handled" not in entry:
            # A reader may know the event or skip it.
            self.lose_track()
        elif entry["handled"] == "known":
            self._follow(entry)
        if self._executed is not None and self._is_whole and not self._open:
            state["executed_gtid_set"] = str(self._executed.gtids())
        return state

    def _follow(self, entry: Mapping[str, Any]) -> None:
        code = entry["type"]
        if code in GTID_TYPES or code in _BETWEEN:
            self._is_whole = self._is_whole and not self._open
        if code in GTID_TYPES:
            self._open, self._begun = entry["gtid"], False
        elif code == EventType.PREVIOUS_GTIDS:
            self._begin_log(GtidSet.from_text(entry["previous_gtids"]))
        elif code == EventType.EXECUTE_LOAD_QUERY and entry["query"].startswith((*BEGINNINGS, *ENDS)):
            # No server writes such a statement so: readers may look at Query events alone.
            self.lose_track()
        elif self._open and (code in CLOSING or (code == EventType.QUERY and self._is_last(entry["query"]))):
            self._close()

    def _begin_log(self, previous: GtidSet) -> None:
        """Take the set with which a log begins; one that lacks what was executed is of another server."""
        self._executed = self._executed or ExecutedGtids()
        if self._executed.missing_in(previous).sources:
            # A reader may go on from its own set, from that of the other server, or from both.
            self.lose_track()
        self._executed.add_set(previous)

    def _is_last(self, statement: str) -> bool:
        """Return whether a statement ends the open transaction: a COMMIT, or a statement that has no BEGIN."""
        if not self._begun and statement.startswith(BEGINNINGS):
            self._begun = True
            return False
        return not self._begun or statement in ENDS

    def _close(self) -> None:
        if self._open != "ANONYMOUS":
            self._executed = self._executed or ExecutedGtids()
            self._executed.add(*gtid_parts(self._open))
        self._open = ""


def _has_position(entry: Mapping[str, Any]) -> bool:
    """Return whether an event is in the log that it is read from: others have a position elsewhere, or none."""
    if entry["type"] in HEARTBEAT_TYPES or entry["flags"] & Flag.ARTIFICIAL:
        return False
    end = entry["offset"] + entry["length"]
    return bool(entry["log_pos"] == end & _LARGEST_LOG_POS)
