"""Streams whose Query events have tables info (WL#40), and streams whose Query events have none."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.models.filtering.log_part import Part
from conformance.models.filtering.statement import CreateTable, FilteredStatement
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.extended_query import is_extended
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import choose_rules
from conformance.strategies.scenarios.table_names import DATABASE, PUNCTUATION
from conformance.strategies.scenarios.table_work import UNKNOWN_TYPE, TableWork

TABLES: Final = (
    TableName(DATABASE, "t1"),
    TableName(DATABASE, "t2"),
    TableName(DATABASE, "Orders"),
    TableName("other", "t1"),
    TableName(DATABASE, "t10"),
)
#: The name that a table has for a time.
_OTHER: Final = TableName(DATABASE, "tmp")
#: Names as long as tables info can hold, and names that a reader may cut or quote wrongly.
_LONG: Final = {
    "255 letters": "x" * 255,
    "85 characters of 3 bytes": "日" * 85,
    "backtick": "back`tick",
    "dot": "a.b",
    "capitals beyond ASCII": "\u00c4RGER",
    "all signs of ASCII": PUNCTUATION,
    "characters of 4 bytes": "\U0001f642\U0001d11e",
}
#: Lengths of statements around the limits of one byte and of signed and unsigned lengths of two bytes.
_LENGTHS: Final = (0, 1, 255, 256, 257, 32767, 32768, 65535)
#: Events that show that a second format description counts, itself included; at least this many follow.
_AFTER_A_CHANGE: Final = 3
#: CREATE TABLE with or without LIKE, and the number of tables that its SELECT part refers to.
_CREATE: Final = Dimension(
    "CREATE",
    {"plain": (False, 0), "LIKE": (True, 0), "SELECT": (False, 1), "SELECT of two tables": (False, 2)},
    when={"addition": ("CREATE TABLE",)},
)
_WORDS: Final = choices(
    "words of CREATE",
    ("none", "TEMPORARY", "IF NOT EXISTS", "TEMPORARY, IF NOT EXISTS"),
    when={"addition": ("CREATE TABLE",)},
)
_RENAMES: Final = Dimension(
    "renames",
    {
        "one": ((TABLES[0], _OTHER),),
        "swap": ((TABLES[0], _OTHER), (TABLES[1], TABLES[0]), (_OTHER, TABLES[1])),
        "chain": ((TABLES[0], TABLES[1]), (TABLES[1], _OTHER)),
        "chain from another database": (
            (TABLES[1], TableName("other", "t2")),
            (TABLES[0], TABLES[1]),
            (TABLES[1], _OTHER),
        ),
    },
    when={"addition": ("RENAME TABLE",)},
)
_WITHOUT_TABLES: Final = choices(
    "statement without tables",
    ("SET PASSWORD FOR u = 'x'", "FLUSH PRIVILEGES", "SAVEPOINT a"),
    when={"addition": ("statement without tables",)},
)
_LENGTH: Final = choices("length of the statement", _LENGTHS, when={"addition": ("long statement",)})
_NAME: Final = Dimension("name of the table", _LONG, when={"addition": ("long statement",)})
_NAME_OF_DATABASE: Final = Dimension(
    "name of its database", {"short": DATABASE, **_LONG}, when={"addition": ("long statement",)}
)
_DATABASE: Final = Dimension(
    "default database",
    {"short": DATABASE, "none": "", "multi-byte": "ünïcode", "64 letters": "x" * 64},
    when={"addition": ("long statement",)},
)


def _begin(work: TableWork, *, extended: bool, relay: bool = False) -> None:
    lengths = bytearray(work.stream.server.post_header_lengths)
    if not extended:
        lengths[EventType.QUERY - 1] = work.stream.vary(_USUAL_LENGTH)
    if relay:
        work.stream.mark_following("WL40-ONE-FORMAT-PER-LOG", events=_AFTER_A_CHANGE)
    work.begin(extended=extended, lengths=bytes(lengths))


def _transaction(work: TableWork) -> None:
    work.group(work.transaction([work.choose.one_of(TABLES) for _ in work.choose.several(1, 3)]))


def _create(work: TableWork) -> None:
    choose = work.choose
    table, source = choose.one_of(TABLES), choose.one_of(TABLES)
    like, selected = work.stream.vary(_CREATE)
    sources = (source, choose.one_of(TABLES))[:selected]
    words = work.stream.vary(_WORDS)
    create = CreateTable(
        table,
        like=source if like else None,
        sources=sources,
        selects=bool(sources),
        temporary="TEMPORARY" in words,
        if_not_exists="IF NOT EXISTS" in words,
    )
    work.group(work.create(create))


def _create_select(work: TableWork) -> None:
    for pieces in work.create_select(work.choose.one_of(TABLES)):
        work.group(pieces)


def _rename(work: TableWork) -> None:
    work.group(work.rename(*work.stream.vary(_RENAMES)))


def _drop(work: TableWork) -> None:
    work.group(work.drop([work.choose.one_of(TABLES) for _ in work.choose.several(1, 3)]))


def _without_tables(work: TableWork) -> None:
    sql = work.stream.vary(_WITHOUT_TABLES)
    work.database = work.choose.one_of((DATABASE, ""))
    work.group([work.statement(sql, FilteredStatement())])
    work.database = DATABASE


def _long(work: TableWork) -> None:
    """Add a statement whose length or whose names are at the limits of their fields."""
    choose = work.choose
    size = work.stream.vary(_LENGTH)
    text = mysql_events.text(work.stream, size, size)
    if len(text.encode()) > 0xFFFF:
        text = "x" * size
    if choose.yes(4):
        text = f"{text[:-4]}'a\0b'"[:size]
    names = (work.stream.vary(_NAME), work.stream.vary(_NAME_OF_DATABASE))
    tables = tuple(TableName(database, name) for name, database in (names, names[::-1]))
    work.database = work.stream.vary(_DATABASE)
    piece = work.statement(text, FilteredStatement(tables))
    work.database = DATABASE
    # The text is not a statement, so only the list can decide.
    work.group([piece.marked("WL40-FILTER-BY-TABLES-INFO")])


def _empty(work: TableWork) -> None:
    work.group([work.control("BEGIN", Part.BEGIN), work.control("COMMIT", Part.END)])


#: What can be added to a log, the simplest first.
_ADDITION: Final = Dimension[Callable[[TableWork], None]](
    "addition",
    {
        "transaction": _transaction,
        "CREATE TABLE": _create,
        "CREATE TABLE ... SELECT of rows": _create_select,
        "RENAME TABLE": _rename,
        "DROP TABLE": _drop,
        "statement without tables": _without_tables,
        "long statement": _long,
        "empty transaction": _empty,
    },
)
_OF_LOG: Final = Number("additions to a log")
#: Whether the Query events of a log are extended, and those of the next one in a relay log; None without a next one.
_LOGS: Final = Dimension[tuple[bool, bool | None]](
    "Query events",
    {
        "extended": (True, None),
        "usual": (False, None),
        "extended, extended again": (True, True),
        "extended, then usual": (True, False),
        "usual, then extended": (False, True),
    },
)
#: Any length but that of the extended post-header is a usual Query event with a longer post-header.
_USUAL_LENGTH: Final = choices(
    "post-header length of usual Query events",
    (13, *(each for each in range(14, 24) if each != EXTENDED_QUERY_POST_HEADER)),
)
_MARKERS: Final = yes_or_no("markers")
_BOUNDARIES: Final = yes_or_no("boundary markers")
#: Where an ignorable event of an unknown type is; it changes nothing about the events after it.
_UNKNOWN: Final[Dimension[int | None]] = Dimension(
    "unknown event", {"none": None, "before each group": 0, "after the first event of each": 1}
)
_UNKNOWN_BEFORE_LOG: Final = yes_or_no(
    "an unknown event last in the first log",
    when={"Query events": ("extended, extended again", "extended, then usual", "usual, then extended")},
)


@family(
    focus=(
        "WL40-DATA-ORDER",
        "WL40-FILTER-BY-TABLES-INFO",
        "WL40-GUESS-EXTENDED-QUERY",
        "WL40-RENDER-QUERY-STOPS",
        "WL40-APPLY-EXTENDED-QUERY",
        "WL40-RELAY-EXTENDED-QUERY",
    ),
    profiles=Profiles("worklog"),
    dimensions=(
        _LOGS,
        replace(_USUAL_LENGTH, when={"Query events": ("usual", "extended, then usual", "usual, then extended")}),
        _ADDITION,
        _CREATE,
        _WORDS,
        _RENAMES,
        _WITHOUT_TABLES,
        _LENGTH,
        _NAME,
        _NAME_OF_DATABASE,
        _DATABASE,
        _OF_LOG,
        _MARKERS,
        _BOUNDARIES,
        _UNKNOWN,
        _UNKNOWN_BEFORE_LOG,
    ),
)
def tables_info_streams(stream: StreamBuilder) -> None:
    """Logs whose Query events are all extended, or all usual; and relay logs in which that changes once."""
    choose = stream.choose
    first, second = stream.vary(_LOGS)
    choose_rules(stream, TABLES)
    work = TableWork(stream, markers=stream.vary(_MARKERS))
    work.bounded, work.unknown_at = stream.vary(_BOUNDARIES), stream.vary(_UNKNOWN)
    ends_unknown = second is not None and stream.vary(_UNKNOWN_BEFORE_LOG)
    work.declares_unknown = ends_unknown or work.unknown_at is not None
    _begin(work, extended=first)
    for _ in stream.several_of(_OF_LOG):
        stream.vary(_ADDITION)(work)
    if ends_unknown:
        work.outside(work.unknown(UNKNOWN_TYPE))
    if second is not None:
        # A relay log: the format description of another log follows, which decides again.
        _begin(work, extended=second, relay=True)
        for _ in stream.several_of(_OF_LOG):
            stream.vary(_ADDITION)(work)
    # Whatever came before, only the list decides here; and rows have their Table_map in any log.
    if is_extended(stream):
        tables = [choose.one_of(TABLES) for _ in choose.several(1, 2)]
        work.group([work.statement("DO f1()", FilteredStatement(), tuple(tables)).marked("WL40-FILTER-BY-TABLES-INFO")])
    work.group(work.row_transaction([choose.one_of(TABLES)]))
    work.end()
