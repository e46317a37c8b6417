"""Statements that a boundary parser misreads in logs with other checksums than those of the log before them.

A parser that is not fed the whole event, or with bytes that are not part of it, takes one statement for another. Where
the same statements are right under the first checksum algorithm, nothing is wrong with its words or its tables.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.reader import read_events
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_steps import EVERY_EVENT, OF_STEP, fed_by_offset, own_steps
from conformance.oracles.oracle import GOOD, Check

#: The requirement that is broken.
WHOLE_EVENT: Final = "WL4162-STREAM-WHOLE-EVENT-FED"
#: The cause of all that is wrong with these statements.
OTHER_CHECKSUMS: Final = Cause("misread where the checksum algorithm is another", "statement", role="boundary")


@lru_cache(maxsize=4)
def _algorithms(stream: bytes) -> Mapping[int, object]:
    """Return the checksum algorithm of each event of a stream, by its offset, up to the first that cannot be read."""
    algorithms: dict[int, object] = {}
    with suppress(BinlogError, MalformedBody):
        for event in read_events(stream, EVERY_EVENT):
            algorithms[event.offset] = event.format.checksum_algorithm
    return algorithms


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def misread_for_checksums(alignment: Alignment) -> frozenset[int]:
    """Return the indices of the wrong steps, if all of them are at such statements; none otherwise."""
    if alignment.case.role != "boundary":
        return frozenset()
    algorithms, fed = _algorithms(alignment.case.stream), fed_by_offset(alignment.case.stream)
    if len(set(algorithms.values())) < 2:
        return frozenset()
    first = next(iter(algorithms.values()))
    right: set[bytes] = set()
    wrong: dict[int, bytes | None] = {}
    for index, entry in enumerate(alignment.case.expected.events):
        at = entry["offset"]
        if at not in fed or at not in algorithms:
            continue
        query = fed[at].query
        if not _is_right(alignment, index):
            wrong[index] = query if algorithms[at] != first else None
        elif query is not None and algorithms[at] == first:
            right.add(query.upper())
    return (
        frozenset(wrong) if all(each is not None and each.upper() in right for each in wrong.values()) else frozenset()
    )


def _is_right(alignment: Alignment, index: int) -> bool:
    own, seen = own_steps(alignment).entries[index], alignment.observed(index)
    declared = [name for name in OF_STEP if name in own and name in alignment.role.fields]
    return seen is None or all(seen.get(name) == own[name] for name in declared)


def is_for_checksums(alignment: Alignment, index: int, requirement: str) -> bool:
    """Return whether a wrong answer about an event breaks the requirement on whole events, and not another one."""
    return (
        requirement != WHOLE_EVENT
        and index in misread_for_checksums(alignment)
        and index in alignment.marked(WHOLE_EVENT)
    )


def check_words_of_later_logs(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that words are not read otherwise under other checksums, by what an answer without boundary types shows."""
    algorithms = _algorithms(alignment.case.stream)
    first = next(iter(algorithms.values()), None)
    for index in alignment.marked(requirement):
        entry = alignment.case.expected.events[index]
        if alignment.observed(index) is None or algorithms.get(entry["offset"]) == first:
            continue
        if index in misread_for_checksums(alignment):
            message = f"{alignment.describe(index)}: it is read otherwise than under the first checksum algorithm"
            yield Check("statement misread", message, entry["offset"], OTHER_CHECKSUMS)
        else:
            yield GOOD
