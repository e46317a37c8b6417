"""Whichever process is killed, at whatever time, the run has the verdicts of an undisturbed one."""

import sys
from functools import partial

import pytest
import running
from running import LONGEST, all_processes, committed, descendants, is_working, kill_one_of, wait_for

from conformance.corpus.results import read_results

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

CASES = 12_000
corpus_run = partial(running.corpus_run, cases=CASES)


def resume(output, spec):
    """Finish a run."""
    with corpus_run(output, spec, "--resume") as process:
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 1, text


def kill_one(process, output, part):
    """Kill a process of the run whose command line contains `part`, once a wave is committed."""
    wait_for(lambda: committed(output), process)

    def victims():
        return [each for each, command in descendants(process.pid).items() if part in command]

    kill_one_of(victims, process)


@pytest.fixture(scope="module")
def spec(reader):
    return reader("crash=997")


@pytest.fixture(scope="module")
def undisturbed(spark, spec, tmp_path_factory):
    """Return the results of an undisturbed run."""
    output = tmp_path_factory.mktemp("undisturbed") / "run"
    with corpus_run(output, spec) as process:
        text, _ = process.communicate(timeout=LONGEST)
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
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 1, text
    assert results_of(spark, tmp_path / "run") == undisturbed


def test_killing_a_worker_changes_nothing(spark, spec, undisturbed, tmp_path):
    with corpus_run(tmp_path / "run", spec) as process:
        kill_one(process, tmp_path / "run", "pyspark.daemon")
        process.communicate(timeout=LONGEST)
    if process.returncode != 1:
        resume(tmp_path / "run", spec)
    assert results_of(spark, tmp_path / "run") == undisturbed


@pytest.mark.parametrize("waves", [0, 1, 2])
def test_a_killed_driver_is_resumed(spark, spec, undisturbed, tmp_path, waves):
    with corpus_run(tmp_path / "run", spec) as process:
        wait_for(lambda: len(committed(tmp_path / "run")) >= waves and is_working(tmp_path / "run"), process)
        below = descendants(process.pid)
        process.kill()
    # Its tasks may go on for a while: what they write is not read.
    resume(tmp_path / "run", spec)
    assert results_of(spark, tmp_path / "run") == undisturbed
    # Spark's Java process ends with its driver, and with it every worker and every implementation.
    wait_for(lambda: not below.items() & all_processes().items())


def test_a_run_whose_java_process_is_killed_is_resumed(spark, spec, undisturbed, tmp_path):
    with corpus_run(tmp_path / "run", spec) as process:
        kill_one(process, tmp_path / "run", "org.apache.spark.deploy.SparkSubmit")
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 2, text
    assert "Traceback" not in text
    resume(tmp_path / "run", spec)
    assert results_of(spark, tmp_path / "run") == undisturbed
