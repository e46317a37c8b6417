"""Whether an event with a malformed body is refused, or passed over because it has the ignorable flag."""

from collections.abc import Iterator

from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER
from conformance.oracles.alignment import Alignment
from conformance.oracles.oracle import Check, Oracle, refused


def _is_passed_over(alignment: Alignment) -> bool:
    """Return whether the event to be refused has the ignorable flag and is reported as ignored, or not at all."""
    at = alignment.case.expected.refused_at
    if at is None or alignment.observation.error is not None or alignment.refuses_fault:
        return False
    *_, flags = HEADER.unpack_from(alignment.case.stream, at)
    if not flags & Flag.IGNORABLE:
        return False
    entry = next((each for each in alignment.observation.events if each["offset"] == at), None)
    return any(offset > at for offset in alignment.phantoms) if entry is None else entry.get("handled") == "ignored"


def malformed(requirement: str) -> Oracle:
    """Return the oracle that checks that an event with a malformed body is refused."""
    refusal = refused(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if not _is_passed_over(alignment):
            yield from refusal.examine(alignment, requirement)

    return Oracle(requirement, examine)


def known_in_spite_of_flag(requirement: str) -> Oracle:
    """Return the oracle that checks that an event with a malformed body is not passed over for its flag."""
    refusal = refused(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if alignment.count not in alignment.marked(requirement):
            return
        for check in refusal.examine(alignment, requirement):
            if not check.signature or _is_passed_over(alignment):
                yield check

    return Oracle(requirement, examine)
