"""The published schema and the reader agree on what a run record is."""

import copy
import json
from importlib import resources

import jsonschema
import pytest
from example_record import crash, example_lines, failure, finished, refusal, requirement, write_lines

from conformance.reports.record import RecordError, read_record

SCHEMA = json.loads(
    (resources.files("conformance.specs") / "schemas" / "run-record.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FINISHED = finished(failure(), requirement())


@pytest.mark.parametrize("line", [*example_lines(), crash(), refusal(at=None)], ids=lambda line: line["kind"])
def test_each_line_of_a_real_record_obeys_it(line: dict):
    VALIDATOR.validate(line)


def _places(value: object, path: tuple = ()) -> list[tuple]:
    """Return the way to each key of a line."""
    if isinstance(value, dict):
        return [place for key in value for place in [(*path, key), *_places(value[key], (*path, key))]]
    if isinstance(value, list):
        return [place for index, each in enumerate(value[:1]) for place in _places(each, (*path, index))]
    return []


def _may_be_absent(place: tuple) -> bool:
    """Return whether a key is a name (of a role, a profile, a family...) and not one that the schema asks for."""
    parent = place[:-1]
    counted = {
        "event_types",
        "type_names",
        "families",
        "faults",
        "tables",
        "results",
        "verdicts",
        "requirements",
        "profiles",
    }
    return bool(counted & set(parent)) or parent == ("implementation", "roles")


def _changed(number: int, place: tuple, change: str) -> list[dict]:
    lines = copy.deepcopy(FINISHED)
    target = lines[number]
    for key in place[:-1]:
        target = target[key]
    if change == "remove":
        del target[place[-1]]
    else:
        target[place[-1]] = [False]
    return lines


@pytest.mark.parametrize("number", range(len(FINISHED)), ids=[line["kind"] for line in FINISHED])
def test_schema_and_reader_refuse_the_same_lines(tmp_path, number: int):
    for place in _places(FINISHED[number]):
        if place[:2] in (("expected", "events"), ("observed", "events")) and len(place) > 2:
            continue  # What an event holds is the implementation's business.
        for change in ("replace",) if _may_be_absent(place) else ("replace", "remove"):
            lines = _changed(number, place, change)
            assert not VALIDATOR.is_valid(lines[number]), (change, place)
            with pytest.raises(RecordError):
                read_record(write_lines(tmp_path / "run.jsonl", lines))
