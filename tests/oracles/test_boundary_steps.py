"""Each step of a boundary parser is judged from the state that it showed before: no fault hides or makes another."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.event_class import CONTEXT_CLASSES, EventClass, event_class
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.boundary.faulty_parsers import (
    ForgetsContext,
    GtidsIgnored,
    LoadAlone,
    NoReset,
    NotMixed,
    OtherCell,
)
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


class StartUnmarked(WorklogParser):
    """A parser that does not read one value of the marker, and guesses what it is."""

    def feed(self, event):
        is_start = MARKER_BITS.read(event.flags) is BoundaryType.START_TRANSACTION
        unmarked = event._replace(flags=MARKER_BITS.write(event.flags, BoundaryType.NOT_DEFINED))
        return super().feed(unmarked if is_start else event)


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


def test_what_a_parser_does_with_an_event_whose_marker_it_misreads_is_one_finding():
    findings = {}
    for case in cases("marked_streams", "boundary_sequences", count=12):
        for each in blamed(case, StartUnmarked()).values():
            findings.setdefault(each.finding, set()).add(each.requirement)
    assert set(findings) == {"boundary: marker differs"}
    assert "WL4162-BOUNDARY-START" in findings["boundary: marker differs"]


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
    for case in cases("gtid_streams", "unmarked_streams", count=60):
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


class NoWarnings(WorklogParser):
    """A parser that takes every wrong step without a warning."""

    def feed(self, event):
        step = super().feed(event)
        return replace(step, cell=None) if step.warning is not None else step


#: Families in which streams begin after a reset in any state.
RESETS = ("boundary_exhaustive", "boundary_sequences", "marked_streams", "unmarked_streams")


def requirements_blamed(parser, *names, fields=None, count=4):
    """Return the requirements that are blamed for a parser in the cases of some families."""
    declared = ReferenceImplementation().declaration.roles["boundary"]
    judge = Judge(replace(declared, fields=frozenset({"offset", "type", *fields})) if fields else declared)
    answers = ((case, observe(request_of(case), parser())) for case in cases(*names, count=count))
    return {each.requirement for case, answer in answers for each in judge.judge(case, answer) if each.is_failure}


def test_a_wrong_step_is_not_blamed_on_a_reset():
    assert not {each for each in requirements_blamed(NoWarnings, *RESETS) if "RESET" in each or "OWN-PARSER" in each}
    cell = lambda: OtherCell("WL4162-TT-UNDEFINED-INSIDE")  # noqa: E731 - a class is expected
    blamed = requirements_blamed(cell, *RESETS)
    assert "WL4162-TT-UNDEFINED-INSIDE" in blamed
    assert not {each for each in blamed if "RESET" in each or "OWN-PARSER" in each}


@pytest.mark.parametrize("fields", [None, ("warning",), ("state",)])
def test_a_missing_reset_is_not_blamed_on_a_cell_that_was_taken_rightly_elsewhere(fields):
    blamed = requirements_blamed(NoReset, *RESETS, fields=fields)
    assert "WL4162-RESET-NEW-STREAM" in blamed or "WL4162-RESET-TO-UNDEFINED" in blamed


def test_the_format_is_blamed_only_where_the_same_change_is_right_in_another_format():
    assert "WL4162-ANY-BINLOG-FORMAT" not in requirements_blamed(LoadAlone, *RESETS)
    assert "WL4162-ANY-BINLOG-FORMAT" in requirements_blamed(NotMixed, "unmarked_streams", count=60)


class FirstContextInside(WorklogParser):
    """A parser to which the first context event of a statement on its own is inside a transaction."""

    def guess(self, event):
        row = super().guess(event)
        is_first = event_class(event) in CONTEXT_CLASSES and row.boundary_type is BoundaryType.START_TRANSACTION
        return replace(row, boundary_type=BoundaryType.INSIDE_TRANSACTION) if is_first else row


class NeedsGtid(WorklogParser):
    """A parser to which a COMMIT ends a transaction only if a Gtid event began it."""

    def __init__(self):
        super().__init__()
        self.has_gtid = False

    def guess(self, event):
        row = super().guess(event)
        if event_class(event) is EventClass.GTID:
            self.has_gtid = True
        ends = row.boundary_type is BoundaryType.END_TRANSACTION
        wrong, self.has_gtid = ends and not self.has_gtid, self.has_gtid and not ends
        return replace(row, boundary_type=BoundaryType.INSIDE_TRANSACTION) if wrong else row


def test_a_context_event_breaks_its_own_rule_and_neither_that_on_gtids_nor_that_on_flags():
    blamed = requirements_blamed(FirstContextInside, "old_source_streams", "boundary_exhaustive", *RESETS, count=12)
    assert {"WL4162-TYPE-INTVAR-FIRST", "WL4162-TYPE-USER-VAR-FIRST"} <= blamed
    assert not {"WL4162-ANY-GTID-MODE", "WL4162-TYPE-IGNORABLE", "WL4162-QUERY-WORDS"} & blamed


def test_a_statement_after_its_context_breaks_the_rule_on_context_and_not_that_on_words():
    blamed = requirements_blamed(ForgetsContext, "old_source_streams", "unmarked_streams", "marked_streams", count=12)
    assert "WL4162-SELF-QUERY-CONDITIONS" in blamed
    assert "WL4162-QUERY-WORDS" not in blamed


@pytest.mark.parametrize("parser", [GtidsIgnored, NeedsGtid])
def test_a_parser_that_needs_or_ignores_gtids_breaks_the_rule_on_gtids(parser):
    assert "WL4162-ANY-GTID-MODE" in requirements_blamed(parser, *RESETS, count=30)


def test_an_xid_that_is_always_wrong_does_not_break_the_rule_on_gtids():
    assert "WL4162-ANY-GTID-MODE" not in requirements_blamed(XidInside, *RESETS, "gtid_streams", count=12)


def test_a_load_does_not_exercise_the_words_of_statements():
    assert "WL4162-QUERY-WORDS" not in requirements_blamed(LoadAlone, *RESETS)
