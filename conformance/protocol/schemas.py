"""The JSON Schemas of what is declared for a role and answered in it, made from the role's table of fields.

`python -m conformance.protocol.schemas` writes them into `specs/schemas`; a test holds the files against
the tables. The schema of the answers in the role `decode` says more than its table, and is kept by hand.
"""

import json
from importlib import resources
from pathlib import Path
from typing import Any, Final

from conformance.binlog.errors import ERROR_KINDS
from conformance.protocol.observation import ABILITIES
from conformance.protocol.role import AnswerField, Role
from conformance.protocol.roles.registry import role_names, role_of
from conformance.specs.profiles import PROFILES

_INTEGER: Final = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]{1,20}$"}]}
_OFFSET: Final = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,20}$"}]}


_VERSION: Final = r"[0-9]+\.[0-9]+(\.[0-9]+)?"
#: A range of versions, as `conformance.specs.versions` writes it.
RANGE: Final = rf"^(worklog|(mysql|mariadb)(( >= {_VERSION})?|( >= {_VERSION},)? < {_VERSION}))$"
_RELEASE: Final = r"^(mysql|mariadb)-[0-9]+\.[0-9]+\.[0-9]+$"


def _field(field: AnswerField) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "integer": _INTEGER,
        "text": {"type": "string"},
        "word": {"enum": list(field.words)},
        "value": {},
        "rows": {"type": "array", "items": {"type": "object"}},
    }
    return {"description": field.meaning, **kinds[field.kind]}


def _error() -> dict[str, Any]:
    told = {
        "type": "object",
        "required": ["at", "kind", "message"],
        "properties": {
            "at": {"description": "Offset of the event that it stopped at.", "anyOf": [{"type": "null"}, _OFFSET]},
            "kind": {"enum": list(ERROR_KINDS)},
            "message": {"type": "string"},
            "code": {"description": "The number by which servers know the error.", "type": ["integer", "null"]},
        },
    }
    return {"description": "The error that it stopped with.", "oneOf": [{"type": "null"}, told]}


def answer_schema(role: Role) -> dict[str, Any]:
    """Return the JSON Schema of the answers in a role."""
    items: dict[str, Any]
    if role.answers_streams:
        key, items = "streams", {"type": "string", "contentEncoding": "base64"}
        meaning = "The streams that it made, magic numbers included."
    else:
        key, meaning = "events", f"One entry for each {role.noun}, in their order."
        items = {
            "type": "object",
            "required": list(role.always),
            "properties": {name: _field(field) for name, field in role.fields.items()},
        }
    answered = {
        "required": [key, "error"],
        "not": {"required": ["unsupported"]},
        "properties": {key: {"description": meaning, "type": "array", "items": items}, "error": _error()},
    }
    declined = {
        "required": ["unsupported"],
        "not": {"anyOf": [{"required": [key]}, {"required": ["error"]}]},
        "properties": {"unsupported": {"description": "Why.", "type": "string", "minLength": 1}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:binlog-conformance:protocol-{role.name}-answer:1",
        "title": f"Protocol version 1: answer in the role {role.name}",
        "description": f"{role.question} One line of JSON.",
        "type": "object",
        "required": ["seq"],
        "properties": {"seq": {"description": "The question's number.", "type": "integer"}},
        "oneOf": [answered, declined],
    }


def declared_role(role: Role) -> dict[str, Any]:
    """Return the JSON Schema of what is declared for a role."""
    listed: dict[str, Any] = {
        "type": "array",
        "description": "The fields that it reports.",
        "items": {"type": "string"},
    }
    if not role.answers_streams:
        listed["items"] = {"enum": list(role.fields)}
        if role.always:
            listed["allOf"] = [{"contains": {"const": name}} for name in role.always]
    return {
        "type": "object",
        "description": role.question,
        "required": ["abilities", "profiles"] if role.answers_streams else ["fields", "abilities", "profiles"],
        "properties": {
            "fields": listed,
            "abilities": {
                "type": "array",
                "description": "What it can do besides; only that is judged.",
                "items": {"$ref": "#/$defs/ability"},
            },
            "profiles": {
                "type": "array",
                "description": "The servers that it claims.",
                "items": {"$ref": "#/$defs/profile"},
            },
        },
    }


def _profile(description: str, *further: str) -> dict[str, Any]:
    """Return the JSON Schema of a profile's name, a release, or what else these patterns are for."""
    patterns = [{"type": "string", "pattern": each} for each in (_RELEASE, *further)]
    return {"description": description, "anyOf": [{"enum": list(PROFILES)}, *patterns]}


def schema_texts() -> dict[Path, str]:
    """Return the schemas that are made, each as it stands in its file."""
    folder = Path(str(resources.files("conformance.specs"))) / "schemas"
    made = {
        folder / f"protocol-{role}-answer.schema.json": answer_schema(role_of(role))
        for role in role_names()
        if role != "decode"
    }
    path = folder / "protocol-declaration.schema.json"
    declaration = json.loads(path.read_text(encoding="utf-8"))
    declaration["$defs"] = {
        **{name: declared_role(role_of(name)) for name in role_names()},
        "ability": {"oneOf": [{"const": name, "description": meaning} for name, meaning in ABILITIES.items()]},
        "profile": _profile("A profile, a release such as mysql-8.0.15, or a range of versions.", RANGE),
    }
    roles = declaration["properties"]["roles"]
    roles["properties"] = {name: {"$ref": f"#/$defs/{name}"} for name in role_names()}
    made[path] = declaration
    path = folder / "protocol-request.schema.json"
    request = json.loads(path.read_text(encoding="utf-8"))
    question = next(each for each in request["oneOf"] if each["title"] == "a question")
    question["properties"]["profile"] = _profile("Whose rules hold: a profile, or a release.")
    made[path] = request
    return {path: json.dumps(schema, indent=2) + "\n" for path, schema in made.items()}


def main() -> None:
    """Write every schema that is made."""
    for path, text in schema_texts().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
