"""The differences between versions, and the text of each event."""

import pytest
from printed import printed, small_log

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.reader import ReaderRules
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.rendering.mariadb_binlog_text import MariadbBinlogText
from conformance.models.rendering.mysqlbinlog_text import MysqlbinlogText
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.printing_methods import MARIADB_METHODS, MYSQL_METHODS
from conformance.models.rendering.transaction_words import begins_transaction, ends_transaction

UUID = bytes.fromhex("3e11fa4771ca11e19e33c80aa9429562")
QUERY = {"thread_id": 9, "exec_time": 1, "error_code": 0, "status_variables": b"", "database": b"test"}
GTID = {
    "gtid_flags": 0, "source_uuid": UUID, "gno": 23, "logical_timestamp_typecode": 2, "last_committed": 4,
    "sequence_number": 5,
}  # fmt: skip


def lines(*events, profile="mysql-9.x", verbose=0):
    stream = small_log(*events, profile=profile)
    return printed([stream], profile, PrintOptions(verbose=verbose), ReaderRules()).decode().splitlines()


def header(shown, word):
    return next(line.split("\t", 1)[1] for line in shown if f"\t{word}" in line)


def test_a_version_without_a_row_prints_as_the_one_before_it():
    assert PRINTER_VERSIONS["mysql-8.4"] == PRINTER_VERSIONS["mysql-8.0"]
    assert PRINTER_VERSIONS["mysql-8.0.25"].opening != PRINTER_VERSIONS["mysql-8.0.26"].opening
    with pytest.raises(ValueError, match=r"no profile 'mysql-4\.1'"):
        PRINTER_VERSIONS["mysql-4.1"]


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("mysql-5.6", "GTID [commit=yes]"),
        ("mysql-5.7", "GTID\tlast_committed=4\tsequence_number=5\trbr_only=yes"),
        (
            "mysql-8.0",
            "GTID\tlast_committed=4\tsequence_number=5\trbr_only=yes\toriginal_committed_timestamp=0"
            "\timmediate_commit_timestamp=0\ttransaction_length=0",
        ),
    ],
)
def test_the_line_of_a_gtid(profile, text):
    assert header(lines((EventType.GTID, GTID), profile=profile), "GTID") == text


def test_a_setting_is_printed_when_it_changes():
    zone = bytes([5, 3]) + b"UTC"
    shown = lines(
        *(
            (EventType.QUERY, {**QUERY, "status_variables": status, "query": b"DO 1"})
            for status in (zone, zone, b"", zone)
        ),
        (EventType.QUERY, {**QUERY, "status_variables": bytes([5, 6]) + b"SYSTEM", "database": b"", "query": b"DO 2"}),
    )
    assert [line for line in shown if "time_zone" in line] == [
        "SET @@session.time_zone='UTC'/*!*/;",
        "SET @@session.time_zone='SYSTEM'/*!*/;",
    ]
    assert [line for line in shown if line.startswith("use ")] == ["use `test`/*!*/;"]
    assert len([line for line in shown if line.startswith("SET TIMESTAMP=")]) == 5


def statements_with(*status, profile="mysql-9.x"):
    return lines(
        *((EventType.QUERY, {**QUERY, "status_variables": each, "query": b"DO 1"}) for each in status), profile=profile
    )


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-9.x", "mariadb-11.x"])
def test_options_without_a_name_that_change_leave_an_empty_set(profile):
    none, unnamed = bytes(5), bytes([0, *(0x400000).to_bytes(4, "little")])
    shown = statements_with(none, unnamed, unnamed, none, profile=profile)
    assert shown.count("SET /*!*/;") == 2


def test_explicit_defaults_are_on_or_off():
    code = 16
    shown = statements_with(*(bytes([code, value]) for value in (5, 1, 0)))
    name = "@@session.explicit_defaults_for_timestamp"
    assert [line for line in shown if name in line] == [f"SET {name}={value}/*!*/;" for value in (1, 0)]


def test_an_intvar_waits_for_its_statement():
    shown = lines(
        (EventType.INTVAR, {"intvar_type": 2, "intvar_value": 2**64 - 1}),
        (EventType.QUERY, {**QUERY, "query": b"DO 1"}),
    )
    at = [number for number, line in enumerate(shown) if line.startswith("# at ")][1:]
    assert at[1] == at[0] + 1
    assert shown[at[1] + 2] == "SET INSERT_ID=-1/*!*/;"


def test_a_statement_with_several_lines_is_a_comment():
    statement = b"DO 1;\n\n\tDO 2 -- \\"
    assert header(lines((EventType.ROWS_QUERY, {"rows_query": statement}), verbose=2), "Rows_query") == "Rows_query"
    shown = {}
    for profile in ("mysql-8.0", "mysql-9.x"):
        every = lines((EventType.ROWS_QUERY, {"rows_query": statement}), profile=profile, verbose=2)
        shown[profile] = every[every.index("# DO 1;") :][:3]
    assert shown["mysql-8.0"][:2] == ["# DO 1;", "# \tDO 2 -- \\"]
    assert shown["mysql-9.x"] == ["# DO 1;", "# ", "# \\tDO 2 -- \\\\"]


def test_the_header_line_shows_the_boundary_type():
    marked = MARKER_BITS.write(0, BoundaryType.START_TRANSACTION)
    shown = lines(
        (EventType.QUERY, {**QUERY, "query": b"BEGIN"}, marked), (EventType.XID, {"xid": 1}), profile="worklog"
    )
    assert [line.split("boundary: ")[1].split(" \t")[0] for line in shown if "boundary" in line] == [
        "Not Defined",
        "Start Transaction",
        "Not Defined",
    ]


@pytest.mark.parametrize(
    ("events", "ends"),
    [
        ([(EventType.QUERY, {**QUERY, "query": b"BEGIN"})], ["ROLLBACK"]),
        ([(EventType.QUERY, {**QUERY, "query": b"BEGIN"}), (EventType.XID, {"xid": 1})], []),
        ([(EventType.GTID, GTID)], ["BEGIN", "ROLLBACK"]),
        ([(EventType.GTID, GTID), (EventType.QUERY, {**QUERY, "query": b"CREATE TABLE t1 (a INT)"})], []),
    ],
)
def test_the_end_of_a_log_closes_what_is_open(events, ends):
    added = [line.split()[0] for line in lines(*events) if "added by mysqlbinlog" in line]
    assert added == [*ends, "SET"]


@pytest.mark.parametrize(
    ("statement", "begins", "ends"),
    [
        (b"BEGIN", True, False), (b"B", True, False), (b"begin", False, False), (b"", False, False),
        (b"XA START X'01'", True, False), (b"COMMIT", False, True), (b"rollback", False, True),
        (b"ROLLBACK TO s1", False, False), (b"XA ROLLBACK X'01'", False, True), (b"XA COMMIT X'01'", False, False),
    ],
)  # fmt: skip
def test_the_statements_that_begin_and_end_transactions(statement, begins, ends):
    assert (begins_transaction(statement), ends_transaction(statement)) == (begins, ends)


def test_the_text_of_a_relay_log_names_the_writer_of_its_format_description():
    text = printed([small_log(profile="mysql-5.7", format_flags=int(Flag.RELAY_LOG))], "mysql-5.7").decode()
    assert "appears in a relay log and was generated by the slave thread." in text
    assert "BINLOG" not in text


@pytest.mark.parametrize(
    ("program", "methods"), [(MysqlbinlogText, MYSQL_METHODS), (MariadbBinlogText, MARIADB_METHODS)]
)
def test_every_event_type_that_is_printed_has_a_method(program, methods):
    assert {
        name for name in methods.values() if name is not None and not callable(getattr(program, name, None))
    } == set()


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("9.7.4", ()),
        ("10.5.1", ()),
        ("10.5.2", ("sql_if_exists",)),
        ("10.5.17", ("sql_if_exists", "explicit_defaults_for_timestamp")),
        ("10.6.8", ("sql_if_exists",)),
        ("10.6.9", ("sql_if_exists", "explicit_defaults_for_timestamp")),
        ("10.9.1", ("sql_if_exists",)),
        ("10.10.0", ("sql_if_exists", "explicit_defaults_for_timestamp")),
        ("11.4.5", ("sql_if_exists", "explicit_defaults_for_timestamp")),
    ],
)
def test_mariadb_binlog_prints_the_options_that_the_server_of_the_log_logs(version, more):
    product = "-log" if version.startswith("9") else "-MariaDB-log"
    stream = small_log((EventType.QUERY, {**QUERY, "query": b"DO 1", "status_variables": bytes(5)}))
    stream = stream.replace(b"9.7.4".ljust(50, b"\0"), f"{version}{product}".encode().ljust(50, b"\0"))
    text = printed([stream], "mariadb-10.x", rules=ReaderRules(verify_checksums=False)).decode()
    line = next(line for line in text.splitlines() if "foreign_key_checks" in line)
    always = ("foreign_key_checks", "sql_auto_is_null", "unique_checks", "autocommit", "check_constraint_checks")
    names = (*always, *more, "system_versioning_insert_history")
    assert [part.partition("=")[0] for part in line.removeprefix("SET ").split(", ")] == [
        f"@@session.{each}" for each in names
    ]


def test_mariadb_binlog_names_a_table_with_triggers_and_the_number_of_a_load():
    load = {**QUERY, "query": b"LOAD DATA X INTO", "file_id": 1, "file_name_start": 9, "file_name_end": 11}
    table = {
        "table_id": 7, "table_flags": 0x4001, "database": b"d", "table": b"t", "column_count": 1,
        "column_types": b"\3", "column_metadata": b"", "null_bits": b"\1", "optional_metadata": b"",
    }  # fmt: skip
    shown = lines(
        (EventType.BEGIN_LOAD_QUERY, {"file_id": 1, "block_data": b"abc"}),
        (EventType.EXECUTE_LOAD_QUERY, {**load, "duplicate_handling": 0}),
        (EventType.TABLE_MAP, table),
        profile="mariadb-10.x",
    )
    assert header(shown, "Execute_load_query").endswith("\terror_code=0\txid=0")
    assert header(shown, "Table_map") == "Table_map: `d`.`t` mapped to number 7 (has triggers)"
