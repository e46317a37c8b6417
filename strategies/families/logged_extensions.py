"""Scenarios for servers with features that never shipped: tables info (WL#40), boundary markers (WL#4162)."""

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
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_steps import take_step

_WORKLOG: Final = Profiles("worklog")


@asking_family(focus="WL40-OPTION-ON-ALL-EXTENDED", profiles=_WORKLOG)
def logged_tables_info(choose: Chooser, server: Server) -> Question:
    """Statements before WL#7592 with tables info in every Query event, or in none, over several logs and sessions."""
    extended = not choose.yes(4)
    settings = settings_of(
        choose,
        server.profile,
        gtid_mode="OFF",
        before_wl7592=True,
        binlog_with_tables_info=extended,
        binlog_format=choose.one_of(("ROW", "STATEMENT")),
    )
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0, use=choose.yes())
    for _ in range(2):
        scenario.do(CreateTable(table=scenario.new_name()), *_created(scenario, "PLAIN"))
    scenario.insert(scenario.base_tables()[0].name)
    for _ in choose.several(3, 8):
        choose.one_of(_TABLE_STEPS)(scenario)
    _create_like(scenario)
    _create_select(scenario)
    if extended:
        scenario.mark_everywhere("WL40-OPTION-ON-ALL-EXTENDED", "WL40-OPTION-GLOBAL-READ-ONLY")
    else:
        scenario.mark_everywhere("WL40-OPTION-OFF-USUAL")
    return scenario.question()


def _extended(scenario: LogQuestion) -> bool:
    return scenario.server.settings.binlog_with_tables_info


def _created(scenario: LogQuestion, shape: str) -> tuple[str, ...]:
    """Return the requirements on the list of a CREATE TABLE of a shape."""
    if not _extended(scenario):
        return ()
    if scenario.server.settings.binlog_format == "STATEMENT":
        return (f"WL40-CREATE-SBR-{shape}", "WL40-CREATE-SBR-AS-IS", "WL40-CREATE-SHAPES", "WL40-LIST-EACH-TABLE")
    return (f"WL40-CREATE-RBR-{shape}",)


def _create(scenario: LogQuestion) -> None:
    choose = scenario.choose
    name = scenario.new_name()
    temporary = choose.yes(3)
    statement = CreateTable(table=name, temporary=temporary, if_not_exists=choose.yes(3))
    scenario.do(statement, *(() if _is_unlogged(scenario, temporary=temporary) else _created(scenario, "PLAIN")))


def _is_unlogged(scenario: LogQuestion, *, temporary: bool) -> bool:
    """Return whether a statement is not logged because it creates a temporary table in row format."""
    unlogged = temporary and scenario.server.settings.binlog_format == "ROW"
    if unlogged and _extended(scenario):
        scenario.mark_everywhere("WL40-CREATE-RBR-TEMPORARY-NOT-LOGGED", "WL40-CREATE-RBR-TEMPORARY")
    return unlogged


def _create_like(scenario: LogQuestion) -> None:
    choose = scenario.choose
    as_rows = scenario.server.settings.binlog_format == "ROW"
    if not scenario.server.session(1).temporary and choose.yes():
        scenario.create(engine="innodb", temporary=True)
        _is_unlogged(scenario, temporary=True)
    like = choose.one_of(scenario.tables(1)[::-1])
    temporary = choose.yes(4)
    statement = CreateTableLike(table=scenario.new_name(), like=like.name, temporary=temporary)
    scenario.do(statement)
    if _is_unlogged(scenario, temporary=temporary):
        return
    if as_rows and like.temporary and _extended(scenario):
        scenario.mark("WL40-CREATE-RBR-LIKE-TRANSFORMED", "WL40-CREATE-RBR-LIKE-TEMPORARY")
    else:
        scenario.mark(*_created(scenario, "LIKE"))


def _create_select(scenario: LogQuestion) -> None:
    choose = scenario.choose
    sources = tuple(choose.one_of(scenario.base_tables()).name for _ in choose.several(1, 3))
    temporary = choose.yes(4)
    scenario.do(CreateTableSelect(table=scenario.new_name(), sources=sources, temporary=temporary))
    if _is_unlogged(scenario, temporary=temporary):
        return
    scenario.mark(*_created(scenario, "SELECT"))
    if scenario.server.settings.binlog_format == "ROW" and _extended(scenario):
        scenario.mark(
            "WL40-CREATE-RBR-SELECT-TRANSFORMED",
            "WL40-CREATE-SELECT-SEQUENCE",
            "WL40-CREATE-SELECT-SAME-LIST",
            "WL40-CREATE-SELECT-TABLE-MAP",
        )


def _rename(scenario: LogQuestion) -> None:
    choose = scenario.choose
    own = scenario.server.session(1).temporary
    names = [table.name for table in scenario.base_tables() if table.name not in own]
    marks = ("WL40-RENAME-LEFT-SIDE",) if _extended(scenario) else ()
    shape = choose.integer(0, 2)
    if shape == 0 and len(names) > 1:
        one, two = names[:2]
        middle = scenario.new_name()
        more = ("WL40-RENAME-SKIP-TARGETS", "WL40-RENAME-SWAP") if marks else ()
        scenario.do(RenameTable(pairs=((one, middle), (two, one), (middle, two))), *marks, *more)
    elif shape == 1 and names:
        middle, last = scenario.new_name(), scenario.new_name()
        scenario.do(RenameTable(pairs=((choose.one_of(names), middle), (middle, last))), *marks)
        scenario.mark(*("WL40-RENAME-SKIP-TARGETS" for _ in marks))
    elif names:
        scenario.do(RenameTable(pairs=((choose.one_of(names), scenario.new_name()),)), *marks)


def _insert(scenario: LogQuestion) -> None:
    scenario.insert(scenario.choose.one_of(scenario.base_tables()).name)
    if scenario.server.settings.binlog_format == "STATEMENT" and _extended(scenario):
        scenario.mark("WL40-LIST-EACH-TABLE")


def _next_log(scenario: LogQuestion) -> None:
    scenario.do(FlushLogs() if scenario.choose.yes() else Restart())
    if scenario.choose.yes():
        scenario.do(Use(database=DATABASES[0]))


def _other_session(scenario: LogQuestion) -> None:
    table: TableName = scenario.choose.one_of(scenario.base_tables()).name
    scenario.do(Insert(table=table, values=(3,), session=2))


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
    """Scenarios of all kinds, under every setting, on a server that marks transaction boundaries in the flags."""
    old = choose.yes()
    fixed = {"gtid_mode": "OFF"} if old else {}
    scenario = LogQuestion(
        choose, settings_of(choose, server.profile, boundary_markers=True, before_wl7592=old, **fixed)
    )
    scenario.open(tables=0)
    for _ in range(2):
        name = scenario.create(engine=choose.one_of(("innodb", "myisam")), auto_increment=choose.yes())
        scenario.insert(name, rows=1)
    for _ in choose.several(1, 6):
        if choose.yes(4):
            scenario.do(SetUserVariable(value=choose.integer(0, 9)))
            source = scenario.base_tables()
            if source:
                sources = (source[0].name,)
                scenario.do(CreateTableSelect(table=scenario.new_name(), sources=sources, with_variable=True))
        else:
            take_step(scenario)
    scenario.mark_everywhere(*_MARKED)
    scenario.mark_boundaries()
    return scenario.question()
