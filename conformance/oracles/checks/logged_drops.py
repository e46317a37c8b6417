"""Checks of the DROP TABLE statements that a server logs for a DROP DATABASE that failed (WL#7592)."""

from collections.abc import Iterator
from typing import Final

from conformance.binlog.event_types import GTID_TYPES, QUERY_TYPES, EventType
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.logged_event_comparisons import Entry, check_at, name_of, place_of, tables_of
from conformance.oracles.checks.logged_structure import cause_of_structure
from conformance.oracles.oracle import GOOD, Check, Oracle
from conformance.protocol.roles.log import words_of

#: Servers of 5.7 end a DROP TABLE of a failed DROP DATABASE before these words and its names, each in backquotes and
#: with a comma after it, have this many bytes; how they are spelled is free.
_DROP_LIMIT: Final = 1024
_DROP: Final = b"DROP TABLE IF EXISTS "


def _drops(alignment: Alignment, requirement: str) -> list[tuple[int, Entry]]:
    """Return the DROP TABLE statements in the databases of the marked statements, with their places."""
    expected = alignment.case.expected.events
    databases = {
        expected[index]["database"] for index in _drop_indices(alignment, requirement) if "database" in expected[index]
    }
    return [
        (place, entry)
        for place, entry in enumerate(alignment.observation.events)
        if entry["type"] in QUERY_TYPES
        and words_of(str(entry.get("query", ""))) == "DROP TABLE"
        and any(each.split(".")[0] in databases for each in tables_of(entry))
    ]


def _drop_indices(alignment: Alignment, requirement: str) -> list[int]:
    """Return the indices of the marked statements, and of those after marked Gtid events."""
    expected = alignment.case.expected.events
    return [
        index + 1 if expected[index]["type"] in GTID_TYPES else index
        for index in alignment.marked(requirement)
        if index + 1 < len(expected) or expected[index]["type"] not in GTID_TYPES
    ]


def dropped_together(requirement: str, *, once: bool) -> Oracle:
    """Return the oracle that compares which tables are dropped by all statements together.

    Args:
        requirement: The requirement's id.
        once: Whether no table may be named twice, and no statement may be too long.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected = alignment.case.expected.events
        wanted = frozenset().union(*(tables_of(expected[index]) for index in _drop_indices(alignment, requirement)))
        drops = [entry for _, entry in _drops(alignment, requirement)]
        named = [table for entry in drops for table in sorted(tables_of(entry))]
        missing = sorted(wanted - set(named))
        if missing and not once:
            yield Check("table not dropped", f"no DROP TABLE names {missing[0]}, which was dropped")
        elif once and len(set(named)) != len(named):
            yield Check("table dropped twice", "a table is named by more than one DROP TABLE")
        elif once and missing:
            yield Check("tables left out", f"the statements together leave out {missing[0]}")
        elif once and alignment.case.id.profile != "worklog":
            longest = max(map(_size, drops), default=0)
            text = f"a DROP TABLE whose names come to {longest} bytes"
            yield Check("DROP TABLE too long", text) if longest >= _DROP_LIMIT else GOOD
        elif not once and (left := _left_over(alignment, requirement, wanted)):
            yield Check("table not dropped", f"{left} cannot be created again, although the log drops it")
        else:
            yield GOOD

    return Oracle(requirement, examine)


def _size(drop: Entry) -> int:
    """Return the bytes by which a server counts how many tables one DROP TABLE has room for."""
    names = (table.partition(".")[2].encode() for table in tables_of(drop))
    return len(_DROP) + sum(len(name.replace(b"`", b"``")) + len(b"``,") for name in names) - 1


def _left_over(alignment: Alignment, requirement: str, dropped: frozenset[str]) -> str:
    """Return a table that was dropped, and whose creation afterwards is not logged; empty if there is none."""
    last = max(_drop_indices(alignment, requirement), default=0)
    created = (
        (index, min(tables_of(entry) & dropped))
        for index, entry in enumerate(alignment.case.expected.events)
        if index > last
        and entry["type"] in QUERY_TYPES
        and words_of(entry["query"]) == "CREATE TABLE"
        and tables_of(entry) & dropped
    )
    return next((table for index, table in created if alignment.observed(index) is None), "")


def each_drop_marked(requirement: str, *, anonymous: bool) -> Oracle:
    """Return the oracle that checks for a Gtid event of the right kind directly before each of these DROP TABLEs."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        events = alignment.observation.events
        for place, entry in _drops(alignment, requirement):
            before = events[max(place - 1, 0)]
            good = before["type"] in GTID_TYPES and (before["type"] == EventType.ANONYMOUS_GTID) == anonymous
            signature = "DROP TABLE without its own Gtid event"
            message = f"{name_of(before)} is before {place_of(entry)}"
            yield GOOD if good else check_at(entry, signature, message, cause_of_structure(alignment))

    return Oracle(requirement, examine)
