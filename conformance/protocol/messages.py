"""The protocol, version 1: JSON lines over standard input and output.

The structure of what comes in is checked by hand, as a schema validator would cost more than the decoders under
test; the schemas in `specs/schemas` say the same, and a test holds the two against each other.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final, NoReturn

from conformance.binlog.errors import ERROR_KINDS
from conformance.binlog.servers import server_of
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import (
    ABILITIES,
    PROTOCOL,
    Declaration,
    Observation,
    Refusal,
    Request,
    RoleDeclaration,
    Trouble,
)
from conformance.protocol.role import AnswerField, Role
from conformance.protocol.roles.registry import role_names, role_of
from conformance.specs.versions import Profiles

#: Characters of an offending line that a `Trouble` keeps.
DETAIL_CHARACTERS: Final = 500
#: An integer as text has at most this many characters, its sign included: enough for 64 bits.
_INTEGER_CHARACTERS: Final = 20
_IMAGES: Final = ("before", "after")


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
    return _line({"cmd": "start", "protocol": PROTOCOL})


def encode_request(request: Request, seq: int) -> bytes:
    """Return the line that asks a question; nothing of what is expected is in it."""
    message: dict[str, Any] = {"cmd": request.role, "seq": seq, "profile": request.profile}
    if role_of(request.role).has_stream:
        message["stream"] = base64.b64encode(request.stream).decode("ascii")
    if request.settings:
        message["settings"] = dict(request.settings)
    return _line(message)


def encode_bulk_request(*, role: str, profile: str, seq: int, path: str, offset: int, length: int) -> bytes:
    """Return the line that asks about a stream in a file.

    Args:
        role: What is asked.
        profile: Whose rules hold.
        seq: Number of the question.
        path: Absolute path of the file.
        offset: Where the stream starts in the file, in bytes.
        length: Bytes of the stream.
    """
    return _line({"cmd": role, "seq": seq, "profile": profile, "path": path, "offset": offset, "length": length})


def encode_stop() -> bytes:
    """Return the line that ends the conversation."""
    return _line({"cmd": "stop"})


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def shortened(line: bytes) -> str:
    """Return a raw line as text, cut at `DETAIL_CHARACTERS`."""
    text = line[: 4 * DETAIL_CHARACTERS].decode("utf-8", "backslashreplace")
    return text if len(text) <= DETAIL_CHARACTERS else text[:DETAIL_CHARACTERS] + "..."


def decode_declaration(line: bytes) -> Declaration:
    """Return what an implementation declares.

    Raises:
        ProtocolError: The line is no declaration of this version of the protocol.
    """
    message = _parse(line)
    if message.get("protocol") != PROTOCOL or type(message["protocol"]) is bool:
        found = message.get("protocol")
        raise ProtocolError("wrong-protocol", f"it speaks protocol {found!r}, the kit speaks {PROTOCOL}")
    about = message.get("implementation")
    if not isinstance(about, dict):
        _broken("'implementation' must be an object with name, version and language")
    for key in ("name", "version", "language"):
        if not isinstance(about.get(key), str) or not about[key]:
            _broken(f"'implementation.{key}' must be a text that is not empty")
    if not isinstance(about.get("homepage", ""), str):
        _broken("'implementation.homepage' must be a text")
    roles = message.get("roles")
    if not isinstance(roles, dict) or not roles:
        _broken("'roles' must be an object with at least one role")
    return Declaration(
        name=about["name"],
        version=about["version"],
        language=about["language"],
        homepage=about.get("homepage", ""),
        roles={role: _role(role, entry) for role, entry in roles.items()},
    )


def _role(role: str, entry: Any) -> RoleDeclaration:
    if role not in role_names():
        _broken(f"there is no role {role!r}; the roles are {', '.join(role_names())}")
    if not isinstance(entry, dict):
        _broken(f"'roles.{role}' must be an object")
    asked = role_of(role)
    # In a role that asks for streams the kit reads them itself, and sees every field.
    fields = frozenset(asked.fields)
    if not asked.answers_streams:
        fields = _names(role, entry, "fields", tuple(asked.fields))
        if not fields.issuperset(asked.always):
            _broken(f"'roles.{role}.fields' must have {' and '.join(asked.always)}")
    abilities = _names(role, entry, "abilities", tuple(ABILITIES))
    _names(role, entry, "profiles", None)
    try:
        profiles = Profiles.claimed(*entry["profiles"])
    except ValueError as error:
        _broken(f"'roles.{role}.profiles': {error}")
    return RoleDeclaration(fields=fields, abilities=abilities, profiles=profiles)


def _names(role: str, entry: Mapping[str, Any], key: str, known: tuple[str, ...] | None) -> frozenset[str]:
    names = entry.get(key)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        _broken(f"'roles.{role}.{key}' must be an array of texts")
    for name in names:
        if known is not None and name not in known:
            _broken(f"'roles.{role}.{key}' has {name!r}; there are {', '.join(known)}")
    return frozenset(names)


def decode_answer(line: bytes, *, seq: int, asked: Request, role: RoleDeclaration) -> Observation | Trouble:
    """Return what an implementation answered to a question.

    Integers that came as decimal digits are integers in the observation. A field that no table names is kept.

    Args:
        line: The answer.
        seq: Number of the question that it must answer.
        asked: The question.
        role: What the implementation declares for the role.

    Raises:
        ProtocolError: The answer breaks the protocol, answers another question, or lacks a declared field.
    """
    message = _parse(line)
    found = None if isinstance(message.get("seq"), str) else _integer(message.get("seq"))
    if found is None:
        _broken("'seq' must be an integer")
    if found != seq:
        raise ProtocolError("wrong-seq", f"it answers question {found}, the question was {seq}")
    if "unsupported" in message:
        return _unsupported(message)
    about = role_of(asked.role)
    if about.answers_streams:
        return _streams(message, asked)
    events = message.get("events")
    if not isinstance(events, list):
        _broken("'events' must be an array")
    for index, event in enumerate(events):
        _check_event(event, index, about)
    refusal = _refusal(message)
    for index, event in enumerate(events):
        missing = about.missing(role, event)
        if missing:
            detail = f"event {index}, {about.describe(event, index)}, has no {', '.join(missing)}"
            raise ProtocolError("missing-field " + ",".join(missing), detail)
    return Observation(tuple(events), refusal)


def _streams(message: Mapping[str, Any], asked: Request) -> Observation:
    """Return what stands in the streams of an answer, and the error that the implementation told."""
    encoded = message.get("streams")
    if not isinstance(encoded, list) or not all(isinstance(each, str) for each in encoded):
        _broken("'streams' must be an array of texts in base64")
    try:
        streams = [base64.b64decode(each, validate=True) for each in encoded]
    except binascii.Error as error:
        _broken(f"'streams' must be base64: {error}")
    refusal = _refusal(message)
    observed = observed_streams(streams, server_of(asked.profile).rules)
    return observed if refusal is None else replace(observed, error=refusal)


def _unsupported(message: Mapping[str, Any]) -> Trouble:
    reason = message["unsupported"]
    if not isinstance(reason, str) or not reason:
        _broken("'unsupported' must be a text that is not empty")
    if not message.keys().isdisjoint(("events", "streams", "error")):
        _broken("'unsupported' excludes 'events', 'streams' and 'error'")
    return Trouble("unsupported", "declined", reason)


def _refusal(message: Mapping[str, Any]) -> Refusal | None:
    if "error" not in message:
        _broken("'error' must be there, null where the whole stream was read")
    error = message["error"]
    if error is None:
        return None
    if not isinstance(error, dict):
        _broken("'error' must be null or an object")
    at = error.get("at", False)
    if at is not None:
        at = _integer(at)
        if at is None or at < 0:
            _broken("'error.at' must be null or an offset")
    kind = error.get("kind")
    if not isinstance(kind, str) or kind not in ERROR_KINDS:
        _broken(f"'error.kind' must be one of {', '.join(ERROR_KINDS)}")
    if not isinstance(error.get("message"), str):
        _broken("'error.message' must be a text")
    code = None if error.get("code") is None else _integer(error["code"])
    if code is None and error.get("code") is not None:
        _broken("'error.code' must be null or an integer")
    return Refusal(at, kind, error["message"], code)


@cache
def _kinds(role: str) -> tuple[Mapping[str, AnswerField], frozenset[str], frozenset[str]]:
    """Return the words, the integers and the texts among the fields of a role."""
    fields = role_of(role).fields
    words = {name: field for name, field in fields.items() if field.kind == "word"}
    integers = frozenset(name for name, field in fields.items() if field.kind == "integer")
    return words, integers, frozenset(name for name, field in fields.items() if field.kind in ("text", "word"))


def _check_event(event: Any, index: int, role: Role) -> None:
    """Check an event and put integers in the place of digits."""
    if not isinstance(event, dict):
        _broken(f"event {index} must be an object")
    words, integers, texts = _kinds(role.name)
    for name, value in event.items():
        if name in integers:
            if type(value) is not int:
                number = _integer(value)
                if number is None:
                    _broken(f"event {index}: {name!r} must be an integer")
                event[name] = number
        elif name in texts:
            if not isinstance(value, str):
                _broken(f"event {index}: {name!r} must be a text")
            if name in words and value not in words[name].words:
                _broken(f"event {index}: {name!r} must be one of {', '.join(words[name].words)}")
        elif name == "rows" and "rows" in role.fields:
            _check_rows(value, index)
    if not event.keys() >= set(role.always):
        _broken(f"event {index} must have {' and '.join(role.always)}")
    offset, code = (event.get(name, 0) if name in integers else 0 for name in ("offset", "type"))
    if offset < 0 or not 0 <= code <= 255:
        _broken(f"event {index}: 'offset' must not be negative, 'type' must be 0 to 255")


def _check_rows(rows: Any, index: int) -> None:
    """Check the shape of rows; what the values are is the oracles' business."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        _broken(f"event {index}: 'rows' must be an array of objects")
    for row in rows:
        if not all(name in row and (row[name] is None or isinstance(row[name], dict)) for name in _IMAGES):
            _broken(f"event {index}: each row must have 'before' and 'after', each null or an object")


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


def _parse(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError("not-utf-8", str(error)) from error
    try:
        message = json.loads(text, parse_constant=_no_json_number)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("not-json", str(error)) from error
    if not isinstance(message, dict):
        raise ProtocolError("not-an-object", "a message is a JSON object")
    if "\\u" in text and not _is_unicode(message):
        raise ProtocolError("not-unicode", "a text has half of a surrogate pair")
    return message


def _no_json_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _is_unicode(message: Mapping[str, Any]) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _broken(detail: str) -> NoReturn:
    raise ProtocolError("breaks-the-schema", detail)
