"""Events that no server writes any more: LOAD DATA before 5.0.3, and the rows events of the 5.1 betas."""

import os
import re
import shutil
import subprocess

import pytest

from conformance.binlog.event_types import PRE_GA_ROWS, EventType, type_name
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.reader import read_events
from conformance.binlog.rows.open_tables import row_changes
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, rewrite
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

TOOL = os.environ.get("BINLOG_MARIADB_BINLOG") or shutil.which("mariadb-binlog")
LENGTHS = server_of("mysql-5.1").post_header_lengths

_LOAD = {
    "thread_id": 7,
    "exec_time": 3,
    "skipped_lines": 2,
    "table_length": 2,
    "database_length": 4,
    "field_count": 2,
    "field_lengths": b"\x01\x03",
    "field_names": (b"a", b"bcd"),
    "table": b"t1",
    "database": b"test",
    "file_name": b"/tmp/x.txt",
}
_HEAD = "07000000 03000000 02000000 02 04 02000000"
_NAMES = "01 03 6100 62636400 743100 7465737400"
_FILE = "2f746d702f782e747874"
_LONG = {
    "fields_terminated_by": b"\t\t",
    "fields_enclosed_by": b"",
    "lines_terminated_by": b"\n",
    "lines_starting_by": b">>",
    "escaped_by": b"\\",
    "load_options": 4,
}
_SEPARATORS = "02 0909 00 01 0a 02 3e3e 01 5c 04"

BYTES = {
    EventType.LOAD: (
        f"{_HEAD} 09 22 0a 3e 5c 02 00 {_NAMES} {_FILE}",
        {
            **_LOAD,
            "fields_terminated_by": b"\t",
            "fields_enclosed_by": b'"',
            "lines_terminated_by": b"\n",
            "lines_starting_by": b">",
            "escaped_by": b"\\",
            "load_options": 2,
            "empty_separators": 0,
        },
    ),
    EventType.NEW_LOAD: (f"{_HEAD} {_SEPARATORS} {_NAMES} {_FILE}", {**_LOAD, **_LONG}),
    EventType.CREATE_FILE: (
        f"{_HEAD} 09000000 {_SEPARATORS} {_NAMES} {_FILE}00 31093200",
        {**_LOAD, **_LONG, "file_id": 9, "block_data": b"1\t2\0"},
    ),
}
#: How mariadb-binlog 10.11 prints the same separators.
_CLAUSE = r"FIELDS TERMINATED BY '\t\t' ENCLOSED BY '' ESCAPED BY '\\' LINES TERMINATED BY '\n' STARTING BY '>>'"
PRINTED = {
    EventType.LOAD: r"""FIELDS TERMINATED BY '\t' OPTIONALLY  ENCLOSED BY '"' ESCAPED BY '\\' """
    r"""LINES TERMINATED BY '\n' STARTING BY '>'""",
    EventType.NEW_LOAD: _CLAUSE,
    EventType.CREATE_FILE: _CLAUSE,
}


def log(code: int, body: bytes, *, lengths: bytes = LENGTHS) -> bytes:
    """A log of 5.1 with one event after the format description."""
    described = FormatDescription(4, "5.1.15-beta-log", 0, 19, lengths, None).body()
    stream = MAGIC + frame(EventType.FORMAT_DESCRIPTION, described, offset=4, checksummed=False)
    return stream + frame(code, body, offset=len(stream), checksummed=False)


def declaring(length: int) -> bytes:
    """The post-header lengths of 5.1, with this one for the rows events of its betas."""
    lengths = bytearray(LENGTHS)
    for code in PRE_GA_ROWS:
        lengths[code - 1] = length
    return bytes(lengths)


def rows_body(length: int) -> bytes:
    table_id = (26).to_bytes(length - 2, "little")
    return table_id + bytes.fromhex("0100 02 ff f900000000036f6e65")


@pytest.mark.parametrize("code", BYTES, ids=type_name)
def test_an_event_is_read_and_written_byte_for_byte(code):
    text, fields = BYTES[code]
    event = list(read_events(log(code, bytes.fromhex(text))))[1]
    assert event.fields() == fields
    assert rewrite(event) == event.data


@pytest.mark.parametrize("code", PRE_GA_ROWS, ids=type_name)
@pytest.mark.parametrize("length", [6, 8])
def test_the_post_header_length_decides_the_width_of_the_betas_table_id(code, length):
    stream = log(code, rows_body(length), lengths=declaring(length))
    event = list(read_events(stream))[1]
    expected = {"table_id": 26, "rows_flags": 1, "column_count": 2, "columns_present": b"\xff"}
    assert event.fields() == {**expected, "row_data": bytes.fromhex("f900000000036f6e65")}
    assert rewrite(event) == event.data
    # The columns that can be NULL decide the place of the bits in a bitmap of these events.
    assert list(row_changes([event])) == []


@pytest.mark.parametrize("code", PRE_GA_ROWS, ids=type_name)
def test_rows_of_the_betas_without_a_post_header_are_kept_as_bytes(code):
    assert layout_of(code, 0).read(b"abc", 0, 3, post_header_length=0) == {"body": b"abc"}


@pytest.fixture(scope="module")
def tool():
    if TOOL is None:
        pytest.skip("needs mariadb-binlog: on the PATH, or named by BINLOG_MARIADB_BINLOG")
    version = subprocess.run([TOOL, "--version"], capture_output=True, check=True).stdout.decode("utf-8", "replace")
    match = re.search(r"from (\d+)\.", version)  # Those of MariaDB 10 do not print the server's version.
    if match is not None and int(match[1]) > 10:
        pytest.skip("needs mariadb-binlog of MariaDB 10: later ones no longer know these events")
    return TOOL


def printed(tool, stream, folder):
    path = folder / "binlog.000001"
    path.write_bytes(stream)
    command = [tool, "--no-defaults", "--base64-output=decode-rows", "-v", f"--local-load={folder}", str(path)]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode("utf-8", "replace")


@pytest.mark.parametrize("code", BYTES, ids=type_name)
def test_mariadb_binlog_10_reads_load_data_in_the_same_way(tool, code, tmp_path):
    text = printed(tool, log(code, bytes.fromhex(BYTES[code][0])), tmp_path)
    replace = " REPLACE" if code != EventType.LOAD else ""
    assert f"LOAD DATA INFILE '/tmp/x.txt'{replace} INTO TABLE `t1` {PRINTED[code]} IGNORE 2 LINES (`a`,`bcd`)" in text
    assert re.search(r"thread_id=7\s+exec_time=3", text)
    assert ("# file_id: 9  block_len: 4" in text) == (code == EventType.CREATE_FILE)


@pytest.mark.parametrize("code", PRE_GA_ROWS, ids=type_name)
@pytest.mark.parametrize("length", [6, 8])
def test_mariadb_binlog_10_reads_the_same_table_ids(tool, code, length, tmp_path):
    text = printed(tool, log(code, rows_body(length), lengths=declaring(length)), tmp_path)
    assert "_rows_old: table id 26" in text


def test_mariadb_binlog_10_reads_generated_logs_of_betas(tool, tmp_path):
    seen = set()
    for index in range(20):
        case = case_of(CaseId("rows_of_betas", "mysql-5.1", seed=3, index=index))
        text = printed(tool, case.stream, tmp_path)
        rows = [event for event in case.expected.events if event["type"] in PRE_GA_ROWS]
        assert re.findall(r"_rows_old: table id (\d+)", text) == [str(event["table_id"]) for event in rows]
        seen.update(event["type"] for event in rows)
    assert seen == set(PRE_GA_ROWS)
