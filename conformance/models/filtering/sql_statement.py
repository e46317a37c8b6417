"""Statements read with an SQL parser: the tables that they name, create, rename and drop.

The parser is sqlglot. Statements of which it knows only the first word, such as ``RENAME TABLE``, are read from tokens.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from conformance.models.filtering.sql_words import (
    DIALECT,
    END,
    Cursor,
    Names,
    Word,
    check_length,
    sqlglot_package,
    with_versioned_comments,
    words_of,
)
from conformance.models.filtering.statement import CreateTable, FilteredStatement, each_once
from conformance.models.filtering.table_name import TableName
from conformance.models.filtering.tables_info import rename_table

if TYPE_CHECKING:
    from sqlglot import exp

#: The number of statements whose result is cached, as logs repeat themselves, and the most characters of one.
_CACHED: Final = 4096
_SHORT: Final = 2048

#: Modifiers that do not affect the tables of a change, and that the parser does not know.
_MODIFIERS: Final = ("LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK")
_MODIFIED: Final = re.compile(
    rf"\A\s*(INSERT|REPLACE|UPDATE|DELETE)((?:\s+(?:{'|'.join(_MODIFIERS)}))*)\b", re.IGNORECASE
)

#: The first words of statements that have no tables, or none that they change.
_WITHOUT_TABLES: Final = (
    ("CREATE", "USER"), ("ALTER", "USER"), ("DROP", "USER"), ("RENAME", "USER"),
    ("CREATE", "ROLE"), ("DROP", "ROLE"), ("SET",), ("FLUSH",), ("RESET",), ("PURGE",),
    ("SAVEPOINT",), ("RELEASE",), ("ROLLBACK",), ("XA",), ("START",), ("STOP",), ("CHANGE",), ("DO",), ("USE",),
    ("CREATE", "SERVER"), ("ALTER", "SERVER"), ("DROP", "SERVER"), ("INSTALL",), ("UNINSTALL",), ("KILL",),
    ("CREATE", "TABLESPACE"), ("ALTER", "TABLESPACE"), ("DROP", "TABLESPACE"), ("UNLOCK",), ("BEGIN",), ("COMMIT",),
)  # fmt: skip

#: What the parser raises, besides its own errors, at some texts that it does not know (sqlglot 30.30).
_FAULTS_OF_PARSER: Final = (RecursionError, IndexError, TypeError, ValueError)


def read_statement(sql: str, default_database: str) -> FilteredStatement:
    """Return the tables of a statement, and what it does to them.

    Args:
        sql: Its text.
        default_database: The database of names without one; may be empty.

    Raises:
        ImportError: The package sqlglot is not installed.
        LimitExceeded: It has too many words.
    """
    check_length(sql)
    return _cached_read(sql, default_database) if len(sql) <= _SHORT else _read(sql, default_database)


@lru_cache(maxsize=_CACHED)
def _cached_read(sql: str, default_database: str) -> FilteredStatement:
    return _read(sql, default_database)


def _read(sql: str, default_database: str) -> FilteredStatement:
    words = words_of(sql)
    heads = tuple(word.text.upper() for word in words[:2])
    if any(heads[: len(each)] == each for each in _WITHOUT_TABLES):
        return FilteredStatement()
    parsed = _parse(_MODIFIED.sub(_known_word, with_versioned_comments(sql), count=1))
    names = Names(default_database)
    statement = None if parsed is None else _from_tree(parsed, names)
    return (
        statement
        or _from_words(words, names)
        or FilteredStatement(certain=False, mentioned=_mentioned_tables(words, names))
    )


def _known_word(change: re.Match[str]) -> str:
    """Return the first word of a change as the parser knows it: INSERT for REPLACE, which has the same tables."""
    return "INSERT" if change[1].upper() == "REPLACE" else change[1]


def _parse(sql: str) -> "exp.Expression | None":
    sqlglot = sqlglot_package()
    try:
        parsed: exp.Expression = sqlglot.parse_one(sql, read=DIALECT)
    except (sqlglot.errors.SqlglotError, *_FAULTS_OF_PARSER):
        return None
    return parsed


# --- the tree


def _from_tree(parsed: "exp.Expression", names: Names) -> FilteredStatement | None:
    """Return what a parsed statement does, None if the parser did not parse enough of it."""
    for node in type(parsed).__mro__:
        if node.__name__ in _NODES:
            return _NODES[node.__name__](parsed, names)
    return None


def _tables_in(node: "exp.Expression", names: Names) -> list[TableName]:
    """Return the tables read or changed, without aliases, common table expressions and foreign keys' tables."""
    from sqlglot import exp

    tables = [each for each in node.find_all(exp.Table) if each.find_ancestor(exp.Reference) is None]
    not_tables = {each.alias for each in (*tables, *node.find_all(exp.CTE)) if each.alias}
    return [names.of(each) for each in tables if each.db or each.alias or each.name not in not_tables]


def _any_tables(node: Any, names: Names) -> FilteredStatement:
    return FilteredStatement(each_once(_tables_in(node, names)))


def _create(node: Any, names: Names) -> FilteredStatement | None:
    from sqlglot import exp

    if node.kind in _DATABASE_KINDS:
        return FilteredStatement((names.of_database(node.this.name),))
    if node.kind in _ROUTINE_KINDS:
        return FilteredStatement((names.of_database(getattr(node.find(exp.Table), "db", "")),))
    if node.kind != "TABLE":
        return _any_tables(node, names)
    first, *others = _tables_in(node, names)
    like = node.find(exp.LikeProperty)
    like_table = names.of(like.this) if like is not None and isinstance(like.this, exp.Table) else None
    selects = node.expression is not None
    create = CreateTable(
        first,
        like_table,
        each_once(others) if selects else (),
        selects,
        node.find(exp.TemporaryProperty) is not None,
        bool(node.args.get("exists")),
    )
    tables = (first, *((like_table,) if like_table else ()), *create.sources)
    return FilteredStatement(each_once(list(tables)), create=create)


def _drop(node: Any, names: Names) -> FilteredStatement:
    from sqlglot import exp

    tables = _tables_in(node, names)
    if node.kind in _DATABASE_KINDS or node.kind in _ROUTINE_KINDS:
        first = node.find(exp.Table)
        name = first.name if node.kind in _DATABASE_KINDS else first.db
        return FilteredStatement((names.of_database(name),))
    if node.kind == "INDEX":
        return FilteredStatement(tuple(tables[-1:]))
    return FilteredStatement(each_once(tables), dropped=each_once(tables) if node.kind == "TABLE" else ())


def _alter(node: Any, names: Names) -> FilteredStatement:
    from sqlglot import exp

    table = names.of(node.find(exp.Table))
    renamed = node.find(exp.AlterRename)
    pairs = ((table, names.of(renamed.this)),) if renamed is not None else ()
    return FilteredStatement((table,), renames=pairs)


_DATABASE_KINDS: Final = ("DATABASE", "SCHEMA")
#: They belong to a database; the tables in their bodies change when they run, not when they are created.
_ROUTINE_KINDS: Final = ("PROCEDURE", "FUNCTION", "TRIGGER", "EVENT")

#: Node -> the function that returns its tables.
_NODES: Final[Mapping[str, Callable[[Any, Names], FilteredStatement | None]]] = {
    "Create": _create,
    "Drop": _drop,
    "Alter": _alter,
    **dict.fromkeys(
        ("Insert", "Update", "Delete", "TruncateTable", "Query", "Analyze", "Merge", "LoadData"), _any_tables
    ),
}


def _from_words(words: Sequence[Word], names: Names) -> FilteredStatement | None:
    """Return what a statement does if its first words decide the place of its tables; None for any other."""
    for head, read in _HEADS:
        if len(words) >= len(head) and all(word.is_any(*each) for word, each in zip(words, head, strict=False)):
            return read(Cursor(words, names, at=len(head)), names)
    return None


def _read_rename(cursor: Cursor, names: Names) -> FilteredStatement | None:
    pairs: list[tuple[TableName, TableName]] = []
    while True:
        old = cursor.table()
        if old is None or not cursor.skip("TO", "AS"):
            return None
        new = cursor.table()
        if new is None:
            return None
        pairs.append((old, new))
        if not cursor.skip(","):
            return FilteredStatement(rename_table(pairs), renames=tuple(pairs))


def _read_list(cursor: Cursor, names: Names) -> FilteredStatement | None:
    cursor.skip("LOCAL", "NO_WRITE_TO_BINLOG")
    cursor.skip("TABLE", "TABLES")
    tables = cursor.tables()
    return FilteredStatement(tables) if tables else None


def _read_drop(cursor: Cursor, names: Names) -> FilteredStatement | None:
    if cursor.skip("IF"):
        cursor.skip("EXISTS")
    tables = cursor.tables()
    return FilteredStatement(tables, dropped=tables) if tables else None


def _read_dropped_views(cursor: Cursor, names: Names) -> FilteredStatement | None:
    dropped = _read_drop(cursor, names)
    return None if dropped is None else FilteredStatement(dropped.tables)


def _read_create(cursor: Cursor, names: Names) -> FilteredStatement | None:
    """Read a ``CREATE TABLE`` without a source table, with clauses that the parser does not know."""
    temporary = cursor.skip("TEMPORARY")
    if not cursor.skip("TABLE"):
        return None
    if_not_exists = cursor.skip("IF")
    if if_not_exists:
        cursor.skip("NOT")
        cursor.skip("EXISTS")
    table = cursor.table()
    if table is None or cursor.skip_past("SELECT", "LIKE", "TABLE"):
        return None
    return FilteredStatement((table,), create=CreateTable(table, temporary=temporary, if_not_exists=if_not_exists))


def _read_insert(cursor: Cursor, names: Names) -> FilteredStatement | None:
    """Read an ``INSERT`` or ``REPLACE`` of values; only the parser finds the tables of one with a source."""
    while cursor.skip(*_MODIFIERS, "IGNORE", "INTO"):
        pass
    table = cursor.table()
    return None if table is None or cursor.skip_past("SELECT", "TABLE", "WITH") else FilteredStatement((table,))


def _read_into(cursor: Cursor, names: Names) -> FilteredStatement | None:
    return _read_list(cursor, names) if cursor.skip_past("INTO") else None


def _read_after_on(cursor: Cursor, names: Names) -> FilteredStatement | None:
    table = cursor.table() if cursor.skip_past("ON") else None
    return None if table is None else FilteredStatement((table,))


def _read_database(cursor: Cursor, names: Names) -> FilteredStatement | None:
    if cursor.skip("IF"):
        cursor.skip("EXISTS", "NOT")
        cursor.skip("EXISTS")
    word = cursor.next
    return FilteredStatement((names.of_database(word.text),)) if word.named else None


def _read_routine(cursor: Cursor, names: Names) -> FilteredStatement | None:
    if cursor.skip("IF"):
        cursor.skip("NOT")
        cursor.skip("EXISTS")
    routine = cursor.table()
    return None if routine is None else FilteredStatement((names.of_database(routine.database),))


def _read_defined(cursor: Cursor, names: Names) -> FilteredStatement | None:
    """Read the statement after ``CREATE DEFINER=...``."""
    while cursor.next is not END:
        for word, read in (("TRIGGER", _read_after_on), *((each, _read_routine) for each in _ROUTINES)):
            if cursor.skip(word):
                return read(cursor, names)
        cursor.advance()
    return None


def _read_alter(cursor: Cursor, names: Names) -> FilteredStatement | None:
    """Read an ``ALTER TABLE`` that the parser does not know, up to the last place where it can name a second table."""
    table = cursor.table()
    if table is None:
        return None
    while cursor.next is not END:
        if cursor.skip("RENAME") and not cursor.next.is_any("COLUMN", "INDEX", "KEY"):
            cursor.skip("TO", "AS")
            new = cursor.table()
            return None if new is None else FilteredStatement((table,), renames=((table, new),))
        if cursor.skip("WITH") and cursor.skip("TABLE"):
            other = cursor.table()
            return None if other is None else FilteredStatement(each_once([table, other]))
        cursor.advance()
    return FilteredStatement((table,))


def _read_grant(cursor: Cursor, names: Names) -> FilteredStatement | None:
    """Read a ``GRANT`` or ``REVOKE``: on a table, on a database, on all, or of roles."""
    if not cursor.skip_past("ON") or cursor.skip("*"):
        return FilteredStatement()
    cursor.skip("TABLE", "PROCEDURE", "FUNCTION")
    database = cursor.next.text
    table = cursor.table()
    if table is not None:
        return FilteredStatement((table,))
    return FilteredStatement((names.of_database(database),)) if cursor.skip("*") else None


_ROUTINES: Final = ("PROCEDURE", "FUNCTION", "EVENT")
#: First words, any of each group -> the function that reads the tables after them.
_HEADS: Final[tuple[tuple[tuple[tuple[str, ...], ...], Callable[[Cursor, Names], FilteredStatement | None]], ...]] = (
    ((("RENAME",), ("TABLE", "TABLES")), _read_rename),
    ((("OPTIMIZE", "REPAIR", "CHECK", "CHECKSUM", "ANALYZE", "LOCK"),), _read_list),
    ((("DROP",), ("TABLE", "TABLES")), _read_drop),
    ((("DROP",), ("TEMPORARY",), ("TABLE", "TABLES")), _read_drop),
    ((("DROP",), ("VIEW",)), _read_dropped_views),
    ((("LOAD",), ("DATA", "XML")), _read_into),
    ((("CREATE", "ALTER", "DROP"), ("DATABASE", "SCHEMA")), _read_database),
    ((("CREATE", "DROP", "ALTER"), _ROUTINES), _read_routine),
    ((("CREATE",), ("TRIGGER",)), _read_after_on),
    ((("CREATE",), ("UNIQUE", "FULLTEXT", "SPATIAL"), ("INDEX",)), _read_after_on),
    ((("CREATE", "DROP"), ("INDEX",)), _read_after_on),
    ((("INSERT", "REPLACE"),), _read_insert),
    ((("CREATE",), ("DEFINER",)), _read_defined),
    ((("CREATE",),), _read_create),
    ((("ALTER",), ("TABLE",)), _read_alter),
    ((("GRANT", "REVOKE"),), _read_grant),
)


def _mentioned_tables(words: Sequence[Word], names: Names) -> tuple[TableName, ...]:
    """Return every table that words could mean: each name alone, and each two names with a dot between them."""
    tables: list[TableName] = []
    for at, word in enumerate(words):
        if not word.named:
            continue
        if at + 2 < len(words) and words[at + 1].text == "." and words[at + 2].named:
            tables.append(TableName(word.text, words[at + 2].text))
        if not (at and words[at - 1].text == "."):
            tables.append(TableName(names.default_database, word.text))
    return each_once(tables)
