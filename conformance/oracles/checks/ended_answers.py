"""Answers that an error ends before an expected entry: of events made or copied, and of rows of SHOW BINLOG EVENTS."""

from typing import Final

from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import Cause
from conformance.oracles.checks.printed_facts import ROWS_FORM
from conformance.oracles.oracle import Check
from conformance.oracles.reasons import normalised

_ENDED: Final = "ended by an error"


def missing(alignment: Alignment, index: int, signature: str, message: str, cause: Cause | None = None) -> Check:
    """Return the check of an entry that is missing: where an error ends the answer there, the error is the cause.

    Args:
        alignment: The answer beside the expected one.
        index: The index of the entry.
        signature: What is wrong where there is no error.
        message: What was expected.
        cause: The cause where there is no error, if it is known.
    """
    error = alignment.observation.error
    if error is None or alignment.fate(index) is not Fate.REFUSED:
        return Check(signature, message, cause=cause)
    return Check(_ENDED, f"{message}: {error.message or error.kind}", cause=ended(alignment))


def ended(alignment: Alignment) -> Cause:
    """Return the cause of an answer that ends with an error which is not expected."""
    error = alignment.observation.error
    assert error is not None, "an answer without an error is not ended by one"
    if alignment.case.role == "relay" and error.message in _warnings(alignment):
        return Cause("ended by a warning", role=alignment.case.role)
    reason = normalised(error.message or error.kind, alignment.case.stream)
    return Cause(_ENDED, reason=reason, role=alignment.case.role)


def _warnings(alignment: Alignment) -> frozenset[str]:
    """Return the texts of the warnings that a receiver has to log, and to go on."""
    return frozenset(entry["warning"] for entry in alignment.case.expected.events) - {""}


def ends_list(alignment: Alignment, check: Check) -> bool:
    """Return whether a check on rows of SHOW BINLOG EVENTS failed because an error ended the list there."""
    case, stop = alignment.case, alignment.stop
    if case.role != "render" or case.settings["form"] != ROWS_FORM or alignment.observation.error is None:
        return False
    if stop is None or check.cause is not None or case.expected.refused_at is not None:
        return False
    # The last row may lack the one that had to follow it.
    missing = {entry["pos"] for entry in case.expected.events[max(stop - 1, 0) :]}
    return check.at is None or check.at in missing
