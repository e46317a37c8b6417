"""Scenarios of transactions: with and without GTIDs, over rotations and restarts, with the statements' texts."""

from typing import Final

from conformance.binlog.servers import WITH_ROWS_QUERIES, Server
from conformance.models.server.logging_rules import RULES
from conformance.models.server.statements import (
    Begin,
    Commit,
    Delete,
    FlushLogs,
    Insert,
    InternalRows,
    Restart,
    Rollback,
    SetGlobal,
    SetSession,
    Update,
    UpdateTables,
)
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import settings_of

#: The profiles whose servers write Gtid events of MySQL, and those that always do.
NUMBERED: Final = RULES.where(lambda rules: rules.gtid_events in ("numbered", "always"))
ALWAYS: Final = RULES.where(lambda rules: rules.gtid_events == "always")


def _change(scenario: LogQuestion) -> None:
    scenario.change(scenario.base_tables(engine="innodb"))


def _transaction(scenario: LogQuestion) -> None:
    choose = scenario.choose
    scenario.do(Begin())
    for _ in choose.several(1, 4):
        _change(scenario)
    scenario.do(Rollback() if choose.yes(3) else Commit())


@asking_family(focus="FORMAT-LOG-TRANSACTION-ENDS")
def logged_transactions(choose: Chooser, server: Server) -> Question:
    """Row changes in and out of transactions, committed or rolled back, on transactional and other tables."""
    scenario = LogQuestion(choose, settings_of(choose, server.profile))
    scenario.open(tables=0)
    for engine in ("innodb", "innodb", choose.one_of(("innodb", "myisam"))):
        scenario.insert(scenario.create(engine=engine, auto_increment=choose.yes(3)), rows=1)
    for _ in choose.several(1, 5):
        choose.one_of((_change, _transaction, _transaction, _alone))(scenario)
    return scenario.question()


def _alone(scenario: LogQuestion) -> None:
    tables = scenario.base_tables(engine="myisam")
    if tables:
        scenario.change(tables)


@asking_family(focus="WL7592-LOG-SAME-SKELETON", profiles=ALWAYS)
def logged_modes(choose: Chooser, server: Server) -> Question:
    """The same kinds of statements with gtid_mode=ON and OFF, all of them allowed in both modes."""
    mode = choose.one_of(("OFF", "ON"))
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, enforce_gtid_consistency=True))
    scenario.open(tables=0)
    for _ in range(2):
        scenario.insert(scenario.create(engine="innodb"), rows=1)
    for _ in choose.several(1, 4):
        choose.one_of((_change, _transaction, _definition, _rotation))(scenario)
    scenario.mark_everywhere("WL7592-LOG-SAME-SKELETON")
    return scenario.question()


def _definition(scenario: LogQuestion) -> None:
    scenario.create(engine="innodb")


def _rotation(scenario: LogQuestion) -> None:
    scenario.do(FlushLogs())


_MODE_STEPS: Final = ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF")


@asking_family(focus="WL7592-LOG-ON-PREVIOUS-GTIDS", profiles=NUMBERED)
def logged_rotations(choose: Chooser, server: Server) -> Question:
    """Several logs, by rotation, by restart and by changes of gtid_mode, which moves up and down in single steps."""
    mode = choose.one_of(("ON", "OFF"))
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, enforce_gtid_consistency=True))
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    at = _MODE_STEPS.index(mode)
    for _ in choose.several(2, 8):
        step = choose.integer(0, 3)
        if step == 0 and RULES[server.profile].gtid_events == "always":
            at = (at + 1) % len(_MODE_STEPS)
            scenario.do(SetGlobal(variable="gtid_mode", value=_MODE_STEPS[at]))
        elif step == 1:
            scenario.do(FlushLogs())
        elif step == 2 and choose.yes():
            scenario.do(Restart())
        else:
            scenario.insert(table)
    return scenario.question()


@asking_family(focus="WL7592-LOG-SIMPLE-RECOVERY-OLD", profiles=Profiles("worklog"))
def logged_recoveries(choose: Chooser, server: Server) -> Question:
    """Logs from before and after WL#7592, of which a restart with simplified recovery reads as few as possible."""
    settings = settings_of(choose, server.profile, gtid_mode="ON", before_wl7592=True)
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    for _ in choose.several(1, 3):
        scenario.insert(table)
    scenario.do(Restart(options=(("gtid_mode", "OFF"),)))
    for _ in choose.several(0, 2):
        scenario.insert(table)
    scenario.do(Restart(options=(("before_wl7592", "OFF"),)))
    scenario.mark_previous_gtids("WL7592-LOG-SIMPLE-RECOVERY-OLD")
    for _ in choose.several(0, 2):
        scenario.insert(table)
    if choose.yes():
        scenario.do(Restart())
        scenario.mark_previous_gtids("WL7592-LOG-SIMPLE-RECOVERY-NEW")
    return scenario.question()


@asking_family(focus="WL4033-LOG-ROWS-QUERY-WRITTEN", profiles=WITH_ROWS_QUERIES)
def logged_rows_queries(choose: Chooser, server: Server) -> Question:
    """Row changes with and without the statement's text before them, as the option is set, in one or two sessions."""
    never = choose.yes(4)
    given = {} if never else {"binlog_rows_query_log_events": choose.yes(3)}
    fixed = {"binlog_format": choose.one_of(("ROW", "ROW", "STATEMENT", "MIXED")), **given}
    scenario = LogQuestion(
        choose, settings_of(choose, server.profile, **{"binlog_rows_query_log_events": False, **fixed})
    )
    scenario.open(tables=0)
    for _ in range(2):
        scenario.do(Insert(table=scenario.create(engine="innodb"), values=(choose.integer(0, 9),)))
        scenario.mark("WL4033-LOG-OPTION-DEFAULT-OFF" if never else "WL4033-LOG-ROWS-QUERY-CONDITIONS")
    if never:
        scenario.mark_everywhere("WL4033-LOG-OPTION-DEFAULT-OFF", "WL4033-LOG-OPTION-OFF-OLD-SAFE")
    for _ in choose.several(1, 4):
        steps = (_one_statement, _several_statements, _internal) + (() if never else (_selected, _two_sessions))
        choose.one_of(steps)(scenario)
    return scenario.question()


def _statement(scenario: LogQuestion, *requirements: str, session: int = 1) -> None:
    choose = scenario.choose
    tables = [table.name for table in scenario.base_tables(engine="innodb")]
    table = choose.one_of(tables)
    kind = choose.integer(0, 3)
    if kind == 0:
        scenario.do(Update(table=table, session=session), *requirements)
    elif kind == 1:
        scenario.do(UpdateTables(first=tables[0], second=tables[1], session=session), *requirements)
    elif kind == 2 and choose.yes(3):
        scenario.do(Delete(table=table, session=session), *requirements)
    else:
        values = (choose.integer(0, 9), choose.integer(0, 9))
        scenario.do(Insert(table=table, values=values, session=session), *requirements)
    scenario.mark("WL4033-LOG-ROWS-QUERY-CONDITIONS")


def _one_statement(scenario: LogQuestion) -> None:
    as_rows = scenario.server.session(1).binlog_format == "ROW"
    table = scenario.choose.one_of(scenario.base_tables(engine="innodb")).name
    marks = ("WL4033-LOG-ONE-STATEMENT-SEQUENCE",) if as_rows else ()
    scenario.do(
        Insert(table=table, values=(scenario.choose.integer(0, 9),)), "WL4033-LOG-ROWS-QUERY-CONDITIONS", *marks
    )


def _several_statements(scenario: LogQuestion) -> None:
    scenario.do(Begin())
    for _ in scenario.choose.several(2, 4):
        _statement(scenario, "WL4033-LOG-SEVERAL-STATEMENTS")
    scenario.do(Commit(), "WL4033-LOG-SEVERAL-STATEMENTS")


def _internal(scenario: LogQuestion) -> None:
    table = scenario.choose.one_of(scenario.base_tables(engine="innodb")).name
    scenario.do(InternalRows(table=table, values=(7,)), "WL4033-LOG-ROWS-QUERY-NEEDS-TEXT")


def _selected(scenario: LogQuestion) -> None:
    marks = ("WL4033-LOG-OPTION-SELECTED", "WL4033-LOG-OPTION-DYNAMIC", "WL4033-LOG-OPTION-NAME")
    for value in ("ON", "OFF"):
        scenario.do(SetSession(variable="binlog_rows_query_log_events", value=value))
        for _ in scenario.choose.several(1, 2):
            _statement(scenario, *marks)


def _two_sessions(scenario: LogQuestion) -> None:
    value = scenario.choose.one_of(("ON", "OFF"))
    scenario.do(SetSession(variable="binlog_rows_query_log_events", value=value, session=2))
    for session in (1, 2, 1):
        _statement(scenario, "WL4033-LOG-OPTION-SCOPE", session=session)


#: The profiles whose servers run INSERT DELAYED as such, among those of WL#4033.
DELAYED: Final = Profiles("worklog", "mysql >= 5.6, < 5.7")


@asking_family(focus="WL4033-LOG-DELAYED-ONE-TABLE-MAP", profiles=DELAYED)
def logged_delayed_inserts(choose: Chooser, server: Server) -> Question:
    """INSERT DELAYED statements one after the other, with few rows and with enough rows for several events."""
    settings = settings_of(choose, server.profile, binlog_format="ROW", binlog_row_event_max_size=256)
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0)
    table = scenario.create(engine="myisam")
    for _ in choose.several(2, 4):
        values = tuple(range(choose.one_of((1, 3, 60, 120))))
        statement = Insert(table=table, values=values, delayed=True)
        scenario.do(statement, "WL4033-LOG-DELAYED-ONE-TABLE-MAP", "WL4033-LOG-DELAYED-NOT-SHARED")
    return scenario.question()
