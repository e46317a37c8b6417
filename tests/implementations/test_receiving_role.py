"""What a real receiver wrote, as an answer: without the Rotate with which the kit's source names its log."""

from conformance.binlog.checksum import checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, MAGIC
from conformance.implementations.server.receiving_role import events_without_naming, part_of

SOURCE, REPLICA = 1, 100
NAMED = b"\x04" + bytes(7) + b"binlog.000001"


def event(code, server_id, log_pos, *, body=b"", flags=0):
    head = HEADER.pack(0, code, server_id, HEADER.size + len(body) + 4, log_pos, flags) + body
    return head + checksum(head).to_bytes(4, "little")


def positions(events):
    return [HEADER.unpack_from(each)[4] for _, each in events]


NAMING = event(EventType.ROTATE, SOURCE, 0, body=NAMED, flags=int(Flag.ARTIFICIAL))
FIRST = event(EventType.FORMAT_DESCRIPTION, REPLICA, 27)
RECEIVED = event(EventType.XID, SOURCE, 400, body=bytes(8))


def end_of(*events):
    return len(MAGIC) + sum(map(len, events))


def test_the_part_of_a_stream_is_what_follows_its_last_whole_event():
    stream = MAGIC + FIRST + RECEIVED
    assert part_of(stream) == b""
    for length in (1, HEADER.size, len(RECEIVED) - 1):
        assert part_of(stream + RECEIVED[:length]) == RECEIVED[:length]


def test_the_first_rotate_that_names_the_log_is_left_out_and_later_ones_are_not():
    again = event(EventType.ROTATE, SOURCE, 0, body=NAMED, flags=int(Flag.ARTIFICIAL))
    logs = [MAGIC + FIRST + NAMING + RECEIVED, MAGIC + FIRST + again]
    assert list(events_without_naming(logs)) == [(0, FIRST), (0, RECEIVED), (1, FIRST), (1, again)]


def test_the_positions_of_the_replicas_own_rotates_move_with_it_and_their_checksums_are_right():
    replaced_end = end_of(FIRST, NAMING) + 44
    replaced = event(EventType.ROTATE, 0, replaced_end, body=NAMED)
    own = event(EventType.ROTATE, REPLICA, replaced_end + 43, body=NAMED[:-1], flags=int(Flag.RELAY_LOG))
    _, moved, last = events_without_naming([MAGIC + FIRST + NAMING + replaced + own])
    assert positions([moved, last]) == [end_of(FIRST, replaced), end_of(FIRST, replaced, own)]
    for _, each in (moved, last):
        assert checksum(each[:-4]).to_bytes(4, "little") == each[-4:]


def test_a_received_event_keeps_its_position_whatever_it_is():
    received = event(EventType.XID, SOURCE, end_of(FIRST, NAMING) + 31, body=bytes(8))
    assert list(events_without_naming([MAGIC + FIRST + NAMING + received])) == [(0, FIRST), (0, received)]
