"""Generated format descriptions: the post-header length that they declare for themselves."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families


@pytest.mark.parametrize("name", ["ignorable_events", "post_header_lengths"])
def test_its_own_post_header_length_grows_with_the_types_that_it_declares(name):
    counts = set()
    for profile in families()[name].profiles:
        for index in range(10):
            stream = case_of(CaseId(name, profile, seed=0, index=index)).stream
            for event in read_events(stream):
                if event.header.type == EventType.FORMAT_DESCRIPTION:
                    described = event.format
                    counts.add(described.event_types)
                    own = described.post_header_length(EventType.FORMAT_DESCRIPTION)
                    assert own == (57 + described.event_types) % 256
    assert len(counts) > 3
