"""Directed scenarios: one for each sentence of the worklogs on what servers log, each ended by a disconnect.

Tables t1 and t2 of the engine and `other` of the other one have two rows each before a scenario begins.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.servers import WITH_CHECKSUMS, WITH_ROWS_QUERIES
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import BINLOG_FORMATS, Settings
from conformance.models.server.statements import (
    AlterTable,
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    CreateTableLike,
    CreateTableSelect,
    Delete,
    Disconnect,
    DropDatabase,
    DropTable,
    FlushLogs,
    Insert,
    InsertGtids,
    InsertSelect,
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
    SetUserVariable,
    Statement,
    Update,
    UpdateTables,
    Use,
)
from conformance.models.server.tables import TRANSACTIONAL, TableName
from conformance.strategies.scenarios.scenario_dimensions import ALWAYS, NUMBERED

_SOURCE: Final = "00000000-0000-0000-0000-000000000001"
_GIVEN: Final = f"{_SOURCE}:1"
_T1, _T2, _OTHER, _NEW, _TEMPORARY, _MISSING = (
    TableName("d1", each) for each in ("t1", "t2", "other", "new", "temp", "missing")
)
_ELSEWHERE: Final = TableName("d2", "temp")


def _insert(table: TableName, *values: int, **arguments: Any) -> Insert:
    return Insert(table=table, values=values, **arguments)


def _insert_null(table: TableName) -> Insert:
    """Return an INSERT of a row that an UPDATE of the model leaves as it is: the user variable is unset."""
    return Insert(table=table, values=(), computed="variable")


def _drop(*tables: TableName, **arguments: Any) -> DropTable:
    return DropTable(tables=tables, **arguments)


def _temporary(table: TableName, engine: str) -> CreateTable:
    return CreateTable(table=table, engine=engine, temporary=True)


def _gtid_next(value: str) -> SetSession:
    return SetSession(variable="gtid_next", value=value)


def _format(value: str) -> SetSession:
    return SetSession(variable="binlog_format", value=value)


def _transactions() -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of transactions and savepoints: WL#4033, WL#7592 on groups, WL#3303 on engines."""
    one, two, plain = _insert(_T1, 5), _insert(_T2, 6), _insert(_OTHER, 7)
    place, back = Savepoint(name="s"), RollbackTo(name="s")
    return {
        "autocommit": (one, Update(table=_T1), Delete(table=_T1), Delete(table=_T1), Update(table=_T1)),
        "several tables": (InsertSelect(table=_T1, source=_T2), UpdateTables(first=_T1, second=_T2)),
        "both engines": (UpdateTables(first=_T1, second=_OTHER), InsertSelect(table=_T1, source=_OTHER)),
        "both engines, the first unchanged": (
            Delete(table=_T1), _insert_null(_T1), UpdateTables(first=_T1, second=_OTHER),
        ),
        "both engines, the second unchanged": (
            Delete(table=_OTHER), _insert_null(_OTHER), UpdateTables(first=_T1, second=_OTHER),
        ),
        "both engines inside, the first unchanged": (
            Delete(table=_T1), _insert_null(_T1), Begin(), two, UpdateTables(first=_T1, second=_OTHER), Commit(),
        ),
        "both engines inside, the second unchanged": (
            Delete(table=_OTHER), _insert_null(_OTHER), Begin(), UpdateTables(first=_T1, second=_OTHER), two, Commit(),
        ),
        "commit": (Begin(), one, two, Commit()),
        "commit of nothing": (Begin(), Commit()),
        "commit of both engines": (Begin(), one, plain, two, Commit()),
        "another default database inside": (
            CreateDatabase(database="d2"), Begin(), one, Use(database="d2"), plain, two, Rollback(),
        ),
        "commit, the other engine first": (Begin(), plain, one, Commit()),
        "rollback": (Begin(), one, two, Rollback()),
        "checksum table inside": (Begin(), one, Maintain(action="checksum", table=_T1), Rollback()),
        "rollback of both engines": (Begin(), one, plain, two, Rollback()),
        "rollback, the other engine first": (Begin(), plain, one, Rollback()),
        "end of the session inside": (Begin(), one, plain),
        "DDL inside": (Begin(), one, CreateTable(table=_NEW), two, Commit()),
        "savepoint": (Begin(), one, place, two, Commit()),
        "rollback to a savepoint": (Begin(), one, place, two, back, _insert(_T2, 8), Commit()),
        "rollback to a savepoint, twice": (
            Begin(), one, place, two, back, _insert(_T2, 8), back, _insert(_T2, 9), Commit(),
        ),
        "a savepoint set again and again": (Begin(), one, place, two, place, two, place, two, back, two, Commit()),
        "rollback to a savepoint, both engines": (Begin(), one, place, plain, two, back, Commit()),
        "rollback to a savepoint at the beginning": (Begin(), place, one, back, Commit()),
        "rollback to a savepoint, then rollback": (Begin(), one, place, two, back, Rollback()),
        "rollback to a savepoint, both, then rollback": (Begin(), one, place, plain, two, back, Rollback()),
        "rollback to a savepoint before anything was logged": (
            Begin(), place, plain, Savepoint(name="later"), _insert(_OTHER, 8), back, Commit(),
        ),
        "rollback to a savepoint before anything was logged, both engines, then rollback": (
            Begin(), place, one, Savepoint(name="later"), plain, back, two, Rollback(),
        ),
        "rollback to a savepoint after a read": (
            Begin(), InsertSelect(table=_OTHER, source=_T1), place, two, back, Commit(),
        ),
        "update of two tables without a change": (
            Delete(table=_T2), Begin(), UpdateTables(first=_T1, second=_T2), one, Commit(),
        ),
        "delete of nothing, rolled back": (Delete(table=_OTHER), Begin(), one, Delete(table=_OTHER), Rollback()),
        "two sessions": (Begin(), one, Begin(session=2), _insert(_T2, 8, session=2), two, Commit(session=2), Commit()),
    }  # fmt: skip


def _temporary_tables(engine: str, other: str) -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of temporary tables: WL#7592, plan 13; WL#3303 on what each format logs."""
    create, drop = _temporary(_TEMPORARY, engine), _drop(_TEMPORARY, temporary=True)
    use, one, place, back = _insert(_TEMPORARY, 1), _insert(_T1, 5), Savepoint(name="s"), RollbackTo(name="s")
    made: dict[str, tuple[Statement, ...]] = {
        "temporary table": (create, use, InsertSelect(table=_T1, source=_TEMPORARY), drop),
        "temporary table, if exists": (create, _drop(_TEMPORARY, _MISSING, temporary=True, if_exists=True)),
        "temporary table by an ordinary drop": (create, _drop(_TEMPORARY)),
        "temporary table by an ordinary drop, if exists": (create, _drop(_TEMPORARY, _MISSING, if_exists=True)),
        "temporary and base tables": (create, _drop(_TEMPORARY, _T1, _OTHER)),
        "temporary tables of both engines": (create, _temporary(_NEW, other), _drop(_TEMPORARY, _NEW, temporary=True)),
        "temporary table at the end": (create, use),
        "temporary tables at the end": (
            CreateDatabase(database="d2"), create, _temporary(_NEW, other), _temporary(_ELSEWHERE, engine),
        ),
        "temporary table that exists, if not exists": (
            create, CreateTable(table=_TEMPORARY, engine=engine, temporary=True, if_not_exists=True),
        ),
        "temporary table like another": (create, CreateTableLike(table=_NEW, like=_TEMPORARY)),
        "table like a temporary one, if not exists": (
            create, *(CreateTableLike(table=_NEW, like=_TEMPORARY, if_not_exists=True),) * 2, _insert(_NEW, 9),
        ),
        "temporary table select that exists, if not exists": (
            create,
            CreateTableSelect(table=_TEMPORARY, sources=(_T1,), engine=engine, temporary=True, if_not_exists=True),
            InsertSelect(table=_T1, source=_TEMPORARY),
        ),
        "temporary table inside": (Begin(), one, create, use, drop, Commit()),
        "temporary table inside, rolled back": (Begin(), one, create, use, drop, Rollback()),
        "temporary table first inside, rolled back": (Begin(), create, one, Rollback()),
        "temporary table dropped inside": (create, Begin(), one, drop, _insert(_T1, 6), Commit()),
        "temporary table dropped inside, rolled back": (create, Begin(), one, drop, Rollback()),
        "temporary table after an unsafe statement": (create, _insert(_T1, 1, computed="uuid"), one, drop, one),
        "temporary table after a savepoint": (Begin(), one, place, create, _insert(_T1, 6), back, Commit()),
        "temporary table dropped after a savepoint": (create, Begin(), one, place, drop, back, Commit()),
    }  # fmt: skip
    for before, after in (("ROW", "STATEMENT"), ("STATEMENT", "ROW"), ("MIXED", "ROW"), ("ROW", "MIXED")):
        changed = (_format(before), create, use, _format(after))
        made[f"temporary table, {before} to {after}"] = (*changed, drop)
        made[f"temporary table at the end, {before} to {after}"] = changed
    return made  # fmt: skip


def _dropped_elsewhere(engine: str) -> tuple[Statement, ...]:
    """Return the drop of a database that is the default of another session, which goes on with it."""
    table, inside = TableName("d2", "x"), (_insert(_T2, 8, session=2), _insert_null(_T2))
    return (
        CreateDatabase(database="d2"), CreateTable(table=table, engine=engine), Use(database="d2", session=2),
        Begin(session=2), *inside, DropDatabase(database="d2"), _insert(_T2, 9, session=2), Commit(session=2),
        CreateTable(table=_NEW, engine=engine, session=2), CreateDatabase(database="d2"),
        CreateTable(table=table, engine=engine, session=2), _insert(table, 3, session=2),
    )  # fmt: skip


def _own_gtids(uuid: str) -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of given GTIDs of the server's own source, whose gaps automatic ones fill."""
    one = _insert(_T1, 1)
    first, second = ((_gtid_next(f"{uuid}:{number}"), one, _gtid_next("AUTOMATIC")) for number in (13, 12))
    return {
        "GTIDs of its own, with gaps": (one, *first, one, *second, one, FlushLogs(), one, one, one),
        "GTIDs of its own, with gaps, restart": (*first, one, Disconnect(), Restart(), one, *second, one, one, one),
    }


def _definitions(engine: str) -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of definitions: WL#7592 on CREATE TABLE ... SELECT, drops of tables and of databases."""
    select = CreateTableSelect(table=_NEW, sources=(_T1,), engine=engine)
    again = CreateTableSelect(table=_T1, sources=(_T2,), engine=engine)
    database = (CreateDatabase(database="d2"), Use(database="d2"))
    tables = tuple(CreateTable(table=TableName("d2", f"table_number_{n:02d}"), engine=engine) for n in range(40))
    obstructed = DropDatabase(database="d2", obstructed=True)
    return {
        "create table": (CreateTable(table=_NEW, engine=engine, auto_increment=True), _insert(_NEW, 1, 2)),
        "create table that exists": (
            CreateTable(table=_T1, engine=engine, if_not_exists=True), CreateTable(table=_T1, engine=engine),
        ),
        "create table select that exists": (Begin(), _insert(_T1, 5), again, _insert(_T1, 6), Rollback()),
        "create table select that exists, if not exists": (
            Begin(), _insert(_T1, 5), replace(again, if_not_exists=True), _insert(_T1, 6), Rollback(),
            Update(table=_T1),
        ),
        "create table like": (CreateTableLike(table=_NEW, like=_T1),),
        "create table select": (select,),
        "create table select of nothing": (Delete(table=_T1), select),
        "create table select of two": (CreateTableSelect(table=_NEW, sources=(_T1, _OTHER), engine=engine),),
        "create table select, a variable": (
            SetUserVariable(value=7), CreateTableSelect(table=_NEW, sources=(_T1,), engine=engine, with_variable=True),
        ),
        "create table select, rand": (CreateTableSelect(table=_NEW, sources=(_T1,), engine=engine, with_rand=True),),
        "create temporary table select": (
            CreateTableSelect(table=_NEW, sources=(_T1,), engine=engine, temporary=True),
        ),
        "create table select of a temporary one": (
            _temporary(_TEMPORARY, engine), _insert(_TEMPORARY, 3),
            CreateTableSelect(table=_NEW, sources=(_TEMPORARY,), engine=engine),
        ),
        "drop table": (_drop(_T1),),
        "drop table, if exists": (_drop(_MISSING, if_exists=True), _drop(_T1, if_exists=True)),
        "drop table that is missing": (_drop(_MISSING),),
        "drop tables": (_drop(_T1, _T2, _OTHER),),
        "drop tables, one missing": (_drop(_T1, _MISSING, _OTHER),),
        "drop tables, one missing, if exists": (_drop(_T1, _MISSING, _OTHER, if_exists=True),),
        "rename": (RenameTable(pairs=((_T1, _NEW), (_T2, _T1))),),
        "rename of a missing table": (RenameTable(pairs=((_MISSING, _NEW),)),),
        "alter": (AlterTable(table=_T1), _insert(_T1, 9)),
        **{f"{each} table": (Maintain(action=each, table=_T1), Maintain(action=each, table=_MISSING))
           for each in ("optimize", "analyze", "repair", "checksum")},
        "drop database": (*database, *tables[:2], DropDatabase(database="d2")),
        "databases inside": (
            Begin(), _insert(_T1, 5), CreateDatabase(database="d2"), Begin(), _insert(_T1, 6),
            DropDatabase(database="d2"), _insert(_T1, 7), Rollback(),
        ),
        "databases inside that are there or missing": (
            Begin(), _insert(_T1, 5), CreateDatabase(database="d1"), _insert(_T1, 6), Rollback(),
            Begin(), _insert(_T1, 7), DropDatabase(database="d2"), _insert(_T1, 8), Rollback(),
        ),
        "drop database that is obstructed": (*database, *tables[:2], obstructed),
        "drop database of many tables": (*database, *tables, obstructed),
        "drop database of no table": (*database, obstructed),
        "default database of another session dropped": _dropped_elsewhere(engine),
    }  # fmt: skip


def _administration(engine: str) -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of logs and settings: WL#4033 on Rows_query, WL#7592 on rotation, WL#3303 on unsafe values."""
    auto = CreateTable(table=_NEW, engine=engine, auto_increment=True)
    return {
        "flush": (_insert(_T1, 5), FlushLogs(), _insert(_T1, 6)),
        "restart": (Disconnect(), Restart(), _insert(_T1, 6)),
        "crash": (Disconnect(), Crash(), _insert(_T1, 6)),
        "checksums": (SetGlobal(variable="binlog_checksum", value="NONE"), _insert(_T1, 6)),
        "user variable": (SetUserVariable(value=-3), _insert(_T1, 1, computed="variable")),
        "rand": (_insert(_T1, 1, computed="rand"),),
        "uuid": (_insert(_T1, 1, computed="uuid"),),
        "auto_increment": (auto, _insert(_NEW, 1, 2), SetUserVariable(value=1), _insert(_NEW, 3, computed="variable")),
        "comments": (_insert(_T1, 1, comment="/* a */"), Update(table=_T1, comment="-- b\n", comment_first=True)),
        "large": (Insert(table=_T1, values=tuple(range(90))), Update(table=_T1)),
        "format inside": (
            Begin(),
            _insert(_T1, 1),
            *map(_format, BINLOG_FORMATS),
            _insert(_T1, 2, computed="uuid"),
            Commit(),
            _insert(_T1, 3, computed="uuid"),
        ),
        "purge to a missing log": (FlushLogs(), PurgeLogs(to=9), _insert(_T1, 1)),
        "format": (_format("ROW"), _insert(_T1, 1), _format("STATEMENT"), _insert(_T1, 2), _format("MIXED")),
    }


def _given_gtids(engine: str) -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of given GTIDs: WL#7592 on GTID_NEXT, statements that would be several groups or log nothing."""
    work = _given_to_groups(engine) | _given_to_nothing(engine) | _given_to_refused(engine)
    return {
        f"{name}, GTID_NEXT {value}": (*before, _gtid_next(value), *statements, _gtid_next("AUTOMATIC"))
        for name, (before, statements) in work.items()
        for value in (_GIVEN, "ANONYMOUS")
    }


def _purged_gtids() -> dict[str, tuple[Statement, ...]]:
    """Return scenarios in which gtid_purged is set after GTIDs were executed, and what it then holds."""
    sets = [f"{_SOURCE}:{numbers}" for numbers in ("1-3", "1-2", "1-9", "1-3:20")]
    shown = [InsertGtids(table=_T1, variable="gtid_purged", gtids=each) for each in sets]
    return {
        f"purged {', '.join(sets[:number])}": (*(SetGtidPurged(gtids=each) for each in sets[:number]), *shown)
        for number in range(1, len(sets) + 1)
    }


def _refused_modes(table: TableName) -> dict[str, tuple[Statement, ...]]:
    """Return scenarios of another session that has what the next gtid_mode forbids, or the right to it.

    It changes a transactional table: what is logged at once uses the right up.
    """
    consistent = SetGlobal(variable="enforce_gtid_consistency", value="ON")
    other, begin = _insert(table, 3, session=2), Begin(session=2)
    made: dict[str, tuple[Statement, ...]] = {}
    for way in (("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"), ("OFF_PERMISSIVE", "OFF")):
        *before, last = (SetGlobal(variable="gtid_mode", value=mode) for mode in way)
        for value in ("ANONYMOUS", _GIVEN):
            given = SetSession(variable="gtid_next", value=value, session=2)
            taken = SetSession(variable="gtid_next", value="AUTOMATIC", session=2)
            name = f"gtid_mode {way[-1]} while another session has GTID_NEXT {value}"
            made[name] = (consistent, *before, given, last, _insert(_T1, 5), other, taken, last, _insert(_T1, 6))
            made[f"{name}, inside"] = (
                consistent,
                *before,
                given,
                begin,
                other,
                last,
                _insert(_T1, 5),
                Commit(session=2),
                taken,
                last,
                other,
            )
    inconsistent = SetGlobal(variable="enforce_gtid_consistency", value="OFF")
    steps = [SetGlobal(variable="gtid_mode", value=mode) for mode in ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")]
    made["gtid_mode ON without consistency"] = (
        inconsistent,
        *steps,
        _insert(_T1, 5),
        consistent,
        steps[-1],
        inconsistent,
        _insert(_T1, 6),
    )
    made["GTID_NEXT inside"] = (
        *steps[:2],
        Begin(),
        _insert(_T1, 5),
        _gtid_next("AUTOMATIC"),
        _gtid_next(_GIVEN),
        _insert(_T1, 6),
        Commit(),
    )
    return made  # fmt: skip


#: What runs before GTID_NEXT is set, and after it.
_BeforeAndAfter = tuple[tuple[Statement, ...], tuple[Statement, ...]]


def _given_to_groups(engine: str) -> dict[str, _BeforeAndAfter]:
    """Return statements that are logged, in one group or several."""
    one, plain = _insert(_T1, 1), _insert(_OTHER, 1)
    used = (_gtid_next(_GIVEN), one, _gtid_next("AUTOMATIC"), CreateDatabase(database="d2"))
    return {
        "insert": ((), (one,)),
        "two inserts": ((), (one, one)),
        "drop tables": ((), (_drop(_T1, _OTHER),)),
        "drop database": ((), (DropDatabase(database="d1", obstructed=True),)),
        "rollback": ((), (Begin(), one, Rollback())),
        "rollback to a savepoint": ((), (Begin(), Savepoint(name="s"), one, RollbackTo(name="s"), Commit())),
        "both engines": ((), (Begin(), one, plain, Commit())),
        "create table select": ((), (CreateTableSelect(table=_NEW, sources=(_T1,), engine=engine),)),
        "optimize table": ((), (Maintain(action="optimize", table=_T1),)),
        "DDL inside": ((), (Begin(), one, CreateTable(table=_NEW, engine=engine), Commit())),
        "two transactions": ((), (Begin(), one, Commit(), Begin(), one, Commit())),
        "savepoint after its transaction": ((), (one, Begin(), Savepoint(name="s"), Commit())),
        "use and flush after its transaction": ((), (one, Use(database="d1"), FlushLogs())),
        "executed before": (used, (one, _drop(_T2), Use(database="d2"), FlushLogs())),
        "executed before, then inside": (used, (Begin(), one, Commit(), one)),
        "executed before, inside": (used, (Begin(), Savepoint(name="s"), one, RollbackTo(name="s"), Commit())),
    }


def _given_to_nothing(engine: str) -> dict[str, _BeforeAndAfter]:
    """Return statements that log nothing, at least in one of the formats."""
    create, empty, one = _temporary(_TEMPORARY, engine), Delete(table=_T1), _insert(_T1, 1)
    check = Maintain(action="checksum", table=_T1)
    again = CreateTableSelect(table=_T1, sources=(_T2,), engine=engine, if_not_exists=True)
    return {
        "commit of nothing": ((), (Begin(), Commit())),
        "commit alone": ((), (Commit(),)),
        "rollback alone": ((), (Rollback(), one)),
        "flush": ((), (FlushLogs(),)),
        "rollback of nothing": ((), (Begin(), Rollback())),
        "commit of a savepoint": ((), (Begin(), Savepoint(name="s"), Commit())),
        "update of no row": ((empty,), (Update(table=_T1),)),
        "delete of no row": ((empty,), (empty,)),
        "insert select of no row": ((empty,), (InsertSelect(table=_T2, source=_T1),)),
        "update of no row inside": ((empty,), (Begin(), Update(table=_T1), Commit())),
        "temporary table": ((), (create,)),
        "temporary table inside": ((), (Begin(), create, Commit())),
        "temporary table that exists, if not exists": (
            (create,),
            (CreateTable(table=_TEMPORARY, engine=engine, temporary=True, if_not_exists=True),),
        ),
        "rows of a temporary table": ((create,), (_insert(_TEMPORARY, 1),)),
        "drop temporary table": ((create,), (_drop(_TEMPORARY, temporary=True),)),
        "drop temporary table, if exists": ((), (_drop(_MISSING, temporary=True, if_exists=True),)),
        "create table that exists, if not exists": ((), (CreateTable(table=_T1, engine=engine, if_not_exists=True),)),
        "create table select that exists, if not exists": ((), (again,)),
        "checksum table": ((), (check, one)),
        "checksum table inside": ((), (Begin(), one, check, Rollback())),
    }


def _given_to_refused(engine: str) -> dict[str, _BeforeAndAfter]:
    """Return statements that servers refuse."""
    missing = _insert(_MISSING, 1)
    return {
        "both engines in a statement": ((), (UpdateTables(first=_T1, second=_OTHER),)),
        "insert into a missing table": ((), (missing,)),
        "insert into a missing table inside": ((), (Begin(), missing, Commit())),
        "create table that exists": ((), (CreateTable(table=_T1, engine=engine),)),
        "create table select that exists": ((), (CreateTableSelect(table=_T1, sources=(_T2,), engine=engine),)),
        "temporary table that exists": (
            (_temporary(_TEMPORARY, engine),), (_temporary(_TEMPORARY, engine),),
        ),
        "drop table that is missing": ((), (_drop(_MISSING),)),
        "drop temporary table that is missing": ((), (_drop(_MISSING, temporary=True),)),
        "rename of a missing table": ((), (RenameTable(pairs=((_MISSING, _NEW),)),)),
        "alter of a missing table": ((), (AlterTable(table=_MISSING),)),
        "create database that exists": ((), (CreateDatabase(database="d1"),)),
        "drop database that is missing": ((), (DropDatabase(database="d2"),)),
        "another GTID": ((), (_gtid_next("AUTOMATIC"), _insert(_T1, 1))),
        "value that an option does not take": (
            (), (SetSession(variable="binlog_rows_query_log_events", value="2"), _insert(_T1, 1)),
        ),
    }  # fmt: skip


def _statements(profile: str, engine: str) -> dict[str, tuple[Statement, ...]]:
    other = next(each for each in TRANSACTIONAL if each != engine)
    made = {
        **_transactions(), **_temporary_tables(engine, other), **_definitions(engine), **_administration(engine),
    }  # fmt: skip
    if profile not in WITH_CHECKSUMS:
        del made["checksums"]
    if profile in NUMBERED:
        made |= _given_gtids(engine)
        made |= _purged_gtids()
    if profile in ALWAYS:
        made |= _refused_modes(_T2 if TRANSACTIONAL[engine] else _OTHER)
        made["gtid_mode"] = tuple(
            each
            for mode in ("OFF_PERMISSIVE", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF")
            for each in (SetGlobal(variable="gtid_mode", value=mode), _insert(_T1, 1))
        )
    return made


def directed_scenarios(profile: str, *, engine: str, form: str, **settings: Any) -> Iterator[tuple[str, Scenario]]:
    """Yield the scenarios of a profile with their names.

    gtid_mode, where there is one, is chosen so that each format and each engine has both modes.

    Args:
        profile: The profile.
        engine: The engine of most tables.
        form: binlog_format.
        **settings: Further settings of every scenario.
    """
    on = profile in NUMBERED and (list(TRANSACTIONAL).index(engine) + BINLOG_FORMATS.index(form)) % 2 == 1
    chosen = Settings(
        profile=profile,
        gtid_mode="ON" if on else "OFF",
        enforce_gtid_consistency=on,
        binlog_format=form,
        # Texts are logged in one of the modes, so that both are seen.
        binlog_rows_query_log_events=on and profile in WITH_ROWS_QUERIES,
        **settings,
    )
    other = next(each for each in TRANSACTIONAL if each != engine)
    before = [CreateDatabase(database="d1"), Use(database="d1")]
    before += [CreateTable(table=table, engine=engine) for table in (_T1, _T2)]
    before += [CreateTable(table=_OTHER, engine=other), *(_insert(each, 1, 2) for each in (_T1, _T2, _OTHER))]
    own = _own_gtids(chosen.server_uuid) if on else {}
    for name, statements in (_statements(profile, engine) | own).items():
        yield name, Scenario(chosen, (*before, *statements, Disconnect()))
