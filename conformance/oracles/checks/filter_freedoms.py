"""The differences that are left to filters: files that nothing uses, and the borders of groups without contents."""

from typing import Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.filtered_groups import (
    BORDERS,
    FATE,
    Group,
    groups_of,
    kept_files,
    open_borders,
    seen_fates,
    wanted_of_borders,
)
from conformance.oracles.differences import Difference

#: The requirement that marks the events of a CREATE TABLE ... SELECT in row format, which all pass or none.
_WHOLE: Final = "WL40-FILTER-GROUP-WHOLE"


def is_border_of_nothing(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a group of which nothing passes is kept as an empty one, or its Gtid event alone."""
    if difference.field != FATE:
        return False
    group, expected = _group_of(alignment, difference.index), alignment.case.expected.events
    # What has no entry has the expected fate, as far as is known.
    fates = {index: expected[index][FATE] for index, _ in group if FATE in expected[index]}
    fates |= seen_fates(alignment, group)
    return difference.index in open_borders(group, fates, alignment.marked(_WHOLE))


def is_of_kept_file(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event is kept with the whole file that is discarded, or is a border of nothing else."""
    if difference.field != FATE:
        return False
    group = _group_of(alignment, difference.index)
    seen = seen_fates(alignment, group)
    kept = kept_files(group, seen)
    parts = {index: fate.part.part for index, fate in group}
    is_border = parts.get(difference.index) in BORDERS and wanted_of_borders(group, seen) is None
    return difference.index in kept or (bool(kept) and is_border)


def _group_of(alignment: Alignment, index: int) -> Group:
    """Return the group of an event, empty if there is none."""
    return next((each for each in groups_of(alignment.case) if each and each[0][0] <= index <= each[-1][0]), ())
