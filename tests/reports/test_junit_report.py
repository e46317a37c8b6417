"""JUnit: a build server shows the results of the run."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from example_record import crash, example_lines, failure, finished, footer, refusal, requirement, write_lines
from hostile import hostile_and_long, hostile_lines

from conformance.reports.junit import junit_report
from conformance.reports.record import RunRecord, read_record


def parsed(record: RunRecord) -> ElementTree.Element:
    text = junit_report(record)
    # A build server reads bytes.
    return ElementTree.fromstring(text.encode("utf-8"))


def junit_of(tmp_path: Path, lines: list, *, unfinished: bool = False) -> ElementTree.Element:
    return parsed(read_record(write_lines(tmp_path / "other.jsonl", lines), unfinished=unfinished))


CRASH = crash()["signature"]
CRASHED = {CRASH: 41}
#: The cases that pass where nothing is beside the catalogue.
NONE = (("TROUBLE", "none"), ("UNEXPLAINED", "none"))


def cases(root: ElementTree.Element) -> dict[tuple[str, str], str]:
    """Return (requirement, profile) -> its result."""
    results = {}
    for case in root.iter("testcase"):
        name = case.get("classname", "").rpartition(".")[2], case.get("name", "")
        if name in NONE:
            assert not len(case)
            continue
        assert name not in results
        results[name] = case[-1].tag if len(case) else "pass"
    return results


def test_there_is_a_case_for_each_requirement_and_profile(example: RunRecord):
    assert cases(parsed(example)) == {
        ("WL4033-ROWS-QUERY-TEXT", "mysql-5.7"): "failure",
        ("WL4033-ROWS-QUERY-TEXT", "mysql-8.0"): "failure",
        ("WL4033-READ-UNKNOWN-SKIPPED", "mysql-5.7"): "skipped",
        ("WL4033-READ-UNKNOWN-SKIPPED", "mysql-8.0"): "skipped",
        ("WL4033-FLAG-VALUE", "mysql-5.7"): "pass",
        ("WL4033-FLAG-VALUE", "mysql-8.0"): "pass",
        ("WL4033-CHECKSUM-VERIFIED", "mysql-5.7"): "skipped",
        ("WL4033-CHECKSUM-VERIFIED", "mysql-8.0"): "skipped",
        ("WL7592-GTID-SIZES", "mysql-5.7"): "error",
        ("WL7592-GTID-SIZES", "mysql-8.0"): "error",
        ("WL7592-TYPE-COUNT", "mysql-5.7"): "skipped",
        ("WL7592-TYPE-COUNT", "mysql-8.0"): "skipped",
        ("WL7592-SIDNO", "mysql-8.0"): "skipped",
        ("WL7592-LOCKS", "mysql-5.7"): "skipped",
        ("WL7592-LOCKS", "mysql-8.0"): "skipped",
    }


def test_the_sums_are_those_of_the_cases(example: RunRecord):
    root = parsed(example)
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "17",
        "failures": "2",
        "errors": "2",
        "skipped": "9",
    }
    assert [suite.get("name") for suite in root] == ["beside the catalogue", "WL#4033", "WL#7592"]


def test_a_crash_beside_the_catalogue_is_an_error_like_the_requirements_it_touched(tmp_path: Path):
    lines = finished(
        crash(requirement="TROUBLE"), failure(requirement="UNEXPLAINED"), requirement("A-1", "crash", obstacles=CRASHED)
    )
    root = junit_of(tmp_path, lines)
    assert cases(root) == {
        ("TROUBLE", CRASH): "error",
        ("UNEXPLAINED", "rows_query of ROWS_QUERY cut short"): "failure",
        ("A-1", "mysql-5.7"): "error",
        ("A-1", "mysql-8.0"): "error",
    }
    case = root.find(".//testcase[@classname='WL#1.A-1'][@name='mysql-8.0']")
    assert [each.get("value") for each in case.iter("property")] == [CRASH]
    assert "41 of 100 crashed" in case.find("error").text
    known = finished(crash(requirement="TROUBLE", known="why"), requirement("A-1", "crash", obstacles=CRASHED))
    results = cases(junit_of(tmp_path, known))
    assert (results["TROUBLE", CRASH], results["A-1", "mysql-8.0"]) == ("skipped", "skipped")


def test_a_requirement_that_was_refused_before_is_skipped_with_the_finding(tmp_path: Path):
    refused = requirement(
        "A-1", "blocked", obstacles={failure()["signature"]: 15}, results={"mysql-8.0": {"blocked": 15}}
    )
    root = junit_of(tmp_path, finished(failure(), requirement(), refused))
    case = root.find(".//testcase[@classname='WL#1.A-1'][@name='mysql-8.0']")
    assert case.find("skipped").get("message") == "not judged in 15 cases: see finding 1"
    assert case.find("properties/property").get("value") == failure()["signature"]


def test_a_failure_has_the_message_and_the_command_that_reproduces_it(example: RunRecord):
    problem = parsed(example).find(".//failure")
    assert problem is not None
    assert problem.get("message", "").startswith("the Rows_query event at 125 has the text")
    assert "Reproduce: binlog-conformance replay rows_query/mysql-8.0/" in (problem.text or "")


def test_each_skip_has_a_reason(example: RunRecord):
    reasons = {each.get("message") for each in parsed(example).iter("skipped")}
    assert reasons == {
        "known failure: reported upstream, waits for a release",
        "unsupported: It declares that it does not support this; not counted as a pass.",
        "not reached: The kit can judge it, but no case of this run exercised it.",
        "no oracle yet: The kit cannot judge it yet.",
        "untestable: no reader sees a lock",
    }


def test_a_known_failure_does_not_hide_a_new_one(tmp_path: Path):
    lines = finished(failure(known="why"), failure(signature="another", message="new"), requirement())
    problem = junit_of(tmp_path, lines).find(".//testcase[@name='mysql-8.0']/failure")
    assert problem is not None
    assert problem.get("message") == "new"


def test_a_requirement_of_no_profile_of_the_run_is_skipped(tmp_path: Path):
    root = junit_of(tmp_path, finished(requirement("A-1", "not-reached", profiles=["mysql-5.1"])))
    assert cases(root) == {("A-1", "no profile of this run"): "skipped"}


def test_a_baseline_that_no_longer_holds_is_a_failure(tmp_path: Path):
    lines = [*finished(requirement("A-1", "pass"))][:-1]
    lines.append(footer(lines, unexpected_passes=["A-1"], stale_baseline=["A-2"], conforming=False))
    results = cases(junit_of(tmp_path, lines))
    assert results["run", "baseline A-1"] == "failure"
    assert results["run", "baseline A-2"] == "failure"


def test_a_run_that_was_cut_off_is_an_error(tmp_path: Path):
    root = junit_of(tmp_path, example_lines()[:1], unfinished=True)
    assert cases(root) == {("run", "the run is finished"): "error"}
    assert root.get("errors") == "1"


@pytest.mark.parametrize("make", [hostile_lines, hostile_and_long])
def test_it_is_valid_xml_whatever_the_implementation_sends(tmp_path: Path, make):
    root = junit_of(tmp_path, make())
    assert {each.tag for each in root.iter()} <= {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped",
    }  # fmt: skip
    problem = root.find(".//failure")
    assert problem is not None
    assert "<script>alert(1)</script>" in problem.get("message", "")
    assert "]]>" in (problem.text or "")
    assert "\x1b" not in "".join(root.itertext())


def test_a_megabyte_is_cut(tmp_path: Path):
    record = read_record(write_lines(tmp_path / "run.jsonl", hostile_and_long()))
    assert len(junit_report(record)) < 100_000


def test_only_known_failures_are_skipped_by_their_profile(tmp_path: Path):
    line = refusal()
    root = junit_of(tmp_path, finished(line, requirement("WL4033-READ-UNKNOWN-SKIPPED")))
    assert set(cases(root).values()) == {"skipped"}
