"""The command that replays a failure, with the whole id of the case or, beside its record, with the short one."""

import shlex
from typing import Final

from conformance.reports.case_alias import case_alias
from conformance.specs.run_record import Failure

#: Characters of a case id that a reader still takes in.
_READABLE: Final = 100


def is_long(failure: Failure) -> bool:
    """Return whether the id of the shrunk case is too long to read."""
    return len(failure.case) > _READABLE


def short_replay(failure: Failure, record: str) -> str:
    """Return the command with the short id of the case.

    Args:
        failure: The failure.
        record: The path of its run record, or of the folder that holds it.
    """
    short = f"{case_alias(failure.case)} --record {shlex.quote(record)}"
    return failure.replay.replace(shlex.quote(failure.case), short, 1)
