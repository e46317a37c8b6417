"""Streams for filters (WL#40, section 5): tables made from others by LIKE or SELECT, for literal and clever filters."""

from collections.abc import Sequence
from typing import Final

from conformance.models.filtering.statement import CreateTable
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES, TablesMode
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import set_rules
from conformance.strategies.scenarios.ruled_tables import DEFAULT, DOES, MARKERS, SOME_NAMES, SPELLING, default_database
from conformance.strategies.scenarios.table_names import Cast
from conformance.strategies.scenarios.table_work import SOURCE_FORMS, TableWork

_WORKLOG: Final = Profiles("worklog")

_RULED_TO_CREATE: Final = Dimension(
    "tables with a rule", {"the source": (0,), "the source and the new one": (0, 1), "the new one": (1,)}
)
_SHAPES: Final = choices("sources", ("LIKE", "the only one", "the first", "the last", "in the middle"))
_DEPTH: Final = Number("tables created")
_FROM: Final = choices("created from", ("the first", "the one before"))
_WORDS: Final = choices("words of CREATE", ("none", "TEMPORARY", "IF NOT EXISTS", "TEMPORARY, IF NOT EXISTS"))
_ELSEWHERE: Final = yes_or_no("created in another database")
#: Whether what a filter remembers of a log is needed in the next one, as in a relay log.
_NEXT_LOG: Final = yes_or_no("another log before the work on them")
_CREATED: Final = (_SHAPES, _WORDS, _ELSEWHERE, _DEPTH, _FROM, _NEXT_LOG, MARKERS, SOME_NAMES, DEFAULT)
_LITERAL, _CLEVER = TABLES_MODES
#: How the LIKE or SELECT part is written, which matters to a filter that reads it.
_SOURCE_FORM: Final = choices("form of the LIKE or SELECT part", SOURCE_FORMS)
_NO_COLUMNS: Final = Impossible(
    {"sources": ("LIKE",), "form of the LIKE or SELECT part": SOURCE_FORMS[2:]},
    "a table that is made by LIKE has neither AS nor columns of its own",
)


@family(
    focus=("WL40-DATA-ORDER", "WL40-FILTER-IGNORE-CREATE-LIKE"),
    profiles=_WORKLOG,
    dimensions=(_RULED_TO_CREATE, DOES, *_CREATED),
)
def create_table_filters(stream: StreamBuilder) -> None:
    """A table, others made from it by LIKE or SELECT, and work on them, under do or ignore rules as given."""
    places, does = stream.vary(_RULED_TO_CREATE), stream.vary(DOES)
    _create_others(stream, places, does=does, mode=_LITERAL)


@family(
    focus=("WL40-FILTER-CLEVER-CREATE",),
    profiles=_WORKLOG,
    dimensions=(*_CREATED, SPELLING, _SOURCE_FORM),
    impossible=(_NO_COLUMNS,),
)
def clever_filters(stream: StreamBuilder) -> None:
    """A table with an ignore rule, others made from it by LIKE or SELECT, and work on them, for a clever filter."""
    # The worklog's clever filter is one with ignore rules.
    _create_others(stream, _RULED_TO_CREATE.classes["the source"], does=False, mode=_CLEVER)


def _create_others(stream: StreamBuilder, places: Sequence[int], *, does: bool, mode: TablesMode) -> None:
    choose, cast = stream.choose, stream.vary(SOME_NAMES)
    first, second, third = cast[:3]
    ruled = [cast[place] for place in places]
    set_rules(stream, ruled, does=does, tables=mode, renames=RENAMES_MODES[0])
    work = TableWork(stream, markers=stream.vary(MARKERS))
    work.begin(extended=True)
    work.database = default_database(cast, stream.vary(DEFAULT))
    if mode == _CLEVER:
        work.spelling = stream.vary(SPELLING)
    if choose.yes():
        work.group(work.create(CreateTable(first)))
    made = [second, third, cast.elsewhere]
    if stream.vary(_ELSEWHERE):
        made.reverse()
    for number in stream.several_of(_DEPTH):
        source = [first, *made][number if stream.vary(_FROM) == "the one before" else 0]
        form = stream.vary(_SOURCE_FORM) if mode == _CLEVER else SOURCE_FORMS[0]
        create = _made_from(stream, made[number], source, cast.near)
        work.group(work.create(create, form if create.selects or form in SOURCE_FORMS[:2] else SOURCE_FORMS[0]))
    if stream.vary(_NEXT_LOG):
        work.next_log()
    for _ in choose.several(1, 4):
        _use_created(work, choose.one_of((*made, first)), cast)
    work.group(work.change_by_statement([made[0]]))
    work.group(work.create(CreateTable(ruled[0], like=cast.near)))
    work.group(work.row_transaction([made[0]]))
    work.end()


def _use_created(work: TableWork, table: TableName, cast: Cast) -> None:
    kind = work.choose.integer(0, 5)
    if kind == 5:
        # A rule is about a name: it holds for another table that gets it.
        work.group(work.drop([table]))
        work.group(work.create(CreateTable(table)))
    elif kind == 4:
        work.group(work.change_by_statement([cast.near, table]))
    elif kind == 3:
        for pieces in work.create_select(table):
            work.group(pieces)
    else:
        work.group(work.change_by_statement([table]) if kind else work.transaction([table]))


def _made_from(stream: StreamBuilder, table: TableName, source: TableName, other: TableName) -> CreateTable:
    """Return a CREATE TABLE from a table, which is the only source, the first, the last or between two others."""
    shape, words = stream.vary(_SHAPES), stream.vary(_WORDS)
    another = TableName(other.database, f"{other.name[:8]}2")
    sources = {"the first": (source, other), "the last": (other, source), "in the middle": (other, source, another)}
    return CreateTable(
        table,
        like=source if shape == "LIKE" else None,
        sources=() if shape == "LIKE" else sources.get(shape, (source,)),
        selects=shape != "LIKE",
        temporary="TEMPORARY" in words,
        if_not_exists="IF NOT EXISTS" in words,
    )
