"""What a layout is: the fields of one event type, from which reading, writing and the dump all follow."""

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, Protocol

from conformance.binlog.codecs import Bytes, Codec, Fields, Int, Rest, Values
from conformance.binlog.errors import MalformedBody

#: Post-header bytes after the last field that the layout knows, kept unchanged.
POST_HEADER_REST: Final = "post_header_rest"
#: Bytes after the last field that the layout knows, kept unchanged.
TAIL: Final = "tail"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name and its codec.

    Attributes:
        name: The field's name, the same in the protocol, the dump and the reports.
        codec: How it is encoded.
        optional: It may be absent, if the remaining bytes do not hold it.
        when: Returns whether it is present, from the values before it; None means always.
        derive: Computes its value from the other values when a writer omits it.
        joined: A writer may omit it and supply its bytes with the field after it.
    """

    name: str
    codec: Codec
    optional: bool = False
    when: Callable[[Mapping[str, Any]], bool] | None = None
    derive: Callable[[Mapping[str, Any]], Any] | None = None
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """The place of one field: offset and size in bytes, counted from the start of the event."""

    offset: int
    size: int
    name: str
    value: Any


class Block(Protocol):
    """A part of a body that is more than a row of fields, such as `conformance.binlog.keyed.Keyed`."""

    def read(self, data: bytes, at: int, end: int, values: Values, spans: list[Span] | None = None) -> int:
        """Read fields into `values` and their spans into `spans`, and return the offset after the block."""

    def write(self, values: Mapping[str, Any]) -> bytes:
        """Return the bytes of the block."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of one event type.

    Attributes:
        post_header: Fields of the post-header. If the format description declares a longer post-header,
            the bytes that the layout does not know are kept as `POST_HEADER_REST`. If it declares a
            shorter one, the fields beyond it are absent.
        block: A block between post-header and body, if the type has one.
        body: Fields of the body, after the post-header.
        honours_post_header: False for the few types whose declared post-header length is wrong.
        closed: Bytes after the last field make the event malformed; otherwise they are kept as `TAIL`.
        derived: The fields that a writer may omit, with the functions that derive them.
        pieces: Functions that write the fields and the bytes between and after them, in order.
        head_steps: How the fields of the post-header are read.
        body_steps: How the fields of the body are read.
        required: Names of the fields of the post-header that servers always write.
    """

    post_header: tuple[Field, ...] = ()
    body: tuple[Field, ...] = ()
    block: Block | None = None
    honours_post_header: bool = True
    closed: bool = False
    derived: tuple[tuple[str, Callable[[Mapping[str, Any]], Any]], ...] = field(init=False, repr=False, compare=False)
    pieces: tuple["Piece", ...] = field(init=False, repr=False, compare=False)
    head_steps: tuple["Step", ...] = field(init=False, repr=False, compare=False)
    body_steps: tuple["Step", ...] = field(init=False, repr=False, compare=False)
    required: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        derived = tuple((each.name, each.derive) for each in self.post_header + self.body if each.derive is not None)
        object.__setattr__(self, "derived", derived)
        block = () if self.block is None else (self.block.write,)
        pieces = (
            *_pieces(self.post_header),
            _kept_piece(POST_HEADER_REST),
            *block,
            *_pieces(self.body),
            _kept_piece(TAIL),
        )
        object.__setattr__(self, "pieces", pieces)
        object.__setattr__(self, "head_steps", tuple(map(_step, self.post_header)))
        object.__setattr__(self, "body_steps", tuple(map(_step, self.body)))
        object.__setattr__(self, "required", frozenset(each.name for each in self.post_header if not each.optional))

    def read(self, data: bytes, at: int, end: int, *, post_header_length: int) -> Fields:
        """Return the fields of the body in ``data[at:end]`` by name, with the bytes after them.

        Args:
            data: The bytes of the event, or of a whole stream.
            at: Offset of the end of the common header.
            end: Offset of the event's end, its checksum excluded.
            post_header_length: Bytes that the format description declares for this type.

        Raises:
            MalformedBody: A field runs past the end or holds an invalid value.
        """
        values = Fields()
        self._read(data, at, end, post_header_length, values, None)
        return values

    def require(self, values: Fields) -> None:
        """Check that a post-header has room for every field of it.

        Raises:
            MissingField: It has none for a field that servers always write.
        """
        if values.keys() >= self.required:
            return
        for each in self.post_header:
            if not each.optional and (each.when is None or each.when(values)):
                values[each.name]

    def spans(self, data: bytes, at: int, end: int, *, post_header_length: int) -> list[Span]:
        """Return the span of each field, up to the first that cannot be read."""
        spans: list[Span] = []
        with suppress(MalformedBody):
            self._read(data, at, end, post_header_length, Fields(), spans)
        return spans

    def write(self, values: Mapping[str, Any], *, post_header_length: int) -> bytes:
        """Return the post-header and the body that hold `values`.

        Fields missing from `values` are derived from the others, or absent if they may be.

        Raises:
            ValueError: A required field is missing, or a value does not fit.
        """
        complete = dict(values)
        for name, derive in self.derived:
            if name not in complete:
                complete[name] = derive(complete)
        try:
            return b"".join([piece(complete) for piece in self.pieces])
        except (KeyError, struct.error):
            # A field is missing or does not fit: writing them one by one finds it, and whether it may be absent.
            return self._write(complete, post_header_length)

    def _write(self, values: Mapping[str, Any], post_header_length: int) -> bytes:
        post_header = _write_fields(self.post_header, values, post_header_length)
        block = b"" if self.block is None else self.block.write(values)
        body = _write_fields(self.body, values, None)
        return b"".join((post_header, values.get(POST_HEADER_REST, b""), block, body, values.get(TAIL, b"")))

    def _read(
        self,
        data: bytes,
        at: int,
        end: int,
        post_header_length: int,
        values: Values,
        spans: list[Span] | None,
    ) -> None:
        if self.honours_post_header:
            border = at + post_header_length
            if border > end and not any(each.optional for each in self.post_header):
                raise MalformedBody(f"expected a post-header of {post_header_length} bytes, found {max(end - at, 0)}")
            border = min(border, end)
            at = _read_fields(self.head_steps, data, at, border, values, spans, cut=border < end)
            if at < border:
                _keep(POST_HEADER_REST, data, at, border, values, spans)
            at = border
        else:
            at = _read_fields(self.head_steps, data, at, end, values, spans, cut=False)
        if self.block is not None:
            at = self.block.read(data, at, end, values, spans)
        at = _read_fields(self.body_steps, data, at, end, values, spans, cut=False)
        if at < end:
            if self.closed:
                raise MalformedBody(f"{end - at} bytes follow the last field")
            _keep(TAIL, data, at, end, values, spans)


#: A codec's `read`.
_Read = Callable[[bytes, int, int, Values], tuple[Any, int]]
#: How a field is read: its name, how its codec reads it, when it is present, and whether it may be absent.
Step = tuple[str, _Read, Callable[[Mapping[str, Any]], bool] | None, bool]


def _step(each: Field) -> Step:
    return each.name, each.codec.read, each.when, each.optional


#: Returns the bytes of one field, or of several adjacent ones, from the values of an event.
Piece = Callable[[Mapping[str, Any]], bytes]


def _pieces(fields: tuple[Field, ...]) -> Iterator[Piece]:
    """Yield functions that write fields; they raise KeyError or `struct.error` if one is missing or does not fit."""
    for fixed, group in groupby(fields, lambda each: _struct_code(each) is not None):
        if fixed:
            yield _integers(list(group))
        else:
            yield from map(_piece, group)


def _struct_code(each: Field) -> str | None:
    """Return the `struct` code of an integer that is always present; None for other fields."""
    if each.optional or each.joined or each.when is not None or not isinstance(each.codec, Int):
        return None
    return each.codec.struct_code


def _integers(fields: list[Field]) -> Piece:
    pack = struct.Struct("<" + "".join(_struct_code(each) or "" for each in fields)).pack
    if len(fields) == 1:
        name = fields[0].name
        return lambda values: pack(values[name])
    numbers = itemgetter(*(each.name for each in fields))
    return lambda values: pack(*numbers(values))


def _piece(each: Field) -> Piece:
    name, write, when = each.name, each.codec.write, each.when
    may_be_absent = each.optional or each.joined

    def piece(values: Mapping[str, Any]) -> bytes:
        if (may_be_absent and name not in values) or (when is not None and not when(values)):
            return b""
        return write(values[name], values)

    if may_be_absent or when is not None:
        return piece
    if isinstance(each.codec, Rest) or (isinstance(each.codec, Bytes) and callable(each.codec.size)):
        return itemgetter(name)
    return lambda values: write(values[name], values)


def _kept_piece(name: str) -> Piece:
    """Return a function that writes the bytes that were kept under a name, if there were any."""
    return lambda values: values.get(name, b"")


def _write_fields(fields: tuple[Field, ...], values: Mapping[str, Any], declared: int | None) -> bytes:
    """Return the bytes of fields; `declared` is the post-header's length in bytes if they belong to it."""
    parts = bytearray()
    for each in fields:
        if each.when is not None and not each.when(values):
            continue
        if each.name not in values:
            if each.optional or each.joined or (declared is not None and len(parts) >= declared):
                continue
            raise ValueError(f"the field {each.name!r} is missing")
        parts += each.codec.write(values[each.name], values)
    return bytes(parts)


def _read_fields(
    steps: tuple[Step, ...],
    data: bytes,
    at: int,
    end: int,
    values: Values,
    spans: list[Span] | None,
    *,
    cut: bool,
) -> int:
    """Read fields into `values` and return where they end; `cut`: at the end of the post-header, not of the event."""
    for name, read, when, optional in steps:
        if when is not None and not when(values):
            continue
        if at >= end:
            if cut:
                break
            if optional:
                continue
        try:
            value, after = read(data, at, end, values)
        except MalformedBody:
            if optional:
                break  # The remaining bytes are not this field but a later one: they are kept unchanged.
            raise
        values[name] = value
        if spans is not None:
            spans.append(Span(at, after - at, name, value))
        at = after
    return at


def _keep(name: str, data: bytes, at: int, end: int, values: Values, spans: list[Span] | None) -> None:
    values[name] = bytes(data[at:end])
    if spans is not None:
        spans.append(Span(at, end - at, name, values[name]))
