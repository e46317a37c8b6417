"""Covering arrays: every pair of classes that can occur together does, and every case has the classes of its row."""

import pytest

from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.covering import Space, sets_of
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, bits, choices, sizes, yes_or_no
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require

SPACES = [
    pytest.param(family, role, id=f"{family.name}-{role}")
    for family in families().values()
    for role in family.focus
    if family.space(role).dimensions
]

KIND = choices("kind", ("plain", "packed", "empty"))
LEVEL = Dimension("level", {"1": 1, "9": 9, "22": 22}, when={"kind": ("packed",)})
SIZE = sizes("size", 251, most=70_000, when={"kind": ("plain", "packed")})
OLD = yes_or_no("written by an old server")
NO_OLD_LEVEL = Impossible({"level": ("22",), "written by an old server": ("yes",)}, "old servers pack up to level 9")
SPACE = Space("example decode", (KIND, LEVEL, SIZE, OLD), (NO_OLD_LEVEL,))


@pytest.fixture
def covertable():
    """What makes the arrays of these spaces: the package keeps those of its own families only."""
    require("dev")


def met(rows, number):
    return {each for row in rows for each in sets_of(row, number)}


def by_hand(space, profile="mysql-8.0"):
    """Return the pairs that occur in the full product, without heavy classes."""
    rows = [{}]
    for each in space.dimensions:
        light = [name for name in each.names(profile) if name not in each.heavy]
        rows = [
            {**row, each.name: name} if space.is_asked(each, row) else row
            for row in rows
            for name in (light if space.is_asked(each, row) else (None,))
        ]
    return met([row for row in rows if space.reason_against(row) is None], 2)


def test_the_possible_pairs_are_those_of_the_full_product():
    assert set(SPACE.possible("mysql-8.0", 2)) == by_hand(SPACE)


@pytest.mark.usefixtures("covertable")
def test_an_array_covers_every_possible_pair_in_fewer_rows_than_the_product():
    rows = SPACE.rows("mysql-8.0")
    assert by_hand(SPACE) <= met(rows, 2)
    assert met(rows, 1) == set(SPACE.possible("mysql-8.0", 1))
    assert len(rows) < 40


@pytest.mark.usefixtures("covertable")
def test_no_row_has_what_is_impossible_or_not_asked():
    for row in SPACE.rows("mysql-8.0"):
        assert SPACE.reason_against(row) is None
        assert set(row) == {each.name for each in SPACE.dimensions if SPACE.is_asked(each, row)}


def test_what_is_impossible_is_named_with_its_reason():
    pair = (("level", "22"), ("written by an old server", "yes"))
    assert list(SPACE.impossible_sets("mysql-8.0", 2)) == [(pair, "old servers pack up to level 9")]


@pytest.mark.usefixtures("covertable")
def test_a_heavy_class_has_one_row_in_which_all_else_is_simple():
    heavy = [row for row in SPACE.rows("mysql-8.0") if row.get("size") == "70000"]
    assert heavy == [{"kind": "plain", "size": "70000", "written by an old server": "no"}]


@pytest.mark.usefixtures("covertable")
def test_a_profile_has_only_its_own_classes():
    code = Dimension("code", {"1": 1, "2": 2}, profiles={"2": Profiles("worklog")})
    space = Space("codes decode", (code, OLD))
    assert met(space.rows("worklog"), 2) == set(space.possible("worklog", 2))
    rows = [space.row("mysql-8.0", index=index, key="key") for index in range(9)]
    assert {row["code"] for row in rows} == {"1"}
    assert len(list(space.possible("mysql-8.0", 2))) == 2


@pytest.mark.parametrize(
    ("dimensions", "impossible", "message"),
    [
        ((OLD, OLD), (), "example has two dimensions 'written by an old server'"),
        ((LEVEL,), (), "the dimension 'level' names the dimension 'kind', which is not declared before"),
        ((KIND, Dimension("x", {"1": 1}, when={"kind": ("odd",)})), (), "names the class 'odd', which 'kind' does not"),
        ((KIND,), (Impossible({"level": ("1",)}, "why"),), "what is impossible names the dimension 'level'"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(dimensions, impossible, message):
    with pytest.raises(ValueError, match=message):
        Space("example", dimensions, impossible)


@pytest.mark.usefixtures("covertable")
def test_rows_after_the_array_are_drawn_from_the_key_alone():
    after = [SPACE.row("mysql-8.0", index=1000 + number, key=f"key {number}") for number in range(3000)]
    assert after == [SPACE.row("mysql-8.0", index=5000 + number, key=f"key {number}") for number in range(3000)]
    assert set(SPACE.possible("mysql-8.0", 3)) <= met(after, 3)
    assert all(SPACE.reason_against(row) is None for row in after)


def test_sizes_have_the_borders_of_an_encoding():
    assert list(sizes("size", 251, 65536, most=100_000).classes.values()) == [
        *(0, 1, 250, 251, 252, 65535, 65536, 65537, 100_000)
    ]


def test_bits_are_alone_in_pairs_and_all():
    assert list(bits("flags", (1, 4, 0x80)).classes.values()) == [0, 1, 4, 0x80, 5, 0x84, 0x81, 0x85]


def test_a_number_belongs_to_the_class_that_holds_it():
    groups = Number("groups", fewest=0, many=(200, 300))
    assert [groups.class_of(each) for each in (0, 1, 3, 4, 200, 300)] == ["0", "1", "3", "3", "many", "many"]
    rows = Number("rows", many=(17, 24), heavy=False, huge=(257, 260))
    assert [rows.class_of(each) for each in (3, 17, 100, 257, 260)] == ["3", "many", "many", "huge", "huge"]
    assert tuple(rows.heavy) == ("huge",)
    with pytest.raises(ValueError, match="has 2 in two classes"):
        Number("groups", many=(2, 9))
    with pytest.raises(ValueError, match="has 9 in two classes"):
        Number("groups", many=(5, 9), huge=(9, 12))


def profiles_that_differ(family, role):
    """Return one profile for each set of classes that profiles have."""
    dimensions = family.space(role).dimensions
    return {tuple(each.names(name) for each in dimensions): name for name in family.profiles_of(role)}.values()


@pytest.mark.parametrize(("family", "role"), SPACES)
def test_an_array_of_a_family_covers_every_pair_that_can_occur(family, role):
    space = family.space(role)
    for profile in {
        tuple(each.names(name) for each in space.dimensions): name for name in family.profiles_of(role)
    }.values():
        rows = space.rows(profile)
        assert set(space.possible(profile, 2)) <= met(rows, 2)
        assert set(space.possible(profile, 1)) <= met(rows, 1)


#: Of an array with more rows, every second one is looked at, or every third, and so on.
MANY = 25


@pytest.mark.parametrize(("family", "role"), SPACES)
def test_a_case_has_the_classes_of_its_row(family, role):
    space = family.space(role)
    for profile in profiles_that_differ(family, role):
        count = len(space.rows(profile))
        for index in range(0, count + 8, 1 + count // MANY):
            case_id = CaseId(family.name, profile, seed=1, index=index, role=role)
            row = space.row(profile, index=index, key=case_id.key)
            assert dict(case_of(case_id).classes) == row, case_id


def test_every_family_declares_how_its_streams_vary():
    assert [name for name, each in families().items() if not each.dimensions] == []
