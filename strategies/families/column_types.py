"""Rows with columns of every type, NULLs, edge values and partial images."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Final

from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.servers import WITH_PARTITION_IDS, WITH_TABLE_METADATA
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import (
    COLUMN_TYPE,
    COMPRESSED_COLUMNS,
    JSON,
    ColumnKind,
    column_kinds,
    kind_of,
    packed_column_kinds,
)
from conformance.strategies.grammar.dimension import Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: How many columns a table has: one, and as many as bits fill one byte of a bitmap, two and three.
_COLUMNS: Final = choices("columns", (1, 8, 9, 17))
_TABLES: Final = Number("tables", few=2)
#: The tables after the first: with another name, or the same one after a change that leaves the types of its columns as
#: they are, but not their lengths or signs.
_NEXT: Final = choices("table after another", ("another", "the same, altered"), when={"tables": ("2",)})
_OPERATION: Final = choices("operation", row_events.OPERATIONS)
_EVENTS: Final = Number("rows events of a statement", few=2)


@family(
    focus="FORMAT-ROWS-IMAGES",
    dimensions=(COLUMN_TYPE, _COLUMNS, _TABLES, _NEXT, _OPERATION, _EVENTS, row_events.ROWS),
)
def every_column_type(stream: StreamBuilder) -> None:
    """Tables with columns of every type that the profile's server writes, and rows written, updated and deleted."""
    groups.begin_plain_log(stream)
    rows = None
    for _ in stream.several_of(_TABLES):
        if rows is not None and stream.vary(_NEXT) == "the same, altered":
            rows = row_events.altered(stream, rows)
        else:
            rows = row_events.table_of(stream, _kinds(stream))
        planned = [mysql_events.query(stream, "BEGIN"), row_events.table_map(stream, rows)]
        operations = [stream.vary(_OPERATION) for _ in stream.several_of(_EVENTS)]
        for number, operation in enumerate(operations, 1):
            last, several = number == len(operations), stream.several_of(row_events.ROWS)
            planned.append(row_events.rows_event(stream, rows, operation, last=last, several=several))
        groups.add_group(stream, [*planned, mysql_events.xid(stream)], anonymous=True)
    groups.end_log(stream)


def _kinds(stream: StreamBuilder) -> Iterator[ColumnKind]:
    """Yield the kinds of a table's columns."""
    code = stream.vary(COLUMN_TYPE)
    yield kind_of(code)
    # Compressed columns are in tables of their own: a reader that cannot read them may refuse the whole table.
    others = packed_column_kinds(stream) if code in COMPRESSED_COLUMNS else column_kinds(stream)
    for _ in range(stream.vary(_COLUMNS) - 1):
        yield stream.choose.one_of(others)


_LOGS: Final = Number("logs after a restart", few=2)


@family(focus="FORMAT-ROWS-IMAGES", dimensions=(COLUMN_TYPE, _COLUMNS, _LOGS, _OPERATION))
def tables_after_restarts(stream: StreamBuilder) -> None:
    """Tables in the logs of a server that was restarted: it begins their ids again, so that other tables had them."""
    groups.begin_plain_log(stream)
    _add_rows(stream, row_events.table_of(stream, [kind_of(ColumnType.LONG)] * stream.choose.integer(1, 3)))
    for _ in stream.several_of(_LOGS):
        groups.begin_next_log(stream, created=stream.timestamp)
        _add_rows(stream, row_events.table_of(stream, _kinds(stream)))
    groups.end_log(stream)


def _add_rows(stream: StreamBuilder, rows: row_events.RowTable) -> None:
    """Add a transaction with one change of a table."""
    groups.add_rows(stream, rows, lambda: row_events.rows_event(stream, rows, stream.vary(_OPERATION)))


#: The numbers of partitions, of which a table has 8192 at most.
_PARTITIONS: Final = (0, 1, 256, 8191)
_PARTITION: Final = choices("partition", _PARTITIONS)


@family(
    focus="FORMAT-ROWS-EXTRA-DATA",
    profiles=WITH_PARTITION_IDS,
    dimensions=(_PARTITION, _OPERATION, _TABLES, _EVENTS, row_events.ROWS),
)
def partitioned_tables(stream: StreamBuilder) -> None:
    """Rows of partitioned tables with INT columns, written, updated and deleted."""
    groups.begin_plain_log(stream)
    for _ in stream.several_of(_TABLES):
        rows = row_events.table_of(stream, [kind_of(ColumnType.LONG)] * stream.choose.integer(1, 3))
        planned = [mysql_events.query(stream, "BEGIN"), row_events.table_map(stream, rows)]
        operations = [stream.vary(_OPERATION) for _ in stream.several_of(_EVENTS)]
        for number, operation in enumerate(operations, 1):
            partitions = stream.vary(_PARTITION), stream.choose.one_of(_PARTITIONS)
            planned.append(
                row_events.partitioned_rows_event(
                    stream,
                    rows,
                    operation,
                    partitions=partitions,
                    last=number == len(operations),
                    several=stream.several_of(row_events.ROWS),
                )
            )
        groups.add_group(stream, [*planned, mysql_events.xid(stream)], anonymous=True)
    groups.end_log(stream)


_OTHERS: Final = choices("other columns", (0, 1, 7, 8, 16))
_UPDATES: Final = Number("updates", few=2)


@family(
    focus=("FORMAT-ROWS-PARTIAL-UPDATE", "FORMAT-SEND-EVENT", "FORMAT-RELAY-EVENT"),
    profiles=WITH_TABLE_METADATA,
    dimensions=(_OTHERS, _UPDATES, row_events.ROWS),
)
def partial_json_updates(stream: StreamBuilder) -> None:
    """Partial updates: after-images that hold the changes of JSON documents in place of the documents."""
    choose = stream.choose
    groups.begin_plain_log(stream)
    for _ in stream.several_of(_UPDATES):
        others = (JSON if choose.yes() else choose.one_of(column_kinds(stream)) for _ in range(stream.vary(_OTHERS)))
        rows = row_events.table_of(stream, chain((JSON,), others))
        several = stream.several_of(row_events.ROWS)
        groups.add_rows(stream, rows, partial(row_events.partial_update, stream, rows, several=several))
    groups.end_log(stream)
