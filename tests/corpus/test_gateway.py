"""An interruption while Spark's Java starts ends it too."""

import os
import signal
import sys
from contextlib import suppress

import pytest
from running import all_processes, corpus_run, descendants, wait_for

from tests.extras import require

require("spark")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def starting_java(process):
    """Return whether the Java of a run's driver is running."""
    submits = (
        command for command in descendants(process.pid).values() if "org.apache.spark.deploy.SparkSubmit" in command
    )
    return any(each.split()[0].endswith("java") and "launcher.Main" not in each for each in submits)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_java_starts_leaves_no_java(reader, tmp_path, end):
    with corpus_run(tmp_path / "run", reader(), cases=10) as process:
        wait_for(lambda: starting_java(process), process)
        below = descendants(process.pid)
        process.send_signal(end)
        try:
            text, _ = process.communicate(timeout=60)
            wait_for(lambda: not below.items() & all_processes().items(), seconds=30)
        finally:
            for each in below.items() & all_processes().items():
                with suppress(ProcessLookupError):
                    os.kill(each[0], signal.SIGKILL)
    name = "" if end == signal.SIGINT else f" by {end.name}"
    assert (process.returncode, text.strip()) == (2, f"binlog-conformance: interrupted{name}")
