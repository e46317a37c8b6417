"""Logs of everyday work on tables, as servers write them: splits, renames, compressed transactions."""

from conformance.binlog.servers import server_of
from conformance.models.filtering.statement import CreateTable
from conformance.models.filtering.table_name import TableName
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.table_work import TableWork

TABLES = tuple(TableName(database, name) for database, name in (
    ("test", "t1"), ("test", "t2"), ("test", "t3"), ("other", "t1"), ("test", "back`tick"), ("test", "日本"),
))  # fmt: skip
TMP, RENAMED = TableName("test", "tmp"), TableName("test", "s")
WITH_PAYLOADS = ("mysql-8.0", "mysql-8.4", "mysql-9.x")


def log_of(number, profile, *, extended=False):
    """Return log number `number`, the same at each call, and the tables that its rules are for."""
    choose = SeededChooser(f"filtered log {profile} {extended} {number}")
    stream = StreamBuilder(choose, server_of(profile))
    work = TableWork(stream)
    work.begin(extended=extended)
    for _ in range(choose.integer(1, 9)):
        add(work, payloads=profile in WITH_PAYLOADS)
    work.end()
    return bytes(stream.bytes), [each for each in TABLES if choose.yes()] or [TABLES[0]]


def add(work, *, payloads):
    choose = work.choose
    some = [choose.one_of(TABLES) for _ in range(choose.integer(1, 4))]
    kind = choose.integer(0, 8)
    if kind == 0:
        work.group(work.create(CreateTable(some[0])))
    elif kind == 1:
        work.group(work.create(CreateTable(some[0], like=some[-1])))
    elif kind == 2:
        for pieces in work.create_select(some[0]):
            work.group(pieces)
    elif kind == 3:
        work.group(work.rename((some[0], TMP), (some[-1], some[0]), (TMP, some[-1])))
    elif kind == 4:
        work.group(work.rename((some[0], RENAMED)))
    elif kind == 5:
        work.group(work.drop(some))
    elif kind == 6 and payloads:
        work.group(work.packed(some))
    else:
        work.group(work.transaction(some))
