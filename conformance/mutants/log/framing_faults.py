"""Faults in the frames of logged events, for the mutants of the role `log`: wrong positions and wrong checksums."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import GTID_TYPES, PLAIN_GTID_TYPES, EventType, Purpose, types_of
from conformance.binlog.format_description import BEFORE_LENGTHS, FormatDescription
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.binlog.servers import server_of
from conformance.models.server.execution import log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.mutants.log.faults import Answer, other_bytes
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Observation, Request
from conformance.reference.log import scenario_of

#: Returns another log_pos of an event: from its own, its type code, and the start and the length of its transaction's
#: Gtid event, both 0 outside transactions.
ChangePosition = Callable[[int, int, int, int], int]

#: Bytes before log_pos in the header, and its width.
_BEFORE_POSITION: Final = 13
_POSITION_BYTES: Final = 4
#: Bytes before last_committed in a Gtid event that has it: header, flags, UUID, number and type of the timestamp.
_LAST_COMMITTED_AT: Final = HEADER_BYTES + 1 + 16 + 8 + 1
#: Bytes before the time of the start in a format description's body, and its width.
_BEFORE_CREATED: Final = 2 + 50
_CREATED_BYTES: Final = 4
_OUTSIDE: Final = types_of(Purpose.LOG)


def positions(change: ChangePosition) -> Answer:
    """Return the answer with other positions, and with checksums that fit them."""

    def change_log(stream: bytes) -> bytes:
        made = bytearray(stream)
        tail, gtid_start, gtid_length = 0, 0, 0
        for start, size, code in _frames(stream):
            if code == EventType.FORMAT_DESCRIPTION:
                described = FormatDescription.from_event(stream[start : start + size])
                tail = CHECKSUM_BYTES if described.checksum_bytes else 0
            if code in GTID_TYPES:
                gtid_start, gtid_length = start, size
            elif code in _OUTSIDE:
                gtid_start, gtid_length = 0, 0
            end = start + size
            log_pos = change(end, code, gtid_start, gtid_length) & 0xFFFFFFFF
            if log_pos != end:
                at = start + _BEFORE_POSITION
                made[at : at + _POSITION_BYTES] = log_pos.to_bytes(_POSITION_BYTES, "little")
                if tail:
                    crc = checksum(bytes(made[start : end - tail]))
                    made[end - tail : end] = crc.to_bytes(CHECKSUM_BYTES, "little")
        return bytes(made)

    return other_bytes(change_log)


def checksums(*types: int) -> Answer:
    """Return the answer with wrong checksums of the events of some types, where events have any."""

    def change_log(stream: bytes) -> bytes:
        made = bytearray(stream)
        tail = 0
        for start, size, code in _frames(stream):
            if code == EventType.FORMAT_DESCRIPTION:
                tail = FormatDescription.from_event(stream[start : start + size]).checksum_bytes
            elif tail and code in types:
                made[start + size - 1] ^= 0xFF
        return bytes(made)

    return other_bytes(change_log)


def ends_as_the_next_log(request: Request) -> Observation:
    """Return the answer with the Rotate that ends a log checksummed as the events of the next log are."""
    streams = [log_bytes(log) for log in log_of(scenario_of(request)).logs]
    made = [
        _ended_as(stream, following) for stream, following in zip(streams, [*streams[1:], streams[-1]], strict=True)
    ]
    return observed_streams(made, server_of(request.profile).rules)


def _ended_as(stream: bytes, following: bytes) -> bytes:
    start, size, code = _frames(stream)[-1]
    tails = [_tail_of(each) for each in (stream, following)]
    if code != EventType.ROTATE or tails[0] == tails[1]:
        return stream
    fields = list(HEADER.unpack(stream[start : start + HEADER_BYTES]))
    # The length of the event and its end.
    fields[3:5] = [each + tails[1] - tails[0] for each in fields[3:5]]
    event = HEADER.pack(*fields) + stream[start + HEADER_BYTES : start + size - tails[0]]
    return stream[:start] + event + (checksum(event).to_bytes(CHECKSUM_BYTES, "little") if tails[1] else b"")


def _tail_of(stream: bytes) -> int:
    start, size, _ = _frames(stream)[0]
    return FormatDescription.from_event(stream[start : start + size]).checksum_bytes


def committed_earlier(request: Request) -> Observation:
    """Return the answer with each last_committed one lower than it is, -1 for the first transaction of a log."""

    def change_log(stream: bytes) -> bytes:
        made = bytearray(stream)
        tail = 0
        for start, size, code in _frames(stream):
            if code == EventType.FORMAT_DESCRIPTION:
                tail = FormatDescription.from_event(stream[start : start + size]).checksum_bytes
            elif code in PLAIN_GTID_TYPES and size - tail > _LAST_COMMITTED_AT:
                end, at = start + size, start + _LAST_COMMITTED_AT
                number = int.from_bytes(made[at : at + 8], "little", signed=True) - 1
                made[at : at + 8] = number.to_bytes(8, "little", signed=True)
                if tail:
                    made[end - tail : end] = checksum(bytes(made[start : end - tail])).to_bytes(
                        CHECKSUM_BYTES, "little"
                    )
        return bytes(made)

    return other_bytes(change_log)(request)


def creations(created: Callable[[int], int]) -> Answer:
    """Return the answer with another time of the start in each format description, from its own one."""

    def change(event: bytearray) -> None:
        at = HEADER_BYTES + _BEFORE_CREATED
        number = created(int.from_bytes(event[at : at + _CREATED_BYTES], "little"))
        event[at : at + _CREATED_BYTES] = number.to_bytes(_CREATED_BYTES, "little")

    return _redescribed(change)


def misdeclared(code: int, length: int) -> Answer:
    """Return the answer with the post-header length of a type of event changed in each format description."""

    def change(event: bytearray) -> None:
        event[HEADER_BYTES + BEFORE_LENGTHS + code - 1] = length

    return _redescribed(change)


def _redescribed(change: Callable[[bytearray], None]) -> Answer:
    """Return the answer with each format description changed, and its checksum right."""

    def change_log(stream: bytes) -> bytes:
        start, size, _ = _frames(stream)[0]
        event = bytearray(stream[start : start + size])
        change(event)
        if FormatDescription.from_event(bytes(event)).checksum_algorithm is not None:
            event[-CHECKSUM_BYTES:] = checksum(bytes(event[:-CHECKSUM_BYTES])).to_bytes(CHECKSUM_BYTES, "little")
        return stream[:start] + bytes(event) + stream[start + size :]

    return other_bytes(change_log)


def _frames(stream: bytes) -> list[tuple[int, int, int]]:
    """Return start, length and type code of each event of a log."""
    frames: list[tuple[int, int, int]] = []
    at = len(MAGIC)
    while at < len(stream):
        _, code, _, size, *_ = HEADER.unpack(stream[at : at + HEADER_BYTES])
        frames.append((at, size, code))
        at += size
    return frames


def own_start(log_pos: int, code: int, gtid_start: int, gtid_length: int) -> int:
    """Return the start of a Gtid event in the place of its end."""
    return gtid_start if code in GTID_TYPES else log_pos


def without_gtid_event(log_pos: int, code: int, gtid_start: int, gtid_length: int) -> int:
    """Return the positions of a transaction counted as if it had no Gtid event."""
    return log_pos if code in GTID_TYPES else log_pos - gtid_length


def no_position_of_end(log_pos: int, code: int, gtid_start: int, gtid_length: int) -> int:
    """Return no position for a Rotate or a Stop."""
    return 0 if code in (EventType.ROTATE, EventType.STOP) else log_pos
