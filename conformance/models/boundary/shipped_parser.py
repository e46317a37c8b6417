"""The transaction boundary parser that servers have shipped since MySQL 5.7.

Source: what those servers do; see `conformance.models.boundary.shipped_tables`. Errors are only warnings, and
the parser continues in the state that the event leads to.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from conformance.binlog.event_types import EventType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_tables import (
    CELLS,
    CODES,
    EMPTY_QUERY,
    VERSIONS,
    ShippedState,
    ShippedType,
    ShippedVersion,
)
from conformance.models.boundary.shipped_warnings import ShippedWarning, shipped_warning

#: Where a parser runs.
Context = Literal["receiver", "applier"]

_QUERY: Final = int(EventType.QUERY)
#: The versions in which it matters where the parser runs.
_CONTEXT_MATTERS: Final = ("8.0.43", "8.4", "9.7")


def shipped_type(event: FedEvent, version: ShippedVersion) -> ShippedType:
    """Return the type of an event in a version of the parser."""
    if event.type == _QUERY:
        return query_type(event.query) if event.query else EMPTY_QUERY[version]
    known = CODES[version].get(event.type)
    if known is not None:
        return known
    return ShippedType.IGNORE if event.ignorable else ShippedType.ERROR


def query_type(query: bytes) -> ShippedType:
    """Return the type of a statement that is not empty: any beginning of BEGIN or COMMIT counts as the word."""
    if b"BEGIN".startswith(query) or query.startswith(b"XA START"):
        return ShippedType.BEGIN
    if b"COMMIT".startswith(query):
        return ShippedType.END
    upper = query[: len(b"ROLLBACK TO ")].upper()
    if upper.startswith(b"ROLLBACK") and upper != b"ROLLBACK TO ":
        return ShippedType.END
    return ShippedType.END_XA if upper.startswith(b"XA ROLLBACK") else ShippedType.STMT


@dataclass(frozen=True, slots=True)
class ShippedStep:
    """What a shipped parser did with one event.

    Attributes:
        shipped_type: The type of the event in the parser.
        before: The state before the event.
        state: The state after it.
        error: Whether the parser returned an error.
        warning: The warning, None if there is none: an error that follows another may be silent.
    """

    shipped_type: ShippedType
    before: ShippedState
    state: ShippedState
    error: bool
    warning: ShippedWarning | None


@cache
def _step(version: ShippedVersion, context: Context, before: ShippedState, kind: ShippedType) -> ShippedStep:
    """Return the step of a parser by its state and an event's type; cached, as there are a few hundred of them."""
    cell = CELLS[before, kind]
    error = cell.in_applier if context == "applier" and version in _CONTEXT_MATTERS else cell.error
    warning = shipped_warning(version, before, kind) if error else None
    return ShippedStep(kind, before, cell.state, error, warning)


class ShippedParser:
    """Parses one stream of events; a new stream needs a reset.

    Attributes:
        state: Its state.
    """

    def __init__(self, version: ShippedVersion, *, context: Context = "receiver") -> None:
        if version not in VERSIONS:
            raise ValueError(f"{version!r} is not a version of the shipped parser: write one of {', '.join(VERSIONS)}")
        self._version: ShippedVersion = version
        self._context: Context = context
        self.state = ShippedState.NONE

    @property
    def within_transaction(self) -> bool:
        """Whether the stream is within a transaction."""
        return self.state.within_transaction

    def reset(self) -> None:
        """Return to the state NONE, for another stream."""
        self.state = ShippedState.NONE

    def feed(self, event: FedEvent) -> ShippedStep:
        """Take the next event of the stream, and return the step."""
        kind = shipped_type(event, self._version)
        step = _step(self._version, self._context, self.state, kind)
        self.state = step.state
        is_silent = step.error and event.type == _QUERY and not event.query
        return replace(step, warning=None) if is_silent else step
