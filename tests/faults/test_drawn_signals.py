"""A signal at any moment ends a command with status 2 and one line, or comes too late; nothing is left either way.

`BINLOG_FAULT_TRIES` tries so many seeds, `BINLOG_FAULT_SEED` one alone.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from functools import cache
from random import Random

import pytest

from tests.extras import require
from tests.faults.runs import Run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

COMMANDS = (
    *("two workers", "check", "self-check", "fuzz", "decode"),
    *("two workers", "serve", "certify", "check", "corpus"),
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
#: As started from a terminal: in the background of a shell, as this process may be, programs ignore some of them.
START = (
    "import os, signal, sys; os.setsid(); "
    f"[signal.signal(each, signal.SIG_DFL) for each in {tuple(map(int, SIGNALS))}]; os.execv(sys.argv[1], sys.argv[1:])"
)
ONE = os.environ.get("BINLOG_FAULT_SEED")
SEEDS = [int(ONE)] if ONE else range(int(os.environ.get("BINLOG_FAULT_TRIES", "40")))


def started(command, folder):
    """Start a command in a session of its own, and return it when it has handlers of signals."""
    (folder / "temporary").mkdir(parents=True)
    run = Run(command, folder, {"TMPDIR": str(folder / "temporary")}, (sys.executable, "-I", "-c", START))
    run.start()
    assert run.wait_for(lambda: takes_signals(run.process.pid)), run.errors
    return run


def takes_signals(process):
    """Return whether a process has a handler of each signal."""
    with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
        caught = next((int(line.split()[1], 16) for line in file if line.startswith("SigCgt")), 0)
    return all(caught >> (each - 1) & 1 for each in SIGNALS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return how long a command takes by itself, and its exit status."""

    @cache
    def outcome(command):
        run = started(command, tmp_path_factory.mktemp("undisturbed").resolve())
        began = time.monotonic()
        status = run.end()
        return time.monotonic() - began, status

    return outcome


@pytest.mark.parametrize("seed", SEEDS)
def test_a_signal_at_any_moment_ends_a_command_in_order(seed, tmp_path, undisturbed):
    random = Random(seed)
    command = COMMANDS[seed % len(COMMANDS)]
    if command == "corpus":
        require("spark")
    seconds, usual = undisturbed(command)
    run = started(command, tmp_path.resolve())
    end, send = random.choice(SIGNALS), random.choice((os.kill, os.killpg))
    # Many a race is at the beginning, when processes begin, or at the end.
    moment = seconds * random.choice((random.uniform(0, 0.2), random.uniform(0, 1), random.uniform(0.8, 1)))
    time.sleep(moment)
    with suppress(ProcessLookupError):
        send(run.process.pid, end)
    try:
        status = run.end()
        gone = run.is_gone()
    finally:
        run.process.kill()
    seen = f"{command}, {end.name} by {send.__name__} after {moment:.2f} of {seconds:.2f} s: {status}, {run.errors}"
    assert gone, f"{seen}; these processes outlive the run: {run.processes()}"
    assert not list((run.folder / "temporary").iterdir()), seen
    words = "binlog-conformance: interrupted" + ("" if end == signal.SIGINT else f" by {end.name}")
    # The line of an interrupt follows an empty one, after the terminal's ^C; corpora report how far they are.
    lines = [line for line in run.errors if line and not (command == "corpus" and " cases, " in line)]
    assert (status, lines) in ((2, [words]), (usual, [])), seen
