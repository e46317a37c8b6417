"""Discovery: the same seed always gives the same cases, and those of the covering array come first."""

from conformance.engine.discovery import FEWEST, cases_by_default, discovered


def streams(**options):
    return [case.stream for case in discovered("transactions", "mysql-8.0", **options)]


def test_the_same_seed_gives_the_same_cases():
    assert streams(seed=0) == streams(seed=0)
    assert streams(seed=0) != streams(seed=1)


def test_a_run_makes_the_cases_of_the_covering_array_unless_a_number_is_given():
    assert len(streams(seed=0)) == cases_by_default("transactions", "mysql-8.0") >= FEWEST
    assert len(streams(seed=0, count=3)) == 3


def test_a_later_round_goes_on_where_the_one_before_ended():
    assert streams(seed=0, count=4)[2:] == streams(seed=0, first=2, count=2)


def test_a_case_is_made_again_from_its_id():
    assert [str(case.id) for case in discovered("transactions", "mysql-8.0", seed=7, count=2)] == [
        "transactions/mysql-8.0/7/0",
        "transactions/mysql-8.0/7/1",
    ]
