"""What is judged of the warnings about boundaries that a printing program gives (WL#4162)."""

import re
from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_facts import ROWS_FORM, name_of, printed_of
from conformance.oracles.oracle import GOOD, Check

_WARNING: Final = re.compile(r"Unable to change boundary parser from (?:\w+ \w+) to (?:\w+ \w+)\.?")


def _found(alignment: Alignment) -> list[str] | None:
    """Return the warnings of the boundary parser, wherever they went."""
    seen = alignment.observed(0)
    if seen is None or alignment.case.settings["form"] == ROWS_FORM:
        return None
    places = [seen.get("warnings"), seen.get("text")]
    return [each.rstrip(".") for place in places if isinstance(place, str) for each in _WARNING.findall(place)]


def _wanted(alignment: Alignment) -> list[str]:
    return [each.rstrip(".") for each in alignment.case.expected.events[0]["warnings"].split("\n") if each]


def warned(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A wrong step gives a warning, and the dump goes on."""
    found, printed = _found(alignment), printed_of(alignment)
    if found is None or printed is None:
        return
    if not found:
        yield Check("no warning", f"no warning, expected {_wanted(alignment)[0]!r}")
        return
    ends = [fact for fact in printed.facts if fact["type"] in (EventType.QUERY, EventType.XID)]
    if ends and printed.event(ends[-1]) is None:
        message = f"{name_of(alignment, ends[-1])}, behind the warning, is not printed"
        yield Check("dump ends with the warning", message, ends[-1]["offset"])
    else:
        yield GOOD


def warning_text(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The first warning names the type before the event and the type of the event."""
    found, wanted = _found(alignment), _wanted(alignment)
    if found and wanted:
        good = found[0] == wanted[0]
        yield GOOD if good else Check("another warning", f"the warning is {found[0]!r}, expected {wanted[0]!r}")


def same_warnings(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """All warnings come, in their order, and no others."""
    found, wanted = _found(alignment), _wanted(alignment)
    if found is None:
        return
    if found == wanted:
        yield GOOD
        return
    more = "more" if len(found) > len(wanted) else "fewer" if len(found) < len(wanted) else "other"
    yield Check(f"{more} warnings", f"{len(found)} warnings, {found[:2]}; expected {len(wanted)}, {wanted[:2]}")


def later_warnings(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Behind the first warning, where it is the right one, come those that are expected and no others."""
    found, wanted = _found(alignment), _wanted(alignment)
    if found and wanted and found[0] == wanted[0]:
        yield from same_warnings(alignment, requirement)
