"""The worklog's parser: every cell, the footnotes, the guess, warnings and resets."""

import pytest
from boundary_events import (
    ANONYMOUS,
    BEGIN,
    BEGIN_LOAD,
    COMMIT,
    CREATE,
    END,
    EXECUTE_LOAD,
    FAKE_ROTATE,
    FORMAT,
    GTID,
    HEARTBEAT,
    IGNORE,
    INCIDENT,
    INSERT,
    INSIDE,
    INTVAR,
    NOT_DEFINED,
    PREVIOUS,
    RAND,
    ROLLBACK,
    ROTATE,
    ROWS,
    SELF,
    START,
    STOP,
    TABLE_MAP,
    USER_VAR,
    XID,
    marked,
    plain,
    query,
)  # fmt: skip

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.models.boundary.boundary_type import BoundaryType, MarkerBits
from conformance.models.boundary.event_class import EventClass
from conformance.models.boundary.marking import boundary_types
from conformance.models.boundary.transition_table import CELLS, StepOutcome, cell
from conformance.models.boundary.type_table import Situation, type_row
from conformance.models.boundary.worklog_parser import WorklogParser

#: State -> marked events that lead a fresh parser there.
PATHS = {
    NOT_DEFINED: (),
    SELF: (SELF,),
    START: (START,),
    INSIDE: (START, INSIDE),
    END: (START, END),
}


def parser_in(state: BoundaryType) -> WorklogParser:
    parser = WorklogParser()
    for each in PATHS[state]:
        parser.feed(marked(each))
    assert parser.state is state
    return parser


def fed(*events):
    parser = WorklogParser()
    return [parser.feed(event) for event in events]


@pytest.mark.parametrize("one", CELLS.values(), ids=lambda one: one.requirement)
def test_every_cell(one):
    parser = parser_in(one.before)
    step = parser.feed(marked(one.fed))
    assert step.cell is one
    assert step.marker is step.boundary_type is one.fed
    if one.outcome is StepOutcome.OK:
        assert (step.state, step.warning) == (one.fed, None)
    else:
        text = f"Unable to change boundary parser from {one.before.heading} to {one.fed.heading}."
        assert (step.state, step.warning) == (NOT_DEFINED, text)
    assert parser.state is step.state


@pytest.mark.parametrize("state", PATHS)
def test_an_event_to_be_ignored_changes_nothing(state):
    parser = parser_in(state)
    step = parser.feed(marked(IGNORE))
    assert (step.state, step.warning, step.cell) == (state, None, None)


@pytest.mark.parametrize(("before", "one"), [(IGNORE, SELF), (SELF, IGNORE), (SELF, NOT_DEFINED)])
def test_a_step_without_a_cell_is_refused(before, one):
    with pytest.raises(ValueError, match=f"from {before.heading} to {one.heading}"):
        cell(before, one)


def test_a_situation_without_a_row_is_refused():
    with pytest.raises(ValueError, match="Xid"):
        type_row(EventClass.XID, Situation.ARTIFICIAL)


@pytest.mark.parametrize("state", PATHS)
def test_a_reset_leads_to_not_defined(state):
    parser = parser_in(state)
    parser.reset()
    assert parser.state is NOT_DEFINED
    assert parser.feed(marked(INSIDE)).warning == (
        "Unable to change boundary parser from Not Defined to Inside Transaction."
    )


def test_a_reset_forgets_the_begin():
    parser = WorklogParser()
    parser.feed(BEGIN)
    parser.reset()
    parser.feed(GTID)
    assert parser.feed(INSERT).boundary_type is END


def test_the_rest_of_a_transaction_warns_at_each_event_up_to_the_next_start():
    steps = fed(*map(marked, (INSIDE, IGNORE, INSIDE, END, START, END)))
    assert [step.warning is not None for step in steps] == [True, False, True, True, False, False]


def test_a_second_start_is_lost_and_its_transaction_warns_too():
    steps = fed(GTID, GTID, BEGIN, ROWS, XID)
    # BEGIN opens a transaction again, because the second Gtid event left the parser in Not Defined.
    assert [step.warning is not None for step in steps] == [False, True, False, False, False]
    assert steps[2].boundary_type is START


def test_within_a_transaction():
    parser = WorklogParser()
    assert [(parser.feed(each), parser.within_transaction)[1] for each in (FORMAT, GTID, BEGIN, ROWS, XID, STOP)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip


def test_the_bits_are_a_setting():
    bits = MarkerBits(5)
    parser = WorklogParser(bits=bits)
    assert parser.feed(plain(EventType.XID, bits.write(0, START))).marker is START


@pytest.mark.parametrize("value", [0, 6, 7])
def test_an_event_without_a_defined_marker_is_guessed(value):
    (step,) = fed(marked(value, GTID))
    assert (step.marker, step.boundary_type, step.guess.requirement) == (NOT_DEFINED, START, "WL4162-TYPE-GTID")


def test_a_marker_wins_over_the_event_itself():
    (step,) = fed(marked(SELF, GTID))
    assert (step.boundary_type, step.guess) == (SELF, None)


UNKNOWN, UNKNOWN_IGNORABLE = plain(200), plain(200, Flag.IGNORABLE)
#: Valid sequences, with the boundary type of each event.
SEQUENCES = {
    "ddl": [(CREATE, SELF)],
    "ddl after gtid": [(GTID, START), (CREATE, END)],
    "ddl after intvar": [(INTVAR, START), (CREATE, END)],
    "ddl after three": [(RAND, START), (USER_VAR, INSIDE), (INTVAR, INSIDE), (INSERT, END)],
    "ddl after gtid and intvar": [(ANONYMOUS, START), (INTVAR, INSIDE), (INSERT, END)],
    "begin": [(BEGIN, START), (INSERT, INSIDE), (COMMIT, END)],
    "begin after gtid": [(GTID, START), (BEGIN, INSIDE), (TABLE_MAP, INSIDE), (ROWS, INSIDE), (XID, END)],
    "rollback": [(BEGIN, START), (query("SAVEPOINT a"), INSIDE), (query("ROLLBACK TO a"), INSIDE), (ROLLBACK, END)],
    "context within": [(BEGIN, START), (INTVAR, INSIDE), (RAND, INSIDE), (USER_VAR, INSIDE), (INSERT, INSIDE),
                       (XID, END)],
    "two transactions": [(GTID, START), (CREATE, END), (GTID, START), (BEGIN, INSIDE), (ROWS, INSIDE), (XID, END)],
    "load within": [(BEGIN, START), (BEGIN_LOAD, INSIDE), (EXECUTE_LOAD, INSIDE), (COMMIT, END)],
    "load after gtid": [(GTID, START), (BEGIN_LOAD, INSIDE), (EXECUTE_LOAD, END)],
    "load alone": [(EXECUTE_LOAD, SELF)],
    "header of a log": [(FORMAT, IGNORE), (PREVIOUS, SELF), (GTID, START), (CREATE, END), (ROTATE, SELF), (STOP, SELF)],
    "on connect": [(FAKE_ROTATE, IGNORE), (FORMAT, IGNORE), (HEARTBEAT, SELF), (GTID, START), (FAKE_ROTATE, IGNORE),
                   (FORMAT, IGNORE), (BEGIN, INSIDE), (UNKNOWN_IGNORABLE, IGNORE), (XID, END)],
    "on its own": [(INCIDENT, SELF), (UNKNOWN, SELF), (plain(EventType.EXEC_LOAD), SELF),
                   (plain(EventType.LOAD), SELF)],
    "later types": [(plain(EventType.GTID_TAGGED), START), (BEGIN, INSIDE),
                    (plain(EventType.PARTIAL_UPDATE_ROWS), INSIDE), (plain(EventType.XA_PREPARE), END)],
}  # fmt: skip


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
def test_the_guess_of_valid_sequences(sequence):
    steps = fed(*(event for event, _ in sequence))
    assert [(step.boundary_type, step.warning) for step in steps] == [(expected, None) for _, expected in sequence]


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
def test_the_marking_of_valid_sequences(sequence):
    events = [event for event, _ in sequence]
    expected = [each for _, each in sequence]
    assert boundary_types(events) == expected
    steps = fed(*(marked(each, event) for event, each in zip(events, expected, strict=True)))
    assert [(step.marker, step.warning) for step in steps] == [(each, None) for each in expected]


def test_a_writer_marks_context_events_by_what_follows_them():
    # A receiver cannot know: it takes the first context event for a start.
    assert boundary_types([INTVAR, ROWS]) == [INSIDE, INSIDE]
    assert boundary_types([INTVAR]) == [INSIDE]


def test_a_statement_after_the_end_of_a_transaction_is_self_contained_again():
    # The type table: a statement that is logged immediately is self-contained; the Gtid event belonged to the group.
    assert boundary_types([BEGIN, INSERT, COMMIT, CREATE]) == [START, INSIDE, END, SELF]
    assert boundary_types([GTID, BEGIN, INSERT, COMMIT, CREATE]) == [START, INSIDE, INSIDE, END, SELF]
    assert boundary_types([GTID, TABLE_MAP, ROWS, XID, CREATE]) == [START, INSIDE, INSIDE, END, SELF]


#: Sequences that break the rules: the cell of the last event.
FAULTS = {
    "WL4162-TT-UNDEFINED-INSIDE": (FORMAT, ROWS),
    "WL4162-TT-UNDEFINED-END": (FORMAT, XID),
    "WL4162-TT-SELF-INSIDE": (PREVIOUS, TABLE_MAP),
    "WL4162-TT-SELF-END": (CREATE, COMMIT),
    "WL4162-TT-START-START": (BEGIN, BEGIN),
    "WL4162-TT-START-SELF": (GTID, STOP),
    "WL4162-TT-INSIDE-START": (GTID, BEGIN, GTID),
    "WL4162-TT-INSIDE-SELF": (BEGIN, INSERT, INCIDENT),
    "WL4162-TT-END-INSIDE": (BEGIN, XID, ROWS),
    "WL4162-TT-END-END": (BEGIN, XID, ROLLBACK),
}


@pytest.mark.parametrize("requirement", FAULTS)
def test_faults_of_unmarked_streams(requirement):
    *before, last = fed(*FAULTS[requirement])
    assert [step.warning for step in before] == [None] * len(before)
    assert last.cell.requirement == requirement
    assert last.warning is not None
    assert last.state is NOT_DEFINED


@pytest.mark.parametrize("event", [ROTATE, STOP, HEARTBEAT, PREVIOUS, INCIDENT, UNKNOWN, plain(EventType.DELETE_FILE)])
def test_a_self_contained_event_breaks_an_open_transaction(event):
    assert fed(GTID, event)[-1].cell.requirement == "WL4162-TT-START-SELF"
    assert fed(BEGIN, INSERT, event)[-1].cell.requirement == "WL4162-TT-INSIDE-SELF"
