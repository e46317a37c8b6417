"""Scenarios for servers with what never shipped: tables info (WL#40) and boundary markers (WL#4162)."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.servers import Server
from conformance.models.server.statements import (
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    FlushLogs,
    Insert,
    RenameTable,
    Restart,
    SetUserVariable,
    Use,
)
from conformance.models.server.tables import TableName
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_steps import take_step

_WORKLOG: Final = ("worklog",)


@asking_family(focus="WL40-OPTION-ON-ALL-EXTENDED", profiles=_WORKLOG)
def logged_tables_info(choose: Chooser, server: Server) -> Question:
    """Statements of the old form with tables info in every Query event, or in none, over several logs and sessions."""
    extended = not choose.yes(4)
    settings = settings_of(
        choose,
        server.profile,
        gtid_mode="OFF",
        before_wl7592=True,
        binlog_with_tables_info=extended,
        binlog_format=choose.one_of(("ROW", "STATEMENT")),
    )
    asked = LogQuestion(choose, settings)
    asked.open(tables=0, use=choose.yes())
    for _ in range(2):
        asked.do(CreateTable(table=asked.new_name()), *_created(asked, "PLAIN"))
    asked.insert(asked.base_tables()[0].name)
    for _ in choose.several(3, 8):
        choose.one_of(_TABLE_STEPS)(asked)
    _create_like(asked)
    _create_select(asked)
    if extended:
        asked.mark_everywhere("WL40-OPTION-ON-ALL-EXTENDED", "WL40-OPTION-GLOBAL-READ-ONLY")
    else:
        asked.mark_everywhere("WL40-OPTION-OFF-USUAL")
    return asked.question()


def _extended(asked: LogQuestion) -> bool:
    return asked.server.settings.binlog_with_tables_info


def _created(asked: LogQuestion, shape: str) -> tuple[str, ...]:
    """Return the requirements on the list of a CREATE TABLE of a shape."""
    if not _extended(asked):
        return ()
    if asked.server.settings.binlog_format == "STATEMENT":
        return (f"WL40-CREATE-SBR-{shape}", "WL40-CREATE-SBR-AS-IS", "WL40-CREATE-SHAPES", "WL40-LIST-EACH-TABLE")
    return (f"WL40-CREATE-RBR-{shape}",)


def _create(asked: LogQuestion) -> None:
    choose = asked.choose
    name = asked.new_name()
    temporary = choose.yes(3)
    statement = CreateTable(table=name, temporary=temporary, if_not_exists=choose.yes(3))
    asked.do(statement, *(() if _is_unlogged(asked, temporary=temporary) else _created(asked, "PLAIN")))


def _is_unlogged(asked: LogQuestion, *, temporary: bool) -> bool:
    """Tell whether a statement is not logged, as it creates a temporary table in row format."""
    unlogged = temporary and asked.server.settings.binlog_format == "ROW"
    if unlogged and _extended(asked):
        asked.mark_everywhere("WL40-CREATE-RBR-TEMPORARY-NOT-LOGGED", "WL40-CREATE-RBR-TEMPORARY")
    return unlogged


def _create_like(asked: LogQuestion) -> None:
    choose = asked.choose
    as_rows = asked.server.settings.binlog_format == "ROW"
    if not asked.server.session(1).temporary and choose.yes():
        asked.create(engine="innodb", temporary=True)
        _is_unlogged(asked, temporary=True)
    like = choose.one_of(asked.tables(1)[::-1])
    temporary = choose.yes(4)
    statement = CreateTableLike(table=asked.new_name(), like=like.name, temporary=temporary)
    asked.do(statement)
    if _is_unlogged(asked, temporary=temporary):
        return
    if as_rows and like.temporary and _extended(asked):
        asked.mark("WL40-CREATE-RBR-LIKE-TRANSFORMED", "WL40-CREATE-RBR-LIKE-TEMPORARY")
    else:
        asked.mark(*_created(asked, "LIKE"))


def _create_select(asked: LogQuestion) -> None:
    choose = asked.choose
    sources = tuple(choose.one_of(asked.base_tables()).name for _ in choose.several(1, 3))
    temporary = choose.yes(4)
    asked.do(CreateTableSelect(table=asked.new_name(), sources=sources, temporary=temporary))
    if _is_unlogged(asked, temporary=temporary):
        return
    asked.mark(*_created(asked, "SELECT"))
    if asked.server.settings.binlog_format == "ROW" and _extended(asked):
        asked.mark(
            "WL40-CREATE-RBR-SELECT-TRANSFORMED",
            "WL40-CREATE-SELECT-SEQUENCE",
            "WL40-CREATE-SELECT-SAME-LIST",
            "WL40-CREATE-SELECT-TABLE-MAP",
        )


def _rename(asked: LogQuestion) -> None:
    choose = asked.choose
    own = asked.server.session(1).temporary
    names = [table.name for table in asked.base_tables() if table.name not in own]
    marks = ("WL40-RENAME-LEFT-SIDE",) if _extended(asked) else ()
    shape = choose.integer(0, 2)
    if shape == 0 and len(names) > 1:
        one, two = names[:2]
        middle = asked.new_name()
        more = ("WL40-RENAME-SKIP-TARGETS", "WL40-RENAME-SWAP") if marks else ()
        asked.do(RenameTable(pairs=((one, middle), (two, one), (middle, two))), *marks, *more)
    elif shape == 1 and names:
        middle, last = asked.new_name(), asked.new_name()
        asked.do(RenameTable(pairs=((choose.one_of(names), middle), (middle, last))), *marks)
        asked.mark(*("WL40-RENAME-SKIP-TARGETS" for _ in marks))
    elif names:
        asked.do(RenameTable(pairs=((choose.one_of(names), asked.new_name()),)), *marks)


def _insert(asked: LogQuestion) -> None:
    asked.insert(asked.choose.one_of(asked.base_tables()).name)
    if asked.server.settings.binlog_format == "STATEMENT" and _extended(asked):
        asked.mark("WL40-LIST-EACH-TABLE")


def _next_log(asked: LogQuestion) -> None:
    asked.do(FlushLogs() if asked.choose.yes() else Restart())
    if asked.choose.yes():
        asked.do(Use(database=DATABASES[0]))


def _other_session(asked: LogQuestion) -> None:
    table: TableName = asked.choose.one_of(asked.base_tables()).name
    asked.do(Insert(table=table, values=(3,), session=2))


_TABLE_STEPS: Final[tuple[Callable[[LogQuestion], None], ...]] = (
    _create, _create, _create_like, _create_like, _create_select, _create_select, _rename, _insert, _next_log,
    _other_session,
)  # fmt: skip

#: What a marked log shows as a whole.
_MARKED: Final = (
    "WL4162-MARKER-EVERY-EVENT",
    "WL4162-MARKER-IN-FILE",
    "WL4162-ALWAYS-ENABLED",
    "WL4162-VALUES-SIX-OF-EIGHT",
    "WL4162-MARKER-OTHER-FLAGS-KEPT",
)


@asking_family(focus="WL4162-MARKER-EVERY-EVENT", profiles=_WORKLOG)
def logged_markers(choose: Chooser, server: Server) -> Question:
    """Scenarios of everything, under every setting, on a server that marks transaction boundaries in the flags."""
    old = choose.yes()
    fixed = {"gtid_mode": "OFF"} if old else {}
    asked = LogQuestion(choose, settings_of(choose, server.profile, boundary_markers=True, before_wl7592=old, **fixed))
    asked.open(tables=0)
    for _ in range(2):
        name = asked.create(engine=choose.one_of(("innodb", "myisam")), auto_increment=choose.yes())
        asked.insert(name, rows=1)
    for _ in choose.several(1, 6):
        if choose.yes(4):
            asked.do(SetUserVariable(value=choose.integer(0, 9)))
            source = asked.base_tables()
            if source:
                sources = (source[0].name,)
                asked.do(CreateTableSelect(table=asked.new_name(), sources=sources, with_variable=True))
        else:
            take_step(asked)
    asked.mark_everywhere(*_MARKED)
    asked.mark_boundaries()
    return asked.question()
