"""Which requirements an event exercises under a filter's rules, given what came before it (WL#40, sections 4 to 6)."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate
from conformance.models.filtering.log_part import Part
from conformance.models.filtering.table_name import TableName

#: Characters of a name after which a careless program stops comparing.
_COMPARED: Final = 21
_ROWS: Final = (Part.TABLE_MAP, Part.ROWS)
_STRUCTURE: Final = (Part.MARKER, Part.BEGIN, Part.END)


def _is_near(rule: TableName, table: TableName) -> bool:
    """Return whether a careless program takes a table for that of a rule: by its name alone, a part, a pattern."""
    one, other = rule.name, table.name
    if rule.database != table.database:
        return one == other
    return other.startswith(one[:_COMPARED]) or other.endswith(one) or _matches(one, other)


def _matches(pattern: str, name: str) -> bool:
    return bool(re.fullmatch(re.escape(pattern).replace("_", ".").replace("%", ".*"), name, re.DOTALL))


@dataclass(slots=True)
class FilterHistory:
    """What came before an event, as far as the requirements that it exercises depend on it.

    Attributes:
        rules: The rules.
        tables: The mode of created tables.
        renames: The mode of renamings.
        derived: Tables without a rule whose CREATE was dropped because of other tables in it.
        copied: Tables with an ignore rule that were created from an ignored table.
        renamed: Current name -> first name, of tables with a do rule that were renamed, each by itself.
        returned: First names that a rename back has restored.
        moved: The old and new names of renamed tables, if a rule follows its table.
        named: The same, if a rule is about a name.
    """

    rules: FilterRules
    tables: str
    renames: str
    derived: set[TableName] = field(default_factory=set)
    copied: set[TableName] = field(default_factory=set)
    renamed: dict[TableName, TableName] = field(default_factory=dict)
    returned: set[TableName] = field(default_factory=set)
    moved: set[TableName] = field(default_factory=set)
    named: set[TableName] = field(default_factory=set)

    def marks(self, fate: Fate) -> list[str]:
        """Return the requirements that an event exercises: the general rules where no other one is about it."""
        special = [requirement for requirement, shows in _SPECIAL if shows(self, fate)]
        if not special and self.applies_plainly(fate):
            return [requirement for requirement, shows in _GENERAL if shows(self, fate)]
        return special

    def note(self, fate: Fate) -> None:
        """Remember what a statement does."""
        statement = fate.part.statement
        if fate.part.part is not Part.STATEMENT or statement is None:
            return
        create = statement.create
        if create is not None:
            others = [each for each in fate.part.tables if each != create.table]
            broken = not self.rules.pass_all(others) or not self.derived.isdisjoint(others)
            if broken and self.rules.pass_all([create.table]):
                self.derived.add(create.table)
            if broken and not self.rules.has_do_rules and self.rules.cover(create.table):
                self.copied.add(create.table)
            self.renamed.pop(create.table, None)
        for old, new in statement.renames:
            (self.moved if self.renames == "identity" else self.named).update((old, new))
            self._note_rename(old, new, kept=bool(fate.kept))

    def _note_rename(self, old: TableName, new: TableName, *, kept: bool) -> None:
        first = self.renamed.pop(old, None)
        ruled = self.rules.has_do_rules and self.rules.cover(old) and kept
        if first == new:
            self.returned.add(new)
        elif (first is not None or ruled) and not self.rules.cover(new):
            self.renamed[new] = first or old
        self.returned.discard(old)

    def applies_plainly(self, fate: Fate) -> bool:
        """Return whether the rules apply to the names in an event as given, whatever came before."""
        clever = self.tables == "clever" and bool(self.derived or self.copied)
        # The rows of a table that was renamed follow their Table_map as any rows do.
        return not clever and (fate.part.part is Part.ROWS or not self.names_moved(fate))

    def names_moved(self, fate: Fate) -> bool:
        """Return whether an event names a table that a renaming moved, and its rule with it."""
        return fate.part.part in (Part.STATEMENT, Part.TABLE_MAP) and not self.moved.isdisjoint(fate.part.tables)

    @property
    def is_empty(self) -> bool:
        """Whether nothing came before on which later events depend."""
        return not (self.derived or self.copied or self.renamed or self.returned or self.moved)

    # --- what an event is

    def does(self, fate: Fate) -> bool:
        """Return whether do rules decide about a statement with tables."""
        return self.rules.has_do_rules and fate.part.part is Part.STATEMENT and bool(fate.part.tables)

    def ignores(self, fate: Fate) -> bool:
        """Return whether ignore rules decide about a statement with tables."""
        return not self.rules.has_do_rules and fate.part.part is Part.STATEMENT and bool(fate.part.tables)

    def ignores_only(self, fate: Fate) -> bool:
        """Return whether ignore rules decide about a statement or a Table_map with one table."""
        return not self.rules.has_do_rules and self.only(fate) is not None

    def only(self, fate: Fate) -> TableName | None:
        """Return the only table of a statement that creates and renames nothing, or the table of a Table_map."""
        statement, tables = fate.part.statement, fate.part.tables
        if fate.part.part is Part.TABLE_MAP:
            return tables[0]
        plain = statement is not None and statement.create is None and not statement.renames
        return tables[0] if fate.part.part is Part.STATEMENT and plain and len(tables) == 1 else None

    def near_any(self, fate: Fate) -> bool:
        """Return whether a do rule decides about a table that nearly has the name of one with a rule."""
        rules = self.rules.do_tables
        return any(
            not self.rules.cover(table) and any(_is_near(rule, table) for rule in rules)
            for table in fate.part.tables
            if fate.part.part in (Part.STATEMENT, Part.TABLE_MAP)
        )

    def create_with_rule(self, fate: Fate, *, like: bool) -> bool:
        """Return whether an event creates a table, plainly or by LIKE, and the rules differ for that table alone."""
        create = fate.part.statement.create if fate.part.statement else None
        if create is None or create.selects or (create.like is not None) != like:
            return False
        if create.like is None:
            return self.rules.cover(create.table) and create.table not in self.copied
        return self.rules.cover(create.table) == self.rules.has_do_rules != self.rules.cover(create.like)

    def create_from_ignored(self, fate: Fate) -> bool:
        """Return whether an event creates a table without a rule by a SELECT from a table with one."""
        create = fate.part.statement.create if fate.part.statement else None
        if create is None or not create.selects or self.rules.cover(create.table):
            return False
        return any(map(self.rules.cover, create.sources))

    def is_swap(self, fate: Fate) -> bool:
        """Return whether an event exchanges two names by way of a third that has no rule."""
        pairs = renames_of(fate)
        if len(pairs) != 3 or not self.rules.pass_all(fate.part.tables):
            return False
        (first, middle), (second, again), (last, other) = pairs
        return (again, last, other) == (first, middle, second) and not self.rules.cover(middle)

    def renames_renamed(self, fate: Fate) -> bool:
        """Return whether an event renames a table again, back or to another name."""
        return any(old in self.renamed for old, _ in renames_of(fate))

    def renames_back(self, fate: Fate) -> bool:
        """Return whether an event gives a table its first name back."""
        return any(self.renamed.get(old) == new for old, new in renames_of(fate))


def renames_of(fate: Fate) -> tuple[tuple[TableName, TableName], ...]:
    """Return the old and the new names of the tables that an event renames."""
    return fate.part.statement.renames if fate.part.statement is not None else ()


_Shows = Callable[[FilterHistory, Fate], bool]


def _literal(past: FilterHistory) -> bool:
    return past.tables == "literal"


#: Requirement -> whether an event exercises it.
_SPECIAL: Final[tuple[tuple[str, _Shows], ...]] = (
    ("WL40-FILTER-DO-SWAP", lambda past, fate: past.does(fate) and past.is_swap(fate) and bool(fate.kept)),
    ("WL40-FILTER-DO-CREATE-LIKE", lambda past, fate: past.does(fate) and past.create_with_rule(fate, like=True)),
    ("WL40-FILTER-IGNORE-CREATE", lambda past, fate: past.ignores(fate) and past.create_with_rule(fate, like=False)),
    (
        "WL40-FILTER-IGNORE-CREATE-LIKE",
        lambda past, fate: past.ignores(fate) and past.create_with_rule(fate, like=True),
    ),
    ("WL40-FILTER-IGNORE-CREATE-SELECT", lambda past, fate: past.ignores(fate) and past.create_from_ignored(fate)),
    (
        "WL40-FILTER-IGNORE-DEPENDENT",
        lambda past, fate: _literal(past) and past.ignores_only(fate) and past.only(fate) in past.derived,
    ),
    ("WL40-FILTER-IGNORE-BOTH", lambda past, fate: past.ignores_only(fate) and past.only(fate) in past.copied),
    ("WL40-FILTER-RULE-MEANING", lambda past, fate: past.is_empty and past.near_any(fate)),
    ("WL40-FILTER-GROUP-WHOLE", lambda past, fate: fate.part.part in _STRUCTURE),
    (
        "WL40-FILTER-CLEVER-CREATE",
        lambda past, fate: (
            past.tables == "clever"
            and past.ignores(fate)
            and not past.derived.isdisjoint(fate.part.tables)
            and past.rules.pass_all(fate.part.tables)
        ),
    ),
    (
        "WL40-FILTER-RENAME-FIRST",
        lambda past, fate: past.is_empty and past.does(fate) and bool(renames_of(fate)) and bool(fate.kept),
    ),
    (
        "WL40-FILTER-RENAME-FOLLOWS",
        lambda past, fate: past.names_moved(fate),
    ),
    (
        "WL40-FILTER-RENAME-NAMES",
        lambda past, fate: past.rules.has_do_rules and past.only(fate) in past.named,
    ),
    ("WL40-FILTER-RENAME-BACK-DROPPED", lambda past, fate: past.renames == "name" and past.renames_back(fate)),
    ("WL40-FILTER-RENAME-LIST", lambda past, fate: past.renames == "list" and past.renames_renamed(fate)),
    (
        "WL40-FILTER-RENAME-ROUND-TRIP",
        lambda past, fate: past.renames == "name" and past.only(fate) in (past.returned | set(past.renamed)),
    ),
    ("FORMAT-FILTER-CONTEXT", lambda past, fate: fate.part.part is Part.CONTEXT),
    ("FORMAT-FILTER-LOG", lambda past, fate: fate.part.part in (Part.LOG, Part.INCIDENT)),
)
#: The same for the rules that hold for every statement and every table.
_GENERAL: Final[tuple[tuple[str, _Shows], ...]] = (
    ("WL40-FILTER-DO-EVERY-TABLE", lambda past, fate: past.does(fate)),
    ("WL40-FILTER-IGNORE-ANY-TABLE", lambda past, fate: past.ignores(fate)),
    ("WL40-FILTER-EMPTY-LIST", lambda past, fate: fate.part.part is Part.STATEMENT and not fate.part.tables),
    ("WL40-FILTER-ROWS-BY-TABLE-MAP", lambda past, fate: fate.part.part in _ROWS),
)
