"""Comparisons of an expected logged event with an observed one."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.binlog.event_types import QUERY_TYPES, EventType, type_name
from conformance.binlog.flags import Flag
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.models.boundary.boundary_type import MARKER_BITS
from conformance.oracles.cause import Cause
from conformance.oracles.checks.quoted_names import QUOTED_NAME, unquoted
from conformance.oracles.oracle import Check, shown
from conformance.protocol.roles.log import words_of

Entry = Mapping[str, Any]


#: Compares an expected event with the observed one and returns what is wrong, "" if nothing is.
Compare = Callable[[Entry, Entry], str]

IGNORABLE: Final = int(Flag.IGNORABLE)
#: The flags of statements on which the worklogs are silent, and which versions set differently; of logs likewise.
_FREE_OF_STATEMENTS: Final = int(Flag.THREAD_SPECIFIC | Flag.SUPPRESS_USE)
_FREE_OF_LOGS: Final = int(Flag.BINLOG_IN_USE)
#: The types that have these flags in servers' logs: MariaDB's Gtid events begin transactions without a BEGIN.
_WITH_STATEMENTS: Final = QUERY_TYPES | {EventType.EXECUTE_LOAD_QUERY, EventType.MARIADB_GTID}
#: A DROP TABLE with names in quotes, without comments; a server may write TEMPORARY in a comment that is executed.
_DROP: Final = re.compile(
    rf"DROP (TEMPORARY )?TABLES? (?P<condition>IF EXISTS )?({QUOTED_NAME}( ?\. ?{QUOTED_NAME})?"
    r"( ?, ?(?!\Z)|( RESTRICT| CASCADE)?\Z))+",
    re.IGNORECASE,
)
#: A CREATE TABLE, without comments, that does nothing where there is such a table.
_CREATE: Final = re.compile(r"CREATE (TEMPORARY )?TABLE (?P<condition>IF NOT EXISTS )?", re.IGNORECASE)
#: The statements by which replicas know where transactions begin and end. Those that clients issue are in lower case.
_BORDERS: Final = frozenset({"BEGIN", "COMMIT", "ROLLBACK"})
#: A word of ROLLBACK TO that may be there or not.
_SAVEPOINT: Final = re.compile(r"(?<=^rollback to )savepoint (?=\S)")
_EXECUTED: Final = re.compile(r"/\*[!M]+\d*(.*?)\*/", re.DOTALL)
_NAMES: Final = re.compile(rf"{QUOTED_NAME}(?:\s*\.\s*{QUOTED_NAME})?")


#: The word of a DROP that leaves ordinary tables alone; some servers have it in a comment for newer ones.
_TEMPORARY: Final = re.compile(r"\bTEMPORARY\b.*?\bTABLES?\b", re.IGNORECASE | re.DOTALL)
#: A name or a text in quotes.
_IN_QUOTES: Final = rf"(?P<quoted>{QUOTED_NAME}|'(?:[^'\\]|\\.|'')*')"
#: A comment, or what is in quotes, where the signs of one are none.
_COMMENT: Final = re.compile(rf"{_IN_QUOTES}|\s*(?:/\*.*?\*/|(?:--(?=\s|\Z)|#)[^\n]*)\s*", re.DOTALL)
#: What is in quotes, or any other sign.
_QUOTED: Final = re.compile(rf"{_IN_QUOTES}|.", re.DOTALL)
#: What has no parentheses in it, and the texts that may have some.
_PARENTHESES: Final = re.compile(r"\([^()]*\)|'[^']*'")
_ENGINE: Final = re.compile(r"\bENGINE\s*=?\s*`?(\w+)", re.IGNORECASE)
#: Another name of a type -> its usual name.
_SAME_TYPES: Final = {"integer": "int"}
#: What a CREATE TABLE defines besides columns.
_INDEX: Final = re.compile(
    r"(PRIMARY|UNIQUE|KEY|INDEX|FULLTEXT|SPATIAL|CONSTRAINT|FOREIGN|CHECK|PERIOD)\b", re.IGNORECASE
)


#: The highest marker that stands for something.
_HIGHEST_MARKER: Final = 5
#: What WL#4033's sample has before the text of a statement.
ROWS_QUERY_PREFIX: Final = "# "


def differing_flags(wanted: Entry, observed: Entry) -> int:
    """Return the flags in which two events differ, without those on which the worklogs are silent."""
    # A transaction may end with a statement where another event is expected.
    has_statement = not _WITH_STATEMENTS.isdisjoint((wanted["type"], observed.get("type")))
    free = _FREE_OF_STATEMENTS if has_statement else 0
    free |= _FREE_OF_LOGS if wanted["type"] == EventType.FORMAT_DESCRIPTION else 0
    return int((wanted["flags"] ^ observed["flags"]) & ~free)


def name_of(entry: Entry) -> str:
    """Return the name of what an entry is."""
    if entry["type"] in QUERY_TYPES:
        return words_of(str(entry.get("query", ""))) or "QUERY"
    return type_name(entry["type"])


def tables_of(entry: Entry) -> frozenset[str]:
    """Return the tables that a statement names in quotes, with their databases."""
    return frozenset(_named(entry))


def _named(entry: Entry) -> Iterator[str]:
    """Yield the tables that a statement names in quotes, in its order, with their databases."""
    text = without_comments(str(entry.get("query", "")))
    database = str(entry.get("database", ""))
    for match in _NAMES.finditer(text):
        first, second = (unquoted(each or "") for each in match.groups())
        yield f"{first}.{second}" if second else f"{database}.{first}"


def is_of_temporary_tables(entry: Entry) -> bool:
    """Return whether a DROP TABLE drops temporary tables alone."""
    return bool(_TEMPORARY.search(without_comments(str(entry.get("query", "")))))


def equal(*names: str) -> Compare:
    """Return the comparison of fields by value."""

    def compare(wanted: Entry, observed: Entry) -> str:
        for name in names:
            if name in wanted and observed.get(name) != wanted[name]:
                return f"{name} is {shown(observed.get(name))}, expected {shown(wanted[name])}"
        return ""

    return compare


def equal_rows(wanted: Entry, observed: Entry) -> str:
    """Compare the rows of two events, and whether the last of a statement ends it.

    One that ends it too soon leaves the next without a Table_map, for which there is another requirement. So there is
    for rows that cannot be read: on Table_map events, and on bodies.
    """
    if "rows" in wanted and observed.get("rows") is None:
        return ""
    if "rows" not in wanted or wanted["rows"] != observed.get("rows"):
        return equal("rows")(wanted, observed)
    ends = [bool((each.get("rows_flags") or 0) & STATEMENT_END) for each in (wanted, observed)]
    return "" if ends[1] >= ends[0] else "it is not the last of its statement"


def equal_row_values(wanted: Entry, observed: Entry) -> str:
    """Compare the rows of two events where they can be read: a statement may write what a setting is into a row."""
    return "" if observed.get("rows") is None else equal("rows")(wanted, observed)


def equal_statements(wanted: Entry, observed: Entry) -> str:
    """Compare two statements as they were issued, those that the server writes itself by meaning, not by wording."""
    if wanted["type"] not in QUERY_TYPES or observed["type"] not in QUERY_TYPES:
        return ""
    if words_of(wanted["query"]) == "DROP TABLE":
        if tables_of(wanted) != tables_of(observed):
            return f"it drops {', '.join(sorted(tables_of(observed)))}, expected {', '.join(sorted(tables_of(wanted)))}"
        temporary = [is_of_temporary_tables(each) for each in (wanted, observed)]
        if temporary[0] != temporary[1]:
            return f"it is{'' if temporary[1] else ' not'} of temporary tables alone"
        is_one = _DROP.fullmatch(without_comments(observed["query"])) is not None
        return "" if is_one else f"{shown(observed['query'])} does not drop tables in quotes"
    if wanted["query"].startswith("CREATE TABLE"):
        return _equal_creations(wanted, observed)
    as_issued = wanted["query"] in _BORDERS or not wanted["query"][:1].isupper()
    texts = [each["query"] if as_issued else _spelled(each["query"]) for each in (wanted, observed)]
    return "" if texts[0] == texts[1] else f"it is {shown(observed['query'])}, expected {shown(wanted['query'])}"


def lacks_condition(wanted: Entry, observed: Entry) -> bool:
    """Return whether a DROP or CREATE TABLE has no condition, but should, and so stops a replica.

    The replica lacks one of the tables that are dropped, or has the one that is created.
    """
    texts = [without_comments(str(each["query"])) for each in (wanted, observed)]
    pairs = [[form(text) for text in texts] for form in (_DROP.fullmatch, _CREATE.match)]
    return any(want and seen and want["condition"] and not seen["condition"] for want, seen in pairs)


def without_comments(query: str) -> str:
    """Return a statement without comments but for what is executed of them, and with single spaces."""
    return " ".join(_uncommented(query, " ").split())


def _spelled(query: str) -> str:
    """Return a statement without comments that do nothing, in lower case but for what is in quotes."""
    lower = _QUOTED.sub(lambda match: match["quoted"] or match[0].lower(), _uncommented(query, ""))
    return _SAVEPOINT.sub("", lower)


def _uncommented(query: str, space: str) -> str:
    """Return a statement with a text in the place of each comment, but with what is executed of them."""
    return _COMMENT.sub(lambda match: match["quoted"] or space, _EXECUTED.sub(r"\1", query))


def _equal_creations(wanted: Entry, observed: Entry) -> str:
    """Compare a CREATE TABLE that the server wrote itself: table and columns, and that it has no LIKE or SELECT."""
    wanted, observed = ({**each, "query": without_comments(each["query"])} for each in (wanted, observed))
    tables = [next(_named(each), "") for each in (wanted, observed)]
    if tables[0] != tables[1]:
        return f"it creates {tables[1]}, expected {tables[0]}"
    if unwanted := without_select(wanted, observed):
        return unwanted
    columns = [_columns_of(each["query"]) for each in (wanted, observed)]
    if columns[0] != columns[1]:
        return f"its columns are {shown(columns[1])}, expected {shown(columns[0])}"
    # A statement without an engine leaves it to each replica.
    engines = [each[1].casefold() for entry in (wanted, observed) if (each := _ENGINE.search(entry["query"]))]
    return f"its engine is {engines[1]}, expected {engines[0]}" if len(set(engines)) > 1 else ""


def without_select(wanted: Entry, observed: Entry) -> str:
    """Check a CREATE TABLE that the server wrote itself for a LIKE or SELECT, with which it would do more."""
    if not str(wanted.get("query", "")).startswith("CREATE TABLE") or observed["type"] not in QUERY_TYPES:
        return ""
    unwanted = re.search(r"\bSELECT\b|\bLIKE\b", without_comments(observed["query"]), re.IGNORECASE)
    return f"it still has {unwanted[0].upper()}" if unwanted else ""


def _columns_of(creation: str) -> str:
    """Return the columns that a CREATE TABLE defines, in their order: their names and types, with commas between."""
    _, _, definitions = creation.partition("(")
    # Types, defaults and the columns of an index may have commas of their own.
    while (flat := _PARENTHESES.sub("", definitions)) != definitions:
        definitions = flat
    items = [each.strip() for each in definitions.rpartition(")")[0].split(",")]
    return ", ".join(_column_of(each) for each in items if each and not _INDEX.match(each))


def _column_of(definition: str) -> str:
    """Return the name of a column and the name of its type."""
    name, *rest = definition.casefold().split()
    return " ".join([name.strip('`"'), *(_SAME_TYPES.get(each, each) for each in rest[:1])])


def equal_texts(wanted: Entry, observed: Entry) -> str:
    """Compare the statements in two Rows_query events; WL#4033 leaves open whether "# " is before the text."""
    text = observed.get("rows_query")
    if "rows_query" in wanted and text == wanted["rows_query"].removeprefix(ROWS_QUERY_PREFIX):
        return ""
    return equal("rows_query")(wanted, observed)


def flagged(bits: int, *, alone: bool = False) -> Compare:
    """Return the comparison that checks that flags are set, or, with `alone`, that no others are but markers."""

    def compare(wanted: Entry, observed: Entry) -> str:
        flags = observed["flags"] & ~MARKER_BITS.mask
        good = not flags & ~bits if alone else flags & bits == bits
        return "" if good else f"the flags are {flags:#06x}, expected {bits:#06x}"

    return compare


def is_spare(marker: int) -> bool:
    """Return whether a marker is one of the two values that stand for nothing."""
    return marker > _HIGHEST_MARKER


def equal_markers(wanted: Entry, observed: Entry) -> str:
    """Compare boundary markers; that an event has one, and none that stands for nothing, are other requirements."""
    right, marker = (MARKER_BITS.stored(each["flags"]) for each in (wanted, observed))
    return "" if marker in (0, right) or is_spare(marker) else f"the marker is {marker}, expected {right}"


def equal_lengths(wanted: Entry, observed: Entry) -> str:
    """Compare the lengths of two events of one type: an Xid event and a COMMIT, either of which is right, differ."""
    return equal("length")(wanted, observed) if wanted["type"] == observed["type"] else ""


def equal_other_flags(wanted: Entry, observed: Entry) -> str:
    """Compare the flags other than boundary markers, except those on which the worklogs are silent."""
    flags = [each["flags"] & ~MARKER_BITS.mask for each in (wanted, observed)]
    differing = differing_flags(wanted, observed) & ~MARKER_BITS.mask
    return f"the flags besides the marker are {flags[1]:#06x}, expected {flags[0]:#06x}" if differing else ""


def equal_lists(wanted: Entry, observed: Entry) -> str:
    """Compare tables info, with the default database filled in; that an event has it is another requirement.

    A DROP TABLE that the server writes itself has its tables in an order of the server's own, and of several the server
    chooses which has a table: the list is of those that the statement names.
    """
    if wanted.get("tables_info") is None or observed.get("tables_info") is None:
        return ""
    lists = [_listed(each) for each in (wanted, observed)]
    if words_of(str(wanted.get("query", ""))) == "DROP TABLE":
        lists = [sorted(tables_of(observed)), sorted(lists[1])]
    return "" if lists[0] == lists[1] else f"tables_info is {shown(observed.get('tables_info'))}, expected {lists[0]}"


def _listed(entry: Entry) -> list[str]:
    pairs = _NAMES.findall(str(entry.get("tables_info") or ""))
    names = (f"{unquoted(first) or entry.get('database', '')}.{unquoted(second)}" for first, second in pairs)
    return list(dict.fromkeys(names))


def equal_starts(wanted: Entry, observed: Entry) -> str:
    """Compare whether a format description has the time of a start; which time it is, is free."""
    if ("created" not in wanted) == bool(observed["created"]):
        return ""
    return f"the time of the start is {observed['created']}, expected {'0' if 'created' in wanted else 'another'}"


def equal_gtid_kinds(wanted: Entry, observed: Entry) -> str:
    """Compare whether a Gtid event is anonymous."""
    if (wanted["type"] == EventType.ANONYMOUS_GTID) != (observed["type"] == EventType.ANONYMOUS_GTID):
        return f"it is {type_name(observed['type'])}, expected {type_name(wanted['type'])}"
    return ""


def place_of(entry: Entry) -> str:
    """Return the name of an entry and its place."""
    where = f" at offset {entry['offset']}" if "offset" in entry else ""
    return f"{name_of(entry)} in log {entry['log'] + 1}{where}"


def check_at(entry: Entry, signature: str, message: str, cause: Cause | None = None) -> Check:
    """Return a failed check about an event of the logs, at its place."""
    return Check(signature, message, entry["offset"], cause, log=entry["log"])
