"""Empty transactions that a server may log: that of a CREATE TABLE ... SELECT without rows (WL#7592)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES
from conformance.protocol.observation import Observation
from conformance.protocol.roles.log import END, kind_of
from conformance.strategies.grammar.case import Case

_ABOUT: Final = "WL7592-LOG-CREATE-SELECT-ROW"


def without_empty_groups(case: Case, answer: Observation) -> Observation:
    """Return an answer without the second transaction of a CREATE TABLE ... SELECT that has no rows.

    A server may log it empty or not at all; what is expected is that it is not there.
    """
    if _ABOUT not in case.marks or any(_empty_groups(case.expected.events)):
        return answer
    left_out = {place for group in _empty_groups(answer.events) for place in group}
    events = tuple(event for place, event in enumerate(answer.events) if place not in left_out)
    return replace(answer, events=events) if left_out else answer


def _empty_groups(events: Sequence[Mapping[str, Any]]) -> Iterator[range]:
    """Yield the places of each empty transaction that comes directly after a CREATE TABLE."""
    kinds = [kind_of(event) for event in events]
    for place, kind in enumerate(kinds):
        if kind != "CREATE TABLE":
            continue
        start = place + 1
        begin = start + (start < len(events) and events[start]["type"] in GTID_TYPES)
        if kinds[begin : begin + 2] == ["BEGIN", END]:
            yield range(start, begin + 2)
