"""Why an ignorable event is not skipped, as far as an answer shows it: each rule fails for its own reason only.

An event that is not skipped breaks the rule that such events are skipped. That its code, its body or another flag is
the reason shows only where the reader skipped an event before that differs from it in nothing else.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER_BYTES
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.checks.flagged_events import passed_over_for_flag
from conformance.oracles.oracle import Check, Oracle, delivered, fields
from conformance.oracles.reasons import OF_CHECKSUM

_SKIPPED: Final = "WL4033-READ-UNKNOWN-SKIPPED"
#: The most bytes of a body that is empty, small or larger: a checksum counts as none.
_SIZES: Final = (0, 255, 65_535)


class Reason(Enum):
    """What an event that is not skipped has and the events skipped before have not."""

    NONE = auto()
    CODE = auto()
    BODY = auto()
    FLAGS = auto()
    TYPE_CODE = auto()
    #: It is refused for its checksum: no rule on ignorable events is broken.
    CHECKSUM = auto()


def _size(entry: Mapping[str, Any]) -> int:
    """Return how large an event is: 0 if it is empty, then 1, 2 or 3."""
    return sum(entry["length"] > HEADER_BYTES + CHECKSUM_BYTES + size for size in _SIZES)


#: What one event may have that others have not.
_FEATURES: Final[Mapping[Reason, Callable[[Mapping[str, Any]], int]]] = {
    Reason.CODE: lambda entry: entry["type"],
    Reason.BODY: _size,
    Reason.FLAGS: lambda entry: entry["flags"] & ~Flag.IGNORABLE,
}


def _reason(alignment: Alignment, index: int) -> Reason:
    """Return why an event is not skipped; `Reason.NONE` where the answer does not show one reason alone."""
    events = alignment.case.expected.events
    entry = events[index]
    if OF_CHECKSUM.search(alignment.refusal(index)):
        return Reason.CHECKSUM
    skipped = [each for each in events[:index] if each["handled"] == "ignored"]
    if entry["type"] == EventType.IGNORABLE and not any(each["type"] == entry["type"] for each in skipped):
        return Reason.TYPE_CODE
    if not skipped:
        # Streams with codes that not every reader has to skip are about the code.
        return Reason.NONE if _SKIPPED in alignment.case.marks else Reason.CODE
    new = [reason for reason, feature in _FEATURES.items() if feature(entry) not in {feature(each) for each in skipped}]
    return new[0] if len(new) == 1 else Reason.NONE


def skipped(requirement: str, reason: Reason) -> Oracle:
    """Return the oracle that checks that the marked events are skipped, blamed for one reason only."""
    each = delivered(requirement, reported=False)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        offsets = {entry["offset"]: index for index, entry in enumerate(alignment.case.expected.events)}
        for check in each.examine(alignment, requirement):
            if not check.signature or _reason(alignment, offsets[check.at or 0]) is reason:
                yield check

    return Oracle(requirement, examine)


def future_format(requirement: str) -> Oracle:
    """Return the oracle that checks that a format description with more types than are known is read."""
    each = delivered(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.case.expected.events
        described = {entry["offset"] for entry in events if entry["type"] == EventType.FORMAT_DESCRIPTION}
        yield from (
            check for check in each.examine(alignment, requirement) if not check.signature or check.at in described
        )

    return Oracle(requirement, examine)


def not_ignored_for_flag(requirement: str) -> Oracle:
    """Return the oracle that checks that marked events are not passed over for their ignorable flag.

    It is not blamed where the reader passes over events of the type with the flag the other way too.
    """
    each = fields(requirement, "handled", "type")

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.case.expected.events
        offsets = {entry["offset"]: entry for entry in events}
        passed_over = {
            (entry["type"], entry["flags"] & Flag.IGNORABLE)
            for index, entry in enumerate(events)
            if (seen := alignment.observed(index)) is not None and seen.get("handled") == "ignored"
        }
        for check in each.examine(alignment, requirement):
            entry = offsets.get(check.at or 0)
            if entry is None or (entry["type"], ~entry["flags"] & Flag.IGNORABLE) not in passed_over:
                yield check

    return Oracle(requirement, examine, any_of=each.any_of)


def either_way(requirement: str) -> Oracle:
    """Return the oracle that checks that marked events are delivered with the ignorable flag and without it.

    It is blamed for an event that is not, where another one of its type and length is, with the other flag: one of
    another length may be refused for what is in it. So it is where the answer shows that the flag is the reason.
    """
    each = delivered(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.case.expected.events
        offsets = {entry["offset"]: entry for entry in events}
        read = {
            (entry["type"], entry["length"], entry["flags"] & Flag.IGNORABLE)
            for index, entry in enumerate(events)
            if alignment.fate(index) is Fate.DELIVERED
        }
        for_flag = {events[index]["offset"] for index in passed_over_for_flag(alignment)}
        for check in each.examine(alignment, requirement):
            entry = offsets.get(check.at or 0)
            is_read = entry is None or (entry["type"], entry["length"], ~entry["flags"] & Flag.IGNORABLE) in read
            if is_read or check.at in for_flag:
                yield check

    return Oracle(requirement, examine)
