"""The history: one table of what each run found, kept from night to night."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Final

import pyarrow as pa
from pyspark.sql import SparkSession

from conformance.corpus.failing_cases import storable
from conformance.corpus.storage import Storage
from conformance.engine.failure import Failure

#: Runs that are read back, the newest: what failed earlier and no more is no news.
RUNS: Final = 400
#: Spark's mark of a finished job.
_SUCCESS: Final = "_SUCCESS"


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run, and one kind of failure of it; a run that found none has one entry without a requirement.

    Attributes:
        run: Id of the run: when it started, and what it was made from.
        started: When, in UTC.
        kit: Version of the kit.
        spec: The implementation as the user named it.
        implementation: What it calls itself.
        version: Its version.
        cases: Cases of the run.
        events: Expected events in them.
        conforming: Whether it conformed, the baseline considered.
        requirement: What failed.
        signature: In which way.
        status: One of `conformance.specs.run_record.FAILURES`.
        count: Cases that showed it.
        found: The first of them.
        case: The shrunk case.
        message: What was expected and what came.
        known: The reason that the baseline gave.
    """

    run: str
    started: str
    kit: str
    spec: str
    implementation: str
    version: str
    cases: int
    events: int
    conforming: bool
    requirement: str | None = None
    signature: str | None = None
    status: str | None = None
    count: int | None = None
    found: str | None = None
    case: str | None = None
    message: str | None = None
    known: str | None = None


#: Columns that are not text.
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "cases": pa.int64(),
    "events": pa.int64(),
    "conforming": pa.bool_(),
    "count": pa.int64(),
}
#: The columns of the table.
HISTORY: Final = pa.schema([pa.field(each.name, _TYPES.get(each.name, pa.string())) for each in fields(RunEntry)])


def entries_of(run: RunEntry, failures: Sequence[Failure]) -> list[RunEntry]:
    """Return the entries of a run.

    Args:
        run: The run, without a requirement.
        failures: What it found.
    """
    return [run] + [
        replace(
            run,
            requirement=failure.verdict.requirement,
            signature=storable(failure.verdict.signature),
            status=failure.verdict.status,
            count=failure.count,
            found=failure.found,
            case=str(failure.case.id),
            message=storable(failure.verdict.message),
            known=failure.known,
        )
        for failure in failures
    ]


class History:
    """The table of earlier runs, one folder for each.

    Args:
        spark: The session.
        storage: Where the table is.
    """

    def __init__(self, spark: SparkSession, storage: Storage) -> None:
        self._spark = spark
        self._storage = storage

    def write(self, entries: Sequence[RunEntry]) -> None:
        """Write the entries of one run, in the place of what the same run wrote before.

        Raises:
            StorageError: The folder cannot be reached.
        """
        columns = zip(*map(astuple, entries), strict=True)
        table = pa.Table.from_arrays(
            [pa.array(column, field.type) for column, field in zip(columns, HISTORY, strict=True)], schema=HISTORY
        )
        frame = self._spark.createDataFrame(table).coalesce(1)
        frame.write.mode("overwrite").parquet(self._storage.at(f"run={entries[0].run}").uri)

    def read(self) -> list[RunEntry]:
        """Return the entries of the newest runs, the oldest first.

        Raises:
            StorageError: The folder cannot be reached.
        """
        names = [name for name in self._storage.names() if name.startswith("run=")][-RUNS:]
        written = [folder.uri for folder in map(self._storage.at, names) if folder.exists(_SUCCESS)]
        if not written:
            return []
        # Explicit columns: a table that a later kit has written to may have more.
        frame = self._spark.read.parquet(*written).select(*HISTORY.names)
        return sorted(
            (RunEntry(*row) for row in frame.collect()),
            key=lambda each: (each.run, each.requirement or "", each.signature or ""),
        )


def shrunk_before(entries: Sequence[RunEntry], implementation: str) -> dict[tuple[str, str], str]:
    """Return the latest shrunk case of each (requirement, signature) that an implementation is known to show."""
    return {
        (each.requirement, each.signature or ""): each.case
        for each in entries
        if each.implementation == implementation and each.requirement is not None and each.case is not None
    }
