"""Scenarios of the statement's text before its rows (WL#4033): when it is written, its text, and the option."""

from collections.abc import Sequence
from typing import Any, Final

from conformance.binlog.servers import WITH_ROWS_QUERIES, Server
from conformance.models.server.options import SPELLINGS
from conformance.models.server.statements import (
    SET_FORMS,
    Begin,
    Change,
    Commit,
    Crash,
    Delete,
    Insert,
    InsertSelect,
    InternalRows,
    Restart,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetSession,
    Update,
    UpdateTables,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, sizes, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import DATABASES, settings_of
from conformance.strategies.scenarios.scenario_dimensions import (
    BINLOG_CHECKSUM,
    BINLOG_FORMAT,
    COMMENT,
    COMMENT_PLACE,
    GTID_MODE,
    NAME,
)

_OPTION: Final = "binlog_rows_query_log_events"
#: First ON: a case of many statements has the first class, and then their texts.
_GIVEN: Final = Dimension(_OPTION, {"ON": True, "OFF": False, "not given": None})
_SHAPE: Final = choices("shape", ("one by one", "in a transaction", "internal rows", "ON and OFF", "two sessions"))
_SHAPES: Final = Number("shapes", few=2)
#: Statements of a shape; with ON and OFF as many after each.
_STATEMENTS: Final = Number("statements", many=(30, 40))
_NEVER: Final = Impossible(
    {_OPTION: ("not given",), "shape": ("ON and OFF", "two sessions")}, "the option is not given a value at all"
)


@asking_family(
    focus="WL4033-LOG-ROWS-QUERY-WRITTEN",
    profiles=WITH_ROWS_QUERIES,
    dimensions=(GTID_MODE, _GIVEN, BINLOG_FORMAT, BINLOG_CHECKSUM, _SHAPES, _SHAPE, _STATEMENTS),
    impossible=(_NEVER,),
)
def logged_rows_queries(choose: Chooser, server: Server) -> Question:
    """Row changes with and without the statement's text before them, as the option is set, in one or two sessions."""
    given = choose.vary(_GIVEN, server.profile)
    never = given is None
    scenario = LogQuestion(choose, settings_of(choose, server.profile, **{_OPTION: bool(given)}))
    scenario.open(tables=0)
    for _ in range(2):
        scenario.do(Insert(table=scenario.create(engine="innodb"), values=(choose.integer(0, 9),)))
        scenario.mark("WL4033-LOG-OPTION-DEFAULT-OFF" if never else "WL4033-LOG-ROWS-QUERY-CONDITIONS")
    if never:
        scenario.mark_everywhere("WL4033-LOG-OPTION-DEFAULT-OFF", "WL4033-LOG-OPTION-OFF-OLD-SAFE")
    for _ in scenario.several_of(_SHAPES):
        shape = scenario.vary(_SHAPE)
        if never and shape in ("ON and OFF", "two sessions"):
            shape = "one by one"
        _SHAPED[shape](scenario, len([*scenario.several_of(_STATEMENTS)]))
    # No log ends here, so that all after a new value of the option is in the log that has the value.
    changes = [number for number, each in enumerate(scenario.statements) if isinstance(each, SetSession)]
    for number in range(changes[0] if changes else 0, len(scenario.statements) if changes else 0):
        scenario.mark("WL4033-LOG-OPTION-DYNAMIC", statement=number)
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


def _one_by_one(scenario: LogQuestion, count: int) -> None:
    as_rows = scenario.server.session(1).binlog_format == "ROW"
    marks = ("WL4033-LOG-ONE-STATEMENT-SEQUENCE",) if as_rows else ()
    for _ in range(count):
        table = scenario.choose.one_of(scenario.base_tables(engine="innodb")).name
        statement = Insert(table=table, values=(scenario.choose.integer(0, 9),))
        scenario.do(statement, "WL4033-LOG-ROWS-QUERY-CONDITIONS", *marks)


def _in_a_transaction(scenario: LogQuestion, count: int) -> None:
    session = scenario.server.session(1)
    has_texts = session.binlog_format == "ROW" and session.binlog_rows_query_log_events
    marks = ("WL4033-LOG-SEVERAL-STATEMENTS",) if has_texts and count > 1 else ()
    scenario.do(Begin())
    for _ in range(count):
        _statement(scenario, *marks)
    scenario.do(Commit(), *marks)


def _internal(scenario: LogQuestion, count: int) -> None:
    table = scenario.choose.one_of(scenario.base_tables(engine="innodb")).name
    rows = InternalRows(table=table, values=(7,))
    for _ in range(count):
        scenario.do(rows, "WL4033-LOG-ROWS-QUERY-NEEDS-TEXT")
    # Within a transaction, after a statement that has a text.
    scenario.do(Begin())
    scenario.do(Insert(table=table, values=(8,)))
    scenario.do(rows, "WL4033-LOG-ROWS-QUERY-NEEDS-TEXT")
    scenario.do(Commit())


def _selected(scenario: LogQuestion, count: int) -> None:
    marks = ("WL4033-LOG-OPTION-SELECTED", "WL4033-LOG-OPTION-DYNAMIC", "WL4033-LOG-OPTION-NAME")
    for value in ("ON", "OFF"):
        scenario.do(SetSession(variable=_OPTION, value=value))
        for _ in range(count):
            _statement(scenario, *marks)


def _two_sessions(scenario: LogQuestion, count: int) -> None:
    value = scenario.choose.one_of(("ON", "OFF"))
    scenario.do(SetSession(variable=_OPTION, value=value, session=2))
    for _ in range(count):
        for session in (1, 2, 1):
            _statement(scenario, "WL4033-LOG-OPTION-SCOPE", session=session)


_SHAPED: Final = {
    "one by one": _one_by_one,
    "in a transaction": _in_a_transaction,
    "internal rows": _internal,
    "ON and OFF": _selected,
    "two sessions": _two_sessions,
}

# --- transactions

_TOGETHER: Final = Number("statements of a transaction", fewest=2, many=(30, 40))
_SAME_TEXT: Final = yes_or_no("the same statement again")
_TABLES: Final = Number("tables", few=2)
_KIND_OF_FIRST: Final = choices("first statement", ("insert", "insert_select", "update", "update_tables", "delete"))
_ENDS: Final = choices("end", ("commit", "rollback to a savepoint"))
#: A server starts again with the options that it had, the one for the texts among them, whatever it began with.
_BEFORE: Final = choices(
    "before the transaction", ("nothing", "crash", "restart", "SET GLOBAL and a crash", "SET GLOBAL and a restart")
)


@asking_family(
    focus="WL4033-LOG-SEVERAL-STATEMENTS",
    profiles=WITH_ROWS_QUERIES,
    dimensions=(GTID_MODE, BINLOG_CHECKSUM, _TOGETHER, _TABLES, _SAME_TEXT, _KIND_OF_FIRST, _ENDS, _BEFORE),
)
def logged_row_transactions(choose: Chooser, server: Server) -> Question:
    """Transactions of several statements in row format, each with its text before its own rows."""
    before = choose.vary(_BEFORE, server.profile)
    is_set = before.startswith("SET GLOBAL")
    fixed = {"binlog_format": "ROW", _OPTION: not is_set}
    scenario = LogQuestion(choose, settings_of(choose, server.profile, **fixed))
    scenario.open(tables=0)
    tables = [scenario.create(engine="innodb") for _ in scenario.several_of(_TABLES)]
    other = scenario.create(engine="innodb")
    for each in (*tables, other):
        scenario.do(Insert(table=each, values=(1,)))
    again, end, first = scenario.vary(_SAME_TEXT), scenario.vary(_ENDS), scenario.vary(_KIND_OF_FIRST)
    mark = "WL4033-LOG-SEVERAL-STATEMENTS"
    if is_set:
        scenario.do(SetGlobal(variable=_OPTION, value="ON"))
    if before != "nothing":
        scenario.do(Crash() if before.endswith("crash") else Restart())
    scenario.do(Begin())
    for number in scenario.several_of(_TOGETHER):
        table = tables[number % len(tables)]
        value = 2 if again else 2 + number
        scenario.do(Insert(table=table, values=(value,)) if number else _with_text(first, table, other, {}), mark)
    if end == "rollback to a savepoint":
        scenario.do(Savepoint(name="s1"))
        scenario.do(Insert(table=tables[0], values=(99,)))
        scenario.do(RollbackTo(name="s1"))
    scenario.do(Commit(), mark)
    return scenario.question()


# --- the text

_KIND: Final = choices("statement", ("insert", "insert_select", "update", "update_tables", "delete"))
#: The bytes that a comment is made longer by: texts reach the borders of one and of two bytes of length.
_LONGER: Final = sizes(
    "bytes more in the comment",
    *(250, 255, 65_536),
    most=70_000,
    when={"comment": [name for name, text in COMMENT.classes.items() if "{}" in text]},
)
_TEXTS: Final = Number("statements with a text")


@asking_family(
    focus="WL4033-LOG-ROWS-QUERY-PER-STATEMENT",
    profiles=WITH_ROWS_QUERIES,
    dimensions=(BINLOG_FORMAT, BINLOG_CHECKSUM, NAME, _KIND, COMMENT, COMMENT_PLACE, _LONGER, _TEXTS),
)
def logged_texts(choose: Chooser, server: Server) -> Question:
    """Statements with comments of all kinds and lengths, on tables with long names, whose text is logged as issued."""
    fixed = {"gtid_mode": "OFF", _OPTION: True}
    scenario = LogQuestion(choose, settings_of(choose, server.profile, **fixed))
    scenario.open(tables=0)
    table = TableName(DATABASES[0], scenario.vary(NAME))
    scenario.create(name=table, engine="innodb")
    other = scenario.create(engine="innodb")
    for each in (table, other):
        scenario.do(Insert(table=each, values=(1,)))
    kind = scenario.vary(_KIND)
    for number in scenario.several_of(_TEXTS):
        text = scenario.comment() if number else _comment(scenario)
        scenario.do(_with_text(kind, table, other, text), "WL4033-LOG-ROWS-QUERY-CONDITIONS")
        scenario.do(Insert(table=table, values=(1,)))
    return scenario.question()


def _comment(scenario: LogQuestion) -> dict[str, Any]:
    """Return the comment of a statement, by its dimensions."""
    comment = scenario.vary(COMMENT)
    if not comment:
        return {}
    first = scenario.vary(COMMENT_PLACE)
    if "{}" in comment:
        comment = comment.format("x" * scenario.vary(_LONGER))
    return {"comment": comment, "comment_first": first}


def _with_text(kind: str, table: TableName, other: TableName, text: dict[str, Any]) -> Change:
    if kind == "insert":
        return Insert(table=table, values=(2,), **text)
    if kind == "insert_select":
        return InsertSelect(table=table, source=other, **text)
    if kind == "update_tables":
        return UpdateTables(first=table, second=other, **text)
    return Update(table=table, **text) if kind == "update" else Delete(table=table, **text)


# --- the option

_SCOPE: Final = choices("scope", ("session", "global", "command line"))
_VALUE: Final = Dimension("value", {"ON": "ON", "OFF": "OFF", "refused 2": "2", "refused YES": "YES"})
#: A value that is taken is another one than before.
_START: Final = Dimension(
    "value at the start", {"OFF": False, "ON": True}, when={"value": ("refused 2", "refused YES")}
)
_TAKEN: Final = {"value": ("ON", "OFF")}
_SPELLING: Final = Dimension(
    "spelling", {"the word": 0, "a number": 1, "lower case": 2, "mixed case": 3, "true or false": 4}, when=_TAKEN
)
_FORM: Final = Dimension("form", {each: each for each in SET_FORMS}, when={"scope": ("session",)})
_GLOBAL_FORM: Final = Dimension(
    "form of SET GLOBAL", {each: each for each in SetGlobal.forms}, when={"scope": ("global",)}
)
_SWITCH: Final = Dimension(
    "on the command line", {"with a value": False, "alone": True}, when={"scope": ("command line",)}
)
#: What the session that is given the value had been given before.
_OWN: Final = choices("the session's values before", ("none", "another", "another, and back"))
_REFUSED_AT_START: Final = Impossible(
    {"scope": ("command line",), "value": ("refused 2", "refused YES")}, "a server does not start with such a value"
)


@asking_family(
    focus="WL4033-LOG-OPTION-NAME",
    profiles=WITH_ROWS_QUERIES,
    dimensions=(_SCOPE, _VALUE, _START, _SPELLING, _FORM, _GLOBAL_FORM, _SWITCH, _OWN),
    impossible=(_REFUSED_AT_START,),
)
def logged_options(choose: Chooser, server: Server) -> Question:
    """The option by its name, in every spelling, for the session, globally and at the start; sessions old and new."""
    value = choose.vary(_VALUE, server.profile)
    start = value == "OFF" if value in SPELLINGS else choose.vary(_START, server.profile)
    fixed = {"gtid_mode": "OFF", "binlog_format": "ROW", "binlog_checksum": "CRC32", _OPTION: start}
    scenario = LogQuestion(choose, settings_of(choose, server.profile, **fixed))
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    _show(scenario, table, _NAMED, _NAMED, session=2)
    own = choose.vary(_OWN, server.profile)
    for each in (not start, start)[: {"none": 0, "another": 1}.get(own, 2)]:
        scenario.do(SetSession(variable=_OPTION, value="ON" if each else "OFF"))
    scope = scenario.vary(_SCOPE)
    is_plain = _set(scenario, value, scope)
    set_now = (*_NAMED, *(("WL4033-LOG-OPTION-DYNAMIC",) if is_plain else ()))
    for session in (1, 2, 3):
        if scope == "command line":
            _show(scenario, table, _NAMED, _NAMED, session=session)
        elif scope == "global":
            _show(scenario, table, _SCOPED, set_now, session=session)
        elif session == 1:
            _show(scenario, table, set_now, set_now, session=session)
        else:
            _show(scenario, table, _SCOPED, _SCOPED, session=session)
    if scope == "global":
        # A value that was taken is among the settings with which the server starts again.
        scenario.do(Restart())
        _show(scenario, table, _SCOPED, set_now, session=1)
    return scenario.question()


def _set(scenario: LogQuestion, value: str, scope: str) -> bool:
    """Give the option a value, or try to, and return whether that is by a statement in its plainest form."""
    spelling = ("", *SPELLINGS[value])[scenario.vary(_SPELLING)] if value in SPELLINGS else ""
    if scope == "session":
        form = scenario.vary(_FORM)
        scenario.do(SetSession(variable=_OPTION, value=value, spelling=spelling, form=form))
        return not spelling and form == SET_FORMS[0]
    if scope == "global":
        form = scenario.vary(_GLOBAL_FORM)
        if value in SPELLINGS:
            # The value that it has: the next one holds all the same.
            scenario.do(SetGlobal(variable=_OPTION, value="OFF" if value == "ON" else "ON"))
        scenario.do(SetGlobal(variable=_OPTION, value=value, spelling=spelling, form=form))
        return not spelling and form == SetGlobal.forms[0]
    dashes = _OPTION.replace("_", "-")
    alone = ("--" if value == "ON" else "--skip-") + dashes
    option = (alone, "") if scenario.vary(_SWITCH) else (f"--{dashes}", spelling or value)
    scenario.do(Restart(options=(option,)))
    return False


#: What shows whether a value is taken under the option's name, and what shows for whom it holds.
_NAMED: Final = ("WL4033-LOG-OPTION-NAME",)
_SCOPED: Final = ("WL4033-LOG-OPTION-SCOPE",)


def _show(scenario: LogQuestion, table: TableName, own: Sequence[str], of_all: Sequence[str], *, session: int) -> None:
    """Change rows in a session, and insert the values that it sees.

    Args:
        scenario: The scenario.
        table: The table whose rows change.
        own: The requirements that the session's own value shows.
        of_all: Those that the global value shows.
        session: The number of the session.
    """
    for computed, marks in (("session_option", own), ("global_option", of_all)):
        scenario.do(Insert(table=table, computed=computed, session=session), *marks)


#: The server of the worklog alone: 5.6 does not keep the rules, and from 5.7 on INSERT DELAYED is a plain INSERT.
DELAYED: Final = Profiles("worklog")
_DELAYED: Final = Number("statements", fewest=2, many=(20, 30))
#: The engine of their table: what a transaction holds of one that cannot be rolled back is logged before it.
_WITHIN: Final = Dimension("in a transaction", {"no": None, "yes": "innodb", "on a plain table": "myisam"})
_ROWS: Final = Dimension("rows", {"1": 1, "2": 2, "3": 3, "60": 60, "120": 120}, heavy=("120",))


@asking_family(
    focus="WL4033-LOG-DELAYED-ONE-TABLE-MAP",
    profiles=DELAYED,
    dimensions=(GTID_MODE, _GIVEN, BINLOG_CHECKSUM, _DELAYED, _ROWS, _WITHIN),
)
def logged_delayed_inserts(choose: Chooser, server: Server) -> Question:
    """INSERT DELAYED statements one after the other, with few rows and with enough rows for several events."""
    option = bool(choose.vary(_GIVEN, server.profile))
    fixed = {"binlog_format": "ROW", "binlog_row_event_max_size": 256, _OPTION: option}
    scenario = LogQuestion(choose, settings_of(choose, server.profile, **fixed))
    scenario.open(tables=0)
    within = scenario.vary(_WITHIN)
    table = scenario.create(engine=within or "myisam")
    if within:
        scenario.do(Begin())
    for _ in scenario.several_of(_DELAYED):
        values = tuple(range(scenario.vary(_ROWS)))
        statement = Insert(table=table, values=values, delayed=True)
        scenario.do(statement, "WL4033-LOG-DELAYED-ONE-TABLE-MAP", "WL4033-LOG-DELAYED-NOT-SHARED")
    if within:
        scenario.do(Commit())
    return scenario.question()
