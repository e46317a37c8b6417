"""`binlog-conformance decide`: questions and their decisions, errors and exit status."""

import json

import click
import pytest
from click.testing import CliRunner

from conformance.cli.decide import command
from conformance.cli.main import UserError


def run(*arguments):
    done = CliRunner().invoke(command, arguments)
    assert done.exception is None, done.output
    return done.output


def answer(*arguments):
    return json.loads(run(*arguments, "--json"))


def test_the_decision_comes_with_its_rule_and_its_row():
    lines = run("--statement", "unsafe", "--mode", "mixed", "--engine", "blackhole").splitlines()
    assert lines[0] == "error: not loggable; not executed, nothing logged"
    assert "row logging capable no, statement logging capable yes" in lines[1]
    assert lines[2].strip() == "statement logging restricted: logged as a statement or not at all"
    assert lines[3].strip() == "worklog: row 18 of 24, WL3303-DT-UNSAFE-MIXED-NY"


def test_the_same_as_json():
    assert answer("--statement", "safe", "--mode", "row", "--engine", "ndb", "--engine", "myisam") == {
        "table": "worklog",
        "row": 11,
        "requirement": "WL3303-DT-SAFE-ROW-YN",
        "rule": "safe statement, mode row, row logging capable yes, statement logging capable no: logged as row",
        "format": "row",
        "executed": True,
        "message": None,
        "row_capable": True,
        "statement_capable": False,
        "row_restricted": True,
        "statement_restricted": False,
    }


def test_a_warning_does_not_stop_the_statement():
    output = run("--statement", "unsafe", "--mode", "STATEMENT", "--engine", "MyISAM")
    assert output.startswith("warning: unsafe; executed, logged as statement")


def test_the_shipped_table_has_numbers_and_row_injections():
    decision = answer("--table", "shipped", "--statement", "row-injection", "--mode", "statement", "--engine", "innodb")
    assert (decision["message"]["code"], decision["executed"], decision["row"]) == (1666, False, 26)
    output = run("--table", "shipped", "--statement", "safe", "--mode", "row", "--engine", "ndb", "--engine", "innodb")
    assert "error 1667" in output
    assert "no row of the table" in output


def test_tables_that_are_read_count_for_the_worklog():
    question = ("--statement", "safe", "--mode", "statement", "--engine", "myisam", "--read-engine", "ndb")
    assert answer(*question)["format"] is None
    assert answer(*question, "--table", "shipped")["format"] == "statement"


def test_a_given_capability_overrides_the_table_of_engines():
    question = ("--statement", "safe", "--mode", "row", "--engine", "innodb", "--engine", "partition:myisam+innodb")
    assert answer(*question, "--capability", "innodb=row,stmt")["row"] == 12
    assert answer(*question, "--capability", "InnoDB=")["row"] == 9


def test_without_logging_there_is_no_message():
    output = run("--statement", "safe", "--mode", "row", "--engine", "blackhole", "--sql-log-bin", "off")
    assert output.startswith("executed, not logged\n")
    assert "no row of the table" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--statement", "safe", "--mode", "row", "--engine", "innodb"),
            "or give what it can log, as --capability innodb=row,stmt",
        ),
        (
            ("--statement", "safe", "--mode", "row", "--engine", "myisam", "--capability", "innodb=row"),
            "--capability innodb: no table has this engine; give --engine innodb",
        ),
        (
            ("--statement", "safe", "--mode", "row", "--capability", "innodb"),
            "'innodb' is not a valid",
        ),
        (("--statement", "safe", "--mode", "row", "--capability", "innodb=both"), "'both' is not a valid capability"),
        (
            ("--statement", "row-injection", "--mode", "row", "--engine", "ndb"),
            "'row-injection' is not a",
        ),
        (("--statement", "safe", "--mode", "row", "--engine", "partition:"), "at least one part"),
    ],
)
def test_a_question_that_is_not_valid_is_one_line(arguments, message):
    with pytest.raises(UserError) as caught:
        command.main(arguments, standalone_mode=False)
    assert message in caught.value.message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("arguments", [(), ("--statement", "safe"), ("--statement", "sure", "--mode", "row")])
def test_a_missing_or_unknown_option_is_a_usage_error(arguments):
    with pytest.raises(click.UsageError):
        command.main(arguments, standalone_mode=False)
