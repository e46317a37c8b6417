"""Faults of framing: truncations, wrong lengths, bad checksums, a missing format description, a bad magic number."""

from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import PLAIN_GTID_TYPES
from conformance.binlog.header import HEADER_BYTES, LENGTH_AT, MAGIC, TYPE_AT
from conformance.binlog.servers import WITH_CHECKSUMS
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups


def _valid_log(stream: StreamBuilder) -> None:
    groups.begin_log(stream)
    groups.add_groups(stream, 1, 2)


def _victim(stream: StreamBuilder, *, first: int = 0) -> tuple[int, int]:
    """Return where one event begins and ends (exclusive), not before the event with index `first`."""
    offsets = [*stream.offsets, stream.offset]
    index = stream.choose.integer(first, len(offsets) - 2)
    return offsets[index], offsets[index + 1]


@family(focus="FORMAT-TRUNCATED-BODY", fault=True)
def truncated_streams(stream: StreamBuilder) -> None:
    """A stream that ends inside a header or inside a body."""
    _valid_log(stream)
    start, end = _victim(stream)
    cut = stream.choose.integer(start + 1, end - 1)
    mark = "FORMAT-TRUNCATED-HEADER" if cut < start + HEADER_BYTES else "FORMAT-TRUNCATED-BODY"
    stream.damage(stream.bytes[:cut])
    stream.expect_refusal(at=start, kind="truncated", marks=(mark,))


#: The least of the lengths at which memory shows; the usual limit on memory does not refuse so much.
_LARGE: Final = 3 << 28


@family(focus="FORMAT-LENGTH-TOO-SMALL", fault=True)
def wrong_event_lengths(stream: StreamBuilder) -> None:
    """An event whose length is less than a header, or than a header and a checksum, or more than the stream holds."""
    choose = stream.choose
    _valid_log(stream)
    no_checksum = stream.checksummed and choose.yes(4)
    start, _ = _victim(stream, first=1 if no_checksum else 0)
    left = stream.offset - start
    small = no_checksum or not choose.yes()
    mark = "FORMAT-LENGTH-TOO-SMALL" if small else "FORMAT-LENGTH-TOO-LARGE"
    if no_checksum:
        length, mark = HEADER_BYTES + choose.integer(0, CHECKSUM_BYTES - 1), "FORMAT-LENGTH-NO-CHECKSUM"
    elif small:
        length = choose.integer(0, HEADER_BYTES - 1)
    else:
        length = choose.one_of((left + 1, left + 1000, _LARGE, 2**31 - 1, 2**31, 2**32 - 1))
    damaged = stream.bytes
    damaged[start + LENGTH_AT : start + LENGTH_AT + 4] = length.to_bytes(4, "little")
    stream.damage(damaged)
    marks = [mark]
    if length >= _LARGE:
        marks.append("FORMAT-LENGTH-MEMORY")
    stream.expect_refusal(at=start, kind="invalid-length" if small else "truncated", marks=tuple(marks))


@family(focus="FORMAT-CHECKSUM-WRONG", profiles=WITH_CHECKSUMS, fault=True, checksums=True)
def bad_checksum(stream: StreamBuilder) -> None:
    """An event with one bit flipped, in its body, its checksum, or a header field that framing does not need."""
    _valid_log(stream)
    start, end = _victim(stream, first=1)
    # Neither the type nor the length: other families have those faults.
    places = [*range(start, start + TYPE_AT), *range(start + 5, start + LENGTH_AT), *range(start + 13, start + 17)]
    places += range(start + HEADER_BYTES, end) if stream.choose.yes() else range(end - CHECKSUM_BYTES, end)
    damaged = stream.bytes
    place = stream.choose.one_of(places[::-1])
    damaged[place] ^= 1 << stream.choose.integer(0, 7)
    type_code = damaged[start + TYPE_AT]
    stream.damage(damaged)
    marks = ("FORMAT-CHECKSUM-WRONG", *(("WL7592-GTID-CHECKSUM-WRONG",) if type_code in PLAIN_GTID_TYPES else ()))
    stream.expect_refusal(at=start, kind="checksum", marks=marks)


@family(focus="FORMAT-NO-FORMAT-DESCRIPTION", fault=True)
def missing_format_description(stream: StreamBuilder) -> None:
    """A stream that begins with an event other than a format description."""
    groups.add_groups(stream, 1, 2)
    stream.expect_refusal(at=len(MAGIC), kind="no-format-description", marks=("FORMAT-NO-FORMAT-DESCRIPTION",))


@family(focus="FORMAT-BAD-MAGIC", fault=True)
def bad_magic(stream: StreamBuilder) -> None:
    """A file that does not begin with a binary log's magic number."""
    _valid_log(stream)
    damaged = stream.bytes
    damaged[stream.choose.integer(0, 3)] ^= 1 << stream.choose.integer(0, 7)
    if bytes(damaged[:4]) == b"\xfdbin":
        damaged[0] = 0
    stream.damage(damaged)
    stream.expect_refusal(at=0, kind="not-a-binlog", marks=("FORMAT-BAD-MAGIC",))
