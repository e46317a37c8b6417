"""On a standalone cluster, whose workers have not the kit, a run comes to what it comes to on this machine."""

import os
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import running
from plain_judging import add_rows, judged, sums
from pyarrow.parquet import read_table
from running import committed, wait_for
from standalone import standalone_cluster

from conformance.corpus.java import NoJava, find_java
from conformance.corpus.plan import Plan
from conformance.engine.selection import Selection
from conformance.implementations.limits import DEFAULT_LIMITS
from conformance.implementations.registry import implementation

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

ADAPTER = Path(__file__).parents[2] / "docs" / "adapters" / "minimal_adapter.py"
CASES = 4000
SPEC = "command:reader/bin/reader"
corpus_run = partial(running.corpus_run, cases=CASES)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The folder that the command is run in; it has the implementation, which no worker's folder has."""
    folder = tmp_path_factory.mktemp("home")
    write_reader(folder / "reader", ADAPTER.read_text(encoding="utf-8"))
    return folder


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        find_java()
    except NoJava as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("cluster")
    with standalone_cluster(folder) as started:
        kit = [started.python, "-c", "import conformance"]
        told = subprocess.run(kit, cwd=folder, env={}, capture_output=True, text=True, check=False).stderr
        assert "No module named 'conformance'" in told
        yield started


def write_reader(folder, program):
    """Makes a folder with an implementation in it, and returns the option that sends it along as `reader`."""
    reader = folder / "bin" / "reader"
    reader.parent.mkdir(parents=True)
    reader.write_text(program, encoding="utf-8")
    reader.chmod(0o755)
    archive = folder.with_suffix(".tar.gz")
    with tarfile.open(archive, "w:gz") as file:
        file.add(folder, arcname=".")
    return f"--conf=spark.archives={archive}#reader"


@pytest.fixture(scope="module")
def undisturbed(home):
    """What the same cases come to, judged one after the other in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        with implementation(SPEC) as tested:
            plan = Plan(tuple(Selection().pairs(tested.declaration)))
        counts = judged(SPEC, (0, CASES), plan=plan, limits=DEFAULT_LIMITS)
    counts.totals["cases taken"] = CASES
    return sums(counts)


def results_of(output):
    """Adds up all that a run keeps: verdicts, coverage, kinds of failure and failing cases."""
    met = Counter()
    for part in output.glob("waves/*/*.parquet"):
        assert (part.parent / "_COMMITTED").exists()
        add_rows(met, read_table(part))
    return met


@pytest.fixture
def run_there(cluster, home):
    """Runs the command against the cluster."""
    archive = f"--conf=spark.archives={home / 'reader.tar.gz'}#reader"

    def run(output, *options):
        return corpus_run(output, SPEC, *cluster.options, archive, *options, folder=home)

    return run


def test_killing_an_executor_changes_nothing(cluster, run_there, undisturbed, tmp_path):
    with run_there(tmp_path / "run") as process:
        wait_for(lambda: committed(tmp_path / "run"), process)
        time.sleep(1.0)
        victim = wait_for(cluster.executors, process)[0]
        os.kill(victim, signal.SIGKILL)
        assert sum(wave["cases"] for wave in committed(tmp_path / "run")) < CASES
        text, _ = process.communicate(timeout=300)
    assert process.returncode == 1, text
    assert results_of(tmp_path / "run") == undisturbed


def test_a_killed_driver_is_resumed(cluster, run_there, undisturbed, tmp_path):
    with run_there(tmp_path / "run") as process:
        wait_for(lambda: committed(tmp_path / "run"), process)
        time.sleep(1.0)
        process.kill()
        assert sum(wave["cases"] for wave in committed(tmp_path / "run")) < CASES
    wait_for(lambda: not cluster.executors())
    with run_there(tmp_path / "run", "--resume") as process:
        text, _ = process.communicate(timeout=300)
    assert process.returncode == 1, text
    assert results_of(tmp_path / "run") == undisturbed


def test_what_starts_on_no_worker_ends_the_run_at_once(cluster, home, tmp_path):
    starts = tmp_path / "starts"
    broken = f"#!/bin/sh\necho >> {starts}\necho 'no libbinlog.so here' >&2\nexit 3\n"
    archive = write_reader(tmp_path / "broken", broken)
    with corpus_run(tmp_path / "run", SPEC, *cluster.options, archive, folder=home) as process:
        text, _ = process.communicate(timeout=120)
    assert process.returncode == 2
    told = text.splitlines()[-1]
    assert told.startswith("binlog-conformance: on ")
    assert "no libbinlog.so here" in told
    assert text.count("libbinlog.so") == 1
    assert "Traceback" not in text
    # Each of the two tasks tries to start it twice, and no task is tried again.
    assert 1 <= len(starts.read_text().splitlines()) <= 4
    assert committed(tmp_path / "run") == []
