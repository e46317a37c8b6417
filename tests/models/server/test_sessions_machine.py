"""A state machine over sessions, rotation and restart: the logs always hold what was committed, exactly once."""

import io

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule
from model_logs import RULES

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import read_events
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.verdicts import Violation
from conformance.models.server.execution import run
from conformance.models.server.gtid import Gtid
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.logging_server import SourceServer
from conformance.models.server.settings import GTID_MODES, Settings
from conformance.models.server.statements import (
    Begin,
    Commit,
    Crash,
    CreateDatabase,
    CreateTable,
    Disconnect,
    FlushLogs,
    Insert,
    Restart,
    Rollback,
    RollbackTo,
    Savepoint,
    SetGlobal,
    SetSession,
)
from conformance.models.server.tables import TableName
from conformance.protocol.answered_streams import observed_streams

TABLE = TableName("d", "t")
#: The error of a server that refuses a setting within a transaction.
_NOT_INSIDE = 1766
SESSIONS = st.integers(1, 3)


def gtids_of(gtids):
    return {
        Gtid(source.uuid, source.tag, gno)
        for source in gtids.sources
        for interval in source.intervals
        for gno in range(interval.start, interval.end)
    }


class Sessions(RuleBasedStateMachine):
    """Inserts one number after the other, and remembers which of them must be in the logs."""

    savepoints = Bundle("savepoints")

    @initialize(
        profile=st.sampled_from(("worklog", "mysql-5.7", "mysql-9.x")),
        mode=st.sampled_from(GTID_MODES),
        rows_queries=st.booleans(),
    )
    def start(self, profile, mode, rows_queries):
        self.server = SourceServer(
            Settings(
                profile=profile,
                gtid_mode=mode,
                enforce_gtid_consistency=True,
                binlog_rows_query_log_events=rows_queries,
            )
        )
        self.count = 0
        self.committed = []
        #: Session -> the numbers that its open transaction inserted, with the names of savepoints among them.
        self.open = {}
        self.number = 0
        self.do(CreateDatabase(database="d"))
        self.do(CreateTable(table=TABLE))

    def do(self, statement):
        outcome = run(self.server, self.count, statement)
        self.count += 1
        return outcome

    def commit(self, session):
        self.committed += [each for each in self.open.pop(session, []) if isinstance(each, int)]

    @rule(session=SESSIONS)
    def insert(self, session):
        self.number += 1
        assert self.do(Insert(table=TABLE, values=(self.number,), session=session)).error is None
        if session in self.open:
            self.open[session].append(self.number)
        else:
            self.committed.append(self.number)

    @rule(session=SESSIONS)
    def begin(self, session):
        self.do(Begin(session=session))
        self.commit(session)
        self.open[session] = []

    @rule(session=SESSIONS)
    def end(self, session):
        self.do(Commit(session=session))
        self.commit(session)

    @rule(session=SESSIONS)
    def roll_back(self, session):
        self.do(Rollback(session=session))
        self.open.pop(session, None)

    @rule(session=SESSIONS, name=st.sampled_from(("a", "b")))
    def set_savepoint(self, session, name):
        self.do(Savepoint(name=name, session=session))
        if session in self.open:
            self.open[session] = [each for each in self.open[session] if each != name] + [name]

    @precondition(lambda self: any("a" in each for each in self.open.values()))
    @rule()
    def roll_back_to_savepoint(self):
        session = next(number for number, each in self.open.items() if "a" in each)
        assert self.do(RollbackTo(name="a", session=session)).error is None
        place = self.open[session].index("a")
        self.open[session] = self.open[session][: place + 1]

    @rule(session=SESSIONS)
    def rotate(self, session):
        self.do(FlushLogs(session=session))
        self.commit(session)

    @rule(session=SESSIONS)
    def leave(self, session):
        self.do(Disconnect(session=session))
        self.open.pop(session, None)

    @rule(crashed=st.booleans())
    def start_again(self, crashed):
        self.do(Crash() if crashed else Restart())
        self.open.clear()

    @rule(step=st.sampled_from((1, -1)))
    def change_gtid_mode(self, step):
        at = GTID_MODES.index(self.server.settings.gtid_mode) + step
        if 0 <= at < len(GTID_MODES):
            within = self.server.session(1).transaction is not None
            error = self.do(SetGlobal(variable="gtid_mode", value=GTID_MODES[at])).error
            assert error == (_NOT_INSIDE if within else None)

    @rule(session=SESSIONS, value=st.sampled_from(("ON", "OFF")))
    def change_option(self, session, value):
        self.do(SetSession(variable="binlog_rows_query_log_events", value=value, session=session))

    def streams(self):
        return [log_bytes(log) for log in self.server.logs]

    @invariant()
    def the_logs_hold_what_was_committed_in_its_order(self):
        if not hasattr(self, "server"):
            return
        observed = observed_streams(self.streams(), RULES)
        assert observed.error is None
        rows = [row["after"]["0"] for event in observed.events for row in event.get("rows", ())]
        assert rows == self.committed

    @invariant()
    def every_log_obeys_the_rules_for_recorded_logs(self):
        if not hasattr(self, "server"):
            return
        findings = []
        for number, stream in enumerate(self.streams(), 1):
            profile = self.server.settings.profile
            LogChecker(f"bin.{number:06d}", profile=profile, report=findings.append).check(io.BytesIO(stream))
        assert [each for each in findings if isinstance(each, Violation)] == []

    @invariant()
    def previous_gtids_are_those_of_the_logs_before(self):
        if not hasattr(self, "server"):
            return
        earlier = set()
        for stream in self.streams():
            events = list(read_events(stream, RULES))
            previous = next(each for each in events if each.header.type == EventType.PREVIOUS_GTIDS)
            assert gtids_of(previous.fields()["previous_gtids"]) == earlier
            for event in events:
                if event.header.type == EventType.GTID:
                    gtid = Gtid(event.fields()["source_uuid"], "", event.fields()["gno"])
                    assert gtid not in earlier
                    earlier.add(gtid)
        assert gtids_of(self.server.executed.gtids()) == earlier


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=20, stateful_step_count=25)
