"""The GTID that a server's transaction tables show for a transaction (WL#7592, PERFORMANCE_SCHEMA)."""

from enum import Enum
from typing import Final

#: The word in the place of a GTID for a transaction without one.
ANONYMOUS: Final = "ANONYMOUS"
#: The word for a transaction of a source until it has its GTID; never in the history.
AUTOMATIC: Final = "AUTOMATIC"


class Phase(Enum):
    """The phase of a transaction."""

    EXECUTING = "executing"
    #: Committed: it has moved to the history.
    HISTORY = "history"


def gtid_shown(gtid: str, *, phase: Phase, on_replica: bool) -> str:
    """Return the GTID that the tables show for a transaction.

    Args:
        gtid: The GTID that it has or will have; `ANONYMOUS` or empty if gtid_mode is OFF.
        phase: Its phase.
        on_replica: Whether an applier executes it, which knows the GTID before it starts.
    """
    if phase is Phase.EXECUTING and not on_replica:
        return AUTOMATIC
    return gtid or ANONYMOUS
