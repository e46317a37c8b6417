"""An event at its place in a stream, and its fields."""

from typing import Final, NamedTuple

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.codecs import Fields
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER_BYTES, HEADER_FIELDS, Header
from conformance.binlog.layout import Layout, Span
from conformance.binlog.layouts.by_type import OPAQUE
from conformance.binlog.vendor_types import layout_under, vendor_type

_FORMAT_DESCRIPTION: Final = int(EventType.FORMAT_DESCRIPTION)


class Event(NamedTuple):
    """One event of a stream; a tuple, as a reader makes one for every event.

    Attributes:
        offset: Where it starts, in bytes from the start of the stream.
        header: Its common header.
        data: All its bytes, header and checksum included.
        format: The format description that governs it; for a format description, itself.
        recognised: False if the reader skips it as an ignorable event of a type it does not know.
    """

    offset: int
    header: Header
    data: bytes
    format: FormatDescription
    recognised: bool = True

    @property
    def end(self) -> int:
        """Offset of the event's end, exclusive, in bytes from the start of the stream."""
        return self.offset + len(self.data)

    @property
    def has_checksum(self) -> bool:
        """Whether the event ends with four checksum bytes: a format description does even without an algorithm."""
        if self.header.type == _FORMAT_DESCRIPTION:
            return self.format.checksum_algorithm is not None
        return self.format.checksum_bytes > 0

    @property
    def body_end(self) -> int:
        """Offset of the checksum, or of the end if there is none, in bytes from the start of the event."""
        return len(self.data) - (CHECKSUM_BYTES if self.has_checksum else 0)

    def layout(self) -> tuple[Layout, int]:
        """Return the layout of the event, and the declared post-header length in bytes."""
        declared = self.format.post_header_length(self.header.type)
        if not self.recognised:
            return OPAQUE, declared
        return layout_under(self.format, self.header.type), declared

    @property
    def type_name(self) -> str:
        """The name of its type, a vendor's where the log is of such a server."""
        vendors = vendor_type(self.header.type, self.format) if self.recognised else None
        return type_name(self.format.type_code(self.header.type)) if vendors is None else vendors.name

    def fields(self) -> Fields:
        """Return the fields after the common header by name.

        Raises:
            MalformedBody: The body contradicts its layout.
        """
        layout, declared = self.layout()
        return layout.read(self.data, self.format.header_length, self.body_end, post_header_length=declared)

    def spans(self) -> list[Span]:
        """Return the span of each field, the common header and the checksum included, for an annotated dump."""
        spans: list[Span] = []
        at = 0
        for name, size in HEADER_FIELDS:
            spans.append(Span(at, size, name, getattr(self.header, name)))
            at += size
        if self.format.header_length > HEADER_BYTES:
            spans.append(Span(at, self.format.header_length - at, "header_rest", b""))
        layout, declared = self.layout()
        # An event without room for its checksum has less of it.
        end = max(self.body_end, self.format.header_length)
        spans += layout.spans(self.data, self.format.header_length, end, post_header_length=declared)
        after = spans[-1].offset + spans[-1].size
        if after < end:
            spans.append(Span(after, end - after, "unread", self.data[after:end]))
        if end < len(self.data):
            stored = int.from_bytes(self.data[end:], "little")
            spans.append(Span(end, len(self.data) - end, "checksum", stored))
        return spans
