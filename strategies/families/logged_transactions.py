"""Scenarios of transactions: with GTIDs and without, over rotations and restarts, with the statements' texts."""

from typing import Final

from conformance.binlog.servers import Server
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
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import settings_of

#: The profiles whose servers write Gtid events of MySQL, and those that always do.
NUMBERED: Final = tuple(each for each in PROFILES if RULES[each].gtid_events in ("numbered", "always"))
ALWAYS: Final = tuple(each for each in PROFILES if RULES[each].gtid_events == "always")
#: The profiles whose servers have the option binlog_rows_query_log_events.
WITH_ROWS_QUERIES: Final = tuple(each for each in PROFILES if RULES[each].rows_queries)


def _change(asked: LogQuestion) -> None:
    asked.change(asked.base_tables(engine="innodb"))


def _transaction(asked: LogQuestion) -> None:
    choose = asked.choose
    asked.do(Begin())
    for _ in choose.several(1, 4):
        _change(asked)
    asked.do(Rollback() if choose.yes(3) else Commit())


@asking_family(focus="FORMAT-LOG-TRANSACTION-ENDS")
def logged_transactions(choose: Chooser, server: Server) -> Question:
    """Row changes in and out of transactions, committed or rolled back, on tables with and without transactions."""
    asked = LogQuestion(choose, settings_of(choose, server.profile))
    asked.open(tables=0)
    for engine in ("innodb", "innodb", choose.one_of(("innodb", "myisam"))):
        asked.insert(asked.create(engine=engine, auto_increment=choose.yes(3)), rows=1)
    for _ in choose.several(1, 5):
        choose.one_of((_change, _transaction, _transaction, _alone))(asked)
    return asked.question()


def _alone(asked: LogQuestion) -> None:
    tables = asked.base_tables(engine="myisam")
    if tables:
        asked.change(tables)


@asking_family(focus="WL7592-LOG-SAME-SKELETON", profiles=ALWAYS)
def logged_modes(choose: Chooser, server: Server) -> Question:
    """The same kinds of statements with gtid_mode=ON and OFF, all of them allowed in both."""
    mode = choose.one_of(("OFF", "ON"))
    asked = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, enforce_gtid_consistency=True))
    asked.open(tables=0)
    for _ in range(2):
        asked.insert(asked.create(engine="innodb"), rows=1)
    for _ in choose.several(1, 4):
        choose.one_of((_change, _transaction, _definition, _rotation))(asked)
    asked.mark_everywhere("WL7592-LOG-SAME-SKELETON")
    return asked.question()


def _definition(asked: LogQuestion) -> None:
    asked.create(engine="innodb")


def _rotation(asked: LogQuestion) -> None:
    asked.do(FlushLogs())


_UP_AND_DOWN: Final = ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF")


@asking_family(focus="WL7592-LOG-ON-PREVIOUS-GTIDS", profiles=NUMBERED)
def logged_rotations(choose: Chooser, server: Server) -> Question:
    """Several logs, by rotation, by restart and by new values of gtid_mode, which goes up and down by single steps."""
    mode = choose.one_of(("ON", "OFF"))
    asked = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, enforce_gtid_consistency=True))
    asked.open(tables=0)
    table = asked.create(engine="innodb")
    at = _UP_AND_DOWN.index(mode)
    for _ in choose.several(2, 8):
        step = choose.integer(0, 3)
        if step == 0 and RULES[server.profile].gtid_events == "always":
            at = (at + 1) % len(_UP_AND_DOWN)
            asked.do(SetGlobal(variable="gtid_mode", value=_UP_AND_DOWN[at]))
        elif step == 1:
            asked.do(FlushLogs())
        elif step == 2 and choose.yes():
            asked.do(Restart())
        else:
            asked.insert(table)
    return asked.question()


@asking_family(focus="WL7592-LOG-SIMPLE-RECOVERY-OLD", profiles=("worklog",))
def logged_recoveries(choose: Chooser, server: Server) -> Question:
    """Logs of servers before and behind WL#7592, of which a restart with simplified recovery reads as few as it can."""
    settings = settings_of(choose, server.profile, gtid_mode="ON", before_wl7592=True)
    asked = LogQuestion(choose, settings)
    asked.open(tables=0)
    table = asked.create(engine="innodb")
    for _ in choose.several(1, 3):
        asked.insert(table)
    asked.do(Restart(options=(("gtid_mode", "OFF"),)))
    for _ in choose.several(0, 2):
        asked.insert(table)
    asked.do(Restart(options=(("before_wl7592", "OFF"),)))
    asked.mark_previous_gtids("WL7592-LOG-SIMPLE-RECOVERY-OLD")
    for _ in choose.several(0, 2):
        asked.insert(table)
    if choose.yes():
        asked.do(Restart())
        asked.mark_previous_gtids("WL7592-LOG-SIMPLE-RECOVERY-NEW")
    return asked.question()


@asking_family(focus="WL4033-LOG-ROWS-QUERY-WRITTEN", profiles=WITH_ROWS_QUERIES)
def logged_rows_queries(choose: Chooser, server: Server) -> Question:
    """Statements with and without their texts before their rows, as the option says, in one session or two."""
    never = choose.yes(4)
    given = {} if never else {"binlog_rows_query_log_events": choose.yes(3)}
    fixed = {"binlog_format": choose.one_of(("ROW", "ROW", "STATEMENT", "MIXED")), **given}
    asked = LogQuestion(choose, settings_of(choose, server.profile, **{"binlog_rows_query_log_events": False, **fixed}))
    asked.open(tables=0)
    for _ in range(2):
        asked.do(Insert(table=asked.create(engine="innodb"), values=(choose.integer(0, 9),)))
        asked.mark("WL4033-LOG-OPTION-DEFAULT-OFF" if never else "WL4033-LOG-ROWS-QUERY-CONDITIONS")
    if never:
        asked.mark_everywhere("WL4033-LOG-OPTION-DEFAULT-OFF", "WL4033-LOG-OPTION-OFF-OLD-SAFE")
    for _ in choose.several(1, 4):
        steps = (_one_statement, _several_statements, _internal) + (() if never else (_selected, _two_sessions))
        choose.one_of(steps)(asked)
    return asked.question()


def _statement(asked: LogQuestion, *requirements: str, session: int = 1) -> None:
    choose = asked.choose
    tables = [table.name for table in asked.base_tables(engine="innodb")]
    table = choose.one_of(tables)
    kind = choose.integer(0, 3)
    if kind == 0:
        asked.do(Update(table=table, session=session), *requirements)
    elif kind == 1:
        asked.do(UpdateTables(first=tables[0], second=tables[1], session=session), *requirements)
    elif kind == 2 and choose.yes(3):
        asked.do(Delete(table=table, session=session), *requirements)
    else:
        values = (choose.integer(0, 9), choose.integer(0, 9))
        asked.do(Insert(table=table, values=values, session=session), *requirements)
    asked.mark("WL4033-LOG-ROWS-QUERY-CONDITIONS")


def _one_statement(asked: LogQuestion) -> None:
    as_rows = asked.server.session(1).binlog_format == "ROW"
    table = asked.choose.one_of(asked.base_tables(engine="innodb")).name
    marks = ("WL4033-LOG-ONE-STATEMENT-SEQUENCE",) if as_rows else ()
    asked.do(Insert(table=table, values=(asked.choose.integer(0, 9),)), "WL4033-LOG-ROWS-QUERY-CONDITIONS", *marks)


def _several_statements(asked: LogQuestion) -> None:
    asked.do(Begin())
    for _ in asked.choose.several(2, 4):
        _statement(asked, "WL4033-LOG-SEVERAL-STATEMENTS")
    asked.do(Commit(), "WL4033-LOG-SEVERAL-STATEMENTS")


def _internal(asked: LogQuestion) -> None:
    table = asked.choose.one_of(asked.base_tables(engine="innodb")).name
    asked.do(InternalRows(table=table, values=(7,)), "WL4033-LOG-ROWS-QUERY-NEEDS-TEXT")


def _selected(asked: LogQuestion) -> None:
    marks = ("WL4033-LOG-OPTION-SELECTED", "WL4033-LOG-OPTION-DYNAMIC", "WL4033-LOG-OPTION-NAME")
    for value in ("ON", "OFF"):
        asked.do(SetSession(variable="binlog_rows_query_log_events", value=value))
        for _ in asked.choose.several(1, 2):
            _statement(asked, *marks)


def _two_sessions(asked: LogQuestion) -> None:
    value = asked.choose.one_of(("ON", "OFF"))
    asked.do(SetSession(variable="binlog_rows_query_log_events", value=value, session=2))
    for session in (1, 2, 1):
        _statement(asked, "WL4033-LOG-OPTION-SCOPE", session=session)


#: The profiles whose servers run INSERT DELAYED as such, among those that WL#4033 is for.
DELAYED: Final = ("worklog", "mysql-5.6")


@asking_family(focus="WL4033-LOG-DELAYED-ONE-TABLE-MAP", profiles=DELAYED)
def logged_delayed_inserts(choose: Chooser, server: Server) -> Question:
    """INSERT DELAYED statements one after the other, with few rows and with so many that they need several events."""
    settings = settings_of(choose, server.profile, binlog_format="ROW", binlog_row_event_max_size=256)
    asked = LogQuestion(choose, settings)
    asked.open(tables=0)
    table = asked.create(engine="myisam")
    for _ in choose.several(2, 4):
        values = tuple(range(choose.one_of((1, 3, 60, 120))))
        statement = Insert(table=table, values=values, delayed=True)
        asked.do(statement, "WL4033-LOG-DELAYED-ONE-TABLE-MAP", "WL4033-LOG-DELAYED-NOT-SHARED")
    return asked.question()
