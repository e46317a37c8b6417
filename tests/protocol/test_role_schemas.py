"""The schemas of answers follow the roles' tables."""

import jsonschema
import pytest

from conformance.oracles.judge import request_of
from conformance.protocol.messages import ProtocolError, decode_answer
from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.roles.registry import role_names, role_of
from conformance.protocol.schemas import answer_schema, schema_texts
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.versions import EVERY_PROFILE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

GENERATED = [role for role in role_names() if role != "decode"]
ENTRIES = [role for role in GENERATED if not role_of(role).answers_streams]


def validator(role):
    schema = answer_schema(role_of(role))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(("path", "text"), schema_texts().items(), ids=lambda each: getattr(each, "name", ""))
def test_a_schema_stands_in_its_file_as_the_table_says(path, text):
    assert path.read_text(encoding="utf-8") == text, "write it again: python -m conformance.protocol.schemas"


@pytest.mark.parametrize("role", ENTRIES)
def test_what_the_reference_answers_fits_the_schema(role):
    require_role(role)
    asked = next(family for family in families().values() if role in family.focus)
    case = case_of(CaseId(asked.name, asked.profiles.names[0], seed=1, index=1, role=role))
    answer = ReferenceImplementation().ask(request_of(case))
    error = answer.error and {"at": answer.error.at, "kind": answer.error.kind, "message": answer.error.message}
    validator(role).validate({"seq": 1, "events": [dict(event) for event in answer.events], "error": error})


@pytest.mark.parametrize("role", ENTRIES)
def test_an_entry_without_what_every_entry_has_is_refused_by_both(role):
    about = role_of(role)
    if not about.always:
        pytest.skip("an entry of this role may be empty")
    asked = next(family for family in families().values() if role in family.focus)
    case = case_of(CaseId(asked.name, asked.profiles.names[0], seed=1, index=1, role=role))
    declared = RoleDeclaration(frozenset(about.fields), frozenset(), EVERY_PROFILE)
    assert not validator(role).is_valid({"seq": 1, "events": [{}], "error": None})
    with pytest.raises(ProtocolError, match="must have"):
        decode_answer(b'{"seq":1,"events":[{}],"error":null}', seq=1, asked=request_of(case), role=declared)
