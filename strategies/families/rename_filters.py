"""Streams for filters (WL#40, section 6): tables that are renamed, alone or together with others, and swaps."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from conformance.models.filtering.statement import CreateTable
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES
from conformance.models.filtering.table_name import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.dimension import Dimension, Impossible, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.questions.filter import set_rules
from conformance.strategies.scenarios.ruled_tables import DEFAULT, DOES, MARKERS, SOME_NAMES, SPELLING, default_database
from conformance.strategies.scenarios.table_names import CASTS, Cast
from conformance.strategies.scenarios.table_work import RENAME_WORDS, TableWork

_WORKLOG: Final = Profiles("worklog")
_Pair = tuple[TableName, TableName]

#: The names that a table has one after another, by their places in the list of names; the rule is for the first.
_ROUTES: Final = Dimension(
    "route",
    {
        "away and back": (0, 1, 0),
        "away": (0, 1),
        "twice away": (0, 1, 2),
        "twice away and back": (0, 1, 2, 0),
        "away, back and away": (0, 1, 0, 1),
        "away, on and half back": (0, 1, 2, 1),
        "three times away": (0, 1, 2, 3),
        "a swap": (),
    },
)
_RENAMES: Final = choices("renames", RENAMES_MODES)
#: The places on the route of the name with the rule: the table begins with it, or comes to it.
_RULED_NAME: Final = Dimension(
    "name with the rule",
    {"the first": 0, "the second": 1},
    when={"route": tuple(name for name, places in _ROUTES.classes.items() if places)},
)
#: A table that is dropped takes the names that it had with it: one that is created with the last of them is another.
_AFTERWARDS: Final = choices(
    "the last name afterwards",
    ("kept", "dropped and created", "dropped and created if not there"),
    when={"route": tuple(name for name, places in _ROUTES.classes.items() if places)},
)
_ACROSS: Final = yes_or_no("to another database")
_BETWEEN: Final = yes_or_no("renames of others between")
_WORD: Final = choices("word after RENAME", RENAME_WORDS)
#: The text of a statement names other tables with another default database.
_SAME_TEXT: Final = yes_or_no(
    "the same text in another database before",
    when={
        "route": tuple(name for name, places in _ROUTES.classes.items() if places),
        "to another database": ("no",),
        "default database": ("of the tables",),
    },
)
_NO_LIST: Final = Impossible(
    {"renames": ("list",), "rules": ("ignore",)}, "the worklog speaks of a list of renamings with do rules"
)


@family(
    focus=("WL40-DATA-ORDER", "WL40-FILTER-RENAME-FIRST"),
    profiles=_WORKLOG,
    dimensions=(
        *(_ROUTES, _RULED_NAME, _AFTERWARDS, _RENAMES, DOES, _ACROSS, _BETWEEN),
        *(SOME_NAMES, MARKERS, DEFAULT, SPELLING, _WORD, _SAME_TEXT),
    ),
    impossible=(_NO_LIST,),
)
def rename_filters(stream: StreamBuilder) -> None:
    """A table that is renamed, on and back again, and dropped, with work on its names; and swaps by a third name."""
    cast, route = stream.vary(SOME_NAMES), stream.vary(_ROUTES)
    first, second = cast[:2]
    renames, does = stream.vary(_RENAMES), stream.vary(DOES)
    across, between = stream.vary(_ACROSS), stream.vary(_BETWEEN)
    names = _names(cast, route, across=across)
    ruled = (names[stream.vary(_RULED_NAME)],) if route else (first, second)
    set_rules(stream, ruled, does=does, tables=TABLES_MODES[0], renames=renames)
    work = TableWork(stream, markers=stream.vary(MARKERS))
    work.begin(extended=True)
    work.database = default_database(cast, stream.vary(DEFAULT))
    work.spelling = stream.vary(SPELLING)
    work.rename_word = stream.vary(_WORD)
    if route:
        if not across and work.database == first.database and stream.vary(_SAME_TEXT):
            work.database = cast.elsewhere.database
            alike = [TableName(work.database, each.name) for each in names[:2]]
            work.group(work.rename((alike[0], alike[1])))
            work.database = first.database
        # A table without a rule, which has or had no other name.
        others = _Others(work, "between" if between else "none", [TableName(first.database, "w")])
        _follow_route(work, names, 1, others)
        _end_route(work, names[-1], stream.vary(_AFTERWARDS))
    else:
        middle = TableName(cast.elsewhere.database if across else first.database, "tmp")
        work.group(work.rename((first, middle), (second, first), (middle, second)))
        for table in (first, second):
            work.group(work.change_by_statement([table]))
    work.group(work.row_transaction([first]))
    work.end()


#: The routes of several renamings in one statement.
_JOINT_ROUTES: Final = Dimension(
    "route",
    {name: _ROUTES.classes[name] for name in ("away", "twice away", "twice away and back", "three times away")},
)
#: How many renamings of the table one statement has at most.
_STEPS: Final = Dimension("renamings of the table in a statement", {"one": 1, "two": 2, "three": 3})
#: Where other tables are renamed in it.
_PLACE: Final = choices("renames of others in a statement", ("before", "after", "before and after", "none"))
_WITH_OTHERS: Final = ("before", "after", "before and after")
#: Whether what a filter remembers of a log is needed in the next one, as in a relay log.
_LOG_BETWEEN: Final = yes_or_no("another log after the first renaming")
#: A do rule lets a statement pass only if it covers every table that the statement renames.
_OTHERS_RULED: Final = Dimension(
    "others have do rules",
    {"yes": True, "no": False},
    when={"renames of others in a statement": _WITH_OTHERS, "rules": ("do",)},
)


@family(
    focus=("WL40-FILTER-RENAME-FOLLOWS",),
    profiles=_WORKLOG,
    dimensions=(
        *(_JOINT_ROUTES, _RENAMES, DOES, _ACROSS, _STEPS, _PLACE, _OTHERS_RULED, _LOG_BETWEEN),
        *(MARKERS, DEFAULT, SPELLING),
    ),
    impossible=(_NO_LIST,),
)
def joint_rename_filters(stream: StreamBuilder) -> None:
    """RENAME TABLE statements of several pairs: several names of one table, and other tables before and after it."""
    cast, route = CASTS["plain"], stream.vary(_JOINT_ROUTES)
    renames, does, across = stream.vary(_RENAMES), stream.vary(DOES), stream.vary(_ACROSS)
    steps, place = stream.vary(_STEPS), stream.vary(_PLACE)
    others = [TableName(cast.first.database, "w"), TableName((cast.elsewhere if across else cast.first).database, "x")]
    covered = does and place in _WITH_OTHERS and stream.vary(_OTHERS_RULED)
    ruled = (cast.first, *others) if covered else (cast.first,)
    set_rules(stream, ruled, does=does, tables=TABLES_MODES[0], renames=renames)
    work = TableWork(stream, markers=stream.vary(MARKERS))
    work.begin(extended=True)
    work.database = default_database(cast, stream.vary(DEFAULT))
    work.spelling = stream.vary(SPELLING)
    names, log_between = _names(cast, route, across=across), stream.vary(_LOG_BETWEEN)
    _follow_route(work, names, steps, _Others(work, place, others), log_between=log_between)
    work.group(work.row_transaction([cast.first]))
    work.end()


def _names(cast: Cast, route: Sequence[int], *, across: bool) -> list[TableName]:
    """Return the names on a route."""
    away = cast.elsewhere if across else TableName(cast.first.database, "s")
    names = (cast.first, away, cast.near, cast.third)
    return [names[place] for place in route]


class _Others:
    """Renames other tables to and fro.

    Args:
        work: The work of the stream.
        place: Where they are renamed: ``between`` the statements, in a statement as in `_PLACE`, or not at all.
        tables: The tables; two of them if they are renamed in a statement.
    """

    def __init__(self, work: TableWork, place: str, tables: Sequence[TableName]) -> None:
        self._work = work
        self._place = place
        self._names = [(each, TableName(each.database, f"{each.name}2")) for each in tables]

    def with_others(self, pairs: Sequence[_Pair]) -> list[_Pair]:
        """Return the renamings of a statement, with those of other tables before and after them."""
        before = [self._next(0)] if self._place in ("before", "before and after") else []
        after = [self._next(1)] if self._place in ("after", "before and after") else []
        if self._place == "between":
            self._work.group(self._work.rename(self._next(0)))
        return [*before, *pairs, *after]

    def _next(self, which: int) -> _Pair:
        pair = self._names[which]
        self._names[which] = pair[::-1]
        return pair

    def work_on(self) -> None:
        """Add work on the names that other tables have by now, if they were renamed."""
        if self._place not in ("none", "between"):
            for name, _ in self._names:
                self._work.group(self._work.change_by_statement([name]))


def _follow_route(
    work: TableWork, names: Sequence[TableName], steps: int, others: _Others, *, log_between: bool = False
) -> None:
    _work(work, names[0])
    pairs = list(pairwise(names))
    for at in range(0, len(pairs), steps):
        together = pairs[at : at + steps]
        work.group(work.rename(*others.with_others(together)))
        old, new = together[0][0], together[-1][1]
        if log_between and not at:
            work.next_log()
        _work(work, new)
        if old != new and work.choose.yes(4):
            # Another table has the name by now.
            _work(work, old)
            work.group(work.rename((old, TableName(names[0].database, "u"))))
    others.work_on()


def _end_route(work: TableWork, name: TableName, afterwards: str) -> None:
    if afterwards == "kept":
        return
    work.group(work.drop([name]))
    work.group(work.create(CreateTable(name, if_not_exists=afterwards.endswith("if not there"))))
    work.group(work.change_by_statement([name]))


def _work(work: TableWork, table: TableName) -> None:
    for _ in work.choose.several(1, 2):
        work.group(work.change_by_statement([table]) if work.choose.yes() else work.transaction([table]))
