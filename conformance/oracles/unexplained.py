"""Differences between an answer and the expected one that are free, and those that somebody must account for.

Each value of an expected answer is owned by a requirement at its place, or is in `FREE` with the reason. A difference
for which no requirement is blamed is a gap in the catalogue: the run reports it, and is not conforming.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.oracle import Check, same_field, shown
from conformance.specs.catalogue import ENTRY, ERROR

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Free:
    """Differences that are left to the implementation.

    Attributes:
        role: The role in which they are free.
        what: The field that may differ, or what may happen to the event; as the page of the role names it.
        reason: Why nobody is blamed: the worklog is silent, servers differ.
        covers: Whether a difference is of this kind: the alignment, the index of the expected entry, the field.
    """

    role: str
    what: str
    reason: str
    covers: Callable[[Alignment, int, str], bool]


def _skipped(alignment: Alignment, index: int, field: str) -> bool:
    return field == ENTRY and alignment.case.expected.events[index].get("handled") == "ignored"


#: What is free, in every role.
FREE: Final[tuple[Free, ...]] = (
    Free(
        "decode",
        "an event that is skipped",
        "WL#4033 has readers pass over an ignorable event of an unknown type; whether they hand it on is left to them.",
        _skipped,
    ),
)


def free_in(role: str) -> tuple[Free, ...]:
    """Return what is free in a role."""
    return tuple(each for each in FREE if each.role == role)


def differences(alignment: Alignment) -> Iterator[tuple[int, str, Check]]:
    """Yield each difference from the expected answer: the index of the expected entry, the field, and a check.

    A field that the expected entry does not have is not asked for there. The field is `ENTRY` for an entry that is
    missing, refused or not expected, and `ERROR` for the end of the answer.
    """
    expected = alignment.case.expected.events
    for index, entry in enumerate(expected):
        fate = alignment.fate(index)
        if fate is Fate.UNREACHED:
            continue
        seen = alignment.observed(index)
        if seen is None:
            if fate is Fate.REFUSED and index in alignment.case.expected.tolerated:
                continue
            kind = alignment.about.kind(entry)
            message = f"{alignment.describe(index)} is {fate.value}"
            yield index, ENTRY, Check(f"{kind} {fate.value}", message, entry.get("offset"))
            continue
        yield from _of_entry(alignment, index, entry, seen)
    yield from _of_the_rest(alignment)


def _of_entry(alignment: Alignment, index: int, entry: Entry, seen: Entry) -> Iterator[tuple[int, str, Check]]:
    # The kit reads answered streams itself, with every field.
    streams = alignment.about.answers_streams
    for name in entry if streams else [name for name in entry if name in alignment.declared]:
        if same_field(name, entry.get(name), seen.get(name)):
            continue
        kind = alignment.about.kind(entry)
        message = f"{alignment.describe(index)}: {name} is {shown(seen.get(name))}, expected {shown(entry.get(name))}"
        yield index, name, Check(f"{name} of {kind} differs", message, entry.get("offset"))


def _of_the_rest(alignment: Alignment) -> Iterator[tuple[int, str, Check]]:
    expected, error, count = alignment.case.expected, alignment.observation.error, alignment.count
    if alignment.phantoms:
        place = alignment.phantoms[0]
        where = f"at offset {place}" if alignment.about.aligned == "offset" else f"as number {place + 1}"
        yield count, ENTRY, Check(f"{alignment.about.noun} not expected", f"an entry {where} is not expected")
    if alignment.disordered is not None:
        message = f"the event at offset {alignment.disordered} comes twice or too late"
        yield count, ENTRY, Check("events out of order", message, alignment.disordered)
    if error is None and expected.refused_at is not None:
        message = f"no error at offset {expected.refused_at} ({expected.refused_kind})"
        yield count, ERROR, Check("no error", message, expected.refused_at)
    if error is None:
        return
    if expected.refused_at is None and alignment.fate(count) is Fate.REFUSED:
        yield count, ERROR, Check("error not expected", f"an error is not expected: {error.message}", error.at)
    if (
        expected.refused_at is not None
        and "error_code" in alignment.role.abilities
        and error.code != expected.refused_code
    ):
        message = f"the error has the code {error.code}, expected {expected.refused_code}"
        yield count, ERROR, Check("error code differs", message, expected.refused_at)


def unaccounted(alignment: Alignment) -> Iterator[tuple[str, Check]]:
    """Yield each difference from the expected answer that is not free: the field, and a check."""
    free = free_in(alignment.case.role)
    for index, field, check in differences(alignment):
        if not any(each.covers(alignment, index, field) for each in free):
            yield field, check
