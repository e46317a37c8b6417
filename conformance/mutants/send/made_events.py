"""Mutants of the role `send` about what a source makes itself: Rotate events, heartbeats and format descriptions."""

from collections.abc import Sequence
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.sender.sender import Log, LoggedEvent, Origin, Sender, SentEvent
from conformance.mutants.mutant import Mutant
from conformance.mutants.send.faulty_sender import (
    FLAGS,
    OF_LOG,
    answer_of,
    changing,
    rewritten,
    with_flags,
    without_markers,
)

_LOG_POS: Final = slice(13, 17)

_ARTIFICIAL: Final = 0x20
_IN_USE: Final = 0x01


def _unflagged_rotate(event: SentEvent) -> bytes:
    return with_flags(event.data, lambda flags: flags & ~_ARTIFICIAL) if event.origin is Origin.ROTATE else event.data


def _in_use_kept(event: SentEvent) -> bytes:
    if event.origin is not Origin.FORMAT or event.source is None or not event.source.data[17] & _IN_USE:
        return event.data
    return with_flags(event.data, lambda flags: flags | _IN_USE)


def _old_checksum(event: SentEvent) -> bytes:
    if event.origin is not Origin.FORMAT or event.source is None:
        return event.data
    return event.data[:-CHECKSUM_BYTES] + event.source.data[-CHECKSUM_BYTES:]


def _heartbeat_without_position(event: SentEvent) -> bytes:
    return rewritten(event.data, _LOG_POS, 0) if event.origin is Origin.HEARTBEAT else event.data


class _ChecksumsAlways(Sender):
    """Checksums what it makes, also in logs without checksums."""

    def _made(self, code: EventType, body: bytes, *, flags: int, log_pos: int = 0) -> bytes:
        before, self._checksummed = self._checksummed, True
        try:
            return super()._made(code, body, flags=flags, log_pos=log_pos)
        finally:
            self._checksummed = before


class _CreatedKept(Sender):
    """Sends the time of creation also for a later position."""

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        super()._send_format(event, moved=moved, created=True)


class _ClearsWithoutTransactions(Sender):
    """Takes it that a replica has the first transaction of a log without any."""

    def _skips_first_group(self, log: Log) -> bool:
        is_empty = self._excluded is not None and not any(each.gtid for each in log.events)
        return is_empty or super()._skips_first_group(log)


class _SilentAfterSkipping(Sender):
    """Sends no heartbeat after transactions that it leaves out."""

    def _send_skipped_position(self, log: Log) -> None:
        self._skipped_to = None


class _SilentInShortWaits(Sender):
    """Sends the position after what it leaves out only with the heartbeats of a wait that is long enough for them."""

    def _wait(self, log: Log, position: int) -> None:
        if self.settings.heartbeats_at(log.name, position):
            super()._wait(log, position)
        else:
            self._skipping = False


class _SilentInNewLogs(Sender):
    """Sends no heartbeat while it waits for the first group of a log."""

    def _wait(self, log: Log, position: int) -> None:
        if any(event.type not in OF_LOG for event in log.events if event.end <= position):
            super()._wait(log, position)


class _HidesLaterStarts(Sender):
    """Sends the format descriptions of all logs but the first without the time of a start of the server."""

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        is_first = all(each.origin is not Origin.FORMAT for each in self.events)
        super()._send_format(event, moved=moved, created=created and is_first)


class _HidesStartsOfAll(Sender):
    """Sends no time of creation where the replica has the first transaction of the first log that is sent."""

    def _send_log(self, log: Log, position: int, *, opens: bool) -> None:
        if opens:
            self._hides = self._skips_first_group(log)
        super()._send_log(log, position, opens=opens)

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        super()._send_format(event, moved=moved, created=created and not self._hides)


class _InUseKeptBeforeLast(Sender):
    """Takes the flag of a log in use from its last log alone: the others are complete."""

    def send(self, logs: Sequence[Log]) -> None:
        self._last = logs[-1].events[0]
        super().send(logs)

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        super()._send_format(event, moved=moved, created=created)
        if event is not self._last and event.data[FLAGS.start] & _IN_USE:
            sent = self.events[-1]
            self.events[-1] = sent._replace(data=with_flags(sent.data, lambda flags: flags | _IN_USE))


class _FewHeartbeats(Sender):
    """Sends at most three heartbeats, however long it waits."""

    def _wait(self, log: Log, position: int) -> None:
        before = len(self.events)
        super()._wait(log, position)
        del self.events[before + 3 :]


class _OneHeartbeat(Sender):
    """Sends one heartbeat, however long it waits."""

    def _wait(self, log: Log, position: int) -> None:
        before = len(self.events)
        super()._wait(log, position)
        del self.events[before + 1 :]


class _ShortPositions(Sender):
    """Writes the position in the body of a heartbeat with two bytes at most."""

    most = 0xFFFF

    def heartbeat(self, name: str, position: int) -> bytes:
        if not self.settings.heartbeat_v2 or position <= self.most:
            return super().heartbeat(name, position)
        cut = super().heartbeat(name, position & self.most)
        return rewritten(cut, _LOG_POS, position)


class _LongerPositions(_ShortPositions):
    """Writes the position in the body of a heartbeat with three bytes at most."""

    most = 0xFFFFFF


class _MarksFirstRotate(Sender):
    """Marks the Rotate with which a connection begins, and none between two logs."""

    def _marked(self, flags: int, boundary: BoundaryType) -> int:
        is_first = boundary is not BoundaryType.IGNORE_BOUNDARY or not self.events
        return super()._marked(flags, boundary) if is_first else flags


class _OneRotate(Sender):
    """Makes a Rotate for the first log only: the logs' own ones name those that follow."""

    def _send_rotate(self, name: str, position: int) -> None:
        if not self.events:
            super()._send_rotate(name, position)


MUTANTS: Final = (
    Mutant(
        "send-rotate-unmarked",
        "WL4162-SEND-ROTATE-IGNORE",
        "does not mark the artificial Rotate events that it makes",
        answer=changing(without_markers(Origin.ROTATE)),
    ),
    Mutant(
        "send-later-rotate-unmarked",
        "WL4162-SEND-ROTATE-IGNORE",
        "marks the artificial Rotate of the first log only",
        answer=answer_of(_MarksFirstRotate),
    ),
    Mutant(
        "send-heartbeat-unmarked",
        "WL4162-SEND-HEARTBEAT-SELF",
        "does not mark the heartbeats that it makes",
        answer=changing(without_markers(Origin.HEARTBEAT)),
    ),
    Mutant(
        "send-in-use-kept-before-last",
        "FORMAT-SEND-FORMAT",
        "keeps the flag of a log in use in logs before the last one",
        answer=answer_of(_InUseKeptBeforeLast),
    ),
    Mutant(
        "send-rotate-unflagged",
        "FORMAT-SEND-ROTATE",
        "makes its Rotate events without the artificial flag",
        answer=changing(_unflagged_rotate),
    ),
    Mutant(
        "send-one-rotate",
        "FORMAT-SEND-ROTATE",
        "makes a Rotate event for the first log only",
        answer=answer_of(_OneRotate),
    ),
    Mutant(
        "send-format-in-use",
        "FORMAT-SEND-FORMAT",
        "sends the flag of a log in use",
        answer=changing(_in_use_kept),
    ),
    Mutant(
        "send-format-created",
        "FORMAT-SEND-FORMAT",
        "sends the time of creation for a later position, too",
        answer=answer_of(_CreatedKept),
    ),
    Mutant(
        "send-empty-log-not-created",
        "FORMAT-SEND-FORMAT",
        "sends a log without transactions without the time of creation to a replica that asks by GTIDs",
        answer=answer_of(_ClearsWithoutTransactions),
    ),
    Mutant(
        "send-heartbeat-unplaced",
        "FORMAT-SEND-HEARTBEAT",
        "sends heartbeats without a position in the header",
        answer=changing(_heartbeat_without_position),
    ),
    Mutant(
        "send-heartbeat-position-cut",
        "FORMAT-SEND-HEARTBEAT",
        "sends heartbeats of the second version with the lower two bytes of the position in the body",
        answer=answer_of(_ShortPositions),
    ),
    Mutant(
        "send-heartbeat-position-cut-at-three",
        "FORMAT-SEND-HEARTBEAT",
        "sends heartbeats of the second version with the lower three bytes of the position in the body",
        answer=answer_of(_LongerPositions),
    ),
    Mutant(
        "send-few-heartbeats",
        "FORMAT-SEND-HEARTBEAT",
        "sends at most three heartbeats, however long it waits",
        answer=answer_of(_FewHeartbeats),
    ),
    Mutant(
        "send-one-heartbeat",
        "FORMAT-SEND-HEARTBEAT",
        "sends one heartbeat, however long it waits",
        answer=answer_of(_OneHeartbeat),
    ),
    Mutant(
        "send-silent-after-skipping",
        "FORMAT-SEND-HEARTBEAT",
        "sends no heartbeat after transactions that the replica has",
        answer=answer_of(_SilentAfterSkipping),
    ),
    Mutant(
        "send-silent-in-short-waits",
        "FORMAT-SEND-HEARTBEAT",
        "sends no position after transactions that the replica has in a wait shorter than a heartbeat period",
        answer=answer_of(_SilentInShortWaits),
    ),
    Mutant(
        "send-silent-in-new-logs",
        "FORMAT-SEND-HEARTBEAT",
        "sends no heartbeat while it waits for the first event of a new log",
        answer=answer_of(_SilentInNewLogs),
    ),
    Mutant(
        "send-checksums-always",
        "FORMAT-SEND-CHECKSUM",
        "gives what it makes a checksum in logs without checksums, too",
        answer=answer_of(_ChecksumsAlways),
    ),
    Mutant(
        "send-format-old-checksum",
        "FORMAT-SEND-CHECKSUM",
        "changes a format description and leaves its checksum as it was",
        answer=changing(_old_checksum),
    ),
    Mutant(
        "send-later-starts-hidden",
        "FORMAT-SEND-FORMAT",
        "sends the format descriptions of later logs without the time of a start",
        answer=answer_of(_HidesLaterStarts),
    ),
    Mutant(
        "send-later-logs-not-created",
        "FORMAT-SEND-FORMAT",
        "sends all logs without the time of creation to a replica that has the first transaction of the first log",
        answer=answer_of(_HidesStartsOfAll),
    ),
)
