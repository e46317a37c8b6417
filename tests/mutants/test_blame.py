"""A mutant is blamed by its own requirement, and by others only for a reason that is found or written here."""

from fnmatch import fnmatchcase

import pytest

from conformance.mutants.registry import mutant_of, mutants
from conformance.specs.catalogue import catalogue
from tests.extras import require_role
from tests.mutants.blame import blames, cases_at, catches, late_mutants

MORE_EVENTS = "the fault is in more events than its own requirement governs, and in each of them another value is wrong"
NOT_READ = "the reading goes on from a wrong place, where nothing can be read"
WHAT_BELONGS = "what is missing, added or moved takes along what belongs to it, and each is missing for its own rules"
TWO_SIDES = "two rules about one place in a log, of which each looks at another event of it"
RESET = "the first step of a stream shows that the parser begins elsewhere, the state before it shows it too"
RESUMES = "a client that is at a wrong place asks for that place once its connection is lost"
#: Mutant, and the other requirements -> why they are right to fail for another cause and at another event than its own.
ROWS = (
    ("xid-one-byte-late", "FORMAT-EVENT-DELIVERED WL4033-CROSS-* WL7592-OLD-*", NOT_READ),
    ("unknown-in-base64", "FORMAT-RENDER-DECODE-ROWS", MORE_EVENTS),
    ("start-forgotten", "FORMAT-RENDER-STATEMENTS-RUN", MORE_EVENTS),
    ("post-header-of-one", "WL4033-READ-ROWS-QUERY-TEXT", MORE_EVENTS),
    ("partial-after-is-before", "FORMAT-ROWS-NULL FORMAT-ROWS-VALUES-*", MORE_EVENTS),
    ("ignore-is-self", "WL4162-RESET-TO-UNDEFINED WL4162-STREAM-OWN-PARSER WL4162-TT-INITIAL", RESET),
    ("logs-partial-drop-incomplete", "WL7592-LOG-DROPDB-SPLIT", TWO_SIDES),
    ("logs-option-takes-anything", "WL4033-LOG-OPTION-* WL4033-LOG-ROWS-QUERY-PER-STATEMENT", MORE_EVENTS),
    ("logs-first-global-kept", "WL4033-LOG-OPTION-SCOPE WL4033-LOG-ROWS-QUERY-PER-STATEMENT", MORE_EVENTS),
    ("logs-option-never-global", "WL4033-LOG-OPTION-NAME", MORE_EVENTS),
    ("logs-list-sources", "WL40-CREATE-SELECT-SAME-LIST", MORE_EVENTS),
    ("logs-option-case-matters", "WL4033-LOG-O* WL4033-LOG-ROWS-QUERY-*", MORE_EVENTS),
    ("logs-purged-declared-late", "WL7592-LOG-PREVIOUS-GTIDS-KEPT", MORE_EVENTS),
    (
        "logs-purges-to-missing",
        "FORMAT-LOG-ROTATE-NEXT WL3303-LOG-AS-* WL7592-LOG-OFF-NO-RESTRICTIONS",
        WHAT_BELONGS,
    ),
    ("logs-checksum-inside", "FORMAT-LOG-FIELDS", MORE_EVENTS),
    ("logs-delayed-shared", "WL3303-LOG-AS-ROWS WL4033-LOG-*", WHAT_BELONGS),
    ("logs-mixture-as-statement", "WL7592-LOG-OFF-*", WHAT_BELONGS),
    ("logs-partial-drop-one-byte-longer", "FORMAT-LOG-FIELDS", WHAT_BELONGS),
    ("marks-over-flags", "WL7592-LOG-ANON-IGNORABLE WL4033-LOG-FLAG-SET", MORE_EVENTS),
    ("unknown-is-known", "FORMAT-TYPE-KNOWN", MORE_EVENTS),
    ("returns-in-any-space", "FORMAT-BOUNDARY-STATE FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD", MORE_EVENTS),
    ("flagged-rows-ignored", "FORMAT-BOUNDARY-STATE FORMAT-SHIPPED-BOUNDARY-ERROR-TOLD", MORE_EVENTS),
    ("load-query-alone", "FORMAT-BOUNDARY-* WL4162-SELF-QUERY-CONDITIONS", MORE_EVENTS),
    ("logs-temporary-releases-gtid-next", "WL7592-LOG-PREVIOUS-GTIDS-KEPT", WHAT_BELONGS),
    ("client-first-log", "FORMAT-CLIENT-RESUMED", RESUMES),
    ("client-position-signed", "FORMAT-CLIENT-RESUMED", RESUMES),
    ("client-queries-usual", "FORMAT-CLIENT-RESUMED", RESUMES),
    ("marks-by-type-alone", "WL4162-*", MORE_EVENTS),
    ("marks-all-after-gtid", "WL4162-*", MORE_EVENTS),
    (
        "always-usual-queries",
        "WL40-TABLES-INFO-LIST WL40-TABLES-INFO-LEN WL40-TABLES-INFO-NAME-LENGTHS",
        MORE_EVENTS,
    ),
    ("statement-line-twice", "WL4033-RENDER-IGNORABLE-COMMENT", MORE_EVENTS),
    ("logs-commit-at-disconnect", "FORMAT-LOG-STATEMENT", WHAT_BELONGS),
    ("prints-tables-info", "WL4033-GOLDEN-TEXT-TRANSACTION", MORE_EVENTS),
    ("relay-extended-dropped", "WL7592-RELAY-PREVIOUS-GTIDS-OWN", WHAT_BELONGS),
)


def is_must(requirement):
    return requirement not in catalogue() or catalogue()[requirement].level == "must"


def unexplained(mutant, caught):
    """Return the other musts that fail for another cause, and at another event, than the mutant's own requirement."""
    findings = {failures[mutant.requirement].finding for failures in caught}
    others = set()
    for failures in caught:
        own = failures[mutant.requirement]
        for name, other in failures.items():
            is_of_same_event = other.at is not None and (other.log, other.at) == (own.log, own.at)
            if is_must(name) and other.finding not in findings and not is_of_same_event:
                others.add(name)
    return others


def row_of(mutant, other):
    """Return the row that has the reason for a blame, None if there is none."""
    return next(
        (
            row
            for row in ROWS
            if fnmatchcase(mutant.name, row[0]) and any(fnmatchcase(other, each) for each in row[1].split())
        ),
        None,
    )


def other_blames(mutant):
    """Return the unexplained blames of a mutant, each with the row that has the reason, None where there is none."""
    return {other: row_of(mutant, other) for other in sorted(unexplained(mutant, blames(mutant)))}


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_is_blamed_by_its_requirement_and_by_others_for_a_reason(mutant):
    requirement = catalogue()[mutant.requirement]
    require_role(requirement.role)
    own = ", ".join(requirement.families)
    assert blames(mutant), (
        f"{requirement.id} does not catch {mutant.name} ({mutant.text}), looked for in {own} and others"
    )
    assert [other for other, row in other_blames(mutant).items() if row is None] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_is_needed(row):
    named = [each for each in mutants() if fnmatchcase(each.name, row[0])]
    for mutant in named:
        require_role(catalogue()[mutant.requirement].role)
    assert any(row in other_blames(mutant).values() for mutant in named)


@pytest.mark.parametrize("name", late_mutants())
def test_a_late_mutant_is_caught_at_its_places(name):
    mutant = mutant_of(name)
    role = catalogue()[mutant.requirement].role
    require_role(role)
    caught = [bool(failures) for _, failures in catches(mutant, cases_at(late_mutants()[name], role))]
    assert caught == [True] * len(late_mutants()[name]), f"run `python -m tests.mutants.blame {name}`"
