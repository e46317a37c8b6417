"""The oracles of the role `filter`: each checks the fate of the events that its requirement governs.

The fate of a group's borders follows from that of the events between them, the fate of rows from that of their
Table_map, and that of an Intvar and the like from that of the statement after it. So these are judged by the answers
about the others, right or wrong: a wrong rule is reported once, where it was applied.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from conformance.models.filtering.log_part import Part
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.filtered_groups import (
    BETWEEN,
    BORDERS,
    FATE,
    PARTED,
    SEPARATED,
    SPLIT,
    borders_of,
    cause_of_fate,
    groups_of,
    kept_files,
    open_borders,
    seen_fates,
    wanted_of_borders,
)
from conformance.oracles.oracle import GOOD, Check, Examine, Oracle, both, field_cause, fields


def _group_whole(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The borders of a group are kept if any event between them is kept, or if there is none."""
    marked = set(alignment.marked(requirement))
    for group in groups_of(alignment.case):
        seen = seen_fates(alignment, group)
        wanted = wanted_of_borders(group, seen)
        if wanted is None:
            continue
        left_open = open_borders(group, seen, marked)
        # In a CREATE TABLE ... SELECT in row format every event is marked, and all have the same fate.
        for index, fate in group:
            border = fate.part.part in BORDERS
            if index not in marked or index not in seen or index in left_open or not (border or wanted == "kept"):
                continue
            if seen[index] == wanted:
                yield GOOD
            else:
                what = alignment.describe(index)
                message = f"{what} is {seen[index]}, but the events of its group are {wanted}"
                yield Check(SPLIT, message, alignment.case.expected.events[index]["offset"])


def _rows_by_table_map(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A Table_map has its table's fate, and the rows after it have the same fate."""
    marked = set(alignment.marked(requirement))
    for group in groups_of(alignment.case):
        maps: dict[int, str] = {}
        for index, fate in group:
            part = fate.part
            entry, expected = alignment.observed(index), alignment.case.expected.events[index]
            if entry is None or FATE not in entry or part.part not in (Part.TABLE_MAP, Part.ROWS):
                continue
            seen = entry[FATE]
            if part.part is Part.TABLE_MAP:
                maps[part.table_id] = seen
                wanted = expected.get(FATE) if index in marked else None
            else:
                wanted = maps.get(part.table_id)
            if wanted is None:
                continue
            if seen == wanted:
                yield GOOD
                continue
            message = f"{alignment.describe(index)} is {seen}, expected {wanted} by its table"
            if part.part is Part.TABLE_MAP:
                # Its rows may have the same fate: they are not parted from it.
                cause = field_cause(alignment, index, FATE, seen)
                yield Check("fate of TABLE_MAP differs", message, expected["offset"], cause)
            else:
                yield Check(SEPARATED, message, expected["offset"])


def _xa_alike(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The statements of an XA transaction have the fate of its XA START, and are kept if anything between is.

    The end of one that began before the log is kept.
    """
    marked = set(alignment.marked(requirement))
    begun: dict[str, str | None] = {}
    for group in groups_of(alignment.case):
        seen = seen_fates(alignment, group)
        first = next(((index, fate.part) for index, fate in group if fate.part.xa), None)
        if first is None:
            continue
        start, name = first[0], first[1].xa
        if first[1].part is Part.BEGIN:
            held = any(seen.get(index) == "kept" for index, fate in group if fate.part.part in BETWEEN)
            begun[name] = "kept" if held and start in seen else seen.get(start)
        wanted = begun.get(name, "kept")
        for index in (each for each, _ in group if each in marked and each in seen):
            if seen[index] == wanted or wanted is None:
                yield GOOD
            else:
                message = f"{alignment.describe(index)} is {seen[index]}, but its XA transaction is {wanted}"
                yield Check("XA transaction split", message, alignment.case.expected.events[index]["offset"])


def _is_wrong(alignment: Alignment, index: int) -> bool:
    return alignment.observed(index) is not None and FATE in alignment.differing(index)


def _context_with_statement(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """What precedes a statement has its fate; where that is wrong, the statement is charged alone."""
    marked = set(alignment.marked(requirement))
    for group in groups_of(alignment.case):
        kept = kept_files(group, seen_fates(alignment, group))
        for place, (index, _) in enumerate(group):
            owner = next((each for each, fate in group[place:] if fate.part.part in BETWEEN), None)
            if index not in marked or (owner is not None and _is_wrong(alignment, owner)):
                continue
            entry, expected = alignment.observed(index), alignment.case.expected.events[index]
            if entry is None or FATE not in entry:
                continue
            if entry[FATE] == expected[FATE] or index in kept:
                yield GOOD
            else:
                message = f"{alignment.describe(index)}: fate is {entry[FATE]!r}, expected {expected[FATE]!r}"
                yield Check(PARTED, message, expected["offset"])


def _no_error_or_phantom(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """No case allows an error, or an entry where no event starts: the focus fails, if it is marked."""
    error, case = alignment.observation.error, alignment.case
    charged = case.focus if case.focus in case.marks else next(iter(case.marks))
    if error is not None and requirement == charged:
        yield Check("stops with an error", f"the filter stops with an error: {error.message}", error.at)
    if alignment.phantoms and requirement == charged:
        at = alignment.phantoms[0]
        yield Check("entry where no event starts", f"there is an entry for offset {at}, where no event starts", at)


def _with_causes(examine: Examine) -> Examine:
    """Return the examination whose failed checks have what the fates together show as their cause, where they do."""

    def examined(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for check in examine(alignment, requirement):
            cause = None if check is GOOD else cause_of_fate(alignment, alignment.index_at(check.at))
            yield check if cause is None else replace(check, cause=cause)

    return examined


def _oracle(requirement: str, examine: Examine) -> Oracle:
    return both(
        Oracle(requirement, _with_causes(examine), any_of=frozenset({FATE})),
        Oracle(requirement, _no_error_or_phantom),
    )


def _is_border(alignment: Alignment, index: int, name: str) -> bool:
    """Return whether an event is a border of its group, whose fate shows no rule about tables."""
    return index in borders_of(alignment)


def _fate(requirement: str) -> Oracle:
    return _oracle(requirement, fields(requirement, FATE, unless=_is_border).examine)


#: Every oracle of the role, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = (
    _fate("WL40-FILTER-BY-TABLES-INFO"),
    _fate("WL40-FILTER-DEFAULT-DB"),
    _fate("WL40-FILTER-DO-EVERY-TABLE"),
    _fate("WL40-FILTER-IGNORE-ANY-TABLE"),
    _fate("WL40-FILTER-EMPTY-LIST"),
    _fate("WL40-FILTER-DO-SWAP"),
    _fate("WL40-FILTER-DO-CREATE-LIKE"),
    _fate("WL40-FILTER-IGNORE-CREATE"),
    _fate("WL40-FILTER-IGNORE-CREATE-LIKE"),
    _fate("WL40-FILTER-IGNORE-CREATE-SELECT"),
    _fate("WL40-FILTER-IGNORE-DEPENDENT"),
    _fate("WL40-FILTER-IGNORE-BOTH"),
    _fate("WL40-FILTER-RULE-MEANING"),
    _oracle("WL40-FILTER-GROUP-WHOLE", _group_whole),
    _oracle("WL40-FILTER-ROWS-BY-TABLE-MAP", _rows_by_table_map),
    _fate("WL40-FILTER-CLEVER-CREATE"),
    _fate("WL40-FILTER-RENAME-FIRST"),
    _fate("WL40-FILTER-RENAME-FOLLOWS"),
    _fate("WL40-FILTER-RENAME-NAMES"),
    _fate("WL40-FILTER-RENAME-BACK-DROPPED"),
    _fate("WL40-FILTER-RENAME-ROUND-TRIP"),
    _fate("WL40-FILTER-RENAME-LIST"),
    _fate("FORMAT-FILTER-LOG"),
    _oracle("FORMAT-FILTER-XA", _xa_alike),
    _oracle("FORMAT-FILTER-CONTEXT", _context_with_statement),
)
