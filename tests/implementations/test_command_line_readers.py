"""The adapter for mysqlbinlog and mariadb-binlog makes events of what they print."""

import shutil

import pytest
from small_logs import EVENTS, QUERY, ROWS, TABLE, UUID, damaged, log, offset_of_last

from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.implementations.adapters.command_line_reader import Place, before_gap, before_open_file
from conformance.implementations.registry import implementation
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

PROGRAMS = ("mysqlbinlog", "mariadb-binlog")
#: The profile of a log that both read whole.
PROFILE = "mysql-5.7"


def settings_of_client(log_name="", log_pos=4, gtid_set=None):
    return {"log_name": log_name, "log_pos": log_pos, "gtid_set": gtid_set}


def test_a_client_that_lost_its_connection_begins_after_the_last_event_that_it_printed():
    place = Place(settings_of_client("binlog.000007", 256))
    assert place.options() == ["--read-from-remote-server", "--start-position=256", "binlog.000007"]
    place.move({"type": EventType.ROTATE, "log_pos": 0, "next_file": "binlog.000007", "next_position": 256})
    place.move({"type": EventType.FORMAT_DESCRIPTION, "log_pos": 0})
    place.move({"type": EventType.QUERY, "log_pos": 300, "query": "BEGIN"})
    assert place.options()[1:] == ["--start-position=300", "binlog.000007"]
    place.move({"type": EventType.ROTATE, "log_pos": 340, "next_file": "binlog.000008", "next_position": 4})
    assert place.options()[1:] == ["--start-position=4", "binlog.000008"]


@pytest.mark.parametrize(
    ("group", "counted"),
    [
        ([(EventType.QUERY, "BEGIN"), (EventType.TABLE_MAP, ""), (EventType.XID, "")], "a:1-3,b:tag:4"),
        ([(EventType.QUERY, "BEGIN"), (EventType.QUERY, "insert"), (EventType.QUERY, "COMMIT")], "a:1-3,b:tag:4"),
        ([(EventType.QUERY, "CREATE TABLE t (a INT)")], "a:1-3,b:tag:4"),
        ([(EventType.TRANSACTION_PAYLOAD, "")], "a:1-3,b:tag:4"),
        ([(EventType.QUERY, "XA START X'78'"), (EventType.XA_PREPARE, "")], "a:1-3,b:tag:4"),
        ([(EventType.QUERY, "BEGIN"), (EventType.QUERY, "insert")], "a:1-3"),
        ([(EventType.QUERY, "BEGIN"), (EventType.TABLE_MAP, "")], "a:1-3"),
        ([], "a:1-3"),
    ],
)
def test_a_client_by_gtids_has_those_of_the_groups_that_it_printed_whole(group, counted):
    place = Place(settings_of_client(gtid_set="a:1-3"))
    place.move({"type": EventType.GTID_TAGGED, "log_pos": 200, "gtid": "b:tag:4"})
    for event_type, words in group:
        place.move({"type": event_type, "log_pos": 300, **({"query": words} if words else {})})
    assert place.options() == ["--read-from-remote-source=BINLOG-DUMP-GTIDS", f"--exclude-gtids={counted}", ""]


def test_a_client_begins_again_at_an_event_that_was_kept_until_its_statement():
    ends = [(EventType.FORMAT_DESCRIPTION, 120), (EventType.QUERY, 200), (EventType.XID, 231)]
    events = [
        {"type": code, "log_pos": end, "length": end - start}
        for (code, end), start in zip(ends, (4, 120, 200), strict=True)
    ]
    assert before_gap(events) == events
    assert before_gap([events[0], events[2]]) == events[:1]
    rotated = [*events, {"type": EventType.ROTATE, "log_pos": 0, "length": 40}, events[0]]
    assert before_gap(rotated) == rotated


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        ([EventType.QUERY, EventType.BEGIN_LOAD_QUERY], 1),
        ([EventType.BEGIN_LOAD_QUERY, EventType.APPEND_BLOCK], 0),
        ([EventType.BEGIN_LOAD_QUERY, EventType.EXECUTE_LOAD_QUERY, EventType.XID], 3),
        ([EventType.BEGIN_LOAD_QUERY, EventType.DELETE_FILE, EventType.BEGIN_LOAD_QUERY], 2),
        ([EventType.QUERY], 1),
        ([], 0),
    ],
)
def test_a_client_begins_again_at_a_file_that_was_not_executed(types, kept):
    events = [{"type": code, "log_pos": 100 * number} for number, code in enumerate(types, 1)]
    assert before_open_file(events) == events[:kept]


def test_a_client_that_has_no_gtids_begins_a_set():
    place = Place(settings_of_client(gtid_set=""))
    place.move({"type": EventType.GTID, "log_pos": 200, "gtid": "a:1"})
    place.move({"type": EventType.XID, "log_pos": 300})
    place.move({"type": EventType.ANONYMOUS_GTID, "log_pos": 400, "gtid": "ANONYMOUS"})
    place.move({"type": EventType.XID, "log_pos": 500})
    assert place.options()[1] == "--exclude-gtids=a:1"


@pytest.fixture(scope="module", params=PROGRAMS)
def reader(request):
    if not shutil.which(request.param):
        pytest.skip(f"needs the program {request.param} on the PATH")
    with implementation(request.param) as started:
        if started.declaration.name != request.param:
            pytest.skip(f"the {request.param} here is {started.declaration.name}")
        yield started


def ask(reader, stream):
    return reader.ask(Request("decode", PROFILE, stream))


def answered(reader, stream):
    answer = ask(reader, stream)
    assert isinstance(answer, Observation), answer
    return answer


def test_it_declares_a_reader_that_finds_its_own_way(reader):
    role = reader.declaration.roles["decode"]
    opens = {"payloads"} if reader.declaration.name == "mysqlbinlog" else set()
    assert role.abilities == {"framing", "checksums", "error_at"} | opens
    assert PROFILE in role.profiles
    assert "rows_query" not in role.fields  # Its blank lines are not printed.


@pytest.mark.parametrize("checksums", [True, False])
def test_it_reports_what_stands_in_the_stream(reader, checksums):
    # MariaDB's program reads an event of MySQL's GTIDs as an ignorable one.
    events = EVENTS if reader.declaration.name == "mysqlbinlog" else EVENTS[1:]
    stream = log(*events, profile=PROFILE, checksums=checksums)
    fields = reader.declaration.roles["decode"].fields
    expected = ReferenceImplementation().ask(Request("decode", PROFILE, stream)).events
    answer = answered(reader, stream)
    assert answer.error is None
    # A Gtid of 5.7 has no more than the first fields; what it lacks is printed as 0.
    seen = [{name: value for name, value in event.items() if value or name in wanted}
            for event, wanted in zip(answer.events, expected, strict=True)]  # fmt: skip
    assert seen == [{name: value for name, value in event.items() if name in fields} for event in expected]


@pytest.mark.parametrize(
    "statement", ["BEGIN", "two\n\nlines", "# at 4", "SET x=1", "tail \n", "/* c */", "ünïcode 日本"]
)
def test_a_statement_comes_through_whole(reader, statement):
    stream = log(
        (EventType.QUERY, {**QUERY, "query": statement.encode()}), (EventType.XID, {"xid": 1}), profile=PROFILE
    )
    assert answered(reader, stream).events[1]["query"] == statement


def test_an_ignorable_event_of_an_unknown_type_is_ignored(reader):
    stream = log((EventType.IGNORABLE, b"whatever"), profile=PROFILE, flags=0x80)
    assert [each["handled"] for each in answered(reader, stream).events] == ["known", "ignored"]


def test_an_unknown_event_is_refused_at_its_offset(reader):
    stream = log((EventType.XID, {"xid": 1}), (120, b"body"), (EventType.XID, {"xid": 2}), profile=PROFILE)
    answer = answered(reader, stream)
    assert [each["type"] for each in answer.events] == [15, 16]
    assert (answer.error.kind, answer.error.at) == ("unknown-event", answer.events[-1]["log_pos"])


def test_a_wrong_checksum_is_refused(reader):
    stream = (
        damaged(log((EventType.XID, {"xid": 1}), profile=PROFILE))
        + log((EventType.XID, {"xid": 2}), profile=PROFILE)[4:]
    )
    answer = answered(reader, stream)
    assert [each["type"] for each in answer.events] == [15]
    assert answer.error.kind == "checksum"


def test_a_truncated_stream_is_refused(reader):
    stream = log((EventType.XID, {"xid": 1}), (EventType.XID, {"xid": 2}), profile=PROFILE)[:-5]
    answer = answered(reader, stream)
    assert [each["type"] for each in answer.events] == [15, 16]
    assert answer.error.kind == "truncated"


@pytest.mark.parametrize(("magic", "at"), [(b"\xffbin", 0), (b"bin\xfe", 0)])
def test_a_file_that_is_not_a_binary_log_is_refused(reader, magic, at):
    error = answered(reader, magic + log(profile=PROFILE)[4:]).error
    assert (error.kind, error.at) == ("not-a-binlog", at)


@pytest.mark.parametrize("size", range(4))
def test_a_file_without_a_whole_magic_number_is_refused(reader, size):
    error = answered(reader, b"\xfebin"[:size]).error
    assert (error.kind, error.at) == ("not-a-binlog", 0)


def test_an_event_that_is_read_but_not_printed_is_unsupported(reader):
    if reader.declaration.name == "mysqlbinlog":
        stream = log((EventType.INTVAR, {"intvar_type": 2, "intvar_value": 7}), profile=PROFILE)
    else:
        stream = log((EventType.TABLE_MAP, TABLE), (EventType.WRITE_ROWS, {**ROWS, "rows_flags": 0}), profile=PROFILE)
    trouble = ask(reader, stream)
    expected = f"the event at offset {offset_of_last(stream)} is read but not printed"
    assert trouble == Trouble("unsupported", "declined", expected)


def test_an_event_that_is_printed_without_its_header_is_unsupported(reader):
    """mariadb-binlog prints what a Start_encryption event has, and nothing of its header."""
    if reader.declaration.name != "mariadb-binlog":
        pytest.skip("mysqlbinlog does not know the event")
    body = {"encryption_scheme": 1, "key_version": 1, "nonce": bytes(12)}
    encrypted = log((EventType.MARIADB_START_ENCRYPTION, body), profile="mariadb-11.x")
    answer = reader.ask(Request("decode", "mariadb-11.x", encrypted))
    assert answer.status == "unsupported"
    assert f"the event at offset {offset_of_last(encrypted)} is printed without its header" in answer.detail


def test_the_sets_of_a_previous_gtids_are_reported(reader):
    if reader.declaration.name != "mysqlbinlog":
        pytest.skip("MariaDB's ignores Previous_gtids of MySQL")
    other = bytes(15) + b"\1"
    sets = GtidSet((Source(other, (Interval(1, 6),)), Source(UUID, (Interval(2, 3), Interval(7, 9)))))
    for gtids in (GtidSet(), sets):
        stream = log((EventType.PREVIOUS_GTIDS, {"previous_gtids": gtids}), profile=PROFILE)
        assert answered(reader, stream).events[1]["previous_gtids"] == str(gtids)


def test_a_rotate_event_may_name_a_file_on_several_lines(reader):
    stream = log((EventType.ROTATE, {"next_position": 4, "next_file": b"a\n  pos: 5 b\nc"}), profile=PROFILE)
    last = answered(reader, stream).events[-1]
    assert (last["next_file"], last["next_position"]) == ("a\n  pos: 5 b\nc", 4)


def test_what_is_refused_inside_of_a_payload_is_refused_at_the_payload(reader):
    if reader.declaration.name != "mysqlbinlog":
        pytest.skip("MariaDB's program opens no payloads")
    case = case_of(CaseId.parse("unknown_inside_payload/mysql-8.0/0/0"))
    answer = reader.ask(request_of(case))
    assert answer.error.at == case.expected.refused_at
    assert [each["offset"] for each in answer.events] == [each["offset"] for each in case.expected.events]


def test_an_event_that_it_ignores_is_not_one_that_it_does_not_print(reader):
    """MariaDB's program ignores every event with the ignorable flag, also a Query."""
    stream = log((EventType.QUERY, {**QUERY, "query": b"FLUSH LOGS"}), *EVENTS[-1:], profile=PROFILE, flags=0x80)
    answer = answered(reader, stream)
    ignores = reader.declaration.name == "mariadb-binlog"
    assert [each["handled"] for each in answer.events] == ["known", *["ignored" if ignores else "known"] * 2]


def test_rows_that_it_takes_for_ignorable_ones_are_not_filtered(reader):
    """MariaDB's program prints them as comments, whatever the rule for their database is."""
    stream = log(
        *(each for each in EVENTS if each[0] in (EventType.TABLE_MAP, EventType.WRITE_ROWS)),
        profile=PROFILE,
        flags=0x80,
    )
    database = TABLE["database"].decode()
    rule = {
        "do_tables": [[database, TABLE["table"].decode()]],
        "ignore_tables": [],
        "tables": "literal",
        "renames": "name",
    }
    answer = reader.ask(Request("filter", PROFILE, stream, settings=rule))
    assert isinstance(answer, Trouble) == (reader.declaration.name == "mariadb-binlog"), answer


def test_gtids_out_of_order_are_read(reader):
    if reader.declaration.name == "mysqlbinlog":
        pytest.skip("MySQL's program checks no order")
    gtids = [(EventType.MARIADB_GTID, {"gno": number, "domain_id": 0, "mariadb_gtid_flags": 1}) for number in (9, 3)]
    answer = reader.ask(Request("decode", "mariadb-11.x", log(*gtids, profile="mariadb-11.x")))
    assert answer.error is None


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("mysqlbinlog  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", "9.7.4"),
        ("mysqlbinlog Ver 3.4 for Linux at x86_64", "3.4"),
        ("mysqlbinlog Ver 3.3 Distrib 10.1.23-MariaDB, for debian-linux-gnu (x86_64)", "10.1.23"),
        ("mariadb-binlog from 11.8.6-MariaDB, client 3.5 for debian-linux-gnu (x86_64)", "11.8.6"),
    ],
)
def test_the_version_is_that_of_the_release_where_it_is_printed(printed, version, tmp_path):
    program = tmp_path / "mysqlbinlog"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n", encoding="utf-8")
    program.chmod(0o755)
    with implementation(f"mysqlbinlog:{program}") as started:
        assert started.declaration.version == version


@pytest.mark.parametrize("role", ["decode", "render"])
def test_a_program_that_asks_for_gtids_in_order_runs_without_that(role, tmp_path):
    program = tmp_path / "mariadb-binlog"
    program.write_text(
        '#!/bin/sh\ncase "$*" in\n--help) echo MariaDB --gtid-strict-mode ;;\n--version) echo Ver 1 ;;\n'
        "*--skip-gtid-strict-mode*) ;;\n*) echo ERROR: order >&2; exit 1 ;;\nesac\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    case = case_of(CaseId.parse("render:rendered_text/mariadb-11.x/0/1"))
    request = request_of(case) if role == "render" else Request(role, "mariadb-11.x", b"\xfebin")
    with implementation(f"mariadb-binlog:{program}") as started:
        assert started.ask(request).error is None
