"""The mutants of the role `send`: the model of a sender with one fault each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import KNOWN_TYPES, EventType, Purpose, types_of
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER_BYTES
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.sender.sender import Log, LoggedEvent, NoSuchPosition, Origin, Sender, SenderStopped, SentEvent
from conformance.models.sender.sender_settings import FIRST, SenderSettings
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request
from conformance.reference.send import answer_with

#: What describes a log, or ends it, and is of no transaction.
_OF_LOG: Final = types_of(Purpose.LOG)

_FLAGS: Final = slice(17, 19)
_LOG_POS: Final = slice(13, 17)
_SERVER_ID: Final = slice(5, 9)
_ARTIFICIAL: Final = 0x20
_IGNORABLE: Final = 0x80
_IN_USE: Final = 0x01


def _with_flags(data: bytes, change: Callable[[int], int]) -> bytes:
    """Return an event with other flags, and the checksum of its new bytes if it has one."""
    return _rewritten(data, _FLAGS, change(int.from_bytes(data[_FLAGS], "little")))


def _rewritten(data: bytes, at: slice, value: int) -> bytes:
    """Return an event with another number in its header, and the checksum of its new bytes if it has one."""
    made = bytearray(data)
    made[at] = value.to_bytes(at.stop - at.start, "little")
    kept = data[:-CHECKSUM_BYTES]
    has_checksum = len(kept) >= HEADER_BYTES and checksum(kept) == int.from_bytes(data[-CHECKSUM_BYTES:], "little")
    if has_checksum:
        made[-CHECKSUM_BYTES:] = checksum(made[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")
    return bytes(made)


#: Changes an event that is sent; None leaves it out.
Change = Callable[[SentEvent], bytes | None]


def _changing(change: Change) -> Callable[[Request], Observation]:
    """Return the answer of a sender that changes each event before it sends it."""

    class Changing(Sender):
        def entries(self) -> list[dict[str, str]]:
            changed = (change(event) for event in self.events)
            return [{"data": data.hex()} for data in changed if data is not None]

    return _by(Changing)


def _by(sender: Callable[[SenderSettings], Sender]) -> Callable[[Request], Observation]:
    return lambda request: answer_with(sender, request)


def _unmarked(origin: Origin) -> Change:
    def change(event: SentEvent) -> bytes:
        return (
            _with_flags(event.data, lambda flags: flags & ~MARKER_BITS.mask) if event.origin is origin else event.data
        )

    return change


def _marks_logged_rotates(event: SentEvent) -> bytes:
    if event.origin is not Origin.LOGGED or event.data[4] != EventType.ROTATE:
        return event.data
    return _with_flags(event.data, lambda flags: MARKER_BITS.write(flags, BoundaryType.IGNORE_BOUNDARY))


def _source_has(event: SentEvent, *types: int) -> bool:
    return event.source is not None and event.source.type in types


def _without_unknown(event: SentEvent) -> bytes | None:
    flags = int.from_bytes(event.data[_FLAGS], "little")
    unknown = event.origin is Origin.LOGGED and bool(flags & _IGNORABLE) and event.data[4] not in KNOWN_TYPES
    return None if unknown else event.data


def _without(*types: int) -> Change:
    return lambda event: None if _source_has(event, *types) else event.data


def _without_large(event: SentEvent) -> bytes | None:
    return None if event.origin is Origin.LOGGED and len(event.data) >> 16 else event.data


def _unflagged_rotate(event: SentEvent) -> bytes:
    return _with_flags(event.data, lambda flags: flags & ~_ARTIFICIAL) if event.origin is Origin.ROTATE else event.data


def _in_use_kept(event: SentEvent) -> bytes:
    if event.origin is not Origin.FORMAT or event.source is None or not event.source.data[17] & _IN_USE:
        return event.data
    return _with_flags(event.data, lambda flags: flags | _IN_USE)


def _old_checksum(event: SentEvent) -> bytes:
    if event.origin is not Origin.FORMAT or event.source is None:
        return event.data
    return event.data[:-CHECKSUM_BYTES] + event.source.data[-CHECKSUM_BYTES:]


def _heartbeat_without_position(event: SentEvent) -> bytes:
    return _rewritten(event.data, _LOG_POS, 0) if event.origin is Origin.HEARTBEAT else event.data


def _foreign_id(event: SentEvent) -> bytes:
    if event.origin is not Origin.LOGGED:
        return event.data
    return _rewritten(event.data, _SERVER_ID, (int.from_bytes(event.data[_SERVER_ID], "little") + 1) % (1 << 32))


class _ChecksumsAlways(Sender):
    """Checksums what it makes, also in logs without checksums."""

    def _made(self, code: EventType, body: bytes, *, flags: int, log_pos: int = 0) -> bytes:
        before, self._checksummed = self._checksummed, True
        try:
            return super()._made(code, body, flags=flags, log_pos=log_pos)
        finally:
            self._checksummed = before


class _FromTheBeginning(Sender):
    """Names the position asked for, and sends the log from its beginning."""

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        if not any(each.origin is Origin.LOGGED for each in self.events):
            for earlier in log.events[1:]:
                if earlier.start < event.start:
                    super()._send_event(log, earlier)
        super()._send_event(log, event)


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


class _SkipsAfterWaiting(Sender):
    """Leaves out what comes after a wait as well as what came before it, up to the next Gtid event."""

    def _wait(self, log: Log, position: int) -> None:
        before = self._skipping
        super()._wait(log, position)
        self._skipping = before


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
        if any(event.type not in _OF_LOG for event in log.events if event.end <= position):
            super()._wait(log, position)


class _LeavesOutOldLogs(Sender):
    """Sends no transactions of a log without a Previous_gtids event, if others have one."""

    def send(self, logs: Sequence[Log]) -> None:
        old = {log.name for log in logs if all(each.previous_gtids is None for each in log.events)}
        self._old = old if len(old) < len(logs) else set()
        super().send(logs)

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        if log.name not in self._old or event.type not in KNOWN_TYPES or event.type in _OF_LOG:
            super()._send_event(log, event)


class _NeedsGtidsBefore(Sender):
    """Begins with no log whose Previous_gtids event has an empty set, but the first one."""

    def _has_all_before(self, log: Log) -> bool:
        return any(
            each.previous_gtids.sources for each in log.events if each.previous_gtids
        ) and super()._has_all_before(log)


class _LeavesOutGtidOnly(Sender):
    """Leaves out the Gtid event of a transaction that the replica has, and sends the rest of it."""

    def _skips(self, event: LoggedEvent) -> bool:
        return bool(event.gtid) and super()._skips(event)


class _SkipsToXid(Sender):
    """Leaves out a transaction that the replica has up to its Xid, and sends what comes between it and the next one."""

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        super()._send_event(log, event)
        if event.type == EventType.XID:
            self._skipping = False


class _SendsUnknown(Sender):
    """Sends the unknown ignorable events of transactions that the replica has."""

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        if self._skips(event) and event.type not in KNOWN_TYPES:
            self.events.append(SentEvent(Origin.LOGGED, event.data, event))
        else:
            super()._send_event(log, event)


class _SendsEndOfInterval(Sender):
    """Sends the last transaction of each interval of what the replica has: the end of an interval is not in it."""

    def _skips(self, event: LoggedEvent) -> bool:
        if event.gtid and self.settings.gtid_set is not None:
            uuid, tag, number = gtid_parts(event.gtid)
            of_source = (each for each in self.settings.gtid_set.sources if (each.uuid, each.tag) == (uuid, tag))
            if any(each.start < number == each.end - 1 for source in of_source for each in source.intervals):
                return False
        return super()._skips(event)


class _KnowsFirstIntervals(Sender):
    """Takes the first interval of each source for all that the replica has of it."""

    def __init__(self, settings: SenderSettings) -> None:
        if settings.gtid_set is not None:
            sources = tuple(replace(each, intervals=each.intervals[:1]) for each in settings.gtid_set.sources)
            settings = replace(settings, gtid_set=replace(settings.gtid_set, sources=sources))
        super().__init__(settings)


class _ComparesEnds(Sender):
    """Begins with a log if the replica has the first and the last GTID of each interval before it."""

    def _has_all_before(self, log: Log) -> bool:
        ends = ExecutedGtids()
        for source in log.previous_gtids.sources:
            for each in source.intervals:
                ends.add(source.uuid, source.tag, each.start)
                ends.add(source.uuid, source.tag, each.end - 1)
        return not ends.missing_in(self.settings.gtid_set or GtidSet()).sources


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


class _RefusesEnd(Sender):
    """Has no position where a log ends: no event is there."""

    def _check_position(self, log: Log) -> None:
        super()._check_position(log)
        if self.settings.log_pos == log.events[-1].end:
            raise NoSuchPosition(log.events[0], "no event at this position")


class _SkipsToGtid(Sender):
    """Leaves out what follows a transaction that the replica has, up to the next one that has a GTID."""

    def _skips(self, event: LoggedEvent) -> bool:
        skipping = self._skipping
        return (skipping and event.type == EventType.ANONYMOUS_GTID) or super()._skips(event)


class _SendsStops(Sender):
    """Ends what it leaves out at a Stop as well as at a Rotate."""

    def _skips(self, event: LoggedEvent) -> bool:
        return event.type != EventType.STOP and super()._skips(event)


class _FromTheFirstLog(Sender):
    """Sends from the first log on."""

    def first(self, logs: Sequence[Log]) -> int:
        return super().first(logs) if self._excluded is None else 0


class _ChecksWholeLog(Sender):
    """Checks the gtid_mode of every event of a log, wherever the replica begins."""

    def _send_log(self, log: Log, position: int, *, opens: bool) -> None:
        self._log = log
        super()._send_log(log, position, opens=opens)

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        super()._send_format(event, moved=moved, created=created)
        for each in self._log.events:
            self._check_mode(each)


class _LeavesAnonymousOut(Sender):
    def _check_mode(self, event: LoggedEvent) -> None:
        if not self._is_left_out(event):
            super()._check_mode(event)

    def _skips(self, event: LoggedEvent) -> bool:
        return self._is_left_out(event) or super()._skips(event)

    def _is_left_out(self, event: LoggedEvent) -> bool:
        return self.settings.gtid_set is not None and event.type == EventType.ANONYMOUS_GTID


class _SparesFlagged(Sender):
    """Holds only events without the ignorable flag to the gtid_mode."""

    def _check_mode(self, event: LoggedEvent) -> None:
        if not int.from_bytes(event.data[_FLAGS], "little") & _IGNORABLE:
            super()._check_mode(event)


class _NoTextsByGtids(Sender):
    """Sends the texts of statements to replicas that ask by position alone."""

    def _leaves_out(self, event: LoggedEvent) -> bool:
        by_gtids = self.settings.gtid_set is not None
        return (by_gtids and event.type == EventType.ROWS_QUERY) or super()._leaves_out(event)


class _AnyMode(Sender):
    """Takes no notice of the gtid_mode."""

    def _check_mode(self, event: LoggedEvent) -> None:
        try:
            super()._check_mode(event)
        except SenderStopped:
            return


class _LowPositions(Sender):
    """Begins with the first event where a replica asks for a position before it."""

    def _check_position(self, log: Log) -> None:
        if self.settings.log_pos >= FIRST:
            super()._check_position(log)


class _ZeroIsBeginning(Sender):
    """Takes the position 0 for the beginning."""

    def _check_position(self, log: Log) -> None:
        if self.settings.log_pos:
            super()._check_position(log)


class _WaitsBeyond(Sender):
    """Waits for what comes where a replica asks for a position beyond the end of a log."""

    def _check_position(self, log: Log) -> None:
        if self.settings.log_pos < FIRST:
            super()._check_position(log)


class _SendsWhatIsLeft(Sender):
    """Sends what its logs still have to a replica that lacks transactions of before them."""

    def _check_purged(self, log: Log) -> None:
        return


class _SkipsPurgedOfHeldSources(Sender):
    """Refuses a replica that lacks purged transactions only if it has none of their source."""

    def _check_purged(self, log: Log) -> None:
        has = {each.uuid for each in (self.settings.gtid_set or GtidSet()).sources}
        if any(each.uuid not in has for each in self._missing_before(log).sources):
            super()._check_purged(log)


class _RefusesSilently(Sender):
    """Ends the connection without an error where a log does not have the position."""

    def send(self, logs: Sequence[Log]) -> None:
        try:
            super().send(logs)
        except NoSuchPosition:
            return


class _InUseKeptBeforeLast(Sender):
    """Takes the flag of a log in use from its last log alone: the others are complete."""

    def send(self, logs: Sequence[Log]) -> None:
        self._last = logs[-1].events[0]
        super().send(logs)

    def _send_format(self, event: LoggedEvent, *, moved: bool, created: bool) -> None:
        super()._send_format(event, moved=moved, created=created)
        if event is not self._last and event.data[_FLAGS.start] & _IN_USE:
            sent = self.events[-1]
            self.events[-1] = sent._replace(data=_with_flags(sent.data, lambda flags: flags | _IN_USE))


class _AnnotatesUnasked(Sender):
    """Sends Annotate_rows events to every replica."""

    def _leaves_out(self, event: LoggedEvent) -> bool:
        return False


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
        return _rewritten(cut, _LOG_POS, position)


class _LongerPositions(_ShortPositions):
    """Writes the position in the body of a heartbeat with three bytes at most."""

    most = 0xFFFFFF


class _SignedPositions(Sender):
    """Takes positions for numbers with a sign: the end of a large log is before the first event."""

    def _check_position(self, log: Log) -> None:
        if self.settings.log_pos >= 1 << 31:
            raise NoSuchPosition(log.events[0], "the position is less than 0")
        super()._check_position(log)


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


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "send-rotate-unmarked",
        "WL4162-SEND-ROTATE-IGNORE",
        "does not mark the artificial Rotate events that it makes",
        answer=_changing(_unmarked(Origin.ROTATE)),
    ),
    Mutant(
        "send-old-log-left-out",
        "FORMAT-SEND-EVENT",
        "sends no transactions of a log from before WL#7592, which has no Previous_gtids event",
        answer=_by(_LeavesOutOldLogs),
    ),
    Mutant(
        "send-later-rotate-unmarked",
        "WL4162-SEND-ROTATE-IGNORE",
        "marks the artificial Rotate of the first log only",
        answer=_by(_MarksFirstRotate),
    ),
    Mutant(
        "send-heartbeat-unmarked",
        "WL4162-SEND-HEARTBEAT-SELF",
        "does not mark the heartbeats that it makes",
        answer=_changing(_unmarked(Origin.HEARTBEAT)),
    ),
    Mutant(
        "send-logged-rotate-ignore",
        "WL4162-SEND-LOGGED-KEPT",
        "marks the Rotate events of the logs as Ignore Boundary, too",
        answer=_changing(_marks_logged_rotates),
    ),
    Mutant(
        "send-format-unmarked",
        "WL4162-SEND-LOGGED-KEPT",
        "sends format descriptions without their markers",
        answer=_changing(_unmarked(Origin.FORMAT)),
    ),
    Mutant(
        "send-ignorable-dropped",
        "WL4033-SEND-IGNORABLE",
        "does not send ignorable events of unknown types",
        answer=_changing(_without_unknown),
    ),
    Mutant(
        "send-in-use-kept-before-last",
        "FORMAT-SEND-FORMAT",
        "keeps the flag of a log in use in logs before the last one",
        answer=_by(_InUseKeptBeforeLast),
    ),
    Mutant(
        "send-low-positions",
        "FORMAT-SEND-NO-POSITION",
        "begins with the first event where a replica asks for a position below it",
        answer=_by(_LowPositions),
    ),
    Mutant(
        "send-zero-is-beginning",
        "FORMAT-SEND-NO-POSITION",
        "takes the position 0 for the beginning of a log",
        answer=_by(_ZeroIsBeginning),
    ),
    Mutant(
        "send-waits-beyond",
        "FORMAT-SEND-NO-POSITION",
        "sends nothing but the log's name and format description where a replica asks for a position beyond the end",
        answer=_by(_WaitsBeyond),
    ),
    Mutant(
        "send-refuses-silently",
        "FORMAT-SEND-NO-POSITION",
        "sends neither events nor an error where a log does not have the position asked for",
        answer=_by(_RefusesSilently),
    ),
    Mutant(
        "send-what-is-left",
        "FORMAT-SEND-PURGED",
        "sends what its logs still have to a replica that lacks transactions of before them",
        answer=_by(_SendsWhatIsLeft),
    ),
    Mutant(
        "send-purged-of-held-sources",
        "FORMAT-SEND-PURGED",
        "notices that a replica lacks purged transactions only where it has none of their source",
        answer=_by(_SkipsPurgedOfHeldSources),
    ),
    Mutant(
        "send-previous-gtids-dropped",
        "WL7592-SEND-PREVIOUS-GTIDS",
        "does not send Previous_gtids events, as replicas skip them",
        answer=_changing(_without(EventType.PREVIOUS_GTIDS)),
    ),
    Mutant(
        "send-anonymous-dropped",
        "WL7592-SEND-ANONYMOUS-GTIDS",
        "does not send Anonymous_gtid events",
        answer=_changing(_without(EventType.ANONYMOUS_GTID)),
    ),
    Mutant(
        "send-rotate-unflagged",
        "FORMAT-SEND-ROTATE",
        "makes its Rotate events without the artificial flag",
        answer=_changing(_unflagged_rotate),
    ),
    Mutant(
        "send-one-rotate",
        "FORMAT-SEND-ROTATE",
        "makes a Rotate event for the first log only",
        answer=_by(_OneRotate),
    ),
    Mutant(
        "send-format-in-use",
        "FORMAT-SEND-FORMAT",
        "sends the flag of a log in use",
        answer=_changing(_in_use_kept),
    ),
    Mutant(
        "send-format-created",
        "FORMAT-SEND-FORMAT",
        "sends the time of creation for a later position, too",
        answer=_by(_CreatedKept),
    ),
    Mutant(
        "send-empty-log-not-created",
        "FORMAT-SEND-FORMAT",
        "sends a log without transactions without the time of creation to a replica that asks by GTIDs",
        answer=_by(_ClearsWithoutTransactions),
    ),
    Mutant(
        "send-from-beginning",
        "FORMAT-SEND-POSITION",
        "sends the log from its beginning for every position",
        answer=_by(_FromTheBeginning),
    ),
    Mutant(
        "send-heartbeat-unplaced",
        "FORMAT-SEND-HEARTBEAT",
        "sends heartbeats without a position in the header",
        answer=_changing(_heartbeat_without_position),
    ),
    Mutant(
        "send-heartbeat-position-cut",
        "FORMAT-SEND-HEARTBEAT",
        "sends heartbeats of the second version with the lower two bytes of the position in the body",
        answer=_by(_ShortPositions),
    ),
    Mutant(
        "send-heartbeat-position-cut-at-three",
        "FORMAT-SEND-HEARTBEAT",
        "sends heartbeats of the second version with the lower three bytes of the position in the body",
        answer=_by(_LongerPositions),
    ),
    Mutant(
        "send-positions-signed",
        "FORMAT-SEND-POSITION",
        "refuses positions from 2^31 on",
        answer=_by(_SignedPositions),
    ),
    Mutant(
        "send-one-heartbeat",
        "FORMAT-SEND-HEARTBEAT",
        "sends one heartbeat, however long it waits",
        answer=_by(_OneHeartbeat),
    ),
    Mutant(
        "send-end-of-interval",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends the last transaction of each interval of what the replica has",
        answer=_by(_SendsEndOfInterval),
    ),
    Mutant(
        "send-first-interval",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends the transactions of every later interval of what the replica has",
        answer=_by(_KnowsFirstIntervals),
    ),
    Mutant(
        "send-compares-ends",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "compares only the ends of intervals when it chooses the first log",
        answer=_by(_ComparesEnds),
    ),
    Mutant(
        "send-silent-after-skipping",
        "FORMAT-SEND-HEARTBEAT",
        "sends no heartbeat after transactions that the replica has",
        answer=_by(_SilentAfterSkipping),
    ),
    Mutant(
        "send-silent-in-short-waits",
        "FORMAT-SEND-HEARTBEAT",
        "sends no position after transactions that the replica has in a wait shorter than a heartbeat period",
        answer=_by(_SilentInShortWaits),
    ),
    Mutant(
        "send-silent-in-new-logs",
        "FORMAT-SEND-HEARTBEAT",
        "sends no heartbeat while it waits for the first event of a new log",
        answer=_by(_SilentInNewLogs),
    ),
    Mutant(
        "send-skips-after-waiting",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out a Stop that comes after a wait, which came after a transaction that the replica has",
        answer=_by(_SkipsAfterWaiting),
    ),
    Mutant(
        "send-needs-gtids-before",
        "FORMAT-SEND-FIRST-LOG",
        "begins with no log that names no GTIDs before it, but the first one",
        answer=_by(_NeedsGtidsBefore),
    ),
    Mutant(
        "send-checksums-always",
        "FORMAT-SEND-CHECKSUM",
        "gives what it makes a checksum in logs without checksums, too",
        answer=_by(_ChecksumsAlways),
    ),
    Mutant(
        "send-format-old-checksum",
        "FORMAT-SEND-CHECKSUM",
        "changes a format description and leaves its checksum as it was",
        answer=_changing(_old_checksum),
    ),
    Mutant(
        "send-gtid-alone-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out only the Gtid event of a transaction that the replica has",
        answer=_by(_LeavesOutGtidOnly),
    ),
    Mutant(
        "send-skips-to-xid",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out a transaction that the replica has up to its Xid alone, not up to the next one",
        answer=_by(_SkipsToXid),
    ),
    Mutant(
        "send-unknown-not-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends the unknown ignorable events of a transaction that the replica has",
        answer=_by(_SendsUnknown),
    ),
    Mutant(
        "send-later-starts-hidden",
        "FORMAT-SEND-FORMAT",
        "sends the format descriptions of later logs without the time of a start",
        answer=_by(_HidesLaterStarts),
    ),
    Mutant(
        "send-all-logs",
        "FORMAT-SEND-FIRST-LOG",
        "begins with the first log, whatever the replica has",
        answer=_by(_FromTheFirstLog),
    ),
    Mutant(
        "send-any-mode",
        "FORMAT-SEND-MODE",
        "sends events that its gtid_mode forbids",
        answer=_by(_AnyMode),
    ),
    Mutant(
        "send-flagged-in-any-mode",
        "FORMAT-SEND-MODE",
        "sends Anonymous_gtid events with the ignorable flag, which its gtid_mode forbids too",
        answer=_by(_SparesFlagged),
    ),
    Mutant(
        "send-texts-not-by-gtids",
        "WL4033-SEND-IGNORABLE",
        "sends the texts of statements to replicas that ask by position alone",
        answer=_by(_NoTextsByGtids),
    ),
    Mutant(
        "send-anonymous-left-out-by-gtids",
        "FORMAT-SEND-MODE",
        "leaves out groups without a GTID where the replica asks by GTIDs",
        answer=_by(_LeavesAnonymousOut),
    ),
    Mutant(
        "send-mode-of-whole-log",
        "FORMAT-SEND-MODE",
        "holds also the events before the position asked for to its gtid_mode",
        answer=_by(_ChecksWholeLog),
    ),
    Mutant(
        "send-annotations-unasked",
        "FORMAT-SEND-ANNOTATE-ROWS",
        "sends Annotate_rows events to replicas that do not ask for them",
        answer=_by(_AnnotatesUnasked),
    ),
    Mutant(
        "send-annotations-of-mysql",
        "WL4033-SEND-IGNORABLE",
        "takes ignorable events of MySQL with the code of MariaDB's Annotate_rows for these, and does not send them",
        answer=_changing(_without(EventType.MARIADB_ANNOTATE_ROWS)),
    ),
    Mutant(
        "send-anonymous-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out groups without a GTID after a transaction that the replica has",
        answer=_by(_SkipsToGtid),
    ),
    Mutant(
        "send-refuses-end",
        "FORMAT-SEND-POSITION",
        "refuses a position that is the end of a log",
        answer=_by(_RefusesEnd),
    ),
    Mutant(
        "send-large-left-out",
        "FORMAT-SEND-EVENT",
        "sends no event of more than 64 kB",
        answer=_changing(_without_large),
    ),
    Mutant(
        "send-stop-not-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends a Stop that comes after a transaction which the replica has",
        answer=_by(_SendsStops),
    ),
    Mutant(
        "send-later-logs-not-created",
        "FORMAT-SEND-FORMAT",
        "sends all logs without the time of creation to a replica that has the first transaction of the first log",
        answer=_by(_HidesStartsOfAll),
    ),
    Mutant(
        "send-other-server-id",
        "FORMAT-SEND-EVENT",
        "changes the server id of the events of its logs",
        answer=_changing(_foreign_id),
    ),
)
