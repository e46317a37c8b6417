"""Mutants of the role `client` about transactions: which GTIDs a client has, and where it counts one as received."""

import re
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import Header
from conformance.mutants.client.faulty_client import RESUMED, mutant
from conformance.reference.client import Client
from conformance.wire.dump_commands import DumpCommand

_DEFINITIONS: Final = ("CREATE ", "ALTER ", "DROP ", "BEGIN", "XA ")

#: The hyphens of a UUID.
_OF_UUID: Final = 4


def _signed_62(number: int) -> int:
    """Return a number of 63 bits whose highest bit is taken for a sign."""
    return number - (1 << 63) if number >> 62 else number


class _MovedByZero(Client):
    """Takes the log_pos 0 of an event within a transaction of MariaDB for a position."""

    def move(self, header: Header, entry: dict[str, Any]) -> None:
        super().move(header, entry)
        if self.delivers(header) and header.type != EventType.ROTATE:
            self.place = self.place[0], header.log_pos


class _EndsAtDefinitions(Client):
    """Knows the statements that are a transaction alone by their first word: those that define something."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        words = entry.get("query", "").upper()
        is_alone = header.type == EventType.QUERY and not self.in_transaction
        if not is_alone or words.startswith(_DEFINITIONS):
            super().track(header, entry)


class _XaEndsNothing(Client):
    """Takes every statement of an XA transaction for one within it, also that which finishes a prepared one."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if not entry.get("query", "").startswith(("XA COMMIT", "XA ROLLBACK")):
            super().track(header, entry)


class _EndsAtLoad(Client):
    """Takes the statement of LOAD DATA for the end of a transaction."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        super().track(header, entry)
        if header.type == EventType.EXECUTE_LOAD_QUERY:
            self.complete()


class _EndsAtFirstEvent(Client):
    """Takes a transaction without BEGIN for one event, also where a variable comes before the statement."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        super().track(header, entry)
        if header.type == EventType.USER_VAR and not self.in_transaction:
            self.complete()


class _CountsAtText(Client):
    """Counts a transaction as received at the text of a statement in it."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        super().track(header, entry)
        if header.type == EventType.ROWS_QUERY:
            self.complete()


class _FlaggedEndsNothing(Client):
    """Delivers an event with the ignorable flag, and does not take it for the end of a transaction."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if not header.flags & Flag.IGNORABLE:
            super().track(header, entry)


class _ForgetsFirstGtids(Client):
    """Has only the GTIDs that it has received itself."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self._began_with = self.has.gtids() if self.has is not None else None

    def state(self) -> dict[str, Any]:
        if self.has is None or self._began_with is None:
            return super().state()
        return {"executed_gtids": str(self.has.missing_in(self._began_with))}


class _LosesTags(Client):
    """Counts a transaction with a tag as the one without."""

    def complete(self) -> None:
        uuid, _, rest = self.pending.partition(":")
        if ":" in rest:
            self.pending = f"{uuid}:{rest.rpartition(':')[2]}"
        super().complete()


class _NegativeTagged(Client):
    """Reads the number of a GTID with a tag as if its highest bit were a sign, as go-mysql 1.15.0 does."""

    def state(self) -> dict[str, Any]:
        state = super().state()
        if "executed_gtids" in state:
            state["executed_gtids"] = re.sub(r":[a-z_]\w*(?::[\d-]+)+", self._of_tag, state["executed_gtids"])
        return state

    @staticmethod
    def _of_tag(intervals: re.Match[str]) -> str:
        return re.sub(r"\d{19}", lambda number: str(_signed_62(int(number[0]))), intervals[0])


class _LacksEnd(Client):
    """Does not know one of the other ends of a transaction."""

    _of_type: int | None = None
    _of_text: str | None = None

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if header.type != self._of_type and entry.get("query", "") != self._of_text:
            super().track(header, entry)


class _NoRollback(_LacksEnd):
    _of_text = "ROLLBACK"


class _NoPrepare(_LacksEnd):
    _of_type = int(EventType.XA_PREPARE)


class _NoPayload(_LacksEnd):
    _of_type = int(EventType.TRANSACTION_PAYLOAD)


class _EndsAtSavepoint(Client):
    """Takes the return to a savepoint for the end of a transaction, so that it loses the rest with the connection."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if entry.get("query", "").startswith("ROLLBACK TO "):
            self.complete()
        else:
            super().track(header, entry)


class _EndsAtXaEnd(Client):
    """Takes XA END for the end of a transaction, so that it loses XA PREPARE with the connection."""

    def track(self, header: Header, entry: dict[str, Any]) -> None:
        if entry.get("query", "").startswith("XA END"):
            self.complete()
        else:
            super().track(header, entry)


class _LosesSingleNumbers(Client):
    """Asks without the intervals of its GTIDs that have a single number."""

    def command(self) -> DumpCommand:
        command = super().command()
        if command.gtid_set is None:
            return command
        parts = str(command.gtid_set).split(",")
        kept = (each for part in parts if (each := re.sub(r":\d+(?![\d-])", "", part)).count("-") > _OF_UUID)
        return replace(command, gtid_set=GtidSet.from_text(",".join(kept)))


class _CountsAtGtid(Client):
    """Counts a transaction as received at its Gtid event, so that it loses the rest with the connection."""

    def begin(self, entry: dict[str, Any]) -> None:
        super().begin(entry)
        self.complete()


MUTANTS: Final = (
    mutant(
        "client-moved-by-zero",
        RESUMED,
        "takes the position of an event within a transaction of MariaDB from its header, also where that is 0",
        _MovedByZero,
    ),
    mutant(
        "client-ends-at-definitions",
        "FORMAT-CLIENT-GTIDS",
        "counts a statement without BEGIN only if it is CREATE, ALTER or DROP",
        _EndsAtDefinitions,
    ),
    mutant(
        "client-xa-ends-nothing",
        "FORMAT-CLIENT-GTIDS",
        "never counts the XA COMMIT or XA ROLLBACK of a transaction that was prepared before",
        _XaEndsNothing,
    ),
    mutant(
        "client-ends-at-variable",
        RESUMED,
        "counts a transaction without BEGIN at the variable before its statement",
        _EndsAtFirstEvent,
    ),
    mutant(
        "client-ends-at-load",
        RESUMED,
        "counts a transaction with LOAD DATA at its statement",
        _EndsAtLoad,
    ),
    mutant(
        "client-counts-at-text",
        RESUMED,
        "counts a transaction as received at the text of a statement in it",
        _CountsAtText,
    ),
    mutant(
        "client-flagged-ends-nothing",
        "FORMAT-CLIENT-GTIDS",
        "does not take an event with the ignorable flag for the end of a transaction",
        _FlaggedEndsNothing,
    ),
    mutant(
        "client-first-gtids-lost", "FORMAT-CLIENT-GTIDS", "forgets the GTIDs that it began with", _ForgetsFirstGtids
    ),
    mutant(
        "client-tagged-negative",
        "FORMAT-CLIENT-GTIDS",
        "takes the number of a GTID with a tag, from 2^62 on, for a negative one",
        _NegativeTagged,
    ),
    mutant("client-tags-lost", "FORMAT-CLIENT-GTIDS", "counts a GTID without its tag", _LosesTags),
    mutant(
        "client-rollback-uncounted", "FORMAT-CLIENT-GTIDS", "does not count a transaction with ROLLBACK", _NoRollback
    ),
    mutant("client-prepared-uncounted", "FORMAT-CLIENT-GTIDS", "does not count a prepared transaction", _NoPrepare),
    mutant("client-payload-uncounted", "FORMAT-CLIENT-GTIDS", "does not count a transaction in a payload", _NoPayload),
    mutant("client-ends-at-savepoint", RESUMED, "takes ROLLBACK TO for the end of a transaction", _EndsAtSavepoint),
    mutant("client-ends-at-xa-end", RESUMED, "takes XA END for the end of a transaction", _EndsAtXaEnd),
    mutant(
        "client-single-numbers-lost",
        "FORMAT-CLIENT-BEGIN",
        "asks without the intervals of its GTIDs that have a single number",
        _LosesSingleNumbers,
    ),
    mutant("client-counts-early", RESUMED, "counts a transaction as received at its Gtid event", _CountsAtGtid),
)
