"""Row values: the reference, a library and the server's own tool read the same tables with columns of every type.

The tool is the program that BINLOG_MYSQLBINLOG names, or mysqlbinlog on the PATH, of MySQL 9.x.
"""

import os
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version

import pytest

from conformance.binlog.reader import read_events
from conformance.binlog.rows.column_codes import INTEGER_BYTES, ColumnType
from conformance.binlog.rows.open_tables import row_changes
from conformance.binlog.rows.row_text import row_lines
from conformance.binlog.servers import server_of
from conformance.implementations.registry import implementation
from conformance.oracles.checks.same_value import same_cell
from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import VALUE_REQUIREMENTS, column_kinds, packed_column_kinds
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.family import case_of
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups
from conformance.strategies.questions.decode import question

TOOL = os.environ.get("BINLOG_MYSQLBINLOG") or shutil.which("mysqlbinlog")
PROFILES = ("worklog", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x")
ROWS_V1 = {23, 24, 25}
#: The tool prints neither the value of a GEOMETRY nor what follows it.
UNPRINTABLE = "Don't know how to handle column type"
#: Column types that mysql-replication misreads, each with the reason.
MISREAD = {
    ColumnType.STRING: "bytes that are not UTF-8 raise UnicodeDecodeError",
    ColumnType.VARCHAR: "bytes that are not UTF-8 raise UnicodeDecodeError",
    ColumnType.BLOB: "bytes that are not UTF-8 raise UnicodeDecodeError",
    ColumnType.YEAR: "the year 0000 is read as 1900",
    ColumnType.DATE: "a date with zero parts is None",
    ColumnType.DATETIME: "a date with zero parts is None",
    ColumnType.DATETIME2: "a date with zero parts is None",
    ColumnType.TIME: "the three bytes are read without their sign",
    ColumnType.TIME2: "the fraction of a negative time is not complemented",
    ColumnType.ENUM: "None if the log has no labels",
    ColumnType.SET: "None if the log has no labels, and for the empty set",
    ColumnType.JSON: "times of 24 hours and more raise ValueError; null is None, as SQL's NULL is",
    **dict.fromkeys(
        (ColumnType.VECTOR, ColumnType.MARIADB_VARCHAR_COMPRESSED, ColumnType.MARIADB_BLOB_COMPRESSED),
        "the column's metadata is not skipped, and the Table_map cannot be read",
    ),
}
#: The profile that has a type, for types that 9.x does not have.
PROFILE_OF = {
    **dict.fromkeys((ColumnType.TIME, ColumnType.DATETIME, ColumnType.TIMESTAMP), "mysql-5.5"),
    **dict.fromkeys((ColumnType.MARIADB_VARCHAR_COMPRESSED, ColumnType.MARIADB_BLOB_COMPRESSED), "mariadb-11.x"),
}
REFERENCE = ReferenceImplementation()


def table_case(profile, codes, seed):
    """A log with one table that has a column of each of these types, and two rows in it."""
    stream = StreamBuilder(SeededChooser(f"{profile}/{codes}/{seed}"), server_of(profile), checksums=True)
    groups.begin_plain_log(stream)
    every = (*column_kinds(stream), *packed_column_kinds(stream))
    kinds = [kind for kind in every if int(kind.column(stream).type) in codes]
    rows = row_events.table_of(stream, kinds)
    # Of the status variables a library may know fewer; they have tests of their own.
    stream.add(mysql_events.query(stream, "BEGIN", status_variables=b""))
    stream.add(row_events.table_map(stream, rows))
    stream.add(row_events.rows_event(stream, rows, "write"))
    stream.add(mysql_events.xid(stream))
    return question(stream).case(CaseId("every_column_type", profile, choices=()), "FORMAT-ROWS-IMAGES")


def printed_by_the_tool(stream, tmp_path):
    path = tmp_path / "binlog.000001"
    path.write_bytes(stream)
    command = [TOOL, "--base64-output=decode-rows", "-vv", str(path)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    lines = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    return [line for line in lines if line.startswith("###") and "Extra row info" not in line]


def printed_by_the_kit(stream, profile):
    changes = row_changes(read_events(stream, server_of(profile).rules))
    texts = [text for change in changes for row in change.rows for text in row_lines(row, change.table)]
    return "\n".join(texts).split("\n") if texts else []


def without_dimensions(lines):
    # The tool gives every VECTOR of a table the dimension of the first one.
    return [re.sub(r"/\* VECTOR\(\d+\)", "/* VECTOR", line) for line in lines]


needs_the_tool = pytest.mark.skipif(
    TOOL is None, reason="needs mysqlbinlog of MySQL 9.x: on the PATH, or named by BINLOG_MYSQLBINLOG"
)


@needs_the_tool
@pytest.mark.parametrize("family", ["every_column_type", "partial_json_updates"])
@pytest.mark.parametrize("profile", PROFILES)
def test_the_tool_of_the_server_prints_the_values_that_the_kit_reads(profile, family, tmp_path):
    if family == "partial_json_updates" and profile not in PROFILES[3:]:
        pytest.skip("partial updates came with 8.0")
    compared = 0
    for index in range(25):
        case = case_of(CaseId(family, profile, seed=21, index=index))
        if not ROWS_V1.isdisjoint(event["type"] for event in case.expected.events):
            continue  # The tool has refused version 1 since 8.4.
        theirs = printed_by_the_tool(case.stream, tmp_path)
        if any(UNPRINTABLE in line for line in theirs):
            continue
        assert without_dimensions(theirs) == without_dimensions(printed_by_the_kit(case.stream, profile)), case.id
        compared += 1
    assert compared > 5


@needs_the_tool
@pytest.mark.parametrize("seed", range(5))
def test_the_tool_prints_a_table_with_every_type(seed, tmp_path):
    codes = {int(code) for codes_of_one in VALUE_REQUIREMENTS.values() for code in codes_of_one} - {ColumnType.GEOMETRY}
    case = table_case("mysql-9.x", codes, seed)
    theirs = printed_by_the_tool(case.stream, tmp_path)
    assert without_dimensions(theirs) == without_dimensions(printed_by_the_kit(case.stream, "mysql-9.x"))


@pytest.mark.parametrize("profile", ["mysql-5.1", *PROFILES, "mariadb-11.x"])
def test_the_reference_reads_a_table_with_every_type(profile):
    codes = {int(code) for codes_of_one in VALUE_REQUIREMENTS.values() for code in codes_of_one}
    for seed in range(20):
        case = table_case(profile, codes, seed)
        answer = REFERENCE.ask(Request("decode", profile, case.stream))
        index = next(iter(case.expected.columns))
        for expected, seen in zip(case.expected.events, answer.events, strict=True):
            assert {**expected, "rows": None} == {**seen, "rows": None}
        codes = case.expected.columns[index]
        for expected, seen in zip(case.expected.events[index]["rows"], answer.events[index]["rows"], strict=True):
            assert expected["after"].keys() == seen["after"].keys()
            for column, value in expected["after"].items():
                assert same_cell(codes[int(column)], value, seen["after"][column])


def installed(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def types_and_profiles():
    for code in sorted({code for codes_of_one in VALUE_REQUIREMENTS.values() for code in codes_of_one}):
        profile = PROFILE_OF.get(code, "mysql-9.x")
        marks = [pytest.mark.xfail(reason=MISREAD[code], strict=True)] if code in MISREAD else []
        yield pytest.param(code, profile, id=code.name, marks=marks)


@pytest.fixture(scope="module")
def library():
    with implementation("mysql-replication") as started:
        yield started


@pytest.mark.skipif(installed("mysql-replication") != "1.0.17", reason="needs the extra mysql-replication, at 1.0.17")
@pytest.mark.parametrize(("code", "profile"), list(types_and_profiles()))
def test_mysql_replication_reads_the_values_of_a_type(library, code, profile):
    # Signed integers: the sign is another requirement, and known only if the log has the names of columns.
    for seed in range(40):
        case = table_case(profile, {int(code)}, seed)
        answer = library.ask(Request("decode", profile, case.stream))
        index = next(iter(case.expected.columns))
        assert answer.error is None, answer.error
        rows = zip(case.expected.events[index]["rows"], answer.events[index]["rows"], strict=True)
        for expected, seen in rows:
            for column, value in expected["after"].items():
                if isinstance(value, int) and code in INTEGER_BYTES:
                    value = signed(code, value)  # noqa: PLW2901 - what the library can know
                    seen["after"][column] = signed(code, seen["after"][column])
                assert same_cell(code, value, seen["after"][column]), (str(case.id), value, seen["after"][column])


def signed(code, value):
    bits = 8 * INTEGER_BYTES[code]
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
