"""A standalone cluster of Spark on this machine, whose workers have the packages that Spark needs, but not the kit."""

import os
import re
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from running import descendants, wait_for
from workers import JAVA_OPTIONS, PACKAGES, SPARK_HOME, executor_settings, python_with

from conformance.corpus.java import find_java, write_java_home


@dataclass
class StandaloneCluster:
    """A running cluster.

    Attributes:
        url: Its master, for `--master`.
        python: The Python that has the packages which workers need; the `python3` of their PATH has none.
        daemons: The processes of the master and of the workers.
    """

    url: str
    python: Path
    daemons: list[subprocess.Popen] = field(default_factory=list)

    def executors(self):
        """Return the process ids of the executors."""
        below = {}
        for daemon in self.daemons:
            below |= descendants(daemon.pid)
        return [each for each, command in below.items() if "CoarseGrainedExecutorBackend" in command]

    @property
    def options(self):
        """The options with which the command runs on this cluster, with small executors of one core."""
        settings = executor_settings(self.python)
        return ["--master", self.url, *(f"--conf={name}={value}" for name, value in settings.items())]


@contextmanager
def standalone_cluster(folder, *, workers=2):
    """Start a master and workers of one core and one GiB each, every one in a folder of its own."""
    write_java_home(folder / "java", find_java())
    python = python_with(PACKAGES, folder / "python")
    nothing = python_with((), folder / "nothing")
    environment = {
        "PATH": f"{nothing.parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "JAVA_HOME": str(folder / "java"),
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": f"{JAVA_OPTIONS} -Dspark.master.rest.enabled=false",
    }
    with ExitStack() as stack:
        cluster = StandaloneCluster("", python)

        def start(name, pattern, *arguments):
            daemon, log = launched(folder / name, environment, *arguments)
            stack.callback(end, daemon)
            cluster.daemons.append(daemon)
            return wait_for(lambda: re.search(pattern, log.read_text(encoding="utf-8", errors="replace")))

        place = ("--host", "127.0.0.1", "--webui-port", "0")
        started = start("master", r"at (spark://127\.0\.0\.1:\d+)", "master.Master", *place, "--port", "0")
        cluster.url = started[1]
        for number in range(workers):
            size = ("--cores", "1", "--memory", "1g")
            start(f"worker-{number}", "Successfully registered", "worker.Worker", *place, *size, cluster.url)
        yield cluster


def launched(folder, environment, name, *arguments):
    """Start one of Spark's daemons in a folder, and return its process and its log."""
    folder.mkdir()
    with open(folder / "log", "wb") as log:
        command = [SPARK_HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments]
        daemon = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    return daemon, folder / "log"


def end(daemon):
    """Kill a daemon and the executors in its process group, and wait until all their descendants are gone."""
    below = descendants(daemon.pid)
    os.killpg(daemon.pid, signal.SIGKILL)
    daemon.wait()
    wait_for(lambda: not any(Path(f"/proc/{each}").exists() for each in below))
