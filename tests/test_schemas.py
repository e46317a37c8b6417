"""The published schemas are JSON Schemas, and all of them follow from the code."""

import json

import jsonschema
import pytest

from tests.generated import SCHEMAS, schema_texts


@pytest.mark.parametrize("text", schema_texts().values(), ids=[path.name for path in schema_texts()])
def test_a_schema_is_a_valid_json_schema(text):
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_no_schema_is_written_by_hand():
    assert set(SCHEMAS.iterdir()) == set(schema_texts())
