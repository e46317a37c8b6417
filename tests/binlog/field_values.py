"""Hypothesis strategies for the fields of an event, made from its layout."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from conformance.binlog import codecs
from conformance.binlog.codecs import Codec
from conformance.binlog.gtid_set import GtidSet, Interval, Source
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import Field, Layout
from conformance.binlog.varlen import Varlen, VarlenText, VarlenUuid

Fields = dict[str, Any]

#: A few bytes, at times around the limit of a one-byte length.
short_bytes = st.binary(max_size=12) | st.binary(min_size=250, max_size=260)
names = st.binary(max_size=12).filter(lambda name: b"\0" not in name)


def field_values(layout: Layout) -> st.SearchStrategy[Fields]:
    """Values for the fields of `layout`, except lengths and counts, which are derived."""
    parts: Fields = {}
    absent: Fields = {}
    fields = list(layout.post_header + layout.body)
    block: list[Field] = list(layout.block.fields.values()) if isinstance(layout.block, Keyed) else []
    for each in fields + block:
        if each.derive is None and each.when is None and not each.optional:
            (absent if each in block else parts)[each.name] = value_of(each.codec)
    return st.fixed_dictionaries(parts, optional=absent)


def value_of(codec: Codec) -> st.SearchStrategy[Any]:
    """Values that a codec can write."""
    return _STRATEGIES[type(codec)](codec)


def _integer(codec: codecs.Int) -> st.SearchStrategy[int]:
    bits = 8 * codec.size
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if codec.signed else st.integers(0, (1 << bits) - 1)


def _sized(codec: codecs.Bytes) -> st.SearchStrategy[bytes]:
    # A size that another field holds is derived from the value.
    size = codec.size
    return st.binary(min_size=size, max_size=size) if isinstance(size, int) else names


def _counted(codec: codecs.Counted) -> st.SearchStrategy[bytes]:
    one_byte = isinstance(codec.length, codecs.Int) and codec.length.size == 1
    return st.binary(max_size=255) if one_byte else short_bytes


def _record(codec: codecs.Record) -> st.SearchStrategy[Fields]:
    return st.fixed_dictionaries({name: value_of(part) for name, part in codec.parts})


intervals = st.lists(st.integers(1, 2**63 - 2), min_size=2, max_size=8, unique=True).map(
    lambda ends: tuple(Interval(*pair) for pair in zip(*[iter(sorted(ends))] * 2, strict=False))
)
untagged_sources = st.builds(Source, uuid=st.binary(min_size=16, max_size=16), intervals=intervals)
tagged_sources = st.builds(
    Source,
    uuid=st.binary(min_size=16, max_size=16),
    intervals=intervals,
    tag=st.text("abcdefghijklmnopqrstuvwxyz_0123456789", max_size=32),
)
gtid_sets = st.builds(GtidSet, st.lists(untagged_sources, max_size=3).map(tuple)) | st.builds(
    GtidSet, st.lists(tagged_sources, max_size=3).map(tuple), st.just(True)
)

_STRATEGIES: dict[type, Callable[[Any], st.SearchStrategy[Any]]] = {
    codecs.Int: _integer,
    codecs.Packed: lambda codec: st.integers(0, 2**64 - 1),
    codecs.Bytes: _sized,
    codecs.Rest: lambda codec: short_bytes,
    codecs.Counted: _counted,
    codecs.Padded: lambda codec: st.binary(max_size=codec.size).map(lambda value: value.rstrip(b"\0")),
    codecs.Terminated: lambda codec: names,
    codecs.Record: _record,
    codecs.Repeated: lambda codec: st.lists(value_of(codec.item), max_size=3).map(tuple),
    codecs.Gtids: lambda codec: gtid_sets,
    Varlen: lambda codec: st.integers(-(2**63), 2**63 - 1) if codec.signed else st.integers(0, 2**64 - 1),
    VarlenUuid: lambda codec: st.binary(min_size=16, max_size=16),
    VarlenText: lambda codec: names,
}
