"""Why an applier stops with an error, and the error's number in servers."""

from enum import Enum
from typing import Final

from conformance.binlog.total_table import total
from conformance.models.replica.failed_drop import CANNOT_LOG_PARTIAL_DROP, CANNOT_REMOVE_DIRECTORY
from conformance.models.replica.own_log import LoggedGroup


class StopReason(Enum):
    """The reason why an applier stops with an error."""

    GTID_MISSING = "a transaction has no Gtid event, and gtid_mode is ON"
    ANONYMOUS = "a transaction is anonymous, and gtid_mode is ON"
    GTID = "a transaction has a GTID, and gtid_mode is OFF"
    TAGGED_GTID = "a transaction has a GTID with a tag, and gtid_mode is OFF"
    IMPLICIT_COMMIT = "an implicit commit inside a transaction that has a GTID"
    ANONYMOUS_UNKNOWN = "the replica cannot handle Anonymous_gtid events (BUG#74683)"
    UNKNOWN_EVENT = "the replica does not know the event type, and must not skip it"
    INCIDENT = "the source reports lost events"
    PARTIAL_DROP = "DROP DATABASE failed halfway, and cannot be logged with its GTID"
    DIRECTORY_REMAINS = "DROP DATABASE failed: the directory is not empty"
    DIRECTORY_REMAINS_ONE_DROP = "DROP DATABASE failed: the directory is not empty; what it dropped is logged"


#: Reason -> its error number in servers; None for those that differ by version and are in `ReplicaRules`.
CODES: Final[dict[StopReason, int | None]] = total(
    f"{__name__}.CODES",
    StopReason,
    {
        StopReason.GTID_MISSING: 1782,
        StopReason.ANONYMOUS: 1782,
        StopReason.GTID: 1781,
        StopReason.TAGGED_GTID: 6040,
        StopReason.IMPLICIT_COMMIT: 1778,
        StopReason.PARTIAL_DROP: CANNOT_LOG_PARTIAL_DROP,
        StopReason.DIRECTORY_REMAINS: CANNOT_REMOVE_DIRECTORY,
        StopReason.DIRECTORY_REMAINS_ONE_DROP: CANNOT_REMOVE_DIRECTORY,
    },
    entry="its error number in servers",
    rest={(StopReason.ANONYMOUS_UNKNOWN, StopReason.UNKNOWN_EVENT, StopReason.INCIDENT): None},
)
#: ER_GTID_NEXT_TYPE_UNDEFINED_GTID: the error for a missing Gtid event after a transaction that had one.
GTID_NEXT_USED: Final = 1837


class ApplierStopped(Exception):
    """An event cannot be applied.

    Attributes:
        reason: The reason.
        message: The reason in words.
        logged: What the replica wrote to its own log nevertheless.
    """

    def __init__(self, reason: StopReason, *, message: str = "", logged: tuple[LoggedGroup, ...] = ()) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.message = message or reason.value
        self.logged = logged
