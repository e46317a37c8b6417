"""A boundary parser that reads events as others, or forgets a BEGIN, has a finding that names this."""

import pytest

from tests.oracles.test_causes import by_mutant, together_of

UNREAD = "BEGIN, COMMIT or ROLLBACK taken for another statement"
INVENTED = "another statement taken for BEGIN, COMMIT or ROLLBACK"
ANONYMOUS = "ANONYMOUS_GTID taken for an event of another type"


@pytest.mark.parametrize(
    ("mutant", "finding"),
    [
        ("returns-in-any-space", UNREAD),
        ("xa-commit-ends", INVENTED),
        ("xa-start-is-a-statement", UNREAD),
        ("shipped-flagged-anonymous-ignored", ANONYMOUS),
    ],
)
@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-9.x"])
def test_what_a_shipped_parser_misreads_is_named(mutant, finding, profile):
    together = together_of("boundary", "shipped_boundary_steps", profile, by_mutant(mutant), count=120)
    assert max(together, key=lambda each: len(together[each])) == f"boundary: {finding}"
    assert {"FORMAT-BOUNDARY-STATE", "FORMAT-BOUNDARY-WARNING"} & together[f"boundary: {finding}"]


@pytest.mark.parametrize("profile", ["mysql-5.7", "mysql-9.x"])
def test_a_statement_that_is_misread_wherever_it_is_has_no_other_finding(profile):
    together = together_of("boundary", "shipped_boundary_steps", profile, by_mutant("xa-rollback-is-a-statement"))
    assert together.keys() == {f"boundary: {UNREAD}"}


def test_a_wrong_cell_of_a_shipped_table_is_not_taken_for_a_misread_event():
    for mutant in ("second-gtid-accepted", "reset-by-error"):
        together = together_of("boundary", "shipped_boundary_steps", "mysql-8.0", by_mutant(mutant))
        assert not any("taken for" in finding for finding in together), mutant


def test_a_begin_that_is_forgotten_is_not_a_statement_taken_for_a_word():
    together = together_of("boundary", "boundary_markers_missing", "worklog", by_mutant("marked-begin-forgotten"))
    finding = "boundary: BEGIN of the transaction not remembered"
    # A statement that begins with one of the words may be taken for the word.
    assert set(together) <= {finding, f"boundary: {INVENTED}"}
    assert "WL4162-TYPE-QUERY-NOT-IMMEDIATE" in together[finding]
    assert "WL4162-QUERY-WORDS" not in together[finding]
