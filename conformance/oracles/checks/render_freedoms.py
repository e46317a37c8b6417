"""The differences that are left to programs that print logs."""

import re
from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.boundary_warnings import expected_warnings, observed_warnings
from conformance.oracles.checks.printed_facts import ROWS_FORM
from conformance.oracles.checks.printed_gtid_sets import shows_gtid_set
from conformance.oracles.differences import Difference
from conformance.specs.catalogue import ERROR

#: The number of a definition's transaction, which servers from 8.0 on show after its statement.
_DDL_XID: Final = re.compile(r" /\* xid=\d+ \*/\Z")

#: The Info of an Xid, of which WL#4033 has no more than the word and a number.
_XID: Final = re.compile(r"COMMIT /\* xid\W*(\d+) \*/", re.IGNORECASE)
#: The Info of a Gtid event.
_GTID: Final = re.compile(r"SET @@SESSION\.GTID_NEXT\s*=\s*'([^']*)'", re.IGNORECASE)

#: The most bytes of a Table_map's Info in MySQL up to 5.7 and in MariaDB.
_BUFFER_BYTES: Final = 255


def info_agrees(expected: str, seen: object) -> bool:
    """Return whether an Info is as expected: a stored ``# `` is shown once, and newer versions name more flags.

    A number or a GTID counts, and not the words around it.
    """
    if not isinstance(seen, str):
        return False
    if " flags: STMT_END_F" in expected:
        return seen.startswith(expected)
    for form in (_XID, _GTID):
        if wanted := form.fullmatch(expected):
            match = form.fullmatch(seen)
            return match is not None and match[1].lower() == wanted[1].lower()
    forms = {expected, "# " + expected.removeprefix("# ").removeprefix("# ")}
    shown = seen if expected.endswith("COMMIT") else _DDL_XID.sub("", seen)
    return bool({seen, shown} & {*forms, expected.replace("`; ", "`;"), *_cut(expected)})


def _cut(expected: str) -> Iterator[str]:
    """Yield the Info of a Table_map that is longer than a server's buffer, cut, with or without half a character."""
    data = expected.encode("utf-8", "surrogateescape")
    if expected.startswith("table_id: ") and len(data) > _BUFFER_BYTES:
        for handler in ("replace", "ignore"):
            yield data[:_BUFFER_BYTES].decode("utf-8", handler)


def is_other_info(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an Info is as expected except for what servers write differently."""
    if difference.field != "info" or difference.index >= alignment.count:
        return False
    seen = alignment.observed(difference.index) or {}
    expected = alignment.case.expected.events[difference.index]
    if expected["type"] == EventType.PREVIOUS_GTIDS:
        return shows_gtid_set(expected["info"], str(seen.get("info", "")))
    return info_agrees(expected["info"], seen.get("info"))


def is_other_spelling_of_type(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the name of an event's type is as expected but for its case and the version of its layout."""
    if difference.field != "event_type" or difference.index >= alignment.count:
        return False
    seen = str((alignment.observed(difference.index) or {}).get("event_type", ""))
    expected: str = alignment.case.expected.events[difference.index]["event_type"]
    return seen.lower() in (expected.lower(), f"{expected.lower()}_v1")


def is_refusal_of_tolerated(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a program stops with an error at an event that a reader may refuse."""
    error = alignment.observation.error
    if difference.field != ERROR or error is None or alignment.case.settings["form"] == ROWS_FORM:
        return False
    facts = (fact for entry in alignment.case.expected.events for fact in entry["events"])
    return any(fact["tolerated"] and fact["offset"] == error.at for fact in facts)


def is_foreign_warning(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the warnings of WL#4162 are as expected, in either output, whatever else is printed."""
    if difference.field != "warnings":
        return False
    return observed_warnings(alignment) == expected_warnings(alignment)
