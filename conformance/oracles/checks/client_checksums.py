"""Whether a client takes the end of an event without a checksum for one: statements and names lack their ends then."""

from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.flagged_events import passed_over_for_flag
from conformance.oracles.checks.source_logs import logs_without_checksums, names_of_logs

TEXT_FOR_CHECKSUM: Final = Cause("taken for a checksum", "the end of an event without one", role="client")


def cause_of_name(alignment: Alignment, name: object) -> Cause | None:
    """Return the cause of a log's name that lacks four bytes at its end; None for another name."""
    names = names_of_logs(alignment)
    return TEXT_FOR_CHECKSUM if name not in names and any(_lacks_end(each, name) for each in names) else None


def cause_of_statement(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of what follows from a statement that lacks four bytes at its end; None for another event.

    A client that has `CO` for COMMIT does not know that its transaction ends there.

    Args:
        alignment: The answer beside the expected one.
        index: The index of the event.
    """
    expected, seen = alignment.case.expected.events[index].get("query"), alignment.observed(index)
    return TEXT_FOR_CHECKSUM if seen is not None and _lacks_end(expected, seen.get("query")) else None


def takes_text_for_checksum(alignment: Alignment) -> bool:
    """Return whether a statement, or the name of a log that the client is in, lacks its last four bytes.

    A client that verifies what it takes for a checksum may have no statement at all.
    """
    names = (entry.get("resume_log") for entry in alignment.observation.events)
    if any(cause_of_name(alignment, name) is not None for name in names):
        return True
    statements = [
        (entry["query"], seen.get("query"))
        for index, entry in enumerate(alignment.case.expected.events)
        if "query" in entry and (seen := alignment.observed(index)) is not None
        if index not in passed_over_for_flag(alignment)
    ]
    if any(_lacks_end(expected, seen) for expected, seen in statements):
        return True
    return any(seen is None for _, seen in statements) and any(logs_without_checksums(alignment))


def differs_beyond_checksum(text: str, seen: object) -> bool:
    """Return whether a text is there that four bytes too few or too many at its end do not account for."""
    return isinstance(seen, str) and not (_lacks_end(text, seen) or _has_more(text, seen))


def _has_more(text: str, seen: str) -> bool:
    """Return whether a text has the four bytes of a checksum at its end, of which some may be left out."""
    return seen.startswith(text) and len(seen) - len(text) <= CHECKSUM_BYTES


def _lacks_end(text: object, seen: object) -> bool:
    """Return whether a text lacks four bytes at its end, with which a character may be cut in two."""
    if not isinstance(text, str) or not text:
        return False
    rest = text.encode()[:-CHECKSUM_BYTES]
    return any(seen == rest.decode(errors=each) for each in ("replace", "ignore"))
