"""What a reader takes at streams that claim or hold too much: measured by the kit, whatever the reader answers."""

import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judges, request_of
from conformance.protocol.observation import Observation
from conformance.strategies.faults.resources import CLAIMS, DOCUMENTS, PARTS, PAYLOADS
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

DOUBLES = Path(__file__).parent.parent / "doubles"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and time are measured on Linux only")

#: What a double that unpacks MariaDB's statements takes too much at: nothing refuses the smaller claims.
TOO_MUCH = {
    "length of a variable's name claimed",
    "compressed statement that claims more than it holds",
    "compressed statement that claims 4 GiB",
    "compressed statement that holds more than it claims",
    "compressed statement that holds 320 MiB, as it claims",
}


def double(name, *arguments):
    return "command:" + shlex.join([sys.executable, str(DOUBLES / f"{name}.py"), *arguments])


@cache
def every_case(family, profile):
    """Return all cases of a family of few."""
    cases = [case_of(CaseId(family, profile, seed=5, index=index)) for index in range(200)]
    return tuple({case.stream: case for case in cases}.values())


def judged(spec, *families_and_profiles, memory=2 << 30):
    """Yield each case, its answer, and the failures that it shows."""
    with implementation(spec, limits=Limits(memory_bytes=memory)) as tested:
        judges = Judges(tested.declaration)
        for family, profile in families_and_profiles:
            for case in every_case(family, profile):
                answer = tested.ask(request_of(case))
                yield case, answer, [each for each in judges.judge(case, answer) if each.is_failure]


BOMBS = "FORMAT-MARIADB-COMPRESSED-LIMITS"
MARIADB = (("mariadb_bombs", "mariadb-11.x"), ("claimed_counts", "mariadb-11.x"))


@pytest.fixture(scope="module")
def of_whole():
    return list(judged(double("unpacks", "whole"), *MARIADB))


def cause_of(burden):
    """Return what is too much; a claim of 4 GiB has the same cause as one of less."""
    return re.sub("that claims .*", "that claims too much", burden)


def test_a_reader_that_takes_what_is_claimed_or_held_is_blamed_for_that_alone(of_whole):
    failed = {case.expected.burden for case, _, failures in of_whole if failures}
    assert failed == TOO_MUCH
    for case, answer, failures in of_whole:
        assert [each.requirement for each in failures] in ([], [case.focus]), case.id
        if failures and isinstance(answer, Observation):
            assert failures[0].finding == f"more than 256 MiB taken: {cause_of(case.expected.burden)}"
            assert answer.memory > 256 << 20


def test_where_the_limit_on_memory_refuses_a_claim_a_smaller_one_shows(of_whole):
    """A reader that survives the refusal of 4 GiB takes no memory there."""
    claimed = [failures[0] for case, _, failures in of_whole if "claimed" in case.expected.burden and failures]
    assert Counter(each.status for each in claimed) == {"crash": 2, "fail": 1}


@pytest.mark.parametrize("way", ["limited", "pieces"])
def test_a_reader_with_a_limit_and_one_that_keeps_nothing_are_right(way):
    for case, answer, failures in judged(double("unpacks", way), MARIADB[0]):
        assert failures == [], case.expected.burden
        assert answer.memory < 64 << 20


def test_what_a_reader_takes_before_it_declines_is_judged_too(of_whole):
    took_too_much = {case.expected.burden for case, _, failures in of_whole if failures and case.focus == BOMBS}
    declined = list(judged(double("unpacks", "declining"), MARIADB[0]))
    assert {case.expected.burden for case, _, failures in declined if failures} == took_too_much
    assert {each.requirement for _, _, failures in declined for each in failures} == {BOMBS}
    assert any(answer.status == "unsupported" for _, answer, failures in declined if failures)


def test_the_processor_time_of_an_answer_is_measured_and_not_what_it_waits():
    case = next(each for each in every_case(*MARIADB[0]) if "statement" in each.expected.burden)
    with implementation(double("unpacks", "slowly"), limits=Limits(seconds=60)) as tested:
        answer = tested.ask(request_of(case))
        judges = Judges(tested.declaration)
    # It computes for 0.5 s and sleeps for 0.5 s.
    assert 0.4 < answer.processor_seconds < 0.9
    assert [each for each in judges.judge(case, answer) if each.is_failure] == []
    (failure,) = [each for each in judges.judge(case, replace(answer, processor_seconds=8.5)) if each.is_failure]
    assert failure.finding == f"more than 8 s of processor time taken: {cause_of(case.expected.burden)}"
    assert failure.message.startswith("The answer took 8.5 s of processor time at a compressed statement")


#: The families, each under one profile, and what their cases claim or hold.
FAMILIES = {
    ("claimed_counts", "mysql-9.x"): {
        f"{name} claimed" for name, each in CLAIMS.items() if "mysql-9.x" in each.profiles
    },
    ("claimed_counts", "mariadb-11.x"): {
        f"{name} claimed" for name, each in CLAIMS.items() if "mariadb-11.x" in each.profiles
    },
    ("payload_bombs", "mysql-9.x"): set(PAYLOADS),
    ("mariadb_bombs", "mariadb-11.x"): {
        f"compressed {what} {name}" for what in ("statement", "rows event") for name in PARTS
    }
    - {"compressed rows event that holds 320 MiB, as it claims"},
    ("json_bombs", "mysql-9.x"): {f"JSON: {name}" for name in DOCUMENTS},
}


@pytest.mark.parametrize(("family", "profile"), FAMILIES)
def test_a_family_has_few_cases_and_all_of_its_kinds(family, profile):
    cases = every_case(family, profile)
    assert {case.expected.burden for case in cases} == FAMILIES[family, profile]
    assert len(cases) < 40
    assert max(len(case.stream) for case in cases) < 400_000


@pytest.mark.parametrize(("family", "profile"), FAMILIES)
def test_the_reference_in_a_process_of_its_own_is_within_the_limits(family, profile):
    for case, _, failures in judged(double("reads_as_the_reference"), (family, profile)):
        assert failures == [], case.expected.burden


def test_a_run_reports_what_was_measured(tmp_path):
    arguments = (
        "--requirement",
        "FORMAT-COUNT-LIMITS",
        "--profile",
        "mariadb-11.x",
        "--report",
        str(tmp_path),
    )
    command = [sys.executable, "-m", "conformance", "certify", double("unpacks", "whole"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    failures = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines() if '"failure"' in line]
    assert "The process grew by" in "".join(each.get("message", "") for each in failures)
