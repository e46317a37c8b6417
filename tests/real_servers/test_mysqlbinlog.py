"""Generated streams for a real reader: `mysqlbinlog --verify-binlog-checksum` stops where the kit expects, or nowhere.

Where it does not, a table has the reason, with the families whose streams need it.
"""

import re
import signal
import subprocess
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from name_overruns import FATAL_BYTES, overruns
from reader_differences import DIFFERENCES

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.binlog.reader import read_events
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

#: The servers whose packages bring mysqlbinlog.
SERVERS = Profiles("mysql >= 9.0")
SEED = 21
CASES = 5
#: The least number of valid streams read to the end, and of faulty ones refused at the right place.
ENOUGH_READ = 500
ENOUGH_REFUSED = 200

PROFILES = ("worklog", *(f"mysql-{each}" for each in ("5.1", "5.5", "5.6", "5.7", "8.0", "8.4", "9.x")))
_STOPPED = re.compile(r"Could not read entry at offset (\d+)")
_NO_LOG = "Binlog has bad magic number"
#: It reports no offset for an event inside a payload, so the payload's event counts as the one refused.
_IN_PAYLOAD = ("Error decoding Payload_log_event", "Payload_log_event corrupted")


CRASHED = -1


#: The family in which the event that `overruns` looks for shows in one of so many cases.
WITH_OVERRUNS, UP_TO = "create_table_filters", 45


def case_ids() -> list[CaseId]:
    later = (CaseId(WITH_OVERRUNS, "worklog", seed=SEED, index=index) for index in range(CASES, UP_TO))
    return [*_first_cases(), *(each for each in later if overruns(case_of(each).stream))]


def _first_cases() -> list[CaseId]:
    return [
        CaseId(name, profile, seed=SEED, index=index)
        for name, family in sorted(families().items())
        if "decode" in family.focus
        for profile in family.profiles
        if profile in PROFILES
        for index in range(CASES)
    ]


@pytest.fixture(scope="module")
def program(product):
    return product.reader_program


def stop_of(case: Case, done: subprocess.CompletedProcess) -> int | None:
    """Return the offset of the event that the program refuses; None if it reads to the end, `CRASHED` if it crashes."""
    if done.returncode < 0:
        return CRASHED
    errors = done.stderr.decode("utf-8", "replace")
    if done.returncode == 0:
        return None
    if _NO_LOG in errors:
        return 0
    if any(words in errors for words in _IN_PAYLOAD):
        return case.expected.refused_at
    offsets = _STOPPED.findall(errors)
    assert offsets, f"{case.id}: refused without an offset: {errors}"
    return int(offsets[-1])


def test_mysqlbinlog_stops_where_the_kit_expects(program, tmp_path):
    def read(case_id: CaseId) -> tuple[Case, int | None]:
        case = case_of(case_id)
        path = tmp_path / str(case_id).replace("/", ".")
        path.write_bytes(case.stream)
        options = ["--no-defaults", "--verify-binlog-checksum", "--base64-output=decode-rows"]
        command = [str(program), *options, f"--local-load={tmp_path}", str(path)]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        path.unlink()
        return case, stop_of(case, done)

    agreed = Counter()
    needed = defaultdict(set)
    crashed = 0
    unexplained = []
    with ThreadPoolExecutor(2) as pool:
        for case, stop in pool.map(read, case_ids()):
            # A reader may refuse what claims or holds too much, or read it.
            if stop == case.expected.refused_at or (case.expected.burden and stop is None):
                agreed["read" if stop is None else "refused"] += 1
                continue
            if stop == CRASHED and case.expected.refused_at is None and overruns(case.stream):
                crashed += 1
                continue
            reasons = [each.reason for each in DIFFERENCES if each.holds(case, stop)]
            if len(reasons) == 1:
                needed[reasons[0]].add(case.id.family)
            else:
                unexplained.append((str(case.id), case.expected.refused_at, stop, reasons))
    assert unexplained == []
    assert crashed, "it does not crash any more: remove name_overruns.py"
    for each in DIFFERENCES:
        assert needed[each.reason], f"no case needs: {each.reason}"
        assert needed[each.reason] <= each.families, each.reason
    assert agreed["read"] >= ENOUGH_READ
    assert agreed["refused"] >= ENOUGH_REFUSED


def log_of(statement: bytes) -> bytes:
    """Return a log with a Query event that has no database, and no zero byte after the database's empty name."""
    first, *_ = read_events(case_of(CaseId("transactions", "mysql-5.6", seed=SEED, index=0)).stream)
    body = bytes(first.format.post_header_length(EventType.QUERY)) + statement
    head = HEADER.pack(0, EventType.QUERY, 1, HEADER_BYTES + len(body) + CHECKSUM_BYTES, 0, 0)
    return MAGIC + first.data + head + body + bytes(CHECKSUM_BYTES)


@pytest.mark.parametrize(("length", "status"), [(FATAL_BYTES - 1, 0), (FATAL_BYTES, -signal.SIGABRT)])
def test_mysqlbinlog_overruns_memory_at_a_name_without_an_end(program, tmp_path, length, status):
    path = tmp_path / "log"
    path.write_bytes(log_of(b"a" * length))
    done = subprocess.run([str(program), "--no-defaults", str(path)], capture_output=True, timeout=60, check=False)
    assert (done.returncode, overruns(path.read_bytes())) == (status, status != 0)
