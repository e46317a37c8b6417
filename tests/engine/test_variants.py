"""Variants: what the cases of a run had of the classes that their families declare."""

from itertools import combinations

from conformance.engine.discovery import discovered
from conformance.engine.variants import MetVariants
from conformance.specs.profiles import group_of

FAMILY, PROFILE = "transactions", "mysql-8.0"


def met(numbers):
    variants = MetVariants()
    for case in discovered(FAMILY, PROFILE, seed=0, numbers=numbers):
        variants.add(case)
    return variants


def of_family(numbers):
    (counted,) = met(numbers).by_family()
    return counted


def test_the_cases_of_a_default_run_have_every_pair_that_can_occur():
    counted = of_family(None)
    assert (counted.family, counted.role) == (FAMILY, "decode")
    assert counted.pairs == counted.possible > 0
    assert counted.uncovered == ()
    assert counted.dimensions["groups"] == 4


def test_what_no_case_had_is_named_with_its_group_of_profiles():
    counted = of_family(range(1))
    assert counted.pairs < counted.possible
    assert all(each.endswith(f"[{group_of(PROFILE)}]") for each in counted.uncovered)
    assert "groups: many" in " ".join(counted.uncovered)


def test_a_requirement_has_the_pairs_of_the_cases_that_exercise_it():
    variants = met(None)
    rows = variants.rows[FAMILY, "decode", PROFILE]
    pairs = {pair for row in rows for pair in combinations(row, 2)}
    assert variants.pairs_of("FORMAT-EVENT-DELIVERED") == len(pairs) >= of_family(None).pairs
    assert variants.pairs_of("WL4033-READ-FLAG-BIT") == 0
