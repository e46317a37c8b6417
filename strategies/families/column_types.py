"""Rows with columns of every type, NULLs, edge values and partial images."""

from itertools import chain
from typing import Final

from conformance.binlog.servers import WITH_TABLE_METADATA
from conformance.strategies.events import mysql_events, row_events
from conformance.strategies.events.columns import JSON, column_kinds, packed_column_kinds
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups

#: The most columns of a table: more than two bytes of a bitmap can hold.
_WIDEST: Final = 18
#: A table ends after a column once in this many times.
_END_IN: Final = 14
#: One in this many of MariaDB's tables has compressed columns.
_PACKED_IN: Final = 8


@family(focus="FORMAT-ROWS-IMAGES")
def every_column_type(stream: StreamBuilder) -> None:
    """Tables with columns of every type that the profile's server writes, and rows written, updated and deleted."""
    choose = stream.choose
    groups.begin_plain_log(stream)
    for _ in choose.several(1, 3):
        # Half of the tables have one column, so that a reader that fails on a type is shown with that type alone.
        widest = _WIDEST if choose.yes() else 1
        # Compressed columns are in tables of their own: a reader that cannot read them may refuse the whole table.
        packed = packed_column_kinds(stream)
        kinds = packed if packed and choose.yes(_PACKED_IN) else column_kinds(stream)
        rows = row_events.table_of(stream, (choose.one_of(kinds) for _ in choose.several(1, widest, end_in=_END_IN)))
        planned = [mysql_events.query(stream, "BEGIN"), row_events.table_map(stream, rows)]
        several = choose.yes(3)
        planned.append(row_events.rows_event(stream, rows, choose.one_of(row_events.OPERATIONS), last=not several))
        if several:
            planned.append(row_events.rows_event(stream, rows, choose.one_of(row_events.OPERATIONS)))
        groups.add_group(stream, [*planned, mysql_events.xid(stream)], anonymous=True)
    groups.end_log(stream)


@family(focus="FORMAT-ROWS-PARTIAL-UPDATE", profiles=WITH_TABLE_METADATA)
def partial_json_updates(stream: StreamBuilder) -> None:
    """Partial updates: after-images that hold the changes of JSON documents in place of the documents."""
    choose = stream.choose
    groups.begin_plain_log(stream)
    for _ in choose.several(1, 2):
        others = (JSON if choose.yes() else choose.one_of(column_kinds(stream)) for _ in choose.several(0, 9))
        rows = row_events.table_of(stream, chain((JSON,), others))
        planned = [mysql_events.query(stream, "BEGIN"), row_events.table_map(stream, rows)]
        planned.append(row_events.partial_update(stream, rows))
        groups.add_group(stream, [*planned, mysql_events.xid(stream)], anonymous=True)
    groups.end_log(stream)
