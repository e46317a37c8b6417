"""A log of any length is judged in the same memory."""

import tracemalloc
from io import BytesIO

from written_log import WrittenLog

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
