"""One conversation with the program that answers the protocol by means of a real server."""

import base64
import json
import subprocess
import sys
from pathlib import Path

from conformance.binlog.reader import read_events
from conformance.binlog.servers import server_of
from conformance.specs.versions import Profiles

SERVERS = Profiles("mysql >= 9.0")
PROGRAM = Path(__file__).parent / "logging_server.py"


def test_a_server_answers_in_the_role_log(product):
    settings = {"profile": "mysql-9.7.4", "binlog_rows_query_log_events": True}
    statements = [
        {"kind": "create_database", "database": "d1"},
        {"kind": "create_table", "table": "d1.t1"},
        {"kind": "insert", "table": "d1.t1", "values": [1, 2]},
    ]
    internal = [{"kind": "internal_rows", "table": "d1.t1", "values": [1]}]
    requests = [
        {"cmd": "start", "protocol": 1},
        {"cmd": "log", "seq": 1, "settings": {"scenario": {"settings": settings, "statements": statements}}},
        {"cmd": "log", "seq": 2, "settings": {"scenario": {"settings": settings, "statements": internal}}},
        {"cmd": "stop"},
    ]
    command = [sys.executable, str(PROGRAM), product.name]
    lines = "".join(json.dumps(each) + "\n" for each in requests)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120, check=True)
    declaration, logged, declined = map(json.loads, done.stdout.splitlines())
    assert declaration["roles"]["log"]["profiles"] == ["mysql-9.7.4"]
    (stream,) = map(base64.b64decode, logged["streams"])
    names = [each.header.type for each in read_events(stream, server_of("mysql-9.7.4").rules)]
    assert names == [15, 35, 34, 2, 34, 2, 34, 2, 29, 19, 30, 16]
    assert declined == {"seq": 2, "unsupported": "there is no SQL for internal_rows"}


def test_an_unknown_server_is_refused():
    done = subprocess.run([sys.executable, str(PROGRAM), "oracle"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage: logging_server.py" in done.stderr
