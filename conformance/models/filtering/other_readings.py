"""Filters that read WL#40 otherwise where it leaves a choice: each is right, so nothing is asked where they differ."""

from collections.abc import Iterable
from dataclasses import replace

from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName


class AddsNewNames(TableFilter):
    """A filter by identity that adds the new name of a renamed table to its rules, and removes none (section 6)."""

    _keeps_old_names = True
    #: Whether it follows a renaming only where its statement has the fate that the rules have for the table.
    _judges_renaming = True

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        kept = self.rules.pass_all(tables)
        of_rules = "do_tables" if self.rules.has_do_rules else "ignore_tables"
        follows = not self._judges_renaming or kept is self.rules.has_do_rules
        for old, new in statement.renames if statement is not None and follows else ():
            if self.rules.cover(old):
                gone = frozenset() if self._keeps_old_names else {old}
                self.rules = replace(self.rules, **{of_rules: getattr(self.rules, of_rules) - gone | {new}})
        return kept


class AddsEveryNewName(AddsNewNames):
    """The same, also where the renaming is dropped, or kept, for the sake of other tables in its statement."""

    _judges_renaming = False


class MovesRules(AddsEveryNewName):
    """A filter by identity whose rules go with a renamed table and leave its old name to another (section 6)."""

    _keeps_old_names = False


class SkipsTargets(TableFilter):
    """A filter with a list of renamings that does not judge a name to which an earlier one gave it (section 4.2)."""

    _targets: frozenset[TableName] = frozenset()

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        renames = statement.renames if statement is not None else ()
        kept = self.rules.pass_all(each for each in tables if not (renames and each in self._targets))
        self._targets |= {new for _, new in renames if kept}
        return kept
