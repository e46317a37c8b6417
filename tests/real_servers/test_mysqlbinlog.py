"""Generated streams for a real reader: `mysqlbinlog --verify-binlog-checksum` stops where the kit expects, or nowhere.

Where it does not, a table has the reason, with the families whose streams need it.
"""

import re
import subprocess
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from reader_differences import DIFFERENCES

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


#: The families in whose streams 9.7.4 overruns memory and ends itself, at WL#40's Query events, which no server writes.
OVERRUN = frozenset({"name_filters"})
CRASHED = -1


def case_ids() -> list[CaseId]:
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
    crashed = set()
    unexplained = []
    with ThreadPoolExecutor(2) as pool:
        for case, stop in pool.map(read, case_ids()):
            # A reader may refuse what claims or holds too much, or read it.
            if stop == case.expected.refused_at or (case.expected.burden and stop is None):
                agreed["read" if stop is None else "refused"] += 1
                continue
            if stop == CRASHED:
                crashed.add(case.id.family)
                continue
            reasons = [each.reason for each in DIFFERENCES if each.holds(case, stop)]
            if len(reasons) == 1:
                needed[reasons[0]].add(case.id.family)
            else:
                unexplained.append((str(case.id), case.expected.refused_at, stop, reasons))
    assert unexplained == []
    assert crashed == OVERRUN
    for each in DIFFERENCES:
        assert needed[each.reason], f"no case needs: {each.reason}"
        assert needed[each.reason] <= each.families, each.reason
    assert agreed["read"] >= ENOUGH_READ
    assert agreed["refused"] >= ENOUGH_REFUSED
