"""The GTID that a server's transaction tables show while a transaction lives (WL#7592, PERFORMANCE_SCHEMA)."""

from enum import Enum
from typing import Final

#: What stands in the place of a GTID where a transaction has none.
ANONYMOUS: Final = "ANONYMOUS"
#: What a transaction of a source shows until it has its GTID; never in the history.
AUTOMATIC: Final = "AUTOMATIC"


class Phase(Enum):
    """Where a transaction stands."""

    EXECUTING = "executing"
    #: Committed: it has moved on to the history.
    HISTORY = "history"


def gtid_shown(gtid: str, *, phase: Phase, on_replica: bool) -> str:
    """Return what the tables show for a transaction.

    Args:
        gtid: The GTID that it has or will have; `ANONYMOUS` or empty where gtid_mode is OFF.
        phase: Where it stands.
        on_replica: Whether an applier executes it, which knows the GTID before it starts.
    """
    if phase is Phase.EXECUTING and not on_replica:
        return AUTOMATIC
    return gtid or ANONYMOUS
