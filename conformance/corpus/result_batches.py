"""Rows: counts as Arrow record batches, the only form in which results leave a worker.

All tables share one schema, so that one wave writes one Parquet data set. Rows of one table and cell are added up.
"""

from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from conformance.corpus.counts import COVERAGE, TOTALS, VERDICTS, Counts
from conformance.corpus.failing_cases import FailingCase
from conformance.oracles.coverage.coverage_table import Cell

#: The table of findings: signature, group of profiles, what is counted, its name.
CLUSTERS: Final = "clusters"
#: The table of what kept requirements from being judged: requirement, signature.
OBSTACLES: Final = "obstacles"
#: The table of failing cases; its cells are the fields of `FailingCase` without the number.
FAILING: Final = "failing cases"
#: The table of workers that could not begin: host, message.
CANNOT_START: Final = "cannot start"
#: The table of errors of the kit: case id, error, traceback.
KIT_ERRORS: Final = "kit errors"

#: The schema of all results.
ROWS: Final = pa.schema(
    [
        pa.field("table", pa.string(), nullable=False),
        pa.field("cell", pa.list_(pa.string()), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
        # The number of a failing case; null in the tables of sums.
        pa.field("number", pa.int64()),
    ]
)
#: The same in Spark's notation.
ROWS_DDL: Final = "table string not null, cell array<string> not null, count bigint not null, number bigint"
#: Rows of one record batch.
_BATCH: Final = 10_000

_Row = tuple[str, Cell, int, int | None]


def batches_of(counts: Counts) -> Iterator[pa.RecordBatch]:
    """Yield counts as record batches of limited size."""
    rows: list[_Row] = []
    for row in _rows(counts):
        rows.append(row)
        if len(rows) == _BATCH:
            yield batch_of(rows)
            rows.clear()
    if rows:
        yield batch_of(rows)


def batch_of(rows: list[_Row]) -> pa.RecordBatch:
    """Return rows as one record batch."""
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), ROWS, strict=True)],
        schema=ROWS,
    )


def _rows(counts: Counts) -> Iterator[_Row]:
    for name, number in counts.totals.items():
        yield TOTALS, (name,), number, None
    for verdict, number in counts.verdicts.items():
        yield VERDICTS, verdict, number, None
    for table, profiles in counts.coverage.items():
        for profile, cells in profiles.items():
            for cell, number in cells.items():
                yield COVERAGE + table, (*cell, profile), number, None
    for cluster, number in counts.failing.counts.items():
        yield CLUSTERS, cluster, number, None
    for obstacle, number in counts.failing.obstacles.items():
        yield OBSTACLES, obstacle, number, None
    for case in counts.failing:
        yield failing_row(case)


def failing_row(case: FailingCase) -> _Row:
    """Return the row of a failing case."""
    cell = (case.signature, case.group, case.requirement, case.status, case.case, case.message)
    return FAILING, cell, 1, case.number
