"""Mutants of the role `send` about GTIDs: with which log a source begins, and what it leaves out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.gtid_set import GtidSet
from conformance.models.sender.sender import Log, LoggedEvent, Origin, Sender, SenderStopped, SentEvent
from conformance.models.sender.sender_settings import SenderSettings
from conformance.mutants.mutant import Mutant
from conformance.mutants.send.faulty_sender import FLAGS, IGNORABLE, answer_of


class _SkipsAfterWaiting(Sender):
    """Leaves out what comes after a wait as well as what came before it, up to the next Gtid event."""

    def _wait(self, log: Log, position: int) -> None:
        before = self._skipping
        super()._wait(log, position)
        self._skipping = before


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


class _ForgetsTags(Sender):
    """Leaves out a transaction without a tag if the replica has one with a tag, and else the same GTID."""

    def __init__(self, settings: SenderSettings) -> None:
        super().__init__(settings)
        if self._excluded is not None and settings.gtid_set is not None:
            sources = tuple(replace(each, tag="") for each in settings.gtid_set.sources if each.tag)
            self._excluded.add_set(GtidSet(sources))


class _LooksAtLastLogs(Sender):
    """Looks for the log to begin with among the last four only."""

    def first(self, logs: Sequence[Log]) -> int:
        return max(super().first(logs), len(logs) - 4)


class _ComparesEnds(Sender):
    """Begins with a log if the replica has the first and the last GTID of each interval before it."""

    def _has_all_before(self, log: Log) -> bool:
        ends = ExecutedGtids()
        for source in log.previous_gtids.sources:
            for each in source.intervals:
                ends.add(source.uuid, source.tag, each.start)
                ends.add(source.uuid, source.tag, each.end - 1)
        return not ends.missing_in(self.settings.gtid_set or GtidSet()).sources


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


class _SparesAfterSkipped(Sender):
    """Holds no event to the gtid_mode that comes right after a transaction which the replica has."""

    def _check_mode(self, event: LoggedEvent) -> None:
        if not self._skipping:
            super()._check_mode(event)


class _SparesFlagged(Sender):
    """Holds only events without the ignorable flag to the gtid_mode."""

    def _check_mode(self, event: LoggedEvent) -> None:
        if not int.from_bytes(event.data[FLAGS], "little") & IGNORABLE:
            super()._check_mode(event)


class _AnyMode(Sender):
    """Takes no notice of the gtid_mode."""

    def _check_mode(self, event: LoggedEvent) -> None:
        try:
            super()._check_mode(event)
        except SenderStopped:
            return


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


MUTANTS: Final = (
    Mutant(
        "send-what-is-left",
        "FORMAT-SEND-PURGED",
        "sends what its logs still have to a replica that lacks transactions of before them",
        answer=answer_of(_SendsWhatIsLeft),
    ),
    Mutant(
        "send-purged-of-held-sources",
        "FORMAT-SEND-PURGED",
        "notices that a replica lacks purged transactions only where it has none of their source",
        answer=answer_of(_SkipsPurgedOfHeldSources),
    ),
    Mutant(
        "send-end-of-interval",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends the last transaction of each interval of what the replica has",
        answer=answer_of(_SendsEndOfInterval),
    ),
    Mutant(
        "send-first-interval",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends the transactions of every later interval of what the replica has",
        answer=answer_of(_KnowsFirstIntervals),
    ),
    Mutant(
        "send-compares-ends",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "compares only the ends of intervals when it chooses the first log",
        answer=answer_of(_ComparesEnds),
    ),
    Mutant(
        "send-skips-after-waiting",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out a Stop that comes after a wait, which came after a transaction that the replica has",
        answer=answer_of(_SkipsAfterWaiting),
    ),
    Mutant(
        "send-needs-gtids-before",
        "FORMAT-SEND-FIRST-LOG",
        "begins with no log that names no GTIDs before it, but the first one",
        answer=answer_of(_NeedsGtidsBefore),
    ),
    Mutant(
        "send-gtid-alone-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out only the Gtid event of a transaction that the replica has",
        answer=answer_of(_LeavesOutGtidOnly),
    ),
    Mutant(
        "send-skips-to-xid",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out a transaction that the replica has up to its Xid alone, not up to the next one",
        answer=answer_of(_SkipsToXid),
    ),
    Mutant(
        "send-unknown-not-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends the unknown ignorable events of a transaction that the replica has",
        answer=answer_of(_SendsUnknown),
    ),
    Mutant(
        "send-tags-forgotten",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out a transaction whose GTID the replica has with a tag",
        answer=answer_of(_ForgetsTags),
    ),
    Mutant(
        "send-from-last-logs",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "begins with one of the last four logs, also where the replica lacks what is before",
        answer=answer_of(_LooksAtLastLogs),
    ),
    Mutant(
        "send-all-logs",
        "FORMAT-SEND-FIRST-LOG",
        "begins with the first log, whatever the replica has",
        answer=answer_of(_FromTheFirstLog),
    ),
    Mutant(
        "send-any-mode",
        "FORMAT-SEND-MODE",
        "sends events that its gtid_mode forbids",
        answer=answer_of(_AnyMode),
    ),
    Mutant(
        "send-any-mode-after-skipped",
        "FORMAT-SEND-MODE",
        "sends an event that its gtid_mode forbids where it comes after a transaction which the replica has",
        answer=answer_of(_SparesAfterSkipped),
    ),
    Mutant(
        "send-flagged-in-any-mode",
        "FORMAT-SEND-MODE",
        "sends Anonymous_gtid events with the ignorable flag, which its gtid_mode forbids too",
        answer=answer_of(_SparesFlagged),
    ),
    Mutant(
        "send-anonymous-left-out-by-gtids",
        "FORMAT-SEND-MODE",
        "leaves out groups without a GTID where the replica asks by GTIDs",
        answer=answer_of(_LeavesAnonymousOut),
    ),
    Mutant(
        "send-mode-of-whole-log",
        "FORMAT-SEND-MODE",
        "holds also the events before the position asked for to its gtid_mode",
        answer=answer_of(_ChecksWholeLog),
    ),
    Mutant(
        "send-anonymous-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "leaves out groups without a GTID after a transaction that the replica has",
        answer=answer_of(_SkipsToGtid),
    ),
    Mutant(
        "send-stop-not-skipped",
        "FORMAT-SEND-GTIDS-SKIPPED",
        "sends a Stop that comes after a transaction which the replica has",
        answer=answer_of(_SendsStops),
    ),
)
