"""Each step of a boundary parser is judged from the state that it showed before: no fault hides or makes another."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.event_class import EventClass, event_class
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.boundary.faulty_parsers import GtidsIgnored, NoReset
from conformance.oracles.judge import Judge, request_of
from conformance.reference.boundary import observe
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

JUDGE = Judge(ReferenceImplementation().declaration.roles["boundary"])


class XidInside(WorklogParser):
    """A parser to which an Xid is inside a transaction."""

    def guess(self, event):
        row = super().guess(event)
        is_xid = event_class(event) is EventClass.XID
        return replace(row, boundary_type=BoundaryType.INSIDE_TRANSACTION) if is_xid else row


class Both(GtidsIgnored, XidInside):
    """A parser with two faults, of which the first always comes before the second."""


def cases(*names, count=4):
    for name in names:
        for profile in families()[name].profiles_of("boundary"):
            if profile == "worklog":
                yield from (case_of(CaseId(name, profile, 3, index, role="boundary")) for index in range(count))


def blamed(case, parser):
    return {each.requirement: each for each in JUDGE.judge(case, observe(request_of(case), parser)) if each.is_failure}


def test_a_fault_that_always_comes_after_another_is_found():
    """Every transaction of these streams begins with a Gtid, which the first fault ignores: no step is as expected."""
    findings = {
        (parser, each.finding)
        for parser in (GtidsIgnored, XidInside, Both)
        for case in cases("gtid_streams", "anonymous_gtid_streams")
        for each in blamed(case, parser()).values()
    }
    found_in = {parser: {finding for made, finding in findings if made is parser} for parser, _ in findings}
    gtid = "boundary: boundary_type is Ignore Boundary, not Start Transaction"
    xid = "boundary: boundary_type is Inside Transaction, not End Transaction"
    assert gtid in found_in[GtidsIgnored]
    assert xid not in found_in[GtidsIgnored]
    assert {gtid, xid} <= found_in[Both]


def test_what_follows_from_a_wrong_step_is_not_blamed():
    """After an ignored Gtid event each event in the transaction is a wrong step of the parser's own, with a warning."""
    for case in cases("gtid_streams"):
        answer = observe(request_of(case), GtidsIgnored())
        warned = [each["offset"] for each in answer.events if each["warning"]]
        wrong = blamed(case, GtidsIgnored())
        assert {each.finding for each in wrong.values()} <= {
            "boundary: boundary_type is Ignore Boundary, not Start Transaction"
        }
        assert not {each.at for each in wrong.values()} & set(warned)


@pytest.mark.parametrize("fields", [("state", "warning"), ("within_transaction", "warning"), ("within_transaction",)])
def test_a_parser_that_shows_less_is_blamed_at_the_wrong_step_alone(fields):
    declared = ReferenceImplementation().declaration.roles["boundary"]
    judge = Judge(replace(declared, fields=frozenset({"offset", "type", *fields})))
    blamed_at = set()
    for case in cases("gtid_streams", "unmarked_streams", count=12):
        answer = observe(request_of(case), GtidsIgnored())
        types = {each["offset"]: each["type"] for each in answer.events}
        blamed_at |= {types[each.at] for each in judge.judge(case, answer) if each.is_failure}
    assert blamed_at == {EventType.GTID, EventType.ANONYMOUS_GTID}


def test_a_parser_that_is_not_reset_breaks_no_cell_from_not_defined_that_it_did_not_use():
    """Its warning names the state in which the stream before ended: the step from there is right."""
    for case in cases("boundary_exhaustive"):
        answer = observe(request_of(case), NoReset())
        warnings = {each["offset"]: each["warning"] for each in answer.events}
        for requirement, verdict in blamed(case, NoReset()).items():
            if requirement.startswith("WL4162-TT-UNDEFINED-"):
                assert warnings[verdict.at] == ""
