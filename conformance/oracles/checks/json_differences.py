"""What is wrong with a JSON document: the first value in it that differs, and how."""

import re
from typing import Any, Final, NamedTuple

from conformance.oracles.checks.same_value import same_json
from conformance.oracles.checks.signed_numbers import SIGNED, UNSIGNED

#: The widths of the integers in a document, in bits.
_WIDTHS: Final = (16, 32, 64)
#: A date, a time, or both, as servers print them.
_TEMPORAL: Final = re.compile(r"(?:\d{4}-\d\d-\d\d)?(?: ?-?\d{2,3}:\d\d:\d\d\.\d{6})?")
_CHANGE: Final = ("operation", "path")
_NUMBERS: Final = frozenset({"integer", "number"})


class JsonDifference(NamedTuple):
    """The kind of value that differs in a document, and how it does."""

    what: str
    how: str


def json_difference(expected: Any, seen: Any) -> JsonDifference | None:
    """Return the first difference of two cells of a JSON column, documents or changes; None if there is no name for it.

    Args:
        expected: The cell in the notation of the protocol.
        seen: The cell of an answer.
    """
    if not isinstance(expected, dict) or not isinstance(seen, dict) or expected.keys() != seen.keys():
        return None
    if "json" in expected:
        return _of_values(expected["json"], seen["json"])
    changes, others = expected.get("json_changes"), seen.get("json_changes")
    if not isinstance(changes, list) or not isinstance(others, list) or len(changes) != len(others):
        return None
    for change, other in zip(changes, others, strict=True):
        if not isinstance(other, dict) or any(change[name] != other.get(name) for name in _CHANGE):
            return None
        if not same_json(change.get("value"), other.get("value")):
            return _of_values(change.get("value"), other.get("value"))
    return None


def _of_values(expected: Any, seen: Any) -> JsonDifference:
    if isinstance(expected, dict) and isinstance(seen, dict):
        if expected.keys() != seen.keys():
            return JsonDifference("members", "differ")
        pairs = [(value, seen[name]) for name, value in expected.items()]
    elif isinstance(expected, list) and isinstance(seen, list):
        if len(expected) != len(seen):
            return JsonDifference("elements", "differ")
        pairs = list(zip(expected, seen, strict=True))
    elif isinstance(seen, str) and _kind(expected) in _NUMBERS:
        # A DECIMAL of JSON without a fraction is an integer here, and as wrong as one with a fraction.
        return JsonDifference("number", _how(expected, seen))
    else:
        return JsonDifference(_kind(expected), _how(expected, seen))
    return next(_of_values(*pair) for pair in pairs if not same_json(*pair))


def _kind(value: Any) -> str:
    """Return the kind of a value by its encoding: a date or time is an opaque value."""
    if value is None or isinstance(value, bool):
        return "literal"
    if isinstance(value, str):
        return "date or time" if value and _TEMPORAL.fullmatch(value) else "string"
    return {int: "integer", float: "number", list: "array", dict: "object"}[type(value)]


def _how(expected: Any, seen: Any) -> str:
    if seen is None:
        return "is null"
    if _form(expected) != _form(seen):
        return "is of the wrong kind"
    if isinstance(expected, int) and isinstance(seen, int):
        if any(expected - seen == 1 << bits for bits in _WIDTHS):
            return SIGNED
        if any(seen - expected == 1 << bits for bits in _WIDTHS):
            return UNSIGNED
    return "differs"


def _form(value: Any) -> type:
    """Return the type of a value; all numbers share one."""
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)
