"""canal's dbsync, driven by its adapter: what it reports is the library's own."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.implementations.library import libraries
from conformance.implementations.registry import implementation
from conformance.protocol.observation import Request
from conformance.reference.implementation import ReferenceImplementation
from tests.implementations.small_logs import EVENTS, QUERY, log

pytestmark = [pytest.mark.slow, pytest.mark.network]

LIBRARY = libraries()["canal-dbsync"]
PROFILE = "mysql-8.0"
#: Bytes of the library's buffer.
BUFFER = 8192


@pytest.fixture(scope="module", params=["1.1.5", LIBRARY.version])
def canal(request):
    if LIBRARY.missing() is not None:
        pytest.skip(LIBRARY.missing())
    with implementation(f"canal-dbsync@{request.param}") as started:
        assert started.declaration.version == request.param
        yield started


def ask(reader, stream):
    return reader.ask(Request("decode", PROFILE, stream))


def test_it_reports_what_is_in_the_stream(canal):
    stream = log(*EVENTS, profile=PROFILE)
    fields = canal.declaration.roles["decode"].fields
    expected = ask(ReferenceImplementation(), stream).events
    answer = ask(canal, stream)
    assert answer.error is None
    for wanted, seen in zip(expected, answer.events, strict=True):
        # A text of a statement is in the character set of the session, which these events do not name.
        known = {name: value for name, value in wanted.items() if name in fields and name != "query"}
        assert {name: seen.get(name) for name in known} == known


def test_a_log_that_is_longer_than_the_buffer_of_the_library_is_refused(canal):
    short, long = (
        log(*[(EventType.QUERY, {**QUERY, "query": b"x" * 1000})] * count, profile=PROFILE) for count in (5, 20)
    )
    assert len(short) < BUFFER < len(long)
    assert ask(canal, short).error is None
    assert "limit excceed" in ask(canal, long).error.message
