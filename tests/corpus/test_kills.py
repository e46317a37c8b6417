"""Whichever process is killed, at whatever time, the run has the verdicts of an undisturbed one."""

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import running
from running import committed, descendants, wait_for

from conformance.corpus.results import read_results

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

CASES = 12_000
corpus_run = partial(running.corpus_run, cases=CASES)


def resume(output, spec):
    """Finish a run."""
    with corpus_run(output, spec, "--resume") as process:
        text, _ = process.communicate(timeout=300)
    assert process.returncode == 1, text


def kill_one(process, output, part):
    """Kill a process of the run whose command line contains `part`, once a wave is committed."""
    wait_for(lambda: committed(output), process)

    def victims():
        return [each for each, command in descendants(process.pid).items() if part in command]

    os.kill(wait_for(victims, process)[-1], signal.SIGKILL)


@pytest.fixture(scope="module")
def spec(reader):
    return reader("crash=997")


@pytest.fixture(scope="module")
def undisturbed(spark, spec, tmp_path_factory):
    """Return the results of an undisturbed run."""
    output = tmp_path_factory.mktemp("undisturbed") / "run"
    with corpus_run(output, spec) as process:
        text, _ = process.communicate(timeout=300)
    assert process.returncode == 1, text
    return results_of(spark, output)


def results_of(spark, output):
    from conformance.corpus.output import Output
    from conformance.corpus.storage import Storage

    results = read_results(spark, Output(Storage(spark, str(output))))
    assert results.tally().cases == CASES
    return results.verdicts, results.clusters, results.coverage


def test_killing_the_implementation_changes_nothing(spark, spec, undisturbed, tmp_path):
    with corpus_run(tmp_path / "run", spec) as process:
        kill_one(process, tmp_path / "run", "reader.py")
        text, _ = process.communicate(timeout=300)
    assert process.returncode == 1, text
    assert results_of(spark, tmp_path / "run") == undisturbed


def test_killing_a_worker_changes_nothing(spark, spec, undisturbed, tmp_path):
    with corpus_run(tmp_path / "run", spec) as process:
        kill_one(process, tmp_path / "run", "pyspark.daemon")
        process.communicate(timeout=300)
    if process.returncode != 1:
        resume(tmp_path / "run", spec)
    assert results_of(spark, tmp_path / "run") == undisturbed


@pytest.mark.parametrize("waves", [0, 1, 2])
def test_a_killed_driver_is_resumed(spark, spec, undisturbed, tmp_path, waves):
    with corpus_run(tmp_path / "run", spec) as process:
        wait_for(lambda: len(committed(tmp_path / "run")) >= waves and descendants(process.pid), process)
        time.sleep(1.0)
        below = descendants(process.pid)
        process.kill()
    # Spark's Java process ends with its driver, and with it every worker and every implementation.
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{each}").exists() for each in below) and time.monotonic() < deadline:
        time.sleep(0.1)
    resume(tmp_path / "run", spec)
    assert results_of(spark, tmp_path / "run") == undisturbed


def test_a_run_whose_java_process_is_killed_is_resumed(spark, spec, undisturbed, tmp_path):
    with corpus_run(tmp_path / "run", spec) as process:
        kill_one(process, tmp_path / "run", "org.apache.spark.deploy.SparkSubmit")
        text, _ = process.communicate(timeout=60)
    assert process.returncode == 2, text
    assert "Traceback" not in text
    resume(tmp_path / "run", spec)
    assert results_of(spark, tmp_path / "run") == undisturbed
