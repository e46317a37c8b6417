"""A folder that a run writes is held by that run alone, and by nobody once its process has ended, in whatever way."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from conformance.engine.run_lock import InUse, run_lock, running_in

#: A process that is started in the background of a shell, as this one may be, ignores SIGINT, and its children too.
HOLDS = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
from pathlib import Path
from conformance.engine.run_lock import run_lock
with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_run(folder):
    """Hold a folder by another process, until the end or until it is killed."""
    command = [sys.executable, "-c", HOLDS, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_run_is_refused_and_the_message_names_the_first(tmp_path):
    with another_run(tmp_path) as process:
        with (
            pytest.raises(InUse, match=rf"in use by another run \(process {process.pid} on host .+\)$"),
            run_lock(tmp_path),
        ):
            pass
        assert running_in(tmp_path).startswith(f"process {process.pid} ")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_no_lock(tmp_path, number):
    with another_run(tmp_path) as process:
        os.kill(process.pid, number)
        process.wait()
        assert running_in(tmp_path) is None
        with run_lock(tmp_path):
            pass


def test_a_process_may_hold_a_folder_twice(tmp_path):
    with run_lock(tmp_path), run_lock(tmp_path / "." / ""):
        pass
    assert running_in(tmp_path) is None


def test_two_threads_are_two_runs(tmp_path):
    refused = []

    def second():
        try:
            with run_lock(tmp_path):
                pass
        except InUse as error:
            refused.append(str(error))

    with run_lock(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert len(refused) == 1


FUZZ = ("fuzz", "decode", "--implementation", "reference", "--engine", "property", "--time", "1s")
COMMANDS = {
    "certify": ("certify", "reference", "--examples", "1", "--family", "bad_magic", "--report"),
    "fuzz": (*FUZZ, "--family", "bad_magic", "--profile", "mysql-8.0", "--report"),
    "report": ("report", "{record}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_not_write_into_a_folder_in_use(tmp_path, name):
    record = tmp_path / "first" / "run.jsonl"
    kit = [sys.executable, "-m", "conformance"]
    if name == "report":
        subprocess.run([*kit, *COMMANDS["certify"], str(record.parent)], check=True, capture_output=True)
    folder = tmp_path / "folder"
    with another_run(folder) as process:
        arguments = [each.format(record=record) for each in COMMANDS[name]]
        done = subprocess.run(
            [*kit, *arguments, str(folder)], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 2
        (error,) = done.stderr.splitlines()
        assert error.startswith(
            f"binlog-conformance: {folder} is in use by another run (process {process.pid} on host "
        )
        assert [each.name for each in folder.iterdir()] == [".run.lock"]
    done = subprocess.run([*kit, *arguments, str(folder)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_two_fuzzing_runs_do_not_share_a_corpus(tmp_path):
    command = [sys.executable, "-m", "conformance", *FUZZ, "--corpus", "corpus"]
    with another_run(tmp_path / "corpus" / "decode"):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "corpus/decode is in use by another run" in done.stderr
