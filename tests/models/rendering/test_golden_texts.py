"""Golden texts: the sample in WL#4033, and what mysqlbinlog 9.7.4 prints for our own servers' logs."""

import base64
import re
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from printed import printed

from conformance.binlog.format_description import FormatDescription
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.show_binlog_events import show_binlog_events

GOLDEN = Path(__file__).parents[3] / "tests" / "golden"
#: Name -> the profile whose program has printed the text.
WHOLE = dict.fromkeys(("rows_query", "no_checksum", "tagged_gtid", "previous_gtids_tagged", "relay"), "mysql-9.x") | {
    "mariadb_collations": "mariadb-11.x"
}

#: The sample of WL#4033, MYSQLBINLOG OUTPUT, which has no line ends there.
SAMPLE = """\
BEGIN /*!*/; # at 1183 #100610 12:22:17 server id 1 end_log_pos 1236 Rows_query # insert into t1(a,b) \
values(1,2) # at 1236 # at 1279 #100610 12:22:17 server id 1 end_log_pos 1279 Table_map: `test`.`t1` mapped to \
number 23 #100610 12:22:17 server id 1 end_log_pos 1321 Write_rows: table id 23 flags: STMT_END_F BINLOG ' \
eWgQTB0BAAAANQAAANQEAACAACEjIGluc2VydCBpbnRvIHQxKGEsYikgdmFsdWVzKDEsMik= \
eWgQTBMBAAAAKwAAAP8EAAAAABcAAAAAAAEABHRlc3QAAnQxAAMDAwMABg== \
eWgQTBcBAAAAKgAAACkFAAAQABcAAAAAAAEAA//4AwAAAAEAAAACAAAA '/*!*/; ### INSERT INTO test.t1 ### SET ### @1=3 /* INT \
meta=0 nullable=0 is_null=0 */ ### @2=1 /* INT meta=0 nullable=1 is_null=0 */ ### @3=2 /* INT meta=0 nullable=1 \
is_null=0 */ # at 1321 #100610 12:22:17 server id 1 end_log_pos 1390 Query thread_id=3 exec_time=0 error_code=0 \
SET TIMESTAMP=1276143737/*!*/; COMMIT"""
#: The words that this version adds to header lines (WL#4162).
BOUNDARY = re.compile(r" boundary: \w+ \w+")
TIME = 1276143737
#: The flag of statements for which no default database is printed.
SUPPRESS_USE = 8
#: Flags, SQL mode, catalog and character set: with them the COMMIT has the sample's 69 bytes.
STATUS = bytes.fromhex("00004000000100000000000000000603737464040800080008 00")


def sample_log() -> bytes:
    server = server_of("worklog")
    described = FormatDescription(4, server.version, 0, 19, server.post_header_lengths, 0)

    def query(text: bytes) -> bytes:
        numbers = {"thread_id": 3, "exec_time": 0, "error_code": 0}
        return write_body(2, {**numbers, "status_variables": STATUS, "database": b"test", "query": text}, described)

    def add(log: bytes, body: bytes, type_code: int = 2) -> bytes:
        checksummed = type_code == 15
        return log + frame(
            type_code, body, offset=len(log), checksummed=checksummed, timestamp=TIME, flags=SUPPRESS_USE
        )

    log = add(b"\xfebin", described.body(), 15)
    begin, empty = len(add(b"", query(b"BEGIN"))), len(add(b"", query(b"")))
    log = add(log, query(b"-" * (1183 - len(log) - begin - empty)))
    log = add(log, query(b"BEGIN"))
    for line in re.findall(r"eWgQ\S+", SAMPLE):
        log += base64.b64decode(line)
    return add(log, query(b"COMMIT"))


def test_the_sample_of_the_worklog_is_reproduced():
    log = sample_log()
    assert len(log) == 1390
    options = PrintOptions(verbose=2, zone=timezone(timedelta(hours=8)))
    text = printed([log], "worklog", options, ReaderRules()).decode()
    shown = " ".join(BOUNDARY.sub("", text).split())
    assert SAMPLE in shown


@pytest.mark.ground_truth
def test_the_sample_is_the_worklog_s(ground_truth):
    (worklog,) = (ground_truth / "worklogs").glob("WL4033-*")
    assert SAMPLE in " ".join(worklog.read_text(encoding="utf-8").split())


def test_the_rows_of_the_worklog_are_reproduced():
    rows = [
        (row.event_type, row.info)
        for row in show_binlog_events("master-bin.000001", read_events(sample_log()), PRINTER_VERSIONS["worklog"])
    ]
    assert rows[-5:] == [
        ("Query", "BEGIN"),
        ("Rows_query", "# insert into t1(a,b) values(1,2)"),
        ("Table_map", "table_id: 23 (test.t1)"),
        ("Write_rows", "table_id: 23 flags: STMT_END_F"),
        ("Query", "COMMIT"),
    ]


@pytest.mark.parametrize(("name", "profile"), WHOLE.items())
def test_a_golden_log_is_printed_line_by_line(name, profile):
    theirs = (GOLDEN / f"{name}.vv.txt").read_bytes().split(b"\n")
    log, rules = (GOLDEN / f"{name}.bin").read_bytes(), server_of(profile).rules
    assert printed([log], profile, PrintOptions(verbose=2), rules).split(b"\n") == theirs
