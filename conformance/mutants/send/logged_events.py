"""Mutants of the role `send` about the events of the logs: which are sent, and with which bytes."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender import Log, LoggedEvent, Origin, Sender, SentEvent
from conformance.mutants.mutant import Mutant
from conformance.mutants.send.faulty_sender import (
    FLAGS,
    IGNORABLE,
    OF_LOG,
    Change,
    answer_of,
    changing,
    rewritten,
    with_flags,
    without_markers,
)

_SERVER_ID: Final = slice(5, 9)


def _marks_logged_rotates(event: SentEvent) -> bytes:
    if event.origin is not Origin.LOGGED or event.data[4] != EventType.ROTATE:
        return event.data
    return with_flags(event.data, lambda flags: MARKER_BITS.write(flags, BoundaryType.IGNORE_BOUNDARY))


def _source_has(event: SentEvent, *types: int) -> bool:
    return event.source is not None and event.source.type in types


def _without_unknown(event: SentEvent) -> bytes | None:
    flags = int.from_bytes(event.data[FLAGS], "little")
    unknown = event.origin is Origin.LOGGED and bool(flags & IGNORABLE) and event.data[4] not in KNOWN_TYPES
    return None if unknown else event.data


def _without(*types: int) -> Change:
    return lambda event: None if _source_has(event, *types) else event.data


def _without_large(event: SentEvent) -> bytes | None:
    return None if event.origin is Origin.LOGGED and len(event.data) >> 16 else event.data


def _foreign_id(event: SentEvent) -> bytes:
    if event.origin is not Origin.LOGGED:
        return event.data
    return rewritten(event.data, _SERVER_ID, (int.from_bytes(event.data[_SERVER_ID], "little") + 1) % (1 << 32))


class _LeavesOutOldLogs(Sender):
    """Sends no transactions of a log without a Previous_gtids event, if others have one."""

    def send(self, logs: Sequence[Log]) -> None:
        old = {log.name for log in logs if all(each.previous_gtids is None for each in log.events)}
        self._old = old if len(old) < len(logs) else set()
        super().send(logs)

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        if log.name not in self._old or event.type not in KNOWN_TYPES or event.type in OF_LOG:
            super()._send_event(log, event)


class _NoTextsByGtids(Sender):
    """Sends the texts of statements to replicas that ask by position alone."""

    def _leaves_out(self, event: LoggedEvent) -> bool:
        by_gtids = self.settings.gtid_set is not None
        return (by_gtids and event.type == EventType.ROWS_QUERY) or super()._leaves_out(event)


class _AnnotatesUnasked(Sender):
    """Sends Annotate_rows events to every replica."""

    def _leaves_out(self, event: LoggedEvent) -> bool:
        return False


MUTANTS: Final = (
    Mutant(
        "send-old-log-left-out",
        "FORMAT-SEND-EVENT",
        "sends no transactions of a log from before WL#7592, which has no Previous_gtids event",
        answer=answer_of(_LeavesOutOldLogs),
    ),
    Mutant(
        "send-logged-rotate-ignore",
        "WL4162-SEND-LOGGED-KEPT",
        "marks the Rotate events of the logs as Ignore Boundary, too",
        answer=changing(_marks_logged_rotates),
    ),
    Mutant(
        "send-format-unmarked",
        "WL4162-SEND-LOGGED-KEPT",
        "sends format descriptions without their markers",
        answer=changing(without_markers(Origin.FORMAT)),
    ),
    Mutant(
        "send-ignorable-dropped",
        "WL4033-SEND-IGNORABLE",
        "does not send ignorable events of unknown types",
        answer=changing(_without_unknown),
    ),
    Mutant(
        "send-previous-gtids-dropped",
        "WL7592-SEND-PREVIOUS-GTIDS",
        "does not send Previous_gtids events, as replicas skip them",
        answer=changing(_without(EventType.PREVIOUS_GTIDS)),
    ),
    Mutant(
        "send-anonymous-dropped",
        "WL7592-SEND-ANONYMOUS-GTIDS",
        "does not send Anonymous_gtid events",
        answer=changing(_without(EventType.ANONYMOUS_GTID)),
    ),
    Mutant(
        "send-texts-not-by-gtids",
        "WL4033-SEND-IGNORABLE",
        "sends the texts of statements to replicas that ask by position alone",
        answer=answer_of(_NoTextsByGtids),
    ),
    Mutant(
        "send-annotations-unasked",
        "FORMAT-SEND-ANNOTATE-ROWS",
        "sends Annotate_rows events to replicas that do not ask for them",
        answer=answer_of(_AnnotatesUnasked),
    ),
    Mutant(
        "send-annotations-of-mysql",
        "WL4033-SEND-IGNORABLE",
        "takes ignorable events of MySQL with the code of MariaDB's Annotate_rows for these, and does not send them",
        answer=changing(_without(EventType.MARIADB_ANNOTATE_ROWS)),
    ),
    Mutant(
        "send-large-left-out",
        "FORMAT-SEND-EVENT",
        "sends no event of more than 64 kB",
        answer=changing(_without_large),
    ),
    Mutant(
        "send-other-server-id",
        "FORMAT-SEND-EVENT",
        "changes the server id of the events of its logs",
        answer=changing(_foreign_id),
    ),
)
