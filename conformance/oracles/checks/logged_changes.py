"""Checks of the changes of rows in a server's logs: as statements or as rows, and each of them once (WL#3303)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import QUERY_TYPES, ROWS_TYPES, type_name
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.logged_causes import UNEXPECTED, change_cause
from conformance.oracles.checks.logged_event_checks import logged, none_of
from conformance.oracles.checks.logged_event_comparisons import Entry, check_at
from conformance.oracles.checks.unlogged_statements import refused_by, refused_statements
from conformance.oracles.oracle import GOOD, Check, Oracle, both
from conformance.protocol.roles.log import words_of

#: The first words of statements that change rows.
_CHANGES: Final = ("INSERT", "REPLACE", "UPDATE", "DELETE", "LOAD", "WITH")


def is_query(*words: str) -> Callable[[Entry], bool]:
    """Return the condition that an event is a statement with one of some first words."""
    return lambda entry: entry["type"] in QUERY_TYPES and words_of(str(entry.get("query", ""))) in words


def is_change(entry: Entry) -> bool:
    """Return whether an event holds a change of rows, or is a statement that changes rows."""
    return entry["type"] in ROWS_TYPES or is_query(*_CHANGES)(entry)


def _rows_in(entries: Iterable[Entry]) -> Counter[str]:
    """Return how many rows are written, updated and deleted, in however many events."""
    counts: Counter[str] = Counter()
    for entry in entries:
        counts[type_name(entry["type"]).split("_")[0]] += len(entry.get("rows") or ())
    return counts


def _no_extra_rows(requirement: str) -> Oracle:
    """Return the oracle that checks that the logs have no more rows than were changed."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        expected, observed = map(_rows_in, (alignment.case.expected.events, alignment.observation.events))
        kind = next(iter(observed - expected), None)
        if kind is None:
            yield GOOD
        else:
            message = f"{observed[kind]} rows in {kind} events, expected {expected[kind]}"
            extra = _first_extra(alignment, kind)
            yield check_at(extra, f"extra rows: {kind}", message, change_cause(UNEXPECTED))

    return Oracle(requirement, examine)


def _first_extra(alignment: Alignment, kind: str) -> Entry:
    """Return the first rows event of a kind that is not expected, or the first at all."""
    events = alignment.observation.events
    places = [place for place, each in enumerate(events) if type_name(each["type"]).split("_")[0] == kind]
    phantoms = set(alignment.phantoms)
    return events[next((place for place in places if place in phantoms), places[0])]


def _is_statement(entry: Entry) -> bool:
    return entry["type"] in QUERY_TYPES or entry["type"] in ROWS_TYPES


def none_of_refused(
    requirement: str, what: str, unwanted: Callable[[Entry], bool] = _is_statement, *, of_any: bool = False
) -> Oracle:
    """Return the oracle that checks that nothing is logged of the statements that are refused.

    Args:
        requirement: The requirement's id.
        what: The name of what is refused.
        unwanted: Returns whether an event is of this kind.
        of_any: Whether any refusal counts; otherwise only those which this requirement is about.
    """
    unlogged = refused_statements if of_any else refused_by(requirement)
    return none_of(requirement, unwanted, what, unlogged=unlogged)


def _unless_refused(oracle: Oracle) -> Oracle:
    """Return an oracle for the answers in which nothing is logged that is refused, which has rules of its own."""
    of_refused = none_of_refused(oracle.requirement, "refused statement", of_any=True)

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if not any(check.signature for check in of_refused.examine(alignment, requirement)):
            yield from oracle.examine(alignment, requirement)

    return replace(oracle, examine=examine)


def logged_once(requirement: str, types: frozenset[int]) -> Oracle:
    """Return the oracle that checks that the marked changes are logged in events of some types, and nowhere else."""
    elsewhere = none_of(requirement, is_query(*_CHANGES), "statement")
    none_beside = _unless_refused(both(elsewhere, _no_extra_rows(requirement)))
    return both(logged(requirement, types=types, adjacent=False), none_beside)
