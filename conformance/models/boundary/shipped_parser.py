"""The transaction boundary parser that servers ship since MySQL 5.7.

Source: what those servers do; see `conformance.models.boundary.shipped_tables`. Errors are warnings only, and the
parser goes on in the state that the event leads to.
"""

from dataclasses import dataclass
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

#: The versions that ask where the parser runs.
_ASK_CONTEXT: Final = ("8.0.43", "9.7")


def shipped_type(event: FedEvent, version: ShippedVersion) -> ShippedType:
    """Return what an event is to a parser of a version."""
    if event.type == EventType.QUERY:
        return query_type(event.query) if event.query else EMPTY_QUERY[version]
    found = CODES[version].get(event.type)
    if found is not None:
        return found
    return ShippedType.IGNORE if event.ignorable else ShippedType.ERROR


def query_type(query: bytes) -> ShippedType:
    """Return what a statement, not an empty one, is: a part of BEGIN or COMMIT will do."""
    upper = query[: len(b"ROLLBACK TO ")].upper()
    if b"BEGIN".startswith(query) or query.startswith(b"XA START"):
        return ShippedType.BEGIN
    if b"COMMIT".startswith(query):
        return ShippedType.END
    if upper.startswith(b"ROLLBACK") and upper != b"ROLLBACK TO ":
        return ShippedType.END
    return ShippedType.END_XA if upper.startswith(b"XA ROLLBACK") else ShippedType.STMT


@dataclass(frozen=True, slots=True)
class ShippedStep:
    """What a shipped parser did with one event.

    Attributes:
        shipped_type: What the event is to it.
        before: The state before the event.
        state: The state after it.
        error: Whether the parser returned an error.
        warning: The warning that was given, None where there is none: an error that follows another may be silent.
    """

    shipped_type: ShippedType
    before: ShippedState
    state: ShippedState
    error: bool
    warning: ShippedWarning | None


class ShippedParser:
    """Follows one stream of events; a new stream needs a reset.

    Attributes:
        state: Where it stands.
    """

    def __init__(self, version: ShippedVersion, *, context: Context = "receiver") -> None:
        if version not in VERSIONS:
            raise ValueError(f"no shipped parser {version!r}; there are {', '.join(VERSIONS)}")
        self._version: ShippedVersion = version
        self._applier = context == "applier" and version in _ASK_CONTEXT
        self.state = ShippedState.NONE

    @property
    def within_transaction(self) -> bool:
        """Whether the stream stands within a transaction."""
        return self.state.within_transaction

    def reset(self) -> None:
        """Go back to NONE, for another stream."""
        self.state = ShippedState.NONE

    def feed(self, event: FedEvent) -> ShippedStep:
        """Take the next event of the stream, and tell what it did."""
        kind = shipped_type(event, self._version)
        before = self.state
        cell = CELLS[before, kind]
        error = cell.in_applier if self._applier else cell.error
        self.state = cell.state
        warning = shipped_warning(self._version, before, kind) if error else None
        return ShippedStep(kind, before, self.state, error, warning)
