"""The verdicts of runs as one table, for other tools: named columns with comments, in any format that Spark has."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import BooleanType, DataType, LongType, StringType, StructField, StructType, TimestampType

from conformance.corpus.session import reason
from conformance.reports.record import RunRecord

#: Column -> its type, and what it holds.
COLUMNS: Final[dict[str, tuple[DataType, str]]] = {
    "started": (TimestampType(), "when the run began, in UTC"),
    "kit": (StringType(), "version of binlog-conformance"),
    "spec": (StringType(), "the implementation as the user named it"),
    "implementation": (StringType(), "the name that it declares"),
    "version": (StringType(), "the version that it declares"),
    "seed": (LongType(), "seed of the cases"),
    "requirement": (StringType(), "id of the requirement"),
    "worklog": (StringType(), "the document that the requirement is from"),
    "level": (StringType(), "must, should or may"),
    "role": (StringType(), "the role in which it is judged"),
    "profile": (StringType(), "the server product and its releases; null where no case reached the requirement"),
    "verdict": (StringType(), "what the requirement came to in the run"),
    "status": (StringType(), "what the cases came to; null where no case reached the requirement"),
    "cases": (LongType(), "how many cases came to that status"),
    "conforming": (BooleanType(), "whether the run conformed, known findings aside"),
}


class NoTable(Exception):
    """The table of results cannot be written; the message says why, in one line."""


def check_format(spark: SparkSession, form: str) -> None:
    """Check that Spark can write a format, before a night is spent on results that it cannot write.

    Raises:
        NoTable: It has no jar for it.
    """
    jvm: Any = spark.sparkContext._jvm
    session: Any = spark._jsparkSession
    sources = jvm.org.apache.spark.sql.execution.datasources.DataSource
    try:
        sources.lookupDataSource(form, session.sessionState().conf())
    except Py4JError as error:
        raise NoTable(f"Spark has no format {form}: add its jar, with --conf spark.jars.packages=...") from error


def append_results(spark: SparkSession, record: RunRecord, table: str, *, form: str) -> None:
    """Add the verdicts of a run to a table, which is made if there is none.

    Args:
        spark: The session.
        record: The run.
        table: A table of the session's catalog, such as ``quality.binlog``, or a path of any Hadoop file system.
        form: The format of the table: ``parquet``, ``delta`` or ``iceberg``.

    Raises:
        NoTable: Spark does not have the format, or cannot write there.
    """
    schema = StructType(
        [StructField(name, kind, metadata={"comment": about}) for name, (kind, about) in COLUMNS.items()]
    )
    try:
        writer = spark.createDataFrame(list(_rows(record)), schema).coalesce(1).write.format(form).mode("append")
        if _is_path(table):
            writer.save(table)
        else:
            writer.saveAsTable(table)
    except (PySparkException, Py4JError) as error:
        raise NoTable(f"the table {table} cannot be written: {reason(error)}") from error


def _is_path(table: str) -> bool:
    return "/" in table or ":" in table


def _rows(record: RunRecord) -> Iterator[tuple[Any, ...]]:
    header, implementation = record.header, record.header.implementation
    about = (
        datetime.fromisoformat(header.started),
        header.kit,
        implementation.spec,
        implementation.name,
        implementation.version,
    )
    conforming = record.footer is not None and record.footer.conforming
    for each in record.requirements:
        which = (header.seed, each.id, each.worklog, each.level, each.role)
        results: list[tuple[str | None, str | None, int]] = [
            (profile, status, cases)
            for profile, statuses in each.results.items()
            for status, cases in statuses.items()
            if cases
        ]
        for profile, status, cases in results or [(None, None, 0)]:
            yield (*about, *which, profile, each.verdict, status, cases, conforming)
