"""The pytest suite: a parser's own tests can run the kit."""

import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOUBLES = Path(__file__).parent / "doubles"


def run(tmp_path, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "--pyargs", "conformance.suite", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


QUICK = ("--binlog-examples", "6", "--binlog-profile", "mysql-8.0", "--binlog-requirement", "FORMAT-*")


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
