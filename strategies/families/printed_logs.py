"""Logs to be printed: what mysqlbinlog and SHOW BINLOG EVENTS must show (WL#4033, WL#4162, WL#7592)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.binlog.servers import MOST_EVENT_TYPES, WITH_IGNORABLE_FLAG, WITH_ROWS_QUERIES
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.events.row_events import ROWS_FLAGS
from conformance.strategies.events.statement_events import user_var
from conformance.strategies.events.unassigned_types import codes_dimension
from conformance.strategies.families import event_types
from conformance.strategies.families.flagged_events import FLAGGED, flag_following
from conformance.strategies.families.ignorable_events import UNASSIGNED, declare_up_to
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import EPOCH, StreamBuilder
from conformance.strategies.groups import transactions as groups
from conformance.strategies.groups.boundary_groups import with_marker
from conformance.strategies.groups.replica_variants import code_of
from conformance.strategies.questions.render import BASE64_OUTPUTS, UTC_OFFSETS

#: Servers that write Rows_query events.
_VERY_VERBOSE: Final = 2
#: Servers after those whose Query events had logical timestamps among their status variables, which they skip.
_AFTER_TIMESTAMPS: Final = Profiles("worklog", "mysql >= 5.7")
#: Code and bytes of the two status variables.
_LOGICAL_TIMESTAMPS: Final = ((14, 8), (15, 16))
_START, _INSIDE, _END = (
    int(each)
    for each in (BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION, BoundaryType.END_TRANSACTION)
)

_VERBOSE: Final = choices("verbose", (_VERY_VERBOSE, 1, 0))
_BASE64: Final = choices("base64 output", BASE64_OUTPUTS)
_ZONE: Final = choices("minutes east of UTC", UTC_OFFSETS)
_MARKED: Final = Dimension("markers", {"no": False, "yes": True}, profiles={"yes": Profiles("worklog")})
_TRANSACTIONS: Final = Number("transactions")
_STATEMENTS: Final = Number("statements of a transaction")
_ROWS_EVENTS: Final = choices("rows events of a statement", (1, 2, 3))
_CHANGE: Final = choices("change of rows", tuple(mysql_events.ROW_CHANGES))
#: Unknown ignorable events after the rows of a statement: the largest body of each, in bytes.
_UNKNOWN: Final = Dimension[tuple[int, ...]](
    "unknown ignorable event", {"empty": (0,), "of some bytes": (40,), "none": (), "two in a row": (40, 0)}
)
#: Where they are: servers and programs hold what they print of a statement until its last rows.
_PLACE_OF_UNKNOWN: Final = Dimension(
    "place of the unknown event",
    {"after the rows": 0, "before the last rows event": -1, "after the Table_map": 1},
    when={"unknown ignorable event": ("empty", "of some bytes", "two in a row")},
)
#: What is logged before a statement: a program holds it until the statement comes.
_UNKNOWN_BETWEEN: Final = "several, an unknown ignorable event among them"
_BEFORE_STATEMENT: Final = Dimension[tuple[Callable[[StreamBuilder], PlannedEvent], ...]](
    "values before the statement",
    {
        "none": (),
        "one": (mysql_events.intvar,),
        "the largest number": (partial(mysql_events.intvar, largest=True),),
        "several": (mysql_events.intvar, mysql_events.rand, user_var),
        _UNKNOWN_BETWEEN: (mysql_events.intvar, user_var),
        "both numbers": (partial(mysql_events.intvar, kind=1), partial(mysql_events.intvar, kind=2)),
    },
)
#: The shape of the statement in a Rows_query; servers without that event have the first alone.
_SHAPES: Final[Mapping[str, Callable[[StreamBuilder], str]]] = {
    "any": lambda stream: mysql_events.text(stream, 1, 300),
    "one character": lambda stream: "x",
    "several lines": lambda stream: "INSERT INTO t\nVALUES (1),\n\n(2)",
    "a line break at the end": lambda stream: "INSERT INTO t VALUES (1)\n",
    "line breaks of Windows": lambda stream: "INSERT INTO t\r\nVALUES (1)",
    "tabs": lambda stream: "INSERT\tINTO t VALUES ('\t')",
    "a comment in a later line": lambda stream: "INSERT INTO t\n# of two\n-- rows\nVALUES (1), (2)",
    "line breaks of other kinds": lambda stream: "INSERT INTO t VALUES ('\x0b\x0c\x1c\x85\u2028')",
    "a comment": lambda stream: "# INSERT -- of one\n/* row */ INTO t VALUES (1)",
    "quotes and backslashes": lambda stream: "INSERT INTO `a``b` VALUES ('it''s', \"\\\\\")",
    "several bytes for a character": lambda stream: "INSERT INTO t VALUES ('日本語ü')",
    "four bytes for a character": lambda stream: "INSERT INTO t VALUES ('😀')",
    "a delimiter": lambda stream: "INSERT INTO t VALUES ('/*!*/;')\n/*!*/;",
    "255 bytes": lambda stream: "x" * 255,
    "256 bytes": lambda stream: "x" * 256,
    "hundreds of lines": lambda stream: "INSERT INTO t VALUES (1)" + "\n,(2)" * 300,
}
_TEXT: Final = Dimension("statement shown", _SHAPES, profiles={name: WITH_ROWS_QUERIES for name in list(_SHAPES)[1:]})
#: The first time, in seconds since 1970, the server id, and the position at which the log begins, as that of a part cut
#: out of a large one; all of them use all 32 bits.
_HEADERS: Final = Dimension(
    "time, server id and position",
    {"usual": (EPOCH, 1, len(MAGIC)), "with the highest bit": (1 << 31, (1 << 32) - 2, 1 << 31)},
)
#: Bytes of a database's name, which has at most 64 characters of 3: around what a server has room for where it lists.
_DATABASE_BYTES: Final = (64, 65, 127, 128, 129, 192)
_DATABASE: Final = Dimension(
    "default database",
    {"short": "test", **{f"{size} bytes": mysql_events.text_of("日", size) for size in _DATABASE_BYTES}},
)
_LEAST, _GREATEST = -(1 << 31), (1 << 31) - 1
#: The values of the columns of a row, in turn; none for any.
_VALUES: Final = Dimension[Sequence[int | None]](
    "values of the rows",
    {
        "any": (),
        "NULL": (None,),
        "NULL and others": (0, None, -1),
        "the least and the greatest": (_LEAST, _GREATEST),
    },
)
#: After the DROP of the default database a session has none, although a database of its name is made at once.
_MADE_AGAIN: Final = Dimension(
    "the default database is made again",
    {
        "no": None,
        "after DROP DATABASE": "DROP DATABASE `test`",
        "after drop database": "drop database test",
        "after DROP DATABASE IF EXISTS": "DROP DATABASE IF EXISTS `test`",
        "after DROP SCHEMA": "DROP SCHEMA `test`",
        "after DROP with more spaces": "drop  database\n test",
        "after DROP with comments": "/* 1 */ DROP /* 2 */ DATABASE `test`",
    },
)
#: The format description is printed all the same, and in base64, as the rows need it.
_PRINTED_FROM: Final = choices(
    "printed from",
    ("the beginning", "the first transaction", "the end of the first transaction"),
    when={_HEADERS.name: ("usual",)},
)
#: How a log is written that the same call prints after the first: the server may have been replaced between them.
#: Not with longer post-headers, as no server writes them: mysqlbinlog 9.7.4 refuses Table_map events that have them.
_NEXT_LOG: Final = choices("another log", ("none", "alike", "with other checksums", "of more event types"))
#: The server of a log that ends within a statement was killed; its rows are not those of a statement in the next log.
_CUT_OFF: Final = yes_or_no(
    "the log ends within a statement of rows",
    when={"another log": [each for each in _NEXT_LOG.classes if each != "none"]},
)
#: The codes of the unknown events, beyond all that any server has given a meaning, too.
_CODES: Final = codes_dimension("any up to 127", "44", "127", "128", "198")
_FILLED: Final = (
    _HEADERS,
    _MARKED,
    _TRANSACTIONS,
    _STATEMENTS,
    _TEXT,
    _ROWS_EVENTS,
    _CHANGE,
    _VALUES,
    ROWS_FLAGS,
    _UNKNOWN,
    _PLACE_OF_UNKNOWN,
    _BEFORE_STATEMENT,
    FLAGGED,
    _CODES,
)


@family(
    focus="WL4033-RENDER-IGNORABLE-COMMENT",
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(_VERBOSE, _BASE64, _ZONE, *_FILLED, _MADE_AGAIN, _NEXT_LOG, _CUT_OFF, _PRINTED_FROM),
)
def rendered_text(stream: StreamBuilder) -> None:
    """Logs with everything that the text of mysqlbinlog must show, printed with any of its options."""
    stream.settings |= {
        "form": "mysqlbinlog",
        "verbose": stream.vary(_VERBOSE),
        "base64_output": stream.vary(_BASE64),
        "utc_offset": stream.vary(_ZONE),
    }
    kind = stream.vary(_NEXT_LOG)
    is_cut_off = kind != "none" and stream.vary(_CUT_OFF)
    _fill(stream, made_again=stream.vary(_MADE_AGAIN), is_cut_off=is_cut_off, may_start=True)
    if kind != "none":
        stream.settings["next_logs"] = [_next_log(stream, kind)]


def _next_log(stream: StreamBuilder, kind: str) -> StreamBuilder:
    """Return another log with a transaction and a statement, written in one of the ways of `_NEXT_LOG`."""
    other = kind == "with other checksums"
    following = StreamBuilder(stream.choose, stream.server, checksums=stream.checksummed != other)
    following.timestamp, following.server_id = stream.timestamp, stream.server_id
    following.settings["form"] = stream.settings["form"]
    code = UNASSIGNED[0]
    lengths = declare_up_to(following, MOST_EVENT_TYPES if kind == "of more event types" else code)
    groups.begin_log(following, lengths=lengths)
    _add(following, _transaction(following, code, commit=True), marked=False, anonymous=True)
    _add(following, groups.ddl(following), marked=False, anonymous=True)
    groups.end_log(following)
    return following


@family(focus="WL4033-GOLDEN-SHOW-INFO", profiles=WITH_ROWS_QUERIES, dimensions=(_DATABASE, *_FILLED))
def show_binlog_events(stream: StreamBuilder) -> None:
    """Logs with everything that SHOW BINLOG EVENTS must list."""
    stream.settings["form"] = "events"
    _fill(stream, database=stream.vary(_DATABASE))


#: What a server logs besides statements and rows: in a payload events have no position of their own.
_PRINTED: Final = event_types.additions(
    "what is logged", ("user variables", "loaded file", "incident", "group replication", "XA")
)
_FORM: Final = choices("form", ("mysqlbinlog", "events"))
_AS_TEXT: Final = {_FORM.name: ("mysqlbinlog",)}
_VERBOSE_TEXT: Final = replace(_VERBOSE, when=_AS_TEXT)
_BASE64_TEXT: Final = replace(_BASE64, when=_AS_TEXT)
_TIMES: Final = Number("times", few=2, many=(10, 12))


@family(
    focus="FORMAT-RENDER-ENTRIES",
    profiles=Profiles("worklog", "mysql >= 5.6"),
    dimensions=(_PRINTED, _FORM, _TIMES, _VERBOSE_TEXT, _BASE64_TEXT),
)
def printed_event_types(stream: StreamBuilder) -> None:
    """Logs with files that are loaded, XA transactions, Incidents and what group replication logs."""
    form = stream.vary(_FORM)
    stream.settings["form"] = form
    if form == "mysqlbinlog":
        stream.settings |= {"verbose": stream.vary(_VERBOSE_TEXT), "base64_output": stream.vary(_BASE64_TEXT)}
    groups.begin_log(stream)
    for _ in stream.several_of(_TIMES):
        stream.vary(_PRINTED)(stream)
    groups.end_log(stream)


def _fill(
    stream: StreamBuilder,
    *,
    database: str | None = None,
    made_again: str | None = None,
    is_cut_off: bool = False,
    may_start: bool = False,
) -> None:
    """Add a log, which ends with a statement in a database if one is given, or if the default one is made again.

    Args:
        stream: The stream.
        database: The database of the last statement.
        made_again: The statement that drops the default database.
        is_cut_off: Whether the log ends within a statement.
        may_start: Whether the family has `_PRINTED_FROM`.
    """
    choose = stream.choose
    stream.timestamp, stream.server_id, position = stream.vary(_HEADERS)
    stream.begin_log_of_source(position)
    code = code_of(stream, _CODES)
    groups.begin_log(stream, lengths=declare_up_to(stream, code))
    start = stream.vary(_PRINTED_FROM) if may_start else ""
    if start == "the first transaction":
        stream.settings["start_position"] = stream.offset
    flag_following(stream)
    marked = stream.vary(_MARKED)
    for number in stream.several_of(_TRANSACTIONS):
        commit, anonymous = (choose.yes(), choose.yes()) if number else (True, True)
        _add(stream, _transaction(stream, code, commit=commit), marked=marked, anonymous=anonymous)
        if number == 0 and start == "the end of the first transaction":
            stream.settings["start_position"] = stream.offset
    if database is not None:
        _add(stream, groups.ddl(stream, database=database), marked=marked, anonymous=choose.yes())
    elif made_again or choose.yes():
        _add(stream, groups.ddl(stream), marked=marked, anonymous=choose.yes())
    if made_again:
        for text in (made_again, "CREATE DATABASE `test`"):
            # However they are written, they need no default database.
            statement = mysql_events.query(stream, text, flags=int(Flag.SUPPRESS_USE))
            _add(stream, [statement], marked=marked, anonymous=choose.yes())
        _add(stream, groups.ddl(stream), marked=marked, anonymous=choose.yes())
    if is_cut_off:
        planned = [mysql_events.query(stream, "BEGIN", status_variables=b"")]
        planned += groups.row_changes(stream, rows_events=choose.integer(2, 3))[:-1]
        _add(stream, planned, marked=marked, anonymous=choose.yes())
        return
    for event in groups.ending(stream):
        stream.add(with_marker(event, BoundaryType.SELF_CONTAINED) if marked else event)


def _transaction(stream: StreamBuilder, code: int, *, commit: bool) -> list[PlannedEvent]:
    """Return a transaction in row format, with the statement before the rows where the server can log it."""
    choose = stream.choose
    planned = [mysql_events.query(stream, "BEGIN", status_variables=b"")]
    for number in stream.several_of(_STATEMENTS):
        text = stream.vary(_TEXT)(stream)
        if stream.server.profile in WITH_ROWS_QUERIES and not (number and choose.yes(6)):
            planned.append(mysql_events.rows_query(stream, text))
        changes = groups.row_changes(
            stream,
            rows_events=stream.vary(_ROWS_EVENTS),
            change=stream.vary(_CHANGE),
            numbers=stream.vary(_VALUES),
            flags=stream.vary(ROWS_FLAGS),
        )
        sizes = stream.vary(_UNKNOWN)
        at = (stream.vary(_PLACE_OF_UNKNOWN) if sizes else 0) or len(changes)
        unknown = [_ignorable(stream, code, choose.octets(1, size) if size else b"") for size in sizes]
        planned += [*changes[:at], *unknown, *changes[at:]]
    before = stream.vary(_BEFORE_STATEMENT)
    if before or choose.yes(3):
        values = [make(stream) for make in before]
        if before == _BEFORE_STATEMENT.classes[_UNKNOWN_BETWEEN]:
            values.insert(1, _ignorable(stream, code, b""))
        planned += [*values, _statement(stream)]
    planned.append(mysql_events.query(stream, "COMMIT") if commit else mysql_events.xid(stream))
    return planned


def _statement(stream: StreamBuilder) -> PlannedEvent:
    """Return a statement, which sometimes still has a logical timestamp, as development releases of 5.7 stored them."""
    choose = stream.choose
    variables = None
    if stream.server.profile in _AFTER_TIMESTAMPS and stream.settings["form"] == "mysqlbinlog" and choose.yes():
        code, size = choose.one_of(_LOGICAL_TIMESTAMPS)
        variables = bytes([code]) + choose.octets(size, size)
    return mysql_events.query(stream, mysql_events.text(stream, 1, 60), status_variables=variables)


def _rows_query(stream: StreamBuilder) -> PlannedEvent:
    return mysql_events.rows_query(stream, mysql_events.text(stream, 1, 300))


def _ignorable(stream: StreamBuilder, code: int, body: bytes) -> PlannedEvent:
    if stream.choose.yes(8):
        code = int(EventType.IGNORABLE)
    return mysql_events.ignorable(stream, code, body, flags=0)


def _add(stream: StreamBuilder, planned: list[PlannedEvent], *, marked: bool, anonymous: bool) -> None:
    """Add a group with its Gtid event, and with boundary markers where the server has the feature."""
    planned = groups.with_gtid(stream, planned, anonymous=anonymous)
    for event in with_markers(planned) if marked else planned:
        stream.add(event)
    stream.timestamp += 1


def with_markers(planned: list[PlannedEvent]) -> list[PlannedEvent]:
    """Return a group of two events or more with its boundary markers; unknown ignorable ones have Ignore Boundary."""
    markers = [_START, *[_INSIDE] * (len(planned) - 2), _END]
    marked = []
    for event, marker in zip(planned, markers, strict=True):
        value = int(BoundaryType.IGNORE_BOUNDARY) if event.ignored else marker
        marked.append(event._replace(flags=MARKER_BITS.write(event.flags, value)))
    return marked


def _begin_twice(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """Add a transaction that begins before another one has ended, and then the rest of that one."""
    cut = _cut(stream, planned)
    _add_all(stream, [*planned[:cut], *planned, *planned[cut:]])
    groups.end_log(stream)


def _stray_statement(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """Add a transaction with a Rows_query inside whose marker is Self Contained."""
    stray = _rows_query(stream)
    stray = stray._replace(flags=MARKER_BITS.write(stray.flags, int(BoundaryType.SELF_CONTAINED)))
    _add_all(stream, [*planned[:2], stray, *planned[2:]])
    groups.end_log(stream)


def _start_in_the_middle(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """Add a complete log that is printed from within a transaction."""
    cut = _cut(stream, planned)
    _add_all(stream, planned[:cut])
    stream.settings["start_position"] = stream.offset
    _add_all(stream, planned[cut:])
    groups.end_log(stream)


def _start_in_the_middle_twice(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """Add a complete log that is printed from within a transaction, and then once more, from its beginning."""
    _start_in_the_middle(stream, planned)
    stream.settings["repeats"] = 1


def _unfinished_twice(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """Add a log that ends within a transaction, to be printed twice in one call."""
    _add_all(stream, planned[: _cut(stream, planned)])
    stream.settings["repeats"] = 1


def _unfinished_thrice(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """Add a log that ends within a transaction, to be printed three times in one call."""
    _unfinished_twice(stream, planned)
    stream.settings["repeats"] = 2


def _finished_twice(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """End a log with a whole transaction, to be printed twice in one call."""
    _add_all(stream, planned)
    stream.settings["repeats"] = 1


def _headless_twice(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    """End a log that begins within a transaction within another one, to be printed twice in one call."""
    _unfinished_twice(stream, planned)


_Fault = Callable[[StreamBuilder, list[PlannedEvent]], None]
_FAULT: Final = Dimension[_Fault](
    "what is wrong",
    {
        "begins twice": _begin_twice,
        "a stray Rows_query": _stray_statement,
        "printed from the middle": _start_in_the_middle,
        "printed from the middle, and then from the beginning": _start_in_the_middle_twice,
        "unfinished, and printed twice": _unfinished_twice,
        "unfinished, and printed three times": _unfinished_thrice,
        "without a beginning, and printed twice": _finished_twice,
        "without a beginning, unfinished, and printed twice": _headless_twice,
    },
)
#: The events that open a statement of rows, which its last rows event ends.
_OPENING: Final = (EventType.ROWS_QUERY, EventType.TABLE_MAP)
_BEFORE: Final = Number("transactions before", fewest=0, few=2)
_CODE: Final = int(EventType.IGNORABLE)


#: Whether the events have markers, and whether the log has Previous_gtids: without it, a marked log begins with events
#: that leave the parser in its first state.
_MARKED_LOG: Final = Dimension(
    "markers", {"no": (False, True), "yes": (True, True), "yes, and no Previous_gtids": (True, False)}
)


@family(
    focus="WL4162-WARN-DUMP",
    profiles=Profiles("worklog"),
    dimensions=(
        _FAULT,
        _VERBOSE,
        _BASE64,
        _MARKED_LOG,
        _BEFORE,
        _STATEMENTS,
        _ROWS_EVENTS,
        _VALUES,
        _UNKNOWN,
        _PLACE_OF_UNKNOWN,
    ),
)
def printed_boundaries(stream: StreamBuilder) -> None:
    """Logs with one wrong step, or printed from the middle of a transaction, or twice in one call."""
    choose = stream.choose
    stream.settings |= {
        "form": "mysqlbinlog",
        "verbose": stream.vary(_VERBOSE),
        "base64_output": stream.vary(_BASE64),
    }
    (marked, previous), add_fault = stream.vary(_MARKED_LOG), stream.vary(_FAULT)
    flags = MARKER_BITS.write(0, int(BoundaryType.IGNORE_BOUNDARY)) if marked else 0
    groups.begin_log(stream, previous=previous, flags=flags)
    if add_fault in (_finished_twice, _headless_twice):
        planned = _whole_transaction(stream, marked=marked)
        _add_all(stream, planned[_cut(stream, planned) :])
    for _ in stream.several_of(_BEFORE):
        _add(stream, _transaction(stream, _CODE, commit=choose.yes()), marked=marked, anonymous=False)
    # A wrong marker on a Rows_query, which may not be printed at all, is one among right ones.
    add_fault(stream, _whole_transaction(stream, marked=marked or add_fault is _stray_statement))


def _whole_transaction(stream: StreamBuilder, *, marked: bool) -> list[PlannedEvent]:
    """Return a transaction with its Gtid event."""
    choose = stream.choose
    planned = _transaction(stream, _CODE, commit=choose.yes())
    planned = [groups.group_gtid(stream, planned, anonymous=choose.yes()), *planned]
    return with_markers(planned) if marked else planned


def _cut(stream: StreamBuilder, planned: list[PlannedEvent]) -> int:
    """Return where a transaction is cut: after its BEGIN, and not within a statement."""
    whole = []
    is_open = False
    for index, event in enumerate(planned[:-1], start=1):
        is_open = event.type in _OPENING or (is_open and not event.fields.get("rows_flags", 0) & STATEMENT_END)
        if index > 1 and not is_open:
            whole.append(index)
    return stream.choose.one_of(whole)


def _add_all(stream: StreamBuilder, planned: list[PlannedEvent]) -> None:
    for event in planned:
        stream.add(event)
