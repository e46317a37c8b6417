"""The replica's own binary log: the groups that an applier writes to it (WL#7592, FR1)."""

from dataclasses import dataclass
from typing import Final

from conformance.models.replica.compatibility import Anonymous, ReplicaRules
from conformance.models.replica.event_kind import Kind, concerns_temporary
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.transaction_table import ANONYMOUS

#: The kinds that change data: a group without any need not be logged.
_CHANGES: Final = frozenset({Kind.DDL, Kind.ATOMIC_CREATE, Kind.STATEMENT, Kind.ROWS, Kind.LAST_ROWS, Kind.PAYLOAD})
_IF_NOT_EXISTS: Final = "CREATE TABLE IF NOT EXISTS "


@dataclass(frozen=True, slots=True)
class LoggedGroup:
    """A group that the replica wrote to its own binary log: its GTID or ``ANONYMOUS``, and its statement."""

    gtid: str
    statement: str = ""


class OwnLog:
    """Follows an applier, and returns what it logs at each event.

    Args:
        rules: What the replica does.
    """

    def __init__(self, rules: ReplicaRules) -> None:
        self._rules = rules
        self._has_changes = False
        #: Whether the open group creates or drops a temporary table, which is not undone.
        self._has_temporary = False
        #: Whether it is certain what is logged of the open group.
        self._is_certain = True
        #: The statements CREATE TABLE IF NOT EXISTS so far.
        self._creations: set[str] = set()

    def begin(self) -> None:
        """Begin a group."""
        self._has_changes, self._has_temporary, self._is_certain = False, False, True

    def add(self, event: ReplicaEvent, kind: Kind) -> None:
        """Add an event of the open group; in row format one about temporary tables need not be logged."""
        temporary = concerns_temporary(event)
        self._has_changes = self._has_changes or (kind in _CHANGES and not temporary)
        self._has_temporary = self._has_temporary or temporary
        if event.query.startswith(_IF_NOT_EXISTS):
            self._is_certain = self._is_certain and (self._rules.logs_existing or event.query not in self._creations)
            self._creations.add(event.query)

    def split(self) -> None:
        """Commit in the middle of a group: how the two parts are logged is left to servers."""
        self._is_certain = False

    def commit(self, gtid: str) -> tuple[LoggedGroup, ...] | None:
        """Return what is logged of the group that ends; None if that is not certain."""
        certain = self._is_certain and self._has_changes
        self.begin()
        return (LoggedGroup(self._own_gtid(gtid)),) if certain else None

    def roll_back(self) -> tuple[LoggedGroup, ...] | None:
        """Return what is logged of the group that is rolled back: nothing; None if that is not certain."""
        certain = self._is_certain and not self._has_temporary
        self.begin()
        return () if certain else None

    def _own_gtid(self, gtid: str) -> str:
        """Return the GTID in the own log: the source's, or ``ANONYMOUS``, which older replicas do not write."""
        if gtid not in ("", ANONYMOUS):
            return gtid
        return ANONYMOUS if self._rules.anonymous is Anonymous.OPENS_GROUP else ""
