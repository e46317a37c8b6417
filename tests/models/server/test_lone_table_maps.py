"""Statements on tables of both engines that change rows of one kind alone, as real servers log them."""

import pytest
from model_logs import events_of, run, statement

from conformance.binlog.event_types import type_name

BEGIN, COMMIT, ROLLBACK = (statement(each) for each in ("begin", "commit", "rollback"))
#: Two tables with a row that an UPDATE changes, and two with NULL, which it leaves as it is; and how logs name them.
KEPT, PLAIN, KEPT_NULL, PLAIN_NULL = "d.kept", "d.plain", "d.kept_null", "d.plain_null"


def insert(table, value):
    if value is None:
        return statement("insert", table=table, values=[], computed="variable")
    return statement("insert", table=table, values=[value])


TABLES = (
    *(statement("create_table", table=each) for each in (KEPT, KEPT_NULL)),
    *(statement("create_table", table=each, engine="myisam") for each in (PLAIN, PLAIN_NULL)),
    *(insert(each, 1) for each in (KEPT, PLAIN)),
    *(insert(each, None) for each in (KEPT_NULL, PLAIN_NULL)),
)


def update(first, second):
    return statement("update_tables", first=first, second=second)


def word(event):
    """Return how the rows below write an event: a table's name is its Table_map."""
    short = {"ROWS_QUERY": "TEXT", "MARIADB_ANNOTATE_ROWS": "TEXT", "ANONYMOUS_GTID": "", "MARIADB_GTID": "/"}
    name = type_name(event["type"])
    if name.startswith(("UPDATE_ROWS", "WRITE_ROWS")):
        return "rows"
    return event.get("query") or event.get("table") or short.get(name, name)


def logged_for(*statements, profile):
    """Return what is logged after the tables and their rows, in words."""
    settings = {"profile": profile, "binlog_rows_query_log_events": True}
    before = len(events_of(run(*TABLES, **settings)))
    return " ".join(filter(None, map(word, events_of(run(*TABLES, *statements, **settings), skip=before))))


MYSQL = ("mysql-5.7.22", "mysql-8.0.15", "mysql-9.7.4")
#: As MySQL 5.7.22 and 9.7.4 logged them; 5.5.9, 5.6.24 and 8.0.15 do the same.
OF_MYSQL = [
    ((update(KEPT, PLAIN_NULL),), "BEGIN plain_null COMMIT BEGIN TEXT kept rows XID"),
    ((update(PLAIN_NULL, KEPT),), "BEGIN TEXT plain_null COMMIT BEGIN kept rows XID"),
    ((update(KEPT_NULL, PLAIN),), "BEGIN plain rows COMMIT BEGIN TEXT kept_null COMMIT"),
    ((update(PLAIN, KEPT_NULL),), "BEGIN TEXT plain rows COMMIT BEGIN kept_null COMMIT"),
    ((update(KEPT_NULL, PLAIN_NULL),), ""),
    ((BEGIN, update(KEPT, PLAIN_NULL), COMMIT), "BEGIN plain_null COMMIT BEGIN TEXT kept rows XID"),
    ((BEGIN, update(KEPT_NULL, PLAIN), COMMIT), "BEGIN plain rows COMMIT BEGIN TEXT kept_null COMMIT"),
    (
        (BEGIN, insert(KEPT, 5), update(KEPT_NULL, PLAIN), COMMIT),
        "BEGIN plain rows COMMIT BEGIN TEXT kept rows TEXT kept_null XID",
    ),
    (
        (BEGIN, update(KEPT_NULL, PLAIN), insert(KEPT, 5), COMMIT),
        "BEGIN plain rows COMMIT BEGIN TEXT kept_null TEXT kept rows XID",
    ),
    ((BEGIN, insert(KEPT, 5), update(KEPT_NULL, PLAIN), ROLLBACK), "BEGIN plain rows COMMIT"),
]
#: As MariaDB 10.1.23 logged them.
OF_MARIADB_10_1 = [
    ((update(KEPT, PLAIN_NULL),), "/ plain_null TEXT kept rows XID"),
    ((update(PLAIN_NULL, KEPT),), "/ TEXT plain_null kept rows XID"),
    ((update(KEPT_NULL, PLAIN),), "/ plain rows COMMIT / TEXT kept_null COMMIT"),
    ((update(PLAIN, KEPT_NULL),), "/ TEXT plain rows COMMIT / kept_null COMMIT"),
    ((update(KEPT, PLAIN),), "/ plain rows TEXT kept rows XID"),
    ((update(KEPT_NULL, PLAIN_NULL),), ""),
    ((BEGIN, update(PLAIN_NULL, KEPT), COMMIT), "/ TEXT plain_null COMMIT / kept rows XID"),
    ((BEGIN, update(KEPT_NULL, PLAIN), COMMIT), "/ plain rows COMMIT / TEXT kept_null COMMIT"),
    (
        (BEGIN, insert(KEPT, 5), update(KEPT_NULL, PLAIN), COMMIT),
        "/ plain rows COMMIT / TEXT kept rows TEXT kept_null XID",
    ),
]
#: As MariaDB 10.11.18 and 11.8.9 logged them: a text goes with rows that are not there, and is lost.
OF_MARIADB_10_11 = [
    ((update(KEPT, PLAIN_NULL),), "/ kept rows XID"),
    ((update(KEPT_NULL, PLAIN),), "/ TEXT plain rows COMMIT"),
    ((BEGIN, update(KEPT_NULL, PLAIN), COMMIT), "/ TEXT plain rows COMMIT"),
    (
        (BEGIN, insert(KEPT, 5), update(KEPT_NULL, PLAIN), COMMIT),
        "/ TEXT plain rows COMMIT / TEXT kept rows kept_null XID",
    ),
    ((BEGIN, insert(KEPT, 5), update(KEPT, PLAIN_NULL), COMMIT), "/ TEXT kept rows kept rows XID"),
    ((BEGIN, update(KEPT_NULL, PLAIN), insert(KEPT, 5), COMMIT), "/ TEXT plain rows COMMIT / TEXT kept rows XID"),
]
#: As MariaDB 11.4.5 logged them.
OF_MARIADB_11_4 = [
    ((update(KEPT, PLAIN_NULL),), "/ TEXT kept rows XID"),
    ((update(PLAIN_NULL, KEPT),), "/ kept rows XID"),
    ((update(KEPT_NULL, PLAIN),), "/ plain rows COMMIT"),
    (
        (BEGIN, insert(KEPT, 5), update(KEPT_NULL, PLAIN), COMMIT),
        "/ plain rows COMMIT / TEXT kept rows TEXT kept_null XID",
    ),
    (
        (BEGIN, insert(KEPT, 5), update(PLAIN, KEPT_NULL), COMMIT),
        "/ TEXT plain rows COMMIT / TEXT kept rows kept_null XID",
    ),
]
SEEN = {
    **dict.fromkeys(MYSQL, OF_MYSQL),
    "mariadb-10.1.23": OF_MARIADB_10_1,
    "mariadb-10.11.18": OF_MARIADB_10_11,
    "mariadb-11.4.5": OF_MARIADB_11_4,
    "mariadb-11.8.9": OF_MARIADB_10_11,
}


@pytest.mark.parametrize("profile", SEEN)
def test_the_tables_of_the_other_kind_are_mapped_without_rows(profile):
    assert [logged_for(*each, profile=profile) for each, _ in SEEN[profile]] == [each for _, each in SEEN[profile]]


@pytest.mark.parametrize("profile", ["mysql-5.5.9", "mysql-5.7.22", "mysql-9.7.4", "mariadb-11.8.9"])
def test_an_engine_ends_a_statement_if_it_changed_rows_of_it(profile):
    settings = {"profile": profile, "binlog_format": "STATEMENT"}
    ends = [
        word(events_of(run(*TABLES, update(*each), **settings))[-1])
        for each in ((KEPT, PLAIN_NULL), (KEPT_NULL, PLAIN), (PLAIN_NULL, KEPT), (PLAIN, KEPT_NULL))
    ]
    assert ends == ["XID", "COMMIT", "XID", "COMMIT"]
