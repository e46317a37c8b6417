"""The adapter for python-mysql-replication reports what the library returns, and serves it as a server would."""

import json
import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files

import pytest
from small_logs import EVENTS, ROWS, damaged, log, offset_of_last

from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import GtidSet
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import failures_of
from conformance.protocol.messages import encode_bulk_request
from conformance.protocol.observation import Observation, Request
from conformance.protocol.roles.decode import FIELDS_OF_TYPE, HEADER_FIELDS
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.extras import require

require("mysql-replication")
PACKET = pytest.importorskip("pymysqlreplication.packet")

REFERENCE = ReferenceImplementation()
TEXT = b"\x22insert into t1(a,b) values(1,2),(3)"


@pytest.fixture(scope="module")
def library():
    with implementation("mysql-replication") as started:
        yield started


@pytest.fixture(scope="module")
def by_default():
    with implementation("mysql-replication-default-filter") as started:
        yield started


def ask(implementation, stream, profile="mysql-8.0"):
    answer = implementation.ask(Request("decode", profile, stream))
    assert isinstance(answer, Observation), answer
    return answer


def declared_part(implementation, events):
    # The library has a notation of its own for GTID sets, and a position after events that are in no log.
    fields = implementation.declaration.roles["decode"].fields - {"previous_gtids", "position"}
    return [{name: value for name, value in event.items() if name in fields} for event in events]


def test_it_declares_what_the_library_can_report(library):
    declaration = library.declaration
    assert (declaration.name, declaration.version) == ("mysql-replication", version("mysql-replication"))
    role = declaration.roles["decode"]
    of_its_types = [FIELDS_OF_TYPE[code] for code in PACKET.BinLogPacketWrapper._BinLogPacketWrapper__event_map]
    # It cuts the stream itself, and has no use for these:
    never = {
        "event_types", "created", "checksum_algorithm", "gtid_flags", "status_variables", "immediate_commit_timestamp",
        "original_commit_timestamp", "transaction_length", "immediate_server_version", "original_server_version",
        "commit_id", "tables_info",
    }  # fmt: skip
    assert (
        role.fields
        >= {*HEADER_FIELDS, *(name for each in of_its_types for name in each.required + each.optional)} - never
    )
    assert role.abilities == {"error_at", "checksums"}


@pytest.mark.parametrize("checksums", [True, False])
@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-8.0", "mysql-9.x"])
def test_it_reports_the_events_of_the_stream(library, profile, checksums):
    stream = log(*EVENTS, profile=profile, checksums=checksums)
    expected = REFERENCE.ask(Request("decode", profile, stream))
    answer = ask(library, stream, profile)
    assert answer.error is None
    assert [each["type"] for each in answer.events] == [15, *(code for code, _ in EVENTS)]
    # Only the reference reports the column count of a rows event.
    wanted = [{k: v for k, v in each.items() if each["type"] != 30 or k != "column_count"} for each in expected.events]
    assert declared_part(library, answer.events) == declared_part(library, wanted)
    in_log = [
        (own, right) for own, right in zip(answer.events, wanted, strict=True) if right["type"] != EventType.ROTATE
    ]
    assert all(own["position"] == right["position"] for own, right in in_log)


@pytest.mark.parametrize(
    ("profile", "code", "fields"),
    [
        ("mysql-8.0", EventType.USER_VAR, {"variable_name": b"a", "is_null": 0, "variable_type": 2,
                                           "variable_charset": 63, "variable_value": b"\xff" * 8, "variable_flags": 1}),
        ("mysql-8.0", EventType.USER_VAR, {"variable_name": b"a", "is_null": 1}),
        ("mysql-8.0", EventType.BEGIN_LOAD_QUERY, {"file_id": 7, "block_data": b"1,\xff\n"}),
        ("mysql-8.0", EventType.XA_PREPARE, {"one_phase": 1, "xa_format_id": 1, "xa_gtrid_length": 2,
                                             "xa_bqual_length": 1, "xa_data": b"a\xffb"}),
        ("mysql-8.0", EventType.HEARTBEAT, {"log_name": b"binlog.000007"}),
        ("mariadb-11.x", EventType.MARIADB_GTID, {"gno": 2**64 - 1, "domain_id": 3, "mariadb_gtid_flags": 4}),
        ("mariadb-11.x", EventType.MARIADB_GTID_LIST, {"gtid_list": [{"domain_id": 0, "server_id": 1, "gno": 5}] * 2}),
        ("mariadb-11.x", EventType.MARIADB_BINLOG_CHECKPOINT, {"log_name": b"binlog.000007"}),
    ],
    ids=lambda value: value.name if isinstance(value, EventType) else "",
)  # fmt: skip
def test_it_reports_events_of_other_types(library, profile, code, fields):
    stream = log((code, fields), profile=profile, checksums=False)
    expected = REFERENCE.ask(Request("decode", profile, stream))
    events = ask(library, stream, profile).events
    assert declared_part(library, events) == declared_part(library, expected.events)


def test_an_event_without_a_class_is_ignored_or_absent(library, by_default):
    stream = log((EventType.ANONYMOUS_GTID, EVENTS[0][1]), (EventType.XID, {"xid": 1}))
    seen = {each["type"]: each["handled"] for each in ask(library, stream).events}
    assert seen == {15: "known", 34: "ignored", 16: "known"}
    assert [each["type"] for each in ask(by_default, stream).events] == [15, 16]


def test_an_exception_of_the_library_is_a_refusal_at_its_event(library):
    stream = log((EventType.XID, {"xid": 1}), (EventType.XID, b"\1\2"), checksums=False)
    error = ask(library, stream).error
    assert (error.at, error.kind) == (offset_of_last(stream), "other")
    assert error.message.startswith("AssertionError: Result length not requested length")


@pytest.mark.parametrize(
    ("stream", "kind", "at"),
    [(b"\xfdbin" + bytes(60), "encrypted", 0), (b"", "not-a-binlog", 0), (log()[:-3], "truncated", 4)],
)
def test_a_stream_that_cannot_be_cut_into_events_is_refused(library, stream, kind, at):
    error = ask(library, stream).error
    assert (error.kind, error.at) == (kind, at)


@pytest.mark.skipif(version("mysql-replication") != "1.0.17", reason="a fault of mysql-replication 1.0.17")
def test_a_log_in_use_is_served_as_a_server_sends_it(library):
    """The flag is cleared in what a server sends, and the checksum is that of the event without it."""
    stream = bytearray(log(*EVENTS))
    stream[4 + 17] |= 1
    answer = ask(library, bytes(stream))
    assert answer == ask(library, log(*EVENTS))
    assert answer.error is None


def test_a_body_that_ends_too_early_for_pymysql_is_a_refusal_and_no_crash(library):
    """It raises an Exception without a class of its own, where it steps over bytes that are not there."""
    stream = log((EventType.ROWS_QUERY, b""), checksums=False)
    answer = ask(library, stream)
    assert answer.error is not None
    assert answer.error.at == offset_of_last(stream)
    assert "advance amount" in answer.error.message


def test_rows_of_no_table_with_a_wrong_checksum_are_refused(library):
    stream = damaged(log((EventType.WRITE_ROWS, ROWS)))
    assert [each["handled"] for each in ask(library, stream).events] == ["known", "refused"]


def test_a_rows_query_loses_four_bytes_without_checksums(library):
    def text(checksums):
        return ask(library, log((EventType.ROWS_QUERY, TEXT), checksums=checksums)).events[-1]["rows_query"]

    assert text(checksums=True) == TEXT[1:].decode()
    assert text(checksums=False) == TEXT[1:-4].decode()


@pytest.mark.skipif(version("mysql-replication") != "1.0.17", reason="a fault of mysql-replication 1.0.17")
def test_what_adapters_must_not_repair_is_reported(library):
    body = {"gtid_list": [{"domain_id": 0, "server_id": 1, "gno": 5}] * 2}
    listed = log((EventType.MARIADB_GTID_LIST, body), profile="mariadb-11.x")
    assert ask(library, listed, "mariadb-11.x").events[-1]["gtid_list"] == "2-0-21474836481,2-0-21474836481"
    gtids = GtidSet.from_text("3e11fa47-71ca-11e1-9e33-c80aa9429562:1-4").to_bytes()
    previous = ask(library, log((EventType.PREVIOUS_GTIDS, gtids))).events[-1]["previous_gtids"]
    assert previous == "3e11fa47-71ca-11e1-9e33-c80aa9429562-:['1-5']"


@pytest.mark.parametrize(
    ("family", "index", "finding"),
    [
        ("every_column_type", 26, "value of ENUM or SET is null"),
        ("partial_json_updates", 5, "changes of JSON differ"),
    ],
)
def test_an_empty_set_and_a_document_without_changes_are_not_taken_for_null(library, family, index, finding):
    """The library returns None for them, and the reason beside it where the log has the names of the columns."""
    case = case_of(CaseId(family, "mysql-9.x", seed=0, index=index))
    judge = Judge(library.declaration.roles["decode"])
    assert finding not in {each.finding for each in failures_of(judge.judge(case, library.ask(request_of(case))))}


def test_it_reads_a_part_of_a_file(tmp_path):
    stream = log(*EVENTS)
    (tmp_path / "shard").write_bytes(b"before" + stream + b"after")
    request = encode_bulk_request(
        role="decode", profile="mysql-8.0", seq=1, path=str(tmp_path / "shard"), offset=6, length=len(stream)
    )
    command = [sys.executable, str(files("conformance") / "implementations/adapters/mysql_replication.py")]
    done = subprocess.run(command, input=request, capture_output=True, check=True, timeout=20)
    assert len(json.loads(done.stdout)["events"]) == 1 + len(EVENTS)
