"""A log of any length is judged in the same memory."""

import tracemalloc
from io import BytesIO

import pytest
from written_log import WrittenLog

from conformance.binlog.errors import BeyondLimit
from conformance.binlog.limits import Limits, limits_in_force
from conformance.log_check.log_checker import LogChecker


def log_of(transactions):
    log = WrittenLog().begin()
    for number in range(1, transactions + 1):
        log.gtid(number).insert()
    return bytes(log.data)


def peak(data):
    stream = BytesIO(data)
    tracemalloc.start()
    try:
        LogChecker("bin.000001", report=lambda finding: None).check(stream)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_log():
    peak(log_of(10))  # Imports and caches of the first time are not the log's memory.
    assert peak(log_of(4000)) < peak(log_of(400)) + 50_000


def tables_that_are_never_closed(number):
    log = WrittenLog().begin().anonymous().query("BEGIN")
    for table_id in range(number):
        log.table_map(table_id)
    return log


def gtids_with_gaps(number):
    log = WrittenLog().begin()
    for index in range(number):
        log.gtid(2 * index + 1).insert()
    return log


@pytest.mark.parametrize("log", [tables_that_are_never_closed, gtids_with_gaps])
def test_what_must_be_remembered_has_a_limit(log):
    with limits_in_force(Limits(values=20)):
        checker = LogChecker("bin.000001", report=lambda finding: None)
        assert checker.check(BytesIO(bytes(log(20).data))).unreadable is None
        checker = LogChecker("bin.000001", report=lambda finding: None)
        unreadable = checker.check(BytesIO(bytes(log(30).data))).unreadable
    assert isinstance(unreadable, BeyondLimit)
    assert "the limit is 20, raise it with --limit values=" in unreadable.message
