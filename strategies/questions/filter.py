"""Questions in the role `filter`: which events of a stream pass rules for tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import KNOWN_TYPES, EventType
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import HOLDING, Fate, GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.other_readings import AddsEveryNewName, AddsNewNames, MovesRules, SkipsTargets
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES, ForgetsOldNames, TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.marks.filter_marks import FilterHistory
from conformance.strategies.marks.xa_marks import xa_transactions
from conformance.strategies.scenarios.table_work import PARTS

#: The settings that hold rules.
RULES: Final = ("do_tables", "ignore_tables")
#: The mode that WL#40 has for do rules only.
_BY_LIST_OF_RENAMES: Final = "list"
#: A database that is not named, in tables info as text.
_NAMELESS: Final = "``."
#: The requirement that every event of a group has the same fate.
_WHOLE_GROUP: Final = "WL40-FILTER-GROUP-WHOLE"
#: The requirement that the statements of an XA transaction have the same fate.
_XA: Final = "FORMAT-FILTER-XA"
#: All settings of a question.
_SETTINGS: Final = (*RULES, "tables", "renames")


def choose_rules(stream: StreamBuilder, tables: Sequence[TableName]) -> None:
    """Choose do or ignore rules for some tables, and put them into the stream's settings, with the simplest modes."""
    choose = stream.choose
    ruled = [each for each in tables if choose.yes()] or [tables[0]]
    set_rules(stream, ruled, does=choose.yes(), tables=TABLES_MODES[0], renames=RENAMES_MODES[0])


def set_rules(stream: StreamBuilder, ruled: Sequence[TableName], *, does: bool, tables: str, renames: str) -> None:
    """Put rules into the stream's settings.

    WL#40 speaks of a clever filter with ignore rules only, and of a list of renamings with do rules only: with the
    others, the filter is asked to be literal, and to go by names.
    """
    if does:
        tables = TABLES_MODES[0]
    elif renames == _BY_LIST_OF_RENAMES:
        renames = RENAMES_MODES[0]
    names = [[each.database, each.name] for each in ruled]
    stream.settings.update(
        do_tables=names if does else [], ignore_tables=[] if does else names, tables=tables, renames=renames
    )


def rules_of(settings: Mapping[str, Any]) -> FilterRules:
    """Return the rules of a question."""
    do_tables, ignore_tables = (frozenset(TableName(*each) for each in settings[name]) for name in RULES)
    return FilterRules(do_tables=do_tables, ignore_tables=ignore_tables)


def question(stream: StreamBuilder) -> Question:
    """Return the question about a stream filled by `conformance.strategies.scenarios.table_work`."""
    settings = {name: stream.settings[name] for name in _SETTINGS}
    parts: list[LogPart] = stream.settings[PARTS]
    rules = rules_of(settings)
    decided = _groups(GroupFilter(TableFilter(rules, tables=settings["tables"], renames=settings["renames"])), parts)
    fates = [fate for group in decided for fate in group]
    listed = _with_lists(decided, stream.expected_events)
    judged = len(listed) == len(fates)
    open_fates = _left_open_by_rows(fates) | _read_otherwise(settings, parts, fates)
    open_fates |= _left_open_by_unknown(decided, [event["type"] for event in stream.expected_events])
    # Nothing is left to discard where the blocks of a file are dropped: a Delete_file changes nothing then.
    open_fates.update(index for index, fate in enumerate(fates) if fate.part.part is Part.FILE_END)
    of_any_log = _of_any_log(fates, texts=stream.server.profile in _WITH_TEXTS_OF_ROWS)
    xa = list(xa_transactions(fates))
    for each in xa:
        parts_of_it = {*each.statements, *each.markers}
        open_fates.update(parts_of_it if not parts_of_it <= listed else ())
        # A filter may leave an empty XA transaction, whose statements then pass all.
        open_fates.update((*each.statements, *each.markers) if each.is_dropped else ())
    entries = []
    for index, (event, fate) in enumerate(zip(stream.expected_events, fates, strict=True)):
        entry = {"offset": event["offset"], "type": event["type"]}
        if (index in listed or index in of_any_log) and index not in open_fates:
            entry["fate"] = "kept" if fate.kept else "dropped"
        entries.append(entry)
    marks: dict[str, list[int]] = {
        requirement: list(indices) for requirement, indices in stream.marks.items() if requirement != _BY_LIST
    }
    if not judged:
        # Rows alone show nothing of it: the CREATE TABLE before them has no list.
        marks.pop(_WHOLE_GROUP, None)
    by_list = frozenset(stream.marks.get(_BY_LIST, ()))
    history = FilterHistory(rules, settings["tables"], settings["renames"])
    for index, fate in enumerate(fates):
        plain = history.applies_plainly(fate)
        shown = [_BY_LIST] if index in by_list and plain else []
        if plain and _has_default_database(stream.expected_events[index], fate, rules):
            shown.append("WL40-FILTER-DEFAULT-DB")
        shown += history.marks(fate)
        if judged:
            history.note(fate)
        for requirement in shown if "fate" in entries[index] else ():
            marks.setdefault(requirement, []).append(index)
    if judged and xa:
        marks[_XA] = sorted(index for each in xa for index in each.statements)
    made_for = _made_for(settings, parts, fates)
    for index, requirement in made_for.items():
        if "fate" in entries[index] and index not in marks.setdefault(requirement, []):
            marks[requirement].append(index)
    return Question(Expected(tuple(entries), made_for=made_for), marks, settings, bytes(stream.bytes))


def _with_lists(decided: Iterable[Sequence[Fate]], events: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """Return the indices of the events of those groups of which every Query event has tables info.

    Whether others, and so their groups, are kept is undefined.
    """
    indices, begin = set[int](), 0
    for group in decided:
        of_group = range(begin, begin + len(group))
        begin = of_group.stop
        queries = [events[index] for index in of_group if events[index]["type"] == EventType.QUERY]
        indices |= {*of_group} if all("tables_info" in event for event in queries) else set()
    return frozenset(indices)


def _has_default_database(event: Mapping[str, Any], fate: Fate, rules: FilterRules) -> bool:
    """Return whether a statement names a table without its database, and another default database would decide."""
    tables = fate.part.tables
    if fate.part.part is not Part.STATEMENT or _NAMELESS not in event.get("tables_info", ""):
        return False
    others = {each.database for each in rules.do_tables | rules.ignore_tables} | {""}
    return any(
        rules.pass_all(tables)
        != rules.pass_all(
            each if each.database != event["database"] else TableName(other, each.name) for each in tables
        )
        for other in others
    )


def _of_any_log(fates: Sequence[Fate], *, texts: bool) -> set[int]:
    """Return the events whose fate does not depend on what is done with Query events; with texts of rows if wanted."""
    indices: set[int] = set()
    context: list[int] = []
    for index, fate in enumerate(fates):
        if fate.part.part is Part.CONTEXT:
            context.append(index)
        else:
            indices |= {index} if fate.part.part in _OF_ANY_LOG else set()
            indices |= set(context) if texts and fate.part.part in _ROWS else set()
            context = []
    return indices


def _left_open_by_rows(fates: Sequence[Fate]) -> set[int]:
    """Return the events before rows of several tables of which some pass: the worklog leaves open whether they pass."""
    left_open: set[int] = set()
    context: list[int] = []
    rows: set[bool | None] = set()
    for index, fate in enumerate(fates):
        if fate.part.part is Part.CONTEXT:
            context.append(index)
        elif fate.part.part in _ROWS:
            rows.add(fate.kept)
        if fate.part.part is not Part.CONTEXT and (fate.part.part not in _ROWS or fate.part.statement_end):
            left_open |= set(context) if len(rows) > 1 else set()
            context, rows = [], set()
    return left_open


def _left_open_by_unknown(decided: Sequence[Sequence[Fate]], types: Sequence[int]) -> set[int]:
    """Return the ignorable events of unknown types, and the borders of a group in which nothing else passes.

    WL#40 does not say what becomes of the former; a filter that keeps them may keep their group.
    """
    left_open: set[int] = set()
    first = 0
    for group in decided:
        unknown = {index for index in range(first, first + len(group)) if types[index] not in KNOWN_TYPES}
        if unknown and not any(fate.kept for fate in group if fate.part.part in HOLDING):
            left_open.update(index for index, fate in enumerate(group, first) if fate.part.part in _BORDERS)
        left_open |= unknown
        first += len(group)
    return left_open


#: The settings in which a filter may read the worklog otherwise, and the filter that does.
_OTHER_READINGS: Final[Sequence[tuple[tuple[str, str], Callable[[FilterRules], TableFilter]]]] = (
    (("renames", "identity"), lambda rules: AddsNewNames(rules, renames="identity")),
    (("renames", "identity"), lambda rules: AddsEveryNewName(rules, renames="identity")),
    (("renames", "identity"), lambda rules: MovesRules(rules, renames="identity")),
    (("renames", _BY_LIST_OF_RENAMES), lambda rules: SkipsTargets(rules, renames="list")),
)


def _read_otherwise(settings: Mapping[str, Any], parts: Sequence[LogPart], fates: Sequence[Fate]) -> set[int]:
    """Return the events about which a filter that reads the worklog otherwise decides otherwise."""
    return {
        index
        for setting, reading in _OTHER_READINGS
        if setting in settings.items()
        for index, (fate, other) in enumerate(
            zip(fates, _fates(GroupFilter(reading(rules_of(settings))), parts), strict=True)
        )
        if fate.kept != other.kept
    }


#: What a filter may do -> the setting in which it is asked for, and the filter that does not do it.
_LEFT_OPEN: Final[Mapping[str, tuple[tuple[str, str], Callable[[Mapping[str, Any]], TableFilter]]]] = {
    "WL40-FILTER-CLEVER-CREATE": (
        ("tables", "clever"),
        lambda settings: TableFilter(rules_of(settings), renames=settings["renames"]),
    ),
    "WL40-FILTER-RENAME-FOLLOWS": (
        ("renames", "identity"),
        lambda settings: TableFilter(rules_of(settings), tables=settings["tables"]),
    ),
    "WL40-FILTER-RENAME-LIST": (
        ("renames", _BY_LIST_OF_RENAMES),
        lambda settings: TableFilter(rules_of(settings), tables=settings["tables"]),
    ),
    "WL40-FILTER-RENAME-ROUND-TRIP": (
        ("renames", "name"),
        lambda settings: ForgetsOldNames(rules_of(settings), tables=settings["tables"]),
    ),
}


def _made_for(settings: Mapping[str, Any], parts: Sequence[LogPart], fates: Sequence[Fate]) -> dict[int, str]:
    """Return the events whose fate depends on what a filter may do, each with that requirement."""
    made_for: dict[int, str] = {}
    for requirement, ((name, value), without) in _LEFT_OPEN.items():
        if settings[name] == value:
            others = _fates(GroupFilter(without(settings)), parts)
            pairs = enumerate(zip(fates, others, strict=True))
            made_for |= {index: requirement for index, (fate, other) in pairs if fate.kept != other.kept}
    return made_for


def _groups(groups: GroupFilter, parts: Sequence[LogPart]) -> list[list[Fate]]:
    return [*(group for part in parts for group in groups.add(part)), groups.finish()]


def _fates(groups: GroupFilter, parts: Sequence[LogPart]) -> list[Fate]:
    return [fate for group in _groups(groups, parts) for fate in group]


_BY_LIST: Final = "WL40-FILTER-BY-TABLES-INFO"
_ROWS: Final = (Part.TABLE_MAP, Part.ROWS)
_BORDERS: Final = frozenset({Part.MARKER, Part.BEGIN, Part.MARKER_AND_BEGIN, Part.END})
#: Where the text of rows is judged: mysqlbinlog, given a database, keeps it without the rows that it drops.
_WITH_TEXTS_OF_ROWS: Final = Profiles("worklog")
#: Parts whose fate does not depend on what is done with Query events.
_OF_ANY_LOG: Final = (*_ROWS, Part.INCIDENT, Part.LOG)
