"""Groups that a real replica can apply: statements on one table that exists beforehand."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.strategies.events import gtid_events, mariadb_events, mysql_events, server_events
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.data_changes import changes, query

#: The statements run on a replica before it applies a stream of these groups.
PREPARATION: Final = ("CREATE DATABASE `test`", "CREATE TABLE `test`.`t1` (`a` INT, `b` INT)")
#: The tables whose rows are asked for.
TABLES: Final = ("test.t1",)
#: The log of the source from which the groups are.
SOURCE_LOG: Final = "binlog.000001"
NEXT_LOG: Final = "binlog.000002"
#: Stands for a gtid_mode where groups have no Gtid event of MariaDB either.
WITHOUT_GTIDS: Final = "without GTIDs"
SOURCE_ID: Final = 1
REPLICA_ID: Final = 100

#: The name of a prepared transaction, as servers write it.
XA_NAME: Final = "X'78',X'',1"

#: Statements that are transactions of their own, with a number for the table.
_DEFINITIONS: Final = (
    *("CREATE TABLE IF NOT EXISTS `t{}` (`a` INT)",) * 2,
    "CREATE TEMPORARY TABLE IF NOT EXISTS `s{}` (`a` INT)",
    "DROP TEMPORARY TABLE IF EXISTS `s{}`",
)
_ARTIFICIAL: Final = int(Flag.ARTIFICIAL)
_STATEMENTS: Final = b"\x01"


def begin_relay_log(
    stream: StreamBuilder,
    *,
    flags: int = 0,
    lengths: bytes | None = None,
    log_name: str = SOURCE_LOG,
    received: GtidSet = groups.NO_GTIDS,
    other_checksums: bool = False,
) -> None:
    """Add what a relay log begins with: format description, Previous_gtids, and what a source begins a connection with.

    That is the artificial Rotate that names its log, and its format description: a receiver reads nothing else after
    such a Rotate.

    Args:
        stream: The stream to add to.
        flags: Flags of the relay log's own format description.
        lengths: The post-header lengths of the format description; the server's when None.
        log_name: The name of the source's log.
        received: The GTIDs in the Previous_gtids event: those received before, which may not be executed yet.
        other_checksums: Whether only one of the replica and the source has checksums; the events before the source's
            format description are the replica's.
    """
    stream.checksummed ^= other_checksums
    groups.begin_plain_log(stream, flags=flags, lengths=lengths, named=received)
    stream.settings["tables"] = list(TABLES)
    stream.add(rotate(stream, log_name, 4, flags=_ARTIFICIAL))
    stream.checksummed ^= other_checksums
    stream.describe_format()


def begin_next_log(stream: StreamBuilder, *, lengths: bytes | None = None, checksums: bool | None = None) -> None:
    """Add the Rotate event that ends the source's first log, and the events with which its second one begins.

    Args:
        stream: The stream to add to.
        lengths: The post-header lengths of the format description; the server's when None.
        checksums: Whether the second log has checksums; as the first when None.
    """
    stream.add(rotate(stream, NEXT_LOG, 4))
    stream.checksummed = stream.checksummed if checksums is None else checksums
    stream.describe_format(post_header_lengths=lengths)
    if stream.server.gtid_form not in ("absent", "5.6"):
        stream.add(gtid_events.previous_gtids(stream, stream.executed.gtids(), flags=int(Flag.IGNORABLE)))


def rotate(stream: StreamBuilder, log_name: str, position: int, *, flags: int = 0) -> PlannedEvent:
    """Return a Rotate event that names a log and a position in it, in bytes."""
    fields = {"next_position": position, "next_file": log_name}
    wire = {**fields, "next_file": log_name.encode()}
    return mysql_events.plan(stream, EventType.ROTATE, wire, fields, flags=flags)


def flush(stream: StreamBuilder, *, server_id: int = REPLICA_ID, flags: int = 0) -> None:
    """End the relay log by a Rotate of the replica's own, and go on after the source's format description.

    Args:
        stream: The stream.
        server_id: The id that the replica had.
        flags: The flags of the Rotate: that of relay logs makes it the replica's own under any id.
    """
    stream.server_id = server_id
    stream.add(rotate(stream, "relay.000002", 4, flags=flags))
    stream.server_id = SOURCE_ID
    stream.add(stream.described(flags=_ARTIFICIAL))
    stream.set_log_pos(0)


def create(stream: StreamBuilder, *, temporary: bool = False) -> list[PlannedEvent]:
    """Return a DDL statement that succeeds any number of times, if asked for sometimes one of a temporary table."""
    # A table 9 is made by CREATE TABLE ... SELECT, and would exist.
    number = stream.choose.integer(2, 8)
    text = stream.choose.one_of(_DEFINITIONS) if temporary else _DEFINITIONS[0]
    return [query(stream, text.format(number))]


def transaction(stream: StreamBuilder, *, rows: bool = True) -> list[PlannedEvent]:
    """Return BEGIN, data changes, and the Xid or COMMIT that ends them."""
    planned = [query(stream, "BEGIN")]
    for _ in stream.choose.several(1, 2):
        planned += changes(stream, rows=rows)
    planned.append(query(stream, "COMMIT") if stream.choose.yes(3) else mysql_events.xid(stream))
    return planned


def prepared(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the group of an XA transaction that is prepared: another group has to end it."""
    return [
        query(stream, f"XA START {XA_NAME}"),
        query(stream, f"INSERT INTO `t1` VALUES ({stream.choose.integer(0, 99)}, 0)"),
        query(stream, f"XA END {XA_NAME}"),
        server_events.xa_prepare(stream, b"x", b"", format_id=1, one_phase=0),
    ]


def end_of_prepared(stream: StreamBuilder) -> str:
    """Return the statement that ends a prepared XA transaction, one way or the other."""
    return f"XA {stream.choose.one_of(('COMMIT', 'ROLLBACK'))} {XA_NAME}"


def group(stream: StreamBuilder, *, rows: bool = True, temporary: bool = False) -> list[PlannedEvent]:
    """Return a transaction or a DDL statement, if asked for sometimes one of a temporary table."""
    return transaction(stream, rows=rows) if stream.choose.integer(0, 3) else create(stream, temporary=temporary)


def with_gtid(
    stream: StreamBuilder,
    planned: Sequence[PlannedEvent],
    *,
    anonymous: bool,
    flags: int | None = None,
    tagged: bool = False,
) -> list[PlannedEvent]:
    """Return a group with its Gtid or Anonymous_gtid event, whose flags are the server's unless given.

    A tagged Gtid event is of servers since 8.3.
    """
    if tagged:
        length = sum(stream.length_of(event) for event in planned)
        return [gtid_events.gtid_tagged(stream, group_length=length, gtid_flags=_STATEMENTS[0]), *planned]
    gtid = groups.group_gtid(stream, planned, anonymous=anonymous, flags=flags)
    # Its gtid_flags allow statements among the rows; a replica relies on that.
    gtid = gtid._replace(body=_STATEMENTS + gtid.body[1:], fields={**gtid.fields, "gtid_flags": _STATEMENTS[0]})
    return [gtid, *planned]


def in_mode(
    stream: StreamBuilder, planned: Sequence[PlannedEvent], mode: str, *, tagged: bool = False
) -> list[PlannedEvent]:
    """Return a group with the Gtid or Anonymous_gtid event that a source in this mode puts before it, if any.

    In a permissive mode a group may have either; a GTID has a tag if it is to. MariaDB has no modes, and a Gtid
    event before each group but for `WITHOUT_GTIDS`.
    """
    if stream.server.is_mariadb:
        return list(planned) if mode == WITHOUT_GTIDS else mariadb_events.with_gtid(stream, planned, plain=True)
    form = stream.server.gtid_form
    if form == "absent" or (form == "5.6" and mode == "OFF"):
        return list(planned)
    anonymous = stream.choose.yes() if "PERMISSIVE" in mode else mode == "OFF"
    return with_gtid(stream, planned, anonymous=anonymous, tagged=tagged and not anonymous)


def add(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> None:
    """Add events, one second after those before."""
    stream.timestamp += 1
    for event in planned:
        stream.add(event)
