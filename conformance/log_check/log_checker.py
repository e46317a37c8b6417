"""Judges one log: reads it once, event by event, and feeds the rules."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO, Final

from conformance.binlog.errors import BinlogError, LimitExceeded, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import read_file
from conformance.binlog.transaction_payload import inner_events
from conformance.log_check import framing
from conformance.log_check.bodies import POST_HEADER_LENGTHS, Bodies
from conformance.log_check.boundary_steps import BoundarySteps
from conformance.log_check.context import Context
from conformance.log_check.flags import Flags
from conformance.log_check.framing import BODY, BoundaryMarkers, Descriptions, Positions, UnknownTypes, XidSize
from conformance.log_check.gtids import (
    AnonymousFlag,
    LogicalTimestamps,
    PreviousGtids,
    QueryTimestamps,
    ServerVersions,
    UsedGtids,
)
from conformance.log_check.log_event import COMPLETING, Log, LogEvent, Place, meaning_of
from conformance.log_check.log_order import EndLast
from conformance.log_check.mariadb_gtids import MariadbGtids
from conformance.log_check.row_values import RowValues
from conformance.log_check.rows import IgnorableFlag, Statements
from conformance.log_check.rule import Judge, Rule
from conformance.log_check.server_profile import profile_of
from conformance.log_check.transaction_rules import TRANSACTION_ENDS, CreateSelect, Endings, Lengths, Markers
from conformance.log_check.transactions import Transactions
from conformance.log_check.verdicts import Note, Verdicts, Violation, nobody
from conformance.models.replica.relay_rules import RELAY_RULES
from conformance.specs.catalogue import catalogue

#: Events between two calls of `progress`.
_STEP: Final = 4096
_FORMAT_DESCRIPTION: Final = int(EventType.FORMAT_DESCRIPTION)
_PREVIOUS_GTIDS: Final = int(EventType.PREVIOUS_GTIDS)
_PAYLOAD: Final = int(EventType.TRANSACTION_PAYLOAD)
_START_ENCRYPTION: Final = int(EventType.MARIADB_START_ENCRYPTION)


def _rules(transactions: Transactions, used: UsedGtids, end: EndLast) -> tuple[Rule, ...]:
    return (
        UnknownTypes(),
        Positions(),
        Descriptions(),
        XidSize(),
        BoundaryMarkers(),
        BoundarySteps(),
        PreviousGtids(),
        AnonymousFlag(),
        used,
        ServerVersions(),
        LogicalTimestamps(),
        QueryTimestamps(),
        Markers(transactions),
        Endings(transactions),
        Lengths(),
        CreateSelect(),
        IgnorableFlag(),
        Statements(),
        Context(),
        Flags(),
        MariadbGtids(),
        end,
    )


@cache
def judged_in_a_log() -> tuple[str, ...]:
    """Return the ids of the requirements that one log by itself can show, in the order of the catalogue."""
    ids = {each for rule in _rules(Transactions(), UsedGtids(), EndLast()) for each in rule.requirements}
    ids |= {*framing.SHOWN_BY_EVERY_EVENT, *framing.SHOWN_BY_CHECKSUMS, BODY, POST_HEADER_LENGTHS}
    return tuple(each for each in catalogue() if each in ids)


@dataclass(frozen=True, slots=True)
class CheckedLog:
    """The result of judging one log.

    Attributes:
        log: What is known about it.
        verdicts: The counts.
        unreadable: Why nothing could be judged, None if the log was judged.
        executed: The GTIDs of its Previous_gtids and its transactions.
        previous_gtids: Offset and set of its Previous_gtids event, None without one.
        rotate: Offset, next file and next position of the Rotate that ends it, None without one.
        ends_unread: Whether it is damaged, so that what is after the damage was not read.
    """

    log: Log
    verdicts: Verdicts
    unreadable: BinlogError | None
    executed: ExecutedGtids
    previous_gtids: tuple[int, GtidSet] | None
    rotate: tuple[int, str, int] | None
    ends_unread: bool = False

    @property
    def healthy(self) -> bool:
        """Whether it was judged and broke nothing."""
        return self.unreadable is None and not self.verdicts.broken


def _is_sent(event: Event, code: int) -> bool:
    """Return whether a source made an event for a replica; 5.0 flags the Rotate that names its log only later."""
    names_log = code == EventType.ROTATE and not event.header.log_pos
    return bool(event.header.flags & Flag.ARTIFICIAL) or names_log


class LogChecker:
    """Judges one log.

    Args:
        name: The log's name, for messages.
        profile: The profile whose rules apply; None takes it from each format description's server version: in a
            relay log the first is the replica's, the others are its source's.
        rows: Whether the values in rows are read, too.
        report: Takes each violation and note at once.
        progress: Takes the bytes read so far, from time to time.
    """

    def __init__(
        self,
        name: str,
        *,
        profile: str | None = None,
        rows: bool = False,
        report: Callable[[Violation | Note], None],
        progress: Callable[[int], None] = nobody,
    ) -> None:
        self._log = Log(name, profile or "")
        self._auto = profile is None
        self._progress = progress
        self._verdicts = Verdicts(judged_in_a_log(), report)
        if profile is not None:
            self._verdicts.use_profile(profile)
        self._transactions = Transactions()
        self._used = UsedGtids()
        self._end = EndLast()
        self._rules: tuple[Rule, ...] = _rules(self._transactions, self._used, self._end)
        if rows:
            self._rules += (RowValues(),)
        # What the chain needs later is kept under every profile.
        self._always = (self._used, self._end)
        self._wanted: dict[tuple[int, bool, Place | None], tuple[Judge, ...]] = {}
        self._previous_gtids: tuple[int, GtidSet] | None = None
        #: The server id of the first format description.
        self._server_id: int | None = None
        self._bodies = Bodies(self._log, self._verdicts)
        # Counted here and added to the verdicts at the end, as nearly every event has one.
        self._checksums = 0
        #: The format description that governs the next event.
        self._governing: FormatDescription | None = None
        self._unreadable: BinlogError | None = None
        self._stopped = self._damaged = False
        #: Events and transactions that were read before the share of the log that is judged.
        self._not_counted = (0, 0)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process gets: what is known, and not who takes the findings."""
        return {**self.__dict__, "_progress": nobody, "_wanted": {}}

    @property
    def log(self) -> Log:
        """What is known about the log so far."""
        return self._log

    @property
    def stopped(self) -> bool:
        """Whether an event could not be read."""
        return self._stopped

    def check(self, stream: BinaryIO) -> CheckedLog:
        """Judge a log to its end, or to the first event that cannot be read.

        Args:
            stream: The log, opened in binary mode; it need not be seekable.
        """
        self.read(stream)
        return self.finish()

    def read(self, stream: BinaryIO, *, end: int | None = None) -> None:
        """Judge the events of a log from the one after the last, to its end, or to one that cannot be read.

        Args:
            stream: The log, opened in binary mode, where the last event ended; at first, at its start.
            end: Where to stop, in bytes from the start of the log: the end of an event; None to read all.
        """
        log = self._log
        try:
            for event in read_file(stream, framing.READER_RULES, at=log.end, governing=self._governing):
                self._event(event)
                if not log.events % _STEP:
                    self._progress(log.end)
                if log.end == end:
                    break
            if log.format is None:
                raise BinlogError(
                    at=len(MAGIC), kind="no-format-description", message="no event at all; expected a log"
                )
        except BinlogError as error:
            self._stopped = True
            self._unreadable = error if framing.is_unreadable(error) else None
            self._damaged = self._unreadable is None and self._stop(error)

    def skip_to(self, offset: int) -> None:
        """Leave out the events before an offset, in bytes from the start of the log."""
        self._log.end = offset

    def report_to(self, report: Callable[[Violation | Note], None], progress: Callable[[int], None]) -> None:
        """Report what comes next to others; for the arguments see the class."""
        self._verdicts.report_to(report)
        self._progress = progress

    def begin_share(self) -> None:
        """Count what comes from here on only: a share of the log, which `join` adds to those before it."""
        self._verdicts.begin_counts()
        self._bodies.begin_counts()
        self._used.begin_counts()
        self._checksums = 0
        self._not_counted = (self._log.events, self._log.transactions)

    def can_join(self, before: "LogChecker") -> bool:
        """Return whether what accumulates in the shares before this one changes no verdict on this one."""
        return self._used.can_join(before._used)

    def join(self, before: "LogChecker") -> None:
        """Add what was counted in the shares of the log before this one."""
        self._verdicts.join(before._verdicts)
        self._bodies.join(before._bodies)
        self._used.join(before._used)
        self._checksums += before._checksums
        events, transactions = self._not_counted
        self._log.events += before._log.events - events
        self._log.transactions += before._log.transactions - transactions
        self._not_counted = (0, 0)

    def finish(self) -> CheckedLog:
        """Return the result of judging what was read."""
        if self._unreadable is None:
            self._finish(damaged=self._damaged)
        end = self._end.last
        rotate = None
        if end is not None and end.code == EventType.ROTATE and "next_file" in end.fields:
            name = end.fields["next_file"].decode("utf-8", "replace")
            rotate = (end.offset, name, end.fields["next_position"])
        return CheckedLog(
            self._log,
            self._verdicts,
            self._unreadable,
            self._used.executed,
            self._previous_gtids,
            rotate,
            ends_unread=self._damaged,
        )

    def _event(self, event: Event) -> None:
        log = self._log
        code = meaning_of(event)
        if code == _FORMAT_DESCRIPTION:
            self._description(event)
        elif log.events <= 2 and self._is_of_relay_log(event, code):
            log.relay = True
        fields, statement, _ = self._bodies.read(event, code)
        seen = LogEvent(event, code, event.offset, event.header.flags, fields, statement)
        self._transactions.place(seen, log)
        if seen.place in COMPLETING:
            log.transactions += 1
        self._judge(seen)
        if code == _PREVIOUS_GTIDS and log.events == 1 and "previous_gtids" in fields:
            self._previous_gtids = (seen.offset, fields["previous_gtids"])
        elif code == _PAYLOAD and fields:
            self._payload(seen)
        log.events += 1
        log.end = event.end
        if event.format.checksum_bytes:
            self._checksums += 1
        if code == _START_ENCRYPTION:
            message = "the events from here on are encrypted; decrypt the log first"
            raise BinlogError(at=event.end, kind="encrypted", message=message)

    def _is_of_relay_log(self, event: Event, code: int) -> bool:
        """Return whether one of the first events shows a relay log, whose format description not all replicas flag.

        The first events that a source sends are artificial, or its log ends. Where nothing was received yet, the Rotate
        that ends the relay log has the flag.
        """
        if _is_sent(event, code) or (code == EventType.ROTATE and event.header.server_id != self._server_id):
            return True
        is_unflagged = self._log.profile != "" and not RELAY_RULES[self._log.profile].format_flags
        return is_unflagged and code == EventType.ROTATE and bool(event.header.flags & Flag.RELAY_LOG)

    def _description(self, event: Event) -> None:
        log = self._log
        described = event.format
        self._bodies.begin_format()
        self._governing = described
        if log.format is None:
            self._server_id = event.header.server_id
            log.format = described
            log.in_use = bool(event.header.flags & Flag.BINLOG_IN_USE)
            log.relay = bool(event.header.flags & Flag.RELAY_LOG)
        elif log.events <= 2:
            log.relay = True
        if not self._auto:
            return
        profile = profile_of(described.server_version)
        if profile is None:
            message = f"the server version {described.server_version!r} does not begin with a version number"
            raise BinlogError(at=event.offset, kind="malformed", message=f"{message}; name the profile")
        if log.profile and log.relay:
            log.source = profile
        else:
            log.profile = profile
        self._verdicts.use_profile(log.profile, source=log.source)
        self._wanted.clear()

    def _judge(self, seen: LogEvent) -> None:
        place = seen.place if seen.broken is None else None
        key = (seen.code, seen.inner, place)
        wanted = self._wanted.get(key)
        if wanted is None:
            wanted = self._wanted[key] = tuple(
                each.judge
                for each in self._rules
                if (each.codes is None or seen.code in each.codes)
                and (each.places is None or place is None or place in each.places)
                and (each.inside_payloads or not seen.inner)
                and (each in self._always or any(map(self._verdicts.holds, each.requirements)))
            )
        log, verdicts = self._log, self._verdicts
        for judge in wanted:
            judge(seen, log, verdicts)

    def _payload(self, payload: LogEvent) -> None:
        """Judge the transaction inside a Transaction_payload event."""
        transactions = Transactions()
        try:
            for event in inner_events(payload.event):
                code = meaning_of(event)
                fields, statement, _ = self._bodies.read(event, code)
                flags = event.header.flags
                seen = LogEvent(event, code, payload.offset, flags, fields, statement, inner=True)
                transactions.place(seen, self._log)
                self._judge(seen)
        except LimitExceeded as error:
            raise error.located(payload.offset) from error
        except MalformedBody as error:
            self._verdicts.bad(BODY, payload.offset, str(error), "a payload that unpacks to whole events")
            return
        except ImportError as error:
            self._verdicts.note(payload.offset, f"the payload was not judged: {error}")
            return
        if transactions.unfinished is not None:
            actual = "a payload that ends inside its transaction"
            self._verdicts.bad(TRANSACTION_ENDS, payload.offset, actual, "the end of the transaction in the payload")

    def _stop(self, error: BinlogError) -> bool:
        """Report why reading stopped, and return whether the log is damaged there."""
        log = self._log
        if framing.is_torn_tail(error, log):
            self._verdicts.note(error.at, f"the log is still being written, or its server crashed: {error.message}")
            return False
        if not log.profile:
            # The format description is damaged, so the server is not known; but the rules of the wire format are
            # the same under every profile.
            self._verdicts.use_profile("worklog")
        requirement, expected = framing.broken_by(error)
        self._verdicts.bad(requirement, error.at, error.message, expected)
        return True

    def _finish(self, *, damaged: bool) -> None:
        log, verdicts = self._log, self._verdicts
        for requirement in framing.SHOWN_BY_EVERY_EVENT:
            verdicts.good(requirement, log.events)
        for requirement in framing.SHOWN_BY_CHECKSUMS:
            verdicts.good(requirement, self._checksums)
        self._bodies.finish()
        open_at_end = self._transactions.unfinished
        if open_at_end is not None and not damaged:
            text = f"the log ends inside the transaction that began at offset {open_at_end.start}"
            verdicts.note(log.end, text)
        self._progress(log.end)
