"""The names of implementations, and the errors about wrong names."""

import re
import sys

import pytest

from conformance.implementations.process.process_implementation import CannotStart
from conformance.implementations.registry import catalogue, implementation
from conformance.protocol.observation import Observation, Request
from tests.extras import require

REQUEST = Request("decode", "mysql-8.0", b"\xfebin")


def test_every_name_has_a_usage_and_a_description():
    names = [entry.name for entry in catalogue()]
    assert set(names) == {
        "reference", "mysql-replication", "mysql-replication-default-filter", "mariadb-binlog", "mysqlbinlog",
        "python", "command", "server", "mysql", "go-mysql", "mysql-binlog-connector-java", "mysql_common",
        "mysql-binlog-connector-rust", "@vlasky/zongji", "@powersync/mysql-zongji", "canal-dbsync", "vitess",
        "mysql_cdc", "asyncmy", "mysql_binlog",
    }  # fmt: skip
    for entry in catalogue():
        assert entry.usage.startswith(entry.name)
        assert "\n" not in entry.description


def test_what_cannot_be_used_names_what_it_needs_and_where_that_is(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    reasons = {entry.name: entry.available() for entry in catalogue()}
    assert {name for name, reason in reasons.items() if reason is None} == {
        "reference", "python", "command", "mysql-replication", "mysql-replication-default-filter",
        "asyncmy",
    }  # fmt: skip
    for name in ("server", "mysql"):
        assert reasons.pop(name).startswith("PyMySQL is not installed: pip install")
    for name in ("mysqlbinlog", "mariadb-binlog"):
        assert f"{name} is not on the PATH: it is in M" in reasons.pop(name)
    for name, reason in reasons.items():
        assert reason is None or re.fullmatch(rf"{re.escape(name)} needs .+ \(https://.+\) on the PATH", reason), reason


def test_the_reference_answers():
    with implementation("reference") as reference:
        assert isinstance(reference.ask(REQUEST), Observation)


def test_a_mutant_is_made_by_its_name():
    with implementation("reference:text-cut-at-255") as mutant:
        assert mutant.declaration.name == "reference:text-cut-at-255"


def test_a_command_with_an_open_quotation_is_shown():
    with pytest.raises(ValueError, match=r"unclosed.*is not a valid command line: No closing quotation"):
        implementation("command:'unclosed")


def test_a_command_is_split_like_a_shell_would():
    script = "import sys; sys.exit(' '.join(sys.argv[1:]))"
    with pytest.raises(CannotStart, match="exit-status-1\none two words"):
        implementation(f"command:{sys.executable} -c \"{script}\" one 'two words'").start()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "mysql_replication",
            "'mysql_replication' is not a valid implementation: did you mean mysql-replication or",
        ),
        ("referenceX", "'referenceX' is not a valid implementation"),
        ("reference==1", "the reference has no version"),
        ("reference:no-such-mutant", "no mutant 'no-such-mutant'"),
        ("mysql-replication==", "is not a valid version"),
        ("mysql-replication==../../x", "is not a valid version"),
        ("mysql-replication:1.0.7", "':1.0.7' is not a valid version: write mysql-replication@1.0.17"),
        ("go-mysql@", "'@' is not a valid version: write go-mysql@"),
        ("go-mysql@1.7.0", "go-mysql 1.7.0 has no adapter: write 1.8.0 or a later version"),
        ("@vlasky/zongi@0.9.0", "'@vlasky/zongi@0.9.0' is not a valid implementation: did you mean @vlasky/zongji"),
        ("mysqlbinlog==8.0", "a program of this machine"),
        ("mysqlbinlog@8.0", "a program of this machine"),
        ("command:", "'command' needs a program"),
        ("command", "'command' needs a program"),
    ],
)
def test_the_error_about_a_wrong_name_gives_the_right_form(spec, message):
    with pytest.raises(ValueError, match=message):
        implementation(spec)


def test_unpacked_servers_are_usable_where_their_folder_is_named(monkeypatch):
    require("servers")
    server = next(each for each in catalogue() if each.name == "server")
    monkeypatch.setenv("BINLOG_SERVERS", "/servers")
    assert server.available() is None
    monkeypatch.delenv("BINLOG_SERVERS")
    assert server.available() == "BINLOG_SERVERS, the folder of the servers, is not set"


def test_the_error_about_a_wrong_name_of_a_server_names_those_that_there_are():
    require("servers")
    message = "no server 'mysql5'; the servers are mysql55, .*; did you mean mysql57 or .*; write server:NAME"
    with pytest.raises(ValueError, match=message):
        implementation("server:mysql5")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mysqlbinlog", "mysqlbinlog is not on the PATH: it is in MySQL's client package, such as .*; or write"),
        ("mariadb-binlog", "mariadb-binlog is not on the PATH: it is in MariaDB's client package, .*; or write"),
        ("mysqlbinlog:/nowhere/mysqlbinlog", "/nowhere/mysqlbinlog is not a program that can be run"),
    ],
)
def test_a_program_that_is_missing_is_named_with_the_package_that_has_it(spec, message, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CannotStart, match=f"^{message}"):
        implementation(spec).start()
