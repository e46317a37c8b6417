"""The mutants of the role `log` in logs as a whole, in Gtid events, and in the statements that WL#7592 splits."""

from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.events import COMMIT, ROLLBACK
from conformance.models.server.logging_rules import DropClass
from conformance.models.server.statements import (
    CreateTable,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    Maintain,
    Rollback,
)
from conformance.mutants.log.event_faults import (
    created_as_given,
    drops_of,
    is_begin,
    without_timestamps,
)
from conformance.mutants.log.faults import (
    begins,
    changed,
    doubled,
    is_query,
    of_type,
    other_bytes,
    other_rules,
    other_settings,
    set_fields,
    set_flags,
    units,
    without,
)
from conformance.mutants.log.framing_faults import (
    checksums,
    no_position_of_end,
    own_start,
    positions,
    without_gtid_event,
)
from conformance.mutants.log.transaction_faults import (
    all_gtids,
    extra_anonymous,
    joined,
    logs_refused,
    lone_gtids,
    numbered,
    previous_gtids,
    reads_past,
    shorter_lengths,
    unlogged,
    with_bad_checksum,
    without_gtid,
    wrapped,
)
from conformance.mutants.mutant import Mutant

#: The classes of tables in a DROP TABLE, temporary ones first.
_ALL_CLASSES: Final[tuple[DropClass, ...]] = (
    "temporary-plain",
    "temporary-transactional",
    "base-plain",
    "base-transactional",
    "missing",
)


LOG_GTID_MUTANTS: Final[tuple[Mutant, ...]] = (
    # Logs as a whole
    Mutant(
        "logs-table-map-no-null-bits",
        "FORMAT-LOG-BODY",
        "Table_map events have no null bits",
        answer=changed(
            of_type(EventType.TABLE_MAP), lambda event: replace(event, fields={**event.fields, "null_bits": b""})
        ),
    ),
    Mutant(
        "logs-end-without-position",
        "FORMAT-LOG-POSITIONS",
        "the Rotate or the Stop that ends a log has the position 0",
        answer=positions(no_position_of_end),
    ),
    Mutant(
        "logs-bad-checksum-of-end",
        "FORMAT-LOG-CHECKSUMS",
        "the Rotate or the Stop that ends a log has a wrong checksum",
        answer=checksums(EventType.ROTATE, EventType.STOP),
    ),
    Mutant(
        "logs-gtid-starts-at-its-end",
        "WL7592-LOG-GTID-POSITIONS",
        "the position of a Gtid event is where it starts",
        answer=positions(own_start),
    ),
    Mutant(
        "logs-positions-without-gtid",
        "WL7592-LOG-GTID-POSITIONS",
        "the positions after a Gtid event do not count it",
        answer=positions(without_gtid_event),
    ),
    Mutant(
        "logs-bad-checksum-of-gtid",
        "WL7592-LOG-GTID-CHECKSUMS",
        "Gtid and Anonymous_gtid events have a wrong checksum",
        answer=checksums(*GTID_TYPES),
    ),
    Mutant(
        "logs-bad-checksum-after-gtid",
        "WL7592-LOG-GTID-CHECKSUMS",
        "the Query events of a transaction have a wrong checksum",
        answer=checksums(EventType.QUERY),
    ),
    Mutant(
        "logs-bad-description-checksum",
        "FORMAT-LOG-DESCRIPTION-CHECKSUM",
        "without checksums, the format description's own is wrong",
        answer=other_bytes(with_bad_checksum),
    ),
    Mutant(
        "logs-other-table-id",
        "FORMAT-LOG-TABLE-MAP",
        "rows events have a table id that no Table_map has",
        answer=changed(of_type(*ROWS_TYPES), set_fields(table_id=1)),
    ),
    Mutant(
        "logs-no-end",
        "FORMAT-LOG-TRANSACTION-ENDS",
        "the Query events COMMIT and ROLLBACK are not written",
        answer=without(is_query(COMMIT, ROLLBACK)),
    ),
    Mutant(
        "logs-end-twice",
        "FORMAT-LOG-END-NEEDS-BEGIN",
        "an Xid event is written twice",
        answer=doubled(of_type(EventType.XID)),
    ),
    Mutant(
        "logs-short-transaction-length",
        "FORMAT-LOG-TRANSACTION-LENGTH",
        "the transaction length is one byte too small",
        answer=shorter_lengths,
    ),
    Mutant(
        "logs-gtid-repeated",
        "FORMAT-LOG-GTID-ONCE",
        "every transaction has the number 1",
        answer=changed(of_type(EventType.GTID), set_fields(gno=1)),
    ),
    Mutant(
        "logs-previous-gtids-twice",
        "FORMAT-LOG-PREVIOUS-GTIDS-ONCE",
        "a log begins with two Previous_gtids events",
        answer=doubled(of_type(EventType.PREVIOUS_GTIDS)),
    ),
    Mutant(
        "logs-after-rotate",
        "FORMAT-LOG-END-LAST",
        "a log ends with two Rotate or Stop events",
        answer=doubled(of_type(EventType.ROTATE, EventType.STOP)),
    ),
    Mutant(
        "logs-rotate-to-wrong-log",
        "FORMAT-LOG-ROTATE-NEXT",
        "a Rotate does not name the next log",
        answer=changed(of_type(EventType.ROTATE), set_fields(next_file=b"bin.000999")),
    ),
    Mutant(
        "logs-no-logical-timestamps",
        "WL7592-LOG-LOGICAL-TIMESTAMPS",
        "Gtid events have no logical timestamps",
        answer=changed(of_type(*GTID_TYPES), lambda event: replace(event, fields=without_timestamps(event.fields))),
    ),
    Mutant(
        "logs-query-timestamps",
        "WL7592-LOG-NO-QUERY-TIMESTAMPS",
        "Query events have a logical timestamp among their status variables",
        answer=changed(
            of_type(EventType.QUERY),
            lambda event: set_fields(status_variables=event.fields["status_variables"] + b"\x0e" + bytes(8))(event),
        ),
    ),
    # WL#7592: Gtid events and Previous_gtids
    Mutant(
        "logs-on-ddl-no-gtid",
        "WL7592-LOG-ON-GTID-FIRST",
        "DDL has no Gtid event",
        answer=without_gtid(
            lambda scenario, log, unit: unit.events[0].type != EventType.ANONYMOUS_GTID and not begins(unit)
        ),
    ),
    Mutant(
        "logs-off-no-anonymous-gtid",
        "WL7592-LOG-OFF-ANON-FIRST",
        "transactions without a GTID have no Anonymous_gtid event",
        answer=without_gtid(
            lambda scenario, log, unit: unit.events[0].type == EventType.ANONYMOUS_GTID and begins(unit)
        ),
    ),
    Mutant(
        "logs-off-ddl-no-anonymous-gtid",
        "WL7592-LOG-OFF-ANON-DDL",
        "DDL without a GTID has no Anonymous_gtid event",
        answer=without_gtid(
            lambda scenario, log, unit: unit.events[0].type == EventType.ANONYMOUS_GTID and not begins(unit)
        ),
    ),
    Mutant(
        "logs-gtid-of-rollback",
        "WL7592-LOG-WITH-FLUSH",
        "a transaction that is rolled back leaves its Anonymous_gtid event",
        answer=lone_gtids,
    ),
    Mutant(
        "logs-anonymous-unflagged",
        "WL7592-LOG-ANON-IGNORABLE",
        "Anonymous_gtid events are not ignorable",
        answer=changed(of_type(EventType.ANONYMOUS_GTID), set_flags(0, clear=int(Flag.IGNORABLE))),
    ),
    Mutant(
        "logs-off-no-begin",
        "WL7592-LOG-SAME-SKELETON",
        "without GTIDs transactions begin without BEGIN",
        answer=without(lambda log, unit, event: not numbered(log) and is_begin(log, unit, event)),
    ),
    Mutant(
        "logs-on-anonymous-too",
        "WL7592-LOG-ON-UNCHANGED",
        "with gtid_mode=ON an empty anonymous transaction is logged before each DDL",
        answer=units(extra_anonymous),
    ),
    Mutant(
        "logs-on-no-previous-gtids",
        "WL7592-LOG-ON-PREVIOUS-GTIDS",
        "logs that begin with GTIDs have no Previous_gtids event",
        answer=previous_gtids(lambda logs, number: numbered(logs[number]), lambda logs, number: None),
    ),
    Mutant(
        "logs-off-no-previous-gtids",
        "WL7592-LOG-OFF-PREVIOUS-GTIDS",
        "logs that begin without GTIDs have no Previous_gtids event",
        answer=previous_gtids(lambda logs, number: not numbered(logs[number]), lambda logs, number: None),
    ),
    Mutant(
        "logs-forgets-gtids",
        "WL7592-LOG-PREVIOUS-GTIDS-KEPT",
        "every Previous_gtids event is empty",
        answer=previous_gtids(lambda logs, number: number > 0, lambda logs, number: GtidSet()),
    ),
    Mutant(
        "logs-reads-older-logs",
        "WL7592-LOG-SIMPLE-RECOVERY-OLD",
        "a restart continues to older logs after one without a Previous_gtids event",
        answer=other_settings(binlog_gtid_simple_recovery=False),
    ),
    Mutant(
        "logs-reads-past-previous-gtids",
        "WL7592-LOG-SIMPLE-RECOVERY-NEW",
        "a restart continues to older logs after one with a Previous_gtids event and no Gtid event",
        answer=previous_gtids(reads_past, all_gtids),
    ),
    # WL#7592: unusual statements
    Mutant(
        "logs-off-restricted",
        "WL7592-LOG-OFF-NO-RESTRICTIONS",
        "temporary tables inside a transaction are refused with gtid_mode=OFF",
        answer=other_settings(enforce_gtid_consistency=True),
    ),
    Mutant(
        "logs-off-no-create-select",
        "WL7592-LOG-OFF-CREATE-SELECT-ALLOWED",
        "CREATE TABLE ... SELECT is not logged with gtid_mode=OFF",
        answer=unlogged(CreateTableSelect),
    ),
    Mutant(
        "logs-on-create-select",
        "WL7592-LOG-ON-CREATE-SELECT-REFUSED",
        "CREATE TABLE ... SELECT is logged although GTID consistency refuses it",
        answer=logs_refused((CreateTableSelect,)),
    ),
    Mutant(
        "logs-create-select-in-group",
        "WL7592-LOG-CREATE-SELECT-STATEMENT",
        "in statement format CREATE TABLE ... SELECT is logged between BEGIN and COMMIT",
        answer=wrapped((CreateTableSelect,)),
    ),
    Mutant(
        "logs-create-select-kept-in-row",
        "WL7592-LOG-CREATE-SELECT-ROW",
        "the CREATE TABLE before the rows keeps its SELECT",
        answer=created_as_given("row"),
    ),
    Mutant(
        "logs-create-inside",
        "WL7592-LOG-CREATE-NOT-INSIDE",
        "CREATE TABLE ... SELECT is logged as one transaction",
        answer=other_rules(create_select="one"),
    ),
    Mutant(
        "logs-drop-together",
        "WL7592-LOG-DROP-GROUPS",
        "a DROP TABLE is logged as one statement",
        answer=other_rules(drop_groups=(_ALL_CLASSES,), drop_plain_alone=False),
    ),
    Mutant(
        "logs-drop-base-first",
        "WL7592-LOG-DROP-TEMPORARY-FIRST",
        "temporary tables are dropped after the others",
        answer=other_rules(drop_groups=(_ALL_CLASSES[2:], _ALL_CLASSES[:1], _ALL_CLASSES[1:2])),
    ),
    Mutant(
        "logs-on-drops-one-gtid",
        "WL7592-LOG-DROP-ON-GTID-EACH",
        "the statements of one DROP TABLE share a GTID",
        answer=joined((DropTable,), mode="ON"),
    ),
    Mutant(
        "logs-off-drops-one-gtid",
        "WL7592-LOG-DROP-OFF-ANON-EACH",
        "the statements of one DROP TABLE share an Anonymous_gtid event",
        answer=joined((DropTable,), mode="OFF"),
    ),
    Mutant(
        "logs-temporary-drop-left-out",
        "WL7592-LOG-DROP-TEMPORARY-INSIDE",
        "DROP TEMPORARY TABLE inside a transaction is not logged in it",
        answer=without(
            lambda log, unit, event: begins(unit) and event.fields.get("query", b"").startswith(b"DROP TEMP")
        ),
    ),
    Mutant(
        "logs-partial-drop-incomplete",
        "WL7592-LOG-DROPDB-PARTIAL",
        "the first table that a failed DROP DATABASE dropped is left out",
        answer=drops_of(lambda names: names[1:] or [b"`other`"]),
    ),
    Mutant(
        "logs-partial-drop-twice",
        "WL7592-LOG-DROPDB-SPLIT",
        "each statement of a failed DROP DATABASE repeats a table of the previous one",
        answer=drops_of(lambda names: [*names, b"`%b`" % (b"table_" + b"x" * 50 + b"_0")]),
    ),
    Mutant(
        "logs-off-partial-drop-one-gtid",
        "WL7592-LOG-DROPDB-OFF-ANON-EACH",
        "the statements of a failed DROP DATABASE share an Anonymous_gtid event",
        answer=joined((DropDatabase,), mode="OFF"),
    ),
    Mutant(
        "logs-on-partial-drop-one-gtid",
        "WL7592-LOG-DROPDB-ON-GTID-EACH",
        "the statements of a failed DROP DATABASE share a GTID",
        answer=joined((DropDatabase,), mode="ON"),
    ),
    Mutant(
        "logs-partial-drop-own-gtid",
        "WL7592-LOG-DROPDB-NAMED-ONE",
        "a failed DROP DATABASE is logged with the server's own GTID although one was given",
        answer=changed(
            lambda log, unit, event: (
                event.type == EventType.GTID and unit.events[-1].fields.get("query", b"").startswith(b"DROP TABLE")
            ),
            set_fields(gno=99),
        ),
    ),
    Mutant(
        "logs-no-failed-maintenance",
        "WL7592-LOG-MAINTENANCE-FAILED",
        "OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE are not logged",
        answer=unlogged(Maintain),
    ),
    Mutant(
        "logs-temporary-in-group",
        "WL7592-LOG-TEMPORARY-OUTSIDE",
        "CREATE TEMPORARY TABLE outside a transaction is logged between BEGIN and COMMIT",
        answer=wrapped((CreateTable, DropTable)),
    ),
    Mutant(
        "logs-temporary-rolled-back",
        "WL7592-LOG-TEMPORARY-INSIDE",
        "a rollback removes temporary tables from the log",
        answer=unlogged(Rollback),
    ),
    Mutant(
        "logs-on-temporary-inside",
        "WL7592-LOG-ON-TEMPORARY-INSIDE-REFUSED",
        "CREATE TEMPORARY TABLE inside a transaction is logged with gtid_mode=ON",
        answer=logs_refused((CreateTable,)),
    ),
    Mutant(
        "logs-no-disconnect-drops",
        "WL7592-LOG-DISCONNECT-DROPS",
        "when a session ends, the DROP of its temporary tables is not logged",
        answer=unlogged(Disconnect),
    ),
)
