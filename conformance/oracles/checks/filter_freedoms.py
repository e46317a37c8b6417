"""The differences that are left to filters: files that nothing uses, and the borders of groups without contents."""

from typing import Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.filtered_groups import (
    BORDERS,
    FATE,
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
    for group in groups_of(alignment.case):
        if group and group[0][0] <= difference.index <= group[-1][0]:
            return difference.index in open_borders(group, seen_fates(alignment, group), alignment.marked(_WHOLE))
    return False


def is_of_kept_file(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event is kept with the whole file that is discarded, or is a border of nothing else."""
    if difference.field != FATE:
        return False
    for group in groups_of(alignment.case):
        if group and group[0][0] <= difference.index <= group[-1][0]:
            seen = seen_fates(alignment, group)
            kept = kept_files(group, seen)
            is_border = dict(group)[difference.index].part.part in BORDERS and wanted_of_borders(group, seen) is None
            return difference.index in kept or (bool(kept) and is_border)
    return False
