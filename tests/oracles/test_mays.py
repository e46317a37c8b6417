"""What an implementation may do: one that does not do it breaks no requirement of level must."""

from dataclasses import replace

import pytest

from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of, mutants
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
#: Cases of each family and profile.
CASES = 12
MAYS = {each.id for each in catalogue().values() if each.level == "may" and each.id in oracles()}
#: Mutant -> the requirement that it does not do, as an implementation may that takes the other reading.
WITHOUT = {
    "never-clever": "WL40-FILTER-CLEVER-CREATE",
    "never-follows": "WL40-FILTER-RENAME-FOLLOWS",
    "rule-moves-away": "WL40-FILTER-RENAME-ROUND-TRIP",
    "no-rename-list": "WL40-FILTER-RENAME-LIST",
}
#: Requirement -> the field that an implementation without it does not declare. One that declares the field and is wrong
#: breaks the rules about its value, as the mutant of the requirement does.
UNDECLARED = {"WL4162-STREAM-MIDDLE-KNOWN": "within_transaction"}


def cases(role, holds):
    for name, family in families().items():
        for profile in family.profiles_of(role) if role in family.focus else ():
            if profile in holds:
                yield from (case_of(CaseId(name, profile, seed=4, index=index, role=role)) for index in range(CASES))


def failed(judge, case, answer):
    return {verdict.requirement for verdict in judge.judge(case, answer) if verdict.is_failure}


@pytest.mark.parametrize("name", WITHOUT)
def test_a_filter_that_takes_the_other_reading_breaks_only_what_it_may_leave(name):
    requirement = catalogue()[WITHOUT[name]]
    require_role(requirement.role)
    implementation = MutantImplementation(mutant_of(name))
    judge = Judge(implementation.declaration.roles[requirement.role])
    broken = set()
    for case in cases(requirement.role, requirement.holds):
        broken |= failed(judge, case, implementation.ask(request_of(case)))
        assert broken <= {requirement.id}, str(case.id)
    assert broken == {requirement.id}


@pytest.mark.parametrize("name", UNDECLARED)
def test_an_implementation_that_does_not_declare_it_breaks_nothing(name):
    requirement, field = catalogue()[name], UNDECLARED[name]
    declared = REFERENCE.declaration.roles[requirement.role]
    judge = Judge(replace(declared, fields=declared.fields - {field}))
    assert not judge.supports(name)
    for case in cases(requirement.role, requirement.holds):
        answer = REFERENCE.ask(request_of(case))
        events = tuple({each: entry[each] for each in entry if each != field} for entry in answer.events)
        assert failed(judge, case, replace(answer, events=events)) == set(), str(case.id)


def test_everything_that_may_be_left_is_left_here():
    assert {*WITHOUT.values(), *UNDECLARED} == MAYS
    assert {each.requirement for each in mutants()} >= MAYS
