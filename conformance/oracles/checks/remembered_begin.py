"""A reset that forgets the state of a boundary parser, but not that the transaction before it had a BEGIN (WL#4162)."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.step_entry import worklog_entry
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_steps import OF_STEP, Entry, fed_by_offset
from conformance.oracles.oracle import GOOD, Check

_TYPE: Final = "boundary_type"
#: The requirement that is broken.
FORGETS: Final = "WL4162-RESET-NEW-STREAM"
#: The cause of all that is wrong in such an answer.
REMEMBERED: Final = Cause("BEGIN of the stream before remembered", role="boundary")


def begin_forgotten(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the answers are not those of a parser whose resets keep what it knows of a BEGIN.

    A parser that is wrong about other events too breaks another rule.
    """
    if first_remembered(alignment) is None:
        yield GOOD
        return
    for index, (entry, expected) in enumerate(_pairs(alignment)):
        if any(entry[name] != expected.get(name) for name in OF_STEP):
            message = (
                f"{alignment.describe(index)}: {_TYPE} is {entry[_TYPE]}, as if the BEGIN before the reset counted"
            )
            # It accounts for all that follows from the step.
            yield Check(REMEMBERED.kind, message, expected["offset"], replace(REMEMBERED, field=_TYPE))


def is_for_remembered(alignment: Alignment, requirement: str) -> bool:
    """Return whether a wrong answer breaks the requirement that a reset forgets everything, and not another one."""
    return requirement != FORGETS and FORGETS in alignment.case.marks and first_remembered(alignment) is not None


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def first_remembered(alignment: Alignment) -> int | None:
    """Return the index of the first event that shows a BEGIN before a reset; None if not all of an answer does."""
    case = alignment.case
    if case.role != "boundary" or case.id.profile != "worklog":
        return None
    pairs = list(enumerate(_pairs(alignment)))
    first = next((index for index, (entry, expected) in pairs if _differ(entry, expected)), None)
    return first if all(_agree(alignment, index, entry) for index, (entry, _) in pairs) else None


def _pairs(alignment: Alignment) -> Iterator[tuple[Entry, Entry]]:
    """Yield the entry of such a parser for each event, and the expected one."""
    entries = _remembering(alignment.case.stream, tuple(alignment.case.settings["resets"]))
    return zip(entries, alignment.case.expected.events, strict=False)


def _differ(entry: Entry, expected: Entry) -> bool:
    return bool(entry[_TYPE] != expected.get(_TYPE))


def _agree(alignment: Alignment, index: int, entry: Entry) -> bool:
    """Return whether an answer is an entry, in all that is declared."""
    seen = alignment.observed(index)
    declared = [name for name in OF_STEP if name in alignment.role.fields]
    return seen is not None and _TYPE in declared and all(seen.get(name) == entry[name] for name in declared)


@lru_cache(maxsize=4)
def _remembering(stream: bytes, resets: tuple[int, ...]) -> list[Entry]:
    """Return the entry for each event of a parser whose resets keep what it knows of a BEGIN."""
    parser = WorklogParser()
    entries: list[Entry] = []
    for offset, fed in fed_by_offset(stream).items():
        if offset in resets:
            parser.state = BoundaryType.NOT_DEFINED
        step = parser.feed(fed)
        entries.append(worklog_entry(step, header_answers(fed.flags), within=parser.within_transaction))
    return entries
