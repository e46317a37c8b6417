"""The differences that are left to filters: files that nothing uses."""

from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.filtered_groups import (
    BORDERS,
    FATE,
    groups_of,
    kept_files,
    seen_fates,
    wanted_of_borders,
)
from conformance.oracles.differences import Difference


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
