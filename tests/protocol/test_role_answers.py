"""What the reference answers in each role fits the published schema."""

import json
from importlib import resources

import jsonschema
import pytest

from conformance.oracles.judge import request_of
from conformance.protocol.messages import ProtocolError, decode_answer
from conformance.protocol.observation import Observation, Request, RoleDeclaration
from conformance.protocol.roles.registry import role_names, role_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.versions import EVERY_PROFILE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

ENTRIES = [role for role in role_names() if not role_of(role).answers_streams]


def validator(role):
    text = (resources.files("conformance.specs") / "schemas" / f"protocol-{role}-answer.schema.json").read_text()
    return jsonschema.Draft202012Validator(json.loads(text))


@pytest.mark.parametrize("role", ENTRIES)
def test_what_the_reference_answers_fits_the_schema(role):
    require_role(role)
    family = next(each for each in families().values() if role in each.focus)
    case = case_of(CaseId(family.name, family.profiles.names[0], seed=1, index=1, role=role))
    answer = ReferenceImplementation().ask(request_of(case))
    error = answer.error and {"at": answer.error.at, "kind": answer.error.kind, "message": answer.error.message}
    validator(role).validate({"seq": 1, "events": [dict(event) for event in answer.events], "error": error})


@pytest.mark.parametrize("role", [role for role in ENTRIES if role_of(role).always])
def test_an_entry_without_what_every_entry_has_is_refused_by_both(role):
    always = role_of(role).always
    declared = RoleDeclaration(frozenset(always), frozenset(), EVERY_PROFILE)
    assert not validator(role).is_valid({"seq": 1, "events": [{}], "error": None})
    with pytest.raises(ProtocolError, match=rf"events\[0\]\.({'|'.join(always)}) is missing"):
        decode_answer(
            b'{"seq":1,"events":[{}],"error":null}', seq=1, request=Request(role, "worklog", b""), role=declared
        )


def test_an_entry_that_declines_has_no_field():
    def line(**entry):
        return json.dumps({"seq": 1, "events": [entry], "error": None}).encode()

    declared = RoleDeclaration(frozenset({"format", "message", "executed"}), frozenset(), EVERY_PROFILE)
    request = Request("decide", "worklog", b"")
    answer = decode_answer(line(unsupported="why"), seq=1, request=request, role=declared)
    assert answer == Observation(({"unsupported": "why"},))
    with pytest.raises(ProtocolError, match=r"events\[0\]: expected an entry with 'unsupported' and no field"):
        decode_answer(line(unsupported="why", executed="yes"), seq=1, request=request, role=declared)
    validate = validator("decide").is_valid
    assert validate(json.loads(line(unsupported="why")))
    assert not validate(json.loads(line(unsupported="why", executed="yes")))


def test_only_a_role_whose_entries_may_decline_has_such_entries():
    request = Request("boundary", "worklog", b"")
    declared = RoleDeclaration(frozenset(role_of("boundary").always), frozenset(), EVERY_PROFILE)
    with pytest.raises(ProtocolError, match="is missing"):
        decode_answer(b'{"seq":1,"events":[{"unsupported":"x"}],"error":null}', seq=1, request=request, role=declared)
