"""Correct implementations that take another permitted reading: nobody is blamed, in any family of their role."""

import re

import pytest

from conformance.mutants.controls import CONTROLS
from conformance.oracles.judge import Judge, request_of
from conformance.specs.catalogue import catalogue
from tests.answered import REFERENCE, answered_cases
from tests.extras import require_role

#: Cases of each family and profile, and in which a control must do something else than the reference.
CASES, AT_MOST = 2, 60


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_a_control_is_blamed_by_nobody(control):
    require_role(control.role)
    judge = Judge(REFERENCE.declaration.roles[control.role])
    taken = 0
    for index, case, right in answered_cases(control.role, AT_MOST):
        if taken and index >= CASES:
            break
        answer = control.answer(request_of(case))
        taken += answer != right
        blamed = {each.requirement: each.message for each in judge.judge(case, answer) if each.is_failure}
        assert blamed == {}, str(case.id)
    assert taken, "it never does anything else than the reference"


#: Words with which an interpretation leaves a choice.
CHOICE = re.compile(
    r"\bmay (?!be 0|be empty|not\b)|\beither\b(?! way)|\bleft open\b|\bboth\b.* accepted|\bor nothing\b|\bis up to\b"
)
WHAT_STREAMS_HOLD = "it is about what a stream or a log may hold, not what an implementation may do"
NOT_ASKED = "no stream or scenario asks for it"
A_FREEDOM = "a row of conformance/oracles/freedoms.py, with a right answer of its own in tests/oracles/test_freedoms.py"
BY_DECLARATION = "a reader declares which it does, and is asked that"
OF_A_SHOULD = "a reader that does otherwise breaks the should"
IN_COMMON = "only what all readings have in common is required"
OF_RESOURCES = "right readers that refuse and that read are processes of their own: tests/cli/test_resources.py"
#: Interpretations with such words that need no control -> why.
NO_CONTROL = {
    **dict.fromkeys(("FORMAT-COUNT-LIMITS", "FORMAT-TRANSACTION-PAYLOAD-LIMITS"), OF_RESOURCES),
    "FORMAT-EVENTS-BEFORE-FAULT": OF_A_SHOULD,
    **dict.fromkeys(
        (
            "FORMAT-ROWS-PARTIAL-UPDATE",
            "FORMAT-ROWS-VALUES-CHAR",
            "FORMAT-LOG-TABLE-MAP",
            "WL40-OPTION-GLOBAL-READ-ONLY",
            "FORMAT-LOG-TRANSACTION-ENDS",
            "FORMAT-LOG-END-NEEDS-BEGIN",
            "FORMAT-LOG-CONTEXT",
            "FORMAT-LOG-MARIADB-GTID-FIRST",
            "FORMAT-LOG-TRANSACTION-LENGTH",
            "FORMAT-LOG-ROTATE-NEXT",
            "FORMAT-CLIENT-CHECKSUM",
            "FORMAT-POST-HEADER-LENGTHS",
            "WL3303-FLAGS-PER-TABLE",
            "WL40-FILTER-ROWS-BY-TABLE-MAP",
            "WL4033-LOG-DELAYED-ONE-TABLE-MAP",
            "WL3303-LOG-OFF-NO-MESSAGE",
        ),
        WHAT_STREAMS_HOLD,
    ),
    **dict.fromkeys(
        (
            "FORMAT-BODY-MALFORMED",
            "FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD",
            "WL3303-DECISION-PER-STATEMENT",
            "WL3303-LOG-OFF-EXECUTED",
            "WL3303-LOG-AS-ROWS",
            "WL40-FILTER-RULE-MEANING",
            "WL4033-APPLY-UNKNOWN-IGNORED",
            "WL4033-LOG-ROWS-QUERY-BEFORE-TABLE-MAP",
            "WL4162-MARKER-UNMARKED-STAYS-UNDEFINED",
            "WL7592-BODY-UNKNOWN-TAIL",
            "WL7592-OLD-QUERY-TIMESTAMPS-READ",
            "WL7592-LOG-DROP-TEMPORARY-FIRST",
        ),
        NOT_ASKED,
    ),
    **dict.fromkeys(
        (
            "FORMAT-RELAY-EVENT",
            "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN",
            "FORMAT-TRUNCATED-HEADER",
            "WL40-CREATE-SBR-SELECT",
            "WL7592-LOG-SAME-SKELETON",
            "WL7592-APPLY-DROPDB-ERROR-CODE",
            "WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO",
            "FORMAT-CLIENT-ERROR",
            "FORMAT-CLIENT-EVENT",
            "FORMAT-CLIENT-POSITION",
            "FORMAT-CLIENT-GTIDS",
            "FORMAT-CLIENT-RESUMED",
            "WL4033-CLIENT-KNOWN-FLAGGED",
        ),
        A_FREEDOM,
    ),
    **dict.fromkeys(("WL7592-ANON-SKIPPED-BY-FLAG", "WL7592-APPLY-ON-GTID-MISSING"), IN_COMMON),
    **dict.fromkeys(
        (
            "FORMAT-LENGTH-NO-CHECKSUM",
            "FORMAT-READER-GTIDS",
            "FORMAT-QUERY-STATUS-VARIABLES",
        ),
        BY_DECLARATION,
    ),
}


def test_an_interpretation_that_leaves_a_choice_has_a_control():
    lacking = {
        each.id: each.interpretation
        for each in catalogue().values()
        if each.interpretation and not each.untestable and CHOICE.search(each.interpretation)
        if not each.choice and each.id not in NO_CONTROL
    }
    assert lacking == {}, "name the controls in `choice`, or write why none is needed"


def test_each_control_is_named_by_an_interpretation_of_any_role():
    named = {name for each in catalogue().values() for name in each.choice}
    assert named == {each.name for each in CONTROLS}


def test_no_reason_is_left_over():
    assert not [
        each for each in NO_CONTROL if catalogue()[each].choice or not CHOICE.search(catalogue()[each].interpretation)
    ]
