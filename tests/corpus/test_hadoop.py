"""On YARN, with its results in HDFS, a run has the same results as on this machine."""

import os
import re
import sys
from functools import partial
from pathlib import Path

import pytest
import running
from hadoop_cluster import client_version, hadoop_cluster
from running import LONGEST, kill_one_of, wait_for
from sent_reader import SPEC, results_of, undisturbed_results, write_reader
from workers import has_kit

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]

CASES = 4000
corpus_run = partial(running.corpus_run, cases=CASES)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if "BINLOG_HADOOP" not in os.environ:
        pytest.skip("BINLOG_HADOOP does not name a folder that tests/corpus/provision_hadoop.sh has filled")
    jars = Path(os.environ["BINLOG_HADOOP"]).resolve()
    jar = jars / f"hadoop-client-minicluster-{client_version()}.jar"
    assert jar.exists(), f"{jar} is not there: tests/corpus/provision_hadoop.sh fetches it"
    folder = tmp_path_factory.mktemp("hadoop")
    with hadoop_cluster(folder, jars) as started, pytest.MonkeyPatch.context() as patch:
        assert not has_kit(started.python, folder)
        patch.setenv("HADOOP_CONF_DIR", str(started.configuration))
        yield started


def committed(cluster, output):
    """Return the folders of the committed waves of a run."""
    waves = [f"{output}/waves/{name}" for name in cluster.names(f"{output}/waves")]
    return [wave for wave in waves if "_COMMITTED" in cluster.names(wave)]


def test_a_killed_container_and_a_killed_driver_change_nothing(cluster, home, tmp_path):
    archive = f"--conf=spark.archives={home / 'reader.tar.gz'}#reader"
    with corpus_run("/killed", SPEC, *cluster.options, archive, folder=home) as process:
        wait_for(lambda: committed(cluster, "/killed"), process)
        kill_one_of(cluster.executors, process)
        wait_for(lambda: len(committed(cluster, "/killed")) > 1, process)
        process.kill()
    wait_for(lambda: not cluster.containers())
    assert len(committed(cluster, "/killed")) < CASES // 1000
    with corpus_run(
        "/killed", SPEC, "--resume", "--report", str(tmp_path / "report"), *cluster.options, archive, folder=home
    ) as process:
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 1, text
    assert re.search(r"Run: hdfs://\S+/killed, 4,000 cases", text)
    assert (tmp_path / "report" / "report.html").exists()
    cluster.fetch("/killed", tmp_path / "killed")
    assert results_of(tmp_path / "killed") == undisturbed_results(home, CASES)


def test_an_implementation_that_starts_in_no_container_ends_the_run_at_once(cluster, home, tmp_path):
    archive = write_reader(tmp_path / "broken", "#!/bin/sh\necho 'no libbinlog.so here' >&2\nexit 3\n")
    with corpus_run("/broken", SPEC, *cluster.options, archive, folder=home) as process:
        text, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 2
    error = text.splitlines()[-1]
    assert error.startswith("binlog-conformance: on ")
    assert "no libbinlog.so here" in error
    assert text.count("libbinlog.so") == 1
    assert "Traceback" not in text
    assert committed(cluster, "/broken") == []
