"""Scenarios of several logs: rotations, restarts, changes of gtid_mode, and the purging of logs (WL#7592)."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from conformance.binlog.servers import WITH_TAGGED_GTIDS, Server
from conformance.models.server.settings import GTID_MODES
from conformance.models.server.statements import (
    Begin,
    Commit,
    Crash,
    FlushLogs,
    Insert,
    InsertGtids,
    PurgeLogs,
    Restart,
    SetGlobal,
    SetGtidPurged,
    SetSession,
    Update,
)
from conformance.models.server.tables import TableName
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.chooser import Chooser
from conformance.strategies.grammar.dimension import Dimension, Number, choices, yes_or_no
from conformance.strategies.grammar.family import asking_family
from conformance.strategies.grammar.question import Question
from conformance.strategies.questions.log import LogQuestion
from conformance.strategies.scenarios.scenario import settings_of
from conformance.strategies.scenarios.scenario_dimensions import (
    ALWAYS,
    BINLOG_CHECKSUM,
    BINLOG_FORMAT,
    GTID_MODE,
    NEXT_LOG,
    NUMBERED,
    ROWS_QUERIES,
)

_LOGS: Final = Number("logs", many=(24, 40))
_IN_A_LOG: Final = Number("transactions in a log", fewest=0, many=(24, 40))
_OPEN: Final = yes_or_no("a transaction is open at the end of the log")
#: The ways to the next log in which all sessions end.
_ENDING: Final = ("restart", "crash")


@asking_family(
    focus="WL7592-LOG-ON-PREVIOUS-GTIDS",
    profiles=NUMBERED,
    dimensions=(GTID_MODE, BINLOG_FORMAT, BINLOG_CHECKSUM, ROWS_QUERIES, _LOGS, _IN_A_LOG, NEXT_LOG, _OPEN),
)
def logged_rotations(choose: Chooser, server: Server) -> Question:
    """Several logs under one gtid_mode: each ends by a rotation, a restart or a crash, some without transactions."""
    mode = choose.vary(GTID_MODE, server.profile)
    scenario = LogQuestion(choose, settings_of(choose, server.profile, gtid_mode=mode, enforce_gtid_consistency=True))
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    for _ in scenario.several_of(_LOGS):
        for _ in scenario.several_of(_IN_A_LOG):
            scenario.do(Insert(table=table, values=(choose.integer(0, 9),)))
        if scenario.vary(_OPEN):
            # What another session has not committed is in no log, whatever ends the log.
            scenario.do(Begin(session=2))
            scenario.do(Insert(table=table, values=(7,), session=2))
        way = scenario.vary(NEXT_LOG)
        _next_log(scenario, way)
    scenario.insert(table)
    if way in _ENDING:
        # What was not committed when the server ended is not there; elsewhere the rows are locked.
        scenario.do(Update(table=table))
    return scenario.question()


def _next_log(scenario: LogQuestion, how: str) -> None:
    checksum = scenario.server.settings.binlog_checksum
    if how == "the same checksum":
        scenario.do(SetGlobal(variable="binlog_checksum", value=checksum))
        return
    if how == "another checksum":
        scenario.do(SetGlobal(variable="binlog_checksum", value="NONE" if checksum == "CRC32" else "CRC32"))
        return
    scenario.do({"FLUSH": FlushLogs, "restart": Restart, "crash": Crash}[how]())


#: Ways between the modes and back, in single steps; the first mode is that in which the server starts.
_WAYS: Final[tuple[Sequence[str], ...]] = (
    ("OFF", "OFF_PERMISSIVE", "OFF"),
    ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"),
    ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
    ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"),
    ("ON", "ON_PERMISSIVE", "ON"),
    ("ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
    ("ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF"),
    ("ON", "ON_PERMISSIVE", "OFF_PERMISSIVE", "OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
    ("OFF_PERMISSIVE", "ON_PERMISSIVE", "OFF_PERMISSIVE"),
    ("ON_PERMISSIVE", "OFF_PERMISSIVE", "ON_PERMISSIVE"),
)
_WAY: Final = Dimension("gtid_mode", {", ".join(way): way for way in _WAYS})
_IN_A_MODE: Final = Number("transactions in a mode", fewest=0, many=(8, 12))
#: Given GTIDs of the server's own source leave numbers out, which automatic ones then have first.
_TAG: Final = "tag"
_EITHER: Final = "ANONYMOUS or given"
_OWN_GAPS, _OWN_TAGGED = "its own, with gaps", "its own, with tags"
_OF_EACH_SOURCE: Final = "each of another source"
#: Holes in the numbers of another source stay, as no automatic GTID fills them.
_WITH_HOLES: Final = "of one other source, with holes"
#: With a tag a number is another GTID: an automatic one has that number, too.
_GIVEN: Final = Dimension(
    "gtid_next",
    {each: each for each in ("AUTOMATIC", _EITHER, _OWN_GAPS, _OWN_TAGGED, _OF_EACH_SOURCE, _WITH_HOLES)},
    profiles={_OWN_TAGGED: WITH_TAGGED_GTIDS & ALWAYS},
)
#: A mode that is two steps away is refused, and the server goes on in its own; the worklog is silent about it.
_TWO_STEPS: Final = "a mode two steps away"
#: So are ON without consistency, or while a transaction is anonymous, and OFF while a session has a given GTID.
_INCONSISTENT: Final = "ON without consistency"
_NEEDED: Final = "a mode that another session rules out"
_REFUSED_MODES: Final = (_TWO_STEPS, _INCONSISTENT, _NEEDED)
_BETWEEN: Final = Dimension(
    "between the modes",
    {
        each: each
        for each in (
            *("nothing", "FLUSH", "restart", "crash", "another checksum", "the same mode again"),
            *_REFUSED_MODES,
        )
    },
    profiles=dict.fromkeys(_REFUSED_MODES, Profiles("mysql >= 5.7")),
)
#: With the third the text of what shows the sets is logged, and not its value.
_FORMAT: Final = choices("binlog_format", ("ROW", "MIXED"))
#: The source of GTIDs with holes.
_HOLED: Final = UUID(int=3)
#: Another session, and GTIDs that none has.
_OTHER: Final = 2
_MORE: Final = "00000000-0000-0000-0000-000000000002:1-3"
_FROM_ON: Final = [name for name in _WAY.classes if name.startswith("ON,")]
_PURGED: Final = Dimension(
    "gtid_purged at the start",
    {
        "empty": "",
        "of another source": "00000000-0000-0000-0000-000000000001:1-5:7",
        "its own": "{own}:1-3",
        "its own, with a gap": "{own}:2-3",
    },
    when={"gtid_mode": _FROM_ON},
)
#: A log that does not exist cannot be the first that stays.
_MISSING: Final = "up to one that is missing"
_PURGE: Final = choices("logs purged", ("none", "the oldest", "all but the last", "those before the middle", _MISSING))
#: What is executed cannot be declared as purged; other GTIDs can from 8.0 on.
_DECLARED: Final = choices("gtid_purged at the end", ("as it is", "set to what is executed", "set to more"))
_AFTER: Final = choices("after the purging", ("nothing", "FLUSH", "restart", "crash"))
#: The GTID of a transaction is executed once it is committed, and not before.
_SHOWN: Final = choices("the sets are shown", ("by themselves", "in a transaction with a GTID"))


@asking_family(
    focus="WL7592-LOG-PURGED-KEPT",
    profiles=ALWAYS,
    dimensions=(
        *(_WAY, _FORMAT, BINLOG_CHECKSUM, _PURGED, _IN_A_MODE, _GIVEN, _BETWEEN),
        *(_PURGE, _AFTER, _DECLARED, _SHOWN),
    ),
)
def logged_chains(choose: Chooser, server: Server) -> Question:
    """Changes of gtid_mode from any mode to any other and back, and logs that are purged: no GTID is lost."""
    profile = server.profile
    way = choose.vary(_WAY, profile)
    form = choose.vary(_FORMAT, profile)
    fixed = {"gtid_mode": way[0], "enforce_gtid_consistency": True, "binlog_format": form}
    scenario = LogQuestion(choose, settings_of(choose, profile, binlog_rows_query_log_events=False, **fixed))
    purged = scenario.vary(_PURGED) if way[0] == "ON" else ""
    if purged:
        scenario.do(SetGtidPurged(gtids=purged.format(own=scenario.server.settings.server_uuid)))
        scenario.do(FlushLogs())
        if profile == "worklog":
            # The oldest log then names what was declared: whether a restart forgets what no log names is left open.
            scenario.do(PurgeLogs(to=2))
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    for place, mode in enumerate(way):
        if place:
            scenario.do(SetGlobal(variable="gtid_mode", value=mode))
        _in_mode(scenario, table, mode)
        between = scenario.vary(_BETWEEN)
        if between == "the same mode again":
            # Only a change begins another log.
            scenario.do(SetGlobal(variable="gtid_mode", value=mode))
        elif between == _TWO_STEPS:
            away = GTID_MODES[(GTID_MODES.index(mode) + 2) % len(GTID_MODES)]
            scenario.do(SetGlobal(variable="gtid_mode", value=away))
        elif between == _INCONSISTENT:
            _set_on_inconsistently(scenario, table)
        elif between == _NEEDED:
            _set_mode_ruled_out(scenario, table, mode)
        elif between != "nothing":
            _next_log(scenario, between)
    _purge(scenario)
    after = scenario.vary(_AFTER)
    if after != "nothing":
        _next_log(scenario, after)
    _declare(scenario, scenario.vary(_DECLARED))
    if scenario.vary(_SHOWN) == "by themselves" or way[-1] == "OFF":
        _show_sets(scenario, table)
    else:
        scenario.do(SetSession(variable="gtid_next", value=scenario.given_gtid()))
        scenario.do(Begin())
        _show_sets(scenario, table)
        scenario.do(Commit())
        scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC"))
    scenario.do(FlushLogs())
    return scenario.question()


#: Mode -> steps from it without consistency: to each mode but ON, and back.
_WITHOUT_CONSISTENCY: Final[Mapping[str, Sequence[str]]] = {
    "OFF": ("OFF_PERMISSIVE", "OFF"),
    "OFF_PERMISSIVE": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "OFF_PERMISSIVE"),
    "ON_PERMISSIVE": ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
    "ON": (),
}


def _set_on_inconsistently(scenario: LogQuestion, table: TableName) -> None:
    """Have consistency off, and set gtid_mode to ON; where it is ON already, consistency is on and stays so."""
    plain = scenario.create(engine="myisam")
    scenario.do(SetGlobal(variable="enforce_gtid_consistency", value="OFF"))
    scenario.do(Begin())
    for changed in (table, plain):
        scenario.do(Insert(table=changed, values=(4,)))
    scenario.do(Commit())
    mode = scenario.server.settings.gtid_mode
    for step in _WITHOUT_CONSISTENCY[mode]:
        scenario.do(SetGlobal(variable="gtid_mode", value=step))
    scenario.do(SetGlobal(variable="enforce_gtid_consistency", value="ON"))


def _set_mode_ruled_out(scenario: LogQuestion, table: TableName, mode: str) -> None:
    """Set gtid_mode to ON while a session may be anonymous, or to OFF while one has a GTID, and do what it may do.

    To the other permissive mode it can be set at any time.
    """
    if mode not in ("OFF_PERMISSIVE", "ON_PERMISSIVE"):
        return
    gtid, refused = ("ANONYMOUS", "ON") if mode == "ON_PERMISSIVE" else (scenario.given_gtid(), "OFF")
    allowed = "OFF_PERMISSIVE" if mode == "ON_PERMISSIVE" else "ON_PERMISSIVE"
    is_open = scenario.choose.yes()
    scenario.do(SetSession(variable="gtid_next", value=gtid, session=_OTHER))
    if is_open:
        scenario.do(Begin(session=_OTHER))
        scenario.do(Insert(table=table, values=(3,), session=_OTHER))
    for value in (allowed, mode, refused):
        scenario.do(SetGlobal(variable="gtid_mode", value=value))
    scenario.do(Commit(session=_OTHER) if is_open else Insert(table=table, values=(3,), session=_OTHER))
    scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC", session=_OTHER))


def _declare(scenario: LogQuestion, declared: str) -> None:
    server = scenario.server
    if declared == "set to what is executed" and server.executed.size:
        scenario.do(SetGtidPurged(gtids=str(server.executed.gtids())))
    elif declared == "set to more":
        purged = str(server.purged.gtids())
        scenario.do(SetGtidPurged(gtids=f"{purged},{_MORE}" if purged else _MORE))


def _in_mode(scenario: LogQuestion, table: TableName, mode: str) -> None:
    given = scenario.vary(_GIVEN)
    for number in scenario.several_of(_IN_A_MODE):
        gtid_next = _gtid_next(scenario, given, mode, number)
        if gtid_next == "AUTOMATIC":
            scenario.do(Insert(table=table, values=(1,)))
            continue
        scenario.do(SetSession(variable="gtid_next", value=gtid_next))
        scenario.do(Insert(table=table, values=(2,)))
        scenario.do(SetSession(variable="gtid_next", value="AUTOMATIC"))


def _gtid_next(scenario: LogQuestion, given: str, mode: str, number: int) -> str:
    """Return the value of GTID_NEXT for one of the transactions in a mode, by its number and a class of `_GIVEN`."""
    if given == _EITHER:
        anonymous = mode == "OFF" or (mode != "ON" and scenario.choose.yes())
        return "ANONYMOUS" if anonymous else scenario.given_gtid()
    if mode == "OFF" or given == "AUTOMATIC":
        return "AUTOMATIC"
    if given == _OF_EACH_SOURCE:
        return f"{UUID(int=len(scenario.statements) + 1)}:1"
    if given == _WITH_HOLES:
        return f"{_HOLED}:{2 * len(scenario.statements) + 1}"
    return "AUTOMATIC" if number % 2 else _own_gtid(scenario, tagged=given == _OWN_TAGGED)


def _own_gtid(scenario: LogQuestion, *, tagged: bool) -> str:
    """Return a GTID of the server's own source with a number that leaves one out, or with a tag and the next one."""
    own = scenario.server.settings.server_uuid
    following = scenario.server.executed.next_of(UUID(own).bytes)
    if not tagged:
        return f"{own}:{following + 1}"
    sources = scenario.server.executed.gtids().sources
    used = [each.intervals[-1].end for each in sources if (each.uuid, each.tag) == (UUID(own).bytes, _TAG)]
    return f"{own}:{_TAG}:{max(following, *used)}" if used else f"{own}:{_TAG}:{following}"


def _purge(scenario: LogQuestion) -> None:
    numbers = [log.number for log in scenario.server.logs]
    purge = scenario.vary(_PURGE)
    if purge != "none":
        if purge == _MISSING:
            scenario.do(PurgeLogs(to=numbers[-1] + 1))
            return
        places = {"the oldest": 1, "all but the last": -1, "those before the middle": len(numbers) // 2}
        at = places[purge]
        scenario.do(PurgeLogs(to=numbers[at] if len(numbers) > 1 else numbers[0]))


def _show_sets(scenario: LogQuestion, table: TableName) -> None:
    """Insert whether both sets are those that are expected, and that neither is the other where they differ."""
    server = scenario.server
    for variable in ("gtid_executed", "gtid_purged"):
        for gtids in dict.fromkeys((str(server.executed.gtids()), str(server.purged.gtids()))):
            scenario.do(InsertGtids(table=table, variable=variable, gtids=gtids), "WL7592-LOG-PURGED-KEPT")


_OLD_GTIDS: Final = Number("GTIDs before WL#7592", fewest=0)
_OFF: Final = Number("transactions without a GTID before WL#7592", fewest=0)
_NEW_OFF: Final = Number("transactions without a GTID", fewest=0)
_NEW_GTIDS: Final = Number("GTIDs after WL#7592", fewest=0)
_SIMPLE: Final = yes_or_no("binlog_gtid_simple_recovery")
_RESTARTS: Final = Number("last restarts")
_OTHER_RECOVERY: Final = yes_or_no("with the other recovery from the second of them on")
_LAST: Final = choices("last log ends with", ("restart", "crash"))


@asking_family(
    focus="WL7592-LOG-SIMPLE-RECOVERY-OLD",
    profiles=Profiles("worklog"),
    dimensions=(BINLOG_CHECKSUM, _SIMPLE, _OLD_GTIDS, _OFF, _NEW_GTIDS, _NEW_OFF, _RESTARTS, _OTHER_RECOVERY, _LAST),
)
def logged_recoveries(choose: Chooser, server: Server) -> Question:
    """Logs from before and after WL#7592, of which a restart reads as few as possible, or as many as it needs."""
    simple = choose.vary(_SIMPLE, server.profile)
    fixed = {"gtid_mode": "ON", "binlog_format": "ROW", "binlog_rows_query_log_events": False}
    settings = settings_of(choose, server.profile, before_wl7592=True, binlog_gtid_simple_recovery=simple, **fixed)
    scenario = LogQuestion(choose, settings)
    scenario.open(tables=0)
    table = scenario.create(engine="innodb")
    for _ in scenario.several_of(_OLD_GTIDS):
        scenario.insert(table)
    scenario.do(Restart(options=(("gtid_mode", "OFF"),)))
    for _ in scenario.several_of(_OFF):
        scenario.insert(table)
    scenario.do(Restart(options=(("before_wl7592", "OFF"),)))
    scenario.mark_previous_gtids("WL7592-LOG-SIMPLE-RECOVERY-OLD" if simple else "WL7592-LOG-FULL-RECOVERY")
    for mode in GTID_MODES[1:]:
        scenario.do(SetGlobal(variable="gtid_mode", value=mode))
    for _ in scenario.several_of(_NEW_GTIDS):
        scenario.insert(table)
    for mode in GTID_MODES[2::-1]:
        scenario.do(SetGlobal(variable="gtid_mode", value=mode))
    for _ in scenario.several_of(_NEW_OFF):
        scenario.insert(table)
    last, changes = scenario.vary(_LAST), scenario.vary(_OTHER_RECOVERY)
    for number in scenario.several_of(_RESTARTS):
        if number == 1 and changes:
            simple = not simple
            scenario.do(Restart(options=(("binlog_gtid_simple_recovery", "ON" if simple else "OFF"),)))
        else:
            scenario.do(Restart() if last == "restart" else Crash())
        scenario.mark_previous_gtids("WL7592-LOG-SIMPLE-RECOVERY-NEW" if simple else "WL7592-LOG-FULL-RECOVERY")
    return scenario.question()
