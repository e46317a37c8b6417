"""The checks of the warnings about boundaries in the output of a printing program (WL#4162)."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.printed_facts import ROWS_FORM, name_of, printed_of
from conformance.oracles.checks.printed_log import BOUNDARY_WARNING
from conformance.oracles.oracle import GOOD, Check

#: The requirement that a wrong step causes a warning.
_WARN_DUMP: Final = "WL4162-WARN-DUMP"
_WARN_TEXT: Final = "WL4162-WARN-TEXT-DUMP"
_RESET: Final = "WL4162-RESET-EACH-FILE"
_NO_WARNING: Final = Cause("no warning", role="render")


def observed_warnings(alignment: Alignment) -> list[str] | None:
    """Return the warnings of the boundary parser from both outputs, None where they are not known.

    A program may print each of them in both, which is one warning.
    """
    seen = alignment.observed(0)
    if seen is None or alignment.case.settings["form"] == ROWS_FORM:
        return None
    outputs = [place for place in (seen.get("warnings"), seen.get("text")) if isinstance(place, str)]
    printed = [[each.rstrip(".") for each in BOUNDARY_WARNING.findall(output)] for output in outputs]
    if len(printed) > 1 and printed[0] == printed[1]:
        printed.pop()
    warnings = [each for output in printed for each in output]
    return warnings if warnings or "warnings" in alignment.declared else None


def expected_warnings(alignment: Alignment) -> list[str]:
    """Return the warnings that are expected, without their full stops."""
    return [each.rstrip(".") for each in alignment.case.expected.events[0]["warnings"].split("\n") if each]


def dump_goes_on(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A wrong step causes a warning, and the dump continues."""
    warnings, printed = observed_warnings(alignment), printed_of(alignment)
    if warnings is None or printed is None:
        return
    if not warnings:
        yield Check("no warning", f"no warning, expected {expected_warnings(alignment)[0]!r}", cause=_NO_WARNING)
        return
    ends = [fact for fact in printed.facts if fact["type"] in (EventType.QUERY, EventType.XID)]
    if ends and printed.event(ends[-1]) is None:
        message = f"{name_of(alignment, ends[-1])}, after the warning, is not printed"
        yield Check("dump ends with the warning", message, ends[-1]["offset"])
    else:
        yield GOOD


def warning_text(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The first warning names the type before the event and the type of the event."""
    warnings, wanted = observed_warnings(alignment), expected_warnings(alignment)
    if warnings and wanted:
        good = warnings[0] == wanted[0]
        yield GOOD if good else Check("wrong warning", f"the warning is {warnings[0]!r}, expected {wanted[0]!r}")


def equal_warnings(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """All expected warnings are there, in their order, and no others."""
    warnings, wanted = observed_warnings(alignment), expected_warnings(alignment)
    if warnings is None or (not warnings and requirement == _RESET and _WARN_DUMP in alignment.case.marks):
        return  # A dump without any warning shows nothing of a reset.
    if warnings == wanted:
        yield GOOD
        return
    if _WARN_TEXT in alignment.case.marks and len(warnings) == len(wanted) and warnings[0] != wanted[0]:
        return  # As many warnings, with other words from the first one on: their text is wrong.
    more = "more" if len(warnings) > len(wanted) else "fewer" if len(warnings) < len(wanted) else "other"
    yield Check(
        f"{more} warnings than expected",
        f"{len(warnings)} warnings, {warnings[:2]}; expected {len(wanted)}, {wanted[:2]}",
        cause=None if warnings else _NO_WARNING,
    )


def later_warnings(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """After the first warning, if it is the right one, come the expected ones and no others."""
    warnings, wanted = observed_warnings(alignment), expected_warnings(alignment)
    if warnings and wanted and warnings[0] == wanted[0]:
        yield from equal_warnings(alignment, requirement)
