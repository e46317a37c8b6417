"""The columnar parsers agree with the readable ones on every short sequence and on long ones."""

from copy import copy
from itertools import product

import numpy as np
import pytest
from boundary_events import BEGIN, INTVAR, XID, marked, query
from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import MARKER_BITS, MarkerBits
from conformance.models.boundary.columnar_parser import EventColumns, parse_shipped, parse_worklog
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.query_text_class import TEXTS, text_class
from conformance.models.boundary.query_word import query_word
from conformance.models.boundary.shipped_parser import ShippedParser, query_type
from conformance.models.boundary.shipped_tables import VERSIONS
from conformance.models.boundary.worklog_parser import WorklogParser

#: An event for each value of the three bits; those without a boundary type are guessed, each by a different rule.
BY_VALUE = [
    marked(value, {0: query("INSERT INTO t VALUES (1)"), 6: INTVAR, 7: BEGIN}.get(value, XID)) for value in range(8)
]
QUERIES = st.sampled_from([
    b"BEGIN", b"B", b"begin", b"COMMIT", b"COM", b"ROLLBACK", b"rollback", b"ROLLBACK TO a", b"", b"XA START 'x'",
    b"XA ROLLBACK 'x'", b"INSERT INTO t VALUES (1)",
])  # fmt: skip
FLAGS = st.builds(
    lambda marker, other: MARKER_BITS.write(int(other), marker),
    st.integers(0, 7),
    st.sampled_from([0, Flag.IGNORABLE, Flag.ARTIFICIAL, Flag.THREAD_SPECIFIC, Flag.MARIADB_SKIP_REPLICATION]),
)
EVENTS = st.one_of(
    st.builds(FedEvent, st.just(int(EventType.QUERY)), FLAGS, QUERIES),
    st.builds(FedEvent, st.integers(0, 255).filter(lambda code: code != EventType.QUERY), FLAGS),
    st.sampled_from(BY_VALUE),
)


def worklog_rows(streams, bits=MARKER_BITS):
    """Yield boundary type, state before, state after and error of each event, by the readable parser."""
    parser = WorklogParser(bits=bits)
    for stream in streams:
        parser.reset()
        for event in stream:
            before = parser.state
            step = parser.feed(event)
            yield int(step.boundary_type), int(before), int(step.state), step.warning is not None


def shipped_rows(streams, version):
    parser = ShippedParser(version)
    for stream in streams:
        parser.reset()
        for event in stream:
            step = parser.feed(event)
            yield step.shipped_type.value, step.before.value, step.state.value, step.error


def rows_of(parsed):
    columns = (parsed.boundary_types, parsed.before, parsed.states, parsed.errors)
    return list(zip(*(column.ravel().tolist() for column in columns), strict=True))


def columns_of(streams):
    columns = EventColumns.of([event for stream in streams for event in stream])
    starts, at = [], 0
    for stream in streams:
        starts += [at] if stream else []
        at += len(stream)
    return columns, starts


def every_sequence(length):
    """Return every sequence of this length of the eight values, in columns."""
    values = np.array(list(product(range(8), repeat=length)), dtype=np.uint8)
    single = EventColumns.of(BY_VALUE)
    return EventColumns(single.types[values], single.flags[values], single.texts[values])


def last_steps(length):
    """Return the readable parser's step at the last event of every sequence; a common beginning is fed once."""
    parsers = [WorklogParser()]
    for _ in range(length):
        branches = [(copy(parser), event) for parser in parsers for event in BY_VALUE]
        steps = [(parser.state, parser.feed(event)) for parser, event in branches]
        parsers = [parser for parser, _ in branches]
    return [(step.boundary_type, before, step.state, step.warning is not None) for before, step in steps]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, *(pytest.param(each, marks=pytest.mark.slow) for each in (6, 7))])
def test_every_sequence_of_boundary_types(length):
    parsed = parse_worklog(every_sequence(length))
    columns = (parsed.boundary_types, parsed.before, parsed.states, parsed.errors)
    assert list(zip(*(column[:, -1].tolist() for column in columns), strict=True)) == last_steps(length)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_pair_of_types_and_statements_in_shipped_parsers(version):
    events = [FedEvent(code) for code in range(44)] + [FedEvent(EventType.QUERY, 0, text) for text in TEXTS if text]
    streams = [list(pair) for pair in product(events, repeat=2)]
    columns, starts = columns_of(streams)
    assert rows_of(parse_shipped(columns, version, starts=starts)) == list(shipped_rows(streams, version))


@given(st.lists(st.lists(EVENTS, max_size=12), max_size=12), st.sampled_from(VERSIONS))
def test_streams_one_after_another(streams, version):
    columns, starts = columns_of(streams)
    assert rows_of(parse_worklog(columns, starts=starts)) == list(worklog_rows(streams))
    assert rows_of(parse_shipped(columns, version, starts=starts)) == list(shipped_rows(streams, version))


@given(st.integers(0, 13), st.lists(EVENTS, max_size=30))
def test_other_bits(shift, events):
    bits = MarkerBits(shift)
    assert rows_of(parse_worklog(EventColumns.of(events), bits=bits)) == list(worklog_rows([events], bits))


@pytest.mark.parametrize("count", [1, 2, 100, 10_007])
def test_one_long_stream(count):
    chosen = np.random.default_rng(count).integers(0, len(BY_VALUE), count)
    events = [BY_VALUE[index] for index in chosen]
    columns = EventColumns.of(events)
    assert rows_of(parse_worklog(columns)) == list(worklog_rows([events]))
    assert rows_of(parse_shipped(columns, "8.0.43")) == list(shipped_rows([events], "8.0.43"))


def test_no_events_at_all():
    assert rows_of(parse_worklog(EventColumns.of([]))) == []


def test_rows_of_streams_have_no_other_starts():
    columns = every_sequence(2)
    with pytest.raises(ValueError, match="no other starts"):
        parse_worklog(columns, starts=[0, 1])


@given(st.one_of(QUERIES, st.binary(max_size=12)))
def test_a_statement_is_parsed_like_the_text_of_its_class(text):
    shown = TEXTS[text_class(text)]
    assert query_word(shown) is query_word(text)
    assert bool(shown) is bool(text)
    assert not text or query_type(shown) is query_type(text)
