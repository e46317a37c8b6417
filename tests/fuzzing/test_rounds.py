"""Rounds of fuzzing: the pairs that no case had yet come first, Hypothesis afterwards."""

import math

import pytest

from conformance.engine.variants import MetVariants
from conformance.fuzzing.rounds import Stop, discover_in_rounds
from conformance.strategies.grammar.family import families

PLAN = [("decode", "transactions", "mysql-8.0"), ("decode", "rotations", "mysql-8.0")]


def cases(count):
    seen = []

    def visit(case):
        seen.append(case)
        if len(seen) == count:
            raise Stop

    with pytest.raises(Stop):
        discover_in_rounds(PLAN, seed_value=0, visit=visit)
    return seen


def test_every_pair_of_variants_comes_before_anything_is_drawn():
    # Ten cases of a family in a round, until its rows are met.
    rounds = [math.ceil(len(families()[family].space(role).rows(profile)) / 10) for role, family, profile in PLAN]
    variants = MetVariants()
    for case in cases(10 * sum(rounds)):
        assert case.id.seed == 0
        variants.add(case)
    assert all(each.pairs == each.possible for each in variants.by_family())


def test_hypothesis_takes_its_turn_afterwards():
    assert any(case.id.choices is not None for case in cases(200))
