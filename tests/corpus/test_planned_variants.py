"""The variants of a corpus, from the ids of its cases alone."""

from conformance.corpus.plan import Plan
from conformance.corpus.planned_variants import planned_variants

PLAN = Plan((("transactions", "mysql-8.0"), ("transactions", "mysql-5.7"), ("ignorable_events", "mysql-8.0")), seed=3)


def test_the_planned_classes_are_those_of_the_cases():
    variants = planned_variants(PLAN, 90)
    for number in range(90):
        case = PLAN.case(number)
        row = tuple(sorted(case.classes.items()))
        assert row in variants.rows[case.id.family, case.role, case.id.profile]
    assert sum(map(len, variants.rows.values())) <= 90


def test_a_long_corpus_has_every_pair_and_every_triple():
    families = {each.family: each for each in planned_variants(PLAN, 20_000).by_family()}
    assert families["transactions"].possible > 0
    for counted in families.values():
        assert counted.pairs == counted.possible, counted.uncovered
        assert counted.triples == counted.possible_triples, counted.uncovered


def test_a_short_corpus_names_what_it_lacks():
    transactions = next(each for each in planned_variants(PLAN, 4).by_family() if each.family == "transactions")
    assert transactions.pairs < transactions.possible
    assert transactions.uncovered
