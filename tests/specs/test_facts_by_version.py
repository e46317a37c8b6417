"""Ranges of versions, sets of servers, and facts by version."""

import pickle
import re

import pytest

from conformance.binlog.servers import server_of
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.replica.compatibility import REPLICA_RULES, Anonymous
from conformance.models.replica.relay_rules import RELAY_RULES
from conformance.models.server.logging_rules import RULES
from conformance.specs.catalogue import catalogue
from conformance.specs.profiles import PROFILES
from conformance.specs.versions import EVERY_PROFILE, ByVersion, Profiles, VersionRange
from conformance.strategies.grammar.family import families


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("worklog", ["worklog"], ["mysql-5.7"]),
        ("mysql", ["mysql-5.1", "mysql-8.0.15"], ["worklog", "mariadb-10.x"]),
        ("mysql >= 5.6", ["mysql-5.6", "mysql-9.x", "mysql-5.6.24"], ["mysql-5.5", "mariadb-10.x"]),
        ("mysql < 8.0", ["mysql-5.7", "mysql-5.7.22"], ["mysql-8.0", "mysql-8.0.0"]),
        ("mysql >= 8.0.21, < 8.0.30", ["mysql-8.0.21", "mysql-8.0.29"], ["mysql-8.0.20", "mysql-8.0.30", "mysql-8.0"]),
        ("mariadb >= 11.0", ["mariadb-11.x", "mariadb-11.4.5"], ["mariadb-10.x", "mysql-9.x"]),
    ],
)
def test_a_range_has_the_profiles_that_stand_for_a_version_in_it(text, inside, outside):
    servers = Profiles(text)
    assert [each for each in (*inside, *outside) if each in servers] == inside
    assert str(VersionRange.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mysql > 5.6", "'mysql > 5.6' is not a valid range of versions: write mysql, or mysql >= 5.6, < 8.0"),
        ("mysql >= 5.6 < 8.0", "is not a valid range of versions"),
        ("mysql, < 8.0", "is not a valid range of versions"),
        ("mysql >=5.6", "is not a valid range of versions"),
        ("mysql-5.6", "is not a valid range of versions"),
        ("mysql >= 5", "'5' is not a valid version: write 8.0 or 8.0.15"),
        ("percona >= 8.0", "'percona >= 8.0' has no product of the kit: write one of worklog, mysql, mariadb"),
        ("mysql >= 99.0", "'mysql >= 99.0' has no version of a profile: there are mysql-5.1 (5.1.30 to 5.1.73), "),
        ("mysql >= 8.0, < 5.7", "has no version of a profile"),
    ],
)
def test_a_bad_range_is_refused_in_one_line(text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        Profiles(text)
    assert "\n" not in str(refused.value)


def test_a_set_of_servers_yields_the_names_of_profiles_in_their_order():
    assert list(EVERY_PROFILE) == list(PROFILES)
    assert list(Profiles("mariadb < 11.0", "mysql >= 5.7, < 8.0", "worklog")) == [
        "worklog",
        "mysql-5.7",
        "mariadb-10.x",
    ]


def test_sets_of_servers_are_cut_and_joined():
    both = Profiles("worklog", "mysql >= 5.6") & Profiles("mysql < 8.0", "mariadb")
    assert both == Profiles("mysql >= 5.6, < 8.0")
    assert list(both | Profiles("worklog")) == ["worklog", "mysql-5.6", "mysql-5.7"]
    assert list(Profiles("mysql") & Profiles("mariadb")) == []


def test_who_claims_a_profile_claims_its_versions():
    claimed = Profiles.claimed("mysql-8.0", "mysql-5.6.24", "mariadb >= 11.0")
    assert list(claimed) == ["mysql-5.6.24", "mysql-8.0", "mariadb-11.x"]
    assert all(each in claimed for each in ("mysql-8.0.15", "mysql-8.0.0", "mariadb-11.4.5"))
    assert not any(each in claimed for each in ("mysql-5.6", "mysql-5.6.25", "mysql-8.4", "mariadb-10.x"))
    assert pickle.loads(pickle.dumps(claimed)) == claimed != Profiles.claimed("mysql-8.0")


# Facts by version

ROWS = {"worklog": "letter", "mysql": "old", "mysql >= 5.6": "first", "mysql >= 8.0.21": "atomic", "mariadb": None}


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("worklog", "letter"),
        ("mysql-5.1", "old"),
        ("mysql-5.5.62", "old"),
        ("mysql-5.6", "first"),
        ("mysql-5.7", "first"),
        ("mysql-8.0.15", "first"),
        ("mysql-8.0.21", "atomic"),
        ("mysql-8.0", "atomic"),
        ("mysql-9.x", "atomic"),
        ("mariadb-10.1.23", None),
    ],
)
def test_a_version_without_a_row_takes_that_of_the_version_before(name, fact):
    assert ByVersion("examples", ROWS)[name] == fact


def test_a_new_row_changes_the_versions_from_it_on_and_no_other():
    before = ByVersion("examples", ROWS)
    after = ByVersion("examples", {**ROWS, "mariadb >= 10.11": "sorted"})
    changed = [each for each in (*PROFILES, "mariadb-10.1.23", "mariadb-10.11.2") if before[each] != after[each]]
    assert changed == ["mariadb-10.x", "mariadb-11.x", "mariadb-10.11.2"]


def test_the_servers_with_a_fact_are_a_set_of_versions():
    with_fact = ByVersion("examples", {**ROWS, "mysql >= 8.4": None}).where(lambda fact: fact in ("first", "atomic"))
    assert list(with_fact) == ["mysql-5.6", "mysql-5.7", "mysql-8.0"]
    assert "mysql-5.6.24" in with_fact


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"worklog": 1, "mysql": 2}, "the table of examples has no row 'mariadb': write what the oldest versions do"),
        ({"worklog": 1, "mysql >= 5.6": 2, "mariadb": 3}, "the table of examples has no row 'mysql'"),
        (
            {**ROWS, "mysql >= 5.7": 3},
            "the row 'mysql >= 5.7' of the table of examples is not newer than the one before",
        ),
        ({"mysql < 5.6": 1}, "the row 'mysql < 5.6' of the table of examples has an end: begin another row there"),
        ({**ROWS, "mysql >= 99.0": 3}, "'mysql >= 99.0' has no version of a profile"),
        ({**ROWS, "mysql-8.4": 3}, "'mysql-8.4' is not a valid range of versions"),
    ],
)
def test_a_table_with_a_gap_is_refused(rows, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ByVersion("examples", rows)


# What the kit knows of single releases

TABLES = {
    "what servers write": lambda name: (
        server_of(name).post_header_lengths, server_of(name).gtid_form, server_of(name).rules
    ),
    "how they log": RULES.__getitem__,
    "what replicas do": REPLICA_RULES.__getitem__,
    "what relay logs have": RELAY_RULES.__getitem__,
    "how boundaries are parsed": SHIPPED_VERSIONS.__getitem__,
    "how logs are printed": PRINTER_VERSIONS.__getitem__,
    "requirements": lambda name: [name in each.holds for each in catalogue().values()],
    "families": lambda name: [name in each.profiles for each in families().values()],
}  # fmt: skip
PAIRS = [
    (older.name, newer.name)
    for older, newer in zip(PROFILES.values(), list(PROFILES.values())[1:], strict=False)
    if older.product == newer.product
]


@pytest.mark.parametrize(("older", "newer"), PAIRS)
def test_a_profile_differs_from_the_one_before_it(older, newer):
    assert [about for about, fact in TABLES.items() if fact(older) != fact(newer)], (
        f"{newer} does nothing that {older} does not: write what it does in a row that begins with its first version "
        f"(conformance/binlog/servers.py, the tables of the models), or let {older} go on to its last release"
    )


def test_releases_of_one_profile_differ():
    assert server_of("mysql-8.0.15").version == "8.0.15"
    assert server_of("mysql-8.0.15").event_types == 39
    assert server_of("mysql-8.0").event_types == 41
    assert (RULES["mysql-8.0.15"].create_select, RULES["mysql-8.0.21"].create_select) == ("two", "atomic")
    assert SHIPPED_VERSIONS["mysql-8.0.15"] == "8.0.15"
    assert REPLICA_RULES["mysql-5.6.21"].anonymous is Anonymous.STOPS
    assert REPLICA_RULES["mysql-5.6.24"].anonymous is Anonymous.IGNORED
    assert "transaction_payloads" in [name for name, each in families().items() if "mysql-8.0.20" in each.profiles]
    assert "transaction_payloads" not in [name for name, each in families().items() if "mysql-8.0.15" in each.profiles]
