"""The groups of a log that is filtered, and the fates in a group that contradict each other.

What belongs together has one fate. Where it has not, that is what is wrong, whichever event shows it first: the borders
of a group follow from the events between them, rows from their Table_map, an Intvar and the like from their statement.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.models.filtering.event_part import EventParts
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.log_part import Part
from conformance.models.filtering.table_filter import TableFilter
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.checks.misread_rules import misread_rules
from conformance.strategies.grammar.case import Case

FATE: Final = "fate"
_ENDS: Final = frozenset({Part.MARKER_AND_BEGIN, Part.BEGIN, Part.END})
BORDERS: Final = _ENDS | {Part.MARKER}
BETWEEN: Final = frozenset({Part.STATEMENT, Part.ROWS})
SPLIT: Final = "group split"
SEPARATED: Final = "rows separated from their table"
PARTED: Final = "parted from its statement"

#: A group: the index of each event, and what part it is.
Group = Sequence[tuple[int, Fate]]


def groups_of(case: Case) -> Iterator[Group]:
    """Yield the groups of a case's stream."""
    parts = EventParts(statements=False, tables=False)
    # Without rules for tables, the filter only finds the groups.
    groups = GroupFilter(TableFilter(FilterRules()))
    decided: list[list[Fate]] = []
    for event in read_events(case.stream, server_of(case.id.profile).rules):
        decided += groups.add(parts.part(event))
    index = 0
    for group in (*decided, groups.finish()):
        yield list(enumerate(group, index))
        index += len(group)


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def borders_of(alignment: Alignment) -> frozenset[int]:
    """Return the indices of the events at the borders of the groups of a case's stream."""
    groups = groups_of(alignment.case)
    return frozenset(index for group in groups for index, fate in group if fate.part.part in BORDERS)


def seen_fates(alignment: Alignment, group: Group) -> Mapping[int, str]:
    """Return the fates that an answer gives for events of a group, by their indices."""
    entries = ((index, alignment.observed(index)) for index, _ in group)
    return {index: entry[FATE] for index, entry in entries if entry and FATE in entry}


def wanted_of_borders(group: Group, seen: Mapping[int, str]) -> str | None:
    """Return the fate that the borders of a group have to have, as the events between them are answered.

    None if it is not known of all of them, or if nothing is kept but a file that is discarded.
    """
    between = [seen.get(index) for index, fate in group if fate.part.part in BETWEEN]
    if None in between or ("kept" not in between and kept_files(group, seen)):
        return None
    return "kept" if "kept" in between or not between else "dropped"


def open_borders(group: Group, seen: Mapping[int, str], whole: Container[int]) -> frozenset[int]:
    """Return the borders of a group of which nothing passes whose fate is left open: none if something passes.

    The Gtid event is one, and BEGIN and the end of the group are if they have one fate. MariaDB's Gtid event is both
    marker and BEGIN: either will do. WL#40 asks for the whole group of a CREATE TABLE ... SELECT, as its BEGIN and
    COMMIT have its tables info.

    Args:
        group: The group.
        seen: The fates in it.
        whole: The indices of the events of groups of which all pass or none.
    """
    between = [index for index, fate in group if fate.part.part in BETWEEN]
    lost = [index for index, fate in group if fate.part.part is Part.INCIDENT]
    if not between or any(seen.get(index) != "dropped" for index in (*between, *lost)):
        return frozenset()
    markers = [index for index, fate in group if fate.part.part in (Part.MARKER, Part.MARKER_AND_BEGIN)]
    if any(fate.part.part is Part.END and seen.get(index) == "kept" for index, fate in group):
        markers = [index for index, fate in group if fate.part.part is Part.MARKER]
    ends = [index for index, fate in group if fate.part.part in _ENDS]
    alike = len({seen.get(index) for index in ends}) == 1 and not any(index in whole for index in between)
    return frozenset((*markers, *ends) if alike else markers)


def kept_files(group: Group, seen: Mapping[int, str]) -> frozenset[int]:
    """Return the events of the files in a group that are discarded, and kept whole, which changes nothing either."""
    kept: set[int] = set()
    blocks: list[int] = []
    for index, fate in group:
        if fate.part.part is Part.CONTEXT:
            blocks.append(index)
            continue
        if fate.part.part is Part.FILE_END and all(seen.get(each, "kept") == "kept" for each in (*blocks, index)):
            kept.update((*blocks, index))
        blocks = []
    return frozenset(kept)


def cause_of_fate(alignment: Alignment, index: int | None) -> Cause | None:
    """Return why an event has a wrong fate: how tables are compared, or what it contradicts; None if neither shows."""
    if (of_names := misread_rules(alignment)) is not None:
        return of_names
    words = None if index is None else _contradictions(alignment).get(index)
    return None if words is None else Cause(words, role="filter")


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _contradictions(alignment: Alignment) -> Mapping[int, str]:
    """Return the indices of the events whose fate contradicts that of others in their group, with what is wrong."""
    return {index: words for group in groups_of(alignment.case) for index, words in _of_group(alignment, group)}


def _of_group(alignment: Alignment, group: Group) -> Iterator[tuple[int, str]]:
    seen = seen_fates(alignment, group)
    separated = list(_separated(group, seen))
    yield from ((index, SEPARATED) for index in separated)
    yield from ((index, PARTED) for index in _parted(alignment, group, seen))
    wanted = wanted_of_borders(group, seen)
    for index, fate in group:
        if fate.part.part in BORDERS and wanted is not None and seen.get(index, wanted) != wanted:
            # Rows that stay without their table keep the borders of their group.
            yield index, SEPARATED if separated else SPLIT


def _separated(group: Group, seen: Mapping[int, str]) -> Iterator[int]:
    """Yield the rows of a group that have another fate than their Table_map."""
    maps: dict[int, str | None] = {}
    for index, fate in group:
        if fate.part.part is Part.TABLE_MAP:
            maps[fate.part.table_id] = seen.get(index)
        elif fate.part.part is Part.ROWS and index in seen and maps.get(fate.part.table_id) not in (None, seen[index]):
            yield index


def _parted(alignment: Alignment, group: Group, seen: Mapping[int, str]) -> Iterator[int]:
    """Yield the events of a group with a wrong fate that belong to a statement with a right one."""
    expected = alignment.case.expected.events
    kept = kept_files(group, seen)
    for place, (index, fate) in enumerate(group):
        if fate.part.part is not Part.CONTEXT or index in kept or seen.get(index) in (None, expected[index].get(FATE)):
            continue
        owner = next((each for each, other in group[place:] if other.part.part in BETWEEN), None)
        if owner is None or seen.get(owner) == expected[owner].get(FATE):
            yield index
