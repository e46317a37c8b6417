"""The record of a run: it conforms to its schema, and two runs with one seed differ only in times."""

import json
from importlib import resources

import jsonschema
import pytest

from conformance.engine.certification import Budget, Certification, Selection
from conformance.engine.record_entries import RecordEntries, dump
from conformance.implementations.registry import implementation
from conformance.reports.record import RecordWriter, read_record
from conformance.specs.catalogue import select
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families


def entries_of(spec, **selection):
    entries = []
    with implementation(spec) as tested:
        Certification(
            implementation=tested,
            spec=spec,
            selections=[Selection(**selection)],
            budget=Budget(examples=6),
            listeners=(RecordEntries(entries.append),),
        ).run()
    return entries


def without_times(entries):
    return [{name: value for name, value in entry.items() if name not in ("started", "elapsed")} for entry in entries]


@pytest.mark.parametrize("spec", ["reference", "reference:late-timestamp", "reference:no-stop", "reference:any-magic"])
def test_a_record_conforms_to_its_schema_and_can_be_read_back(spec, tmp_path):
    schema = json.loads((resources.files("conformance.specs") / "schemas" / "run-record.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    entries = entries_of(spec, profiles=("mysql-5.7", "mysql-8.0"))
    with RecordWriter(tmp_path / "run.jsonl") as writer:
        for entry in entries:
            validator.validate(json.loads(json.dumps(entry)))
            writer.append(entry)
    record = read_record(tmp_path / "run.jsonl")
    assert record.footer is not None
    assert record.footer.conforming == (spec == "reference")


def test_two_runs_with_one_seed_differ_only_in_times():
    first, second = (entries_of("reference:gtid-tail-refused", profiles=("mysql-8.0",)) for _ in range(2))
    assert without_times(first) == without_times(second)


def test_every_requirement_of_the_role_is_in_the_record_whatever_was_exercised():
    entries = entries_of("reference", families=("bad_magic",), profiles=("mysql-8.0",))
    verdicts = {entry["id"]: entry["verdict"] for entry in entries if entry["kind"] == "requirement"}
    assert verdicts["FORMAT-BAD-MAGIC"] == "pass"
    assert verdicts["FORMAT-XID"] == "not-reached"
    assert {entry["role"] for entry in entries if entry["kind"] == "requirement"} == {"decode"}
    untestable = [each.id for each in select(role="decode") if each.untestable]
    assert {verdicts[each] for each in untestable} <= {"untestable"}


@pytest.mark.parametrize("name", sorted(name for name, family in families().items() if family.production))
def test_a_dump_names_every_byte_of_a_stream_once(name):
    family = families()[name]
    for index in range(8):
        case = case_of(CaseId(name, family.profiles[-1], seed=2, index=index, role=next(iter(family.focus))))
        at = 0
        for event in dump(case.stream):
            assert event["offset"] == at
            for span in event["spans"]:
                assert span["offset"] == at
                at += span["size"]
        assert at == len(case.stream)
