"""The mutants of the role `log` in logs as a whole, and in Gtid and Previous_gtids events."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.models.server.events import COMMIT, ROLLBACK
from conformance.models.server.logged_event import PlannedLog
from conformance.mutants.log.event_faults import (
    context_after_statement,
    is_begin,
    without_timestamps,
)
from conformance.mutants.log.faults import (
    begins,
    changed,
    doubled,
    each_event,
    is_query,
    of_type,
    other_bytes,
    other_settings,
    set_fields,
    set_flags,
    units,
    without,
)
from conformance.mutants.log.framing_faults import (
    checksums,
    committed_earlier,
    creations,
    ends_as_the_next_log,
    misdeclared,
    no_position_of_end,
    own_start,
    positions,
    without_gtid_event,
)
from conformance.mutants.log.gtid_faults import (
    after_greatest,
    every_other,
    in_blocks,
    own_gtids,
    purged_lost_at_restart,
    tags_take_numbers,
)
from conformance.mutants.log.mariadb_gtid_faults import gtid_second, is_alone
from conformance.mutants.log.transaction_faults import (
    all_gtids,
    extra_anonymous,
    gtid_fields,
    lone_gtids,
    numbered,
    previous_gtids,
    reads_past,
    unpacked_lengths,
    with_bad_checksum,
    without_gtid,
)
from conformance.mutants.mutant import Mutant


def _begins_with_gtids(logs: Sequence[PlannedLog], number: int) -> bool:
    return any(unit.events[0].type == EventType.PREVIOUS_GTIDS for unit in logs[number].units)


def _of_three_sources(logs: Sequence[PlannedLog], number: int) -> GtidSet:
    """Return the first three sources of the set with which a log begins."""
    first = (unit.events[0] for unit in logs[number].units)
    right: GtidSet = next(event.fields["previous_gtids"] for event in first if event.type == EventType.PREVIOUS_GTIDS)
    return replace(right, sources=right.sources[:3])


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
        "logs-extra-length-of-one",
        "FORMAT-LOG-BODY",
        "rows events have extra data whose length does not count itself",
        answer=changed(of_type(*ROWS_TYPES), set_fields(extra_data_length=1)),
    ),
    Mutant(
        "logs-previous-with-room-for-tags",
        "FORMAT-LOG-BODY",
        "Previous_gtids events have the form of 8.3 and later",
        answer=changed(
            of_type(EventType.PREVIOUS_GTIDS),
            lambda event: set_fields(previous_gtids=replace(event.fields["previous_gtids"], tagged=True))(event),
        ),
    ),
    Mutant(
        "logs-xid-in-use",
        "FORMAT-LOG-FLAGS",
        "Xid events have the flag of a log in use",
        answer=changed(of_type(EventType.XID), set_flags(int(Flag.BINLOG_IN_USE))),
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
        "logs-end-checksummed-as-next",
        "FORMAT-LOG-CHECKSUMS",
        "where binlog_checksum changes, the Rotate that ends a log is written in the new way",
        answer=ends_as_the_next_log,
        also=("FORMAT-LOG-ROTATE-NEXT",),
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
        also=("FORMAT-LOG-CHECKSUMS",),
    ),
    Mutant(
        "logs-bad-description-checksum",
        "FORMAT-LOG-DESCRIPTION-CHECKSUM",
        "without checksums, the format description's own is wrong",
        answer=other_bytes(with_bad_checksum),
    ),
    Mutant(
        "logs-unused-type-misdeclared",
        "FORMAT-LOG-DESCRIPTION-LENGTHS",
        "the format description declares a post-header of 3 bytes for Execute_load_query",
        answer=misdeclared(EventType.EXECUTE_LOAD_QUERY, 3),
    ),
    Mutant(
        "logs-start-in-each-log",
        "FORMAT-LOG-CREATED",
        "the format description of every log has the time of a start",
        answer=creations(lambda created: created or 1),
    ),
    Mutant(
        "logs-no-start",
        "FORMAT-LOG-CREATED",
        "no format description has the time of a start",
        answer=creations(lambda created: 0),
    ),
    Mutant(
        "logs-other-table-id",
        "FORMAT-LOG-TABLE-MAP",
        "rows events have a table id that no Table_map has",
        answer=changed(of_type(*ROWS_TYPES), set_fields(table_id=1)),
    ),
    Mutant(
        "logs-one-table-id",
        "FORMAT-LOG-TABLE-MAP",
        "all tables have one table id, those of one statement too",
        answer=changed(of_type(*ROWS_TYPES, EventType.TABLE_MAP), set_fields(table_id=7)),
    ),
    Mutant(
        "logs-end-in-each-rows-event",
        "FORMAT-LOG-TABLE-MAP",
        "each of the rows events of a statement ends it",
        answer=changed(of_type(*ROWS_TYPES), set_fields(rows_flags=1)),
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
        answer=gtid_fields("transaction_length", lambda length: length - 1),
    ),
    Mutant(
        "logs-length-unpacked",
        "FORMAT-LOG-TRANSACTION-LENGTH",
        "the transaction length begins with 0xfb, as no packed integer does",
        answer=unpacked_lengths(),
        also=("FORMAT-LOG-GTID-SERVER-VERSION",),
    ),
    Mutant(
        "logs-version-of-another-server",
        "FORMAT-LOG-GTID-SERVER-VERSION",
        "the immediate_server_version is 999999, that of an unknown server",
        answer=gtid_fields("immediate_server_version", lambda version: 999_999),
    ),
    Mutant(
        "logs-gtid-repeated",
        "FORMAT-LOG-GTID-ONCE",
        "every transaction has the number 1",
        answer=changed(of_type(EventType.GTID), set_fields(gno=1)),
    ),
    Mutant(
        "logs-number-after-greatest",
        "FORMAT-LOG-GTID-NUMBER",
        "the next GTID follows the greatest number; numbers that given GTIDs left out are never used",
        answer=after_greatest,
    ),
    Mutant(
        "logs-every-other-number",
        "FORMAT-LOG-GTID-NUMBER",
        "automatic GTIDs have every other number",
        answer=every_other,
    ),
    Mutant(
        "logs-numbers-in-blocks",
        "FORMAT-LOG-GTID-NUMBER",
        "numbers are taken in blocks of ten, and a crash loses what is left of one",
        answer=in_blocks,
    ),
    Mutant(
        "logs-tags-take-numbers",
        "FORMAT-LOG-GTID-NUMBER",
        "an automatic GTID has no number that its source has used with a tag",
        answer=tags_take_numbers,
    ),
    Mutant(
        "logs-mariadb-gtid-repeated",
        "FORMAT-LOG-GTID-ONCE",
        "every transaction of a MariaDB server has the number 1",
        answer=changed(of_type(EventType.MARIADB_GTID), set_fields(gno=1)),
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
        "logs-context-after-statement",
        "FORMAT-LOG-CONTEXT",
        "Intvar, Rand and User_var events come after their statement, whatever the profile",
        answer=each_event(context_after_statement),
    ),
    Mutant(
        "logs-mariadb-gtid-missing",
        "FORMAT-LOG-MARIADB-GTID-FIRST",
        "a MariaDB server writes no Gtid event before a statement on its own",
        answer=without(is_alone),
    ),
    Mutant(
        "logs-mariadb-gtid-late",
        "FORMAT-LOG-MARIADB-GTID-FIRST",
        "a MariaDB server writes the Gtid event after the first event of its group",
        answer=units(gtid_second),
    ),
    Mutant(
        "logs-mariadb-gtid-list-missing",
        "FORMAT-LOG-MARIADB-GTID-LIST",
        "a log of MariaDB has no Gtid_list event",
        answer=without(of_type(EventType.MARIADB_GTID_LIST)),
    ),
    Mutant(
        "logs-mariadb-gtid-list-twice",
        "FORMAT-LOG-MARIADB-GTID-LIST",
        "a log of MariaDB begins with two Gtid_list events",
        answer=doubled(of_type(EventType.MARIADB_GTID_LIST)),
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
        "logs-dependence-below-zero",
        "WL7592-LOG-LOGICAL-TIMESTAMPS",
        "last_committed is counted from -1 in each log",
        answer=committed_earlier,
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
        also=("FORMAT-LOG-END-NEEDS-BEGIN",),
    ),
    Mutant(
        "logs-on-anonymous-too",
        "WL7592-LOG-ON-UNCHANGED",
        "with gtid_mode=ON an empty anonymous transaction is logged before each DDL",
        answer=units(extra_anonymous),
        also=("WL7592-LOG-ON-GTID-FIRST",),
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
        "logs-first-three-sources",
        "WL7592-LOG-PREVIOUS-GTIDS-KEPT",
        "a Previous_gtids event has three sources at most",
        answer=previous_gtids(_begins_with_gtids, _of_three_sources),
    ),
    Mutant(
        "logs-forgets-gtids-when-off",
        "WL7592-LOG-PREVIOUS-GTIDS-KEPT",
        "a Previous_gtids event that is written with gtid_mode=OFF is empty",
        answer=previous_gtids(lambda logs, number: logs[number].gtid_mode == "OFF", lambda logs, number: GtidSet()),
    ),
    Mutant(
        "logs-forgets-purged-gtids",
        "WL7592-LOG-PREVIOUS-GTIDS-KEPT",
        "a Previous_gtids event lacks the GTIDs of purged logs",
        answer=previous_gtids(lambda logs, number: number > 0, own_gtids),
    ),
    Mutant(
        "logs-purged-forgotten",
        "WL7592-LOG-PURGED-KEPT",
        "GTID_PURGED is empty after a restart",
        answer=purged_lost_at_restart,
    ),
    Mutant(
        "logs-full-recovery-stops",
        "WL7592-LOG-FULL-RECOVERY",
        "with simplified recovery off a restart reads the last log only",
        answer=other_settings(binlog_gtid_simple_recovery=True),
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
        also=("WL7592-LOG-PREVIOUS-GTIDS-KEPT",),
    ),
)
