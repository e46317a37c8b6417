"""The role `boundary`: hand-written logs read by the reference, and the questions of the families."""

from collections import Counter
from itertools import product

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.fed_event import fed_events
from conformance.models.boundary.transition_table import CELLS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.coverage.boundary_coverage import BOUNDARY_TABLES
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Request, Trouble
from conformance.reference.boundary import answer
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

SERVER = server_of("worklog")
FORMAT = FormatDescription(
    binlog_version=4,
    server_version=SERVER.version,
    created=0,
    header_length=HEADER_BYTES,
    post_header_lengths=SERVER.post_header_lengths,
    checksum_algorithm=0,
)
QUERY = {
    "thread_id": 1, "exec_time": 0, "error_code": 0, "status_variables": b"", "database": b"test",
}  # fmt: skip


def log(*events):
    """A log of (type code, flags, fields), after a format description, and the offsets of all its events."""
    stream = bytearray(MAGIC)
    offsets = []
    bodies = [(code, flags, write_body(code, fields, FORMAT)) for code, flags, fields in events]
    for code, flags, body in [(EventType.FORMAT_DESCRIPTION, 0, FORMAT.body()), *bodies]:
        offsets.append(len(stream))
        checksummed = code == EventType.FORMAT_DESCRIPTION
        stream += frame(code, body, offset=len(stream), checksummed=checksummed, flags=flags)
    return bytes(stream), offsets


def marked(code, value, fields=None):
    return code, MARKER_BITS.write(0, value), fields or {}


def query(text, value=0):
    return marked(EventType.QUERY, value, {**QUERY, "query": text})


XID = {"xid": 7}
FLAGS_AT = 17
UNABLE = "Unable to change boundary parser from"


def entries_of(events, *, profile="worklog", resets=(), use="receiver"):
    stream, offsets = log(*events)
    settings = {"resets": [offsets[index] for index in resets], "uses": [use] * (len(resets) + 1)}
    observation = answer(Request("boundary", profile, stream, settings))
    assert [entry["offset"] for entry in observation.events] == offsets
    return observation.events


def values_of(entries, *names):
    return [tuple(entry[name] for name in names) for entry in entries]


def test_a_marked_log():
    events = [query(b"BEGIN", BoundaryType.START_TRANSACTION), marked(EventType.XID, BoundaryType.END_TRANSACTION, XID)]
    assert values_of(entries_of(events), "marker", "answers", "state", "within_transaction", "warning") == [
        ("Not Defined", "b", "Not Defined", "no", ""),
        ("Start Transaction", "ad", "Start Transaction", "yes", ""),
        ("End Transaction", "af", "End Transaction", "no", ""),
    ]


def test_an_unmarked_log():
    events = [query(b"BEGIN"), query(b"INSERT INTO t VALUES (1)"), marked(EventType.XID, 0, XID)]
    assert values_of(entries_of(events), "marker", "boundary_type", "state") == [
        ("Not Defined", "Ignore Boundary", "Not Defined"),
        ("Not Defined", "Start Transaction", "Start Transaction"),
        ("Not Defined", "Inside Transaction", "Inside Transaction"),
        ("Not Defined", "End Transaction", "End Transaction"),
    ]


def test_a_reset_within_a_transaction():
    events = [query(b"BEGIN"), query(b"BEGIN"), marked(EventType.XID, 0, XID), marked(EventType.XID, 0, XID)]
    assert values_of(entries_of(events, resets=[2]), "warning") == [
        ("",), ("",), ("",), ("",), (f"{UNABLE} End Transaction to End Transaction.",),
    ]  # fmt: skip
    assert values_of(entries_of(events), "warning")[2] == (f"{UNABLE} Start Transaction to Start Transaction.",)


def test_the_use_changes_nothing():
    events = [marked(EventType.XID, 0, XID), query(b"BEGIN")]
    assert entries_of(events, use="dump") == entries_of(events)


def test_an_unknown_event_is_fed_and_not_refused():
    stream, _ = log(marked(EventType.XID, 0, XID))
    unknown = frame(99, b"", offset=len(stream), checksummed=False, flags=int(Flag.IGNORABLE))
    observation = answer(Request("boundary", "worklog", stream + unknown, {"resets": [], "uses": ["receiver"]}))
    assert observation.error is None
    assert observation.events[-1]["boundary_type"] == "Ignore Boundary"


def test_a_torn_log_is_reported_up_to_the_torn_event():
    stream, offsets = log(query(b"BEGIN"), marked(EventType.XID, 0, XID))
    observation = answer(Request("boundary", "worklog", stream[:-3], {"resets": [], "uses": ["dump"]}))
    assert [entry["offset"] for entry in observation.events] == offsets[:2]
    assert (observation.error.at, observation.error.kind) == (offsets[2], "truncated")


def test_shipped_parsers_report_fewer_fields():
    events = [query(b"BEGIN"), marked(EventType.STOP, 0), marked(EventType.XID, 0, XID), marked(EventType.XID, 0, XID)]
    text = "QUERY(COMMIT or ROLLBACK) or XID_LOG_EVENT is not expected in an event stream outside a transaction."
    entries = entries_of(events, profile="mysql-8.0")
    assert values_of(entries, "within_transaction", "warning") == [
        ("no", ""), ("yes", ""), ("yes", ""), ("no", ""), ("no", text),
    ]  # fmt: skip
    assert all(entry.keys() == {"offset", "type", "within_transaction", "warning"} for entry in entries)


@pytest.mark.parametrize("profile", ["mysql-5.6", "mariadb-11.x"])
def test_a_profile_without_a_parser_is_unsupported(profile):
    stream, _ = log()
    trouble = answer(Request("boundary", profile, stream, {"resets": [], "uses": ["receiver"]}))
    assert isinstance(trouble, Trouble)
    assert (trouble.status, trouble.detail) == ("unsupported", f"servers of {profile} have no boundary parser")


def cases(family, count, *, profile="worklog", seed=1):
    return [case_of(CaseId(family, profile, seed=seed, index=index, role="boundary")) for index in range(count)]


def test_exhaustive_cases_go_through_every_cell():
    table = BOUNDARY_TABLES[0]
    reached = Counter(cell for case in cases("boundary_exhaustive", 14) for cell in table.cells(case))
    assert set(reached) == set(table.every)
    assert len(table.every) == len(CELLS) == 20


def values(case):
    """The markers of each stream of a case, without those before the first reset."""
    markers = []
    for entry in case.expected.events:
        if entry["offset"] in case.settings["resets"]:
            markers.append(())
        if markers:
            at = entry["offset"] + FLAGS_AT
            markers[-1] = (*markers[-1], MARKER_BITS.stored(int.from_bytes(case.stream[at : at + 2], "little")))
    return markers


def test_exhaustive_cases_have_every_pair_after_a_common_beginning():
    for case in cases("boundary_exhaustive", 20):
        streams = values(case)
        streams[-1] = tuple(value for value in streams[-1] if value < 6)
        before = streams[0][:-2]
        assert streams == [(*before, *pair) for pair in product(range(6), repeat=2)]


def test_valid_families_cause_no_warnings():
    for family in ("marked_streams", "unmarked_streams"):
        for case in cases(family, 40):
            assert {entry["warning"] for entry in case.expected.events} == {""}


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"])
@pytest.mark.parametrize(
    "family", ["unmarked_streams", "boundary_connections", "boundary_runs", "anonymous_gtid_streams"]
)
def test_shipped_parsers_accept_valid_streams(family, profile):
    for case in cases(family, 20, profile=profile):
        assert {entry["warning"] for entry in case.expected.events} == {""}


def without_markers(case):
    """The stream of a case with the three bits clear, and whether the type of some event depends on its marker."""
    stream = bytearray(case.stream)
    by_marker_alone = False
    for entry in case.expected.events:
        at = entry["offset"] + FLAGS_AT
        flags = int.from_bytes(stream[at : at + 2], "little")
        unknown = entry["type"] > FORMAT.event_types
        # The flag of an artificial Rotate decides what is guessed of it.
        decided = unknown or (entry["type"] == EventType.ROTATE and flags & Flag.ARTIFICIAL)
        by_marker_alone |= bool(decided) and MARKER_BITS.read(flags) is not BoundaryType.IGNORE_BOUNDARY
        stream[at : at + 2] = MARKER_BITS.write(flags, 0).to_bytes(2, "little")
    return bytes(stream), by_marker_alone


def test_a_parser_guesses_the_types_that_a_server_marks():
    rules = ReaderRules(verify_checksums=False, beyond_format_description=True)
    compared = 0
    for case in cases("marked_streams", 60):
        stream, by_marker_alone = without_markers(case)
        if by_marker_alone:
            continue
        compared += 1
        parser = WorklogParser()
        guessed = [parser.feed(event).boundary_type.heading for event in fed_events(read_events(stream, rules))]
        assert guessed == [entry["boundary_type"] for entry in case.expected.events]
    assert compared > 10


def test_a_fault_fails_the_requirement_where_it_arises():
    # The parser accepts Stop within a transaction; what follows from that fails no other requirement.
    implementation = MutantImplementation(mutant_of("cell-start-self"))
    judge = Judge(implementation.declaration.roles["boundary"])
    failed = Counter()
    for case in cases("boundary_faults", 40):
        verdicts = judge.judge(case, implementation.ask(request_of(case)))
        failed.update(each.requirement for each in verdicts if each.status == "fail")
    assert failed["WL4162-TT-START-SELF"] > 0
    assert {each for each in failed if each.startswith("WL4162-TT-")} == {"WL4162-TT-START-SELF"}
