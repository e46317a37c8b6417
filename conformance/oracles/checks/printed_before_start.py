"""Events before the place where printing begins: none of them runs."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import Purpose, type_name, types_of
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC, Header
from conformance.binlog.reader import framed_events
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_facts import printed_logs_of
from conformance.oracles.oracle import GOOD, Check

#: The events that run; those about the log a program may show, whatever the position.
_RUN: Final = types_of(Purpose.STATEMENT, Purpose.ROWS, Purpose.COMMIT)


def nothing_before_start(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that no statement, rows event or end of a transaction before the start position is printed."""
    logs = printed_logs_of(alignment)
    if not logs or len(logs) <= len(logs[0].settings["following"]):
        return  # Where each log begins is not known.
    printed, at = logs[0], len(MAGIC)
    start = printed.settings["start_position"]
    for data in framed_events(alignment.case.stream):
        if at >= start:
            break
        header = Header(*HEADER.unpack_from(data[:HEADER_BYTES]))
        if (
            header.type in _RUN
            and not printed.ends_at(header.log_pos)
            and printed.log.event(header.log_pos) is not None
        ):
            message = f"the {type_name(header.type)} event at offset {at} is printed, and printing begins at {start}"
            yield Check("printed before the start position", message, at)
            return
        at += len(data)
    yield GOOD
