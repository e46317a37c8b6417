"""The JSON Schemas of the protocol's messages, which follow from their forms."""

from typing import Any, Final

from conformance.protocol.forms import (
    Declaration,
    FileQuestion,
    Question,
    Start,
    Stop,
    StreamQuestion,
    answer_form,
    answered,
)
from conformance.protocol.observation import PROTOCOL
from conformance.protocol.roles.registry import role_names, role_of
from conformance.specs.json_schema import body_of, document, one_of

#: Least and greatest value of an integer -> the pattern of its decimal digits; what has no limits has 64 bits.
_DIGITS: Final = {
    (None, None): "^(0|[1-9][0-9]{0,19}|-[1-9][0-9]{0,18})$",
    (0, None): "^(0|[1-9][0-9]{0,19})$",
    (0, 255): "^([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$",
}


def protocol_schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas of what the kit sends and of what it is sent, by name."""
    return {
        "protocol-request": _document(
            "request",
            "What the kit sends to an implementation. One line of JSON. Expected answers are never in it.",
            one_of(Start, StreamQuestion, FileQuestion, Question, Stop),
        ),
        "protocol-declaration": _document(
            "declaration",
            "What an implementation declares, its answer to the request `start`. One line of JSON; keys that are not "
            "named here are ignored.",
            body_of(Declaration),
        ),
        **{f"protocol-{name}-answer": _answer(name) for name in role_names()},
    }


def _document(what: str, description: str, body: dict[str, Any]) -> dict[str, Any]:
    return document(
        f"protocol-{what.replace(' ', '-')}:{PROTOCOL}",
        title=f"Protocol version {PROTOCOL}: {what}",
        description=description,
        body=body,
    )


def _answer(name: str) -> dict[str, Any]:
    role = role_of(name)
    body = body_of(answer_form(name))
    content = answered(role)
    declined = {"required": ["unsupported"], "not": {"anyOf": [{"required": [key]} for key in content]}}
    return _document(
        f"{name} answer",
        f"{role.question} One line of JSON; keys that are not named here are ignored. Integers may be text of decimal "
        "digits, for languages whose numbers have fewer than 64 bits.",
        {
            **body,
            "oneOf": [{"required": list(content), "not": {"required": ["unsupported"]}}, declined],
            "$defs": _with_digits(body["$defs"]),
        },
    )


def _with_digits(schema: Any) -> Any:
    """Return a schema in which each integer may be text of decimal digits."""
    if isinstance(schema, dict):
        if schema.get("type") == "integer":
            described = {key: schema[key] for key in ("description",) if key in schema}
            number = {key: value for key, value in schema.items() if key not in described}
            digits = {"type": "string", "pattern": _DIGITS[schema.get("minimum"), schema.get("maximum")]}
            return {**described, "anyOf": [number, digits]}
        return {key: _with_digits(value) for key, value in schema.items()}
    return [_with_digits(each) for each in schema] if isinstance(schema, list) else schema
