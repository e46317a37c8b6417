"""The rules of a filter: the tables to do, or the tables to ignore (WL#40, sections 1, 5 and 6)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.models.filtering.table_name import TableName


@dataclass(frozen=True, slots=True)
class FilterRules:
    """Do rules or ignore rules, never both: the meaning of both together is not defined.

    Attributes:
        do_tables: The tables that pass.
        do_databases: The databases whose tables all pass.
        ignore_tables: The tables that are dropped.
        ignore_databases: The databases whose tables are all dropped.

    Raises:
        ValueError: There are do rules and ignore rules, or a rule for a table without a name.
    """

    do_tables: frozenset[TableName] = frozenset()
    do_databases: frozenset[str] = frozenset()
    ignore_tables: frozenset[TableName] = frozenset()
    ignore_databases: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.has_do_rules and (self.ignore_tables or self.ignore_databases):
            does = ", ".join([*sorted(map(str, self.do_tables)), *sorted(self.do_databases)])
            ignored = ", ".join([*sorted(map(str, self.ignore_tables)), *sorted(self.ignore_databases)])
            raise ValueError(f"do rules ({does}) and ignore rules ({ignored}) together; give only one kind")
        nameless = [each for each in self.do_tables | self.ignore_tables if not each.name]
        if nameless:
            raise ValueError(f"{str(nameless[0])!r} is a database, not a table: use a rule for databases")

    @property
    def has_do_rules(self) -> bool:
        """Whether these are do rules."""
        return bool(self.do_tables or self.do_databases)

    def tables(self) -> Iterator[TableName]:
        """Yield the tables that have a rule, and the databases, as tables without a name."""
        yield from self.do_tables | self.ignore_tables
        for database in self.do_databases | self.ignore_databases:
            yield TableName(database, "")

    def cover(self, table: TableName) -> bool:
        """Return whether the rules cover a table.

        They cover a whole database if it has a rule; a do rule for one of its tables is enough.
        """
        databases = self.do_databases | self.ignore_databases
        if not table.name:
            return table.database in databases or any(each.database == table.database for each in self.do_tables)
        return table.database in databases or table in self.do_tables or table in self.ignore_tables

    def pass_all(self, tables: Iterable[TableName]) -> bool:
        """Return whether a statement on these tables passes.

        Do rules must cover every table, ignore rules none. An empty list breaks neither.
        """
        if self.has_do_rules:
            return all(map(self.cover, tables))
        return not any(map(self.cover, tables))
