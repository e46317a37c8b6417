"""Answers of boundary parsers with one fault: another parser, or the right parser with its entries altered."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.event import Event
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.protocol.observation import Observation, Request
from conformance.reference.boundary import Entry, Parser, observe, parser_of

_PREFIX: Final = "Unable to change boundary parser from "
Answer = Callable[[Request], Observation]


def parser_for(request: Request, make: Callable[[], WorklogParser]) -> Parser:
    """Return the mutant under the profile `worklog`, else the shipped parser."""
    shipped = None if request.profile == "worklog" else parser_of(request.profile)
    return shipped or make()


def parses(make: Callable[[], WorklogParser]) -> Answer:
    """Return the answer of a parser with a fault."""
    return lambda request: observe(request, parser_for(request, make))


def altered(alter: Callable[[Event, Entry], Entry | None]) -> Answer:
    """Return the answer of the right parser with its entries altered."""
    return lambda request: observe(request, parser_for(request, WorklogParser), alter)


def with_field(
    name: str, value: Callable[[Entry], object], condition: Callable[[Entry], bool] = lambda entry: True
) -> Callable[[Event, Entry], Entry]:
    """Return the change of one field, if it is answered and a condition is met."""

    def alter(event: Event, entry: Entry) -> Entry:
        return {**entry, name: value(entry)} if name in entry and condition(entry) else entry

    return alter


def outside(*codes: int) -> Answer:
    """Return the answer of a parser that is outside a transaction after events of some types."""
    return altered(with_field("within_transaction", lambda entry: "no", lambda entry: entry["type"] in codes))


def inside(*codes: int) -> Answer:
    """Return the answer of a parser that is within a transaction after events of some types."""
    return altered(with_field("within_transaction", lambda entry: "yes", lambda entry: entry["type"] in codes))


def swapped_names(entry: Entry) -> str:
    """Return the warning of an entry with its two types in reverse."""
    before, _, fed = entry["warning"].removeprefix(_PREFIX).removesuffix(".").partition(" to ")
    return f"{_PREFIX}{fed} to {before}."


def names_of_constants(entry: Entry) -> str:
    """Return the warning of an entry with the names of constants for the types."""
    text: str = entry["warning"]
    for each in BoundaryType:
        text = text.replace(each.heading, f"BOUNDARY_TYPE_{each.name}")
    return text
