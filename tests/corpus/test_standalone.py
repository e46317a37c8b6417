"""On a standalone cluster, whose workers do not have the kit, a run has the same results as on this machine."""

import sys
from functools import partial

import pytest
import running
from running import LONGEST, committed, is_working, kill_one_of, wait_for
from sent_reader import SPEC, results_of, undisturbed_results, write_reader
from standalone import standalone_cluster
from workers import has_kit

from conformance.corpus.java import NoJava, find_java

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

CASES = 4000
corpus_run = partial(running.corpus_run, cases=CASES)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        find_java()
    except NoJava as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("cluster")
    with standalone_cluster(folder) as started:
        assert not has_kit(started.python, folder)
        yield started


@pytest.fixture(scope="module")
def undisturbed(home):
    """Return the results of the same cases, judged one after the other in this process."""
    return undisturbed_results(home, CASES)


@pytest.fixture
def run_there(cluster, home):
    """Return a function that runs the command on the cluster."""
    archive = f"--conf=spark.archives={home / 'reader.tar.gz'}#reader"

    def run(output, *options):
        return corpus_run(output, SPEC, *cluster.options, archive, *options, folder=home)

    return run


def test_killing_an_executor_changes_nothing(cluster, run_there, undisturbed, tmp_path):
    with run_there(tmp_path / "run") as process:
        wait_for(lambda: committed(tmp_path / "run"), process)
        kill_one_of(cluster.executors, process)
        assert sum(wave["cases"] for wave in committed(tmp_path / "run")) < CASES
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 1, text
    assert results_of(tmp_path / "run") == undisturbed


def test_a_killed_driver_is_resumed(cluster, run_there, undisturbed, tmp_path):
    with run_there(tmp_path / "run") as process:
        wait_for(lambda: committed(tmp_path / "run"), process)
        wait_for(lambda: is_working(tmp_path / "run"), process)
        process.kill()
        assert sum(wave["cases"] for wave in committed(tmp_path / "run")) < CASES
    wait_for(lambda: not cluster.executors())
    with run_there(tmp_path / "run", "--resume") as process:
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 1, text
    assert results_of(tmp_path / "run") == undisturbed


def test_an_implementation_that_starts_on_no_worker_ends_the_run_at_once(cluster, home, tmp_path):
    starts = tmp_path / "starts"
    broken = f"#!/bin/sh\necho >> {starts}\necho 'no libbinlog.so here' >&2\nexit 3\n"
    archive = write_reader(tmp_path / "broken", broken)
    with corpus_run(tmp_path / "run", SPEC, *cluster.options, archive, folder=home) as process:
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 2
    error = text.splitlines()[-1]
    assert error.startswith("binlog-conformance: on ")
    assert "no libbinlog.so here" in error
    assert text.count("libbinlog.so") == 1
    assert "Traceback" not in text
    # Each of the two tasks tries to start it twice, and no task is retried.
    assert 1 <= len(starts.read_text().splitlines()) <= 4
    assert committed(tmp_path / "run") == []
