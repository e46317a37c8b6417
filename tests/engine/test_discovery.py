"""Discovery: the same seed always gives the same cases, and those of the covering array come first."""

from conformance.engine.discovery import FEWEST, cases_by_default, discovered, numbers_by_default
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.covering import sets_of
from conformance.strategies.grammar.family import families


def streams(**options):
    return [case.stream for case in discovered("transactions", "mysql-8.0", **options)]


def test_the_same_seed_gives_the_same_cases():
    assert streams(seed=0) == streams(seed=0)
    assert streams(seed=0) != streams(seed=1)


def test_a_run_makes_the_cases_of_the_covering_array_unless_a_number_is_given():
    assert len(streams(seed=0)) == cases_by_default("transactions", "mysql-8.0") >= FEWEST
    assert len(streams(seed=0, numbers=range(3))) == 3


def test_a_later_round_goes_on_where_the_one_before_ended():
    assert streams(seed=0, numbers=range(4))[2:] == streams(seed=0, numbers=range(2, 4))


def test_a_case_is_made_again_from_its_id():
    assert [str(case.id) for case in discovered("transactions", "mysql-8.0", seed=7, numbers=range(2))] == [
        "transactions/mysql-8.0/7/0",
        "transactions/mysql-8.0/7/1",
    ]


def sets(rows, number):
    return {each for row in rows for each in sets_of(row, number)}


def test_profiles_of_a_group_share_the_rows_of_a_family():
    """Each has every class that it has alone, together they have every pair."""
    space = families()["rows_query_streams"].space("decode")
    numbers = numbers_by_default("rows_query_streams", ("mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4"))
    shared = {profile: [space.rows(profile)[number] for number in of_it] for profile, of_it in numbers.items()}
    for profile, rows in shared.items():
        assert sets(rows, 1) == sets(space.rows(profile), 1)
    alone = [row for profile in shared for row in space.rows(profile)]
    assert sets([row for rows in shared.values() for row in rows], 2) == sets(alone, 2)
    assert sum(map(len, shared.values())) < len(alone)


def test_each_group_of_profiles_has_every_pair():
    alone = numbers_by_default("rows_query_streams", ("mysql-9.x",))
    assert numbers_by_default("rows_query_streams", tuple(PROFILES)[3:])["mysql-9.x"] == alone["mysql-9.x"]


def test_a_group_has_a_fewest_number_of_cases():
    numbers = numbers_by_default("transactions", ("mysql-5.1", "mysql-5.5"))
    assert sum(map(len, numbers.values())) >= FEWEST
    assert all(len(each) >= FEWEST // 2 for each in numbers.values())
    assert all(list(each) == sorted(set(each)) for each in numbers.values())


def test_a_family_of_few_cases_has_them_under_each_profile():
    profiles = tuple(families()["json_bombs"].profiles_of("decode").names)
    numbers = numbers_by_default("json_bombs", profiles)
    assert {profile: len(each) for profile, each in numbers.items()} == {
        profile: len(families()["json_bombs"].space("decode").rows(profile)) for profile in profiles
    }
