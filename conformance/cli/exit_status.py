"""The exit status of a run's verdict."""

from typing import Final

from conformance.cli.main import CONFORMING, COULD_NOT_RUN, NOT_CONFORMING
from conformance.reports.outcome import outcome
from conformance.reports.record import RunRecord

#: Verdict of a run -> exit status. A run that judged nothing has shown nothing, so it does not succeed.
_STATUSES: Final = {
    "conforming": CONFORMING,
    "not conforming": NOT_CONFORMING,
    "cut off": COULD_NOT_RUN,
    "nothing judged": COULD_NOT_RUN,
}


def exit_status(record: RunRecord) -> int:
    """Return the exit status of a run: 0 conforming, 1 not conforming, 2 neither was shown."""
    return _STATUSES[outcome(record).verdict]
