"""The adapter of python-mysql-replication reports nothing of its own: each fault of the library shows in the answer."""

import importlib.util
from contextlib import ExitStack
from importlib.resources import files
from unittest.mock import patch

import pytest
from small_logs import log, offset_of_last

from conformance.oracles.judge import request_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.wire.shared_listener import begin, end
from tests.extras import require
from tests.first_case import first_case

require("mysql-replication")
event = pytest.importorskip("pymysqlreplication.event")
packet = pytest.importorskip("pymysqlreplication.packet")
row_event = pytest.importorskip("pymysqlreplication.row_event")
binlogstream = pytest.importorskip("pymysqlreplication.binlogstream")


def adapter_module():
    path = files("conformance") / "implementations" / "adapters" / "mysql_replication.py"
    spec = importlib.util.spec_from_file_location("adapter_of_mysql_replication", str(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ADAPTER = adapter_module()
EVERYTHING = {"only_events": ADAPTER.EVENT_CLASSES, "filter_non_implemented_events": False}
#: Only the adapter knows where an event begins, as it cuts the stream for the library.
OWN = {"offset"}


def after_reading(cls, **values):
    """A library whose events of a class have other values than they read."""
    read = cls.__init__

    def read_wrongly(self, *args, **kwargs):
        read(self, *args, **kwargs)
        for name, value in values.items():
            setattr(self, name, value)

    return patch.object(cls, "__init__", read_wrongly)


def in_header(**values):
    """A library that reads other values of Xid events' headers."""
    read = event.XidEvent.__init__

    def read_wrongly(self, *args, **kwargs):
        read(self, *args, **kwargs)
        for name, value in values.items():
            setattr(self.packet, name, value)

    return patch.object(event.XidEvent, "__init__", read_wrongly)


def elsewhere():
    """A library that loses its own position."""
    read = binlogstream.BinLogStreamReader.fetchone

    def read_on(self):
        read_event = read(self)
        self.log_pos = 7
        return read_event

    return patch.object(binlogstream.BinLogStreamReader, "fetchone", read_on)


def without_a_class(code):
    """A library that has no class for a type."""
    classes = packet.BinLogPacketWrapper._BinLogPacketWrapper__event_map
    return patch.dict(classes, {code: event.NotImplementedEvent})


def with_property(cls, name, value):
    return patch.object(cls, name, property(lambda self: value))


BYTES = b"other"
#: Field -> the fault of the library that must change it.
DEFECTS = {
    "type": after_reading(event.XidEvent, event_type=99),
    "timestamp": after_reading(event.XidEvent, timestamp=99),
    "server_id": in_header(server_id=99),
    "length": in_header(event_size=99),
    "log_pos": in_header(log_pos=99),
    "flags": in_header(flags=99),
    "handled": without_a_class(16),
    "position": elsewhere(),
    "binlog_version": after_reading(event.FormatDescriptionEvent, binlog_version=(3,)),
    "server_version": after_reading(event.FormatDescriptionEvent, mysql_version_str="other"),
    "created": after_reading(event.FormatDescriptionEvent, created=99),
    "event_types": after_reading(event.FormatDescriptionEvent, number_of_event_types=99),
    "checksum_algorithm": after_reading(event.FormatDescriptionEvent, checksum_algorithm=1),
    "thread_id": after_reading(event.QueryEvent, slave_proxy_id=99),
    "exec_time": after_reading(event.QueryEvent, execution_time=99),
    "error_code": after_reading(event.QueryEvent, error_code=99),
    "database": after_reading(event.QueryEvent, schema=BYTES),
    "query": after_reading(event.QueryEvent, query="other"),
    "sql_mode": after_reading(event.QueryEvent, sql_mode=99),
    "auto_increment_increment": after_reading(event.QueryEvent, auto_increment_increment=99),
    "auto_increment_offset": after_reading(event.QueryEvent, auto_increment_offset=99),
    "character_set_client": after_reading(event.QueryEvent, character_set_client=99),
    "collation_connection": after_reading(event.QueryEvent, collation_connection=99),
    "collation_server": after_reading(event.QueryEvent, collation_server=99),
    "time_zone": after_reading(event.QueryEvent, time_zone=BYTES),
    "updated_databases": after_reading(event.QueryEvent, mts_accessed_db_names=[BYTES]),
    "xid": after_reading(event.XidEvent, xid=99),
    "next_position": after_reading(event.RotateEvent, position=99),
    "next_file": after_reading(event.RotateEvent, next_binlog="other"),
    "gtid": with_property(event.GtidEvent, "gtid", "other"),
    "last_committed": after_reading(event.GtidEvent, last_committed=99),
    "sequence_number": after_reading(event.GtidEvent, sequence_number=99),
    "previous_gtids": after_reading(event.PreviousGtidsEvent, _previous_gtids="other"),
    "rows_query": after_reading(event.RowsQueryLogEvent, query="other"),
    "intvar_type": after_reading(event.IntvarEvent, type=99),
    "intvar_value": after_reading(event.IntvarEvent, value=99),
    "seed1": with_property(event.RandEvent, "seed1", 99),
    "seed2": with_property(event.RandEvent, "seed2", 99),
    "table_id": after_reading(row_event.TableMapEvent, table_id=99),
    "table": after_reading(row_event.TableMapEvent, table="other"),
    "column_count": after_reading(row_event.TableMapEvent, column_count=99),
    "rows_flags": after_reading(row_event.WriteRowsEvent, flags=99),
    "rows": with_property(row_event.WriteRowsEvent, "rows", []),
    "variable_name": after_reading(event.UserVarEvent, name="other"),
    "variable_type": after_reading(event.UserVarEvent, type=99),
    "variable_charset": after_reading(event.UserVarEvent, charset=99),
    "variable_value": after_reading(event.UserVarEvent, value="other"),
    "file_id": after_reading(event.BeginLoadQueryEvent, file_id=99),
    "block_data": after_reading(event.BeginLoadQueryEvent, block_data=BYTES),
    "file_name_start": after_reading(event.ExecuteLoadQueryEvent, start_pos=99),
    "file_name_end": after_reading(event.ExecuteLoadQueryEvent, end_pos=99),
    "duplicate_handling": after_reading(event.ExecuteLoadQueryEvent, dup_handling_flags=99),
    "log_name": after_reading(event.HeartbeatLogEvent, ident="other"),
    "one_phase": after_reading(event.XAPrepareEvent, one_phase=True),
    "xa_format_id": after_reading(event.XAPrepareEvent, xid_format_id=99),
    "xa_gtrid": after_reading(event.XAPrepareEvent, xid_gtrid=BYTES),
    "xa_bqual": after_reading(event.XAPrepareEvent, xid_bqual=BYTES),
    "mariadb_gtid_flags": after_reading(event.MariadbGtidEvent, flags=99),
    "gtid_list": after_reading(event.MariadbGtidListEvent, gtid_list=[]),
}
#: Field -> what changes with it in the library too.
CONSEQUENCES = {
    "handled": {"handled", "xid"},
    "log_pos": {"log_pos", "position"},
    "next_position": {"next_position", "position"},
}


def differing(one, other):
    """The names of the fields that differ in two answers to the same stream."""
    assert [each["offset"] for each in one] == [each["offset"] for each in other]
    pairs = zip(one, other, strict=True)
    return {
        name for before, after in pairs for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    }


@pytest.mark.parametrize("field", DEFECTS)
def test_a_fault_of_the_library_shows_in_its_field_alone(field):
    stream = ADAPTER.sample()
    right = ADAPTER.decode(stream, EVERYTHING)
    assert (right["error"], right.get("crash")) == (None, None)
    with DEFECTS[field]:
        wrong = ADAPTER.decode(stream, EVERYTHING)
    assert (wrong["error"], wrong.get("crash")) == (None, None)
    assert differing(right["events"], wrong["events"]) == CONSEQUENCES.get(field, {field})


def test_every_declared_field_has_a_fault():
    role = ADAPTER.declaration(EVERYTHING, "mysql-replication")["roles"]["decode"]
    assert set(role["fields"]) == DEFECTS.keys() | OWN
    assert set(role["abilities"]) == {"error_at", "checksums"}


def raising(error):
    def read(self, *args, **kwargs):
        raise error

    return patch.object(event.RandEvent, "__init__", read)


def test_an_error_of_the_library_is_at_the_event_that_it_refuses():
    right = ADAPTER.decode(ADAPTER.sample(), EVERYTHING)["events"]
    with raising(ValueError("no seed")):
        answer = ADAPTER.decode(ADAPTER.sample(), EVERYTHING)
    place = [each["type"] for each in right].index(13)
    assert answer["error"] == {"at": right[place]["offset"], "kind": "other", "message": "ValueError: no seed"}
    assert answer["events"] == right[:place]


@pytest.mark.parametrize(
    "error", [TypeError("int() argument"), AttributeError("no 'seed'"), RecursionError("too deep")]
)
def test_a_fault_of_the_librarys_code_is_a_crash_with_the_events_before_it(error):
    with raising(error):
        answer = ADAPTER.decode(ADAPTER.sample(), EVERYTHING)
    assert answer["crash"].startswith(f"{type(error).__name__}: {error}\nTraceback")
    assert answer["events"][-1]["type"] == 5


def test_what_the_library_does_not_expect_at_all_ends_the_adapter():
    with raising(MemoryError()), pytest.raises(MemoryError):
        ADAPTER.decode(ADAPTER.sample(), EVERYTHING)


def checksummed():
    """The first two events of a log of the kit, with checksums."""
    return log((16, {"xid": 1}), checksums=True)


@pytest.mark.parametrize("verifies", [True, False])
def test_checksums_are_checked_by_the_library(verifies):
    damaged = bytearray(checksummed())
    damaged[-1] ^= 1
    with ExitStack() as faults:
        if not verifies:
            faults.enter_context(patch.object(event.BinLogEvent, "_verify_event", lambda self: None))
        last = ADAPTER.decode(bytes(damaged), EVERYTHING)["events"][-1]
    assert last["handled"] == ("refused" if verifies else "known")
    assert ("xid" in last) is not verifies


@pytest.mark.parametrize("verifies", [True, False])
def test_a_wrong_checksum_of_rows_that_the_library_drops_is_refused_too(verifies):
    """It logs that the checksum is wrong, and then drops rows of a table whose number it does not know."""
    rows = {"table_id": 85, "rows_flags": 1, "row_data": b"\x01\xff\0\x07\0\0\0"}
    damaged = bytearray(log((30, rows), (16, {"xid": 1}), checksums=True))
    at = offset_of_last(bytes(damaged))
    damaged[at - 1] ^= 1
    with ExitStack() as faults:
        if not verifies:
            faults.enter_context(patch.object(event.BinLogEvent, "_verify_event", lambda self: None))
        answer = ADAPTER.decode(bytes(damaged), EVERYTHING)
    assert answer["error"] is None
    handled = [each["handled"] for each in answer["events"]]
    assert handled == (["known", "refused", "known"] if verifies else ["known", "known"])


class Labelled:
    """A column of the library with labels."""

    def __init__(self, kind, labels):
        self.type = kind
        self.enum_values = labels
        self.set_values = labels


def test_labels_that_the_column_does_not_have_are_reported_as_they_are():
    enum, members = ADAPTER.FIELD_TYPE.ENUM, ADAPTER.FIELD_TYPE.SET
    assert ADAPTER.cell(Labelled(enum, ["", "a", "b"]), "b") == 2
    assert ADAPTER.cell(Labelled(enum, ["", "a"]), "b") == "b"
    assert ADAPTER.cell(Labelled(members, ["a", "b"]), {"b"}) == 2
    assert ADAPTER.cell(Labelled(members, ["a"]), {"b", "c"}) == "b,c"


# The role `client`, over the wire


def delivered(case):
    """What the library's reader delivers of a case that the kit serves."""
    request, port = begin(request_of(case))
    try:
        return ADAPTER.delivered(request.settings, EVERYTHING)
    finally:
        end(port)


def is_simple(case):
    """Whether a log with a Query and an Xid event is sent over one connection, which the library follows as it is."""
    types = {each["type"] for each in case.expected.events}
    source = case.settings["source"]
    is_plain = case.classes["checksum"] == "none" and case.classes["names of the logs"] == "plain"
    return {2, 16} <= types and not source["cuts"] and len(source["logs"]) == 1 and is_plain


@pytest.fixture(scope="module")
def served():
    return case_of(CaseId.parse(first_case("sent_logs", "mysql-8.0", is_simple, role="client")))


def place(name):
    """A library that is elsewhere than it should be after each event."""
    read = binlogstream.BinLogStreamReader.fetchone

    def read_on(self):
        read_event = read(self)
        if read_event is not None:
            setattr(self, name, {"log_file": "other", "log_pos": 7}[name])
        return read_event

    return patch.object(binlogstream.BinLogStreamReader, "fetchone", read_on)


#: Field of the role `client` -> the fault of the library that must change it.
CLIENT_DEFECTS = {
    **{name: DEFECTS[name] for name in ("type", "timestamp", "server_id", "flags", "query")},
    "log_pos": in_header(log_pos=99),
    "resume_log": place("log_file"),
    "resume_pos": place("log_pos"),
}
#: The library resumes at the position in the header of the last event.
CLIENT_CONSEQUENCES = {"log_pos": {"log_pos", "resume_pos"}}


@pytest.mark.parametrize("field", CLIENT_DEFECTS)
def test_a_fault_of_the_library_shows_in_its_field_of_a_client(served, field):
    right = delivered(served)
    with CLIENT_DEFECTS[field]:
        wrong = delivered(served)
    assert [(each["error"], each.get("crash")) for each in (right, wrong)] == [(None, None)] * 2
    pairs = zip(right["events"], wrong["events"], strict=True)
    names = {name for one, other in pairs for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    assert names == CLIENT_CONSEQUENCES.get(field, {field})


def test_every_field_that_a_client_declares_has_a_fault():
    role = ADAPTER.declaration(EVERYTHING, "mysql-replication")["roles"]["client"]
    assert set(role["fields"]) == CLIENT_DEFECTS.keys()


@pytest.mark.parametrize(("error", "shown_as"), [(ValueError("no xid"), "error"), (TypeError("no xid"), "crash")])
def test_an_error_or_a_crash_of_a_client_has_the_events_before_it(served, error, shown_as):
    def read(self, *args, **kwargs):
        raise error

    before = [each["type"] for each in delivered(served)["events"]]
    with patch.object(event.XidEvent, "__init__", read):
        answer = delivered(served)
    assert type(error).__name__ in str(answer[shown_as])
    assert [each["type"] for each in answer["events"]] == before[: before.index(16)]
