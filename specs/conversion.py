"""Values of JSON and TOML as typed values, and one plain line about what does not fit.

msgspec decides whether a value fits its type. Its messages name neither the keys of a mapping nor the words that a
text may be, so for the message the value is searched once more for the first place that is wrong.
"""

import base64
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import inspect

Typed = TypeVar("Typed")

#: Characters of a wrong value that a message shows.
_SHOWN: Final = 80
#: A message of msgspec: what is wrong, and where.
_MESSAGE: Final = re.compile(r"(.*) - at `\$\.?(.*)`")


#: Dots in a line of TOML: the time that Python's parser takes for a dotted key grows with the square of its parts.
_DOTS: Final = 256


class Malformed(ValueError):
    """A value does not fit its type; the message begins with the path to the place that is wrong."""


def parsed_json(text: str | bytes) -> Any:
    """Return the value that JSON holds.

    Raises:
        Malformed: It is not JSON, or has what no program of the kit writes: NaN, a number of thousands of digits,
            thousands of lists in each other.
    """
    try:
        # Not with msgspec: the texts of an implementation may have half of a surrogate pair.
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {_reason(error)}") from error


def parsed_toml(text: str) -> dict[str, Any]:
    """Return the tables that TOML holds.

    Raises:
        Malformed: It is not TOML, or has a number of thousands of digits, or hundreds of lists in each other or of
            names in one key.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _DOTS:
            raise Malformed(f"line {number} has more than {_DOTS} dots")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not TOML: {_reason(error)}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number has too many digits" if "integer string conversion" in str(error) else str(error)


def converted(value: Any, form: type[Typed]) -> Typed:
    """Return a value that JSON or TOML holds as the type that it is written for.

    Raises:
        Malformed: It does not fit, such as ``failures[3].offset: expected an integer, found '7'``.
    """
    try:
        return msgspec.convert(value, form)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        # The latter at half of a surrogate pair in a key, or in a text where something else is expected.
        fault = next(_faults(value, inspect.type_info(form), ""), None)
        if fault is None and isinstance(error, UnicodeEncodeError):
            fault = f"a key has half of a surrogate pair: {error.object[:_SHOWN]!a}"
        raise Malformed(fault or _MESSAGE.sub(r"\2: \1", str(error))) from error


def _faults(value: Any, form: inspect.Type, path: str) -> Iterator[str]:
    """Yield each place of a value that does not fit, in the order of the type's fields."""
    form = _bare(form)
    if isinstance(form, inspect.UnionType):
        form = _bare(next((each for each in form.types if _fits(value, each)), form))
    if not _fits(value, form):
        place = f"{path}: " if path else ""
        if isinstance(form, inspect.LiteralType) and isinstance(value, str):
            yield f"{place}{shown(value)} is not one of {', '.join(map(str, form.values))}"
        else:
            yield f"{place}expected {_expected(form)}, found {shown(value)}"
    elif isinstance(form, _OBJECTS):
        yield from _faults_of_fields(value, form, path)
    elif isinstance(form, inspect.DictType):
        for key, each in value.items():
            yield from _faults(key, form.key_type, f"a key of {path}")
            yield from _faults(each, form.value_type, _joined(path, key))
    elif isinstance(form, _COLLECTIONS):
        for index, each in enumerate(value):
            yield from _faults(each, form.item_type, f"{path}[{index}]")
    elif isinstance(form, inspect.TupleType):
        for index, (each, item) in enumerate(zip(value, form.item_types, strict=True)):
            yield from _faults(each, item, f"{path}[{index}]")


def _faults_of_fields(
    value: Mapping[str, Any], form: inspect.StructType | inspect.TypedDictType | inspect.DataclassType, path: str
) -> Iterator[str]:
    known = {field.encode_name: field for field in form.fields}
    if isinstance(form, inspect.StructType):
        if form.forbid_unknown_fields:
            for name in (each for each in value if each not in known and each != form.tag_field):
                yield f"{_joined(path, name)}: there is no such key; there are {', '.join(known)}"
        if form.tag_field is not None and value.get(form.tag_field) != form.tag:
            yield f"{_joined(path, form.tag_field)}: expected {form.tag}, found {shown(value.get(form.tag_field))}"
    for name, field in known.items():
        if name in value:
            yield from _faults(value[name], field.type, _joined(path, name))
        elif field.required:
            yield f"{_joined(path, name)} is missing"


def _bare(form: inspect.Type) -> inspect.Type:
    return form.type if isinstance(form, inspect.Metadata) else form


def _joined(path: str, key: str) -> str:
    # A key may be any text, also one with a line break.
    name = key if key.isprintable() else ascii(key)
    return f"{path}.{name}" if path else name


_OBJECTS: Final = (inspect.StructType, inspect.TypedDictType, inspect.DataclassType)
_COLLECTIONS: Final = (
    inspect.ListType,
    inspect.VarTupleType,
    inspect.SetType,
    inspect.FrozenSetType,
)
_LISTS: Final = (list, tuple)
#: Type -> the Python types that a parser gives for it, and its name in a message. A flag is not a number.
_KINDS: Final[Mapping[type[inspect.Type], tuple[tuple[type, ...], str]]] = {
    inspect.NoneType: ((type(None),), "null"),
    inspect.BoolType: ((bool,), "true or false"),
    inspect.IntType: ((int,), "an integer"),
    inspect.FloatType: ((int, float), "a number"),
    inspect.StrType: ((str,), "a text"),
    inspect.BytesType: ((str,), "a text in base64"),
    **dict.fromkeys((*_OBJECTS, inspect.DictType), ((dict,), "an object")),
    **dict.fromkeys((*_COLLECTIONS, inspect.TupleType), (_LISTS, "a list")),
}
#: Limit of a type -> how a value keeps to it, and what a message calls it.
_LIMITS: Final[Mapping[str, tuple[Callable[[Any, Any], bool], str]]] = {
    "ge": (lambda value, limit: value >= limit, "of at least {}"),
    "le": (lambda value, limit: value <= limit, "of at most {}"),
    "gt": (lambda value, limit: value > limit, "above {}"),
    "min_length": (lambda value, limit: len(value) >= limit, "of length {} or more"),
    "max_length": (lambda value, limit: len(value) <= limit, "of length {} or less"),
    "pattern": (lambda value, limit: re.search(limit, value) is not None, "like {}"),
}


def _limits(form: inspect.Type) -> dict[str, Any]:
    return {name: limit for name in _LIMITS if (limit := getattr(form, name, None)) is not None}


def _fits(value: Any, form: inspect.Type) -> bool:
    """Return whether a value is of a type, its parts left aside."""
    form = _bare(form)
    if isinstance(form, inspect.UnionType):
        return any(_fits(value, each) for each in form.types)
    if isinstance(form, inspect.LiteralType):
        return any(type(value) is type(each) and value == each for each in form.values)
    if isinstance(form, inspect.TupleType) and isinstance(value, _LISTS):
        return len(value) == len(form.item_types)
    if type(form) not in _KINDS:
        return True
    types, _ = _KINDS[type(form)]
    if type(value) not in types or (isinstance(form, inspect.BytesType) and not _is_base64(value)):
        return False
    return all(_LIMITS[name][0](value, limit) for name, limit in _limits(form).items())


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return True


def _expected(form: inspect.Type) -> str:
    form = _bare(form)
    if isinstance(form, inspect.UnionType):
        return " or ".join(_expected(each) for each in form.types)
    if isinstance(form, inspect.LiteralType):
        words = ", ".join(map(str, form.values))
        return f"one of {words}" if len(form.values) > 1 else words
    if isinstance(form, inspect.TupleType):
        return f"a list of {len(form.item_types)}"
    _, name = _KINDS[type(form)]
    limits = " and ".join(_LIMITS[limit][1].format(bound) for limit, bound in _limits(form).items())
    return f"{name} {limits}".rstrip()


def shown(value: Any) -> str:
    """Return a value as a message shows it: a list or an object may be long, or nested without end."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, _LISTS):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return repr(value[:_SHOWN])
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and value.bit_length() > 4 * _SHOWN:
        # Python refuses to write thousands of digits.
        return f"an integer of {value.bit_length()} bits"
    return str(value)[:_SHOWN]
