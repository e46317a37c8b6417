"""What a mutant is: the reference implementation with one named fault, and the ways to make one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.binlog.errors import BinlogError
from conformance.binlog.event import Event
from conformance.binlog.event_types import type_name
from conformance.binlog.flags import Flag
from conformance.binlog.header import TYPE_AT
from conformance.binlog.reader import ReaderRules
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.rows.table import Column
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.decode import Decoder
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue

Reported = dict[str, Any]
#: Changes what is reported for an event, or returns None to leave it out.
Alter = Callable[[Event, Reported], Reported | None]
#: Changes a value of a row, in the notation of the protocol.
ChangeCell = Callable[[Column, Any], Any]
Condition = Callable[[Event, Reported], bool]
#: Returns whether an error in a stream is not reported.
Swallow = Callable[[BinlogError, bytes], bool]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One named fault.

    Attributes:
        name: Its name; ``reference:NAME`` runs it.
        requirement: The requirement that it breaks.
        text: What it does wrong.
        alter: Changes each reported event; None leaves them as they are.
        rules: Changes how the reader reads; None leaves it as it is.
        swallow: Returns whether it does not report an error; None reports all.
        message: What it reports instead of any error's message.
        cells: Changes each value of reported rows; None leaves them as they are.
        answer: Answers instead of the reference, in `decode` where a fault depends on more than one event.
        also: Other requirements that the same fault breaks, each where its own does not govern the event.
    """

    name: str
    requirement: str
    text: str
    alter: Alter | None = None
    rules: Callable[[ReaderRules], ReaderRules] | None = None
    swallow: Swallow | None = None
    message: str | None = None
    cells: ChangeCell | None = None
    answer: Callable[[Request], Observation | Trouble] | None = None
    also: tuple[str, ...] = ()


class MutantImplementation(ReferenceImplementation):
    """The reference implementation with a fault.

    Args:
        mutant: The fault.
    """

    def __init__(self, mutant: Mutant) -> None:
        super().__init__()
        self._mutant = mutant
        self.declaration = replace(self.declaration, name=f"reference:{mutant.name}")

    def ask(self, request: Request) -> Observation | Trouble:
        """Return what the mutant answers."""
        if self._mutant.answer is not None and request.role == catalogue()[self._mutant.requirement].role:
            return self._mutant.answer(request)
        if request.role == "decode":
            return MutantDecoder(self._mutant).answer(request)
        return super().ask(request)


class MutantDecoder(Decoder):
    """The kit's own reader with a fault.

    Args:
        mutant: The fault.
    """

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def read(self, stream: bytes, rules: ReaderRules) -> Iterator[Reported]:
        """Yield the events of a stream, with the mutant's fault.

        Raises:
            BinlogError: At the first event that cannot be read, unless the mutant does not report it.
        """
        mutant = self._mutant
        try:
            yield from super().read(stream, mutant.rules(rules) if mutant.rules else rules)
        except BinlogError as error:
            if mutant.swallow is not None and mutant.swallow(error, stream):
                return
            message = error.message if mutant.message is None else mutant.message
            raise BinlogError(at=error.at, kind=error.kind, message=message) from error

    def report(self, event: Event, tables: OpenTables) -> Reported | None:
        """Return an event as the mutant reports it."""
        reported = super().report(event, tables)
        mutant = self._mutant
        if reported is not None and mutant.cells is not None and "rows" in reported:
            columns = tables.table(reported["table_id"]).columns
            reported["rows"] = [_changed_row(row, columns, mutant.cells) for row in reported["rows"]]
        if reported is None or mutant.alter is None:
            return reported
        return mutant.alter(event, reported)


def _changed_row(row: Mapping[str, Any], columns: Sequence[Column], change: ChangeCell) -> dict[str, Any]:
    return {
        side: image and {name: change(columns[int(name)], value) for name, value in image.items()}
        for side, image in row.items()
    }


def of_type(*types: int) -> Condition:
    """Return the condition that an event is known and has one of some type codes."""
    return lambda event, reported: event.recognised and event.header.type in types


def of_checksum(*types: int) -> Swallow:
    """Return what swallows the error about a wrong checksum of an event that has one of some type codes."""
    return lambda error, stream: error.kind == "checksum" and stream[error.at + TYPE_AT] in types


def unknown(event: Event, reported: Reported) -> bool:
    """Return whether an event is skipped as an ignorable one."""
    return not event.recognised


def all_of(*conditions: Condition) -> Condition:
    """Return the condition that all of some conditions are met."""
    return lambda event, reported: all(each(event, reported) for each in conditions)


def checksummed(event: Event, reported: Reported) -> bool:
    """Return whether an event ends with a checksum."""
    return event.has_checksum


def flagged(flag: Flag) -> Condition:
    """Return the condition that a flag is set."""
    return lambda event, reported: bool(event.header.flags & flag)


def has_field(name: str, value: Any) -> Condition:
    """Return the condition that a field on the wire has a value."""
    return lambda event, reported: event.recognised and event.fields().get(name) == value


def change(name: str, change: Callable[[Any], Any], condition: Condition | None = None) -> Alter:
    """Return the change of one field, if it is reported and the condition is met."""

    def alter(event: Event, reported: Reported) -> Reported:
        if name in reported and (condition is None or condition(event, reported)):
            return {**reported, name: change(reported[name])}
        return reported

    return alter


def drop(condition: Condition) -> Alter:
    """Return the change that leaves events out."""
    return lambda event, reported: None if condition(event, reported) else reported


def refuse(condition: Condition) -> Alter:
    """Return the change that stops with an error at an event."""

    def alter(event: Event, reported: Reported) -> Reported:
        if condition(event, reported):
            message = f"{type_name(event.header.type)} is not supported"
            raise BinlogError(at=event.offset, kind="other", message=message)
        return reported

    return alter


def invent(name: str, value: Any, condition: Condition) -> Alter:
    """Return the change that reports a field that the event does not have."""
    return lambda event, reported: {name: value, **reported} if condition(event, reported) else reported


def of_version(prefix: str) -> Condition:
    """Return the condition that the format description names a server version that begins with a prefix."""
    return lambda event, reported: event.format.server_version.startswith(prefix)


def to(value: Any) -> Callable[[Any], Any]:
    """Return the change of any value to a given one."""
    return lambda _: value


def minus(number: int) -> Callable[[Any], Any]:
    """Return the change that subtracts `number`."""
    return lambda value: value - number


def low_half(value: int) -> int:
    """Return the low 32 bits of a number."""
    return value & 0xFFFFFFFF
