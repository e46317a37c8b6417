"""Every oracle can fail: each has a mutant that it catches."""

from collections import Counter

import pytest

from conformance.engine.discovery import cases_by_default
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of, mutants, mutants_of_kit
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

#: The fewest cases for each family and profile that exercises a mutant's requirement, if a run has no more by default;
#: what is in no dimension needs some dozens.
ENOUGH = 60


def caught(mutant):
    """Return a case in which the requirement's oracle catches the mutant, and all requirements that fail there."""
    implementation = MutantImplementation(mutant)
    role = catalogue()[mutant.requirement].role
    judge = Judge(implementation.declaration.roles[role])
    families_of_role = [family for family in families().values() if role in family.focus]
    places = [(family, profile) for family in families_of_role for profile in family.profiles_of(role)]
    counts = {each: max(ENOUGH, cases_by_default(each[0].name, each[1], role=role)) for each in places}
    for index in range(max(counts.values())):
        for family, profile in places:
            if index < counts[family, profile]:
                case = case_of(CaseId(family.name, profile, seed=3, index=index, role=role))
                if mutant.requirement not in case.marks:
                    continue
                answer = implementation.ask(request_of(case))
                failed = {each.requirement for each in judge.judge(case, answer) if each.status == "fail"}
                if mutant.requirement in failed:
                    return case, failed
    return None, set()


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught_by_its_requirement(mutant):
    requirement = catalogue()[mutant.requirement]
    require_role(requirement.role)
    assert requirement.id in oracles(), f"{requirement.id} has no oracle: {oracle_to_write(requirement)}"
    case, _ = caught(mutant)
    looked_at = f"looked for in cases marked with it, of the families {', '.join(requirement.families)}"
    assert case is not None, f"{requirement.id} does not catch {mutant.name} ({mutant.text}), {looked_at}"


def test_every_requirement_that_can_be_tested_has_an_oracle():
    lacking = [each for each in catalogue().values() if each.untestable is None and each.id not in oracles()]
    assert lacking == [], [f"{each.id} has no oracle: {oracle_to_write(each)}" for each in lacking]


def oracle_to_write(requirement):
    return f"write its row in conformance/oracles/{requirement.role}.py, or why none can be in `untestable`"


def test_every_oracle_has_a_mutant():
    broken = {mutant.requirement for mutant in mutants()}
    lacking = sorted(set(oracles()) - broken)
    assert lacking == [], f"write mutants in conformance/mutants that break {', '.join(lacking)}"
    assert broken <= set(oracles())


def test_the_names_of_mutants_are_distinct():
    names = Counter(mutant.name for mutant in mutants_of_kit())
    assert [name for name, count in names.items() if count > 1] == []


def test_an_unknown_mutant_is_refused_by_name():
    with pytest.raises(ValueError, match="no mutant 'nonsense'"):
        mutant_of("nonsense")


@pytest.mark.parametrize("name", ["logs-extended-queries", "logs-option-can-be-set", "logs-two-query-formats"])
def test_a_statement_too_long_for_the_extended_format_is_logged_in_the_usual_one(name):
    longest = case_of(CaseId("logged_texts", "worklog", seed=0, index=8, role="log"))
    answer = MutantImplementation(mutant_of(name)).ask(request_of(longest))
    assert max(len(each.get("query", "")) for each in answer.events) > 65_535
