"""The exit status that a run's verdict stands for."""

from typing import Final

from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING
from conformance.reports.outcome import outcome
from conformance.reports.record import RunRecord

#: Verdict of a run -> exit status. A run that judged nothing has shown nothing, so it is no success.
_STATUSES: Final = {
    "conforming": CONFORMING,
    "not conforming": NOT_CONFORMING,
    "cut off": COULD_NOT_RUN,
    "nothing judged": COULD_NOT_RUN,
}


def exit_status(record: RunRecord) -> int:
    """Return the exit status of a run: 0 conforming, 1 not conforming, 2 nothing can be said."""
    return _STATUSES[outcome(record).verdict]
