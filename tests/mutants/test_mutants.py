"""Every requirement that can be tested has an oracle, and every oracle a mutant; test_blame has who catches it."""

from collections import Counter

import pytest

from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of, mutants, mutants_of_kit
from conformance.oracles.judge import request_of
from conformance.oracles.registry import oracles
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of


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
