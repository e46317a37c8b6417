"""Rules on a chain of logs: what each file says of the one behind it."""

import re
from pathlib import PurePath
from typing import Final

from conformance.log_check.log_checker import CheckedLog
from conformance.log_check.verdicts import Verdicts

ROTATE_NEXT: Final = "FORMAT-LOG-ROTATE-NEXT"
PREVIOUS_GTIDS_KEPT: Final = "WL7592-LOG-PREVIOUS-GTIDS-KEPT"

#: What a chain of logs shows, and one of them by itself does not.
JUDGED_IN_A_CHAIN: Final = (ROTATE_NEXT, PREVIOUS_GTIDS_KEPT)

#: Where every log has its first event.
_FIRST_EVENT: Final = 4
_NUMBERED: Final = re.compile(r"(?P<stem>.+)\.(?P<number>\d{6,})")


def _numbered(name: str) -> tuple[str, str, int] | None:
    """Return folder, stem and number of a log's name; None for a file that is not named as servers name logs."""
    path = PurePath(name)
    found = _NUMBERED.fullmatch(path.name)
    return (str(path.parent), found["stem"], int(found["number"])) if found else None


def follows(before: CheckedLog, behind: CheckedLog) -> bool:
    """Tell by their names whether one log is the next of another."""
    names = _numbered(before.log.name), _numbered(behind.log.name)
    if names[0] is None or names[1] is None:
        return False
    folder, stem, number = names[0]
    return names[1] == (folder, stem, number + 1) and before.log.relay == behind.log.relay


def judge_chain(before: CheckedLog, behind: CheckedLog, *, of_before: Verdicts, of_behind: Verdicts) -> None:
    """Judge two logs of which one follows the other.

    Args:
        before: A log that was read to its end.
        behind: The next one; `follows` says so.
        of_before: Takes what is wrong in `before`.
        of_behind: Takes what is wrong in `behind`.
    """
    of_before.use_profile(before.log.profile)
    of_behind.use_profile(behind.log.profile)
    _rotate(before, behind, of_before)
    if behind.previous_gtids is None or behind.log.relay or before.previous_gtids is None:
        return
    offset, gtids = behind.previous_gtids
    missing = before.executed.missing_in(gtids)
    if missing.sources:
        expected = f"a set that holds all GTIDs of {before.log.name}"
        of_behind.bad(PREVIOUS_GTIDS_KEPT, offset, f"a Previous_gtids event without {missing}", expected)
    else:
        of_behind.good(PREVIOUS_GTIDS_KEPT)


def _rotate(before: CheckedLog, behind: CheckedLog, verdicts: Verdicts) -> None:
    """Judge the Rotate at the end of a log; one that was stopped or crashed has none."""
    named = _numbered(behind.log.name)
    if before.rotate is None or named is None:
        return
    offset, next_file, next_position = before.rotate
    # A copy may have another stem than the server gave, so the number is what counts.
    rotated = _numbered(next_file)
    if rotated is None or rotated[2] != named[2] or next_position != _FIRST_EVENT:
        expected = f"the next log, number {named[2]:06d}, and position {_FIRST_EVENT}"
        verdicts.bad(ROTATE_NEXT, offset, f"a Rotate to {next_file!r}, position {next_position}", expected)
    else:
        verdicts.good(ROTATE_NEXT)
