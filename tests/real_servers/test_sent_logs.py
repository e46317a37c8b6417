"""Real servers send what the model of a sender sends: logs of the kit in the place of their own, and their own logs."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest

from conformance.binlog.event_types import HEARTBEAT_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER_BYTES, MAGIC, TYPE_AT
from conformance.binlog.reader import read_events
from conformance.binlog.servers import WITH_HEARTBEAT_V2, server_of
from conformance.models.sender.sender_settings import NO_HOLE, Hole, LogFile, SenderSettings, Wait
from conformance.protocol.observation import Request
from conformance.protocol.reported_event import report
from conformance.reference.send import answer
from conformance.servers.dump import ANNOTATE_ROWS, HEARTBEAT_V2, NOT_BLOCKING, Dumped, dump
from conformance.servers.real_server import RealServer
from conformance.specs.versions import Profiles
from conformance.strategies.families import sent_logs
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.dimension import Dimension
from conformance.strategies.grammar.family import case_of, families
from tests.witnesses import witnessed_in_case

#: The servers whose senders have a model.
SERVERS = Profiles("mysql >= 5.6", "mariadb")
#: How the names of generated logs and of the servers' own logs begin.
BASE = "binlog"
SEED, CASES = 9, 25
#: The ways to the modes of MySQL, one step at a time.
MODES = ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")
#: Where a dump does not block, these end it before they send the position after the groups skipped last.
ENDING_EARLY = Profiles("mysql < 5.7")
#: Seconds until MariaDB has written its checkpoint to a new log, and after transactions.
SETTLING, SETTLING_AFTER_WORK = 0.3, 2.0


def families_of(profile: str) -> list[str]:
    return [name for name, each in families().items() if "send" in each.focus and profile in each.profiles_of("send")]


@pytest.fixture(scope="module")
def server(product, server_folder, template_of) -> Iterator[RealServer]:
    dialect = product.dialect
    options = [f"--log-bin={BASE}", "--binlog-format=ROW"]
    options += ["--binlog-checksum=CRC32"] if dialect.checksums else []
    options += [] if dialect.gtid_modes == "none" else ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]
    folder = server_folder / f"sender-{product.name}"
    server = RealServer(product, folder, options=options, template=template_of(product))
    server.start()
    yield server
    server.kill()


def set_mode(server: RealServer, mode: str) -> None:
    """Give a server a gtid_mode, if it has one."""
    modes = server.product.dialect.gtid_modes
    if modes == "none":
        return
    if modes == "at the start":
        if server.value("SELECT @@GLOBAL.gtid_mode") != mode:
            server.restart(f"--gtid-mode={mode}")
        return
    now = MODES.index(server.value("SELECT @@GLOBAL.gtid_mode"))
    wanted = MODES.index(mode)
    step = 1 if wanted > now else -1
    for at in range(now + step, wanted + step, step) if now != wanted else ():
        server.run(f"SET GLOBAL gtid_mode = {MODES[at]}")


def logs_of(server: RealServer, *, settling: float = SETTLING_AFTER_WORK) -> list[tuple[str, bytes]]:
    """Return the names and the bytes of the server's logs; MariaDB writes its checkpoints a moment later."""
    if server.product.is_mariadb:
        time.sleep(settling)
    return [(name, (server.data / name).read_bytes()) for name in names_of(server)]


def names_of(server: RealServer) -> list[str]:
    names = (server.data / f"{BASE}.index").read_text(encoding="utf-8").split()
    return [name.removeprefix("./") for name in names]


def write(path: Path, data: bytes, hole: Hole) -> None:
    """Write a log; nothing is written in its hole, which takes no room on most file systems."""
    with path.open("wb") as file:
        file.write(data[: hole.at])
        file.seek(hole.passed(hole.at))
        file.write(data[hole.at :])


def purged_before(log: bytes, profile: str) -> str:
    """Return the GTIDs of before a log, which a server has to know of as well: it begins logs of its own after it."""
    previous = (
        each for each in read_events(log, server_of(profile).rules) if each.data[TYPE_AT] == EventType.PREVIOUS_GTIDS
    )
    return next((report(each)["previous_gtids"] for each in previous), "")


def expected(
    profile: str, logs: list[tuple[str, bytes]], *, holes: Mapping[str, Hole] | None = None, **settings: object
) -> Dumped:
    """Return what the model sends of a server's logs, as the dump client has it."""
    files = tuple(LogFile(name, len(data), (holes or {}).get(name, NO_HOLE)) for name, data in logs)
    made = SenderSettings(profile=profile, logs=files, server_id=1, **settings)
    stream = b"".join(data for _, data in logs)
    observed = answer(Request("send", profile, stream, made.as_json()))
    events = tuple(bytes.fromhex(each["data"]) for each in observed.events)
    return Dumped(events, 0 if observed.error is None else observed.error.code or -1)


def difference(seen: Dumped, wanted: Dumped) -> str:
    """Return the first difference between what a server sent and what the model sends; empty if there is none."""
    for number, (event, model) in enumerate(zip_longest(seen.events, wanted.events, fillvalue=b"")):
        if event != model:
            return f"event {number + 1} is {event.hex()}, of the model {model.hex()}; {seen.message}"
    return "" if seen.error == wanted.error else f"the error is {seen.error} {seen.message}, expected {wanted.error}"


def test_a_server_sends_generated_logs_as_the_model_does(server, family, monkeypatch):
    monkeypatch.setattr(sent_logs, "_NAMES", Dimension("names of the logs", {"plain": (BASE, 1)}))
    profile = server.product.profile.name
    for index in range(CASES):
        case = case_of(CaseId(family, profile, seed=SEED, index=index, role="send"))
        settings = SenderSettings.of_json(profile, case.settings)
        set_mode(server, settings.gtid_mode)
        server.reset()
        purged = purged_before(case.stream[: settings.logs[0].length], profile)
        known = [f"SET GLOBAL gtid_purged = '{purged}'"] if purged else []
        server.run(*known, *["FLUSH BINARY LOGS"] * len(settings.logs))
        at, written = 0, {}
        for log in settings.logs:
            written[log.name] = case.stream[at : at + log.length]
            write(server.data / log.name, written[log.name], log.hole)
            at += log.length
        flags = NOT_BLOCKING | (HEARTBEAT_V2 if settings.heartbeat_v2 else 0)
        flags |= ANNOTATE_ROWS if settings.annotate_rows else 0
        request = {"log_name": settings.log_name, "log_pos": settings.log_pos, "checksum": settings.checksum}
        request["gtid_set"] = settings.gtid_set
        if server.product.is_mariadb:
            time.sleep(SETTLING)
        logs = [(name, written.get(name) or (server.data / name).read_bytes()) for name in names_of(server)]
        holes = {log.name: log.hole for log in settings.logs}
        seen = dump(server, flags=flags, **request)
        of_case = {"heartbeat_v2": settings.heartbeat_v2, "annotate_rows": settings.annotate_rows}
        wanted = expected(profile, logs, holes=holes, gtid_mode=settings.gtid_mode, **request, **of_case)
        assert difference(seen, wanted) == "", case.id
        witnessed_in_case(profile, case)


def test_a_server_that_fails_ends_the_dump_with_error_1236_after_what_it_could_read(server):
    server.reset()
    server.run("CREATE DATABASE IF NOT EXISTS f", "DROP DATABASE f", "FLUSH BINARY LOGS", "CREATE DATABASE f")
    (first, _), (last, data) = logs_of(server)
    whole = dump(server, log_name=first)
    (server.data / last).write_bytes(data[:-1])
    cut = dump(server, log_name=first)
    assert (whole.error, cut.error, dump(server, log_name="another.000001").error) == (0, 1236, 1236)
    assert cut.message.startswith("binlog truncated in the middle of event")
    assert cut.events == whole.events[:-1]
    server.reset()


def statements(server: RealServer) -> list[str]:
    made = ["CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1), (2)",
            "FLUSH BINARY LOGS", "UPDATE d.t SET a = a + 10", "SET GLOBAL binlog_checksum = 'NONE'",
            "DELETE FROM d.t", "SET GLOBAL binlog_checksum = 'CRC32'", "INSERT INTO d.t VALUES (3)"]  # fmt: skip
    if server.product.dialect.checksums:
        return made
    return ["FLUSH BINARY LOGS" if "binlog_checksum" in each else each for each in made]


def starts(log: bytes) -> Iterator[int]:
    """Yield where each event of a log starts, and where the log ends."""
    at = len(MAGIC)
    while at + HEADER_BYTES <= len(log):
        yield at
        at += int.from_bytes(log[at + 9 : at + 13], "little")
    yield at


def test_a_server_sends_its_own_logs_from_every_position_as_the_model_does(server):
    profile = server.product.profile.name
    server.reset()
    set_mode(server, "ON")
    server.reset()
    server.run(*statements(server))
    logs = logs_of(server)
    mode = "OFF" if server.product.dialect.gtid_modes == "none" else "ON"
    for checksum in ("CRC32", "NONE"):
        for name, data in logs:
            for position in starts(data):
                request = {"log_name": name, "log_pos": position, "checksum": checksum}
                seen = dump(server, **request)
                assert difference(seen, expected(profile, logs, gtid_mode=mode, **request)) == "", request


def test_a_server_that_waits_sends_the_heartbeats_of_the_model(server):
    profile = server.product.profile.name
    mode = "OFF" if server.product.dialect.gtid_modes == "none" else "ON"
    set_mode(server, mode)
    server.reset()
    server.run(*statements(server))
    logs = logs_of(server)
    name, data = logs[-1]
    request = {"log_name": name, "log_pos": 4}
    seen = dump(server, flags=0, heartbeats=2, **request)
    wanted = expected(profile, logs, gtid_mode=mode, waits=(Wait(name, len(data), 2),), **request)
    assert difference(seen, wanted) == ""
    if mode == "ON":
        # After transactions that the replica has, there is one more, at once.
        gtids = GtidSet.from_text(server.value("SELECT @@GLOBAL.gtid_executed"))
        for heartbeat_v2 in {False, profile in WITH_HEARTBEAT_V2}:
            flags = HEARTBEAT_V2 if heartbeat_v2 else 0
            seen = dump(server, flags=flags, heartbeats=3, gtid_set=gtids)
            wanted = expected(
                profile, logs, gtid_mode=mode, gtid_set=gtids, heartbeat_v2=heartbeat_v2,
                waits=(Wait(name, len(data), 2),),
            )  # fmt: skip
            assert difference(seen, wanted) == ""


def test_a_server_sends_each_part_of_its_gtids_as_the_model_does(server):
    if server.product.dialect.gtid_modes == "none":
        pytest.skip("the server has no gtid_mode")
    set_mode(server, "ON")
    server.reset()
    server.run(*statements(server))
    logs = logs_of(server)
    uuid, profile = server.value("SELECT @@GLOBAL.server_uuid"), server.product.profile.name
    count = 6
    for number in range(2**count):
        chosen = [f"{uuid}:{each + 1}" for each in range(count) if number >> each & 1]
        gtids = ExecutedGtids(GtidSet.from_text(",".join(chosen))).gtids()
        wanted = expected(profile, logs, gtid_mode="ON", gtid_set=gtids)
        if profile in ENDING_EARLY and wanted.events[-1][TYPE_AT] in HEARTBEAT_TYPES:
            wanted = replace(wanted, events=wanted.events[:-1])
        assert difference(dump(server, gtid_set=gtids), wanted) == "", chosen
