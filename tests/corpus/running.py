"""The command that runs a corpus, in a process that may be killed; its child processes, and its progress."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

#: Seconds after which something that must happen never will: far more than it takes on a loaded machine.
LONGEST = 900


@contextmanager
def corpus_run(output, spec, *options, cases, folder=None):
    """Run the command in a process of its own, which may be killed."""
    code = "from conformance.cli import main; main()"
    arguments = ["corpus", "run", spec, "--cases", str(cases), "--output", str(output), "--no-shrink", *options]
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def descendants(number):
    """Return the command line of each running descendant of a process, by process id."""
    parents, commands = _processes()
    tree = {number}
    while more := {each for each, parent in parents.items() if parent in tree} - tree:
        tree |= more
    return {each: commands[each] for each in tree - {number} if each in commands}


def all_processes():
    """Return the command line of each running process, by process id."""
    return _processes()[1]


def _processes():
    parents, commands = {}, {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # It has already ended.
    return parents, commands


def wait_for(condition, process=None, *, seconds=LONGEST):
    """Wait until a condition is true, and return its value; fail if the given process ends before."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        assert process is None or process.poll() is None, process.stdout.read()
        time.sleep(0.05)
    raise AssertionError("the condition was never true")


def kill_one_of(victims, process):
    """Kill the last of the processes that `victims` returns, once there is one that can be killed."""

    def kill():
        try:
            os.kill(victims()[-1], signal.SIGKILL)
        except (IndexError, ProcessLookupError):
            return False  # There is none yet, or it ended just now.
        return True

    wait_for(kill, process)


def is_working(output):
    """Return whether a run has begun a wave that it has not committed."""
    return len(list(output.glob("waves/*"))) > len(committed(output))


def committed(output):
    """Return the committed waves of a run, from their marks."""
    return [json.loads(path.read_text()) for path in output.glob("waves/*/_COMMITTED")]
