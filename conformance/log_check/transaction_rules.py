"""Rules on transactions: what comes before each, what ends it, and how long it is."""

from typing import Final

from conformance.binlog.event_types import GTID_TYPES, QUERY_TYPES, EventType, type_name
from conformance.log_check.log_event import (
    COMPLETING,
    Break,
    Log,
    LogEvent,
    Place,
)
from conformance.log_check.statements import LoggedStatement, starts_transaction
from conformance.log_check.transactions import Transactions
from conformance.log_check.verdicts import Verdicts

GTID_FIRST: Final = "WL7592-LOG-ON-GTID-FIRST"
ANON_FIRST: Final = "WL7592-LOG-OFF-ANON-FIRST"
ANON_DDL: Final = "WL7592-LOG-OFF-ANON-DDL"
DROP_GTID: Final = "WL7592-LOG-DROP-ON-GTID-EACH"
DROP_ANON: Final = "WL7592-LOG-DROP-OFF-ANON-EACH"
TEMPORARY: Final = "WL7592-LOG-TEMPORARY-OUTSIDE"
MAINTENANCE: Final = "WL7592-LOG-MAINTENANCE-FAILED"
WITH_FLUSH: Final = "WL7592-LOG-WITH-FLUSH"
CREATE_NOT_INSIDE: Final = "WL7592-LOG-CREATE-NOT-INSIDE"
CREATE_SELECT_ROW: Final = "WL7592-LOG-CREATE-SELECT-ROW"
TRANSACTION_ENDS: Final = "FORMAT-LOG-TRANSACTION-ENDS"
END_NEEDS_BEGIN: Final = "FORMAT-LOG-END-NEEDS-BEGIN"
TRANSACTION_LENGTH: Final = "FORMAT-LOG-TRANSACTION-LENGTH"

#: Statement outside a transaction -> the requirement of a Gtid event before it, and that of an Anonymous_gtid event.
_STATEMENTS: Final = {
    LoggedStatement.DROP_TABLE: (DROP_GTID, DROP_ANON),
    LoggedStatement.TEMPORARY_TABLE: (TEMPORARY, TEMPORARY),
    LoggedStatement.MAINTENANCE: (MAINTENANCE, MAINTENANCE),
}
_OTHER_STATEMENTS: Final = (GTID_FIRST, ANON_DDL)
_TRANSACTIONS: Final = (GTID_FIRST, ANON_FIRST)

_ANONYMOUS_GTID: Final = int(EventType.ANONYMOUS_GTID)
_END: Final = Place.END
#: Bytes of a statement in a message.
_SHOWN: Final = 60


def _marker_requirements(seen: LogEvent) -> tuple[str, str]:
    """Return the requirements of a Gtid and of an Anonymous_gtid event before a transaction that begins with `seen`."""
    if seen.place is Place.BEGIN or seen.statement is None or seen.statement is LoggedStatement.XA_FINISH:
        return _TRANSACTIONS
    return _STATEMENTS.get(seen.statement, _OTHER_STATEMENTS)


def shown(seen: LogEvent) -> str:
    """Return the name of an event, with the beginning of its statement if it has one."""
    query = seen.fields.get("query")
    name = type_name(seen.code)
    if not query:
        return f"{name}{seen.where}"
    text = " ".join(query[:_SHOWN].decode("utf-8", "replace").split())
    return f"{name} {text!r}{seen.where}"


class Markers:
    """Judges that each transaction and each statement on its own has one Gtid event, directly before it."""

    requirements = (
        GTID_FIRST, ANON_FIRST, ANON_DDL, DROP_GTID, DROP_ANON, TEMPORARY, MAINTENANCE, WITH_FLUSH,
    )  # fmt: skip
    codes = None
    places = frozenset({Place.MARKER, Place.BEGIN, Place.ALONE})
    inside_payloads = False

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._gtids = False
        #: Offset of the last event that was reported because it had no Gtid event before it.
        self._reported = -1

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event."""
        if seen.code in GTID_TYPES:
            self._gtids = seen.code != _ANONYMOUS_GTID
        if seen.broken is not None:
            self._contradiction(seen, verdicts)
        begun = seen.begun
        if begun is None:
            return
        marker = begun.marker
        with_gtid, anonymous = _marker_requirements(seen)
        if marker is not None:
            verdicts.good(anonymous if marker == _ANONYMOUS_GTID else with_gtid)
            verdicts.good(WITH_FLUSH)
        elif self._transactions.entered or not log.relay:
            self._unmarked(seen, verdicts, with_gtid if self._gtids else anonymous)

    def _contradiction(self, seen: LogEvent, verdicts: Verdicts) -> None:
        if seen.broken in (Break.SECOND_MARKER, Break.LONE_MARKER):
            self._marker_without_transaction(seen, verdicts)
        elif seen.broken is Break.LATE_MARKER:
            self._late_marker(seen, verdicts)

    def _marker_without_transaction(self, seen: LogEvent, verdicts: Verdicts) -> None:
        lone = seen.transaction
        assert lone is not None
        if seen.broken is Break.SECOND_MARKER:
            requirement = ANON_FIRST if seen.code == EventType.ANONYMOUS_GTID else GTID_FIRST
            actual = f"{type_name(seen.code)} directly after the one at offset {lone.start}"
            verdicts.bad(requirement, seen.offset, actual, "one such event before each transaction")
        else:
            name = "a Gtid event" if lone.marker is None else type_name(lone.marker)
            actual = f"{type_name(seen.code)} after {name} at offset {lone.start}"
            verdicts.bad(WITH_FLUSH, seen.offset, actual, "the transaction that the event announces")

    def _late_marker(self, seen: LogEvent, verdicts: Verdicts) -> None:
        late = seen.transaction
        assert late is not None
        if late.start != self._reported:
            requirement = ANON_FIRST if seen.code == EventType.ANONYMOUS_GTID else GTID_FIRST
            actual = f"{type_name(seen.code)} after the BEGIN at offset {late.start}"
            verdicts.bad(requirement, seen.offset, actual, "the event directly before its transaction")

    def _unmarked(self, seen: LogEvent, verdicts: Verdicts, requirement: str) -> None:
        kind = "Gtid" if self._gtids else "Anonymous_gtid or Gtid"
        if self._gtids or verdicts.holds(ANON_FIRST):
            verdicts.bad(requirement, seen.offset, shown(seen), f"one {kind} event directly before it")
            self._reported = seen.offset


class Endings:
    """Judges that transactions end, and that only a transaction that began ends."""

    requirements = (TRANSACTION_ENDS, END_NEEDS_BEGIN)
    codes = None
    places = frozenset({Place.END})
    inside_payloads = True

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event."""
        if seen.place is _END:
            verdicts.good(TRANSACTION_ENDS)
            verdicts.good(END_NEEDS_BEGIN)
        elif seen.broken is Break.NOT_ENDED and seen.transaction is not None:
            actual = f"{shown(seen)} inside the transaction that began at offset {seen.transaction.start}"
            expected = "the end of that transaction first: COMMIT, ROLLBACK, Xid or XA_prepare"
            verdicts.bad(TRANSACTION_ENDS, seen.offset, actual, expected)
        elif seen.broken is Break.NOTHING_TO_END and (self._transactions.entered or not log.relay):
            verdicts.bad(
                END_NEEDS_BEGIN, seen.offset, f"{shown(seen)} outside a transaction", "BEGIN or XA START first"
            )


class Lengths:
    """Judges the transaction_length of Gtid events: it counts the bytes from the event to its transaction's end."""

    requirements = (TRANSACTION_LENGTH,)
    codes = None
    places = COMPLETING
    inside_payloads = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event; a replica may log a transaction with another length than its source."""
        transaction = seen.transaction
        if seen.place not in COMPLETING or log.relay or transaction is None or not transaction.length:
            return
        length = seen.offset + seen.event.header.length - transaction.start
        if transaction.length == length:
            verdicts.good(TRANSACTION_LENGTH)
        else:
            actual = f"a transaction_length of {transaction.length}"
            verdicts.bad(TRANSACTION_LENGTH, transaction.start, actual, f"{length}, the bytes of the transaction")


class CreateSelect:
    """Judges how CREATE TABLE ... SELECT is logged in row format: split, or marked as one atomic transaction."""

    requirements = (CREATE_NOT_INSIDE, CREATE_SELECT_ROW)
    codes = QUERY_TYPES
    places = None
    inside_payloads = True

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one statement."""
        if seen.statement is not LoggedStatement.CREATE_TABLE:
            return
        inside = seen.place is Place.INSIDE
        if verdicts.holds(CREATE_NOT_INSIDE):
            if inside:
                expected = "a CREATE TABLE in a transaction of its own"
                verdicts.bad(CREATE_NOT_INSIDE, seen.offset, f"{shown(seen)} between BEGIN and its end", expected)
            else:
                verdicts.good(CREATE_NOT_INSIDE)
        elif inside and starts_transaction(seen.fields["query"]):
            verdicts.good(CREATE_SELECT_ROW)
        elif inside:
            expected = "START TRANSACTION at its end, or a transaction of its own"
            verdicts.bad(CREATE_SELECT_ROW, seen.offset, f"{shown(seen)} between BEGIN and its end", expected)
