"""Tables info has the form of WL#40, section 4."""

import pytest

from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_name import TableName, as_bytes, as_text, named_by, tuples_of
from conformance.models.filtering.tables_info import (
    Logged,
    LoggingFormat,
    create_select_ends,
    create_table,
    rename_table,
    tables_info_of,
)

ROW, STATEMENT = LoggingFormat.ROW, LoggingFormat.STATEMENT


def t(name, database="test"):
    return TableName(database, name)


def names(tables):
    return [each.name for each in tables]


PLAIN = CreateTable(t("t"))
LIKE = CreateTable(t("t"), like=t("t1"))
SELECT = CreateTable(t("t"), sources=(t("t1"), t("t2")), selects=True)


@pytest.mark.parametrize("temporary", [False, True])
@pytest.mark.parametrize("if_not_exists", [False, True])
@pytest.mark.parametrize(
    ("create", "expected"), [(PLAIN, ["t"]), (LIKE, ["t", "t1"]), (SELECT, ["t", "t1", "t2"])]
)  # fmt: skip
def test_in_statement_format_all_tables_are_listed(create, expected, temporary, if_not_exists):
    create = CreateTable(create.table, create.like, create.sources, create.selects, temporary, if_not_exists)
    formed = create_table(create, STATEMENT)
    assert (formed.logged, names(formed.tables)) == (Logged.AS_GIVEN, expected)


@pytest.mark.parametrize(
    ("create", "temporary", "logged", "expected"),
    [
        (PLAIN, set(), Logged.AS_GIVEN, ["t"]),
        (LIKE, set(), Logged.AS_GIVEN, ["t", "t1"]),
        (LIKE, {t("t1")}, Logged.AS_DEFINITION, ["t"]),
        (LIKE, {t("t1", "other")}, Logged.AS_GIVEN, ["t", "t1"]),
        (SELECT, set(), Logged.AS_DEFINITION, ["t"]),
        (SELECT, {t("t1")}, Logged.AS_DEFINITION, ["t"]),
    ],
)
def test_in_row_format_tables_info_depends_on_the_logged_form(create, temporary, logged, expected):
    formed = create_table(create, ROW, temporary)
    assert (formed.logged, names(formed.tables)) == (logged, expected)


@pytest.mark.parametrize("create", [PLAIN, LIKE, SELECT])
@pytest.mark.parametrize("others", [set(), {t("t1")}])
def test_in_row_format_a_temporary_table_is_not_logged(create, others):
    create = CreateTable(create.table, create.like, create.sources, create.selects, temporary=True)
    formed = create_table(create, ROW, others)
    assert (formed.logged, formed.tables) == (Logged.NOT_LOGGED, ())


def test_begin_and_commit_of_a_create_select_list_the_new_table():
    assert names(create_select_ends(SELECT)) == ["t"]


def test_a_source_that_is_named_twice_is_listed_once():
    create = CreateTable(t("t"), sources=(t("t1"), t("t1")), selects=True)
    assert names(create_table(create, STATEMENT).tables) == ["t", "t1"]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ("t1>s1", "t1"),
        ("t1>s1 t2>s2", "t1 t2"),
        ("t1>tmp t2>t1 tmp>t2", "t1 t2"),  # the worklog's swap
        ("a>b b>c", "a"),  # a chain
        ("b>c a>b", "b a"),  # a name is used before it becomes a target
        ("a>x b>a c>b x>c", "a b c"),  # a cycle
        ("a>b b>a", "a"),
        ("a>b c>a b>c", "a c"),
    ],
)
def test_tables_info_of_a_rename_omits_names_that_an_earlier_pair_made(pairs, expected):
    split = [tuple(map(t, pair.split(">"))) for pair in pairs.split()]
    assert names(rename_table(split)) == expected.split()


def test_renamed_names_are_compared_with_their_databases():
    pairs = [(t("a"), t("b", "other")), (t("b"), t("c"))]
    assert rename_table(pairs) == (t("a"), t("b"))


def test_other_statements_list_the_tables_they_name():
    formed = tables_info_of(FilteredStatement((t("a"), t("b", "other"), TableName("other", ""))), ROW)
    assert formed.tables == (t("a"), t("b", "other"))
    assert tables_info_of(FilteredStatement((t("t"),), create=PLAIN), ROW).tables == (t("t"),)
    pairs = ((t("a"), t("b")),)
    assert tables_info_of(FilteredStatement((t("a"),), renames=pairs), STATEMENT).tables == (t("a"),)


def test_the_default_database_is_written_as_an_empty_name():
    tuples = tuples_of((t("a"), t("b", "other")), "test")
    assert tuples == ({"database": b"", "table": b"a"}, {"database": b"other", "table": b"b"})
    assert named_by(tuples, "test") == (t("a"), t("b", "other"))
    assert named_by(tuples, "elsewhere")[0] == t("a", "elsewhere")


@pytest.mark.parametrize("data", [b"plain", "日本".encode(), b"\xff\xfe", b""])
def test_names_keep_their_bytes(data):
    assert as_bytes(as_text(data)) == data


@pytest.mark.parametrize(
    ("text", "database", "name"),
    [("d.t", "d", "t"), ("`d.x`.`t``y`", "d.x", "t`y"), ("d.`a.b`", "d", "a.b"), ("日.本", "日", "本")],
)
def test_a_name_is_parsed(text, database, name):
    assert TableName.parse(text) == TableName(database, name)


@pytest.mark.parametrize("text", ["t", "", ".", "d.", ".t", "a.b.c", "`d.t", "d.``"])
def test_a_text_that_does_not_name_a_table_is_refused(text):
    with pytest.raises(ValueError, match="is not a valid table: write"):
        TableName.parse(text)
