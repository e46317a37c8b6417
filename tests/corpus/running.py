"""The command that runs a corpus, in a process that may be killed; what runs below it, and how far it is."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def corpus_run(output, spec, *options, cases, folder=None):
    """Runs the command in a process of its own, which may be killed."""
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
    """Returns the command line of each running process below one, by its number."""
    parents, commands = {}, {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # It has ended meanwhile.
    found = {number}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return {each: commands[each] for each in found - {number}}


def wait_for(condition, process=None, *, seconds=120):
    """Waits until something is the case, while a process runs where one is given, and returns it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        assert process is None or process.poll() is None, process.stdout.read()
        time.sleep(0.05)
    raise AssertionError("it never was the case")


def committed(output):
    """Returns the committed waves of a run, as they are marked."""
    return [json.loads(path.read_text()) for path in output.glob("waves/*/_COMMITTED")]
