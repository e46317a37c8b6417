"""The order in which reports list findings."""

from pathlib import Path

from example_record import crash, failure, finished, requirement, write_lines

from conformance.reports.findings import findings_of
from conformance.reports.record import read_record


def test_of_crashes_the_one_in_most_cases_comes_first_and_then_what_breaks_most(tmp_path: Path):
    lines = [
        failure(requirement="A-1", signature="in many cases", count=900, requirements={"A-1": 900}),
        failure(requirement="A-2", signature="of two", count=3, requirements={"A-2": 3, "A-3": 3}),
        crash(requirement="TROUBLE", signature="rare", count=1, requirements={"TROUBLE": 1}),
        crash(requirement="TROUBLE", signature="often", count=60, requirements={"TROUBLE": 60}),
        *(requirement(each, "fail", obstacles={"rare": 1}) for each in ("A-1", "A-2", "A-3")),
    ]
    record = read_record(write_lines(tmp_path / "run.jsonl", finished(*lines)))
    assert [each.signature for each in findings_of(record)] == ["often", "rare", "of two", "in many cases"]


def test_what_breaks_no_requirement_is_put_into_words(tmp_path: Path):
    lines = [
        failure(requirement="A-1", signature="a rule", count=2, requirements={"A-1": 2}),
        failure(requirement="UNEXPLAINED", signature="no rule", count=1, requirements={"UNEXPLAINED": 1}),
        crash(requirement="TROUBLE", signature="both", count=9, requirements={"TROUBLE": 7, "A-1": 2}),
        requirement("A-1", "fail", obstacles={}),
    ]
    record = read_record(write_lines(tmp_path / "run.jsonl", finished(*lines)))
    assert {each.signature: each.outline for each in findings_of(record)} == {
        "a rule": "breaks 1 requirement in 2 cases: A-1",
        "no rule": "in 1 case, in answers with a difference that no requirement accounts for",
        "both": "breaks 1 requirement in 9 cases: A-1; also at streams that ask for nothing special there",
    }


def test_the_requirement_that_the_cause_names_leads_and_then_one_of_at_least_half_of_the_cases(tmp_path: Path):
    length, body, rare, usual = "FORMAT-LENGTH-TOO-LARGE", "FORMAT-TRUNCATED-BODY", "A-1", "A-2"
    lines = [
        failure(requirement=length, signature=f"accepted ({body})", count=9, requirements={length: 8, body: 1}),
        failure(requirement=rare, signature="refused", count=4, requirements={rare: 1, usual: 4}),
        *(requirement(each, "fail", obstacles={}) for each in (length, body)),
        requirement(rare, "fail", obstacles={}, results={"mysql-8.0": {"pass": 0, "fail": 1}}),
        requirement(usual, "fail", obstacles={}, results={"mysql-8.0": {"pass": 900, "fail": 4}}),
    ]
    record = read_record(write_lines(tmp_path / "run.jsonl", finished(*lines)))
    assert {each.signature: next(iter(each.requirements)) for each in findings_of(record)} == {
        f"accepted ({body})": body,
        "refused": usual,
    }
