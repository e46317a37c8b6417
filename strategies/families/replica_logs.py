"""Relay logs for an applier: what it skips, where it stops, what older and newer sources send (WL#7592, WL#4033)."""

from typing import Final

from conformance.binlog.flags import Flag
from conformance.binlog.servers import WITH_ANONYMOUS_GTIDS, server_of
from conformance.specs.versions import Profiles
from conformance.strategies.families.cross_version import OLDER
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import data_changes, replica_groups

_IGNORABLE: Final = int(Flag.IGNORABLE)
#: The profiles whose DROP DATABASE and CREATE TABLE ... SELECT are the worklog's.
_NOT_ATOMIC: Final = Profiles("worklog", "mysql >= 5.7, < 8.0")
#: A position after every event of these streams.
_FAR: Final = 1_000_000
#: The sources that are newer than 5.6.
_NEWER: Final = ("mysql-5.7", "mysql-8.0")


@family(focus="WL7592-APPLY-SKIP-NOT-MID-GROUP", profiles=WITH_ANONYMOUS_GTIDS)
def skip_and_until(stream: StreamBuilder) -> None:
    """Anonymous groups for an applier with a skip counter, or with a position to stop at."""
    choose = stream.choose
    replica_groups.begin_relay_log(stream)
    groups = [
        replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=True) for _ in choose.several(2, 4)
    ]
    stream.settings["gtid_mode"] = "OFF"
    if choose.yes():
        _stop_at(stream, groups)
        return
    stream.settings["skip_counter"] = choose.integer(1, sum(map(len, groups[:-1])))
    for planned in groups:
        replica_groups.add(stream, planned)


@family(focus="WL7592-APPLY-ON-SKIP-REFUSED", profiles=Profiles("worklog", "mysql >= 5.6, < 8.0"), fault=True)
def skip_counter_refused(stream: StreamBuilder) -> None:
    """Groups with GTIDs for an applier whose skip counter is set although its gtid_mode is ON."""
    choose = stream.choose
    replica_groups.begin_relay_log(stream)
    stream.settings.update(gtid_mode="ON", skip_counter=choose.one_of((1, 2, 1000)))
    for _ in choose.several(1, 3):
        replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=False))


def _stop_at(stream: StreamBuilder, groups: list[list[PlannedEvent]]) -> None:
    """Add groups, between two of them a Rotate with a position in another log, and a position to stop at after it."""
    choose = stream.choose
    border = choose.integer(1, len(groups) - 1)
    stop = choose.integer(border, len(groups) - 1)
    for index, planned in enumerate(groups):
        if index == border:
            # The replica makes a Rotate with id 0 in place of what it did not write; its position must not count. The
            # same event of another server does.
            stream.server_id = choose.one_of((0, replica_groups.SOURCE_ID + 1))
            stream.add(replica_groups.rotate(stream, replica_groups.SOURCE_LOG, stream.offset))
            stream.set_log_pos(_FAR)
            stream.server_id = replica_groups.SOURCE_ID
        replica_groups.add(stream, planned)
        if index == stop:
            # This may be inside the last event of a group: the applier stops after the group.
            log_pos = choose.integer(stream.offsets[-1] + 1, stream.offset)
            stream.settings["until"] = {"log_name": replica_groups.SOURCE_LOG, "log_pos": log_pos}
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.create(stream), anonymous=True))


@family(focus="WL7592-APPLY-ON-GTID-MISSING", profiles=WITH_ANONYMOUS_GTIDS, fault=True)
def anonymous_with_gtid_mode_on(stream: StreamBuilder) -> None:
    """An anonymous group among groups with GTIDs, for the applier of a replica whose gtid_mode is ON."""
    choose = stream.choose
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = "ON"
    for _ in choose.several(0, 2):
        replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=False))
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=True))
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=False))


@family(focus="WL7592-APPLY-CREATE-SELECT-COMMITS", profiles=_NOT_ATOMIC)
def split_create_selects(stream: StreamBuilder) -> None:
    """CREATE TABLE ... SELECT in row format: the CREATE and the rows in two anonymous groups, or only the first."""
    choose = stream.choose
    replica_groups.begin_relay_log(stream)
    stream.settings["gtid_mode"] = "OFF"
    for _ in choose.several(0, 1):
        replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=True))
    created = [data_changes.query(stream, "CREATE TABLE `t9` (`a` INT, `b` INT)")]
    first = replica_groups.with_gtid(stream, created, anonymous=True)
    first[-1] = first[-1].marked("WL7592-APPLY-CREATE-SELECT-COMMITS")
    replica_groups.add(stream, first)
    stream.settings["tables"] = [*replica_groups.TABLES, "test.t9"]
    if choose.yes():
        rows = [data_changes.query(stream, "BEGIN"), *data_changes.row_changes(stream, table="t9")]
        rows.append(data_changes.query(stream, "COMMIT"))
        replica_groups.add(stream, replica_groups.with_gtid(stream, rows, anonymous=True))


#: Lengths of table names: few of the longest fit into one statement.
_NAME_LENGTHS: Final = (64, 60, 33)


@family(focus="WL7592-APPLY-DROPDB-OFF-ANON-EACH", profiles=_NOT_ATOMIC, fault=True)
def failed_drop_databases(stream: StreamBuilder) -> None:
    """DROP DATABASE on a replica where a file remains in the directory, with a given GTID or without one."""
    choose = stream.choose
    replica_groups.begin_relay_log(stream)
    anonymous = not choose.yes()
    stream.settings["gtid_mode"] = "OFF" if anonymous else "ON"
    for _ in choose.several(0, 2):
        replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=anonymous))
    length = choose.one_of(_NAME_LENGTHS)
    # So many that one statement cannot list them all.
    count = choose.integer(1024 // length + 2, 3 * 1024 // length)
    database = choose.one_of(("d1", "x" * 64))
    tables = [f"{number:03d}".rjust(length, "t") for number in range(count)]
    stream.settings["leftovers"] = {database: tables}
    dropped = [data_changes.query(stream, f"DROP DATABASE `{database}`", database=database)]
    replica_groups.add(stream, replica_groups.with_gtid(stream, dropped, anonymous=anonymous))
    replica_groups.add(stream, replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=anonymous))


@family(focus="WL7592-COMPAT-OLD-NEW", profiles=WITH_ANONYMOUS_GTIDS)
def older_source_streams(stream: StreamBuilder) -> None:
    """Logs of 5.1 and 5.5, without Gtid events, for the applier of a new replica with gtid_mode=OFF."""
    choose = stream.choose
    replica = stream.server
    stream.settings["gtid_mode"] = "OFF"
    stream.server = server_of(choose.one_of(OLDER))
    stream.checksummed = False
    replica_groups.begin_relay_log(stream, lengths=stream.server.post_header_lengths)
    rows = replica.reads_rows_v1
    for _ in choose.several(1, 3):
        if rows and choose.yes():
            # CREATE TABLE ... SELECT before WL#7592: one group.
            planned = [data_changes.query(stream, "BEGIN"), *replica_groups.create(stream)]
            planned += [*data_changes.row_changes(stream), data_changes.query(stream, "COMMIT")]
        else:
            planned = replica_groups.group(stream, rows=rows)
        replica_groups.add(stream, planned)
    stream.server = replica


@family(focus="WL7592-COMPAT-OFF-5622", profiles=Profiles("worklog", "mysql >= 5.6, < 5.7"))
def newer_source_streams(stream: StreamBuilder) -> None:
    """Logs of 5.7 and 8.0 for the applier of a 5.6 replica, whose gtid_mode is the source's."""
    choose = stream.choose
    replica = stream.server
    stream.server = server_of(choose.one_of(_NEWER))
    replica_groups.begin_relay_log(stream, lengths=stream.server.post_header_lengths)
    anonymous = not choose.yes()
    stream.settings["gtid_mode"] = "OFF" if anonymous else "ON"
    stream.settings["version"] = "5.6.22" if anonymous else choose.one_of(("5.6.21", "5.6.22"))
    for _ in choose.several(1, 3):
        flags = _IGNORABLE if anonymous else 0
        planned = replica_groups.with_gtid(stream, replica_groups.group(stream), anonymous=anonymous, flags=flags)
        replica_groups.add(stream, planned)
    stream.server = replica


@family(focus="WL7592-COMPAT-OFF-5621", profiles=Profiles("worklog", "mysql >= 5.6, < 5.7"), fault=True)
def anonymous_before_5_6_21(stream: StreamBuilder) -> None:
    """Anonymous groups of a newer source for the applier of a replica of 5.6.21 or older."""
    _add_anonymous(stream, ("5.6.21", "5.6.20", "5.6.5"))


@family(focus="WL7592-COMPAT-OFF-575", profiles=Profiles("worklog", "mysql >= 5.7, < 8.0"), fault=True)
def anonymous_before_5_7_5(stream: StreamBuilder) -> None:
    """Anonymous groups of a newer source for the applier of a replica of 5.7.5 or older."""
    _add_anonymous(stream, ("5.7.5", "5.7.4", "5.7.1"))


def _add_anonymous(stream: StreamBuilder, versions: tuple[str, ...]) -> None:
    choose = stream.choose
    replica = stream.server
    stream.server = server_of(choose.one_of(_NEWER))
    replica_groups.begin_relay_log(stream, lengths=stream.server.post_header_lengths)
    stream.settings.update(gtid_mode="OFF", version=choose.one_of(versions))
    for _ in choose.several(1, 2):
        flags = _IGNORABLE if choose.yes() else 0
        planned = replica_groups.group(stream)
        replica_groups.add(stream, replica_groups.with_gtid(stream, planned, anonymous=True, flags=flags))
    stream.server = replica
