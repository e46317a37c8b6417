"""The pytest suite: a parser's own tests can run the kit."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree


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
    done = run(tmp_path, "--binlog-implementation", "reference", *both, "--binlog-role", "decode", "-rs")
    assert " passed" not in done.stdout


def test_a_requirement_that_is_not_judged_is_skipped_with_the_reason(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "reference", "--binlog-examples", "2", "-rs",
               "--binlog-requirement", "WL40-*", "--binlog-profile", "mysql-8.0")  # fmt: skip
    assert "no case exercised it" in done.stdout


def test_without_an_implementation_the_suite_names_the_option(tmp_path):
    done = run(tmp_path)
    assert done.returncode != 0
    assert "--binlog-implementation=NAME" in done.stdout + done.stderr


def test_an_unknown_implementation_is_named(tmp_path):
    done = run(tmp_path, "--binlog-implementation", "nonsense", *QUICK)
    assert done.returncode != 0
    assert "nonsense" in done.stdout + done.stderr
