"""A mistake is reported in one line with exit status 2, before Spark is started."""

import subprocess
import sys

import pytest

from tests.extras import require
from tests.running import forked

require("spark")


def corpus(*arguments):
    return forked("corpus", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "reference"], "give one of --cases, --events and --time"),
        (["run", "reference", "--cases", 1, "--events", 1], "give one of --cases, --events and --time"),
        (["run", "referense", "--cases", 1], "'referense' is not a valid implementation"),
        (["run", "reference", "--cases", 1, "--baseline", "nowhere.toml"], "nowhere.toml"),
        (["run", "reference", "--cases", 1, "--conf", "spark"], "--conf takes KEY=VALUE"),
        (
            ["run", "reference", "--cases", 1, "--master", "sc://localhost"],
            "sc://localhost is a server of Spark Connect",
        ),
        (["generate", "--cases", 1, "--conf", "spark.remote=sc://a"], "sc://a is a server of Spark Connect"),
        (["run", "reference", "--cases", 1, "--master", "yarn"], "set HADOOP_CONF_DIR"),
        (["run", "reference", "--cases", 1, "--master", "http://a"], "'http://a' is not a Spark master"),
        (["generate", "--cases", 1, "--profile", "mysql-4"], "no profile 'mysql-4'"),
        (["run", f"command:{sys.executable} -c 'exit(\"no library\")'", "--cases", 1], "no library"),
    ],
)
def test_a_mistake_is_one_line(arguments, message):
    assert_is_one_line(corpus(*arguments), message)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("master", "message"),
    [
        ("spark://127.0.0.1:9", "does not start on spark://127.0.0.1:9: no master answers there"),
        ("k8s://https://127.0.0.1:9", "does not start on k8s://https://127.0.0.1:9: java.net.ConnectException"),
    ],
)
def test_a_master_that_does_not_answer_is_named(master, message, tmp_path):
    # Not forked: another test of this process may have started Spark.
    command = [sys.executable, "-m", "conformance", "corpus", "run", "reference", "--cases", "1"]
    done = subprocess.run(
        [*command, "--output", tmp_path / "run", "--master", master], capture_output=True, text=True, check=False
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "reference", "--cases", 1, "--family", "transaction"], "no family 'transaction'"),
        (["run", "reference", "--cases", 1, "--profile", "mysql-4"], "no profile 'mysql-4'"),
        (["check", "corpus", "reference", "--requirement", "WL-*"], "no requirement matches 'WL-*'"),
        (["generate", "--cases", 1, "--family", "transaction"], "no family 'transaction'"),
        (["report", "run", "/proc/report"], "/proc/report: No such file or directory"),
    ],
)
def test_a_mistake_is_reported_before_spark_is_started(arguments, message):
    no_master = ["--master", "http://a"]
    assert_is_one_line(corpus(*arguments, *no_master), message)


def assert_is_one_line(done, message):
    assert done.status == 2
    assert message in done.errors
    assert len(done.errors.splitlines()) == 1
