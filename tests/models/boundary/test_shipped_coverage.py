"""The cells of the parser that servers ship: those that the families reach, and why they miss the others."""

import pytest

from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.corpus.stored_case import batch_of_cases, cases_of_batch
from conformance.engine.coverage import coverage_tables
from conformance.engine.tally import Tally
from conformance.models.boundary.fed_event import fed_events
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import CELLS, CODES, SHIPPED_VERSIONS, WITH_SHIPPED_PARSER
from conformance.oracles.coverage.shipped_boundary_coverage import SHIPPED_BOUNDARY_TABLES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

(TABLE,) = SHIPPED_BOUNDARY_TABLES
EVERY_TYPE = ReaderRules(beyond_format_description=True, known=frozenset(range(256)))

#: Profile -> a type of event that none of its streams has, and why.
NEVER = {
    "mysql-5.7": ("PAYLOAD", "5.7 has no Transaction_payload: an event of that type is unknown"),
    "mysql-8.0": (None, "8.0 has events of every type"),
}


def names(profile):
    return [name for name, family in families().items() if "boundary" in family.focus and profile in family.profiles]


def cases(profile, count, *only):
    ids = [(name, index) for name in only or names(profile) for index in range(count)]
    return [case_of(CaseId(name, profile, seed=1, index=index, role="boundary")) for name, index in ids]


def cells(cases):
    return [cell for case in cases for cell in TABLE.cells(case)]


@pytest.mark.parametrize("profile", NEVER)
def test_the_families_reach_every_cell_that_streams_can_reach(profile):
    absent, _ = NEVER[profile]
    assert len(TABLE.every) == len(CELLS) == 50
    steps = cases(profile, 40, "shipped_boundary_steps")
    assert set(cells([*cases(profile, 4), *steps])) == {cell for cell in TABLE.every if cell[1] != absent}


@pytest.mark.parametrize("profile", WITH_SHIPPED_PARSER)
def test_the_steps_have_events_of_every_type_that_servers_of_the_profile_log(profile):
    steps = cases(profile, 60, "shipped_boundary_steps")
    known = server_of(profile).rules.known & CODES[SHIPPED_VERSIONS[profile]].keys()
    assert known <= {event["type"] for case in steps for event in case.expected.events}


@pytest.mark.parametrize("profile", WITH_SHIPPED_PARSER)
def test_the_cells_are_those_of_a_parser_that_reads_the_stream(profile):
    for case in cases(profile, 5):
        parser = ShippedParser(SHIPPED_VERSIONS[profile])
        read = zip(case.expected.events, fed_events(read_events(case.stream, EVERY_TYPE)), strict=False)
        steps = []
        for entry, event in read:
            if entry["offset"] in case.settings["resets"]:
                parser.reset()
            steps.append(parser.feed(event))
        used = [(step.before.name, step.shipped_type.name, "Err" if step.error else "Ok") for step in steps]
        assert cells([case]) == used


def test_a_stored_case_has_the_same_cells():
    made = cases("mysql-5.7", 2)
    stored = [case for _, case in cases_of_batch(batch_of_cases(enumerate(made)))]
    assert cells(stored) == cells(made) != []


def test_the_worklogs_profile_and_the_role_decode_have_no_such_cells():
    assert cells(cases("worklog", 3)) == []
    assert TABLE in coverage_tables("boundary")
    assert TABLE not in coverage_tables("decode")


def test_the_cells_that_were_never_reached_are_listed():
    tally = Tally()
    for case in cases("mysql-8.4", 3):
        if case.id.family != "shipped_boundary_steps":
            tally.add(case, [])
    reached, every = tally.reached()[TABLE.name]
    never = tally.never_reached()[TABLE.name]
    assert (reached + len(never), every) == (50, 50)
    assert "ERROR / GTID / Err" in never
    assert "DML / END / Ok" not in never
