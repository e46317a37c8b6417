"""Checks of the sets of Previous_gtids events in printed logs, in whatever notation."""

import re
from collections.abc import Iterator
from typing import Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_events import Fault
from conformance.oracles.checks.printed_facts import Printed
from conformance.oracles.checks.printed_log import PrintedEvent
from conformance.oracles.oracle import GOOD, Check, same_gtid_set

#: A source with its tags and intervals, perhaps on several lines.
_SOURCE: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\s*:\s*\w+(?:\s*-\s*\d+)?)+", re.IGNORECASE)
_COMMENT: Final = re.compile(r"^#\s*", re.MULTILINE)
#: The characters of a set in a message.
_SHOWN: Final = 80


def shows_gtid_set(expected: str, text: str) -> bool:
    """Return whether the GTIDs in a text are a set: an empty one where it has none."""
    return same_gtid_set(expected, _shown(text))


def _shown(text: str) -> str:
    return ",".join("".join(source.split()) for source in _SOURCE.findall(text))


def _fault(expected: str, text: str) -> Fault:
    shown = _shown(text)
    if same_gtid_set(expected, shown):
        return None
    if not shown:
        return "set not shown", f"no set is shown, expected {expected[:_SHOWN]}"
    return "another set", f"the set {shown[:_SHOWN]} is shown, expected {expected[:_SHOWN] or 'an empty one'}"


def previous_set_shown(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The lines of a Previous_gtids event show its set, in comments: a server runs the others."""
    executed = next((line for line in event.following if not line.startswith("#") and _SOURCE.search(line)), None)
    if executed is not None:
        return "set is not a comment", f"the line {executed[:_SHOWN]!r} is not a comment"
    return _fault(printed.facts[index]["previous_gtids"], _COMMENT.sub("", f"{event.description}\n{event.text}"))


def previous_info(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The Info of a Previous_gtids event is its set."""
    for index in alignment.marked(requirement):
        expected, seen = alignment.case.expected.events[index], alignment.observed(index)
        if seen is None:
            continue  # Another requirement is about missing rows.
        fault = _fault(expected["info"], str(seen.get("info", "")))
        at = expected["pos"]
        yield GOOD if fault is None else Check(fault[0], f"the row of Previous_gtids at {at}: {fault[1]}", at)
