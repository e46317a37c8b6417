"""The shapes of a group that an applier skips, stops at, or has executed before."""

from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import WITH_INCIDENT_TRANSACTIONS, WITH_PAYLOADS
from conformance.binlog.transaction_payload import Compression
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, payloads, server_events
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups
from conformance.strategies.groups.boundary_groups import FIRST_VERSION, older_rows
from conformance.strategies.groups.replica_variants import CHANGE

TRANSACTION: Final = "transaction"
STATEMENT: Final = "statement that is one"
ROLLED_BACK: Final = "rolled back"
TO_SAVEPOINT: Final = "rolled back to a savepoint"
IN_PAYLOAD: Final = "in a payload"
VARIABLE_FIRST: Final = "statement after a variable"
INCIDENT: Final = "Incident"
DROPPED: Final = "DROP of a table that is made again"
FAILING_DROP: Final = "DROP DATABASE that would fail"
PREPARED: Final = "XA transaction"
INCIDENT_WITHIN: Final = "transaction with an Incident"
ROWS_ALONE: Final = "rows without BEGIN"
OLD_ROWS_ALONE: Final = "rows of the first version without BEGIN"
#: The servers that log groups of a shape; all of them without one.
_SERVERS: Final = {
    IN_PAYLOAD: WITH_PAYLOADS,
    INCIDENT: WITH_INCIDENT_TRANSACTIONS,
    PREPARED: Profiles("mysql >= 5.7"),
    OLD_ROWS_ALONE: Profiles("worklog", "mysql >= 5.6, < 8.4"),
}


def shapes(*names: str) -> Dimension[str]:
    """Return the dimension of the group with some of these shapes."""
    profiles = {each: servers for each, servers in _SERVERS.items() if each in names}
    return Dimension("group", {each: each for each in names}, profiles=profiles)


def shaped(stream: StreamBuilder, among: Dimension[str], *, by_change: bool = True) -> list[PlannedEvent]:
    """Return the group that a stream is made for, without the event that may come before it.

    Args:
        stream: The stream it is for.
        among: The shapes there are; a family declares it.
        by_change: Whether `CHANGE` gives the change of data of a transaction; the family declares it then.
    """
    shape = stream.vary(among)
    if shape == STATEMENT:
        return replica_groups.create(stream, temporary=True)
    if shape == VARIABLE_FIRST:
        return data_changes.with_variable(stream)
    if shape == INCIDENT:
        return [server_events.incident(stream)]
    if shape == INCIDENT_WITHIN:
        first, *changes, end = replica_groups.transaction(stream)
        return [first, *changes, server_events.incident(stream), *data_changes.row_changes(stream), end]
    if shape in (ROWS_ALONE, OLD_ROWS_ALONE):
        mapped, rows = data_changes.row_changes(stream)
        older = FIRST_VERSION.get(EventType(rows.type)) if shape == OLD_ROWS_ALONE else None
        return [mapped, rows if older is None else older_rows(rows, older)]
    if shape == DROPPED:
        return [data_changes.query(stream, "DROP TABLE `t10`")]
    if shape == FAILING_DROP:
        stream.settings["leftovers"] = {"d1": ["t1"]}
        return [data_changes.query(stream, "DROP DATABASE `d1`", database="d1")]
    if shape == PREPARED:
        return replica_groups.prepared(stream)
    if shape == TO_SAVEPOINT:
        return _back_to_savepoint(stream)
    planned = replica_groups.transaction(stream)
    if shape == ROLLED_BACK:
        return [*planned[:-1], data_changes.query(stream, "ROLLBACK")]
    if shape == IN_PAYLOAD:
        # What is in it is asked for in no role but `decode`.
        stream.settings.pop("tables", None)
        return [payloads.transaction_payload(stream, planned, compression=Compression.NONE)]
    return [planned[0], *stream.vary(CHANGE)(stream), planned[-1]] if by_change else planned


def _back_to_savepoint(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a group that goes back to a savepoint, which does not end it."""
    insert = "INSERT INTO `t1` VALUES ({}, 0)"
    texts = ("BEGIN", insert.format(1), "SAVEPOINT `s`", insert.format(2), "ROLLBACK TO `s`", insert.format(3))
    return [*(data_changes.query(stream, each) for each in texts), mysql_events.xid(stream)]
