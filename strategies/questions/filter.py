"""Questions in the role `filter`: which events of a stream pass rules for tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES, ForgetsOldNames, TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.scenarios.table_work import PARTS

#: The settings that hold rules.
RULES: Final = ("do_tables", "ignore_tables")
#: All settings of a question.
_SETTINGS: Final = (*RULES, "tables", "renames")


def choose_rules(
    stream: StreamBuilder,
    tables: Sequence[TableName],
    *,
    does: bool | None = None,
    modes: bool = True,
) -> None:
    """Choose do or ignore rules for some tables, and put them into the stream's settings.

    Args:
        stream: The stream.
        tables: The tables that can have rules.
        does: Whether they are do rules, else ignore rules; chosen when None.
        modes: Whether any modes may be chosen, or only the first ones.
    """
    choose = stream.choose
    ruled = [each for each in tables if choose.yes()] or [tables[0]]
    set_rules(
        stream,
        ruled,
        does=choose.yes() if does is None else does,
        tables=choose.one_of(TABLES_MODES) if modes else TABLES_MODES[0],
        renames=choose.one_of(RENAMES_MODES) if modes else RENAMES_MODES[0],
    )


def set_rules(stream: StreamBuilder, ruled: Sequence[TableName], *, does: bool, tables: str, renames: str) -> None:
    """Put rules into the stream's settings.

    WL#40 speaks of a clever filter with ignore rules only: with do rules, the filter is asked to be literal.
    """
    if does:
        tables = TABLES_MODES[0]
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
    fates = _fates(GroupFilter(TableFilter(rules, tables=settings["tables"], renames=settings["renames"])), parts)
    queries = [event for event in stream.expected_events if event["type"] == EventType.QUERY]
    judged = all("tables_info" in event for event in queries)
    entries = []
    for event, fate in zip(stream.expected_events, fates, strict=True):
        entry = {"offset": event["offset"], "type": event["type"]}
        # Whether Query events without tables info, and so their groups, are kept is undefined.
        if judged or fate.part.part in _ROWS:
            entry["fate"] = "kept" if fate.kept else "dropped"
        entries.append(entry)
    marks: dict[str, list[int]] = {
        requirement: list(indices) for requirement, indices in stream.marks.items() if requirement != _BY_LIST
    }
    by_list = frozenset(stream.marks.get(_BY_LIST, ()))
    history = _History(rules, settings["tables"], settings["renames"])
    for index, fate in enumerate(fates):
        shown = [_BY_LIST] if index in by_list and not history else []
        shown += history.shown(fate, note=judged)
        for requirement in shown if "fate" in entries[index] else ():
            marks.setdefault(requirement, []).append(index)
    made_for = _made_for(settings, parts, fates)
    for index, requirement in made_for.items():
        if "fate" in entries[index] and index not in marks.setdefault(requirement, []):
            marks[requirement].append(index)
    return Question(Expected(tuple(entries), made_for=made_for), marks, settings, bytes(stream.bytes))


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


def _fates(groups: GroupFilter, parts: Sequence[LogPart]) -> list[Fate]:
    fates = [fate for part in parts for group in groups.add(part) for fate in group]
    return [*fates, *groups.finish()]


_BY_LIST: Final = "WL40-FILTER-BY-TABLES-INFO"
_ROWS: Final = (Part.TABLE_MAP, Part.ROWS)
_STRUCTURE: Final = (Part.MARKER, Part.BEGIN, Part.END)


@dataclass(slots=True)
class _History:
    """What came before an event, as far as the requirements that it exercises depend on it.

    Attributes:
        rules: The rules.
        tables: The mode of created tables.
        renames: The mode of renamings.
        derived: Tables without a rule whose CREATE was dropped because of other tables in it.
        copied: Tables with an ignore rule that were created from an ignored table.
        renamed: New name -> old name, of single renames of a table with a do rule.
        returned: Old names that a rename back has restored.
        moved: Whether a table was renamed and its rule follows it.
    """

    rules: FilterRules
    tables: str
    renames: str
    derived: set[TableName] = field(default_factory=set)
    copied: set[TableName] = field(default_factory=set)
    renamed: dict[TableName, TableName] = field(default_factory=dict)
    returned: set[TableName] = field(default_factory=set)
    moved: bool = False

    def __bool__(self) -> bool:
        """Return whether anything came before on which later events depend."""
        return bool(self.derived or self.copied or self.renamed or self.returned or self.moved)

    def shown(self, fate: Fate, *, note: bool) -> list[str]:
        """Return the requirements that an event exercises; with `note`, remember what it does."""
        exercised = [requirement for requirement, shows in _SHOWN if shows(self, fate)]
        if note and fate.part.part is Part.STATEMENT:
            self._note(fate)
        return exercised

    def _note(self, fate: Fate) -> None:
        statement = fate.part.statement
        if statement is None:
            return
        create = statement.create
        if create is not None:
            others = [each for each in fate.part.tables if each != create.table]
            broken = not self.rules.pass_all(others)
            if broken and self.rules.pass_all([create.table]):
                self.derived.add(create.table)
            if broken and not self.rules.has_do_rules and self.rules.cover(create.table):
                self.copied.add(create.table)
            self.renamed.pop(create.table, None)
        self.moved |= bool(statement.renames) and self.renames == "identity"
        for old, new in statement.renames:
            if self.renamed.pop(old, None) == new:
                self.returned.add(new)
            elif self.rules.has_do_rules and self.rules.cover(old) and not self.rules.cover(new) and fate.kept:
                self.renamed[new] = old
            self.returned.discard(old)

    # --- what an event is

    def does(self, fate: Fate) -> bool:
        return self.rules.has_do_rules and fate.part.part is Part.STATEMENT and bool(fate.part.tables)

    def ignores(self, fate: Fate) -> bool:
        return not self.rules.has_do_rules and fate.part.part is Part.STATEMENT and bool(fate.part.tables)

    def only(self, fate: Fate) -> TableName | None:
        """Return the only table of a statement that creates and renames nothing."""
        statement, tables = fate.part.statement, fate.part.tables
        plain = statement is not None and statement.create is None and not statement.renames
        return tables[0] if fate.part.part is Part.STATEMENT and plain and len(tables) == 1 else None

    def near_any(self, fate: Fate) -> bool:
        """Return whether an event concerns a table without a do rule whose name begins like that of one with a rule."""
        return any(map(self._near, fate.part.tables))

    def _near(self, table: TableName) -> bool:
        return not self.rules.cover(table) and any(table.name.startswith(each.name) for each in self.rules.do_tables)

    def create_with_rule(self, fate: Fate, *, like: bool) -> bool:
        """Return whether an event creates a table, plainly or by LIKE, and the rules differ for that table alone."""
        create = fate.part.statement.create if fate.part.statement else None
        if create is None or create.selects or (create.like is not None) != like:
            return False
        if create.like is None:
            return self.rules.cover(create.table) and create.table not in self.copied
        return self.rules.cover(create.table) == self.rules.has_do_rules != self.rules.cover(create.like)

    def is_swap(self, fate: Fate) -> bool:
        """Return whether an event exchanges two names by way of a third that has no rule."""
        pairs = fate.part.statement.renames if fate.part.statement else ()
        if len(pairs) != 3 or not self.rules.pass_all(fate.part.tables):
            return False
        (first, middle), (second, again), (last, other) = pairs
        return (again, last, other) == (first, middle, second) and not self.rules.cover(middle)

    def is_rename(self, fate: Fate) -> bool:
        return fate.part.statement is not None and bool(fate.part.statement.renames)

    def renames_alone(self, fate: Fate) -> tuple[TableName, TableName] | None:
        statement = fate.part.statement
        return statement.renames[0] if statement and len(statement.renames) == 1 else None


#: Requirement -> whether an event exercises it.
_SHOWN: Final[tuple[tuple[str, Callable[[_History, Fate], bool]], ...]] = (
    (
        "WL40-FILTER-DO-EVERY-TABLE",
        lambda past, fate: past.does(fate) and not past and not past.near_any(fate) and not past.is_rename(fate),
    ),
    ("WL40-FILTER-DO-SWAP", lambda past, fate: past.does(fate) and past.is_swap(fate) and bool(fate.kept)),
    ("WL40-FILTER-DO-CREATE-LIKE", lambda past, fate: past.does(fate) and past.create_with_rule(fate, like=True)),
    ("WL40-FILTER-IGNORE-CREATE", lambda past, fate: past.ignores(fate) and past.create_with_rule(fate, like=False)),
    (
        "WL40-FILTER-IGNORE-CREATE-LIKE",
        lambda past, fate: past.ignores(fate) and past.create_with_rule(fate, like=True),
    ),
    (
        "WL40-FILTER-IGNORE-DEPENDENT",
        lambda past, fate: past.tables == "literal" and past.ignores(fate) and past.only(fate) in past.derived,
    ),
    ("WL40-FILTER-IGNORE-BOTH", lambda past, fate: past.ignores(fate) and past.only(fate) in past.copied),
    (
        "WL40-FILTER-RULE-MEANING",
        lambda past, fate: past.rules.has_do_rules and not past and past.near_any(fate),
    ),
    ("WL40-FILTER-GROUP-WHOLE", lambda past, fate: fate.part.part in _STRUCTURE),
    # Earlier creating and renaming, and the meaning of names, are covered by the other requirements.
    (
        "WL40-FILTER-ROWS-BY-TABLE-MAP",
        lambda past, fate: fate.part.part in _ROWS and not past and not past.near_any(fate),
    ),
    (
        "WL40-FILTER-CLEVER-CREATE",
        lambda past, fate: past.tables == "clever" and past.only(fate) in past.derived and not past.renamed,
    ),
    (
        "WL40-FILTER-RENAME-FIRST",
        lambda past, fate: not past and past.does(fate) and past.renames_alone(fate) is not None and bool(fate.kept),
    ),
    (
        "WL40-FILTER-RENAME-FOLLOWS",
        lambda past, fate: past.renames == "identity" and past.only(fate) in past.renamed,
    ),
    ("WL40-FILTER-RENAME-NAMES", lambda past, fate: past.renames == "name" and past.only(fate) in past.renamed),
    (
        "WL40-FILTER-RENAME-BACK-DROPPED",
        lambda past, fate: (
            past.renames == "name"
            and ((pair := past.renames_alone(fate)) is not None and past.renamed.get(pair[0]) == pair[1])
        ),
    ),
    (
        "WL40-FILTER-RENAME-ROUND-TRIP",
        lambda past, fate: past.renames == "name" and past.only(fate) in (past.returned | set(past.renamed)),
    ),
)
