"""What a statement does to its tables, as far as tables info and the filter depend on it."""

from dataclasses import dataclass, field

from conformance.models.filtering.table_name import TableName


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A ``CREATE TABLE``, in one of the three shapes of WL#40, section 4.1.

    Attributes:
        table: The new table.
        like: The table of its ``LIKE`` part, None if it has none.
        sources: The tables of its ``SELECT`` part, in their order; empty if it has none or names none.
        selects: Whether it has a ``SELECT`` part.
        temporary: Whether it has ``TEMPORARY``.
        if_not_exists: Whether it has ``IF NOT EXISTS``.
    """

    table: TableName
    like: TableName | None = None
    sources: tuple[TableName, ...] = ()
    selects: bool = False
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class FilteredStatement:
    """A statement.

    Attributes:
        tables: The tables that it names, each once, in their order.
        create: What it creates if it is a ``CREATE TABLE``.
        renames: Old name and new name of each table that it renames, in their order.
        dropped: The tables that it drops.
        certain: Whether `tables` are all of them; False if the parser does not know the statement.
        mentioned: If not certain, the tables that its words could mean.
    """

    tables: tuple[TableName, ...] = ()
    create: CreateTable | None = None
    renames: tuple[tuple[TableName, TableName], ...] = ()
    dropped: tuple[TableName, ...] = ()
    certain: bool = True
    mentioned: tuple[TableName, ...] = field(default=(), repr=False)


def each_once(tables: list[TableName]) -> tuple[TableName, ...]:
    """Return tables in order, without repetitions."""
    return tuple(dict.fromkeys(tables))
