"""The folder for temporary files of a supervised program: it goes with the program, however that ends."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from conformance.implementations.process.supervision import Supervision

#: Makes a file in its temporary folder, prints its path, and goes on for ever.
LEAVES_A_FILE = """
import tempfile, time
with tempfile.NamedTemporaryFile(delete=False) as file:
    print(file.name, flush=True)
time.sleep(600)
"""
#: Runs it as the kit does, prints the path that it prints, and goes on for ever.
KIT = f"""
import os, sys, time
from conformance.implementations.process.supervision import Supervision
supervision = Supervision([sys.executable, "-c", {LEAVES_A_FILE!r}], memory_bytes=None, environment=dict(os.environ))
print(supervision.start().stdout.readline().decode(), end="", flush=True)
time.sleep(600)
"""
SECONDS = 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the user's folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_what_a_killed_program_leaves_is_removed(folder):
    command = [sys.executable, "-c", LEAVES_A_FILE]
    supervision = Supervision(command, memory_bytes=None, environment=dict(os.environ))
    with closing(supervision.start()) as process:
        left = Path(process.stdout.readline().decode().strip())
        assert left.is_file()
        assert left.parent.parent == folder
    supervision.close()
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kit's end may take longer to be seen")
def test_what_it_leaves_is_removed_although_the_kit_is_killed(folder):
    with subprocess.Popen([sys.executable, "-c", KIT], stdout=subprocess.PIPE, text=True) as kit:
        left = Path(kit.stdout.readline().strip())
        assert left.is_file()
        kit.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + SECONDS
    while list(folder.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(folder.iterdir()) == []


def test_a_program_runs_although_no_folder_can_be_made(monkeypatch):
    monkeypatch.setenv("TMPDIR", "/nowhere/at/all")
    command = [sys.executable, "-c", "print('runs')"]
    supervision = Supervision(command, memory_bytes=None, environment=dict(os.environ))
    with closing(supervision.start()) as process:
        assert process.stdout.readline() == b"runs\n"
    supervision.close()
