"""Profiles: products with ranges of versions, and single releases of them."""

import re

import pytest

from conformance.specs.profiles import PRODUCTS, PROFILES, Profile, in_order, newest, profile_named


def test_the_name_of_a_series_means_its_newest_release():
    assert profile_named("mysql-8.0").last == (8, 0, 43)
    assert profile_named("mariadb-10.x").last == (10, 11, 18)


def test_a_release_is_a_profile_of_its_own():
    release = profile_named("mysql-8.0.15")
    assert (release.name, release.product, release.first, release.last) == (
        "mysql-8.0.15", "mysql", (8, 0, 15), (8, 0, 15),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mysql-4.1", "no profile 'mysql-4.1'; the profiles are worklog, mysql-5.1, mysql-5.5"),
        ("percona-8.0", "no profile 'percona-8.0'; the profiles are worklog"),
        ("worklog-5.7.6", "no profile 'worklog-5.7.6'; the profiles are worklog"),
        ("", "no profile ''; the profiles are worklog"),
        ("mysql-08.0.15", "and single releases such as mysql-8.0.15"),
        ("mysql-8.0.99", "no profile 'mysql-8.0.99'; the releases of mysql are 5.1.30 to 5.1.73, 5.5.0 to 5.5.62"),
        ("mysql-8.2.0", "8.0.0 to 8.0.43, 8.3.0 to 8.4.6"),
        ("mariadb-9.0.0", "the releases of mariadb are 10.0.0 to 10.11.18, 11.0.0 to 11.8.9"),
    ],
)
def test_an_unknown_name_is_refused_with_what_there_is(name, message):
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        profile_named(name)
    assert "\n" not in str(refused.value)


def test_profiles_come_product_by_product_from_the_oldest_to_the_newest():
    assert list(PROFILES.values()) == sorted(PROFILES.values(), key=lambda each: each.order)
    for product in PRODUCTS:
        assert newest(product).last == max(each.last for each in PROFILES.values() if each.product == product)


def test_a_profile_ends_before_the_next_one_begins():
    older = Profile.of("mysql-9.x", "9.0.0", "9.8.1")
    with pytest.raises(
        ValueError, match=r"mysql-9\.x \(9\.0\.0 to 9\.8\.1\) does not end before mysql-9\.8 \(9\.8\.0\)"
    ):
        in_order([older, Profile.of("mysql-9.8", "9.8.0", "9.8.0")])


def test_a_newer_profile_does_not_come_before_an_older_one():
    message = "mysql-9.x (9.0.0 to 9.7.4) comes after mysql-9.8 (9.8.0): write the profiles of mysql from the oldest"
    with pytest.raises(ValueError, match=re.escape(message)):
        in_order([Profile.of("mysql-9.8", "9.8.0", "9.8.0"), Profile.of("mysql-9.x", "9.0.0", "9.7.4")])
