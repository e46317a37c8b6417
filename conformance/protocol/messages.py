"""The protocol, version 1: JSON lines over standard input and output.

Each line is checked against the form of its message. An answer that fits is decoded in one step, as an implementation
gives thousands; any other line is read once more, step by step, for what is wrong with it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import isinf
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import UNSET

from conformance.binlog.servers import server_of
from conformance.protocol import forms
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import (
    PROTOCOL,
    Declaration,
    Observation,
    Refusal,
    Request,
    RoleDeclaration,
    Trouble,
    without_numbers,
)
from conformance.protocol.role import Role
from conformance.protocol.roles.registry import role_of
from conformance.specs.conversion import Malformed, converted, shown
from conformance.specs.profiles import PRODUCTS
from conformance.specs.run_record import DECLINED
from conformance.specs.versions import Profiles

#: Characters of an offending line that a `Trouble` keeps.
DETAIL_CHARACTERS: Final = 500
#: Characters of the signature of a crash that an adapter reports.
SIGNATURE_CHARACTERS: Final = 120
#: Characters of an adapter's own words that a `Trouble` keeps.
WORDS_CHARACTERS: Final = 4000
#: White space between a key and its colon, which hides the key from `_keys`; in a text it is harmless.
_SPACED_KEY: Final = re.compile(rb'"[ \t\r\n]+:')
#: What Go and C write for the double -0.0; a parser of JSON reads it as an integer, without its sign.
_MINUS_ZERO: Final = re.compile(rb"[\[:,][ \t\r\n]*-0[ \t\r\n]*[,\]}]")
#: An integer as text has at most this many characters, its sign included: enough for 64 bits.
_INTEGER_CHARACTERS: Final = 20
#: The line before the calls that led to an exception, as Python writes them.
_TRACEBACK: Final = "Traceback (most recent call last):"

Typed = TypeVar("Typed")


class ProtocolError(ValueError):
    """A message that breaks the protocol.

    Attributes:
        signature: A short, stable name of how, without numbers that vary.
        detail: What exactly.
    """

    def __init__(self, signature: str, detail: str) -> None:
        super().__init__(f"{signature}: {detail}")
        self.signature = signature
        self.detail = detail


def encode_start() -> bytes:
    """Return the line that asks an implementation to declare itself."""
    return _line(forms.Start(protocol=PROTOCOL))


def encode_request(request: Request, seq: int) -> bytes:
    """Return the line that asks a question; nothing of what is expected is in it."""
    role = role_of(request.role)
    if role.is_served or not role.has_stream:
        return _line(forms.Question(cmd=request.role, seq=seq, profile=request.profile, settings=request.settings))
    return _line(
        forms.StreamQuestion(
            cmd=request.role, seq=seq, profile=request.profile, stream=request.stream, settings=request.settings
        )
    )


def encode_bulk_request(*, role: str, profile: str, seq: int, path: str, offset: int, length: int) -> bytes:
    """Return the line that asks about a stream in a file.

    Args:
        role: The role of the question.
        profile: The profile whose rules hold.
        seq: Number of the question.
        path: Absolute path of the file.
        offset: Where the stream starts in the file, in bytes.
        length: Bytes of the stream.
    """
    return _line(forms.FileQuestion(cmd=role, seq=seq, profile=profile, path=path, offset=offset, length=length))


def encode_stop() -> bytes:
    """Return the line that ends the conversation."""
    return _line(forms.Stop())


def _line(message: msgspec.Struct) -> bytes:
    # In ASCII, whatever encoding the implementation's language takes standard input for.
    return json.dumps(msgspec.to_builtins(message), separators=(",", ":")).encode("ascii") + b"\n"


def shortened(line: bytes) -> str:
    """Return a raw line as text, cut at `DETAIL_CHARACTERS`."""
    text = line[: 4 * DETAIL_CHARACTERS].decode("utf-8", "backslashreplace")
    return text if len(text) <= DETAIL_CHARACTERS else text[:DETAIL_CHARACTERS] + "..."


def decode_declaration(line: bytes) -> Declaration:
    """Return what an implementation declares.

    Raises:
        ProtocolError: The line is not a declaration of this version of the protocol.
    """
    message = _parsed(line)
    protocol = message.get("protocol")
    if protocol != PROTOCOL or isinstance(protocol, bool):
        raise ProtocolError("wrong-protocol", f"protocol: expected {PROTOCOL}, found {protocol!r}")
    declaration = _fitting(message, forms.Declaration)
    about = declaration.implementation
    roles = {name: form for name, form in msgspec.structs.asdict(declaration.roles).items() if form is not UNSET}
    if not roles:
        _break("roles: expected at least one role, found none")
    return Declaration(
        name=about.name,
        version=about.version,
        language=about.language,
        homepage=about.homepage,
        roles={name: _role(role_of(name), form) for name, form in roles.items()},
    )


def changed_parts(before: Declaration, after: Declaration) -> Iterator[str]:
    """Yield what differs between two declarations, such as ``roles.decode.fields``."""
    for name in ("name", "version", "language", "homepage"):
        if getattr(before, name) != getattr(after, name):
            yield f"implementation.{name}"
    for role in dict.fromkeys((*before.roles, *after.roles)):
        if role not in before.roles or role not in after.roles:
            yield f"roles.{role}"
            continue
        for name in ("fields", "fields_of", "abilities", "profiles"):
            if getattr(before.roles[role], name) != getattr(after.roles[role], name):
                yield f"roles.{role}.{name}"


def _role(role: Role, form: Any) -> RoleDeclaration:
    # Streams are read by the kit itself, which sees every field.
    fields = frozenset(role.fields if role.answers_streams else form.fields)
    by_product = {product: getattr(form.fields_of, product, UNSET) for product in PRODUCTS}
    fields_of = {product: frozenset(names) for product, names in by_product.items() if names is not UNSET}
    places = {"fields": fields, **{f"fields_of.{product}": each for product, each in fields_of.items()}}
    for place, declared in places.items():
        if not declared.issuperset(role.always):
            _break(f"roles.{role.name}.{place}: expected {' and '.join(role.always)} among them")
    try:
        profiles = Profiles.claimed(*form.profiles)
    except ValueError as error:
        _break(f"roles.{role.name}.profiles: {error}")
    return RoleDeclaration(fields, frozenset(form.abilities), profiles, fields_of)


def decode_answer(line: bytes, *, seq: int, request: Request, role: RoleDeclaration) -> Observation | Trouble:
    """Return what an implementation answered to a question.

    Integers that came as decimal digits are integers in the observation. A key that no form names is left out.

    Args:
        line: The answer.
        seq: Number of the question that it must answer.
        request: The question.
        role: What the implementation declares for the role.

    Raises:
        ProtocolError: The answer breaks the protocol, answers another question, or lacks a declared field.
    """
    about = role_of(request.role)
    role = role.under(request.profile)
    try:
        answer = None if b"-0" in line and _MINUS_ZERO.search(line) else _decoder(request.role).decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        answer = None
    if answer is None:
        answer = _decoded_carefully(line, about, seq)
    else:
        if _keys(answer) != line.count(b'":') or _SPACED_KEY.search(line):
            _parsed(line)  # It may have a key twice, or what no form names.
    if answer.seq != seq:
        _break_sequence(answer.seq, seq)
    content, _ = forms.answered(about)
    answered = getattr(answer, content)
    if answer.unsupported is not UNSET:
        if answered is not UNSET or answer.error is not UNSET:
            _break(f"unsupported: expected an answer without '{content}' and 'error', found both")
        return Trouble("unsupported", "declined", answer.unsupported[:WORDS_CHARACTERS])
    if answered is UNSET:
        _break(f"{content} is missing")
    if answer.error is UNSET:
        _break("error is missing: it is null where the whole stream was read")
    if answer.crash is not UNSET:
        return _crash(answer.crash, answered)
    if about.answers_streams:
        observed = observed_streams(answered, server_of(request.profile).rules)
        return observed if answer.error is None else replace(observed, error=answer.error)
    for index, event in enumerate(answered):
        if about.may_decline and _declines(about, event, index):
            continue
        missing = about.missing(role, event)
        if missing:
            detail = f"event {index}, {about.describe(event, index)}, has no {', '.join(missing)}"
            raise ProtocolError("missing-field " + ",".join(missing), detail)
    return Observation(tuple(answered), answer.error)


def _declines(role: Role, entry: Mapping[str, Any], index: int) -> bool:
    """Return whether an entry is none.

    Raises:
        ProtocolError: It is none and has fields, or is one and lacks a field that every entry has.
    """
    if role.declines(entry):
        if len(entry) > 1:
            _break(f"events[{index}]: expected an entry with '{DECLINED}' and no field, found both")
        return True
    for name in role.always:
        if name not in entry:
            _break(f"events[{index}].{name} is missing")
    return False


def _crash(last_words: str, answered: Sequence[Any]) -> Trouble:
    """Return a crash that the adapter reports, with the number of entries before it, and the place of the last."""
    count = len(answered)
    last = answered[-1].get("offset") if answered and isinstance(answered[-1], Mapping) else None
    last_at = last if isinstance(last, int) else None
    signature = without_numbers(_named(last_words))[:SIGNATURE_CHARACTERS] or "crash"
    kept = last_words[:WORDS_CHARACTERS]
    return Trouble("crash", signature, f"{kept}\n(after {count} {'entry' if count == 1 else 'entries'})", last_at)


def _named(last_words: str) -> str:
    """Return the line of a crash that names it: the first one, but of a traceback the one after the calls."""
    lines = [line for line in last_words.splitlines() if any(map(str.isalnum, line)) and line.strip() != _TRACEBACK]
    return next((line for line in lines if not line[0].isspace()), lines[0].strip() if lines else "")


def _keys(answer: Any) -> float:
    """Return how many keys an answer has in all its objects; infinity if it has an infinite number.

    Where the line has more, some were left out: a key twice, or one that no form names.
    """
    count: float = 0
    for name in answer.__struct_fields__:
        value = getattr(answer, name)
        if value is not UNSET:
            count += 1
            if isinstance(value, Refusal):
                count += 3 if value.code is None else 4  # The code may be left out.
            elif type(value) in (list, dict):
                count += _keys_within(value)
    return count


def _keys_within(value: Sequence[Any] | Mapping[str, Any]) -> float:
    count: float = 0
    if isinstance(value, dict):
        count += len(value)
        value = tuple(value.values())
    for each in value:
        kind = type(each)
        if kind is dict or kind is list:
            count += _keys_within(each)
        elif isinstance(each, float) and isinf(each):
            return float("inf")
    return count


@cache
def _decoder(role: str) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(forms.answer_form(role))


def _decoded_carefully(line: bytes, role: Role, seq: int) -> Any:
    """Return an answer whose integers may be text, or raise what is wrong with it.

    Raises:
        ProtocolError: It breaks the protocol, or answers another question.
    """
    message = _parsed(line)
    number = None if isinstance(message.get("seq"), str) else _integer(message.get("seq"))
    if number is None:
        _break(f"seq: expected an integer, found {message.get('seq')!r}")
    if number != seq:
        _break_sequence(number, seq)
    message["seq"] = number
    _replace_digits(message, role)
    return _fitting(message, forms.answer_form(role.name))


def _replace_digits(message: Mapping[str, Any], role: Role) -> None:
    """Put integers in the place of decimal digits, wherever an answer of a role has integers."""
    integers = {name for name, field in role.fields.items() if field.kind == "integer"}
    entries = message.get("events")
    places = [(entry, integers) for entry in entries] if isinstance(entries, list) else []
    for holder, names in (*places, (message.get("error"), {"at", "code"})):
        if isinstance(holder, dict):
            for name, value in holder.items():
                if type(value) is not int and name in names:
                    number = _integer(value)
                    holder[name] = value if number is None else number


def _integer(value: Any) -> int | None:
    """Return an integer that came as a number or as decimal digits, None for anything else."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is str and len(value) <= _INTEGER_CHARACTERS:
        try:
            number = int(value)
        except ValueError:
            return None
        return number if str(number) == value else None
    return None


def _fitting(message: Any, form: type[Typed]) -> Typed:
    try:
        return converted(message, form)
    except Malformed as error:
        raise ProtocolError("breaks-the-schema", str(error)) from error


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError("not-utf-8", str(error)) from error
    try:
        message = _JSON.decode(text)
    except ProtocolError:
        raise
    except (ValueError, RecursionError) as error:
        raise ProtocolError("not-json", str(error)) from error
    if not isinstance(message, dict):
        raise ProtocolError("not-an-object", "a message is a JSON object")
    if "\\u" in text and not _is_unicode(message):
        raise ProtocolError("not-unicode", "a text has half of a surrogate pair")
    return message


def _no_json_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ProtocolError("number-too-large", f"{text[:DETAIL_CHARACTERS]} is beyond what a number of JSON can be")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ProtocolError("key-twice", f"an object has the key {shown(twice)} more than once")
    return entries


def _number(digits: str) -> int | float:
    """Return an integer, or -0.0 where it is written as `_MINUS_ZERO`."""
    return -0.0 if digits == "-0" else int(digits)


_JSON: Final = json.JSONDecoder(
    parse_constant=_no_json_number, parse_int=_number, parse_float=_finite, object_pairs_hook=_object
)


def _is_unicode(message: Mapping[str, Any]) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _break(detail: str) -> NoReturn:
    raise ProtocolError("breaks-the-schema", detail)


def _break_sequence(answered: int, seq: int) -> NoReturn:
    raise ProtocolError("wrong-seq", f"seq: expected {seq}, found {answered}")
