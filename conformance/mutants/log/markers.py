"""The mutants of the role `log` in boundary markers (WL#4162)."""

from typing import Final

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, VARIABLE_TYPES, EventType
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.server.events import BEGIN, COMMIT, ROLLBACK
from conformance.mutants.log.event_faults import (
    after_gtid,
    always,
    by_type_alone,
    context_after_statement,
    longer_xids,
    query_in_group,
)
from conformance.mutants.log.faults import (
    begins,
    changed,
    each_event,
    is_type,
    marking,
    marks_as,
    other_scenario,
    set_flags,
)
from conformance.mutants.log.transaction_faults import (
    unmarked_statement_format,
)
from conformance.mutants.mutant import Mutant

#: Events of a group.
_TEN: Final = 10

LOG_MARKER_MUTANTS: Final[tuple[Mutant, ...]] = (
    # WL#4162
    Mutant(
        "marks-not-previous-gtids",
        "WL4162-MARKER-EVERY-EVENT",
        "Previous_gtids and Stop events have no marker",
        answer=marks_as(is_type(EventType.PREVIOUS_GTIDS, EventType.STOP), 0),
        also=("WL4162-MARKER-IN-FILE", "WL4162-ALWAYS-ENABLED"),
    ),
    Mutant(
        "marks-nothing",
        "WL4162-MARKER-IN-FILE",
        "no marker is written to the file",
        answer=marks_as(always, 0),
        also=("WL4162-MARKER-EVERY-EVENT", "WL4162-ALWAYS-ENABLED"),
    ),
    Mutant(
        "marks-over-flags",
        "WL4162-MARKER-OTHER-FLAGS-KEPT",
        "the marker replaces the other flags",
        answer=changed(lambda log, unit, event: log.boundary_markers, set_flags(0, clear=0xFFFF)),
        also=("WL4033-LOG-FLAG-SET", "WL4033-LOG-FLAG-ALONE", "WL7592-LOG-ANON-IGNORABLE"),
    ),
    Mutant(
        "marks-with-four-bits",
        "WL4162-MARKER-OTHER-FLAGS-KEPT",
        "the marker has a fourth bit, which is another flag",
        answer=changed(lambda log, unit, event: log.boundary_markers, set_flags(0x2000)),
    ),
    Mutant(
        "marks-longer-xids",
        "WL4162-MARKER-NO-EXTRA-SPACE",
        "the marker makes an Xid event longer",
        answer=longer_xids,
    ),
    Mutant(
        "marks-by-setting",
        "WL4162-ALWAYS-ENABLED",
        "there are no markers in statement format",
        answer=other_scenario(unmarked_statement_format),
        also=("WL4162-MARKER-EVERY-EVENT", "WL4162-MARKER-IN-FILE"),
    ),
    Mutant(
        "marks-spare",
        "WL4162-VALUES-SIX-OF-EIGHT",
        "a Rotate has a spare marker",
        answer=marks_as(is_type(EventType.ROTATE, EventType.FORMAT_DESCRIPTION), 6),
    ),
    Mutant(
        "marks-by-type-alone",
        "WL4162-BOUNDARY-CHANGED-BY-CONTEXT",
        "the marker depends on the event type only",
        answer=marking(by_type_alone),
        also=("WL4162-ADJUST-AFTER-GTID", "WL4162-ADJUST-SELF-TO-END", "WL4162-ADJUST-START-TO-INSIDE"),
    ),
    Mutant(
        "marks-self-as-ignore",
        "WL4162-MARK-DEFAULT-SELF",
        "self-contained events are marked Ignore Boundary",
        answer=marks_as(lambda unit, at, right: right is BoundaryType.SELF_CONTAINED, BoundaryType.IGNORE_BOUNDARY),
    ),
    Mutant(
        "marks-stop-ignored",
        "WL4162-MARK-DEFAULT-SELF",
        "a Stop event is marked Ignore Boundary",
        answer=marks_as(is_type(EventType.STOP), BoundaryType.IGNORE_BOUNDARY),
    ),
    Mutant(
        "marks-format-description-start",
        "WL4162-MARK-FORMAT-DESCRIPTION",
        "format descriptions are marked Start Transaction",
        answer=marks_as(is_type(EventType.FORMAT_DESCRIPTION), BoundaryType.START_TRANSACTION),
    ),
    Mutant(
        "marks-xid-inside",
        "WL4162-MARK-INSIDE-AND-XID",
        "Xid events are marked Inside Transaction",
        answer=marks_as(is_type(EventType.XID), BoundaryType.INSIDE_TRANSACTION),
    ),
    Mutant(
        "marks-first-ten",
        "WL4162-MARKER-EVERY-EVENT",
        "the events of a group after its tenth have no marker",
        answer=marks_as(lambda unit, at, right: at >= _TEN, BoundaryType.NOT_DEFINED),
        also=("WL4162-MARKER-IN-FILE", "WL4162-ALWAYS-ENABLED"),
    ),
    Mutant(
        "marks-rows-self",
        "WL4162-MARK-INSIDE-ROWS",
        "rows events are marked Self Contained",
        answer=marks_as(is_type(*ROWS_TYPES), BoundaryType.SELF_CONTAINED),
    ),
    Mutant(
        "marks-gtid-self",
        "WL4162-MARK-GTID-START",
        "Gtid events are marked Self Contained",
        answer=marks_as(is_type(*GTID_TYPES), BoundaryType.SELF_CONTAINED),
    ),
    Mutant(
        "marks-commit-inside",
        "WL4162-MARK-QUERY-WORDS",
        "COMMIT and ROLLBACK are marked Inside Transaction",
        answer=marks_as(
            lambda unit, at, right: unit.events[at].fields.get("query") in (COMMIT, ROLLBACK),
            BoundaryType.INSIDE_TRANSACTION,
        ),
    ),
    Mutant(
        "marks-statement-self",
        "WL4162-MARK-QUERY-NOT-IMMEDIATE",
        "a statement between BEGIN and COMMIT is marked Self Contained",
        answer=marks_as(query_in_group, BoundaryType.SELF_CONTAINED),
    ),
    Mutant(
        "marks-all-after-gtid",
        "WL4162-ADJUST-AFTER-GTID",
        "the event after a Gtid event is marked Start Transaction",
        answer=marks_as(lambda unit, at, right: after_gtid(unit, at), BoundaryType.START_TRANSACTION),
        also=("WL4162-ADJUST-SELF-TO-END",),
    ),
    Mutant(
        "marks-begin-start",
        "WL4162-ADJUST-START-TO-INSIDE",
        "BEGIN after a Gtid event stays Start Transaction",
        answer=marks_as(
            lambda unit, at, right: after_gtid(unit, at) and unit.events[at].fields.get("query") == BEGIN,
            BoundaryType.START_TRANSACTION,
        ),
    ),
    Mutant(
        "marks-ddl-self",
        "WL4162-ADJUST-SELF-TO-END",
        "DDL after a Gtid event stays Self Contained",
        answer=marks_as(
            lambda unit, at, right: at > 0 and not begins(unit) and right is BoundaryType.END_TRANSACTION,
            BoundaryType.SELF_CONTAINED,
        ),
    ),
    Mutant(
        "marks-context-after-statement",
        "WL4162-CONTEXT-EVENTS-BEFORE-STATEMENT",
        "Intvar, Rand and User_var are logged after their statement",
        answer=each_event(context_after_statement),
    ),
    Mutant(
        "marks-context-first-inside",
        "WL4162-CONTEXT-FIRST-EVENT-STARTS",
        "the first context event of a statement on its own is marked Inside Transaction",
        answer=marks_as(
            lambda unit, at, right: unit.events[at].type in VARIABLE_TYPES and right is BoundaryType.START_TRANSACTION,
            BoundaryType.INSIDE_TRANSACTION,
        ),
    ),
    Mutant(
        "marks-context-start",
        "WL4162-CONTEXT-EVENTS-STAY-INSIDE",
        "context events between BEGIN and COMMIT are marked Start Transaction",
        answer=marks_as(
            lambda unit, at, right: unit.events[at].type in VARIABLE_TYPES and begins(unit),
            BoundaryType.START_TRANSACTION,
        ),
    ),
)
