"""What an applier counts wrongly at any type of event: one fault, whatever the event is."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import DIFFERS, Cause

#: The fields that are wrong where the set of executed GTIDs is kept wrongly, and nothing else.
_OF_SET: Final = frozenset({"executed_gtids", "tables"})


def miscounted(alignment: Alignment, at: int | None) -> Cause | None:
    """Return the cause of a wrong entry that does not depend on the type of its event; None if it is another one.

    Args:
        alignment: The answer beside the expected one.
        at: The offset of the event.
    """
    index = alignment.index_at(at)
    seen = None if index is None else alignment.observed(index)
    if index is None or seen is None:
        return None
    expected = alignment.case.expected.events[index]
    wrong = {name for name in alignment.differing(index) if name in seen and name in expected}
    if "skip_counter" in wrong and expected["in_group"] and expected["skip_counter"] > seen["skip_counter"] == 0:
        return Cause("becomes 0 within a group", field="skip_counter", role="apply")
    if "outcome" in wrong:
        stops = "until" in (expected["outcome"], seen["outcome"])
        return Cause("at another event", "stop at a position", role="apply") if stops else None
    if wrong <= _OF_SET and "executed_gtids" in wrong and not _adds_own_gtid(expected, seen):
        # How a set is kept does not depend on the event after which it is shown.
        return Cause(DIFFERS, field="executed_gtids", role="apply")
    if wrong == {"skip_counter"}:
        return Cause(DIFFERS, field="skip_counter", role="apply")
    if expected["outcome"] == "failed" and "relay_log_pos" in wrong:
        return Cause("moves over the event that fails", field="relay_log_pos", role="apply")
    if expected["outcome"] == "ignored":
        if "in_group" in wrong:
            return Cause("changes at an ignorable event", field="in_group", role="apply")
        if "relay_log_pos" in wrong:
            return Cause("differs after an ignorable event", field="relay_log_pos", role="apply")
    if wrong == {"tables"}:
        # The rows are those at the end of the stream, whatever event is its last.
        return Cause(DIFFERS, field="tables", role="apply")
    return None


def _adds_own_gtid(expected: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
    """Return whether a set has the GTID of the group itself too, and is right otherwise: the group was counted."""
    try:
        wanted, shown = (GtidSet.from_text(each["executed_gtids"]) for each in (expected, seen))
        own = expected.get("gtid")  # Of some events it is not asked for.
        if not own or own in ExecutedGtids(wanted):
            return False
        uuid, tag, number = gtid_parts(own)
    except ValueError:
        return False
    with_own = ExecutedGtids(wanted)
    with_own.add(uuid, tag, number)
    return with_own.gtids() == ExecutedGtids(shown).gtids()
