"""The faults of the machine: each is a context in which a command runs, and which is repaired at its end."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from tests.faults.tries import ENVIRONMENTS

#: What the command line of a victim contains, and which of those that have it: the first or the last that started.
_VICTIMS = {
    "kill java": ("org.apache.spark.deploy.SparkSubmit", 0),
    "kill python daemon": ("pyspark.daemon", 0),
    "kill python worker": ("pyspark.daemon", -1),
    "kill implementation": ("reader.py mutant", -1),
}
_LIMITS = "import os, resource, sys; n = int(sys.argv[2]); resource.setrlimit(getattr(resource, sys.argv[1]), (n, n)); "
_CLOSED = "import os, sys; [os.close(int(each)) for each in sys.argv[1].split(',')]; "


def come_over(run, each):
    """Let the fault of a try come over a run that was started, and return whether it came in time."""
    if each.phase == "from the start":
        return True
    if not run.wait_for(lambda: run.has(each.phase)):
        return False
    time.sleep(each.delay)
    return run.process.poll() is None and _AT_A_MOMENT[each.fault](run, each)


@contextmanager
def prepared(run, each):
    """Prepare a run for the fault of a try, and repair what the fault has done."""
    with _PREPARED.get(each.fault, _nothing)(run, each):
        yield


@contextmanager
def _nothing(run, each):
    yield


@contextmanager
def _small_disk(run, each):
    """Put the output or the temporary files on a disk that is full at once, or soon."""
    place, size, _ = each.detail
    if os.geteuid() != 0:
        run.prefix = _after(_LIMITS, "RLIMIT_FSIZE", size << 10)
        yield
        run.prefix = ()
        return
    folder = run.out if place == "output" else run.folder / "temporary"
    folder.mkdir()
    run.environment |= {} if place == "output" else {"TMPDIR": str(folder)}
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", folder], check=True)
    kept = run.folder / "kept"
    try:
        yield
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        run.environment.pop("TMPDIR", None)
        shutil.copytree(folder, kept)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()
        if kept.exists():
            kept.rename(folder)


@contextmanager
def _permissions(run, each):
    """Run without the right to write in spite of permissions, which root has."""
    if os.geteuid() == 0:
        run.prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    yield
    for folder, _, _ in os.walk(run.out):
        os.chmod(folder, 0o755)
    run.prefix = ()


@contextmanager
def _environment(run, each):
    for name in each.detail:
        run.environment |= ENVIRONMENTS[name]
    yield
    run.environment.clear()


@contextmanager
def _descriptors(run, each):
    run.prefix = _after(_CLOSED, ",".join(map(str, each.detail)))
    yield
    run.prefix = ()


@contextmanager
def _limits(run, each):
    name, number = each.detail
    run.prefix = _after(_LIMITS, f"RLIMIT_{name.upper()}", number)
    yield
    run.prefix = ()


def _after(code, *arguments):
    """Return the beginning of a command line that runs the rest of it after some code."""
    code += f"os.execv(sys.argv[{len(arguments) + 1}], sys.argv[{len(arguments) + 1}:])"
    return (sys.executable, "-I", "-c", code, *map(str, arguments))


@contextmanager
def _clock(run, each):
    """Let the programs take the time from a library that reads it, and its step, from a file."""
    libraries = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not libraries:
        pytest.skip("a step of the clock needs the package libfaketime")
    step = run.folder / "clock"
    step.write_text("+0\n", encoding="utf-8")
    run.environment |= {
        "LD_PRELOAD": libraries[0],
        "FAKETIME_TIMESTAMP_FILE": str(step),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
    yield
    run.environment.clear()


_PREPARED = {
    "full disk": _small_disk,
    "read-only folder": _permissions,
    "poor environment": _environment,
    "closed descriptors": _descriptors,
    "tiny limits": _limits,
    "clock step": _clock,
}


def _kill_driver(run, each):
    run.process.kill()
    return True


def _kill_victim(run, each):
    part, which = _VICTIMS[each.fault]

    def victims():
        return [number for number, command in list(run.processes().items())[1:] if part in command]

    if not run.wait_for(victims):
        return False
    try:
        os.kill(victims()[which], signal.SIGKILL)
    except (IndexError, ProcessLookupError):
        return False
    return True


def _make_read_only(run, each):
    for folder, _, _ in os.walk(run.out if run.out.exists() else run.folder):
        os.chmod(folder, 0o555)
    return True


def _step_the_clock(run, each):
    days, _ = each.detail
    # The library reads the file at any moment, and must not find half of it.
    (run.folder / "next").write_text(f"{days * 86400:+.0f}\n", encoding="utf-8")
    (run.folder / "next").replace(run.folder / "clock")
    return True


_AT_A_MOMENT = {
    "kill driver": _kill_driver,
    **dict.fromkeys(_VICTIMS, _kill_victim),
    "full disk": lambda run, each: True,
    "read-only folder": _make_read_only,
    "clock step": _step_the_clock,
}
