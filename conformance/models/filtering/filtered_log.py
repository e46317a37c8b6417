"""Writes the events that pass a filter as a binary log, with new positions, lengths and checksums."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.errors import located
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, EventType, Purpose, types_of
from conformance.binlog.header import LENGTH_AT, MAGIC
from conformance.binlog.limits import check_event_bytes, check_events
from conformance.binlog.reader import ReaderRules
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.transaction_payload import Compression, inner_events, pack_events
from conformance.models.filtering.event_part import EventParts
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName

_LOG_POS_AT: Final = 13
_POSITIONS: Final = 1 << 32
#: The offsets that a Large_transaction_header can hold.
_OFFSETS: Final = 1 << 64


@dataclass(slots=True)
class FilterCounts:
    """What a filter did to a log.

    Attributes:
        kept: Events that passed; a Transaction_payload counts as one.
        dropped: Events that did not pass.
        uncertain: Statements that the parser did not know, decided by the names in them.
        unmet: Rules for tables and databases that no event has been about.
    """

    kept: int = 0
    dropped: int = 0
    uncertain: int = 0
    unmet: set[TableName] = field(default_factory=set)


@dataclass(slots=True)
class _Written:
    """An event to be written: its bytes without checksum, and the original event."""

    data: bytes
    event: Event
    checksummed: bool
    #: Whether its log_pos is an offset in this file, not in the log of a source.
    placed: bool

    @property
    def size(self) -> int:
        return len(self.data) + (CHECKSUM_BYTES if self.checksummed else 0)


class LogFilter:
    """Filters one log; a group of events is held in memory until it is decided.

    Attributes:
        counts: The events counted so far.

    Args:
        tables: Decides statements and tables.
        unpack_payloads: Write the remaining events of a Transaction_payload that does not pass whole as plain
            events, instead of packing them into a payload again.
        rules: What the reader of the log accepts, inside payloads too; with None, events of any type pass there.
    """

    def __init__(self, tables: TableFilter, *, unpack_payloads: bool = False, rules: ReaderRules | None = None) -> None:
        self.counts = FilterCounts(unmet=set(tables.rules.tables()))
        self._parts = EventParts(statements=tables.wants_statements)
        self._groups = GroupFilter(tables)
        self._unpack = unpack_payloads
        self._rules = rules
        self._waiting: deque[Event] = deque()
        self._offset = 0

    def filtered(self, events: Iterable[Event]) -> Iterator[bytes]:
        """Yield the bytes of the filtered log, its magic number first.

        Raises:
            BinlogError: An event's body contradicts its layout, or it is beyond a limit.
            ImportError: The package sqlglot or zstandard is needed and not installed.
        """
        yield self._advance(MAGIC)
        for event in events:
            yield from self._add(event)
        yield from self._group(self._groups.finish())

    def _add(self, event: Event) -> Iterator[bytes]:
        payload = event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD
        self._waiting.append(event)
        with located(event.offset):
            check_events(len(self._waiting), "the transaction has")
            part = self._parts.part(event, inner_events(event, rules=self._rules) if payload else ())
        for group in self._groups.add(part):
            yield from self._group(group)

    def _group(self, fates: Sequence[Fate]) -> Iterator[bytes]:
        """Write the events of a decided group."""
        written: list[_Written] = []
        whole = True
        for fate in fates:
            event = self._waiting.popleft()
            self._count(fate)
            if fate.kept:
                with located(event.offset):
                    pieces = self._written(fate, event)
                whole &= len(pieces) == 1 and pieces[0].size == len(event.data)
                written += pieces
            else:
                whole = False
        if not whole:
            for each in written:
                with located(each.event.offset):
                    _remeasure(each, written)
        self._point_to_end(written)
        for each in written:
            yield self._frame(each)

    def _count(self, fate: Fate) -> None:
        self.counts.kept += bool(fate.kept)
        self.counts.dropped += not fate.kept
        for each in (fate, *fate.inner):
            statement = each.part.statement
            named = (*each.part.tables, *(statement.mentioned if statement is not None else ()))
            self.counts.unmet.difference_update(named, (TableName(table.database, "") for table in named))
            self.counts.uncertain += statement is not None and not statement.certain

    def _written(self, fate: Fate, event: Event) -> list[_Written]:
        if fate.inner and not fate.is_whole:
            return self._payload(fate, event)
        data = _with_statement_end(event) if fate.ends_statement else event.data[: event.body_end]
        placed = event.header.log_pos == event.end % _POSITIONS
        return [_Written(data, event, event.has_checksum, placed)]

    def _payload(self, fate: Fate, outer: Event) -> list[_Written]:
        # Unpacked a second time, as the events may be larger than the memory.
        kept = (
            _with_statement_end(event) if inner.ends_statement else event.data
            for inner, event in zip(fate.inner, inner_events(outer), strict=True)
            if inner.kept
        )
        if self._unpack:
            return [_Written(data, outer, outer.has_checksum, placed=True) for data in _limited(kept)]
        fields = outer.fields()
        packed = pack_events(kept, compression=Compression(fields["compression_type"]))
        data = _with_fields(outer, {**fields, **packed})
        placed = outer.header.log_pos == outer.end % _POSITIONS
        return [_Written(data, outer, outer.has_checksum, placed)]

    def _point_to_end(self, group: Sequence[_Written]) -> None:
        """Set the offset in each Large_transaction_header to that of the event that it points to in this file."""
        new_offsets: dict[int, int] = {}
        at = self._offset
        for each in group:
            new_offsets[each.event.offset] = at
            at += each.size
        for each in group:
            event = each.event
            if event.header.type == EventType.LARGE_TRANSACTION_HEADER and event.recognised:
                with located(event.offset):
                    fields = event.fields()
                old = fields["terminating_offset"]
                # One that points to no event of its group moves by as much as the group, if it can.
                moved = old + new_offsets[event.offset] - event.offset
                fields["terminating_offset"] = new_offsets.get(old, moved if 0 <= moved < _OFFSETS else old)
                each.data = _with_fields(event, fields)

    def _frame(self, written: _Written) -> bytes:
        data = bytearray(written.data)
        data[LENGTH_AT : LENGTH_AT + 4] = written.size.to_bytes(4, "little")
        if written.placed:
            log_pos = (self._offset + written.size) % _POSITIONS
            data[_LOG_POS_AT : _LOG_POS_AT + 4] = log_pos.to_bytes(4, "little")
        if written.checksummed:
            data += checksum(data).to_bytes(CHECKSUM_BYTES, "little")
        return self._advance(bytes(data))

    def _advance(self, data: bytes) -> bytes:
        self._offset += len(data)
        return data


#: The events of a group that come before its Gtid event, whose length does not count them.
_BEFORE_GTID: Final = types_of(Purpose.ANNOUNCEMENT)


def _limited(events: Iterable[bytes]) -> Iterator[bytes]:
    """Yield events that are held together.

    Raises:
        LimitExceeded: They have more bytes than may be held.
    """
    size = 0
    for each in events:
        size += len(each)
        check_event_bytes(size, "the events of the payload that are kept have")
        yield each


def _remeasure(written: _Written, group: Sequence[_Written]) -> None:
    """Update the transaction length in a Gtid event, if it has one."""
    event = written.event
    if event.header.type not in GTID_TYPES or not event.recognised:
        return
    fields = event.fields()
    if not fields.get("transaction_length"):
        return
    fields.pop("message_size", None)
    others = sum(each.size for each in group if each.event.header.type not in _BEFORE_GTID) - written.size
    # The length includes the Gtid event, whose size depends on the width of the length.
    while True:
        written.data = _with_fields(event, fields)
        if fields["transaction_length"] == others + written.size:
            return
        fields["transaction_length"] = others + written.size


def _with_fields(event: Event, fields: Mapping[str, Any]) -> bytes:
    """Return an event, without checksum, whose body holds other fields; length and log_pos are not updated."""
    layout, declared = event.layout()
    body = layout.write(fields, post_header_length=declared)
    return event.data[: event.format.header_length] + body


def _with_statement_end(event: Event) -> bytes:
    """Return a rows event, without checksum, with the flag that ends its statement."""
    fields = event.fields()
    return _with_fields(event, {**fields, "rows_flags": fields["rows_flags"] | STATEMENT_END})
