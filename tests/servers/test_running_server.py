"""A running server is refused for what it lacks and for whose it is, each reason in words. The servers are doubles."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

pymysql = pytest.importorskip("pymysql", reason="needs the extra servers")

from click.testing import CliRunner  # noqa: E402

from conformance.binlog.event_types import EventType  # noqa: E402
from conformance.binlog.header import HEADER, MAGIC  # noqa: E402
from conformance.cli.main import cli  # noqa: E402
from conformance.servers import live_logs as live_logs_module  # noqa: E402
from conformance.servers import running_server  # noqa: E402
from conformance.servers.dump import Dumped  # noqa: E402
from conformance.servers.live_logs import LiveLog, LiveLogs  # noqa: E402
from conformance.servers.products import DIALECTS  # noqa: E402
from conformance.servers.running_server import reading_problems, scenario_problems  # noqa: E402
from conformance.servers.server_url import ServerUrl  # noqa: E402
from conformance.servers.wire_source import NATIVE, WireSource  # noqa: E402

DENIED = 1227
URL = ServerUrl("kit", "127.0.0.1", 3306)


@dataclass(frozen=True)
class Double:
    """A server as the checks see it; a statement that begins as one of `refused` is an error."""

    url: ServerUrl = URL
    profile: str = "mysql-8.0.15"
    log_bin: int = 1
    databases_: tuple[str, ...] = ()
    is_replica: bool = False
    grants: str = "GRANT ALL PRIVILEGES ON *.* TO `kit`@`%`"
    refused: tuple[str, ...] = ()
    dump_error: int = 0
    is_mariadb: bool = field(default=False)

    @property
    def dialect(self):
        return DIALECTS[self.profile]

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        if statements[-1].startswith(self.refused or ("nothing",)):
            raise pymysql.err.OperationalError(DENIED, "Access denied")
        return {
            "SHOW MASTER STATUS": [("bin.000007", 157)],
            "SHOW SLAVE STATUS": [("Waiting",)] if self.is_replica else [],
            "SHOW GRANTS": [(self.grants,)],
        }.get(statements[-1], [])

    def value(self, query: str) -> Any:
        assert query == "SELECT @@GLOBAL.log_bin"
        return self.log_bin

    def current_log(self) -> str:
        return self.run(self.dialect.log_status)[0][0]

    def databases(self) -> list[str]:
        return list(self.databases_)


FIT = Double()
#: What is wrong with a server -> the server, and what is reported.
UNFIT = {
    "no log": (replace(FIT, log_bin=0), "log_bin is OFF: start the server with --log-bin"),
    "no end": (replace(FIT, refused=("SHOW MASTER STATUS",)), "GRANT REPLICATION CLIENT ON *.*"),
    "no dump": (replace(FIT, dump_error=DENIED), "GRANT REPLICATION SLAVE ON *.*"),
    "no format": (replace(FIT, refused=("SET SESSION binlog_format",)), "may not set binlog_format"),
    "no unlogged": (replace(FIT, refused=("SET SESSION sql_log_bin",)), "may not set sql_log_bin"),
    "no reload": (replace(FIT, grants="GRANT SELECT ON *.* TO `kit`@`%`"), "GRANT RELOAD ON *.*"),
    "hidden state": (replace(FIT, refused=("SHOW SLAVE STATUS",)), "may not see if it is a replica"),
    "replica": (replace(FIT, is_replica=True), "add ?allow=replica"),
    "others": (replace(FIT, databases_=("shop",)), "databases of other clients, such as shop"),
    "ours": (replace(FIT, databases_=("d2",)), "it has the database d2"),
}


@pytest.fixture(autouse=True)
def _dump(monkeypatch):
    monkeypatch.setattr(running_server, "dump", lambda server, **unused: Dumped((), server.dump_error))


def test_a_server_that_has_all_that_is_needed_is_accepted():
    assert scenario_problems(FIT, ("d1", "d2")) == []
    assert reading_problems(FIT) == []


@pytest.mark.parametrize("case", UNFIT)
def test_a_server_that_lacks_something_is_refused_with_one_reason(case):
    server, text = UNFIT[case]
    (problem,) = scenario_problems(server, ("d1", "d2"))
    assert text in problem


@pytest.mark.parametrize(("allowed", "case"), [("replica", "replica"), ("databases", "others")])
def test_what_the_url_allows_is_not_refused(allowed, case):
    url = replace(URL, allowed=frozenset({allowed}))
    server = replace(UNFIT[case][0], url=url)
    assert scenario_problems(server, ("d1", "d2")) == []
    # Another one is.
    both = replace(server, is_replica=True, databases_=("shop",))
    assert len(scenario_problems(both, ("d1", "d2"))) == 1


def test_the_kits_own_databases_are_never_taken_over():
    url = replace(URL, allowed=frozenset({"replica", "databases", "settings"}))
    (problem,) = scenario_problems(replace(FIT, url=url, databases_=("d1",)), ("d1", "d2"))
    assert problem.startswith("it has the database d1")


def test_every_reason_is_reported_at_once():
    server = Double(databases_=("shop",), is_replica=True, grants="", dump_error=DENIED)
    assert len(scenario_problems(server, ("d1", "d2"))) == 4
    assert len(reading_problems(server)) == 1


@pytest.mark.parametrize("words", [("certify", "{}"), ("check", "--server", "{}", "--time", "5s")])
def test_a_server_without_a_log_ends_a_command_with_2_and_one_line(words):
    # It answers each question of which it knows nothing with 0.
    with WireSource([], server_id=1, gtid_mode="OFF", checksum="NONE", plugin=NATIVE) as source:
        arguments = [each.format(f"mysql://kit@127.0.0.1:{source.port}") for each in words]
        done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert "log_bin is OFF: start the server with --log-bin" in done.output
    assert done.output.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["certify", "server:oracle"], "no server 'oracle'; the servers are mysql55, "),
        (["certify", "server:mysql57"], "server:mysql57 needs BINLOG_SERVERS"),
        (["certify", "mysql://kit@h?allow=all"], "'all' cannot be allowed"),
        (["check"], "name files, or a server with --server"),
        (["check", "a.000001", "--server", "mysql://kit@h"], "but not both"),
        (["check", "a.000001", "--time", "3s"], "--time needs --server"),
        (["check", "--server", "db.example"], "needs a user and a host"),
        (["check", "--server", "mysql://kit@127.0.0.1:1"], "cannot be reached: Can't connect"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(arguments, text, monkeypatch):
    monkeypatch.delenv("BINLOG_SERVERS", raising=False)
    done = CliRunner().invoke(cli, arguments)
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert text in done.output


def test_a_server_that_is_not_unpacked_is_named_with_what_unpacks_it(tmp_path, monkeypatch):
    monkeypatch.setenv("BINLOG_SERVERS", str(tmp_path))
    done = CliRunner().invoke(cli, ["certify", "server:mariadb114"])
    assert done.exit_code == 2
    assert f"provision.sh {tmp_path} mariadb114`" in done.output


def event(code: EventType, body: bytes = b"", log_pos: int = 99) -> bytes:
    return HEADER.pack(0, code, 1, 19 + len(body), log_pos, 0) + body


def naming(name: str) -> bytes:
    return event(EventType.ROTATE, bytes(8) + name.encode(), log_pos=0)


def live(monkeypatch, events: list[bytes], error: Exception | None = None, stop_after: int = 10**6) -> LiveLogs:
    events_so_far = iter(range(10**6))

    def sent(server: object, log_name: str) -> Iterator[bytes]:
        yield from events
        if error is not None:
            raise error

    monkeypatch.setattr(live_logs_module, "live_events", sent)
    return LiveLogs(FIT, "b.000001", lambda: next(events_so_far) >= stop_after)


def read(logs: LiveLogs) -> dict[str, bytes]:
    return {name: b"".join(pieces(stream)) for name, stream in logs.logs()}


def pieces(stream: LiveLog) -> Iterator[bytes]:
    while piece := stream.read(7):
        yield piece


ONE, TWO, BEAT = event(EventType.XID, bytes(8)), event(EventType.STOP), event(EventType.HEARTBEAT, b"b.000001")


def test_live_logs_are_those_that_the_server_writes_without_heartbeats(monkeypatch):
    lost = pymysql.err.OperationalError(2013, "Lost connection")
    logs = live(
        monkeypatch, [naming("b.000001"), ONE, BEAT, TWO, naming("b.000002"), BEAT, naming("b.000002"), ONE], lost
    )
    assert read(logs) == {"b.000001": MAGIC + ONE + TWO, "b.000002": MAGIC + ONE}
    assert logs.error == "Lost connection"


def test_live_logs_end_when_they_are_stopped(monkeypatch):
    logs = live(monkeypatch, [naming("b.000001"), ONE, BEAT, BEAT, TWO], stop_after=2)
    assert read(logs) == {"b.000001": MAGIC + ONE}
    assert logs.error == ""


def test_logs_without_events_end_when_they_are_stopped(monkeypatch):
    logs = live(monkeypatch, [naming(f"b.{number:06}") for number in range(100)], stop_after=5)
    assert len(read(logs)) == 5


def test_a_server_that_falls_silent_once_the_time_is_up_is_none(monkeypatch):
    logs = live(monkeypatch, [naming("b.000001"), ONE], pymysql.err.OperationalError(2013, "Lost"), stop_after=2)
    assert read(logs) == {"b.000001": MAGIC + ONE}
    assert logs.error == ""


def test_a_server_that_ends_the_connection_is_an_error(monkeypatch):
    logs = live(monkeypatch, [naming("b.000001"), ONE])
    assert read(logs) == {"b.000001": MAGIC + ONE}
    assert logs.error == "the server ended the connection"
