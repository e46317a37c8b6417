"""Random scenarios: everything that the model of a logging server can do, step by step."""

from collections.abc import Callable
from typing import Final

from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.models.server.options import SPELLINGS
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import BINLOG_FORMATS, GTID_MODES, Settings
from conformance.models.server.statements import (
    SET_FORMS,
    AlterTable,
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    InsertGtids,
    Maintain,
    PurgeLogs,
    RenameTable,
    Restart,
    Rollback,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    Use,
)
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.scenarios.scenario import ENGINES, ScenarioBuilder


def _transaction(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    builder.do(Begin())
    names: list[str] = []
    for number in choose.several(0, 5, end_in=5):
        tables = builder.tables(1)
        step = choose.integer(0, 7)
        if step == 0:
            names.append(f"s{number % 2}")
            builder.do(Savepoint(name=names[-1]))
        elif step == 1 and names:
            builder.do(RollbackTo(name=choose.one_of(names)))
        elif step == 2:
            _temporary(builder)
        elif tables:
            builder.change(tables)
    builder.do(Rollback() if choose.yes(3) else Commit())


def _change(builder: ScenarioBuilder) -> None:
    session = builder.choose.one_of((1, 2))
    tables = builder.tables(session)
    if tables:
        builder.change(tables, session=session)


def _both_engines(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    inside = choose.yes()
    if inside:
        builder.do(Begin())
    for _ in choose.several(1, 3):
        if choose.yes() or not builder.base_tables():
            builder.change_both_engines()
        else:
            builder.change(builder.base_tables())
    if inside:
        builder.do(Rollback() if choose.yes(3) else Commit())


def _two_sessions(builder: ScenarioBuilder) -> None:
    """Insert into one table from two sessions alternately; with other changes one would wait for the other."""
    choose = builder.choose
    tables = builder.base_tables()
    if not tables:
        return
    table = choose.one_of(tables).name
    for session in (1, 2):
        if choose.yes():
            builder.do(Begin(session=session))
    for _ in choose.several(2, 5):
        builder.insert(table, session=choose.one_of((1, 2)))
    for session in choose.one_of(((1, 2), (2, 1))):
        builder.do(Rollback(session=session) if choose.yes(3) else Commit(session=session))


def _create(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.base_tables()
    if tables and choose.yes(4):
        existing = choose.one_of(tables)
        builder.do(CreateTable(table=existing.name, engine=existing.engine, if_not_exists=choose.yes()))
    else:
        builder.create(auto_increment=choose.yes(3), if_not_exists=choose.yes(4))


def _create_like(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.tables(1)
    if tables:
        builder.do(CreateTableLike(table=builder.new_name(), like=choose.one_of(tables).name, temporary=choose.yes(4)))


def _create_select(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.base_tables()
    if tables:
        sources = tuple(choose.one_of(tables).name for _ in choose.several(1, 2))
        context = {"with_variable": choose.yes(4), "with_rand": choose.yes(4)}
        engine = choose.one_of(ENGINES)
        builder.do(CreateTableSelect(table=builder.new_name(), sources=sources, engine=engine, **context))


def _temporary(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    own = list(builder.server.session(1).temporary)
    if own and choose.yes():
        builder.do(DropTable(tables=(choose.one_of(own),), temporary=True, if_exists=choose.yes()))
    else:
        builder.create(temporary=True)


def _drop(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    names = [table.name for table in builder.tables(1)]
    if not names:
        return
    chosen = [choose.one_of(names) for _ in choose.several(1, 5)]
    missing = [builder.new_name()] if choose.yes(4) else []
    # The order in which a server looks for tables does not affect what it logs.
    tables = tuple(dict.fromkeys([*chosen, *missing]))
    builder.do(DropTable(tables=tables, if_exists=choose.yes()))


def _rename(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    names = [table.name for table in builder.base_tables() if table.name not in builder.server.session(1).temporary]
    if len(names) > 1 and choose.yes(3):
        one, two = names[:2]
        middle = builder.new_name()
        builder.do(RenameTable(pairs=((one, middle), (two, one), (middle, two))))
    elif names:
        builder.do(RenameTable(pairs=((choose.one_of(names), builder.new_name()),)))


def _alter(builder: ScenarioBuilder) -> None:
    names = [table.name for table in builder.base_tables() if table.name not in builder.server.session(1).temporary]
    if names:
        builder.do(AlterTable(table=builder.choose.one_of(names)))


def _maintain(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    names = [table.name for table in builder.base_tables() if table.name not in builder.server.session(1).temporary]
    missing = builder.new_name()
    action = choose.one_of(("optimize", "analyze", "repair", "checksum"))
    builder.do(Maintain(action=action, table=choose.one_of([missing, *names])))


def _second_database(builder: ScenarioBuilder) -> None:
    choose, name = builder.choose, builder.databases[1]
    if name in builder.server.databases:
        builder.do(DropDatabase(database=name, obstructed=choose.yes()))
        return
    builder.do(CreateDatabase(database=name))
    for _ in choose.several(0, 3):
        table = builder.new_name(name)
        builder.do(CreateTable(table=table, engine=choose.one_of(ENGINES)))


def _session_variable(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    if choose.yes() and builder.server.settings.profile in WITH_ROWS_QUERIES:
        value = choose.one_of(("ON", "OFF", "YES"))
        spelling = choose.one_of(("", *SPELLINGS.get(value, ())))
        form = choose.one_of(SET_FORMS)
        builder.do(SetSession(variable="binlog_rows_query_log_events", value=value, spelling=spelling, form=form))
    elif not builder.server.session(1).temporary:
        builder.do(SetSession(variable="binlog_format", value=choose.one_of(BINLOG_FORMATS)))


def _given_gtid(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    if builder.server.rules.gtid_events in ("never", "mariadb"):
        return
    next_gtid = builder.given_gtid() if choose.yes() else "ANONYMOUS"
    builder.do(SetSession(variable="gtid_next", value=next_gtid))
    # A session that owns a GTID, or the right to be anonymous, must use it before it sets another.
    choose.one_of((_change_alone, _create, _transaction, _alter) if builder.base_tables() else (_new_table,))(builder)
    builder.do(SetSession(variable="gtid_next", value="AUTOMATIC"))


def _new_table(builder: ScenarioBuilder) -> None:
    builder.create()


def _change_alone(builder: ScenarioBuilder) -> None:
    tables = builder.base_tables()
    if tables:
        builder.insert(builder.choose.one_of(tables).name)


def _next_gtid_mode(builder: ScenarioBuilder) -> None:
    rules, mode = builder.server.rules, builder.server.settings.gtid_mode
    if rules.gtid_events != "always":
        return
    at = GTID_MODES.index(mode)
    step = builder.choose.one_of((1, -1))
    builder.do(SetGlobal(variable="gtid_mode", value=GTID_MODES[min(max(at + step, 0), len(GTID_MODES) - 1)]))


def _checksum(builder: ScenarioBuilder) -> None:
    if builder.server.server.checksums:
        builder.do(SetGlobal(variable="binlog_checksum", value=builder.choose.one_of(("CRC32", "NONE"))))


def _flush(builder: ScenarioBuilder) -> None:
    builder.do(FlushLogs())


def _purge(builder: ScenarioBuilder) -> None:
    # MariaDB keeps logs that recovery may need, which depends on when its engines have written what they hold.
    if _has_gtids(builder):
        builder.do(PurgeLogs(to=builder.choose.one_of([log.number for log in builder.server.logs])))


def _has_gtids(builder: ScenarioBuilder) -> bool:
    return builder.server.rules.gtid_events in ("numbered", "always")


def _set_of_gtids(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    tables = builder.base_tables()
    if _has_gtids(builder) and tables:
        sets = {"gtid_executed": builder.server.executed, "gtid_purged": builder.server.purged}
        variable = choose.one_of(sorted(sets))
        gtids = str(sets[choose.one_of(sorted(sets))].gtids())
        builder.do(InsertGtids(table=choose.one_of(tables).name, variable=variable, gtids=gtids))


def _global_option(builder: ScenarioBuilder) -> None:
    choose = builder.choose
    if builder.server.settings.profile in WITH_ROWS_QUERIES:
        value = choose.one_of(("ON", "OFF", "2"))
        spelling = choose.one_of(("", *SPELLINGS.get(value, ())))
        form = choose.one_of(SetGlobal.forms)
        builder.do(SetGlobal(variable="binlog_rows_query_log_events", value=value, spelling=spelling, form=form))


def _end_session(builder: ScenarioBuilder) -> None:
    builder.do(Disconnect())
    builder.do(Use(database=builder.databases[0]))


def _restart(builder: ScenarioBuilder) -> None:
    # How a server that shuts down treats temporary tables is not judged here.
    for number in list(builder.server.sessions):
        builder.do(Disconnect(session=number))
    builder.do(Crash() if builder.choose.yes() else Restart())
    builder.do(Use(database=builder.databases[0]))


#: The steps of a random scenario, the most common ones listed more than once.
_STEPS: Final[tuple[Callable[[ScenarioBuilder], None], ...]] = (
    _change, _change, _change, _transaction, _transaction, _transaction, _create, _create_like, _create_select,
    _create_select, _temporary, _temporary, _drop, _drop, _rename, _alter, _maintain, _second_database,
    _session_variable, _session_variable, _given_gtid, _given_gtid, _next_gtid_mode, _checksum, _flush, _flush,
    _purge, _set_of_gtids, _global_option, _end_session,
)  # fmt: skip


def take_step(builder: ScenarioBuilder) -> None:
    """Add one step of a random scenario."""
    builder.choose.one_of(_STEPS)(builder)


#: GTIDs that a new server takes as purged, of another source and its own.
_PURGED: Final = ("00000000-0000-0000-0000-000000000001:1-5:7", "{own}:1-3", "{own}:2-3")


def random_scenario(choose: Chooser, settings: Settings, *, steps: int = 12, restarts: bool = False) -> Scenario:
    """Return a scenario of everything that the model can do except what `scenario_of_both` is for.

    Args:
        choose: The chooser.
        settings: The settings of the server.
        steps: The most steps; a step is one statement or several that belong together.
        restarts: Whether the server may be restarted in it.
    """
    builder = ScenarioBuilder(choose, settings)
    if settings.gtid_mode == "ON" and choose.yes():
        builder.do(SetGtidPurged(gtids=choose.one_of(_PURGED).format(own=settings.server_uuid)))
    builder.open(tables=2)
    for _ in choose.several(1, steps, end_in=8):
        take_step(builder)
        if restarts and choose.yes(6):
            _restart(builder)
    return builder.scenario


#: The steps of a scenario of both engines and two sessions. No worklog has rules on how such statements are logged, so
#: no family asks about them.
_TOGETHER: Final = (_both_engines, _both_engines, _two_sessions, _change, _session_variable)


def scenario_of_both(choose: Chooser, settings: Settings) -> Scenario:
    """Return a scenario of statements on tables of both engines, and of two sessions that use one table.

    Args:
        choose: The chooser.
        settings: The settings of the server.
    """
    builder = ScenarioBuilder(choose, settings)
    builder.open(tables=0)
    for engine in ENGINES * 2:
        builder.insert(builder.create(engine=engine), rows=1)
    for _ in choose.several(1, 6):
        choose.one_of(_TOGETHER)(builder)
    return builder.scenario
