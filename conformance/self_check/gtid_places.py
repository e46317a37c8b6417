"""The fields of a Gtid event that follow from its place in a log: how long its transaction is, and how many it follows.

A wrong answer of which only some edits are made has these fields as a server would write them there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, LENGTH_AT, TYPE_AT, Header
from conformance.oracles.checks.logged_groups import length_after

_LENGTH: Final = "transaction_length"
_TIMESTAMPS: Final = ("last_committed", "sequence_number")


@dataclass(frozen=True, slots=True)
class PlacedGtid:
    """A Gtid event whose fields follow from its place, all or some of them.

    Attributes:
        event: The event.
        fields: Its fields.
        following: The names of those that have the value that follows.
    """

    event: Event
    fields: Mapping[str, Any]
    following: frozenset[str]

    def without_place(self) -> bytes:
        """Return the event's body without the values that follow from its place."""
        return self._body(dict.fromkeys(self.following, 0))

    def at(self, number: int, length: int) -> bytes:
        """Return the event's bytes at another place, the bytes of its checksum as they were.

        Args:
            number: The number of its transaction in the log, from 1.
            length: How many bytes of its transaction are after it.
        """
        values = {"last_committed": number - 1, "sequence_number": number}
        data = self.event.data
        tail = data[self.event.body_end :]
        # The length counts its own event, whose size depends on the width of the length.
        whole = 0
        while True:
            body = self._body({name: values.get(name, whole) for name in self.following})
            size = HEADER_BYTES + len(body) + len(tail)
            if _LENGTH not in self.following or whole == size + length:
                break
            whole = size + length
        made = bytearray(data[:HEADER_BYTES] + body + tail)
        made[LENGTH_AT : LENGTH_AT + 4] = size.to_bytes(4, "little")
        return bytes(made)

    def _body(self, values: Mapping[str, int]) -> bytes:
        layout, declared = self.event.layout()
        return layout.write({**self.fields, **values}, post_header_length=declared)


def placed_gtids(events: Sequence[bytes]) -> Iterator[PlacedGtid | None]:
    """Yield for each event of a log what is known of it as a Gtid event; None for another event."""
    described: FormatDescription | None = None
    number = 0
    for at, data in enumerate(events):
        code = data[TYPE_AT] if len(data) >= HEADER_BYTES else 0
        try:
            if code == EventType.FORMAT_DESCRIPTION:
                described = FormatDescription.from_event(data)
            if code not in GTID_TYPES or described is None:
                yield None
                continue
            number += 1
            yield _placed(Event(0, Header(*HEADER.unpack(data[:HEADER_BYTES])), data, described), number, events[at:])
        except MalformedBody:
            yield None


def _placed(event: Event, number: int, events: Sequence[bytes]) -> PlacedGtid:
    fields = event.fields()
    following = set()
    if fields.get(_LENGTH) == len(events[0]) + length_after(
        [each[TYPE_AT] for each in events[1:] if len(each) >= HEADER_BYTES], [len(each) for each in events[1:]]
    ):
        following.add(_LENGTH)
    if [fields.get(name) for name in _TIMESTAMPS] == [number - 1, number]:
        following.update(_TIMESTAMPS)
    return PlacedGtid(event, fields, frozenset(following))
