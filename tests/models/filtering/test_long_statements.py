"""Statements that are too long for the SQL parser, and long ones that are not."""

import pytest

from conformance.binlog.errors import LimitExceeded
from conformance.models.filtering.sql_words import check_length

LONG = 1_000_000


@pytest.mark.parametrize(
    "statement",
    [
        "/* " + "a, " * LONG,
        "INSERT INTO t VALUES ('" + "\\'" * LONG,
        f"INSERT INTO t VALUES ('{'a,' * LONG}')",
        "`" + "x " * LONG,
    ],
    ids=["a comment", "a text that does not end", "a text", "a name that does not end"],
)
def test_a_long_text_is_one_word(statement):
    check_length(statement)


@pytest.mark.parametrize("statement", ["DROP TABLE a" + ", b" * LONG, "/*!50000 " + "a " * LONG + "*/"])
def test_a_statement_of_too_many_words_is_not_parsed(statement):
    with pytest.raises(LimitExceeded, match="250001 words or more; the limit is 250000, raise it with --limit words="):
        check_length(statement)
