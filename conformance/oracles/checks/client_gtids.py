"""What is wrong with the set of GTIDs that a client has, and why."""

import re
from typing import Final

from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.packed_numbers import NINE_BYTES, takes_nine_bytes

HAS_MORE: Final = "it has GTIDs that it has not received"
LACKS: Final = "it lacks GTIDs that it has received"
NO_SET: Final = "what it has is not a set of GTIDs"
#: A number below zero among the intervals of a set, which is what some make of one in nine bytes.
_BELOW_ZERO: Final = re.compile(r":-\d+")


def wrong_gtids(has: str | None, expected: str) -> str:
    """Return what is wrong with a set of GTIDs, whatever the event is after which the client has it.

    Args:
        has: The set of the client; None for none.
        expected: The set that it should have, which is another one.
    """
    wanted = GtidSet.from_text(expected)
    try:
        seen = GtidSet.from_text(has or "")
    except ValueError:
        return NO_SET
    return LACKS if ExecutedGtids(wanted).missing_in(seen).sources else HAS_MORE


def cause_of_numbers(has: str | None, expected: str) -> Cause | None:
    """Return the cause of a set that is wrong since numbers in nine bytes are; None for one that is wrong otherwise.

    Only the numbers of GTIDs with tags take so many bytes. The set shows what was made of them: one that lacks them and
    has nothing in their place may lack all GTIDs with tags, or those of some transactions.

    Args:
        has: The set of the client; None for none.
        expected: The set that it should have, which is another one.
    """
    wanted = GtidSet.from_text(expected)
    long = [source for source in wanted.sources if source.tag and takes_nine_bytes(source.intervals[-1].end - 1)]
    try:
        seen = GtidSet.from_text(has or "")
    except ValueError:
        is_long = bool(long) and _BELOW_ZERO.search(has or "") is not None
    else:
        missing = ExecutedGtids(wanted).missing_in(seen).sources
        more = {(source.uuid, source.tag) for source in ExecutedGtids(seen).missing_in(wanted).sources}
        is_long = bool(missing) and all(
            source.tag and (source.uuid, source.tag) in more and takes_nine_bytes(source.intervals[0].start)
            for source in missing
        )
    return NINE_BYTES if is_long else None


def cause_of_gtids(alignment: Alignment, wrong: str) -> Cause | None:
    """Return the cause of what follows from the GTIDs that the client has, if they are wrong in one way somewhere.

    Args:
        alignment: The answer beside the expected one.
        wrong: What is wrong with them.
    """
    for index, entry in enumerate(alignment.case.expected.events):
        seen, expected = alignment.observed(index), entry.get("executed_gtids")
        has = None if seen is None else seen.get("executed_gtids")
        if has is not None and expected and wrong_gtids(has, expected) == wrong:
            return cause_of_numbers(has, expected) or Cause(wrong, role="client")
    return None
