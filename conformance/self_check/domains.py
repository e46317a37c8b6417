"""What the fields of an event type can hold, from its layout: where a trigger cannot hold in any stream."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Final

from conformance.binlog.codecs import (
    Bytes,
    Codec,
    Counted,
    FlaggedInt,
    Gtids,
    Int,
    Packed,
    Padded,
    Record,
    Repeated,
    Rest,
    Terminated,
)
from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.layout import Layout
from conformance.binlog.reader import LENGTH_LIMIT
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.varlen import Varlen, VarlenText
from conformance.self_check.trigger import Needs

#: Of a codec that is not in the table, and of a block: everything is possible.
_ANYTHING: Final = Needs(bits=64, text=LENGTH_LIMIT, is_free=True, list_=True, size=LENGTH_LIMIT)
_NOTHING: Final = Needs()
#: Lists in an event, beside those of rows: what is reported of them is a list, a GTID set is a text.
_LISTS: Final = frozenset({EventType.TABLE_MAP, EventType.MARIADB_GTID_LIST})


def _of_codec(codec: Codec) -> Needs:
    """Return what a field of a codec can hold."""
    match codec:
        case Int(size=size) | FlaggedInt(size=size):
            return Needs(bits=8 * size, size=size)
        case Packed() | Varlen():
            return Needs(bits=64, size=9)
        case Bytes(size=int(size)):
            return Needs(size=size)
        case Padded(size=size):
            return Needs(text=size, is_free=True, size=size)
        case Counted(length=Int(size=size)):
            longest = min((1 << 8 * size) - 1, LENGTH_LIMIT)
            return Needs(text=longest, is_free=True, size=longest + size + 1)
        case Gtids():
            return Needs(text=LENGTH_LIMIT, size=LENGTH_LIMIT)
        case Bytes() | Counted() | Rest() | Terminated() | VarlenText():
            return Needs(text=LENGTH_LIMIT, is_free=True, size=LENGTH_LIMIT)
        case Record(parts=parts):
            return _together(_of_codec(each) for _, each in parts)
        case Repeated(item=item):
            part = _of_codec(item)
            return replace(part, list_=True, size=LENGTH_LIMIT)
        case _:
            return _ANYTHING


def _together(parts: Iterable[Needs]) -> Needs:
    every = list(parts)
    return Needs(
        bits=max(part.bits for part in every),
        text=max(part.text for part in every),
        is_free=any(part.is_free for part in every),
        list_=any(part.list_ for part in every),
        size=min(sum(part.size for part in every), LENGTH_LIMIT),
    )


def _parts(layout: Layout) -> Iterator[Needs]:
    yield Needs(size=HEADER_BYTES + 4)
    yield from (_of_codec(each.codec) for each in (*layout.post_header, *layout.body))
    if layout.block is not None:
        yield _ANYTHING
    if not layout.closed and not layout.body:
        yield Needs(size=LENGTH_LIMIT)


@cache
def domain_of(code: int) -> Needs:
    """Return what an event of a type can hold: rows hold everything, and what is not known has no fields."""
    return replace(_fields_of(code), code=code)


def _fields_of(code: int) -> Needs:
    if code not in EventType.__members__.values():
        return Needs(size=LENGTH_LIMIT)
    kind = EventType(code)
    if rows_kind(code) is not None or kind in _LISTS:
        return _ANYTHING
    return _together(_parts(kind.layout))


def can_hold(codes: Iterable[int], needs: Needs) -> bool:
    """Return whether an event of one of some types can hold what a trigger needs."""
    if needs == _NOTHING:
        return True
    return any(
        all(getattr(needs, each.name) <= getattr(domain, each.name) for each in fields(Needs))
        for domain in map(domain_of, codes)
    )
