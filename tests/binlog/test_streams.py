"""Logs read from streams: one event in memory at a time, the same events and errors as from memory."""

import io
import tracemalloc

import pytest

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER, MAGIC
from conformance.binlog.reader import read_events, read_file
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body

SERVER = server_of("mysql-8.0")
FORMAT = FormatDescription(4, SERVER.version, 0, 19, SERVER.post_header_lengths, 1)
DESCRIBED = MAGIC + frame(EventType.FORMAT_DESCRIPTION, FORMAT.body(), offset=4, checksummed=True)


def query(size: int, offset: int = 0) -> bytes:
    fields = {
        "thread_id": 1,
        "exec_time": 0,
        "error_code": 0,
        "status_variables": b"",
        "database": b"d",
        "query": b"x" * size,
    }
    return frame(EventType.QUERY, write_body(EventType.QUERY, fields, FORMAT), offset=offset, checksummed=True)


LOG = DESCRIBED + b"".join(map(query, (0, 10, 3_000_000, 1)))


class Dripping(io.RawIOBase):
    """A pipe that returns at most `most` bytes at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        self._data = io.BytesIO(data)
        self._most = most

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, self._most))


class Endless(io.RawIOBase):
    """A log of `count` equal events, made while it is read."""

    def __init__(self, event: bytes, count: int) -> None:
        self._head = io.BytesIO(DESCRIBED)
        self._event = event
        self._left = count
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        if data := self._head.read(size):
            return data
        if not self._rest and self._left:
            self._rest, self._left = self._event, self._left - 1
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


@pytest.mark.parametrize("most", [1, 7, 19, 4096])
def test_a_slow_pipe_gives_the_same_events_as_memory(most):
    log = DESCRIBED + query(0) + query(100)
    assert list(read_file(Dripping(log, most))) == list(read_events(log))


def test_events_longer_than_a_piece_are_read_whole():
    assert [event.data for event in read_file(Dripping(LOG, 1 << 16))] == [event.data for event in read_events(LOG)]


@pytest.mark.parametrize("cut", [0, 3, 4, 5, 22, 23, len(DESCRIBED) + 1, len(DESCRIBED) + 25, len(LOG) - 1])
def test_a_truncated_log_gives_the_same_error_from_a_file_and_from_memory(cut):
    outcomes = []
    for events in (read_events(LOG[:cut]), read_file(Dripping(LOG[:cut], 1 << 16))):
        offsets = []
        try:
            offsets.extend(event.offset for event in events)
            outcomes.append((offsets, None))
        except BinlogError as error:
            outcomes.append((offsets, str(error)))
    assert outcomes[0] == outcomes[1]
    assert (outcomes[0][1] is None) == (cut == 4)


def test_the_error_of_a_truncated_event_gives_both_lengths():
    torn = DESCRIBED + HEADER.pack(0, EventType.QUERY, 1, 1 << 30, 0, 0) + b"left"
    with pytest.raises(BinlogError, match=f"expected an event of {1 << 30} bytes, found 23"):
        list(read_file(io.BytesIO(torn)))


def test_a_wrong_length_takes_no_memory():
    torn = DESCRIBED + HEADER.pack(0, EventType.QUERY, 1, 1 << 30, 0, 0)
    tracemalloc.start()
    try:
        with pytest.raises(BinlogError):
            list(read_file(io.BytesIO(torn)))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_long_event_is_read_in_pieces():
    # A raw file would allocate as many bytes as are requested.
    requested = []

    class RecordingFile(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            requested.append(size)
            return super().read(size)

    assert len(list(read_file(RecordingFile(LOG)))) == 5
    assert max(requested) <= 1 << 20


def test_a_long_log_takes_the_memory_of_one_event():
    event = query(200_000)
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_file(Endless(event, 500)))
        assert (count, tracemalloc.get_traced_memory()[1] < 5_000_000) == (501, True)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("left", [1, 18, 19, 40])
def test_an_error_has_the_header_of_the_event_that_cannot_be_read(left):
    event = query(100)
    with pytest.raises(BinlogError) as caught:
        list(read_file(Dripping(DESCRIBED + event[:left], 7)))
    assert caught.value.kind == "truncated"
    assert caught.value.head == event[: min(left, 19)]


@pytest.mark.parametrize("bit", range(8))
def test_a_checksum_that_is_wrong_in_one_bit_is_refused(bit):
    for at in (0, 19, -5, -4, -1):
        event = bytearray(query(10))
        event[at] ^= 1 << bit
        with pytest.raises(BinlogError, match="the checksum is 0x"):
            list(read_events(DESCRIBED + bytes(event)))


def test_an_event_shorter_than_its_checksum_is_refused():
    head = HEADER.pack(0, EventType.STOP, 1, 22, 0, 0)
    with pytest.raises(BinlogError, match="no room for a checksum"):
        list(read_events(DESCRIBED + head + bytes(3)))
