"""Fuzzing: it runs until the time is up, reports each failure once, and keeps the cases that reach something new."""

import importlib.util
import json
import subprocess
import sys

import pytest

from conformance.cli.fuzz import REFERENCE_PACKAGES
from conformance.fuzzing.guided_worker import case_of_bytes
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import BytesChooser
from conformance.strategies.grammar.family import case_of
from tests.extras import require

PAIRS = [("transactions", "mysql-8.0"), ("rotations", "mysql-5.7")]


def fuzz(*arguments, check):
    command = [sys.executable, "-m", "conformance", "fuzz", "decode", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout


def test_any_bytes_make_a_case_and_its_id_makes_it_again():
    for data in (b"", b"\0\1", bytes(range(256)), b"\xff" * 40):
        case = case_of_bytes(data, "decode", PAIRS)
        assert case_of(CaseId.parse(str(case.id))) == case


def test_after_the_end_of_the_bytes_every_choice_is_the_simplest():
    chooser = BytesChooser(b"\x05")
    assert [chooser.integer(0, 9), chooser.integer(3, 9), chooser.octets(2, 8)] == [5, 3, b"\0\0"]


def test_a_failure_is_reported_once_with_a_case_that_replays(tmp_path):
    options = ("--time", "4s", "--corpus", str(tmp_path), "--engine", "property", "--family", "transactions")
    output = fuzz("--implementation", "python:tests.doubles.python_parser:off_by_one", *options, check=1)
    lines = [line for line in output.splitlines() if line.startswith("log_pos differs ") and "choices-" in line]
    assert len(lines) == 1
    again = [sys.executable, "-m", "conformance", "replay", lines[0].split()[-1]]
    done = subprocess.run([*again, "python:tests.doubles.python_parser:off_by_one"], capture_output=True, check=False)
    assert done.returncode == 1
    assert (tmp_path / "decode" / "cases.txt").read_text().startswith("transactions/mysql-8.0/")


def test_kept_cases_are_asked_again_and_a_good_parser_conforms(tmp_path):
    (tmp_path / "decode").mkdir()
    kept = "transactions/mysql-8.0/choices-of-another-kit\ntransactions/mysql-8.0/1/1\n"
    (tmp_path / "decode" / "cases.txt").write_text(kept)
    options = ("--time", "2s", "--corpus", str(tmp_path), "--engine", "property", "--family", "transactions")
    output = fuzz("--implementation", "python:tests.doubles.python_parser:good", *options, check=0)
    assert "conforming" in output


def test_results_are_printed_in_other_forms(tmp_path):
    options = ("--time", "2s", "--corpus", str(tmp_path), "--engine", "property", "--family", "transactions")
    parser = ("--implementation", "python:tests.doubles.python_parser:off_by_one")
    document = json.loads(fuzz(*parser, *options, "--format", "json", check=1))
    assert "log_pos differs" in [each["signature"] for each in document["findings"]]
    assert fuzz(*parser, *options, "--quiet", check=1).count("\n") == 1


def test_a_comparison_has_no_other_form(tmp_path):
    fuzz("--implementation", "reference", "--against", "reference", "--format", "sarif", check=2)


@pytest.mark.parametrize("role", ["decode", "decide"])
def test_cases_that_show_something_new_are_kept_with_and_without_a_table_of_cells(role, tmp_path):
    command = [sys.executable, "-m", "conformance", "fuzz", role, "--implementation", "reference", "--time", "2s"]
    options = ("--corpus", str(tmp_path), "--engine", "property")
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = (tmp_path / role / "cases.txt").read_text().split()
    assert kept
    assert f"{len(kept)} case" in done.stdout
    assert all(CaseId.parse(case).role == role for case in kept)


def test_the_coverage_guided_engine_finds_it_too(tmp_path):
    require("fuzz")
    options = ("--time", "6s", "--corpus", str(tmp_path), "--engine", "coverage", "--family", "transactions")
    output = fuzz("--implementation", "python:tests.doubles.python_parser:off_by_one", *options, check=1)
    assert "FORMAT-HEADER-LOG-POS" in output
    assert any((tmp_path / "decode" / "inputs").iterdir())


def test_two_implementations_that_differ_exit_1(tmp_path):
    left, right = (f"python:tests.doubles.python_parser:{name}" for name in ("good", "off_by_one"))
    options = ("--time", "3s", "--corpus", str(tmp_path), "--family", "transactions")
    output = fuzz("--implementation", left, "--against", right, *options, check=1)
    assert "log_pos of XID" in output
    assert "1 difference" in output


def test_two_implementations_that_agree_exit_0(tmp_path):
    options = ("--time", "2s", "--corpus", str(tmp_path), "--family", "transactions", "--profile", "mysql-8.0")
    good = "python:tests.doubles.python_parser:good"
    assert "0 differences" in fuzz("--implementation", good, "--against", "reference", *options, check=0)


@pytest.mark.parametrize("name", REFERENCE_PACKAGES)
def test_the_packages_that_guide_the_engine_exist(name):
    assert importlib.util.find_spec(name) is not None


def test_an_implementation_without_python_lines_cannot_be_coverage_guided(tmp_path):
    command = [sys.executable, "-m", "conformance", "fuzz", "decode", "--implementation", "command:true"]
    done = subprocess.run(
        [*command, "--engine", "coverage", "--corpus", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
