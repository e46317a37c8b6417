"""`check` finds nothing in the logs of unusual statements, which no scenario has: savepoints in triggers."""

from contextlib import suppress
from pathlib import Path

import pymysql
import pytest

from conformance.log_check.log_checker import LogChecker
from conformance.servers.real_server import running
from tests.extras import require
from tests.witnesses import witnessed_in_log

require("servers")

STATEMENTS = Path(__file__).with_name("unusual_statements.sql").read_text().splitlines()[1:]
#: Events of which the logs have more, whatever a server refuses.
FEWEST = 150


def logged(server, rows):
    """Run all statements in one session, then crash and start the server; return its logs."""
    with server.connect() as session, session.cursor() as cursor:
        for each in STATEMENTS:
            with suppress(pymysql.err.MySQLError):
                cursor.execute(each.format(file=rows))
                cursor.fetchall()
    server.run("CREATE DATABASE d2", "CREATE TABLE d2.m (a INT) ENGINE=MEMORY", "INSERT INTO d2.m VALUES (1)")
    server.kill()
    server.start()
    server.value("SELECT COUNT(*) FROM d2.m")  # Its first use logs that it is empty.
    server.stop()
    return server.logs()


@pytest.mark.parametrize("log_format", ["STATEMENT", "ROW", "MIXED"])
def test_nothing_is_found_in_the_logs(product, template_of, tmp_path, log_format):
    rows = tmp_path / "rows.txt"
    rows.write_text("1\n2\n3\n")
    options = [f"--binlog_format={log_format}", f"--secure_file_priv={tmp_path}"]
    if product.name == "mysql55":
        options.pop()
    violations, events = [], 0
    with running(product, tmp_path / "data", options=options, template=template_of(product)) as server:
        for path in logged(server, rows):
            checker = LogChecker(path.name, report=violations.append)
            with path.open("rb") as log:
                checked = checker.check(log)
            assert checked.unreadable is None
            witnessed_in_log(checked)
            events += checked.log.events
    assert [each for each in violations if hasattr(each, "requirement")] == []
    assert events > FEWEST
