"""The command that replays a failure, with the whole id of the case or, beside its record, with the short one."""

import shlex
from typing import Final, Protocol

from conformance.reports.case_alias import case_alias

#: Characters of a case id that a reader still takes in.
_READABLE: Final = 100


class Replayed(Protocol):
    """A failure of a run, or a finding of a comparison."""

    @property
    def case(self) -> str:
        """The id of the shrunk case."""

    @property
    def replay(self) -> str:
        """The command that replays it, with this id."""


def is_long(failure: Replayed) -> bool:
    """Return whether the id of the shrunk case is too long to read."""
    return len(failure.case) > _READABLE


def readable_replay(failure: Replayed, record: str) -> str:
    """Return the command, with the short id of the case where the whole one is too long to read.

    Args:
        failure: The failure.
        record: The path of its run record, or of the folder that holds it.
    """
    return short_replay(failure, record) if is_long(failure) else failure.replay


def short_replay(failure: Replayed, record: str) -> str:
    """Return the command with the short id of the case.

    Args:
        failure: The failure.
        record: The path of its run record, or of the folder that holds it.
    """
    short = f"{case_alias(failure.case)} --record {shlex.quote(record)}"
    return failure.replay.replace(shlex.quote(failure.case), short, 1)
