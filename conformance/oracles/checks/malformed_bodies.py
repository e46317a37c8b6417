"""Whether an event with a malformed body is refused, or passed over: for its flag, or as its type is not known."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.binlog.event_types import ROWS_TYPES
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER
from conformance.oracles.alignment import Alignment
from conformance.oracles.oracle import Check, Oracle, refused
from conformance.protocol.roles.decode import FIELDS_OF_TYPE, TypeFields


def _fault(alignment: Alignment) -> tuple[int, int] | None:
    """Return the type and the flags of the event to be refused, None if there is none."""
    at = alignment.case.expected.refused_at
    if at is None:
        return None
    _, code, *_, flags = HEADER.unpack_from(alignment.case.stream, at)
    return code, flags


def _is_passed_over(alignment: Alignment) -> bool:
    """Return whether the event to be refused has the ignorable flag and is reported as ignored, or not at all.

    Rows of a table that no Table_map event described may be left out for that.
    """
    fault, at = _fault(alignment), alignment.case.expected.refused_at
    if fault is None or at is None or alignment.observation.error is not None or alignment.refuses_fault:
        return False
    if not fault[1] & Flag.IGNORABLE:
        return False
    entry = _entry_of_fault(alignment)
    if entry is None:
        return fault[0] not in ROWS_TYPES and any(offset > at for offset in alignment.phantoms)
    return entry.get("handled") == "ignored"


def _entry_of_fault(alignment: Alignment) -> Mapping[str, Any] | None:
    at = alignment.case.expected.refused_at
    return next((each for each in alignment.observation.events if each["offset"] == at), None)


def is_of_unknown_type(alignment: Alignment) -> bool:
    """Return whether the reader passes over the event to be refused as one whose body it does not read.

    It reports the event as one of a type that it does not know; or it declares no field of such a body, so that it need
    not read any; or it reports nothing of its body, and declares no field of every such event: one that is declared may
    be of other types.
    """
    fault, entry = _fault(alignment), _entry_of_fault(alignment)
    if fault is None or entry is None:
        return False
    kind = FIELDS_OF_TYPE.get(fault[0], TypeFields())
    fields = {*kind.required, *kind.optional}
    if fields and alignment.declared.isdisjoint(fields):
        return True
    if "handled" in alignment.declared:
        return entry.get("handled") == "ignored" and not alignment.knows(fault[0])
    return alignment.declared.isdisjoint(kind.required) and entry.keys().isdisjoint(kind.optional)


def malformed(requirement: str) -> Oracle:
    """Return the oracle that checks that an event with a malformed body is refused."""
    refusal = refused(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if not _is_passed_over(alignment) and not is_of_unknown_type(alignment):
            yield from refusal.examine(alignment, requirement)

    return Oracle(requirement, examine)


def known_in_spite_of_flag(requirement: str) -> Oracle:
    """Return the oracle that checks that an event with a malformed body is not passed over for its flag."""
    refusal = refused(requirement)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if alignment.count not in alignment.marked(requirement):
            return
        for check in refusal.examine(alignment, requirement):
            if not check.signature or (_is_passed_over(alignment) and not is_of_unknown_type(alignment)):
                yield check

    return Oracle(requirement, examine)
