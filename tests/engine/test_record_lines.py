"""The record of a run: it conforms to its schema, and two runs with one seed differ only in times."""

import json
from functools import reduce
from importlib import resources

import jsonschema
import msgspec
import pytest

from conformance.engine.certification import Budget, Certification, Selection
from conformance.engine.failure import Counts, Failure
from conformance.engine.record_lines import RecordLines, failure_line
from conformance.engine.stream_dump import dump
from conformance.implementations.registry import implementation
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Observation
from conformance.reports.record import RecordWriter, read_record
from conformance.specs.catalogue import select
from conformance.specs.run_record import RequirementResult
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families


def lines_of(spec, **selection):
    lines = []
    with implementation(spec) as tested:
        Certification(
            implementation=tested,
            spec=spec,
            selections=[Selection(**selection)],
            budget=Budget(examples=6),
            listeners=(RecordLines(lines.append),),
        ).run()
    return lines


def without_times(lines):
    return [
        {name: value for name, value in msgspec.to_builtins(line).items() if name not in ("started", "elapsed")}
        for line in lines
    ]


@pytest.mark.parametrize("spec", ["reference", "reference:late-timestamp", "reference:no-stop", "reference:any-magic"])
def test_a_record_conforms_to_its_schema_and_can_be_read_back(spec, tmp_path):
    schema = json.loads((resources.files("conformance.specs") / "schemas" / "run-record.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    lines = lines_of(spec, profiles=("mysql-5.7", "mysql-8.0"))
    with RecordWriter(tmp_path / "run.jsonl") as writer:
        for line in lines:
            validator.validate(json.loads(json.dumps(msgspec.to_builtins(line))))
            writer.append(line)
    record = read_record(tmp_path / "run.jsonl")
    assert record.footer is not None
    assert record.footer.conforming == (spec == "reference")


def test_two_runs_with_one_seed_differ_only_in_times():
    first, second = (lines_of("reference:gtid-tail-refused", profiles=("mysql-8.0",)) for _ in range(2))
    assert without_times(first) == without_times(second)


def test_every_requirement_of_the_role_is_in_the_record_whatever_was_exercised():
    lines = lines_of("reference", families=("bad_magic",), profiles=("mysql-8.0",))
    results = [line for line in lines if isinstance(line, RequirementResult)]
    verdicts = {each.id: each.verdict for each in results}
    assert verdicts["FORMAT-BAD-MAGIC"] == "pass"
    assert verdicts["FORMAT-XID"] == "not-reached"
    assert {each.role for each in results} == {"decode"}
    untestable = [each.id for each in select(role="decode") if each.untestable]
    assert {verdicts[each] for each in untestable} <= {"untestable"}


@pytest.mark.parametrize("name", sorted(name for name, family in families().items() if family.production))
def test_a_dump_names_every_byte_of_a_stream_once(name):
    family = families()[name]
    for index in range(8):
        case = case_of(CaseId(name, family.profiles.names[-1], seed=2, index=index, role=next(iter(family.focus))))
        at = 0
        for event in dump(case.stream):
            assert event.offset == at
            for span in event.spans:
                assert span.offset == at
                at += span.size
        assert at == len(case.stream)


def failure_with(answer, status="fail"):
    case = case_of(CaseId("bad_magic", "mysql-8.0", seed=1, index=1))
    verdict = Verdict("FORMAT-BAD-MAGIC", status, "differs")
    counts = Counts(cases=1, requirements={"FORMAT-BAD-MAGIC": 1}, profiles={"mysql-8.0": 1})
    return Failure(verdict, case, answer, first_case=str(case.id), group="mysql 5.6 to 8.4", counts=counts)


@pytest.mark.parametrize("value", [reduce(lambda inner, _: [inner], range(10_000), "x"), float("inf")])
def test_a_value_that_json_cannot_hold_does_not_break_the_record(tmp_path, value):
    header, *_ = lines_of("reference", families=("bad_magic",), profiles=("mysql-8.0",))
    answer = Observation(({"offset": 4, "type": 14, "variable_value": value},))
    with RecordWriter(tmp_path / "run.jsonl") as writer:
        writer.append(header)
        writer.append(failure_line(failure_with(answer), "reference"))
    (failure,) = read_record(tmp_path / "run.jsonl", unfinished=True).failures
    assert str(failure.observed.events[0]["variable_value"]).strip("[]'") in ("(nested too deeply to be kept)", "inf")


def test_a_verdict_that_is_not_a_failure_has_no_line():
    with pytest.raises(ValueError, match="'pass', which is not a failure"):
        failure_line(failure_with(Observation(()), status="pass"), "reference")
