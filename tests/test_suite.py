"""The pytest suite: a parser's own tests can run the kit."""

import json
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.extras import require

DOUBLES = Path(__file__).parent / "doubles"


def run(tmp_path, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "--pyargs", "conformance.suite", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


QUICK = ("--binlog-examples", "2", "--binlog-profile", "mysql-8.0", "--binlog-requirement", "FORMAT-*")


def test_a_conforming_implementation_passes(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference", *QUICK)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_a_broken_requirement_is_a_failed_test_with_the_command_that_replays_it(tmp_path):
    junit = tmp_path / "junit.xml"
    done = run(tmp_path, "--binlog-implementation", "reference:no-stop", *QUICK, f"--junitxml={junit}")
    assert done.returncode == 1
    assert "binlog-conformance replay" in done.stdout
    failed = {
        case.get("name") for case in ElementTree.parse(junit).iter("testcase") if case.find("failure") is not None
    }
    assert "test_requirement[FORMAT-STOP]" in failed
    assert "test_requirement[FORMAT-XID]" not in failed


def test_every_declared_role_is_judged(tmp_path):
    both = ("--binlog-requirement", "WL3303-ENGINE-*", "--binlog-examples", "2")
    done = run(tmp_path, "--binlog-implementation", "reference", *both)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    done = run(tmp_path, "--binlog-implementation", "reference", *both, "--binlog-role", "decode")
    assert done.returncode != 0
    assert "no requirement of the role decode matches 'WL3303-ENGINE-*'" in done.stderr


def test_requirements_are_selected_by_several_globs(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference", "--binlog-examples", "2", "--collect-only",
               "--binlog-requirement", "FORMAT-XID", "--binlog-requirement", "FORMAT-RAND")  # fmt: skip
    assert "[FORMAT-XID]" in done.stdout
    assert "[FORMAT-RAND]" in done.stdout
    assert "[FORMAT-STOP]" not in done.stdout


def test_a_requirement_that_is_not_judged_is_skipped_with_the_reason(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference", "--binlog-examples", "2", "-rs",
               "--binlog-requirement", "WL40-*", "--binlog-profile", "mysql-8.0")  # fmt: skip
    assert "no case exercised it" in done.stdout


def test_without_an_implementation_the_suite_names_the_option(tmp_path):
    done = run(tmp_path)
    assert done.returncode != 0
    assert "--binlog-implementation=NAME" in done.stdout + done.stderr


def test_a_glob_that_selects_nothing_is_one_line_and_not_green(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference", "--binlog-requirement", "WL999-*")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip().splitlines() == [
        "ERROR: binlog-conformance: no requirement matches 'WL999-*'; `binlog-conformance requirements` lists them"
    ]


def test_limits_that_are_not_valid_are_one_line(tmp_path):
    for option, value in (("--binlog-memory", "-1"), ("--binlog-answer-time", "soon")):
        done = run(tmp_path, "--binlog-implementation", "reference", option, value)
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert value in done.stderr.strip().splitlines()[0]


def double(name):
    return "command:" + shlex.join([sys.executable, str(DOUBLES / f"{name}.py")])


HEADERS = ("--binlog-examples", "2", "--binlog-requirement", "FORMAT-HEADER-*")


def test_a_run_in_which_everything_is_unsupported_is_not_green(tmp_path):
    done = run(tmp_path, "--binlog-implementation", double("declines"), *HEADERS)
    assert done.returncode == 1
    assert "nothing judged" in done.stdout
    assert "1 failed" in done.stdout


@pytest.mark.slow
def test_a_crash_fails_whatever_is_selected_and_replays_with_its_limits(tmp_path):
    junit = tmp_path / "junit.xml"
    tested = ("--binlog-implementation", double("crashes_at_most_lengths"))
    done = run(
        tmp_path, *tested, *HEADERS, "--binlog-memory", "0", "--binlog-answer-time", "20s", f"--junitxml={junit}"
    )
    assert done.returncode == 1
    cases = {case.get("name"): case for case in ElementTree.parse(junit).iter("testcase")}
    failure = cases["test_requirement[TROUBLE]"].find("failure")
    assert "crash: signal-SIGSEGV" in failure.text
    line = next(line for line in failure.text.splitlines() if line.startswith("binlog-conformance replay"))
    assert shlex.split(line)[3:] == [double("crashes_at_most_lengths"), "--answer-time=20s", "--memory=0"]
    assert "finding: crash: signal-SIGSEGV" in failure.text
    header = cases["test_requirement[FORMAT-HEADER-TYPE]"].find("failure")
    assert "crashed; finding: crash: signal-SIGSEGV" in header.text


def test_an_unknown_implementation_is_named(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "nonsense", *QUICK)
    assert done.returncode != 0
    assert "nonsense" in done.stdout + done.stderr


MINE = """
import json, pathlib, sys

fields = ["offset", "type", "length", "log_pos"]
implementation = {"name": "mine", "version": "1", "language": "Python"}
roles = {"decode": {"fields": fields, "abilities": [], "profiles": ["mysql-8.0"]}}
for line in sys.stdin:
    question = json.loads(line)
    if question["cmd"] == "start":
        answer = {"protocol": 1, "implementation": implementation, "roles": roles}
    elif question["cmd"] == "decode":
        with pathlib.Path(sys.argv[1]).open("a") as file:
            file.write("question\\n")
        answer = {"seq": question["seq"], "events": [], "error": None}
    else:
        break
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def mine(tmp_path):
    """Return the options for a parser that delivers nothing and counts the questions, and their number so far."""
    program = tmp_path / "mine.py"
    program.write_text(MINE)
    questions = tmp_path / "questions"
    spec = "command:" + shlex.join([sys.executable, str(program), str(questions)])
    options = ("--binlog-implementation", spec, "--binlog-examples", "1", "--binlog-profile", "mysql-8.0")
    return options, lambda: len(questions.read_text().splitlines())


def test_requirements_that_the_parser_does_not_declare_are_one_line(mine, tmp_path):
    options, _ = mine
    done = run(tmp_path, *options, "--collect-only", "-q")
    assert "test_requirement[FORMAT-HEADER-TYPE]" in done.stdout
    assert "WL4162" not in done.stdout.partition("binlog-conformance:")[0]
    (line,) = [each for each in done.stdout.splitlines() if each.startswith("binlog-conformance: ")]
    assert "of the role boundary, which it does not declare" in line
    assert "of fields or abilities that it does not declare" in line


def test_only_what_is_selected_is_generated(mine, tmp_path):
    options, questions = mine
    done = run(tmp_path, *options, "-k", "WL7592-BODY-57-BYTES")
    assert "deselected" in done.stdout, done.stdout
    narrow = questions()
    run(tmp_path, *options, "-k", "FORMAT-HEADER-TYPE")
    assert questions() - narrow > 3 * narrow > 0


@pytest.mark.slow
def test_xdist_shares_the_work(mine, tmp_path):
    require("dev")
    options, questions = mine
    selection = ("-k", "FORMAT-HEADER", "--binlog-family", "rotations")
    one = run(tmp_path, *options, *selection, "-p", "no:xdist")
    alone = questions()
    two = run(tmp_path, *options, *selection, "-n", "2")
    # Shrinking may begin a finding in one process that another turns out to show, and ends after a time.
    assert 0 < questions() - alone < 2 * alone
    results = [each.stdout.splitlines()[-1].partition(" in ")[0].strip("= ") for each in (one, two)]
    assert results[0].partition(", ")[0] == results[1].partition(", ")[0], results
    assert "requirements are not judged" in two.stdout


def test_a_failure_shows_expected_and_got_and_the_bytes(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference:xid-as-double", *QUICK, "-k", "FORMAT-XID")
    assert re.search(r"^  xid +expected \d+, got \d+", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^  [0-9a-f]{8}  ([0-9a-f]{2} ){7}[0-9a-f]{2} +xid = \d+", done.stdout, re.MULTILINE)


def test_options_come_from_the_settings_of_pytest_too(tmp_path):
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nbinlog_implementation = reference\nbinlog_examples = 2\nbinlog_family =\n    rotations\n"
        "binlog_profile =\n    mysql-8.0\nbinlog_report = report\n"
    )
    junit = tmp_path / "junit.xml"
    done = run(tmp_path, "-k", "FORMAT-ROTATE or WL4033-READ-POSITION-CHAIN", f"--junitxml={junit}")
    assert done.returncode == 0, done.stdout
    header = json.loads((tmp_path / "report" / "run.jsonl").read_text().partition("\n")[0])
    assert (header["families"], header["profiles"], header["examples"]) == (["rotations"], ["mysql-8.0"], 2)
    assert (tmp_path / "report" / "report.html").exists()
    named = {each.get("name"): each.get("value") for each in ElementTree.parse(junit).iter("property")}
    assert named["worklog"] in ("WL#4033", "FORMAT")
    assert {"level", "section", "role"} <= set(named)


@pytest.mark.parametrize("option", ["requirement", "report"])
def test_an_empty_option_is_refused(option, tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference", f"--binlog-{option}", "")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip().endswith(f"--binlog-{option} is empty")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("memory", "2G", "--binlog-memory '2G' is not valid: write an integer"),
        ("time", "soon", "'soon' is not a valid"),
    ],
)
def test_a_wrong_setting_is_one_line(name, value, message, tmp_path):
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nbinlog_{name} = {value}\n")
    done = run(tmp_path, "--binlog-implementation", "reference")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr.strip()
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_wrong_setting_beside_the_implementation_has_no_traceback(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\nbinlog_implementation = reference\nbinlog_examples = 0\n")
    done = run(tmp_path)
    assert done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    assert "binlog-conformance: --binlog-examples 0 is not valid: write an integer from 1" in done.stdout
    assert ".py:" not in done.stdout
