"""The history: one table of the failures of each run, kept from run to run."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Annotated, Final

import pyarrow as pa
from msgspec import Meta
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

from conformance.corpus.failing_cases import storable
from conformance.corpus.storage import Storage, StorageError
from conformance.engine.failure import Failure
from conformance.specs.conversion import Malformed, converted

#: The newest runs that are read back; older failures do not matter any more.
RUNS: Final = 400
#: Spark's mark of a finished job.
_SUCCESS: Final = "_SUCCESS"
#: A number of cases, events or requirements, as a column of the table holds it.
_Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run and one of its findings in a group of profiles; each run also has one entry without a requirement.

    Attributes:
        run: Id of the run: when it started, and a digest of its manifest.
        started: When it started, in UTC.
        kit: Version of the kit.
        spec: The implementation as the user named it.
        implementation: The name that it declares.
        version: Its version.
        cases: Cases of the run.
        events: Expected events in them.
        conforming: Whether it conformed, except for the failures of the baseline.
        requirement: The most important of the requirements that the finding breaks.
        signature: The signature of the finding; in entries of a kit before findings, that of a requirement's check.
        status: One of `conformance.specs.run_record.FAILURES`.
        count: Cases that showed it.
        first_case: The first of them.
        case: The shrunk case.
        message: What was expected and what was answered.
        known: The reason that the baseline gave.
        group: The group of profiles; none in entries of a kit before findings.
        requirements: How many requirements it breaks.
    """

    run: str
    started: str
    kit: str
    spec: str
    implementation: str
    version: str
    cases: _Count
    events: _Count
    conforming: bool
    requirement: str | None = None
    signature: str | None = None
    status: str | None = None
    count: _Count | None = None
    first_case: str | None = None
    case: str | None = None
    message: str | None = None
    known: str | None = None
    group: str | None = None
    requirements: _Count | None = None


#: Columns that are not text.
_TYPES: Final[Mapping[str, pa.DataType]] = {
    "cases": pa.int64(),
    "events": pa.int64(),
    "conforming": pa.bool_(),
    "count": pa.int64(),
    "requirements": pa.int64(),
}
#: Columns that do not have the name of their field.
_NAMES: Final = {"first_case": "found"}
#: The columns of the table.
HISTORY: Final = pa.schema(
    [pa.field(_NAMES.get(each.name, each.name), _TYPES.get(each.name, pa.string())) for each in fields(RunEntry)]
)


def entries_of(run: RunEntry, failures: Sequence[Failure]) -> list[RunEntry]:
    """Return the entries of a run.

    Args:
        run: The run, without a requirement.
        failures: Its failures.
    """
    return [run] + [
        replace(
            run,
            requirement=failure.verdict.requirement,
            signature=storable(failure.finding),
            status=failure.verdict.status,
            count=failure.counts.cases,
            first_case=failure.first_case,
            case=str(failure.case.id),
            message=storable(failure.verdict.message),
            known=failure.known,
            group=failure.group,
            requirements=len(failure.counts.requirements),
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
        """Write the entries of one run, and replace those that the same run wrote earlier.

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
            StorageError: The folder cannot be reached, or the table does not hold what runs write.
        """
        names = [name for name in self._storage.names() if name.startswith("run=")][-RUNS:]
        written = [folder.uri for folder in map(self._storage.at, names) if folder.exists(_SUCCESS)]
        if not written:
            return []
        # Explicit columns, as a table to which a later kit has written may have more, and an earlier one had fewer.
        frame = self._spark.read.option("mergeSchema", "true").parquet(*written)
        columns = [sql.col(each) if each in frame.columns else sql.lit(None).alias(each) for each in HISTORY.names]
        frame = frame.select(*columns)
        keys = [each.name for each in fields(RunEntry)]
        try:
            rows = converted([dict(zip(keys, row, strict=True)) for row in frame.collect()], list[RunEntry])
        except Malformed as error:
            raise StorageError(f"the table of earlier runs in {self._storage.uri}: {error}") from error
        return sorted(rows, key=lambda each: (each.run, each.signature or "", each.group or ""))


def shrunk_before(entries: Sequence[RunEntry], implementation: str) -> dict[tuple[str, str], str]:
    """Return the latest shrunk case of each (signature, group of profiles) that an implementation has shown."""
    return {
        (each.signature or "", each.group): each.case
        for each in entries
        if each.implementation == implementation and each.group is not None and each.case is not None
    }
