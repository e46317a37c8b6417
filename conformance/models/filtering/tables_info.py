"""How tables info is formed: WL#40, section 4."""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from conformance.models.filtering.statement import CreateTable, FilteredStatement, each_once
from conformance.models.filtering.table_name import TableName


class LoggingFormat(Enum):
    """How statements are logged."""

    STATEMENT = auto()
    ROW = auto()


class Logged(Enum):
    """The form in which a statement is logged."""

    #: Its text, unchanged.
    AS_GIVEN = auto()
    #: An ordinary ``CREATE TABLE`` with the columns in place of its ``LIKE`` or ``SELECT`` part.
    AS_DEFINITION = auto()
    #: Not at all.
    NOT_LOGGED = auto()


@dataclass(frozen=True, slots=True)
class Formed:
    """What a statement leaves in the log.

    Attributes:
        logged: The form.
        tables: Its tables info.
    """

    logged: Logged
    tables: tuple[TableName, ...]


class _Shape(Enum):
    PLAIN = auto()
    LIKE = auto()
    SELECT = auto()


_Tables = Callable[[CreateTable], tuple[TableName, ...]]


def _none(create: CreateTable) -> tuple[TableName, ...]:
    return ()


def _new_table(create: CreateTable) -> tuple[TableName, ...]:
    return (create.table,)


def _new_and_like(create: CreateTable) -> tuple[TableName, ...]:
    return (create.table, *((create.like,) if create.like else ()))


def _new_and_sources(create: CreateTable) -> tuple[TableName, ...]:
    return each_once([create.table, *create.sources])


#: Section 4.1, SBR: shape -> the list. The statement is logged unchanged.
_STATEMENT_FORMAT: Final[Mapping[_Shape, _Tables]] = {
    _Shape.PLAIN: _new_table,
    _Shape.LIKE: _new_and_like,
    _Shape.SELECT: _new_and_sources,
}
#: Section 4.1, RBR, for a new table that is not temporary: (shape, whether the table of LIKE is temporary) -> what
#: is logged, and the list.
_ROW_FORMAT: Final[Mapping[tuple[_Shape, bool], tuple[Logged, _Tables]]] = {
    (_Shape.PLAIN, False): (Logged.AS_GIVEN, _new_table),
    (_Shape.LIKE, True): (Logged.AS_DEFINITION, _new_table),
    (_Shape.LIKE, False): (Logged.AS_GIVEN, _new_and_like),
    (_Shape.SELECT, False): (Logged.AS_DEFINITION, _new_table),
}


def _shape(create: CreateTable) -> _Shape:
    if create.like is not None:
        return _Shape.LIKE
    return _Shape.SELECT if create.selects else _Shape.PLAIN


def create_table(create: CreateTable, logging_format: LoggingFormat, temporary: Set[TableName] = frozenset()) -> Formed:
    """Return what a ``CREATE TABLE`` leaves in the log (section 4.1).

    Args:
        create: The statement.
        logging_format: How the session logs.
        temporary: The session's temporary tables before it.
    """
    shape = _shape(create)
    if logging_format is LoggingFormat.STATEMENT:
        return Formed(Logged.AS_GIVEN, _STATEMENT_FORMAT[shape](create))
    if create.temporary:
        return Formed(Logged.NOT_LOGGED, _none(create))
    logged, tables = _ROW_FORMAT[shape, create.like in temporary]
    return Formed(logged, tables(create))


def create_select_ends(create: CreateTable) -> tuple[TableName, ...]:
    """Return the tables info of BEGIN and COMMIT around a ``CREATE TABLE ... SELECT`` in row format (4.1, note)."""
    return create_table(create, LoggingFormat.ROW).tables


def rename_table(pairs: Iterable[tuple[TableName, TableName]]) -> tuple[TableName, ...]:
    """Return the tables info of a ``RENAME TABLE`` (section 4.2).

    A table is in it if it is renamed and its name did not come from an earlier pair of the same statement.

    Args:
        pairs: Old and new name of each table, in the order of the statement.
    """
    tables: list[TableName] = []
    targets: set[TableName] = set()
    for old, new in pairs:
        if old not in targets:
            tables.append(old)
        targets.add(new)
    return each_once(tables)


def tables_info_of(
    statement: FilteredStatement, logging_format: LoggingFormat, temporary: Set[TableName] = frozenset()
) -> Formed:
    """Return what any statement leaves in the log; beyond section 4 its tables info is the tables that it names.

    Args:
        statement: The statement.
        logging_format: How the session logs.
        temporary: The session's temporary tables before it.
    """
    if statement.create is not None:
        return create_table(statement.create, logging_format, temporary)
    if statement.renames and len(statement.tables) == len(rename_table(statement.renames)):
        return Formed(Logged.AS_GIVEN, rename_table(statement.renames))
    return Formed(Logged.AS_GIVEN, tuple(each for each in statement.tables if each.name))
