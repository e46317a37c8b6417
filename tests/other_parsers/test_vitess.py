"""vitess, driven by its adapter: what it reports is the library's own."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.implementations.library import libraries
from conformance.implementations.registry import implementation
from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation
from tests.implementations.small_logs import EVENTS, log

pytestmark = [pytest.mark.slow, pytest.mark.network]

LIBRARY = libraries()["vitess"]
PROFILE = "mysql-8.0"


@pytest.fixture(scope="module")
def vitess():
    if LIBRARY.missing() is not None:
        pytest.skip(LIBRARY.missing())
    with implementation("vitess") as started:
        assert started.declaration.version == LIBRARY.version
        yield started


def ask(reader, stream):
    return reader.ask(Request("decode", PROFILE, stream))


def test_it_reports_what_is_in_the_stream(vitess):
    stream = log(*EVENTS, profile=PROFILE)
    fields = vitess.declaration.roles["decode"].fields
    expected = ask(ReferenceImplementation(), stream).events
    answer = ask(vitess, stream)
    assert answer.error is None
    for wanted, seen in zip(expected, answer.events, strict=True):
        known = {name: value for name, value in wanted.items() if name in fields}
        assert {name: seen.get(name) for name in known} == known


def test_a_rotate_event_without_a_checksum_loses_the_end_of_its_name(vitess):
    """The library cuts the last four bytes off whether they are a checksum or not."""
    rotate = (EventType.ROTATE, {"next_position": 4, "next_file": b"binlog.000002"})
    names = [
        ask(vitess, log(rotate, profile=PROFILE, checksums=each)).events[-1]["next_file"] for each in (True, False)
    ]
    assert names == ["binlog.000002", "binlog.00"]
