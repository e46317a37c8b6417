"""Mutants of the role `client` about what is delivered: which events, and which fields of theirs."""

from typing import Any, Final

from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import TYPE_AT, Header
from conformance.mutants.client.faulty_client import SIGN, mutant
from conformance.reference.client import Client
from conformance.wire.messages import WireError


class _ReportsPositionWithoutSign(Client):
    """Reports 31 bits of a position."""

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        entry = super().report(header, data)
        return {**entry, "log_pos": entry["log_pos"] % SIGN}


class _UncountedIgnorable(Client):
    """Does not move at ignorable events of types that it does not know."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type in KNOWN_TYPES:
            super().move(header, entry)


class _StopsAtUnknown(Client):
    """Stops at an ignorable event of a type that it does not know."""

    def receive(self, data: bytes) -> None:
        if data[4] not in KNOWN_TYPES:
            raise WireError(0, f"unknown event type {data[4]}")
        super().receive(data)


class _StopsAtSecondUnknown(Client):
    """Stops at an unknown ignorable event right after another one."""

    _after_unknown = False

    def receive(self, data: bytes) -> None:
        is_unknown = data[TYPE_AT] not in KNOWN_TYPES
        if is_unknown and self._after_unknown:
            raise WireError(0, f"unknown event type {data[TYPE_AT]}")
        self._after_unknown = is_unknown
        super().receive(data)


class _StopsAtLargeUnknown(Client):
    """Stops at an ignorable event of a type that it does not know if its length needs more than two bytes."""

    def receive(self, data: bytes) -> None:
        if data[TYPE_AT] not in KNOWN_TYPES and len(data) >= 1 << 16:
            raise WireError(0, f"unknown event type {data[TYPE_AT]}")
        super().receive(data)


class _StopsAtText(Client):
    """Stops at a statement's text before its rows."""

    def receive(self, data: bytes) -> None:
        if data[TYPE_AT] == EventType.ROWS_QUERY:
            raise WireError(0, "a statement within rows")
        super().receive(data)


class _StatementIsText(Client):
    """Takes a statement that comes after rows, in a transaction with the text of one, for what that text has shown."""

    _has_text = False

    def receive(self, data: bytes) -> None:
        if data[TYPE_AT] in (EventType.ROWS_QUERY, EventType.XID):
            self._has_text = data[TYPE_AT] == EventType.ROWS_QUERY
        super().receive(data)

    def delivers(self, header: Header) -> bool:
        return not (self._has_text and header.type == EventType.QUERY) and super().delivers(header)


class _PassesOverFlagged(Client):
    """Passes over every event with the ignorable flag, those of the types that it knows too."""

    def delivers(self, header: Header) -> bool:
        return not header.flags & Flag.IGNORABLE and super().delivers(header)


class _HidesServerZero(Client):
    """Takes events with the server id 0 for those that a source makes."""

    def delivers(self, header: Header) -> bool:
        return header.server_id != 0 and super().delivers(header)


class _SignedTimes(Client):
    """Takes the time of an event for a number with a sign."""

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        entry = super().report(header, data)
        time = entry["timestamp"]
        return {**entry, "timestamp": time - (1 << 32) if time >= 1 << 31 else time}


class _UsualQueriesOnly(Client):
    """Takes every Query event for one whose statement goes on to the end: those of WL#40 have tables info there."""

    def report(self, header: Header, data: bytes) -> dict[str, Any]:
        entry = super().report(header, data)
        if self.format is None or header.type != EventType.QUERY or not entry.get("tables_info"):
            return entry
        statement, end = entry["query"], len(data) - self.format.checksum_bytes
        return {**entry, "query": data[data.index(statement.encode()) : end].decode(errors="replace")}


class _WithoutTableMaps(Client):
    """Does not deliver Table_map events."""

    def delivers(self, header: Header) -> bool:
        return header.type != EventType.TABLE_MAP and super().delivers(header)


MUTANTS: Final = (
    mutant(
        "client-log-pos-31-bits",
        "FORMAT-CLIENT-EVENT",
        "reports 31 bits of the position in a header",
        _ReportsPositionWithoutSign,
    ),
    mutant(
        "client-ignorable-uncounted",
        "WL4033-CLIENT-IGNORABLE",
        "does not count ignorable events of unknown types in its position",
        _UncountedIgnorable,
    ),
    mutant(
        "client-stops-at-second-ignorable",
        "WL4033-CLIENT-IGNORABLE",
        "stops at an ignorable event of an unknown type right after another one",
        _StopsAtSecondUnknown,
    ),
    mutant(
        "client-stops-at-large-ignorable",
        "WL4033-CLIENT-IGNORABLE",
        "stops at an ignorable event of an unknown type of 64 KiB or more",
        _StopsAtLargeUnknown,
    ),
    mutant(
        "client-stops-at-ignorable",
        "WL4033-CLIENT-IGNORABLE",
        "stops at an ignorable event of an unknown type",
        _StopsAtUnknown,
    ),
    mutant(
        "client-stops-at-text", "FORMAT-CLIENT-EVENT", "stops at the text of a statement before its rows", _StopsAtText
    ),
    mutant(
        "client-statement-taken-for-text",
        "FORMAT-CLIENT-EVENT",
        "does not deliver a statement after rows in a transaction with the text of one",
        _StatementIsText,
    ),
    mutant(
        "client-flagged-passed-over",
        "WL4033-CLIENT-KNOWN-FLAGGED",
        "passes over events with the ignorable flag of types that it knows",
        _PassesOverFlagged,
        also=("FORMAT-CLIENT-GTIDS",),
    ),
    mutant(
        "client-server-0-hidden",
        "FORMAT-CLIENT-EVENT",
        "does not deliver events with the server id 0",
        _HidesServerZero,
    ),
    mutant(
        "client-times-signed",
        "FORMAT-CLIENT-EVENT",
        "takes the time of an event for a number with a sign",
        _SignedTimes,
    ),
    mutant(
        "client-queries-usual",
        "FORMAT-CLIENT-EVENT",
        "takes the list of tables of an extended Query event for the rest of its statement",
        _UsualQueriesOnly,
    ),
    mutant("client-table-maps-lost", "FORMAT-CLIENT-EVENT", "does not deliver Table_map events", _WithoutTableMaps),
)
