"""HDFS and YARN on this machine: the daemons of Hadoop in one process, whose containers do not have the kit."""

import os
import re
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from running import descendants, wait_for
from workers import JAVA_OPTIONS, PACKAGES, SPARK_HOME, executor_settings, python_with

from conformance.corpus.java import find_java, write_java_home

#: The settings of the daemons besides Hadoop's defaults.
SETTINGS = {
    "dfs.replication": "1",
    "yarn.minicluster.yarn.nodemanager.resource.memory-mb": "2048",
    "yarn.scheduler.minimum-allocation-mb": "256",
    # Hadoop ships these two in a separate file.
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    # A nearly full disk does not matter here.
    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
}
#: The settings that a client needs, by file.
CLIENT = {
    "core-site.xml": ("fs.defaultFS",),
    "yarn-site.xml": ("yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address"),
}
LOGGING = """
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
"""


def client_version():
    """Return the version of Hadoop of PySpark's jars."""
    (jar,) = SPARK_HOME.glob("jars/hadoop-client-api-*.jar")
    return re.fullmatch(r"hadoop-client-api-(.+)\.jar", jar.name)[1]


@dataclass(frozen=True)
class HadoopCluster:
    """A running cluster.

    Attributes:
        files: Its file system, as Hadoop's class `FileSystem`.
        configuration: The folder for `HADOOP_CONF_DIR`.
        python: The Python that has the packages which workers need.
        number: The process id of the daemons.
        new_path: Makes Hadoop's `Path` from a text.
    """

    files: object
    configuration: Path
    python: Path
    number: int
    new_path: object

    def executors(self):
        """Return the process ids of the executors, without the shells that started them."""
        return self._running("CoarseGrainedExecutorBackend")

    def containers(self):
        """Return the process ids of all containers."""
        return self._running("org.apache.spark.")

    def _running(self, name):
        below = descendants(self.number).items()
        return [each for each, command in below if name in command and "/java " in command.partition(" -")[0] + " "]

    def names(self, folder):
        """Return the names in a folder, none if there is no folder."""
        path = self.new_path(folder)
        return [each.getPath().getName() for each in self.files.listStatus(path)] if self.files.exists(path) else []

    def fetch(self, source, target):
        """Copy a folder to this machine's disk."""
        self.files.copyToLocalFile(False, self.new_path(source), self.new_path(str(target)), True)

    @property
    def options(self):
        """The options with which the command runs on this cluster, with small executors of one core."""
        settings = {
            **executor_settings(self.python),
            "spark.executor.instances": "2",
            "spark.yarn.am.memory": "512m",
            "spark.yarn.am.extraJavaOptions": JAVA_OPTIONS,
            # Otherwise the client copies all of Spark into HDFS each time.
            "spark.yarn.jars": f"local:{SPARK_HOME}/jars/*",
        }
        return ["--master", "yarn", *(f"--conf={name}={value}" for name, value in settings.items())]


@contextmanager
def hadoop_cluster(folder, jars, *, nodes=2):
    """Start a name node, a data node, a resource manager and node managers of two GiB each.

    Args:
        folder: The folder for all files of the cluster.
        jars: The folder that `provision_hadoop.sh` made.
        nodes: How many node managers there are.
    """
    write_java_home(folder / "java", find_java())
    (folder / "logging.properties").write_text(LOGGING, encoding="utf-8")
    python = python_with(PACKAGES, folder / "python")
    options = [f"-Dlog4j2.configurationFile={folder / 'logging.properties'}", *JAVA_OPTIONS.split(), "-Xmx512m"]
    (py4j,) = SPARK_HOME.glob("jars/py4j-*.jar")
    with open(folder / "log", "wb") as log, pytest.MonkeyPatch.context() as patch:
        # Node managers pass their environment on to their containers.
        patch.delenv("PYTHONPATH", raising=False)
        patch.setenv("JAVA_HOME", str(folder / "java"))
        port, process = launch_gateway(
            jarpath=str(py4j),
            classpath=f"{jars}/*:{SPARK_HOME}/jars/*",
            javaopts=options,
            die_on_exit=True,
            redirect_stderr=log,
            java_path=None,
            cwd=folder,
            return_proc=True,
        )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
    try:
        hadoop = gateway.jvm.org.apache.hadoop
        settings = hadoop.yarn.conf.YarnConfiguration()
        for name, value in SETTINGS.items():
            settings.set(name, value)
        base = gateway.jvm.java.io.File(str(folder / "hdfs"))
        hdfs = hadoop.hdfs.MiniDFSCluster.Builder(settings, base).build()
        yarn = hadoop.yarn.server.MiniYARNCluster("yarn", nodes, 1, 1)
        yarn.init(settings)
        yarn.start()
        assert yarn.waitForNodeManagersToConnect(60_000)
        write_configuration(folder / "configuration", yarn.getConfig())
        yield HadoopCluster(hdfs.getFileSystem(), folder / "configuration", python, process.pid, hadoop.fs.Path)
    finally:
        gateway.shutdown()
        end(process)


def write_configuration(folder, settings):
    """Write the files that a client reads."""
    folder.mkdir()
    for file, names in CLIENT.items():
        pairs = [f"<name>{name}</name><value>{escape(settings.get(name))}</value>" for name in names]
        properties = "".join(f"<property>{each}</property>" for each in pairs)
        (folder / file).write_text(f"<configuration>{properties}</configuration>", encoding="utf-8")


def end(process):
    """Kill the daemons and every container, and wait until they are gone."""
    below = descendants(process.pid)
    for each in (process.pid, *below):
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            continue  # It has already ended.
    process.wait()
    wait_for(lambda: not any(Path(f"/proc/{each}").exists() for each in below))
