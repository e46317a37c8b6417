"""The published schemas follow from the code."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from conformance.schemas import schema_texts

FOLDER = Path(str(resources.files("conformance.specs"))) / "schemas"


@pytest.mark.parametrize(("path", "text"), schema_texts().items(), ids=lambda each: getattr(each, "name", ""))
def test_a_schema_is_in_its_file_as_the_code_makes_it(path, text):
    assert path.read_text(encoding="utf-8") == text, "write it again: python -m conformance.schemas"


@pytest.mark.parametrize("text", schema_texts().values(), ids=[path.name for path in schema_texts()])
def test_a_schema_is_a_valid_json_schema(text):
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_no_schema_is_written_by_hand():
    assert {path.name for path in FOLDER.iterdir()} == {path.name for path in schema_texts()}
