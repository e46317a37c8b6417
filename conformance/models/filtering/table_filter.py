"""The decision about one statement or table under a filter's rules, and the state that earlier statements leave.

WL#40 leaves two questions open (sections 5 and 6), so each has modes here, between which the user chooses.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_name import TableName

#: ``literal``: the rules as given. ``clever``: a table whose CREATE was dropped because of its LIKE or
#: SELECT part is ignored from then on (section 5, alternative 2).
TablesMode = Literal["literal", "clever"]
TABLES_MODES: Final[tuple[TablesMode, ...]] = ("literal", "clever")
#: ``name``: a rule is for the name. ``identity``: it follows the table through renames. ``list``: do rules are for
#: names, except that a RENAME TABLE is judged by the first names of its tables, as a list of the renamings that passed
#: has them (section 6).
RenamesMode = Literal["name", "identity", "list"]
RENAMES_MODES: Final[tuple[RenamesMode, ...]] = ("name", "identity", "list")

#: The name of no table.
_NO_TABLE: Final = TableName("none", "none")


class TableFilter:
    """Decides statement by statement, in the order of the log.

    Args:
        rules: The tables to do or to ignore.
        tables: One of `TABLES_MODES`.
        renames: One of `RENAMES_MODES`.

    Raises:
        ValueError: There is no such mode, or a list of renamings is asked for without do rules: section 6 speaks of
            these only.
    """

    def __init__(self, rules: FilterRules, *, tables: TablesMode = "literal", renames: RenamesMode = "name") -> None:
        if tables not in TABLES_MODES:
            raise ValueError(f"{tables!r} is not a valid mode for tables: write {' or '.join(TABLES_MODES)}")
        if renames not in RENAMES_MODES:
            raise ValueError(f"{renames!r} is not a valid mode for renames: write {' or '.join(RENAMES_MODES)}")
        if renames == "list" and not rules.has_do_rules:
            raise ValueError("'list' needs do rules: what a list of renamings means for ignore rules is not defined")
        self.rules = rules
        self._clever = tables == "clever"
        self._renames = renames
        #: The rename list: current name -> first name, for tables whose names differ.
        self._first_names: dict[TableName, TableName] = {}
        #: Tables, by their first names, that are ignored because of the tables they were created from.
        self._ignored: set[TableName] = set()

    def afresh(self) -> "TableFilter":
        """Return the same filter as it was before its first statement."""
        tables: TablesMode = "clever" if self._clever else "literal"
        return TableFilter(self.rules, tables=tables, renames=self._renames)

    @property
    def wants_statements(self) -> bool:
        """Whether tables info is not enough, so that `passes` needs the statements."""
        return self._clever or self._renames != "name"

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """Return whether a statement, or the rows of a table, pass; and update the state that later ones depend on.

        Args:
            tables: Its tables info, or the table of its rows.
            statement: What it does; needed if `wants_statements`.
        """
        renamed = statement is not None and bool(statement.renames)
        kept = self._pass(self._first_name(each, renamed=renamed) for each in tables)
        if statement is not None:
            if self._clever and not kept:
                self._ignore_created(statement)
            if self._renames == "identity" or (self._renames == "list" and kept):
                self._follow(statement)
        return kept

    def passes_uncertain(self, statement: FilteredStatement) -> bool:
        """Return whether a statement that the parser does not know passes.

        With ignore rules it passes if its words mention none of their tables, with do rules if they mention one.
        """
        mentioned = [self._first_name(each) for each in statement.mentioned]
        if self.rules.has_do_rules:
            return any(self.rules.cover(each) and each not in self._ignored for each in mentioned)
        return self._pass(mentioned)

    def _first_name(self, table: TableName, *, renamed: bool = False) -> TableName:
        """Return the name by which a table is judged in a statement, which may be one that renames it."""
        follows = self._renames == "identity" or (self._renames == "list" and renamed)
        return self._first_names.get(table, table) if follows else table

    def _pass(self, tables: Iterable[TableName]) -> bool:
        tables = tuple(tables)
        return self._ignored.isdisjoint(tables) and self.rules.pass_all(tables)

    def _ignore_created(self, statement: FilteredStatement) -> None:
        create = statement.create
        if create is None or (create.like is None and not create.sources):
            return
        created = self._first_name(create.table)
        if self._pass((created,)):
            self._ignored.add(created)

    def _follow(self, statement: FilteredStatement) -> None:
        for old, new in statement.renames:
            first = self._first_names.pop(old, old)
            self._first_names.pop(new, None)
            if first != new:
                self._first_names[new] = first
        for table in statement.dropped:
            self._first_names.pop(table, None)
        if statement.create is not None and not statement.create.if_not_exists:
            self._first_names.pop(statement.create.table, None)


class ForgetsOldNames(TableFilter):
    """A filter by names in which the do rule of a name ends with the table that had it: it has been renamed.

    WL#40 leaves open what the rule means when the name comes back (section 6, Note).
    """

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        kept = super().passes(tables, statement)
        if statement is not None and statement.renames and self.rules.has_do_rules:
            # A swap leaves a table at each of its two names.
            gone: set[TableName] = set()
            for old, new in statement.renames:
                gone = (gone | {old}) - {new}
            # Without any do rule every table would pass.
            self.rules = replace(self.rules, do_tables=self.rules.do_tables - gone | {_NO_TABLE})
        return kept
