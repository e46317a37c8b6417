"""However the kit ends, no process of an implementation survives it."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

DOUBLES = Path(__file__).parent.parent / "doubles"
#: As started by hand: in the background of a shell, as this process may be, programs ignore these signals.
CODE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
for ignored in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(ignored, signal.SIG_DFL)
from conformance.cli import main
main()
"""
#: What an implementation does to survive, by its double.
SURVIVORS = ("hangs", "leaves_a_session", "leaves_a_daemon")
ENDS = (
    *(("leaves_a_session", end) for end in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)),
    *((double, end) for double in SURVIVORS for end in (signal.SIGTERM, signal.SIGKILL)),
)


def certify(double, mark, *, tty=None):
    """Start a run of a double whose processes have a mark in their environment."""
    command = f"command:{sys.executable} {DOUBLES / double}.py"
    arguments = [sys.executable, "-c", CODE, "certify", command, "--examples", "1", "--answer-time", "60s"]
    return subprocess.Popen(
        arguments,
        stdin=tty,
        stdout=subprocess.DEVNULL if tty is None else tty,
        stderr=subprocess.PIPE if tty is None else tty,
        text=True,
        env={**os.environ, "TMPDIR": str(mark)},
        start_new_session=tty is not None,
    )


def processes_of(mark, *, but=0):
    """Return the process ids of running processes whose environment has the mark, and what they run."""
    processes = {}
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and int(entry.name) != but
                and str(mark).encode() in (entry / "environ").read_bytes()
            ):
                processes[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # It has ended, or belongs to another user.
    return processes


def wait_until(condition, *, seconds=30):
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


def assert_none_left(mark):
    assert wait_until(lambda: not processes_of(mark)), processes_of(mark)


def wait_for_question(mark, running):
    """Wait until the double has been asked: it then makes a file."""
    assert wait_until((mark / "asked").exists), running.poll()


@pytest.mark.parametrize(("double", "end"), dict.fromkeys(ENDS))
def test_no_process_survives_a_signal_to_the_kit(double, end, tmp_path):
    running = certify(double, tmp_path)
    wait_for_question(tmp_path, running)
    assert processes_of(tmp_path, but=running.pid)
    running.send_signal(end)
    _, errors = running.communicate(timeout=30)
    assert_none_left(tmp_path)
    if end != signal.SIGKILL:
        name = "" if end == signal.SIGINT else f" by {end.name}"
        assert (running.returncode, errors.strip()) == (2, f"binlog-conformance: interrupted{name}")


@pytest.mark.parametrize("double", SURVIVORS)
def test_no_process_survives_a_regular_end(double, tmp_path):
    command = f"command:{sys.executable} {DOUBLES / double}.py"
    options = ["--examples", "1", "--answer-time", "0.3s", "--family", "transactions"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE, "certify", command, *options], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert_none_left(tmp_path)


def test_no_process_survives_a_closed_terminal(tmp_path):
    ours, theirs = pty.openpty()
    running = certify("leaves_a_session", tmp_path, tty=theirs)
    os.close(theirs)
    wait_for_question(tmp_path, running)
    os.close(ours)
    # The system sends SIGHUP to the session that has the terminal; this one has none, as a program of a shell.
    running.send_signal(signal.SIGHUP)
    assert running.wait(timeout=30) == 2
    assert_none_left(tmp_path)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_an_implementation_that_stops_its_supervisor_ends_with_the_kit(end, tmp_path):
    running = certify("stops_its_supervisor", tmp_path)
    wait_for_question(tmp_path, running)
    running.send_signal(end)
    running.communicate(timeout=60)
    assert_none_left(tmp_path)


def test_an_implementation_that_kills_its_supervisor_ends_with_it(tmp_path):
    running = certify("kills_its_supervisor", tmp_path)
    wait_for_question(tmp_path, running)
    running.kill()
    running.communicate()
    assert_none_left(tmp_path)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_no_process_that_judges_a_log_survives_a_signal_to_the_kit(end, tmp_path):
    logs = [tmp_path / f"binlog.{number:06d}" for number in range(1, 4)]
    for log in logs:
        os.mkfifo(log)  # Reading it waits for ever.
    command = [sys.executable, "-c", CODE, "check", "--jobs", "2", *map(str, logs)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert wait_until(lambda: len(processes_of(tmp_path, but=running.pid)) > 1), running.poll()
    running.send_signal(end)
    _, errors = running.communicate(timeout=30)
    assert_none_left(tmp_path)
    if end != signal.SIGKILL:
        assert (running.returncode, len(errors.strip().splitlines())) == (2, 1), errors
        assert not list(tmp_path.glob("binlog-check-*"))


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    code = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from conformance.cli.interruption import Interruption\n"
        "Interruption(); os.kill(os.getpid(), signal.SIGHUP)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_interrupt_in_a_callback_of_the_garbage_collector_is_not_lost():
    code = (
        "import gc, os, signal, time\n"
        "from conformance.cli.interruption import Interruption\n"
        "Interruption(); gc.callbacks.append(lambda *unused: (gc.callbacks.clear(), os.kill(os.getpid(), 15)))\n"
        "try: gc.collect(); time.sleep(20)\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_after_the_end_of_a_command_does_not_change_its_status(end, tmp_path):
    """The interpreter takes some milliseconds to end, in which it has no handlers any more."""
    late = f"import atexit, os; atexit.register(os.kill, os.getpid(), {int(end)})\n"
    command = [sys.executable, "-c", late + CODE, "decode", str(tmp_path / "missing")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr


def test_an_interrupt_in_code_that_is_a_string_ends_with_the_status_of_any_other(tmp_path):
    (tmp_path / "interrupted.py").write_text(
        "import os, click\n"
        "from conformance.cli import main\n"
        "click.Group.main = lambda *unused, **options: exec('os.kill(os.getpid(), 15)', {'os': os})\n"
        "main()\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "binlog-conformance: interrupted by SIGTERM\n")
