"""The Spark session: local by default, on any master, or the one of spark-submit."""

import logging
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from conformance.corpus.gateway import start_java
from conformance.corpus.java import find_java, write_java_home
from conformance.corpus.kit_archive import PACKAGE, write_archive, write_extension_archives

#: Where Spark runs by default: on every core of this machine, with up to four attempts for each task as on a cluster.
LOCAL: Final = "local[*,4]"

_QUIET: Final = """
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex{0}
# A lost task is retried; an error that remains is reported once, by the command.
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = off
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.writer.name = org.apache.spark.sql.execution.datasources
logger.writer.level = off
logger.runner.name = org.apache.spark.api.python.PythonRunner
logger.runner.level = off
# Spark's shell takes its level from this logger, and prints a warning if that is not the root's.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
logger.utils.name = org.apache.spark.util.Utils
logger.utils.level = off
# Why a session does not start is reported by the command.
logger.context.name = org.apache.spark.SparkContext
logger.context.level = off
logger.standalone.name = org.apache.spark.scheduler.cluster.StandaloneSchedulerBackend
logger.standalone.level = off
"""

_SETTINGS: Final = {
    "spark.app.name": "binlog-conformance",
    "spark.ui.showConsoleProgress": "false",
    # Results are small: a shuffle of a few thousand rows does not need two hundred tasks.
    "spark.sql.shuffle.partitions": "8",
    # Small jobs run between the tasks of a wave, see `conformance.corpus.waves`.
    "spark.scheduler.mode": "FAIR",
    # Stored corpora hold whole streams, so a task should hold only a part of a file.
    "spark.sql.files.maxPartitionBytes": "16m",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "500",
    "spark.sql.parquet.compression.codec": "zstd",
    # The kit keeps no rows in Python workers, so a retried task finds nothing of its first attempt.
    "spark.python.worker.reuse": "true",
    "spark.python.worker.faulthandler.enabled": "false",
}


#: Why a run needs the driver in its own process, and what to do.
_CONNECT: Final = (
    "a run needs the driver itself, for its file systems and to watch its tasks; start it where the driver is, "
    "with spark-submit, or give it the session of a notebook (docs/clusters.md)"
)
_MASTER: Final = re.compile(r"local(\[.*\])?$|local-cluster\[|spark://|yarn$|k8s://")
#: Spark's words for a session that it gave up while it began, as a standalone master did not answer.
_STOPPED: Final = "Cannot call methods on a stopped SparkContext"
#: The variables that name the folder of Hadoop's settings.
_HADOOP: Final = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")


class NoSession(Exception):
    """Spark cannot be started; the message says why, in one line."""


@contextmanager
def spark_session(*, master: str | None = None, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """Start Spark, and stop it at the end.

    Under spark-submit the session is the submitted one, with its own master and Java.

    Args:
        master: Any Spark master; local when None.
        settings: Spark settings, which override the kit's own.

    Raises:
        NoSession: Spark does not start.
        conformance.corpus.java.NoJava: There is no suitable Java.
    """
    _check_master(master, settings or {})
    with tempfile.TemporaryDirectory(prefix="binlog-conformance-") as scratch:
        submitted = "PYSPARK_GATEWAY_PORT" in os.environ
        launched = {} if submitted else _launched(master, Path(scratch))
        named = {"spark.master": master} if submitted and master is not None else {}
        every = {**_SETTINGS, **launched, **named, **(settings or {})}
        builder = SparkSession.builder
        for name, value in every.items():
            builder = builder.config(name, value)
        # Py4J also logs the traceback of every exception that it raises, not always to a logger of its own.
        logging.getLogger().addFilter(_is_not_py4j)
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        interrupt = signal.getsignal(signal.SIGINT)
        try:
            start_java(every)
            spark = builder.getOrCreate()
        except (PySparkException, Py4JError) as error:
            raise NoSession(_why_not(error, master)) from error
        if threading.current_thread() is threading.main_thread():
            # Spark's own handler sends an order to Java in the middle of the one that it interrupts.
            signal.signal(signal.SIGINT, interrupt)
        context = spark.sparkContext
        # Spark uses this setting under spark-submit only; otherwise it takes the name from PYSPARK_PYTHON.
        context.pythonExec = context.getConf().get("spark.pyspark.python", context.pythonExec)
        # It prints the traceback of a broken connection, which only means that Spark's Java process is gone.
        server = getattr(context, "_accumulatorServer", None)
        if server is not None:
            server.handle_error = lambda request, address: None
        try:
            _send_kit(spark, Path(scratch))
            yield spark
        except BaseException:
            # What Spark gives up, it gives up because of this.
            with suppress(Exception):
                context.setLogLevel("OFF")
            raise
        finally:
            spark.stop()


@contextmanager
def given_session(spark: SparkSession) -> Iterator[SparkSession]:
    """Prepare a session that the user has, as in a notebook of a managed Spark; it is not stopped at the end.

    Raises:
        NoSession: It is one of Spark Connect.
    """
    if not isinstance(spark, SparkSession):
        raise NoSession(f"{type(spark).__module__} is not a session with the driver in this process: {_CONNECT}")
    with tempfile.TemporaryDirectory(prefix="binlog-conformance-") as scratch:
        _send_kit(spark, Path(scratch))
        yield spark


def _send_kit(spark: SparkSession, scratch: Path) -> None:
    """Send the kit and its extensions to workers that are not on this machine."""
    context = spark.sparkContext
    if not _is_here(str(context.master)):
        # Unpacked into the folder that Python's workers import from, before a kit that is installed there.
        context.addArchive(f"{write_archive(scratch)}#{PACKAGE}")
        for archive, unpacked in write_extension_archives(scratch):
            context.addArchive(f"{archive}#{unpacked}")


def _check_master(master: str | None, settings: Mapping[str, str]) -> None:
    """Refuse what Java would answer with many lines.

    Raises:
        NoSession: The master is a server of Spark Connect, not a master of Spark's at all, or needs what is not there.
    """
    named = master or settings.get("spark.master") or ""
    remote = settings.get("spark.remote") or os.environ.get("SPARK_REMOTE") or (named if named[:5] == "sc://" else "")
    if remote:
        raise NoSession(f"{remote} is a server of Spark Connect: {_CONNECT}")
    if named and not _MASTER.match(named):
        raise NoSession(
            f"{named!r} is not a Spark master: write local[4], spark://HOST:PORT, yarn or k8s://https://HOST"
        )
    if named == "yarn" and not any(os.environ.get(each) for each in _HADOOP):
        raise NoSession(f"the master yarn needs the folder of Hadoop's settings: set {_HADOOP[0]}=/etc/hadoop/conf")


def _launched(master: str | None, scratch: Path) -> dict[str, str]:
    """Prepare a Java for the driver, and return the settings of a session that is started here."""
    home = scratch / "java"
    write_java_home(home, find_java())
    os.environ["JAVA_HOME"] = str(home)
    quiet = scratch / "log4j2.properties"
    quiet.write_text(_QUIET, encoding="utf-8")
    settings = {
        "spark.master": master or LOCAL,
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={quiet.as_uri()}",
    }
    if _is_here(settings["spark.master"]):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return settings


def _why_not(error: BaseException, master: str | None) -> str:
    """Return why Spark does not start, in one line.

    Args:
        error: What Spark raised.
        master: The master that the user named, None for the default one.
    """
    where = "" if master is None else f" on {master}"
    why = reason(error)
    if master is not None and _STOPPED in why:
        why = "no master answers there; look whether it runs, and whether this machine may reach its port"
    return f"Spark does not start{where}: {why}"


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _is_here(master: str) -> bool:
    """Return whether tasks run on this machine and with this Python's packages."""
    return master == "local" or master.startswith("local[")


def reason(error: BaseException) -> str:
    """Return the cause of Spark's error, in one line."""
    java = getattr(error, "java_exception", None)
    if java is not None:
        while java.getCause() is not None:
            java = java.getCause()
        text = str(java.toString())
    else:
        text = str(error)
    lines = [line for line in text.splitlines() if line.strip()]
    # A worker's error ends with the exception, after its traceback.
    return lines[-1].strip() if lines and "Traceback" in text else (lines or [type(error).__name__])[0].strip()
