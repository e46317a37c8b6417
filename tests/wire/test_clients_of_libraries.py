"""Libraries and programs as clients over the wire: what they read of a log there is what they read of it in a file, and
each lost connection is resumed, or the library is blamed for it.
"""

import re
from dataclasses import replace

import pytest

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, MAGIC, Header
from conformance.implementations.library import libraries
from conformance.implementations.registry import entry_of, implementation
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Request
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.extras import require

BY_POSITION, BY_GTIDS = "client:sent_logs/{}/0/{{}}", "client:sent_gtids/{}/0/{{}}"
#: The profile of the cases, and that for a client that does not read its logs.
PROFILE, OTHER_PROFILES = "mysql-8.4", {"mariadb-binlog": "mysql-5.7"}
RESUMED = "FORMAT-CLIENT-RESUMED"
TWICE = {"events delivered twice"}
#: Name -> how it is blamed where a connection is lost after an event: by position, and by GTIDs whose groups end with
#: an Xid event, or are a statement. zongji counts a GTID at its Xid event, COMMIT or ROLLBACK, else at the next GTID.
RESUMING = {
    "reference": (set(), set(), set()),
    "mysql-replication": (set(), TWICE, TWICE),
    "go-mysql": (set(), TWICE, TWICE),
    "mysql-binlog-connector-java": (set(), set(), set()),
    "@vlasky/zongji": (set(), set(), TWICE),
    "mysqlbinlog": (set(), set(), set()),
    "mariadb-binlog": (set(), None, None),
}
BUILT = [pytest.mark.slow, pytest.mark.network]
NAMES = [
    pytest.param(name, marks=BUILT if name in libraries() and libraries()[name].tools else []) for name in RESUMING
]
#: What a source makes for the connection: a file has the one, and a client may show the other.
OF_CONNECTION = (EventType.ROTATE, EventType.FORMAT_DESCRIPTION)
SHOWN = ("type", "log_pos", "timestamp", "server_id", "flags", "query")


@pytest.fixture(params=NAMES)
def library(request):
    if request.param == "mysql-replication":
        require("mysql-replication")
    missing = entry_of(request.param)[0].available()
    if missing is not None:
        pytest.skip(missing)
    with implementation(request.param) as started:
        yield started


def pattern_for(library, pattern):
    return pattern.format(OTHER_PROFILES.get(library.declaration.name, PROFILE))


def first(pattern, fits):
    return next(case for index in range(1000) if fits(case := case_of(CaseId.parse(pattern.format(index)))))


def without_cuts(case):
    return case_with_cuts(case, [])


def case_with_cuts(case, cuts):
    settings = {**case.settings, "source": {**case.settings["source"], "cuts": cuts}}
    marks = {name: indices for name, indices in case.marks.items() if name != RESUMED}
    if cuts:
        marks[RESUMED] = tuple(range(cuts[0]["index"] + 1, len(case.expected.events)))
    return replace(case, settings=settings, marks=marks)


def cut_after(case, index):
    """Return a case whose connection is lost after an event, with how much of its group may come again."""
    events = case.expected.events
    start = index + 1
    for at in range(index, -1, -1):
        ends_group = "resume_pos" in events[at] or "executed_gtids" in events[at]
        if ends_group or events[at]["type"] in (EventType.PREVIOUS_GTIDS, EventType.FORMAT_DESCRIPTION):
            break
        if events[at]["type"] in GTID_TYPES:
            start = at
    log = case.settings["source"]["logs"][0]["name"]
    cut = {"log_name": log, "log_pos": events[index]["log_pos"], "index": index, "resent": index + 1 - start}
    return case_with_cuts(case, [cut])


def is_one_log(case):
    """Return whether a case has one log and begins there; mysql-replication cuts the names of logs beyond ASCII."""
    names = [each["name"] for each in case.settings["source"]["logs"]]
    return len(names) == 1 and names[0].isascii() and case.settings["log_pos"] == 4


def test_a_log_over_the_wire_is_what_it_is_in_a_file(library):
    if "type" not in library.declaration.roles["decode"].fields:
        pytest.skip(f"{library.declaration.name} keeps no types of events")
    # A source clears the flag of a log in use, at whose checksum go-mysql stops in a file.
    cases = [
        case
        for index in range(80)
        if is_one_log(case := case_of(CaseId.parse(pattern_for(library, BY_POSITION).format(index))))
        and not is_in_use(case.stream)
    ]
    assert len(cases) > 1
    for case in map(without_cuts, cases):
        over_wire = library.ask(request_of(case))
        in_file = library.ask(Request("decode", case.id.profile, case.stream, {}))
        assert isinstance(over_wire, Observation), case.id
        assert isinstance(in_file, Observation), case.id
        compared = [[shown(each) for each in seen.events if is_compared(each)] for seen in (over_wire, in_file)]
        # A library that stops at an event in a file stops at it over the wire, and the other way round.
        assert (compared[0], over_wire.error is None) == (compared[1], in_file.error is None), case.id


def is_in_use(stream):
    return bool(Header(*HEADER.unpack_from(stream, len(MAGIC))).flags & Flag.BINLOG_IN_USE)


def is_compared(entry):
    return entry.get("type") is not None and entry["type"] not in OF_CONNECTION and entry["timestamp"] != 0


def shown(entry):
    return tuple(entry.get(name) for name in SHOWN)


def has_rows(case):
    """Return whether a case has rows, between whose events a connection may be lost, and not many events."""
    return len(case.expected.events) <= 14 and EventType.TABLE_MAP in types_of(case)


def has_groups_with_xids(case):
    return has_plain_gtids(case) and has_rows(case) and ends_of_groups(case) == {EventType.XID}


def has_groups_of_a_statement(case):
    """Return whether the groups of a case have no BEGIN, and so no event that ends them but their statement."""
    begins = any(entry.get("query") == "BEGIN" for entry in case.expected.events)
    return has_plain_gtids(case) and not begins and ends_of_groups(case) == {EventType.QUERY}


def has_plain_gtids(case):
    """Return whether a case has GTIDs without tags, which not every library knows."""
    return EventType.GTID_TAGGED not in types_of(case) and not re.search(":[a-z_]", case.settings["gtid_set"])


def types_of(case):
    return {entry["type"] for entry in case.expected.events}


def ends_of_groups(case):
    """Return the types of the events at which a GTID is counted; the last entry is the end of the log."""
    return {entry["type"] for entry in case.expected.events[:-1] if "executed_gtids" in entry}


#: How a client asks -> the patterns of the cases, and what one must have.
LOST = {
    "by position": (BY_POSITION, has_rows),
    "by GTIDs of transactions": (BY_GTIDS, has_groups_with_xids),
    "by GTIDs of statements": (BY_GTIDS, has_groups_of_a_statement),
}


@pytest.mark.parametrize("way", LOST)
def test_a_connection_lost_after_any_event_is_resumed_or_blamed(library, way):
    judge = Judge(library.declaration.roles["client"])
    pattern, fits = LOST[way]
    has_gtids = pattern == BY_GTIDS
    expected = RESUMING[library.declaration.name][list(LOST).index(way)]
    if expected is None:
        pytest.skip(f"{library.declaration.name} does not ask by sets of GTIDs")
    case = first(
        pattern_for(library, pattern),
        lambda case: is_one_log(case) and bool(case.settings["gtid_set"]) == has_gtids and fits(case),
    )
    signatures = set()
    for index, entry in enumerate(case.expected.events[:-1]):
        if not entry["log_pos"]:
            continue
        lost = cut_after(case, index)
        verdicts = {each.requirement: each for each in judge.judge(lost, library.ask(request_of(lost)))}
        resumed = verdicts[RESUMED]
        assert resumed.status in ("pass", "fail"), (index, resumed)
        signatures |= {resumed.signature} if resumed.status == "fail" else set()
    assert signatures == expected
