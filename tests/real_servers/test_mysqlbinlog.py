"""Generated streams before a real reader: `mysqlbinlog --verify-binlog-checksum` takes and refuses what the kit says.

Where it does not, the reason stands in a table.
"""

import subprocess
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from server import products

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from strategies.case import Case
from strategies.case_id import CaseId
from strategies.family import case_of, families

SEED = 21
CASES = 5
#: The valid streams of which so many must pass.
ENOUGH = 500

PROFILES = ("worklog", *(f"mysql-{each}" for each in ("5.1", "5.5", "5.6", "5.7", "8.0", "8.4", "9.x")))
#: Bytes of the post-header of a Table_map event in every server.
TABLE_MAP_POST_HEADER = 8
_OLD_ROWS = range(EventType.PRE_GA_WRITE_ROWS, EventType.DELETE_ROWS_V1 + 1)
_HEARTBEATS = (EventType.HEARTBEAT, EventType.HEARTBEAT_V2)


def _types(case: Case) -> set[int]:
    return {event["type"] for event in case.expected.events}


def _has_longer_table_maps(case: Case) -> bool:
    described = next(read_events(case.stream)).format.post_header_length(EventType.TABLE_MAP)
    return EventType.TABLE_MAP in _types(case) and described > TABLE_MAP_POST_HEADER


def _has_uncovered_types(case: Case) -> bool:
    described = 0
    for event in case.expected.events:
        described = event.get("event_types", described)
        if event["handled"] == "ignored" and not 0 < event["type"] <= min(described, 127):
            return True
    return False


#: Why mysqlbinlog 9.7 may refuse a stream that the kit calls valid.
REFUSED: dict[str, Callable[[Case], bool]] = {
    "rows events of version 1 and before are gone since 8.4": lambda case: not _types(case).isdisjoint(_OLD_ROWS),
    "a Table_map with a longer post-header, which no server writes": _has_longer_table_maps,
    "no file holds heartbeats": lambda case: not _types(case).isdisjoint(_HEARTBEATS),
    "an ignorable type must be declared and at most 127; the worklog does not say": _has_uncovered_types,
    "the case lets a reader refuse an event": lambda case: bool(case.expected.tolerated),
}
#: Why it may take a stream that the kit calls faulty.
TAKEN: dict[str, Callable[[Case], bool]] = {
    "it reads a log without a format description as one of its own version": lambda case: (
        case.expected.refused_kind == "no-format-description"
    ),
    "it is a newer reader than the profile's, and knows what that one refuses": lambda case: (
        case.id.family == "new_streams_to_old_readers"
    ),
    "no server has WL#40's post-header, so none checks its lengths": lambda case: (
        case.id.family == "contradicting_query_lengths"
    ),
}


def asked() -> list[CaseId]:
    return [
        CaseId(name, profile, seed=SEED, index=index)
        for name, family in sorted(families().items())
        if "decode" in family.focus
        for profile in family.profiles
        if profile in PROFILES
        for index in range(CASES)
    ]


@pytest.fixture(scope="module")
def program():
    found = products()
    if "mysql" not in found:
        pytest.skip("needs an unpacked MySQL server")
    return found["mysql"].reader_program


def test_mysqlbinlog_takes_and_refuses_what_the_kit_says(program, tmp_path):
    def read(case_id: CaseId) -> tuple[Case, bool]:
        case = case_of(case_id)
        path = tmp_path / str(case_id).replace("/", ".")
        path.write_bytes(case.stream)
        options = ["--no-defaults", "--verify-binlog-checksum", "--base64-output=decode-rows"]
        command = [str(program), *options, f"--local-load={tmp_path}", str(path)]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        path.unlink()
        return case, done.returncode == 0

    counted = Counter()
    unexplained = []
    with ThreadPoolExecutor(2) as pool:
        for case, taken in pool.map(read, asked()):
            valid = case.expected.refused_at is None
            counted[valid, taken] += 1
            reasons = REFUSED if valid else TAKEN
            if valid != taken and not any(applies(case) for applies in reasons.values()):
                unexplained.append(str(case.id))
    assert unexplained == []
    assert counted[True, True] >= ENOUGH, counted
    assert counted[False, False] >= ENOUGH // 5, counted
