"""Streams for filters (WL#40, section 4.1): transactions and XA transactions of which all, some or no parts pass."""

from collections.abc import Sequence
from typing import Final

from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.statement import FilteredStatement
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.events.server_events import incident
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import set_rules
from conformance.strategies.scenarios.ruled_tables import passes
from conformance.strategies.scenarios.table_names import CASTS
from conformance.strategies.scenarios.table_work import Piece, TableWork, XaName

_WORKLOG: Final = Profiles("worklog")

#: How many statements a transaction has.
_CHANGES: Final = Dimension("statements of the transaction", {"3": 3, "4": 4, "20": 20, "none": 0})
_WITH_CHANGES: Final = {"statements of the transaction": ("3", "4", "20")}
#: Which of them pass.
_PASSING: Final = choices(
    "statements that pass",
    (
        "the last alone",
        "the first alone",
        "one in the middle",
        "all but the last",
        "all but the first",
        "all but one in the middle",
        "none",
        "all",
    ),
    when=_WITH_CHANGES,
)
_FORMAT: Final = choices(
    "format of the statements", ("statement", "statement after its context", "row", "both"), when=_WITH_CHANGES
)
#: A statement whose list is empty passes whatever the rules are, and keeps its group.
_TABLELESS: Final = choices(
    "statement without tables", ("none", "before the others", "after the others"), when=_WITH_CHANGES
)
#: Events in the middle of the transaction that do not end it, and that no rule for tables is about.
_WITHIN: Final = choices("in the middle", ("nothing", "SAVEPOINT and ROLLBACK TO", "an Incident"), when=_WITH_CHANGES)
#: The blocks of a file whose LOAD DATA failed come before a Delete_file, and belong to no statement.
_DISCARDED: Final = choices(
    "file that is discarded", ("none", "before the others", "after the others"), when=_WITH_CHANGES
)
_END: Final = choices("end of the transaction", ("Xid", "COMMIT", "ROLLBACK"))
#: Whether there are do rules, and Gtid events: together they decide what may become of a group without statements.
_DOES_AND_MARKERS: Final = Dimension(
    "rules and Gtid events",
    {
        "ignore, without Gtid events": (False, False),
        "ignore, with Gtid events": (False, True),
        "do, without Gtid events": (True, False),
        "do, with Gtid events": (True, True),
    },
)


@family(
    focus=("WL40-FILTER-GROUP-WHOLE",),
    profiles=_WORKLOG,
    dimensions=(_CHANGES, _PASSING, _FORMAT, _TABLELESS, _WITHIN, _DISCARDED, _END, _DOES_AND_MARKERS),
)
def group_filters(stream: StreamBuilder) -> None:
    """A transaction of which all statements pass, some or none, or that has none, between two others, under rules."""
    count = stream.vary(_CHANGES)
    passing, form = (stream.vary(_PASSING), stream.vary(_FORMAT)) if count else ("none", "statement")
    tableless = stream.vary(_TABLELESS) if count else "none"
    discarded = stream.vary(_DISCARDED) if count else "none"
    end = stream.vary(_END)
    work, kept, dropped = _ruled_work(stream)
    work.group(work.rows_statement([kept]))
    pieces = _changes(work, [kept if each else dropped for each in passes(passing, count)], form)
    if count:
        pieces = _with_middle(work, pieces, stream.vary(_WITHIN))
    if tableless != "none":
        savepoint = work.statement("SAVEPOINT `s1`", FilteredStatement())
        pieces = [savepoint, *pieces] if tableless.startswith("before") else [*pieces, savepoint]
    if discarded != "none":
        file = work.discarded_file()
        pieces = [*file, *pieces] if discarded.startswith("before") else [*pieces, *file]
    work.group([work.begin_transaction(), *pieces, work.close(end)])
    work.group(work.rows_statement([dropped]))
    work.end()


def _with_middle(work: TableWork, pieces: list[Piece], what: str) -> list[Piece]:
    """Return the statements of a transaction with other events after the first of them, and the second."""
    if what == "nothing":
        return pieces
    ends = [at for at, piece in enumerate(pieces, 1) if piece.part.part is Part.STATEMENT or piece.part.statement_end]
    first, second = ends[0], ends[1]
    if what == "an Incident":
        lost = Piece(incident(work.stream), LogPart(Part.INCIDENT))
        return [*pieces[:first], lost, *pieces[first:]]
    set_, back = (work.statement(each, FilteredStatement()) for each in ("SAVEPOINT `s2`", "ROLLBACK TO `s2`"))
    return [*pieces[:first], set_, *pieces[first:second], back, *pieces[second:]]


def _ruled_work(stream: StreamBuilder) -> tuple[TableWork, TableName, TableName]:
    """Begin a log under rules for one table, and return the work, a table that passes and one that does not."""
    does, markers = stream.vary(_DOES_AND_MARKERS)
    cast = CASTS["plain"]
    ruled, other = cast.first, cast.second
    set_rules(stream, (ruled,), does=does, tables=TABLES_MODES[0], renames=RENAMES_MODES[0])
    kept, dropped = (ruled, other) if does else (other, ruled)
    work = TableWork(stream, markers=markers)
    work.begin(extended=True)
    return work, kept, dropped


def _changes(work: TableWork, tables: Sequence[TableName], form: str) -> list[Piece]:
    """Return a change of each of some tables, by statements, by rows or by both in turn."""
    pieces: list[Piece] = []
    for number, table in enumerate(tables):
        by_rows = form == "row" or (form == "both" and number % 2 == 1)
        context = form == "statement after its context"
        pieces += work.rows([table]) if by_rows else work.change_by_statement([table], context=context)
    return pieces


# --- XA transactions

#: How an XA transaction ends; in one phase no other statement follows.
_XA_END: Final = choices("end of the XA transaction", ("XA COMMIT", "XA ROLLBACK", "one phase", "none"))
#: Each has a fate of its own until its end comes, however many there are.
_SEVERAL: Final = "several others, kept and dropped"
#: What is between XA_prepare and the end.
_XA_BETWEEN: Final = choices(
    "before the end of the XA transaction",
    ("nothing", "another transaction", "another that is dropped", "another that is kept", "another log", _SEVERAL),
    when={"end of the XA transaction": ("XA COMMIT", "XA ROLLBACK")},
)
#: The end of a transaction that began before the log, of which a filter knows nothing.
_XA_EARLIER: Final = choices("end of an earlier XA transaction", ("none", "XA COMMIT", "XA ROLLBACK"))
#: A name is free again once its transaction has ended.
_XA_AGAIN: Final = choices(
    "another transaction of the same name",
    ("none", "one that is kept", "one that is dropped"),
    when={"end of the XA transaction": ("XA COMMIT", "XA ROLLBACK")},
)
_ANOTHER: Final = ("another that is dropped", "another that is kept")
#: The part in which its name differs from that of the other transaction.
_XA_APART: Final = Dimension(
    "names of the XA transactions differ in",
    {
        "the global part": (XaName(), XaName(b"x2")),
        "the branch": (XaName(), XaName(bqual=b"x2")),
        "the format": (XaName(), XaName(format_id=2)),
        "the last of 128 bytes": (XaName(b"x" * 64, b"x" * 64), XaName(b"x" * 64, b"x" * 63 + b"y")),
        "where the branch begins": (XaName(b"x", b"12"), XaName(b"x1", b"2")),
    },
    when={"before the end of the XA transaction": _ANOTHER},
)


@family(
    focus=("FORMAT-FILTER-XA",),
    profiles=_WORKLOG,
    dimensions=(
        _CHANGES,
        _PASSING,
        _FORMAT,
        _XA_END,
        _XA_BETWEEN,
        _XA_APART,
        _XA_AGAIN,
        _XA_EARLIER,
        _DOES_AND_MARKERS,
    ),
)
def xa_filters(stream: StreamBuilder) -> None:
    """An XA transaction of which all statements pass, some or none, and the end of it later in the log, under rules."""
    count = stream.vary(_CHANGES)
    passing, form = (stream.vary(_PASSING), stream.vary(_FORMAT)) if count else ("none", "statement")
    end = stream.vary(_XA_END)
    between = stream.vary(_XA_BETWEEN) if end.startswith("XA") else "nothing"
    name, other = stream.vary(_XA_APART) if between in _ANOTHER else (XaName(), XaName())
    again = stream.vary(_XA_AGAIN) if end.startswith("XA") else "none"
    earlier = stream.vary(_XA_EARLIER)
    work, kept, dropped = _ruled_work(stream)
    if earlier != "none":
        work.group(work.xa_finish(XaName(b"earlier"), earlier))
    pieces = _changes(work, [kept if each else dropped for each in passes(passing, count)], form)
    work.group(work.xa_transaction(name, pieces, one_phase=end == "one phase"))
    if between == "another log":
        work.next_log()
    elif between == "another transaction":
        work.group(work.rows_statement([kept]))
    elif between in _ANOTHER:
        table = kept if between.endswith("kept") else dropped
        work.group(work.xa_transaction(other, work.change_by_statement([table])))
    others = [XaName(f"other{number}".encode()) for number in range(4 if between == _SEVERAL else 0)]
    for each, table in zip(others, (kept, dropped, dropped, kept), strict=False):
        work.group(work.xa_transaction(each, work.change_by_statement([table])))
    if end.startswith("XA"):
        work.group(work.xa_finish(name, end))
    for each in [other] if between in _ANOTHER else others:
        work.group(work.xa_finish(each, "XA COMMIT"))
    if again != "none":
        table = kept if again.endswith("kept") else dropped
        work.group(work.xa_transaction(name, work.change_by_statement([table])))
        work.group(work.xa_finish(name, "XA COMMIT"))
    work.group(work.rows_statement([kept]))
    work.end()
