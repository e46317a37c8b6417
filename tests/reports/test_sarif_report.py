"""SARIF: a result for each finding in a group of profiles, located at its line of the run record."""

import json

import pytest
from example_record import crash, example_lines, failure, finished, requirement, write_lines
from hostile import hostile_lines

from conformance.reports.record import read_record
from conformance.reports.sarif import sarif_report


def log_of(tmp_path, lines, *, unfinished=False):
    path = write_lines(tmp_path / "run.jsonl", lines)
    return json.loads(sarif_report(read_record(path, unfinished=unfinished)))


def results_of(log):
    return log["runs"][0]["results"]


def test_each_finding_is_a_result_at_its_line_of_the_record(tmp_path):
    log = log_of(tmp_path, example_lines())
    lines = (tmp_path / "run.jsonl").read_text().splitlines()
    assert len(results_of(log)) == 3
    for result in results_of(log):
        location = result["locations"][0]["physicalLocation"]
        assert location["artifactLocation"]["uri"] == "run.jsonl"
        line = json.loads(lines[location["region"]["startLine"] - 1])
        assert (line["kind"], line["requirement"]) == ("failure", result["ruleId"])
        assert line["case"] == result["properties"]["case"]


def test_each_result_names_a_rule_of_its_index_and_level(tmp_path):
    log = log_of(
        tmp_path,
        finished(
            failure(requirement="S"),
            crash(requirement="TROUBLE"),
            requirement("S", level="should"),
            requirement("WL7592-GTID-SIZES", "crash"),
        ),
    )
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert {result["ruleId"]: result["level"] for result in results_of(log)} == {"S": "warning", "TROUBLE": "error"}
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results_of(log))


def test_a_known_finding_is_suppressed_with_its_reason(tmp_path):
    suppressed = [each for each in results_of(log_of(tmp_path, example_lines())) if "suppressions" in each]
    assert [each["suppressions"][0]["justification"] for each in suppressed] == [
        "reported upstream, waits for a release"
    ]


def test_a_finding_keeps_its_fingerprint_when_another_case_shows_it(tmp_path):
    first = log_of(tmp_path, finished(failure(), requirement()))
    second = log_of(tmp_path, finished(failure(case="rows_query/mysql-8.0/choices-AA", count=1), requirement()))
    other = log_of(tmp_path, finished(failure(group="mariadb"), requirement()))
    prints = [results_of(log)[0]["partialFingerprints"]["finding/v1"] for log in (first, second, other)]
    assert prints[0] == prints[1] != prints[2]


def test_a_rule_leads_to_its_worklog(tmp_path):
    line = requirement(anchor="these events are just ignored - and more")
    log = log_of(tmp_path, finished(failure(), line))
    [rule] = log["runs"][0]["tool"]["driver"]["rules"]
    address = (
        "https://dev.mysql.com/worklog/task/?id=4033#:~:text=these%20events%20are%20just%20ignored%20%2D%20and%20more"
    )
    assert rule["helpUri"] == address


@pytest.mark.parametrize(
    ("lines", "unfinished"),
    [
        (example_lines(), False),
        (hostile_lines(), False),
        (example_lines()[:3], True),
        (finished(requirement("A-1", "pass")), False),
    ],
)
def test_any_run_is_valid_sarif(tmp_path, lines, unfinished):
    models = pytest.importorskip("sarif_pydantic", reason="sarif-pydantic, of the extra dev, checks SARIF")
    models.Sarif.model_validate(log_of(tmp_path, lines, unfinished=unfinished))
