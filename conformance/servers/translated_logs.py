"""Logs of a server in use, translated into those that a new server would have written.

A server that is not the kit's own has written logs and executed transactions before a scenario. What only shows that
is translated: the numbers of logs, the server's UUID, the numbers of its transactions, the GTIDs of before, and that
no start of the server begins the first log. Everything else stays as it was written, byte for byte; positions move with
what became shorter or longer.
"""

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum, ends_with_checksum
from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.binlog.reader import READS_ALL, read_events

_LOG_NAME: Final = re.compile(rb"(?P<stem>.*)\.(?P<number>\d+)", re.DOTALL)
#: Where the length and the position are in a header.
_LENGTH_AT: Final = 9
#: Changes the fields of an event.
_Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a server had before a scenario.

    Attributes:
        first_log: The number of the log that the scenario begins.
        uuid: The server's UUID, 16 bytes; empty if it has none.
        executed: The GTIDs that it had executed.
        positions: The number of the last transaction in each of MariaDB's domains.
    """

    first_log: int
    uuid: bytes = b""
    executed: GtidSet = field(default_factory=GtidSet)
    positions: Mapping[int, int] = field(default_factory=dict)


class Translation:
    """Translates the logs of a scenario.

    Args:
        state: What the server had before it.
        uuid: The UUID that the scenario gives the server, 16 bytes.
    """

    def __init__(self, state: State, uuid: bytes) -> None:
        self._state = state
        self._uuid = uuid
        self._used = [
            (each.start, each.end)
            for source in state.executed.sources
            if source.uuid == state.uuid
            for each in source.intervals
        ]
        self._change: dict[int, _Change] = {
            EventType.GTID: self._gtid,
            EventType.GTID_TAGGED: self._gtid,
            EventType.PREVIOUS_GTIDS: self._previous_gtids,
            EventType.ROTATE: self._rotate,
            EventType.MARIADB_GTID: self._mariadb_gtid,
            EventType.MARIADB_GTID_LIST: self._gtid_list,
        }

    def translate(self, stream: bytes, *, is_first: bool = False) -> bytes:
        """Return a log as a new server would have written it; from the first event on that cannot be read, it stays.

        Args:
            stream: The log.
            is_first: Whether it is the first of the scenario, with which a new server would have started.
        """
        parts = [MAGIC]
        shift, end = 0, len(MAGIC)
        try:
            for event in read_events(stream, READS_ALL):
                begins = is_first and event.offset == len(MAGIC)
                data = self._event(event, shift, _started(event) if begins else None)
                shift += len(data) - len(event.data)
                parts.append(data)
                end = event.end
        except BinlogError:
            parts.append(stream[end:])
        return b"".join(parts)

    def _event(self, event: Event, shift: int, change: _Change | None = None) -> bytes:
        data = event.data
        change = change or self._change.get(event.format.type_code(event.header.type))
        if change is not None:
            try:
                data = _with_fields(event, change)
            except MalformedBody:
                change = None
        if change is None and not shift:
            return data
        position = event.header.log_pos
        if position:
            position += shift + len(data) - len(event.data)
        body_end = len(data) - (CHECKSUM_BYTES if event.has_checksum else 0)
        framed = data[:_LENGTH_AT] + struct.pack("<II", len(data), position) + data[_LENGTH_AT + 8 : body_end]
        if not event.has_checksum:
            return framed
        # A checksum that was wrong stays wrong.
        wrong = checksum(event.data[: event.body_end]) ^ int.from_bytes(event.data[event.body_end :], "little")
        return framed + (checksum(framed) ^ wrong).to_bytes(CHECKSUM_BYTES, "little")

    def _number(self, number: int) -> int:
        """Return the number that a transaction of the server would have had on a new one."""
        return number - sum(min(end, number) - start for start, end in self._used if start < number)

    def _gtid(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields["source_uuid"] != self._state.uuid:
            return fields
        return {**fields, "source_uuid": self._uuid, "gno": self._number(fields["gno"])}

    def _previous_gtids(self, fields: dict[str, Any]) -> dict[str, Any]:
        gtids: GtidSet = fields["previous_gtids"]
        made = ExecutedGtids()
        for source in ExecutedGtids(gtids).missing_in(self._state.executed).sources:
            own = source.uuid == self._state.uuid
            for each in source.intervals:
                for number in range(each.start, each.end):
                    made.add(self._uuid if own else source.uuid, source.tag, self._number(number) if own else number)
        left = made.missing_in(GtidSet())
        return {**fields, "previous_gtids": GtidSet(left.sources, gtids.tagged)}

    def _rotate(self, fields: dict[str, Any]) -> dict[str, Any]:
        match = _LOG_NAME.fullmatch(fields["next_file"])
        if match is None:
            return fields
        number = int(match["number"]) - self._state.first_log + 1
        return {**fields, "next_file": b"bin.%06d" % number}

    def _mariadb_gtid(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "gno": fields["gno"] - self._state.positions.get(fields["domain_id"], 0)}

    def _gtid_list(self, fields: dict[str, Any]) -> dict[str, Any]:
        before = self._state.positions
        moved = ({**each, "gno": each["gno"] - before.get(each["domain_id"], 0)} for each in fields["gtid_list"])
        # Their count, and what an empty list is padded with, follow from the list.
        return {"gtid_list": [each for each in moved if each["gno"] > 0]}


def _started(event: Event) -> _Change | None:
    """Return what gives a format description the time of a start, if it is right that it has none, and otherwise 0."""
    if event.header.type != EventType.FORMAT_DESCRIPTION:
        return None
    return lambda fields: {**fields, "created": 0 if fields["created"] else event.header.timestamp}


def _with_fields(event: Event, change: _Change) -> bytes:
    """Return an event with changed fields; its header and checksum are still those of the unchanged one."""
    layout, declared = event.layout()
    body = layout.write(change(dict(event.fields())), post_header_length=declared)
    return event.data[: event.format.header_length] + body + event.data[event.body_end :]


def split_dump(events: Sequence[bytes]) -> list[bytes]:
    """Return the logs in what a server sends: each begins where a Rotate that is only sent names it."""
    logs: list[list[bytes]] = []
    for each in events:
        if is_naming(each):
            logs.append([MAGIC])
        elif logs:
            logs[-1].append(each)
    return [b"".join(log) for log in logs]


def is_naming(event: bytes) -> bool:
    """Return whether an event is the Rotate with which a source names the log that it sends next."""
    header = HEADER.unpack_from(event)
    return header[1] == EventType.ROTATE and not header[4]


def named_log(event: bytes) -> str:
    """Return the name of the log in such a Rotate, which may have a checksum or not."""
    return event[HEADER_BYTES + 8 : len(event) - CHECKSUM_BYTES * ends_with_checksum(event)].decode("utf-8", "replace")
