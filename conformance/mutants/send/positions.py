"""Mutants of the role `send` about the place from which a replica asks for events."""

from collections.abc import Sequence
from typing import Final

from conformance.models.sender.sender import Log, LoggedEvent, NoSuchPosition, Origin, Sender
from conformance.models.sender.sender_settings import FIRST
from conformance.mutants.mutant import Mutant
from conformance.mutants.send.faulty_sender import answer_of


class _FromTheBeginning(Sender):
    """Names the position asked for, and sends the log from its beginning."""

    def _send_event(self, log: Log, event: LoggedEvent) -> None:
        if not any(each.origin is Origin.LOGGED for each in self.events):
            for earlier in log.events[1:]:
                if earlier.start < event.start:
                    super()._send_event(log, earlier)
        super()._send_event(log, event)


class _RefusesEnd(Sender):
    """Has no position where a log ends: no event is there."""

    def _check_position(self, log: Log) -> None:
        super()._check_position(log)
        if self.settings.log_pos == log.events[-1].end:
            raise NoSuchPosition(log.events[0], "no event at this position")


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


class _RefusesSilently(Sender):
    """Ends the connection without an error where a log does not have the position."""

    def send(self, logs: Sequence[Log]) -> None:
        try:
            super().send(logs)
        except NoSuchPosition:
            return


class _SignedPositions(Sender):
    """Takes positions for numbers with a sign: the end of a large log is before the first event."""

    def _check_position(self, log: Log) -> None:
        if self.settings.log_pos >= 1 << 31:
            raise NoSuchPosition(log.events[0], "the position is less than 0")
        super()._check_position(log)


MUTANTS: Final = (
    Mutant(
        "send-low-positions",
        "FORMAT-SEND-NO-POSITION",
        "begins with the first event where a replica asks for a position below it",
        answer=answer_of(_LowPositions),
    ),
    Mutant(
        "send-zero-is-beginning",
        "FORMAT-SEND-NO-POSITION",
        "takes the position 0 for the beginning of a log",
        answer=answer_of(_ZeroIsBeginning),
    ),
    Mutant(
        "send-waits-beyond",
        "FORMAT-SEND-NO-POSITION",
        "sends nothing but the log's name and format description where a replica asks for a position beyond the end",
        answer=answer_of(_WaitsBeyond),
    ),
    Mutant(
        "send-refuses-silently",
        "FORMAT-SEND-NO-POSITION",
        "sends neither events nor an error where a log does not have the position asked for",
        answer=answer_of(_RefusesSilently),
    ),
    Mutant(
        "send-from-beginning",
        "FORMAT-SEND-POSITION",
        "sends the log from its beginning for every position",
        answer=answer_of(_FromTheBeginning),
    ),
    Mutant(
        "send-positions-signed",
        "FORMAT-SEND-POSITION",
        "refuses positions from 2^31 on",
        answer=answer_of(_SignedPositions),
    ),
    Mutant(
        "send-refuses-end",
        "FORMAT-SEND-POSITION",
        "refuses a position that is the end of a log",
        answer=answer_of(_RefusesEnd),
    ),
)
