"""For each requirement that a log shows: a log that breaks it, and where."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from written_log import OTHER_UUID, WrittenLog, gtid_set

from conformance.binlog.checksum import ChecksumAlgorithm
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.transaction_payload import Compression, pack_payload

IN_USE = int(Flag.BINLOG_IN_USE)
RELAY = int(Flag.RELAY_LOG)
IGNORABLE = int(Flag.IGNORABLE)


@dataclass(frozen=True)
class Broken:
    """A log that breaks requirements.

    Attributes:
        make: Writes it.
        requirements: What it breaks, and nothing else.
        event: Index of the event at which it does.
        profile: The profile to judge it by; None for its server's.
        rows: Whether only values in rows show it.
    """

    make: Callable[[], WrittenLog]
    requirements: tuple[str, ...]
    event: int = -1
    profile: str | None = None
    rows: bool = False


BROKEN: list[Broken] = []


def breaks(*requirements: str, event: int = -1, profile: str | None = None, rows: bool = False):
    def register(make):
        BROKEN.append(Broken(make, requirements, event, profile, rows))
        return make

    return register


def lengths(log: WrittenLog, code: int, length: int) -> WrittenLog:
    declared = bytearray(log.format.post_header_lengths)
    declared[code - 1] = length
    log.format = replace(log.format, post_header_lengths=bytes(declared))
    return log


# --- framing


@breaks("FORMAT-TRUNCATED-HEADER")
def cut_inside_a_header():
    log = WrittenLog().begin().anonymous().query("CREATE TABLE t (a INT)")
    del log.data[log.last + 18 :]
    return log


@breaks("FORMAT-TRUNCATED-BODY")
def cut_inside_a_body():
    log = WrittenLog().begin().anonymous().query("CREATE TABLE t (a INT)")
    del log.data[-1:]
    return log


def _length(value: int) -> WrittenLog:
    log = WrittenLog().begin().anonymous().query("CREATE TABLE t (a INT)")
    log.data[log.last + 9 : log.last + 13] = value.to_bytes(4, "little")
    return log


@breaks("FORMAT-LENGTH-TOO-SMALL")
def a_length_below_a_header():
    return _length(18)


@breaks("FORMAT-LENGTH-NO-CHECKSUM")
def a_length_without_room_for_the_checksum():
    return _length(20)


@breaks("FORMAT-LENGTH-TOO-SMALL")
def zeros_at_the_end_of_a_closed_log():
    log = WrittenLog().begin()
    log.offsets.append(len(log.data))
    log.data += bytes(100)
    return log


@breaks("FORMAT-LENGTH-TOO-LARGE")
def a_length_of_four_gib():
    return _length(2**32 - 1)


@breaks("FORMAT-CHECKSUM-WRONG")
def one_bit_of_a_body_flipped():
    log = WrittenLog().begin().anonymous().query("CREATE TABLE t (a INT)")
    log.data[-5] ^= 1
    return log


@breaks("FORMAT-IN-USE-CHECKSUM", event=0)
def a_checksum_that_counts_the_in_use_bit():
    log = WrittenLog().describe(flags=IN_USE)
    log.data[-4:] = zlib.crc32(log.data[4:-4]).to_bytes(4, "little")
    return log.previous_gtids()


@breaks("FORMAT-LOG-DESCRIPTION-CHECKSUM", event=0)
def a_format_description_without_its_checksum():
    log = WrittenLog(checksums=False).describe()
    log.data[-4:] = bytes(4)
    return log.previous_gtids()


@breaks("FORMAT-DESCRIPTION-FIELDS")
def a_format_description_of_version_3():
    log = WrittenLog().begin()
    log.format = replace(log.format, binlog_version=3)
    return log.describe()


@breaks("FORMAT-TYPE-NOT-DECLARED")
def a_type_beyond_the_format_description():
    return WrittenLog().begin().bytes(99, b"")


@breaks("WL4033-READ-UNKNOWN-REFUSED")
def an_unknown_declared_type_that_must_not_be_skipped():
    return WrittenLog("mariadb-10.x").begin().bytes(100, b"")


@breaks("WL4033-READ-POSITION-CHAIN")
def a_log_pos_that_is_not_the_end_of_the_event():
    return WrittenLog().begin().anonymous().query("CREATE TABLE t (a INT)", at=1000)


@breaks("WL4033-READ-POSITION-CHAIN", event=2)
def events_cut_out_shift_all_later_positions_and_are_reported_once():
    return WrittenLog("mysql-5.5").begin().query("INSERT 1").query("INSERT 2", at=5000).query("INSERT 3", at=5042)


@breaks("WL4033-READ-POSITION-CHAIN")
def a_relay_log_whose_own_rotate_has_another_position():
    log = WrittenLog().describe(flags=RELAY).previous_gtids(flags=RELAY | IGNORABLE)
    return log.rotate("relay.000002", flags=RELAY, at=4)


@breaks("WL7592-HEADER-19-BYTES", event=0)
def headers_of_20_bytes():
    log = WrittenLog()
    log.format = replace(log.format, header_length=20)
    return log.describe()


@breaks("WL4033-READ-IGNORABLE-POST-HEADER", event=0)
def a_post_header_for_rows_query():
    return lengths(WrittenLog(), EventType.ROWS_QUERY, 4).begin()


@breaks("WL7592-ANON-CODE-DECLARED-EARLY", event=0)
def gtid_and_anonymous_gtid_of_different_length():
    return lengths(WrittenLog(), EventType.ANONYMOUS_GTID, 25).begin()


@breaks("WL7592-XID-SIZE")
def an_xid_of_nine_bytes():
    return WrittenLog().begin().anonymous().query("BEGIN").bytes(EventType.XID, bytes(9))


@breaks("FORMAT-POST-HEADER-LENGTHS")
def an_event_shorter_than_its_post_header():
    return WrittenLog().begin().anonymous().query("BEGIN").bytes(EventType.TABLE_MAP, bytes(5))


@breaks("FORMAT-LOG-BODY")
def a_body_that_ends_inside_a_field():
    return WrittenLog().begin().bytes(EventType.RAND, bytes(15))


@breaks("FORMAT-LOG-BODY")
def a_generated_number_of_no_kind():
    return WrittenLog().begin().anonymous().query("BEGIN").event(EventType.INTVAR, intvar_type=3, intvar_value=1)


@breaks("FORMAT-LOG-BODY")
def a_user_variable_of_the_type_row():
    log = WrittenLog().begin().anonymous().query("BEGIN")
    value = {"variable_type": 3, "variable_charset": 8, "variable_value": b"1"}
    return log.event(EventType.USER_VAR, variable_name=b"a", **value)


@breaks("FORMAT-LOG-BODY", rows=True)
def a_row_that_is_shorter_than_its_columns():
    return WrittenLog().begin().anonymous().query("BEGIN").table_map(columns=2).rows(columns=2, cut=1)


@breaks("FORMAT-LOG-BODY", rows=True)
def a_row_in_a_payload_that_is_shorter_than_its_columns():
    inner = WrittenLog()
    inner.format = replace(inner.format, checksum_algorithm=int(ChecksumAlgorithm.NONE))
    start = len(inner.data)
    inner.query("BEGIN").table_map().rows(cut=1).xid()
    packed = pack_payload(bytes(inner.data[start:]), compression=Compression.NONE)
    return WrittenLog().begin().gtid(1).event(EventType.TRANSACTION_PAYLOAD, **packed)


@breaks("FORMAT-LOG-BODY", rows=True)
def a_table_map_without_the_length_of_a_text_column():
    return WrittenLog().begin().anonymous().query("BEGIN").table_map(types=b"\x0f")


@breaks("WL4162-MARKER-EVERY-EVENT", profile="worklog")
def an_event_without_a_marker_after_marked_ones():
    log = WrittenLog("worklog").describe(flags=1 << 10).previous_gtids(flags=IGNORABLE | 2 << 10)
    return log.bytes(EventType.STOP, b"")


@breaks("WL4162-VALUES-SIX-OF-EIGHT", event=0, profile="worklog")
def a_spare_marker():
    return WrittenLog("worklog").describe(flags=6 << 10).previous_gtids(flags=IGNORABLE | 2 << 10)


# --- what a log begins and ends with


@breaks("WL7592-LOG-OFF-PREVIOUS-GTIDS")
def no_previous_gtids():
    return WrittenLog("mysql-5.7").describe().rotate("bin.000002")


@breaks("WL7592-LOG-ON-PREVIOUS-GTIDS", event=1)
def a_log_of_5_6_with_gtids_and_no_previous_gtids():
    return WrittenLog("mysql-5.6").describe().gtid(1).query("CREATE TABLE t (a INT)").gtid(2).insert()


@breaks("WL7592-RELAY-PREVIOUS-GTIDS-OWN")
def a_relay_log_without_previous_gtids():
    return WrittenLog().describe(flags=RELAY).rotate("relay.000002", flags=RELAY)


@breaks("WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED")
def a_relay_log_with_the_sources_previous_gtids():
    return WrittenLog().describe(flags=RELAY).previous_gtids(flags=RELAY | IGNORABLE).previous_gtids()


@breaks("FORMAT-LOG-PREVIOUS-GTIDS-ONCE")
def a_second_previous_gtids():
    return WrittenLog().begin().anonymous().insert().previous_gtids()


@breaks("WL4162-REPOSITION-AT-START", profile="worklog")
def an_incident_inside_a_transaction():
    log = WrittenLog("worklog").begin().gtid(1).query("BEGIN")
    return log.event(EventType.INCIDENT, incident=1, message=b"lost")


@breaks("FORMAT-LOG-END-LAST")
def an_event_after_stop():
    return WrittenLog().begin().stop().anonymous()


# --- transactions


@breaks("WL7592-LOG-ON-GTID-FIRST")
def a_transaction_without_gtid_after_one_with():
    log = WrittenLog().begin().gtid(1).insert()
    log.query("BEGIN")
    return log


@breaks("WL7592-LOG-ON-GTID-FIRST")
def two_gtids_in_a_row():
    return WrittenLog().begin().gtid(1).gtid(2)


@breaks("WL7592-LOG-OFF-ANON-FIRST")
def a_transaction_without_any_gtid_event():
    return WrittenLog("mysql-5.7").begin().query("BEGIN")


@breaks("WL7592-LOG-OFF-ANON-FIRST")
def two_anonymous_gtids_in_a_row():
    return WrittenLog().begin().anonymous().anonymous()


@breaks("WL7592-LOG-ON-GTID-FIRST", event=3)
def a_gtid_after_the_begin_of_its_transaction():
    log = WrittenLog("mysql-5.6").describe().previous_gtids().query("BEGIN")
    return log.gtid(1).table_map().rows().xid()


@breaks("WL7592-LOG-OFF-ANON-DDL")
def a_ddl_statement_without_any_gtid_event():
    return WrittenLog("mysql-5.7").begin().anonymous().insert().query("CREATE TABLE t (a INT)")


@breaks("WL7592-LOG-DROP-ON-GTID-EACH")
def a_second_drop_under_the_gtid_of_the_first():
    log = WrittenLog("mysql-5.7").begin().gtid(1).query("DROP TABLE `t` /* generated by server */")
    return log.query("DROP TABLE `u` /* generated by server */")


@breaks("WL7592-LOG-DROP-OFF-ANON-EACH")
def a_second_drop_under_the_anonymous_gtid_of_the_first():
    log = WrittenLog("mysql-5.7").begin().anonymous().query("DROP TABLE IF EXISTS `t`")
    return log.query("DROP TABLE IF EXISTS `u`")


@breaks("WL7592-LOG-TEMPORARY-OUTSIDE")
def a_temporary_table_dropped_without_any_gtid_event():
    return WrittenLog("mysql-5.7").begin().query("DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `t`")


@breaks("WL7592-LOG-MAINTENANCE-FAILED")
def an_optimize_without_any_gtid_event():
    return WrittenLog().begin().query("OPTIMIZE TABLE t")


@breaks("WL7592-LOG-WITH-FLUSH")
def a_gtid_without_its_transaction():
    return WrittenLog().begin().gtid(1).rotate("bin.000002")


@breaks("FORMAT-LOG-TRANSACTION-ENDS")
def a_transaction_inside_another():
    return WrittenLog().begin().gtid(1).query("BEGIN").gtid(2)


@breaks("FORMAT-LOG-TRANSACTION-ENDS")
def a_log_that_is_rotated_inside_a_transaction():
    return WrittenLog("mysql-5.1").begin().query("BEGIN").rotate("bin.000002")


@breaks("FORMAT-LOG-TRANSACTION-ENDS")
def a_payload_without_the_end_of_its_transaction():
    inner = WrittenLog()
    inner.format = replace(inner.format, checksum_algorithm=int(ChecksumAlgorithm.NONE))
    start = len(inner.data)
    inner.query("BEGIN").table_map().rows()
    packed = pack_payload(bytes(inner.data[start:]), compression=Compression.NONE)
    return WrittenLog().begin().gtid(1).event(EventType.TRANSACTION_PAYLOAD, **packed)


@breaks("FORMAT-LOG-END-NEEDS-BEGIN")
def a_commit_outside_a_transaction():
    return WrittenLog().begin().anonymous().query("COMMIT")


@breaks("FORMAT-LOG-END-NEEDS-BEGIN")
def a_second_xid():
    return WrittenLog().begin().anonymous().insert().xid(2)


@breaks("FORMAT-LOG-TRANSACTION-LENGTH", event=2)
def a_transaction_length_that_is_too_short():
    commit = {"immediate_commit_timestamp": 1, "transaction_length": 200, "immediate_server_version": 80043}
    return WrittenLog().begin().anonymous(**commit).query("CREATE TABLE t (a INT)")


@breaks("FORMAT-LOG-GTID-SERVER-VERSION", event=2)
def a_version_of_another_server():
    commit = {"immediate_commit_timestamp": 1, "transaction_length": 137, "immediate_server_version": 80042}
    return WrittenLog().begin().anonymous(**commit).query("CREATE TABLE t (a INT)")


@breaks("FORMAT-LOG-GTID-ONCE", event=-2)
def a_gtid_that_is_used_twice():
    log = WrittenLog().begin().gtid(1).query("CREATE TABLE t (a INT)").gtid(1, uuid=OTHER_UUID).query("CREATE TABLE u")
    return log.gtid(1).query("CREATE TABLE v")


@breaks("FORMAT-LOG-GTID-ONCE", event=-2)
def a_gtid_of_an_earlier_log():
    return WrittenLog().begin(gtid_set((1, 3), (5, 9))).gtid(4).query("CREATE TABLE t").gtid(7).query("CREATE TABLE u")


@breaks("FORMAT-LOG-GTID-ONCE", event=-2)
def a_gtid_of_mariadb_that_is_used_twice():
    log = WrittenLog("mariadb-11.x").begin().mariadb_gtid(1).query("CREATE TABLE t (a INT)")
    return log.mariadb_gtid(1, domain_id=1).query("CREATE TABLE u").mariadb_gtid(1).query("CREATE TABLE v")


@breaks("WL7592-LOG-ANON-IGNORABLE", event=2, profile="worklog")
def an_anonymous_gtid_that_must_not_be_skipped():
    return WrittenLog("worklog").begin().anonymous().query("CREATE TABLE t")


@breaks("WL7592-LOG-LOGICAL-TIMESTAMPS", event=-2)
def a_sequence_number_that_does_not_ascend():
    log = WrittenLog("mysql-5.7").begin().anonymous(timestamps=(0, 5)).query("CREATE TABLE t")
    return log.anonymous(timestamps=(0, 5)).query("CREATE TABLE u")


@breaks("WL7592-LOG-LOGICAL-TIMESTAMPS", event=-2)
def a_transaction_that_depends_on_itself():
    return WrittenLog("mysql-5.7").begin().anonymous(timestamps=(5, 5)).query("CREATE TABLE t")


@breaks("WL7592-LOG-LOGICAL-TIMESTAMPS", event=-2)
def a_transaction_that_depends_on_one_before_the_first():
    return WrittenLog("mysql-5.7").begin().anonymous(timestamps=(-1, 1)).query("CREATE TABLE t")


@breaks("WL7592-LOG-NO-QUERY-TIMESTAMPS")
def a_query_with_a_logical_timestamp():
    log = WrittenLog("mysql-5.7").begin().anonymous()
    return log.query("CREATE TABLE t", status_variables=bytes(5) + bytes([14]) + bytes(8))


@breaks("WL7592-LOG-CREATE-SELECT-ROW")
def a_create_inside_a_transaction_that_is_not_marked():
    return WrittenLog().begin().anonymous().query("BEGIN").query("CREATE TABLE t (a INT)")


@breaks("WL7592-LOG-CREATE-NOT-INSIDE")
def a_create_inside_a_transaction_of_5_7():
    return WrittenLog("mysql-5.7").begin().anonymous().query("BEGIN").query("CREATE TABLE t (a INT)")


# --- rows


@breaks("WL4033-LOG-FLAG-SET", event=-2)
def a_rows_query_without_its_flag():
    return WrittenLog().begin().anonymous().query("BEGIN").rows_query(flags=0).table_map()


@breaks("WL4033-LOG-FLAG-ALONE", event=-2)
def a_rows_query_with_another_flag():
    return WrittenLog().begin().anonymous().query("BEGIN").rows_query(flags=IGNORABLE | 0x8).table_map()


@breaks("WL4033-LOG-ROWS-QUERY-PER-STATEMENT", event=-2)
def a_rows_query_before_each_table_map():
    log = WrittenLog().begin().anonymous().query("BEGIN").rows_query().table_map(7)
    return log.rows_query().table_map(8)


@breaks("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP", event=-2)
def a_rows_query_after_its_table_map():
    return WrittenLog().begin().anonymous().query("BEGIN").table_map().rows_query().rows()


@breaks("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP")
def a_rows_query_without_rows():
    return WrittenLog().begin().anonymous().query("BEGIN").rows_query().xid()


@breaks("WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP", event=-2)
def a_rows_query_outside_a_transaction():
    return WrittenLog().begin().anonymous().rows_query().table_map()


@breaks("FORMAT-LOG-TABLE-MAP")
def rows_without_a_table_map():
    return WrittenLog().begin().anonymous().query("BEGIN").rows()


@breaks("FORMAT-LOG-TABLE-MAP", event=-2)
def two_tables_of_a_statement_with_one_id():
    return WrittenLog().begin().anonymous().query("BEGIN").table_map().table_map(table=b"u").rows()


@breaks("FORMAT-LOG-TABLE-MAP")
def rows_of_a_table_that_the_previous_statement_closed():
    return WrittenLog().begin().anonymous().query("BEGIN").table_map().rows().rows()


@breaks("FORMAT-LOG-TABLE-MAP")
def rows_of_more_columns_than_the_table_has():
    return WrittenLog().begin().anonymous().query("BEGIN").table_map(columns=2).rows(columns=3)


# --- context events


@breaks("FORMAT-LOG-CONTEXT")
def a_number_after_its_statement():
    log = WrittenLog().begin().anonymous().query("BEGIN").query("INSERT INTO t VALUES (NULL)")
    return log.event(EventType.INTVAR, intvar_type=2, intvar_value=7).xid()


# --- MariaDB


@breaks("FORMAT-LOG-MARIADB-GTID-FIRST")
def a_statement_of_mariadb_without_a_gtid():
    return WrittenLog("mariadb-10.x").begin().mariadb_gtid(1).query("CREATE TABLE t (a INT)").query("DROP TABLE t")


@breaks("FORMAT-LOG-MARIADB-GTID-FIRST")
def a_gtid_of_mariadb_without_a_group():
    return WrittenLog("mariadb-10.x").begin().mariadb_gtid(1).mariadb_gtid(2)


@breaks("FORMAT-LOG-MARIADB-GTID-LIST")
def a_log_of_mariadb_without_a_list():
    return WrittenLog("mariadb-10.x").describe().mariadb_gtid(1)


@breaks("FORMAT-LOG-MARIADB-GTID-LIST")
def a_log_of_mariadb_with_a_second_list():
    return WrittenLog("mariadb-10.x").begin().event(EventType.MARIADB_GTID_LIST, gtid_list=())


# --- flags


@breaks("FORMAT-LOG-FLAGS")
def a_statement_with_the_flag_of_a_log_in_use():
    log = WrittenLog().begin().anonymous()
    return log.query("CREATE TABLE t (a INT)", flags=IN_USE)


@breaks("FORMAT-LOG-FLAGS")
def a_set_with_the_flag_of_a_log_in_use():
    return WrittenLog().describe().previous_gtids(flags=IGNORABLE | IN_USE)


@breaks("FORMAT-LOG-FLAGS")
def a_transaction_end_that_readers_may_ignore():
    return WrittenLog().begin().anonymous().query("BEGIN").event(EventType.XID, xid=1, flags=IGNORABLE)


@breaks("FORMAT-LOG-FLAGS")
def an_event_of_a_relay_log_in_a_binary_log():
    log = WrittenLog().begin().anonymous()
    return log.query("CREATE TABLE t (a INT)", flags=RELAY)
