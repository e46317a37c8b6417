"""The last groups of logs and of what a replica receives: with an end of their own kind, or what looks like one."""

from collections.abc import Callable, Mapping
from typing import Final

from conformance.binlog.servers import (
    WITH_INCIDENT_TRANSACTIONS,
    WITH_PAYLOADS,
    WITH_ROWS_QUERIES,
    WITH_XA_PREPARE,
)
from conformance.binlog.transaction_payload import Compression
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events, payloads, server_events, statement_events
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups
from conformance.strategies.groups import transactions as groups

#: Returns the events of a group, without its Gtid event.
Build = Callable[[StreamBuilder], list[PlannedEvent]]
#: Returns the events of a group that is made of a transaction.
_Change = Callable[[StreamBuilder, list[PlannedEvent]], list[PlannedEvent]]

#: The position after it needs a third byte, in heartbeats of the second version a longer integer.
_LONG_STATEMENT: Final = f"INSERT INTO `t1` VALUES (0, 0) /* {'x' * (1 << 16)} */"
_WITH_VARIABLE: Final = Profiles("worklog", "mysql >= 8.0.21")
#: The class of groups as any other.
ANY: Final = "any"
#: The class of groups that go back to a savepoint, before their end or right before it.
SAVEPOINT: Final = "back to a savepoint"
#: The class of a transaction in one event, which also ends where its last event does.
IN_PAYLOAD: Final = "in a payload"


def _statement_alone(stream: StreamBuilder) -> list[PlannedEvent]:
    return [mysql_events.query(stream, stream.choose.one_of(groups.ALONE))]


def _finished(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the end of a transaction that an earlier log has, which is a group of its own."""
    return [mysql_events.query(stream, replica_groups.end_of_prepared(stream))]


def _finished_by(word: str) -> Build:
    return lambda stream: [mysql_events.query(stream, f"XA {word} {replica_groups.XA_NAME}")]


def _incident(stream: StreamBuilder) -> list[PlannedEvent]:
    return [server_events.incident(stream)]


def _text_and_rows(stream: StreamBuilder) -> list[PlannedEvent]:
    return groups.change_with_text(stream, statement_after=False)


def _text_rows_and_statement(stream: StreamBuilder) -> list[PlannedEvent]:
    return groups.change_with_text(stream, statement_after=True)


def _before_changes(stream: StreamBuilder, transaction: list[PlannedEvent], *statements: str) -> list[PlannedEvent]:
    return [transaction[0], *(mysql_events.query(stream, each) for each in statements), *transaction[1:]]


def _temporary_dropped(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    return _before_changes(stream, transaction, "DROP TEMPORARY TABLE IF EXISTS `t3`")


def _back_to_savepoint(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    """Return a transaction whose changes go on after what looks like an end."""
    words = ("SAVEPOINT `s`", "INSERT INTO `t1` VALUES (0, 0)", "ROLLBACK TO `s`")
    return _before_changes(stream, transaction, *words)


def _loaded(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    """Return a transaction with a LOAD DATA statement, which is not the end, though it is the only one."""
    number = stream.choose.integer(1, 9)
    load = statement_events.load_block(stream, number, first=True)
    return [transaction[0], load, statement_events.execute_load_query(stream, number), mysql_events.xid(stream)]


def _long(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    return [*transaction[:-1], mysql_events.query(stream, _LONG_STATEMENT), transaction[-1]]


def _prepared(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    return server_events.prepared_transaction(stream, transaction[1:-1])


def _rolled_back(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    return [*transaction[:-1], mysql_events.query(stream, "ROLLBACK")]


def _packed(compression: Compression) -> _Change:
    return lambda stream, transaction: [payloads.transaction_payload(stream, transaction, compression=compression)]


def _received_empty(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    return [transaction[0], data_changes.query(stream, "COMMIT")]


def _received_rolled_back(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    return [*transaction[:-1], data_changes.query(stream, "ROLLBACK")]


def _received_savepoint(stream: StreamBuilder, transaction: list[PlannedEvent]) -> list[PlannedEvent]:
    before, after = (data_changes.query(stream, each) for each in ("SAVEPOINT `s`", "ROLLBACK TO `s`"))
    return [transaction[0], before, *transaction[1:-1], after, transaction[-1]]


def _sent(change: _Change) -> Build:
    return lambda stream: change(stream, groups.transaction(stream))


def _received(change: _Change) -> Build:
    return lambda stream: change(stream, replica_groups.transaction(stream))


#: The last groups of logs that a source sends.
SENT: Final[Mapping[str, Build]] = {
    "rolled back": _sent(_rolled_back),
    "prepared": _sent(_prepared),
    "finished after it was prepared": _finished,
    IN_PAYLOAD: _sent(_packed(Compression.ZSTD)),
    "of more than 64 kB": _sent(_long),
    SAVEPOINT: _sent(_back_to_savepoint),
    "LOAD DATA": _sent(_loaded),
    "a statement alone": _statement_alone,
    "a variable and a statement": groups.statement_of_variable,
    "a text before its rows": _text_and_rows,
    "a text before its rows, and a statement": _text_rows_and_statement,
    "a table created within": groups.create_select_group,
    "a temporary table dropped within": _sent(_temporary_dropped),
}
#: The last groups of what a replica receives.
RECEIVED: Final[Mapping[str, Build]] = {
    "rolled back": _received(_received_rolled_back),
    SAVEPOINT: _received(_received_savepoint),
    "prepared": _received(_prepared),
    IN_PAYLOAD: _received(_packed(Compression.NONE)),
    "empty": _received(_received_empty),
    "a statement alone": _statement_alone,
    "a variable and a statement": groups.statement_of_variable,
    "an Incident": _incident,
    "committed after it was prepared": _finished_by("COMMIT"),
    "rolled back after it was prepared": _finished_by("ROLLBACK"),
}
#: Class -> the profiles whose servers log such groups; the others are of all.
_PROFILES: Final = {
    "prepared": WITH_XA_PREPARE,
    "finished after it was prepared": WITH_XA_PREPARE,
    "committed after it was prepared": WITH_XA_PREPARE,
    "rolled back after it was prepared": WITH_XA_PREPARE,
    IN_PAYLOAD: WITH_PAYLOADS,
    "a variable and a statement": _WITH_VARIABLE,
    "a text before its rows": WITH_ROWS_QUERIES,
    "a text before its rows, and a statement": WITH_ROWS_QUERIES,
    "a table created within": groups.WITH_CREATE_IN_GROUP,
    "an Incident": WITH_INCIDENT_TRANSACTIONS,
}


def dimension(
    name: str, table: Mapping[str, Build], *, when: Mapping[str, tuple[str, ...]] | None = None
) -> Dimension[str]:
    """Return the dimension of the last groups of a table, the first class of which is `ANY`.

    Args:
        name: The name of the dimension.
        table: The table.
        when: See `Dimension`.
    """
    profiles = {each: _PROFILES[each] for each in table if each in _PROFILES}
    return Dimension(name, {each: each for each in (ANY, *table)}, when or {}, profiles=profiles)
