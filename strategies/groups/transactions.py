"""Transactions: the groups of events that streams are made of."""

from collections.abc import Callable, Sequence
from typing import Final

from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GNO_END, GtidSet
from conformance.binlog.servers import WITHOUT_POSITIONS_INSIDE
from conformance.specs.versions import ByVersion
from conformance.strategies.events import gtid_events, mariadb_events, mysql_events, row_events, statement_events
from conformance.strategies.events.row_events import RowTable
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.magnitude import whole_number
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: Numbers of columns around the borders of a packed integer, and the most that a table can have.
_MANY_COLUMNS: Final = (250, 251, 255, 256, 4096)
_DATABASES: Final = (*mysql_events.NAMES, *mysql_events.DATABASES)
#: The highest sequence number from which a log can continue: no stream has enough groups to reach the end.
_HIGHEST_START: Final = GNO_END - 64


#: Statements that commit by themselves, and have no BEGIN before them, with other first words than those of the groups.
ALONE: Final = (
    "TRUNCATE TABLE `t1`",
    "RENAME TABLE `t1` TO `t2`",
    "GRANT SELECT ON *.* TO 'u'@'%'",
    "ANALYZE TABLE `t1`",
    "/* at the start */ create table `t3` (a int)",
)
#: In STATEMENT format, what the statement needs is logged before it; 5.7 and older refuse it with GTIDs.
_OF_VARIABLE: Final = "CREATE TABLE `t2` SELECT @v AS `a`"
#: The sequence number before that of a log's first group.
SEQUENCE: Final = Dimension(
    "sequence numbers",
    {
        "from 1": 0,
        "from 2^7": 2**7 - 1,
        "from 2^14": 2**14 - 1,
        "from 2^31": 2**31 - 1,
        "from 2^32": 2**32 - 1,
        "from 2^53": 2**53 - 1,
        "to the end": _HIGHEST_START,
    },
)


def begin_log(
    stream: StreamBuilder,
    *,
    previous: bool | None = None,
    flags: int = 0,
    lengths: bytes | None = None,
    version: str | None = None,
) -> None:
    """Add the events with which a log of this server begins.

    They are a format description and, since 5.7, Previous_gtids; in MariaDB Gtid_list and Binlog_checkpoint.

    Args:
        stream: The stream to add to.
        previous: Whether a Previous_gtids event follows; when None, the server decides: 5.6 has it if gtid_mode is ON,
            which is chosen.
        flags: The flags of the format description.
        lengths: Its post-header lengths; the server's when None.
        version: Its server version; the server's when None.
    """
    created = stream.choose.one_of((0, stream.timestamp))
    stream.describe_format(flags=flags, created=created, post_header_lengths=lengths, version=version)
    if stream.server.is_mariadb:
        add_gtid_list(stream)
        return
    if previous is None:
        form = stream.server.gtid_form
        previous = stream.choose.yes() if form == "5.6" else form != "absent"
    if previous:
        flags = 0 if stream.server.gtid_form == "5.6" else int(Flag.IGNORABLE)
        stream.add(gtid_events.previous_gtids(stream, gtid_events.gtid_set(stream), flags=flags))


def add_gtid_list(stream: StreamBuilder) -> None:
    """Add the events that follow the format description in MariaDB's logs: Gtid_list and Binlog_checkpoint."""
    stream.add(mariadb_events.gtid_list(stream))
    stream.add(mariadb_events.binlog_checkpoint(stream))


#: An empty set.
NO_GTIDS: Final = GtidSet(())


def begin_plain_log(
    stream: StreamBuilder,
    *,
    flags: int = 0,
    lengths: bytes | None = None,
    version: str | None = None,
    named: GtidSet = NO_GTIDS,
) -> None:
    """Add the least with which a log of this server begins, so that a reader reaches the subject of the stream.

    Args:
        stream: The stream to add to.
        flags: Flags of the format description.
        lengths: The post-header lengths of the format description; the server's when None.
        version: The server version in it; the server's when None.
        named: The GTIDs in the Previous_gtids event, for servers that always write one.
    """
    begin_log(stream, previous=False, flags=flags, lengths=lengths, version=version)
    if stream.server.gtid_form not in ("absent", "5.6"):
        stream.add(gtid_events.previous_gtids(stream, named, flags=int(Flag.IGNORABLE)))


def begin_next_log(
    stream: StreamBuilder,
    *,
    flags: int = 0,
    lengths: bytes | None = None,
    previous: GtidSet | None = None,
    created: int = 0,
    checksums: bool | None = None,
) -> None:
    """Add what a source sends between two logs: an artificial Rotate, then the events with which the next log begins.

    Args:
        stream: The stream to add to.
        flags: The flags of the format description.
        lengths: Its post-header lengths; the server's when None.
        previous: The set of its Previous_gtids event if the log before has one; what was executed when None.
        created: When the server was started before it, in seconds since 1970; 0 if it was not.
        checksums: Whether it has checksums; as the log before it when None.
    """
    has_previous = any(event.type == EventType.PREVIOUS_GTIDS for event, _, _ in stream.placed)
    stream.add(mysql_events.rotate(stream, flags=int(Flag.ARTIFICIAL)))
    stream.checksummed = stream.checksummed if checksums is None else checksums
    lengths = lengths or stream.server.post_header_lengths
    stream.describe_format(flags=flags, post_header_lengths=lengths, created=created)
    stream.mark_following("FORMAT-LATEST-GOVERNS")
    if stream.server.is_mariadb:
        add_gtid_list(stream)
    elif has_previous:
        ignorable = 0 if stream.server.gtid_form == "5.6" else int(Flag.IGNORABLE)
        gtids = stream.executed.gtids() if previous is None else previous
        stream.add(gtid_events.previous_gtids(stream, gtids, flags=ignorable))


def number_from_anywhere(stream: StreamBuilder) -> None:
    """Start the sequence numbers of a log anywhere: they have 64 bits, of which ordinary logs need few."""
    if stream.server.gtid_form not in ("absent", "5.6"):
        stream.sequence_number = stream.vary(SEQUENCE)


def end_log(stream: StreamBuilder) -> None:
    """Add the events with which a log ends."""
    for event in ending(stream):
        stream.add(event)


def ending(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the end of a log: a Rotate, a Stop, or nothing if the log is cut off between events."""
    kind = stream.choose.integer(0, 2)
    return [] if kind == 0 else [mysql_events.rotate(stream) if kind == 1 else mysql_events.stop(stream)]


def row_changes(
    stream: StreamBuilder,
    *,
    rows_events: int = 1,
    change: str = "write",
    numbers: Sequence[int | None] = (),
    flags: int = 0,
) -> list[PlannedEvent]:
    """Return the Table_map and the rows events of one statement; the others as in `write_rows`."""
    choose = stream.choose
    chosen = whole_number(choose, 48, low=1)
    columns = choose.one_of(_MANY_COLUMNS) if choose.yes(40) else choose.integer(1, 9)
    table, database = choose.one_of(mysql_events.NAMES), choose.one_of(mysql_events.DATABASES) or "test"
    table_id = stream.table_id(chosen, (database, table, columns))
    planned = [
        mysql_events.table_map(stream, table_id=table_id, table=table, columns=columns, database=database),
    ]
    for number in range(rows_events):
        # Some events are larger than any page of a writer's cache (8 to 64 KiB).
        many = columns < _MANY_COLUMNS[0] and choose.yes(40)
        # An update has each row twice.
        rows = choose.integer(200, 2000 if change == "update" else 4000) if many else choose.integer(1, 3)
        last = number == rows_events - 1
        event = mysql_events.write_rows(
            stream,
            table_id=table_id,
            columns=columns,
            rows=rows,
            last=last,
            change=change,
            numbers=numbers,
            flags=flags,
        )
        planned.append(event.marked("WL7592-LARGE-EVENTS-WHOLE") if len(event.body) > 8192 else event)
    return planned


def statement(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return the events of one data change: in statement format, or in row format."""
    choose = stream.choose
    if choose.yes():
        return row_changes(stream, rows_events=choose.integer(1, 2))
    planned = []
    if choose.yes(4):
        planned.append(choose.one_of((mysql_events.intvar, mysql_events.rand))(stream))
    # Some statements need more than two bytes for their length.
    low, high = (65_535, 70_000) if choose.yes(100) else (1, 300)
    planned.append(mysql_events.query(stream, mysql_events.text(stream, low, high), database=choose.one_of(_DATABASES)))
    return planned


def transaction(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return BEGIN, statements, and the Xid or COMMIT that ends them."""
    choose = stream.choose
    planned = [mysql_events.query(stream, "BEGIN")]
    for _ in choose.several(1, 2):
        planned += statement(stream)
    planned.append(mysql_events.query(stream, "COMMIT") if choose.yes(4) else mysql_events.xid(stream))
    return planned


def change_with_text(stream: StreamBuilder, *, statement_after: bool = False) -> list[PlannedEvent]:
    """Return a transaction of one statement in row format, with its text.

    With MIXED a statement may come after it, as itself: the text is not that statement's.
    """
    text = mysql_events.rows_query(stream, "INSERT INTO t1 VALUES (1)")
    after = [mysql_events.query(stream, "INSERT INTO t1 VALUES (2)")] if statement_after else []
    return [mysql_events.query(stream, "BEGIN"), text, *row_changes(stream), *after, mysql_events.xid(stream)]


def statement_of_variable(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a statement that is a transaction of its own, after the variable that it needs."""
    return [statement_events.user_var(stream), mysql_events.query(stream, _OF_VARIABLE)]


def ddl(stream: StreamBuilder, *, database: str = "test") -> list[PlannedEvent]:
    """Return a statement in a database that is a transaction of its own, without BEGIN."""
    name = stream.choose.one_of(mysql_events.NAMES)
    return [mysql_events.query(stream, f"CREATE TABLE `{name.replace('`', '``')}` (a INT)", database=database)]


#: What ends the CREATE of a CREATE TABLE ... SELECT in row format that is one group, by the servers that log it so.
_CREATE_IN_GROUP: Final = ByVersion[str | None](
    "the CREATE within a group with rows",
    {"worklog": None, "mysql": "", "mysql >= 5.7": None, "mysql >= 8.0.21": " START TRANSACTION", "mariadb": None},
)


#: The servers that log a CREATE TABLE ... SELECT in row format as one group.
WITH_CREATE_IN_GROUP: Final = _CREATE_IN_GROUP.where(lambda ending: ending is not None)


def create_select_group(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a CREATE TABLE ... SELECT in row format as the group that the stream's server logs it as."""
    ending = _CREATE_IN_GROUP[stream.server.profile]
    planned = [mysql_events.query(stream, "BEGIN"), mysql_events.query(stream, f"CREATE TABLE `t2` (`a` INT){ending}")]
    return [*planned, *row_changes(stream), mysql_events.xid(stream)]


def add_create_select(stream: StreamBuilder) -> None:
    """Add a CREATE TABLE ... SELECT in row format where the stream's server logs it as one group."""
    if stream.server.profile in WITH_CREATE_IN_GROUP:
        planned = create_select_group(stream)
        add_group(stream, [event.marked("WL7592-OLD-CREATE-SELECT-READ") for event in planned])


def group(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a transaction or a DDL statement."""
    # Zero is the simplest answer, and a single statement the simplest group.
    return transaction(stream) if stream.choose.integer(0, 3) else ddl(stream)


def add_group(
    stream: StreamBuilder,
    planned: Sequence[PlannedEvent],
    *,
    anonymous: bool | None = None,
    positions: bool | None = None,
) -> None:
    """Add a group, with the Gtid or Anonymous_gtid event that this server puts before it.

    Args:
        stream: The stream to add to.
        planned: The events of the group.
        anonymous: Whether the group has no GTID; see `with_gtid`.
        positions: Whether each event has its end as log_pos, or those between the first and the last 0; as the server
            logs it when None.
    """
    add_whole_group(stream, with_gtid(stream, planned, anonymous=anonymous), positions=positions)


def add_whole_group(stream: StreamBuilder, whole: Sequence[PlannedEvent], *, positions: bool | None = None) -> None:
    """Add a group that has its Gtid event, if its server writes one; for `positions` see `add_group`."""
    if positions is None:
        positions = stream.server.profile not in WITHOUT_POSITIONS_INSIDE
    last = max((index for index, event in enumerate(whole) if event.type in KNOWN_TYPES), default=0)
    for index, event in enumerate(whole):
        stream.add(event)
        if not positions and 0 < index < last and not stream.refused:
            stream.set_log_pos(0)
    stream.timestamp += 1


def add_rows(stream: StreamBuilder, rows: RowTable, change: Callable[[], PlannedEvent]) -> None:
    """Add a transaction without a GTID that changes rows of one table.

    Args:
        stream: The stream to add to.
        rows: The table.
        change: Returns the rows event; called after its Table_map is made.
    """
    planned = [mysql_events.query(stream, "BEGIN"), row_events.table_map(stream, rows), change()]
    add_group(stream, [*planned, mysql_events.xid(stream)], anonymous=True)


def with_gtid(
    stream: StreamBuilder, planned: Sequence[PlannedEvent], *, anonymous: bool | None = None
) -> list[PlannedEvent]:
    """Return a group with the Gtid or Anonymous_gtid event that this server puts before it, if any.

    Args:
        stream: The stream it is for.
        planned: The events of the group.
        anonymous: Whether the group has no GTID; chosen when None. In 5.6 the log's mode decides for all its groups.
    """
    if stream.server.is_mariadb:
        return mariadb_events.with_gtid(stream, planned)
    form = stream.server.gtid_form
    if form == "absent" or (form == "5.6" and not _has_previous_gtids(stream)):
        return list(planned)
    if form == "5.6":
        anonymous = False
    elif anonymous is None:
        anonymous = stream.choose.yes()
    return [group_gtid(stream, planned, anonymous=anonymous), *planned]


def _has_previous_gtids(stream: StreamBuilder) -> bool:
    return any(event.type == EventType.PREVIOUS_GTIDS for event, _, _ in stream.placed[1:2])


def with_tagged_gtid(stream: StreamBuilder, planned: Sequence[PlannedEvent]) -> list[PlannedEvent]:
    """Return a group with a Gtid event before it that has a tag, as servers write it since 8.3."""
    return [gtid_events.gtid_tagged(stream, group_length=sum(map(stream.length_of, planned))), *planned]


def group_gtid(
    stream: StreamBuilder,
    planned: Sequence[PlannedEvent],
    *,
    anonymous: bool,
    form: str | None = None,
    flags: int | None = None,
    tail: bytes = b"",
    longer: int = 0,
) -> PlannedEvent:
    """Return the Gtid or Anonymous_gtid event before a group, in the server's form and with its flags by default.

    Its transaction length is larger than that of the group by `longer` bytes.
    """
    if flags is None:
        # The worklog has the flag on every Anonymous_gtid event; servers omit it.
        flags = int(Flag.IGNORABLE) if anonymous and stream.server.profile == "worklog" else 0
    return gtid_events.gtid(
        stream,
        anonymous=anonymous,
        form=form or native_form(stream),
        group_length=sum(stream.length_of(event) for event in planned) + longer,
        flags=flags,
        tail=tail,
    )


def native_form(stream: StreamBuilder) -> str:
    """Return the form of an untagged Gtid body that the stream's server writes."""
    form = stream.server.gtid_form
    return form if form in gtid_events.GTID_FORMS else gtid_events.GTID_FORMS[-1]


def add_groups(stream: StreamBuilder, low: int, high: int) -> None:
    """Add from `low` to `high` groups."""
    for _ in stream.choose.several(low, high):
        add_group(stream, group(stream))
