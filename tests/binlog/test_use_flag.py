"""Which Query events have the flag that no default database is needed, as recorded logs have it."""

import pytest

from conformance.binlog.flags import Flag
from conformance.binlog.servers import use_flag


@pytest.mark.parametrize(
    ("profile", "statement", "has_flag"),
    [
        ("mysql-5.1.34", "BEGIN", False),
        ("mysql-5.1.34", "CREATE DATABASE a", True),
        ("mysql-5.1.43", "BEGIN", True),
        ("mysql-5.1.43", "SAVEPOINT a", False),
        ("mysql-5.5.9", "COMMIT", True),
        ("mysql-5.5.9", "ROLLBACK TO `a`", True),
        ("mysql-8.0.30", "XA START X'01',X'',1", True),
        ("mysql-9.7.4", "BEGIN", True),
        ("mysql-9.7.4", "DROP DATABASE a", True),
        ("mysql-9.7.4", "DROP TABLE a", False),
        ("mysql-9.7.4", "BEGINNING", False),
        ("mariadb-10.11.18", "COMMIT", True),
        ("mariadb-10.11.18", "INSERT INTO a VALUES (1)", False),
    ],
)
def test_the_statements_that_need_no_default_database(profile, statement, has_flag):
    assert use_flag(profile, statement) == (Flag.SUPPRESS_USE if has_flag else 0)
