"""No oracle is blind: each is turned by a single change of an answer, at the events that its requirement governs."""

import random

import pytest

from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import ROLES, catalogue
from conformance.strategies.grammar.case import EVERY_EVENT
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role
from tests.oracles.single_changes import changes_of

REFERENCE = ReferenceImplementation()
#: Cases of each family and profile, and the changes that are made to one, chosen at random.
CASES, CHANGES = 40, 200
#: Oracles that no single change turns -> why, and the mutant that turns it.
MEASURED = "it judges what the process takes, which no answer has in it"
MORE_WORDS = "it judges that words are not there, which a change of what is there does not write"
FORMAT_OF_A_LOG = "every Query event of a log has the format that its format description declares"
ASKED_AGAIN = "the same statement comes again, and that it is decided otherwise there is another fault"
TURNED_BY_MORE = {
    "WL3303-SET-ROW-RESTRICTED": (ASKED_AGAIN, "row-restricted-unknown"),
    "WL3303-SET-STATEMENT-RESTRICTED": (ASKED_AGAIN, "statement-restricted-unknown"),
    "WL3303-ERROR-NOT-EXECUTED": (ASKED_AGAIN, "error-executed"),
    "WL3303-ERROR-NOTHING-LOGGED": (ASKED_AGAIN, "error-logged"),
    "WL3303-WARNING-MEANS-STATEMENT": (ASKED_AGAIN, "warning-with-rows"),
    "FORMAT-LENGTH-MEMORY": (MEASURED, "length-allocated"),
    "FORMAT-COUNT-LIMITS": (MEASURED, "counts-allocated"),
    "FORMAT-TRANSACTION-PAYLOAD-LIMITS": (MEASURED, "payload-unpacked-whole"),
    "FORMAT-MARIADB-COMPRESSED-LIMITS": (MEASURED, "compressed-unpacked-whole"),
    "FORMAT-JSON-LIMITS": (MEASURED, "json-unfolded"),
    "FORMAT-CLIENT-BEGIN": ("the source refuses, so that no event is there", "client-counts-characters"),
    "FORMAT-CLIENT-HEARTBEAT": ("a heartbeat is an entry more, with its own type", "client-heartbeats"),
    "WL40-OPTION-ON-ALL-EXTENDED": (FORMAT_OF_A_LOG, "logs-usual-queries"),
    "WL40-OPTION-OFF-USUAL": (FORMAT_OF_A_LOG, "logs-extended-queries"),
    "WL40-OPTION-GLOBAL-READ-ONLY": (FORMAT_OF_A_LOG, "logs-two-query-formats"),
    "WL7592-LOG-CREATE-NOT-INSIDE": ("the CREATE and the rows are one transaction", "logs-create-inside"),
    "WL7592-RENDER-NO-QUERY-TIMESTAMPS": (MORE_WORDS, "query-with-timestamps"),
    "WL7592-RENDER-NO-COMMIT-WORD": (MORE_WORDS, "commit-word"),
    "FORMAT-RENDER-DECODE-ROWS": (MORE_WORDS, "decode-rows-with-format"),
    "WL7592-LOG-NO-QUERY-TIMESTAMPS": ("the status variables have one more, and their length", "logs-query-timestamps"),
}


def places_of(case, requirement):
    """Return the places of the events that a requirement governs; None for all."""
    places = set(case.marks[requirement])
    return None if EVERY_EVENT in places or case.role == "render" else sorted(places)


def unturned(role, wanted):
    """Return the requirements that no change has turned."""
    judge = Judge(REFERENCE.declaration.roles[role])
    lacking = set(wanted)
    of_role = [each for each in families().values() if role in each.focus]
    for index in range(CASES):
        for family, profile in ((each, profile) for each in of_role for profile in each.profiles_of(role)):
            if not lacking:
                return lacking
            case = case_of(CaseId(family.name, profile, seed=14, index=index, role=role))
            # One after another, as one that governs every event has so many changes that few are at another's.
            for requirement in sorted(lacking & case.marks.keys()):
                answer = REFERENCE.ask(request_of(case))
                changes = list(changes_of(case, answer, places_of(case, requirement)))
                for _, answer_with in random.Random(str(case.id)).sample(changes, min(CHANGES, len(changes))):
                    if requirement not in lacking:
                        break
                    lacking -= {each.requirement for each in judge.judge(case, answer_with()) if each.is_failure}
    return lacking


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_an_oracle_is_turned_by_a_single_change(role):
    require_role(role)
    # The owners of fields are blamed for what no other requirement accounts for: they have a test of their own.
    wanted = {name for name, oracle in oracles().items() if catalogue()[name].role == role and not oracle.owns}
    lacking = unturned(role, wanted - TURNED_BY_MORE.keys())
    assert lacking == set(), "these oracles cannot see what they judge, or no family has streams for them"


@pytest.mark.parametrize("name", TURNED_BY_MORE)
def test_an_oracle_that_needs_more_names_the_mutant_that_turns_it(name):
    _, mutant = TURNED_BY_MORE[name]
    assert mutant_of(mutant).requirement == name
