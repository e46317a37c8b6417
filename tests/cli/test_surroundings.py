"""What surrounds a command does not change its verdict: encodings, closed or full streams, folders, variables."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extras import MODULES, find_spec
from tests.first_case import first_case, has_checksums
from tests.generated import ROOT
from tests.running import double, forked

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the devices of Linux")

CASE = first_case("transactions", "mysql-8.0", has_checksums)
QUICK = ("--examples", "6", "--profile", "mysql-8.0", "--requirement", "FORMAT-STOP")
FUZZ = ("fuzz", "decode", "--implementation", "reference:no-stop", "--time", "0.1s", "--engine", "property", *QUICK[2:])
#: Command -> its arguments, with the folder as {}, and its exit status.
COMMANDS = {
    "certify": (("certify", "reference:no-stop", *QUICK, "--report", "{}/new", "--write-baseline", "{}/new.toml"), 1),
    "certify a program": (("certify", double("reads_headers"), *QUICK[:4], "--family", "transactions"), 0),
    "fuzz": ((*FUZZ, "--corpus", "{}/cases", "--report", "{}/new"), 1),
    "replay": (("replay", CASE, "reference"), 0),
    "report": (("report", "{}/report/run.jsonl", "{}/again"), 1),
    "requirements": (("requirements", "--worklog", "4033"), 0),
    "implementations": (("implementations", "--mutants"), 0),
    "decode": (("decode", "{}/log"), 0),
    "decode --json": (("decode", "--json", "{}/log"), 0),
    "check": (("check", "{}/log"), 0),
    "show": (("show", "-vv", "{}/log"), 0),
    "filter": (("filter", "{}/log", "--ignore-database", "d", "--output", "{}/filtered"), 0),
    "decide": (("decide", "--statement", "unsafe", "--mode", "mixed", "--engine", "ndb"), 0),
    "a mistake": (("certify", "nonsense"), 2),
    "a missing log": (("check", "{}/nothing"), 2),
}
NEEDS = {"filter": "sql"}
#: Command -> the lines that it may print on standard error, where more than one: two notes on the rule and the parser.
NOTES = {"filter": 2}
#: The files that a command is to write, whatever becomes of its output.
WRITTEN = {
    "certify": ("new/report.html", "new/junit.xml", "new/summary.md", "new/badge.svg", "new/run.jsonl", "new.toml"),
    "fuzz": ("new/report.html", "new/run.jsonl"),
    "report": ("again/report.html", "again/badge.svg"),
}


@pytest.fixture
def folder(tmp_path, made):
    """A folder with a log, the record of a run that does not conform, and a fuzzing corpus whose case fails."""
    for name in ("log", "report/run.jsonl", "cases/decode/cases.txt"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((made / name).read_bytes())
    return tmp_path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    assert forked("certify", "reference:no-stop", *QUICK, "--report", folder / "report").status == 1
    assert forked("replay", CASE, "reference", "--save", folder / "log").status == 0
    # Fuzzing begins with it: on a loaded machine the time may be up before one that the engine makes has a Stop.
    cases = folder / "cases" / "decode" / "cases.txt"
    cases.parent.mkdir(parents=True)
    cases.write_text(first_case("previous_gtids_streams", "mysql-8.0", fails) + "\n", encoding="utf-8")
    return folder


def fails(case):
    return forked("replay", str(case.id), "reference:no-stop").status == 1


def close(*numbers):
    for number in numbers:
        os.close(number)
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)


def fill(*numbers):
    for number in numbers:
        os.dup2(os.open("/dev/full", os.O_WRONLY), number)


def encode(encoding):
    sys.stdout.reconfigure(encoding=encoding, errors="strict")
    sys.stderr.reconfigure(encoding=encoding, errors="strict")


def surround(**variables):
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


#: Surroundings -> how they are made in the process of a command.
SURROUNDINGS = {
    "ascii": lambda: encode("ascii"),
    "latin-1": lambda: encode("latin-1"),
    "no input": lambda: close(0),
    "no output": lambda: close(1),
    "no errors": lambda: close(2),
    "no streams": lambda: close(0, 1, 2),
    "full errors": lambda: fill(2),
    "no home": lambda: surround(HOME=None, XDG_CACHE_HOME=None),
    "home that is not there": lambda: surround(HOME="/nonexistent", XDG_CACHE_HOME="/nonexistent"),
    "no temporary folder": lambda: surround(TMPDIR="/nonexistent"),
    "narrow": lambda: surround(COLUMNS="10", LINES="2"),
    "not a number of columns": lambda: surround(COLUMNS="-5x"),
    "folder that cannot be written": lambda: os.chdir("/proc"),
}


def arguments_of(command, folder):
    if command in NEEDS and find_spec(MODULES[NEEDS[command]][0]) is None:
        pytest.skip(f"needs the extra {NEEDS[command]}")
    arguments, status = COMMANDS[command]
    return [each.replace("{}", str(folder)) for each in arguments], status


def missing(command, folder):
    return [name for name in WRITTEN.get(command, ()) if not (folder / name).stat().st_size]


@pytest.mark.parametrize("surroundings", SURROUNDINGS)
@pytest.mark.parametrize("command", [each for each in COMMANDS if each != "fuzz"])
def test_the_exit_status_is_the_same(command, surroundings, folder):
    arguments, status = arguments_of(command, folder)
    done = forked(*arguments, prepare=SURROUNDINGS[surroundings])
    assert "Traceback" not in done.errors
    assert (done.status, len(done.errors.splitlines()) <= NOTES.get(command, 1)) == (status, True), done.errors
    assert missing(command, folder) == []


@pytest.mark.parametrize("command", [each for each, (_, status) in COMMANDS.items() if status != 2])
def test_an_output_that_takes_nothing_is_one_line_and_costs_no_file(command, folder):
    arguments, _ = arguments_of(command, folder)
    done = forked(*arguments, prepare=lambda: fill(1))
    assert (done.status, done.errors.splitlines()) == (
        2,
        ["binlog-conformance: standard output: No space left on device"],
    )
    assert missing(command, folder) == []


def in_shell(line, **variables):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment, timeout=240, check=False, cwd=ROOT
    )


#: Surroundings that only a new process of Python can have, as a shell makes them.
OF_A_SHELL = {
    "C": ("LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 {}"),
    "ascii": ("PYTHONIOENCODING=ascii {}"),
    "no docstrings": ("PYTHONOPTIMIZE=2 {}"),
    "warnings are errors": ("PYTHONWARNINGS=error {}"),
    "no variables": ("env -i PATH=/usr/bin:/bin {}"),
    "no input": ("{} <&-"),
    "no output": ("{} >&-"),
    "no errors": ("{} 2>&-"),
    "no streams": ("{} <&- >&- 2>&-"),
    "full errors": ("{} 2>/dev/full"),
    "gone reader": ("set -o pipefail; {} | cat"),
    "unwritable folder": ("cd /proc; {}"),
}
FEW = [
    ("certify", "C"),
    ("certify", "ascii"),
    ("certify", "no docstrings"),
    ("decode", "no streams"),
    ("check", "no errors"),
]


def check_in_a_shell(command, surroundings, folder):
    arguments, status = arguments_of(command, folder)
    line = shlex.join([sys.executable, "-m", "conformance", *arguments])
    done = in_shell(OF_A_SHELL[surroundings].format(line))
    assert "Traceback" not in done.stderr
    assert (done.returncode, len(done.stderr.splitlines()) <= NOTES.get(command, 1)) == (status, True), done.stderr
    assert missing(command, folder) == []


@pytest.mark.parametrize(("command", "surroundings"), FEW)
def test_in_a_shell(command, surroundings, folder):
    check_in_a_shell(command, surroundings, folder)


@pytest.mark.slow
@pytest.mark.parametrize("surroundings", OF_A_SHELL)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_in_a_shell(command, surroundings, folder):
    check_in_a_shell(command, surroundings, folder)


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("MemoryError()", "ran out of memory at conformance.cli.implementations._list"),
        ("ImportError('x.so: failed to map segment from shared object')", "ran out of memory"),
        ('RuntimeError("can\'t start new thread")', "ran out of memory"),
        ("RecursionError('maximum recursion depth exceeded')", "nested too deeply at conformance.cli"),
        ("OSError(28, 'No space left on device', 'a\\nb')", "a b: No space left on device"),
    ],
)
def test_what_the_machine_lacks_is_one_line(raised, words, monkeypatch):
    def catalogue():
        raise eval(raised)

    monkeypatch.setattr("conformance.cli.implementations.catalogue", catalogue)
    done = forked("implementations")
    assert (done.status, len(done.errors.splitlines())) == (2, 1), done.errors
    assert words in done.errors


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [38, 42, 45, 48, 52])
def test_too_little_memory_is_one_line(megabytes):
    line = shlex.join([sys.executable, "-m", "conformance", "certify", "reference", *QUICK])
    done = in_shell(f"ulimit -v {megabytes << 10}; {line}")
    # Where an allocation fails differs from machine to machine; CPython itself reports some as a SystemError.
    assert done.returncode in (0, 1, 2)
    assert len(done.stderr.splitlines()) <= 1 or "SystemError" in done.stderr, done.stderr


def test_too_few_open_files_are_one_line_with_what_to_do():
    line = shlex.join([sys.executable, "-m", "conformance", "certify", "reference", *QUICK])
    done = in_shell(f"ulimit -n 16; {line}")
    message = "too many open files: allow more of them (ulimit -n); certify and check need fewer with -j 1"
    assert (done.returncode, done.stderr) == (2, f"binlog-conformance: {message}\n")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no file that cannot be read")
def test_a_log_that_cannot_be_read_is_named():
    done = in_shell(shlex.join([sys.executable, "-m", "conformance", "decode", "/proc/self/mem"]))
    assert (done.returncode, done.stderr) == (2, "binlog-conformance: /proc/self/mem: Input/output error\n")


def test_a_reader_that_goes_away_costs_no_report(folder):
    command = shlex.join([sys.executable, "-m", "conformance", *arguments_of("certify", folder)[0]])
    done = in_shell(f"{command} | true; exit ${{PIPESTATUS[0]}}")
    # Whether the pipe closes before the summary is printed, is up to the system.
    assert (done.returncode, done.stderr) in ((2, ""), (1, ""))
    assert missing("certify", folder) == []
