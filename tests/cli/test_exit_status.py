"""Exit statuses: only the verdict "not conforming" ends with 1, whatever happens during a run."""

import os
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "conformance"]
on_linux = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the devices of Linux")

#: An adapter that declines every question.
DECLINES = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if question["cmd"] == "stop":
        break
    roles = {"decode": {"fields": ["offset", "type"], "abilities": [], "profiles": ["mysql-8.0"]}}
    named = {"name": "declines", "version": "1", "language": "Python"}
    answer = {"protocol": 1, "implementation": named, "roles": roles}
    if question["cmd"] == "decode":
        answer = {"seq": question["seq"], "unsupported": "not today"}
    print(json.dumps(answer), flush=True)
"""


def in_shell(line):
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, check=False)


def started(arguments):
    """Start the command with Ctrl-C as at a terminal: a child inherits that it is ignored, as under nohup."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from conformance.cli import main; main()"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def in_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


def test_a_run_that_judged_nothing_does_not_succeed(tmp_path):
    program = tmp_path / "declines.py"
    program.write_text(DECLINES)
    options = ["--examples", "1", "--family", "transactions", "--report", str(tmp_path / "report")]
    spec = f"command:{sys.executable} {program}"
    done = subprocess.run([*COMMAND, "certify", spec, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nothing judged" in done.stdout
    record = str(tmp_path / "report" / "run.jsonl")
    again = subprocess.run([*COMMAND, "report", record, str(tmp_path / "again")], capture_output=True, check=False)
    assert again.returncode == 2
    fuzzed = [
        *COMMAND,
        "fuzz",
        "decode",
        "--implementation",
        spec,
        "--time",
        "1s",
        "--corpus",
        str(tmp_path / "corpus"),
    ]
    assert subprocess.run([*fuzzed, *options[2:4]], capture_output=True, check=False).returncode == 2


def test_a_reader_that_closes_the_output_is_not_a_verdict():
    done = in_shell(f"{sys.executable} -m conformance requirements | head -1; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.splitlines()[-1] == "2"
    assert done.stderr == ""


@on_linux
def test_a_full_disk_is_reported_in_one_line():
    done = in_shell(f"{sys.executable} -m conformance requirements > /dev/full")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["binlog-conformance: standard output: No space left on device"]


@on_linux
@pytest.mark.parametrize("command", ["decode", "check", "show"])
def test_a_log_that_cannot_be_read_is_reported_in_one_line(command):
    # It can be opened, but reading its beginning is an input/output error.
    done = in_shell(f"{sys.executable} -m conformance {command} /proc/self/mem")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "Input/output error" in done.stderr


@pytest.mark.parametrize("command", ["decode", "check"])
def test_a_closed_standard_input_is_reported_in_one_line(command):
    done = in_shell(f"{sys.executable} -m conformance {command} - <&-")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["-: standard input is closed; name a file, or send a log there"]


def test_with_a_closed_standard_output_the_exit_status_is_the_same():
    done = in_shell(f"{sys.executable} -m conformance decide --statement safe --mode row >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_spark_is_reported_in_one_line():
    code = (
        "import sys; sys.modules['py4j'] = None; sys.argv[1:] = ['corpus', 'run', 'reference', '--cases', '5']\n"
        "from conformance.cli import main; main()"
    )
    done = in_python(code)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'pyspark" in done.stderr


def test_a_bug_of_the_kit_is_shown_and_is_not_a_verdict():
    code = (
        "import sys, conformance.cli.implementations as shown\n"
        "shown.catalogue = lambda: 1 // 0; sys.argv[1:] = ['implementations']\n"
        "from conformance.cli import main; main()"
    )
    done = in_python(code)
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    assert "this is a bug of the kit" in done.stderr.splitlines()[-1]


def test_an_exception_that_a_library_raises_after_an_interrupt_is_not_a_bug_of_the_kit():
    code = (
        "import os, signal, sys, conformance.cli.implementations as shown\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def catalogue():\n"
        "    try: os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt: raise SystemError('returned NULL without setting an exception')\n"
        "shown.catalogue = catalogue; sys.argv[1:] = ['implementations']\n"
        "from conformance.cli import main; main()"
    )
    done = in_python(code)
    assert (done.returncode, done.stderr.split()) == (2, ["binlog-conformance:", "interrupted"])


def test_a_module_that_was_not_written_whole_is_not_an_interrupt():
    code = (
        "import sys, conformance.cli.implementations as shown\n"
        "def catalogue(): raise EOFError('marshal data too short')\n"
        "shown.catalogue = catalogue; sys.argv[1:] = ['implementations']\n"
        "from conformance.cli import main; main()"
    )
    done = in_python(code)
    assert done.returncode == 2
    assert "marshal data too short" in done.stderr
    assert "this is a bug of the kit" in done.stderr.splitlines()[-1]


def _interrupted(running):
    """Press Ctrl-C until a run ends: Python drops an interrupt during a callback of its garbage collector."""
    for presses in range(1, 7):
        running.send_signal(signal.SIGINT)
        try:
            return *running.communicate(timeout=8), presses
        except subprocess.TimeoutExpired:
            continue
    running.kill()
    return *running.communicate(), presses


def _has_text(file):
    # A file that is about to be written to exists, and is empty for a moment.
    return file.exists() and file.read_text() != ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify", "reference", "--role", "decode", "--time", "5m"),
        ("fuzz", "boundary", "--implementation", "reference", "--engine", "property", "--corpus"),
    ],
)
def test_an_interrupted_run_ends_with_2_and_one_line(arguments, tmp_path):
    corpus = [str(tmp_path)] if arguments[-1] == "--corpus" else []
    running = started([*arguments, *corpus])
    kept = tmp_path / "boundary" / "cases.txt"
    deadline = time.monotonic() + 60
    while not (_has_text(kept) if corpus else time.monotonic() > deadline - 56) and time.monotonic() < deadline:
        time.sleep(0.1)
    printed, errors, presses = _interrupted(running)
    assert running.returncode == 2
    assert errors.splitlines()[-1] == "binlog-conformance: interrupted"
    assert presses > 1 or errors.split() == ["binlog-conformance:", "interrupted"]
    assert printed == ""
    if corpus:
        assert kept.read_text().startswith("boundary:")


def test_an_interrupted_fuzzing_run_prints_its_failures(tmp_path):
    arguments = ["fuzz", "boundary", "--implementation", "reference:no-warnings", "--engine", "property"]
    options = ["--requirement", "WL4162-WARN-*", "--corpus", str(tmp_path)]
    running = started([*arguments, *options])
    kept = tmp_path / "boundary" / "cases.txt"
    deadline = time.monotonic() + 60
    while not (kept.exists() and "boundary_faults" in kept.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    printed, errors, _ = _interrupted(running)
    assert running.returncode == 2
    assert errors.splitlines()[-1] == "binlog-conformance: interrupted"
    first = printed.splitlines()[0]
    assert first.startswith("boundary: warning missing  worklog  boundary:")


def test_that_the_baseline_can_be_written_is_checked_before_the_run(tmp_path):
    baseline = tmp_path / "baseline.toml"
    baseline.write_text("# kept\n")
    arguments = ["certify", "reference:nonsense", "--write-baseline", str(baseline)]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert baseline.read_text() == "# kept\n"
    arguments[-1] = str(tmp_path / "another.toml")
    subprocess.run([*COMMAND, *arguments], capture_output=True, check=False)
    assert not (tmp_path / "another.toml").exists()
