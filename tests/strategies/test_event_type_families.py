"""Every event type that a server of a profile writes is in the streams of a family."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.strategies.families.event_types import FAMILY_OF_TYPE
from conformance.strategies.families.ignorable_events import UNASSIGNED, UNASSIGNED_HIGH, UNDECLARABLE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

#: Cases of each family, role and profile; the rarest types are in one of twenty.
CASES = 40


def types_in(name):
    """Yield the types of the events in a family's streams; encrypted ones hide theirs."""
    family = families()[name]
    for role in family.focus:
        for profile in family.profiles_of(role):
            for index in range(CASES):
                stream = case_of(CaseId(name, profile, seed=3, index=index, role=role)).stream
                at = 4
                while at + HEADER_BYTES <= len(stream):
                    _, code, _, length, _, _ = HEADER.unpack_from(stream, at)
                    yield code
                    if code == EventType.MARIADB_START_ENCRYPTION:
                        break
                    at += length


@pytest.mark.parametrize("name", sorted(set(FAMILY_OF_TYPE.values()) - {None}))
def test_the_streams_of_a_family_have_the_types_that_it_is_named_for(name):
    assert name in families(), f"FAMILY_OF_TYPE names {name}, which is not a family: write it, or name another one"
    lacking = {code for code, family in FAMILY_OF_TYPE.items() if family == name}
    for code in types_in(name):
        lacking.discard(code)
        if not lacking:
            break
    assert lacking == set(), f"{name} has no such events: add them, or name another family in FAMILY_OF_TYPE"


def test_the_codes_that_stand_for_unknown_types_are_those_of_none():
    assert {*UNASSIGNED, *UNASSIGNED_HIGH, *UNDECLARABLE} & set(EventType) == set(), "codes that have a type by now"
