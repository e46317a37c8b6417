"""Rules, filters and groups with one fault each, for the mutants of the role `filter`."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Final

from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.group_filter import Fate, GroupFilter
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import TableFilter
from conformance.models.filtering.table_name import TableName

#: A rule for no table, so that there is a rule after all others are removed.
NO_TABLE: Final = TableName("none", "none")
#: Rows events of one table that a careless program looks at.
_ROWS_OF_TABLE: Final = 2
#: Bytes of a name that a careless program holds.
_SIZE_OF_NAME: Final = 64


class AnyTable(FilterRules):
    """One table of the list is enough."""

    __slots__ = ()

    def pass_all(self, tables: Iterable[TableName]) -> bool:
        """See `FilterRules.pass_all`."""
        tables = tuple(tables)
        return any(map(self.cover, tables)) or not tables if self.has_do_rules else super().pass_all(tables)


class Prefixes(FilterRules):
    """A rule applies to every table whose name begins with the rule's name."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        begins = any(table.database == each.database and table.name.startswith(each.name) for each in self.do_tables)
        return begins or super().cover(table)


class Patterns(FilterRules):
    """In a rule, `_` is any character and `%` are any characters."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return super().cover(table) or any(map(_matches, self.do_tables | self.ignore_tables, repeat(table)))


class AnyCase(FilterRules):
    """A name is compared without regard to case."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return _covers_as(str.lower, self, table)


class AnyCaseBeyondAscii(FilterRules):
    """A name is compared without regard to case if it has characters that are not in ASCII."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return _covers_as(lambda name: name if name.isascii() else name.lower(), self, table)


class Joined(FilterRules):
    """A database and a name are compared joined with a dot."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return str(table) in map(str, self.do_tables | self.ignore_tables)


class CutDatabases(FilterRules):
    """Only the first 64 bytes of a database's name are compared."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        rules = {(_cut(each.database), each.name) for each in self.do_tables | self.ignore_tables}
        return (_cut(table.database), table.name) in rules


class WithoutAccents(FilterRules):
    """A name is compared without its accents, as a collation does."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return _covers_as(_plain_letters, self, table)


class Composed(FilterRules):
    """A name is compared with its characters composed."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        return _covers_as(partial(unicodedata.normalize, "NFC"), self, table)


def _plain_letters(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each))


def _covers_as(read: Callable[[str], str], rules: FilterRules, table: TableName) -> bool:
    ruled = {(read(each.database), read(each.name)) for each in rules.do_tables | rules.ignore_tables}
    return (read(table.database), read(table.name)) in ruled


def _matches(rule: TableName, table: TableName) -> bool:
    return all(
        re.fullmatch(re.escape(wanted).replace("_", ".").replace("%", ".*"), name, re.DOTALL)
        for wanted, name in ((rule.database, table.database), (rule.name, table.name))
    )


class CutNames(FilterRules):
    """Only the first 64 bytes of a name are compared."""

    __slots__ = ()

    def cover(self, table: TableName) -> bool:
        """See `FilterRules.cover`."""
        rules = {(each.database, _cut(each.name)) for each in self.do_tables | self.ignore_tables}
        return (table.database, _cut(table.name)) in rules


def _cut(name: str) -> bytes:
    return name.encode()[:_SIZE_OF_NAME]


def rules_as(kind: type[FilterRules]) -> Callable[[FilterRules], FilterRules]:
    """Return the change that makes rules of another kind."""
    return lambda rules: kind(rules.do_tables, rules.do_databases, rules.ignore_tables, rules.ignore_databases)


class ForgetsCopies(TableFilter):
    """A dropped CREATE TABLE ... LIKE removes the ignore rule of its new table."""

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        kept = super().passes(tables, statement)
        create = statement.create if statement is not None else None
        others = () if create is None else (*((create.like,) if create.like else ()), *create.sources)
        if create is not None and not self.rules.has_do_rules and not self.rules.pass_all(others):
            self.rules = replace(self.rules, ignore_tables=self.rules.ignore_tables - {create.table} | {NO_TABLE})
        return kept


class OneHop(TableFilter):
    """A table that was renamed cannot be found again after a second renaming."""

    def _follow(self, statement: FilteredStatement) -> None:
        moved = [new for old, new in statement.renames if old in self._first_names]
        super()._follow(statement)
        for name in moved:
            self._first_names.pop(name, None)


class AtOnce(TableFilter):
    """The pairs of one RENAME TABLE happen at once, not one after the other."""

    def _follow(self, statement: FilteredStatement) -> None:
        before = dict(self._first_names)
        super()._follow(statement)
        if len(statement.renames) > 1:
            for _, new in statement.renames:
                self._first_names.pop(new, None)
            self._first_names |= {new: before.get(old, old) for old, new in statement.renames}


class BackByNewName(TableFilter):
    """A renaming that gives a table its first name back is judged by that name."""

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        returned = []
        for old, new in statement.renames if statement is not None else ():
            first = self._first_names.pop(old, old)
            if first == new:
                returned.append(new)
            else:
                self._first_names[new] = first
        return super().passes(returned or tables, statement)


class LastPairLost(TableFilter):
    """The last of several pairs of a RENAME TABLE is not followed."""

    def _follow(self, statement: FilteredStatement) -> None:
        several = len(statement.renames) > 1
        super()._follow(replace(statement, renames=statement.renames[:-1]) if several else statement)


class NotesDropped(TableFilter):
    """The list of renamings has those of dropped statements too."""

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        kept = super().passes(tables, statement)
        if statement is not None and self._renames == "list" and not kept:
            self._follow(statement)
        return kept


class NotIfNotExists(TableFilter):
    """A CREATE TABLE IF NOT EXISTS never makes its table ignored."""

    def _ignore_created(self, statement: FilteredStatement) -> None:
        if statement.create is None or not statement.create.if_not_exists:
            super()._ignore_created(statement)


class SameDatabaseOnly(TableFilter):
    """A table is not ignored that was created from one of another database."""

    def _ignore_created(self, statement: FilteredStatement) -> None:
        create = statement.create
        if create is None or create.like is None or create.like.database == create.table.database:
            super()._ignore_created(statement)


class NotTransitive(TableFilter):
    """A table that was created from one that is ignored by the filter's own addition is not ignored."""

    def _ignore_created(self, statement: FilteredStatement) -> None:
        create = statement.create
        others = () if create is None else (*((create.like,) if create.like else ()), *create.sources)
        if not self.rules.pass_all(others):
            super()._ignore_created(statement)


class BeginStays(GroupFilter):
    """BEGIN is always kept."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        decided = super().finish()
        for fate in decided:
            fate.kept = fate.kept or fate.part.part is Part.BEGIN
        return decided


class EmptyDropped(GroupFilter):
    """A transaction without statements is dropped: nothing in it passes the rules."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        decided = super().finish()
        parts = {each.part.part for each in decided}
        if Part.BEGIN in parts and parts <= {Part.MARKER, Part.BEGIN, Part.END}:
            for fate in decided:
                fate.kept = False
        return decided


class IncidentByRules(GroupFilter):
    """An Incident that is logged as a transaction is dropped: nothing in it passes the rules."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        decided = super().finish()
        if [each.part.part for each in decided] == [Part.MARKER, Part.INCIDENT]:
            for fate in decided:
                fate.kept = False
        return decided


class LastKeptAlone(GroupFilter):
    """BEGIN and its Gtid event are dropped if the first two events that have a table are."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        decided = super().finish()
        between = [each for each in decided if each.part.part in (Part.STATEMENT, Part.TABLE_MAP)]
        if len(between) > 2 and not any(each.kept for each in between[:2]):
            for fate in decided:
                fate.kept = fate.kept and fate.part.part not in (Part.MARKER, Part.BEGIN)
        return decided


class RowsStay(GroupFilter):
    """Rows are kept although their Table_map is dropped."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        decided = super().finish()
        for fate in decided:
            fate.kept = fate.kept or fate.part.part is Part.ROWS
        return decided


class TextKeepsRows(GroupFilter):
    """The rows of a statement whose text is logged pass if those of one of its tables do."""

    def _end_rows(self) -> None:
        rows, has_text = self._rows, bool(self._context)
        super()._end_rows()
        if has_text and any(each.kept for each in rows.rows):
            for fate in (*rows.maps, *rows.rows):
                fate.kept = True


class TwoRowsOfTable(GroupFilter):
    """Of the rows events of one table in a statement only the first two are kept."""

    def _end_rows(self) -> None:
        rows = self._rows.rows
        super()._end_rows()
        met = Counter[int]()
        for fate in rows:
            met[fate.part.table_id] += 1
            fate.kept = fate.kept and met[fate.part.table_id] <= _ROWS_OF_TABLE


class ContextStays(GroupFilter):
    """Events before a statement are kept although it is dropped."""

    def _settle_context(self, kept: bool) -> None:
        super()._settle_context(True)


class KeepsDiscardedFiles(GroupFilter):
    """The blocks of a file belong to the statement after them, also where a Delete_file is between."""

    def _settle_context(self, kept: bool) -> None:
        if self._group[-1].part.part is not Part.FILE_END:
            super()._settle_context(kept)


class LastContextAlone(GroupFilter):
    """Of several events before a statement only the last is dropped with it."""

    def _settle_context(self, kept: bool) -> None:
        first, last = self._context[:-1], self._context[-1:]
        self._context = last
        super()._settle_context(kept)
        for fate in first:
            fate.kept = True


class RowsEndAtUnknown(GroupFilter):
    """Any event but those of rows ends the rows of a statement, one of an unknown type too."""

    def add(self, part: LogPart) -> list[list[Fate]]:
        """See `GroupFilter.add`."""
        if part.part is Part.MEMBER:
            self._end_rows()
        return super().add(part)


class LosesRows(TableFilter):
    """No rows pass after a clever filter has ignored a table by itself."""

    def passes(self, tables: Iterable[TableName], statement: FilteredStatement | None = None) -> bool:
        """See `TableFilter.passes`."""
        is_lost = statement is None and self._clever and bool(self._ignored)
        return super().passes(tables, statement) and not is_lost


class ForgetsAtNextLog(GroupFilter):
    """What was created and renamed in a log is forgotten in the next one."""

    def add(self, part: LogPart) -> list[list[Fate]]:
        """See `GroupFilter.add`."""
        if part.part is Part.LOG:
            self._tables = self._tables.afresh()
        return super().add(part)


class DroppedXaForGood(GroupFilter):
    """The name of a dropped XA transaction is remembered after its end, and drops the end of the next of that name."""

    def __init__(self, tables: TableFilter) -> None:
        super().__init__(tables)
        self._ever_dropped: set[str] = set()

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        fates = super().finish()
        self._ever_dropped |= self._dropped_xa
        self._dropped_xa |= self._ever_dropped
        return fates


class XaEndWithoutBeginning(GroupFilter):
    """The end of an XA transaction that began before the log is dropped."""

    def __init__(self, tables: TableFilter) -> None:
        super().__init__(tables)
        self._begun_xa: set[str] = set()

    def add(self, part: LogPart) -> list[list[Fate]]:
        """See `GroupFilter.add`."""
        if part.part is Part.BEGIN:
            self._begun_xa.add(part.xa)
        elif part.part is Part.XA_FINISH and part.xa not in self._begun_xa:
            self._dropped_xa.add(part.xa)
        return super().add(part)


class OneXaAtATime(GroupFilter):
    """Only the last XA transaction is remembered, whether it was dropped."""

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        if self._xa:
            self._dropped_xa.clear()
        return super().finish()


class TwoXaAtATime(GroupFilter):
    """Only the last two of the XA transactions that were dropped are remembered."""

    def __init__(self, tables: TableFilter) -> None:
        super().__init__(tables)
        self._remembered: list[str] = []

    def finish(self) -> list[Fate]:
        """See `GroupFilter.finish`."""
        ended = self._xa
        decided = super().finish()
        if ended in self._dropped_xa:
            self._remembered.append(ended)
            self._dropped_xa.intersection_update(self._remembered[-2:])
        return decided
