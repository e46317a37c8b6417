"""The stream builder: what it expects of an event is what a reader reads."""

import pytest

from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.stream import StreamBuilder


def stream_of(*, checksums):
    stream = StreamBuilder(SeededChooser("log_pos"), server_of("mysql-8.0"), checksums=checksums)
    stream.describe_format()
    return stream


@pytest.mark.parametrize("log_pos", [0, 4, 2**32 - 1])
@pytest.mark.parametrize("checksums", [True, False])
def test_the_last_event_can_have_another_log_pos(checksums, log_pos):
    stream = stream_of(checksums=checksums)
    stream.add(mysql_events.xid(stream))
    stream.set_log_pos(log_pos)
    stream.add(mysql_events.stop(stream))
    positions = [event.header.log_pos for event in read_events(bytes(stream.bytes))]
    assert positions[1] == log_pos
    assert (
        positions == [entry["log_pos"] for entry in stream.expected_events] == [placed[2] for placed in stream.placed]
    )


@pytest.mark.parametrize("checksums", [True, False])
def test_a_format_description_has_a_checksum_of_its_own(checksums):
    stream = stream_of(checksums=checksums)
    stream.set_log_pos(999)
    assert [event.header.log_pos for event in read_events(bytes(stream.bytes))] == [999]


@pytest.mark.parametrize("log_pos", [-1, 2**32])
def test_a_log_pos_that_does_not_fit_a_header_is_refused(log_pos):
    with pytest.raises(ValueError, match=f"cannot have the log_pos {log_pos}"):
        stream_of(checksums=True).set_log_pos(log_pos)


def test_an_event_that_is_not_expected_cannot_get_another_log_pos():
    stream = stream_of(checksums=True)
    stream.refuse(mysql_events.xid(stream), kind="checksum", marks=())
    with pytest.raises(ValueError, match="cannot have the log_pos 4"):
        stream.set_log_pos(4)


def test_a_stream_that_is_refused_as_a_whole_exercises_nothing_about_its_events():
    stream = stream_of(checksums=True)
    stream.expect_refusal(at=0, kind="not-a-binlog", marks=("FORMAT-BAD-MAGIC",))
    assert dict(stream.marks) == {"FORMAT-BAD-MAGIC": [0]}
