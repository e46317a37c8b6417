"""Rules on a chain of logs: what each file records about its neighbour."""

import re
from pathlib import PurePath
from typing import Final

from conformance.log_check.log_checker import CheckedLog
from conformance.log_check.verdicts import Verdicts

ROTATE_NEXT: Final = "FORMAT-LOG-ROTATE-NEXT"
CREATED: Final = "FORMAT-LOG-CREATED"
PREVIOUS_GTIDS_KEPT: Final = "WL7592-LOG-PREVIOUS-GTIDS-KEPT"

#: The requirements that a chain of logs shows, and a single log does not.
JUDGED_IN_A_CHAIN: Final = (ROTATE_NEXT, CREATED, PREVIOUS_GTIDS_KEPT)

#: Offset of the first event of every log, in bytes.
_FIRST_EVENT: Final = 4
_NUMBERED: Final = re.compile(r"(?P<stem>.+)\.(?P<number>\d{6,})")


def _numbered(name: str) -> tuple[str, str, int] | None:
    """Return folder, stem and number of a log's name; None for a file whose name no server would give."""
    path = PurePath(name)
    match = _NUMBERED.fullmatch(path.name)
    return (str(path.parent), match["stem"], int(match["number"])) if match else None


def follows(before: CheckedLog, after: CheckedLog) -> bool:
    """Return whether a log is the next one after another, by their names."""
    names = _numbered(before.log.name), _numbered(after.log.name)
    if names[0] is None or names[1] is None:
        return False
    folder, stem, number = names[0]
    return names[1] == (folder, stem, number + 1) and before.log.relay == after.log.relay


def judge_chain(before: CheckedLog, after: CheckedLog, *, of_before: Verdicts, of_after: Verdicts) -> None:
    """Judge two logs, the second of which follows the first.

    Args:
        before: A log that was read to its end.
        after: The next one, as `follows` decides.
        of_before: Takes the violations in `before`.
        of_after: Takes the violations in `after`.
    """
    of_before.use_profile(before.log.profile)
    of_after.use_profile(after.log.profile)
    _rotate(before, after, of_before)
    _created(before, after, of_after)
    if after.previous_gtids is None or after.log.relay or before.previous_gtids is None:
        return
    offset, gtids = after.previous_gtids
    missing = before.executed.missing_in(gtids)
    if missing.sources:
        expected = f"a set that holds all GTIDs of {before.log.name}"
        of_after.bad(PREVIOUS_GTIDS_KEPT, offset, f"a Previous_gtids event without {missing}", expected)
    else:
        of_after.good(PREVIOUS_GTIDS_KEPT)


def _rotate(before: CheckedLog, after: CheckedLog, verdicts: Verdicts) -> None:
    """Judge the Rotate at the end of a log; a log whose server stopped or crashed has none."""
    named = _numbered(after.log.name)
    if before.rotate is None or named is None:
        return
    offset, next_file, next_position = before.rotate
    # A copy may have another stem than the server's file, so only the numbers are compared.
    rotated = _numbered(next_file)
    if rotated is None or rotated[2] != named[2] or next_position != _FIRST_EVENT:
        expected = f"the next log, number {named[2]:06d}, and position {_FIRST_EVENT}"
        verdicts.bad(ROTATE_NEXT, offset, f"a Rotate to {next_file!r}, position {next_position}", expected)
    else:
        verdicts.good(ROTATE_NEXT)


def _created(before: CheckedLog, after: CheckedLog, verdicts: Verdicts) -> None:
    """Judge the time of a start in the second log: the server started if the first one does not end with a Rotate.

    How a damaged log ends was not read.
    """
    if after.log.relay or after.log.format is None or before.ends_unread:
        return
    created = after.log.format.created
    if bool(created) == (before.rotate is None):
        verdicts.good(CREATED)
        return
    how = "no Rotate" if before.rotate is None else "a Rotate"
    expected = f"{'the time of a start' if before.rotate is None else '0'}, as {before.log.name} ends with {how}"
    verdicts.bad(CREATED, _FIRST_EVENT, f"{created} as the time of a start", expected)
