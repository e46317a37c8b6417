"""Servers that run already, reached by a URL on the loopback address: judged, read, and left as they were."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from scenario_runs import lines_of

from conformance.implementations.registry import implementation
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.protocol.observation import Observation, Request
from conformance.servers.real_server import RealServer, running
from conformance.servers.scenario_runner import Runner
from conformance.servers.scenario_settings import current_settings
from conformance.servers.server_url import PASSWORD
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

SECRET = "pa:ss@w"
CASES = 8
#: Seconds until the kit has read what a server has just logged, on a busy machine too.
READING = 6.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def served(product, server_folder, template_of) -> Iterator[tuple[RealServer, str]]:
    """Yield a server and its URL; the server has written logs and executed transactions before."""
    port = free_port()
    options = ["--skip-networking=0", f"--port={port}", "--bind-address=127.0.0.1", "--binlog-format=ROW"]
    folder = server_folder / f"{product.name}-url"
    with running(product, folder, options=options, template=template_of(product)) as server:
        for user in ("kit", "poor"):
            server.run(f"CREATE USER '{user}'@'127.0.0.1' IDENTIFIED BY '{SECRET}'")
        server.run("GRANT ALL ON *.* TO 'kit'@'127.0.0.1'", "FLUSH LOGS", "CREATE DATABASE was", "DROP DATABASE was")
        yield server, f"mysql://kit@127.0.0.1:{port}"


def kit(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "conformance", *arguments]
    environment = {**os.environ, PASSWORD: SECRET}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)


def a_family(profile: str) -> str:
    wanted = ("logged_maintenance", "mixed_engines", "logged_transactions")
    return next(each for each in wanted if profile in families()[each].profiles_of("log"))


def test_a_running_server_is_certified_and_left_as_it_was(served):
    server, url = served
    profile = server.product.profile.name
    before = current_settings(server, profile), server.run("SHOW DATABASES"), server.run("SHOW GLOBAL VARIABLES")
    done = kit("certify", f"{url}?allow=settings", "--family", a_family(profile), "--examples", "8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "for each scenario it makes the databases d1 and d2" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    after = current_settings(server, profile), server.run("SHOW DATABASES"), server.run("SHOW GLOBAL VARIABLES")
    assert after[:2] == before[:2]
    changed = {row[0] for row in {*before[2]} ^ {*after[2]}}
    assert all("gtid" in each or each == "timestamp" for each in changed), changed


def test_its_answers_are_those_of_a_new_server(served, product, server_folder, template_of, monkeypatch):
    _, url = served
    profile = product.profile.name
    monkeypatch.setenv(PASSWORD, SECRET)
    options, uuid = ["--binlog-format=ROW"], Settings().server_uuid
    folder, template = server_folder / f"{product.name}-new", template_of(product)
    compared = 0
    with (
        running(product, folder, options=options, uuid=uuid, template=template) as new,
        implementation(f"{url}?allow=settings") as in_use,
    ):
        for index in range(CASES):
            case = case_of(CaseId(a_family(profile), profile, seed=5, index=index, role="log"))
            answer = in_use.ask(Request("log", profile, b"", case.settings))
            if isinstance(answer, Observation):
                _, streams = Runner(new).run(Scenario.from_json(case.settings["scenario"]))
                assert lines_of(answer.streams) == lines_of(streams), case.id
                compared += 1
    assert compared


def test_a_user_without_privileges_is_refused_with_all_that_is_missing(served):
    _, url = served
    done = kit("certify", url.replace("kit@", "poor@"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "RELOAD" in done.stderr
    assert SECRET not in done.stderr


def test_a_server_of_others_is_refused(served):
    server, url = served
    server.run("CREATE DATABASE shop")
    try:
        done = kit("certify", url, "--examples", "1")
    finally:
        server.run("DROP DATABASE shop")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "databases of other clients, such as shop" in done.stderr


def test_a_replica_is_refused(served):
    server, url = served
    dialect = server.dialect
    to = dialect.source
    if "relay" not in "".join(path.name for path in server.data.iterdir()):
        server.run(f"{dialect.change_source} {to}_HOST='127.0.0.9', {to}_USER='x', {to}_PORT=1")
    try:
        done = kit("certify", url, "--examples", "1")
    finally:
        server.run(f"STOP {dialect.replica}", "RESET SLAVE ALL" if server.is_mariadb else dialect.reset_replica)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "it is a replica: add ?allow=replica" in done.stderr


def test_live_logs_are_judged_until_they_are_interrupted(served):
    server, url = served
    command = [sys.executable, "-m", "conformance", "check", "--server", url]
    environment = {**os.environ, PASSWORD: SECRET}
    check = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        until = time.monotonic() + 30
        while "Binlog Dump" not in [row[4] for row in server.run("SHOW PROCESSLIST")]:
            assert time.monotonic() < until, "it does not read"
            time.sleep(0.1)
        server.run("CREATE DATABASE live", "CREATE TABLE live.t (a INT)", "INSERT INTO live.t VALUES (1)")
        server.run("FLUSH LOGS", "INSERT INTO live.t VALUES (2)", "DROP DATABASE live")
        time.sleep(READING)
        check.send_signal(signal.SIGINT)
        output, errors = check.communicate(timeout=30)
    finally:
        check.kill()
    assert (check.returncode, errors) == (0, "")
    profile = server.product.profile.name
    verdicts = re.findall(rf"/bin\.\d+: healthy \(.*, {profile} rules, binary log; (\d+) events", output)
    assert len(verdicts) == 2, output
    assert all(int(events) >= 4 for events in verdicts)
    assert re.search(r"FORMAT-LOG-ROTATE-NEXT +1 +0", output)
