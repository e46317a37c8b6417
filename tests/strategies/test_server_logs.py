"""Generated valid streams obey what holds for every recorded log of a real server, before and after shrinking."""

from contextlib import suppress
from dataclasses import replace

import pytest
from real_files import DAMAGED
from server_logs import LAWS

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.strategies.events import gtid_events, mariadb_events, mysql_events
from conformance.strategies.families.departures import DEPARTURES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import FittingChooser, RecordingChooser, SeededChooser
from conformance.strategies.grammar.family import families
from conformance.strategies.grammar.stream import StreamBuilder

#: Cases of each family and profile, and how often each is cut short as shrinking does.
CASES = 6
CUTS = 6
#: Logs that other projects changed for their tests, or whose server was killed: a transaction is not whole.
CHANGED = ("_orphan_", "_duplicate_xid", "_malformed_xid", "/crash", "truncated")
#: Law -> the recorded logs that break it, with the reason.
EXCEPTIONS = {
    "a_log_begins_with_previous_gtids_since_5_7": {"5.7.1_bug32407.001": "a milestone before WL#7592"},
}
#: Families that differ from servers' logs on purpose are not held to the laws; one differs in what no law is about.
DEPARTING = {name for each in DEPARTURES for name in each.families} - {"transaction_payloads"}


def recorded_logs(folder):
    for path in sorted(
        (
            *(folder / "real-binlogs").iterdir(),
            *(folder / "real-servers").rglob("*"),
            *(folder / "older-servers").rglob("*"),
        )
    ):
        name = str(path.relative_to(folder))
        if path.is_file() and name not in DAMAGED and not any(part in name for part in CHANGED):
            with path.open("rb") as file:
                if file.read(4) == b"\xfebin":
                    yield path


def events_of(stream, rules):
    events = []
    with suppress(BinlogError):
        events.extend(read_events(stream, rules))
    return events


def broken_laws(events):
    return {name: [event.offset for event in broken(events)] for name, broken in LAWS.items() if any(broken(events))}


@pytest.mark.ground_truth
def test_the_laws_hold_for_every_recorded_log(ground_truth):
    logs = list(recorded_logs(ground_truth))
    assert len(logs) > 250
    for path in logs:
        broken = broken_laws(events_of(path.read_bytes(), ReaderRules(verify_checksums=False)))
        assert {name for name in broken if path.name not in EXCEPTIONS.get(name, ())} == set(), path


def shrunk_streams(family, role, profile):
    """Yield cases of a family, and each of them cut short: from some choice on the simplest answer is taken."""
    for index in range(CASES):
        case_id = CaseId(family.name, profile, seed=6, index=index, role=role)
        chooser = RecordingChooser(case_id.chooser())
        yield family.build(chooser, profile, case_id)
        for cut in range(CUTS):
            choices = chooser.choices[: cut * len(chooser.choices) // CUTS]
            yield family.build(FittingChooser(choices), profile, case_id)


def logs_of(case):
    """Yield the logs of a case: its stream is one, but a sender has several."""
    begin = 0
    for each in case.settings["logs"] if case.role == "send" else ():
        yield case.stream[begin : begin + each["length"]]
        begin += each["length"]
    if not begin:
        yield case.stream


LOGS = [
    (name, role)
    for name, family in sorted(families().items())
    if family.production is not None and not family.fault and name not in DEPARTING
    for role in family.focus
    # What a client is asked is what a sender is asked: the same logs.
    if role != "client"
]


@pytest.mark.parametrize(("name", "role"), LOGS)
def test_the_laws_hold_for_the_streams_of_valid_families(name, role):
    family = families()[name]
    for profile in family.profiles_of(role):
        rules = server_of(profile).rules
        for case in shrunk_streams(family, role, profile):
            for log in logs_of(case):
                events = events_of(log, rules)
                assert events[-1].end == len(log)
                assert broken_laws(events) == {}, (str(case.id), log.hex())


def log_with(profile, type_code, wire, *, previous=True, flags=0):
    """Return the events of a log with one event of a type, made of these fields."""
    stream = StreamBuilder(SeededChooser("laws"), server_of(profile), checksums=False)
    stream.describe_format()
    if previous and stream.server.is_mariadb:
        stream.add(mariadb_events.gtid_list(stream))
    elif previous:
        stream.add(gtid_events.previous_gtids(stream, GtidSet(()), flags=0 if profile == "mysql-5.6" else 0x80))
    stream.add(mysql_events.plan(stream, type_code, wire, {}, flags=flags))
    return events_of(bytes(stream.bytes), server_of(profile).rules)


COMMIT = {
    "gtid_flags": 0, "source_uuid": bytes(16), "gno": 0, "logical_timestamp_typecode": 2, "last_committed": 0,
    "sequence_number": 1, "immediate_commit_timestamp": 5, "transaction_length": 73, "immediate_server_version": 80043,
}  # fmt: skip
TABLE = {
    "table_id": 1, "table_flags": 1, "database": b"test", "table": b"t", "column_count": 1, "column_types": b"\3",
    "column_metadata": b"", "null_bits": b"\1", "optional_metadata": b"\1\1\0",
}  # fmt: skip
ROWS = {
    "table_id": 1, "rows_flags": 1, "column_count": 1, "columns_present": b"\xff", "row_data": b"\0\1\0\0\0",
}  # fmt: skip

BEGIN = {
    "thread_id": 1, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b"", "query": b"BEGIN",
}  # fmt: skip


def with_wrong_own_length():
    events = log_with("mysql-8.0", EventType.XID, {"xid": 1})
    lengths = bytearray(events[0].format.post_header_lengths)
    lengths[EventType.FORMAT_DESCRIPTION - 1] += 1
    return [events[0]._replace(format=replace(events[0].format, post_header_lengths=bytes(lengths))), *events[1:]]


#: Law -> a log that breaks it alone.
BROKEN = {
    "a_format_description_has_its_own_post_header_length": with_wrong_own_length,
    "the_original_commit_timestamp_is_written_where_it_differs": lambda: log_with(
        "mysql-8.0", 34, COMMIT | {"original_commit_timestamp": 5, "transaction_length": 80}
    ),
    "the_original_server_version_is_written_where_it_differs": lambda: log_with(
        "mysql-8.0", 34, COMMIT | {"original_server_version": 80043, "transaction_length": 77}
    ),
    "the_immediate_server_version_is_that_of_the_log": lambda: log_with(
        "mysql-8.0", 34, COMMIT | {"immediate_server_version": 80042}
    ),
    "a_ticket_of_a_commit_group_is_not_0": lambda: log_with(
        "mysql-8.0", 34, COMMIT | {"commit_group_ticket": 0, "transaction_length": 81}
    ),
    "a_transaction_depends_on_earlier_ones": lambda: log_with("mysql-8.0", 34, COMMIT | {"last_committed": 1}),
    "a_gtid_event_of_5_6_has_the_flag_of_a_commit": lambda: log_with(
        "mysql-5.6", 33, {"gtid_flags": 0, "source_uuid": bytes(16), "gno": 1}
    ),
    "previous_gtids_have_the_tagged_form_for_sets_with_tags": lambda: log_with(
        "mysql-8.4", 35, {"previous_gtids": GtidSet((), tagged=True)}, previous=False, flags=0x80
    ),
    "previous_gtids_are_ignorable_since_5_7": lambda: log_with(
        "mysql-8.0", 35, {"previous_gtids": GtidSet(())}, previous=False
    ),
    "the_bits_of_null_columns_end_with_the_columns": lambda: log_with("mysql-8.0", 19, TABLE | {"null_bits": b"\xff"}),
    "the_bounds_of_a_transaction_need_no_default_database_since_5_5": lambda: log_with("mysql-8.0", 2, BEGIN),
    "a_table_map_has_metadata_since_8_0_alone": lambda: log_with("mysql-8.0", 19, TABLE | {"optional_metadata": b""}),
    "a_table_map_has_exact_bits_since_5_5": lambda: log_with("mysql-8.0", 19, TABLE | {"table_flags": 0}),
    "the_bitmaps_of_nulls_are_filled_with_zeros_since_8_0": lambda: log_with(
        "mysql-8.0", 30, ROWS | {"row_data": b"\xfe\1\0\0\0"}
    ),
    "a_log_begins_with_previous_gtids_since_5_7": lambda: log_with("mysql-8.0", 16, {"xid": 1}, previous=False),
    "a_log_of_mariadb_begins_with_gtid_list": lambda: log_with("mariadb-10.x", 16, {"xid": 1}, previous=False),
    "a_transaction_of_mariadb_begins_with_its_gtid": lambda: log_with("mariadb-10.x", 2, BEGIN, flags=8),
    "the_length_of_a_transaction_counts_its_events": lambda: log_with(
        "mysql-8.0", 34, COMMIT | {"transaction_length": 72}
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_can_be_broken(name):
    assert set(broken_laws(BROKEN[name]())) == {name}
