"""The summary of a run as JSON is what its schema describes, and agrees with the record."""

import json

import jsonschema
from example_record import example_lines, finished, requirement, write_lines
from hostile import hostile_and_long

from conformance.reports.json_report import json_report
from conformance.reports.record import read_record
from conformance.specs.json_schema import run_summary_schema


def document_of(tmp_path, lines, *, unfinished=False):
    record = read_record(write_lines(tmp_path / "run.jsonl", lines), unfinished=unfinished)
    text = json_report(record)
    assert text.isascii()
    document = json.loads(text)
    jsonschema.Draft202012Validator(run_summary_schema()).validate(document)
    return document


def test_the_document_has_the_verdict_each_finding_and_each_requirement(tmp_path):
    document = document_of(tmp_path, example_lines())
    assert document["verdict"] == "not conforming"
    assert document["troubles"] == {"crash": 2}
    assert [(each["number"], each["status"], each["known"] is None) for each in document["findings"]] == [
        (1, "crash", True),
        (2, "fail", True),
        (3, "fail", False),
    ]
    assert {each["id"]: each["verdict"] for each in document["requirements"]} == {
        line["id"]: line["verdict"] for line in example_lines() if line["kind"] == "requirement"
    }


def test_any_run_has_a_document(tmp_path):
    assert document_of(tmp_path, hostile_and_long())["verdict"] == "not conforming"
    assert document_of(tmp_path, example_lines()[:2], unfinished=True)["verdict"] == "cut off"
    assert document_of(tmp_path, finished(requirement(verdict="not-reached")))["verdict"] == "nothing judged"
