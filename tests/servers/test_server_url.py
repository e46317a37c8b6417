"""URLs of servers: what they name, what is refused, and that no message has their password."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.implementations.process.environment import environment_of
from conformance.servers.server_url import PASSWORD, ServerUrl, without_password

SECRET = "pa:s/s@w#1"

GOOD = {
    "mysql://kit@db.example": ServerUrl("kit", "db.example", 3306),
    "mysql://kit@db.example:3307/": ServerUrl("kit", "db.example", 3307),
    "mysql://a%40b@[::1]:3307": ServerUrl("a@b", "::1", 3307),
    "mysql://kit@h?allow=replica,databases": ServerUrl("kit", "h", 3306, frozenset({"replica", "databases"})),
    "mysql://kit@h?allow=settings&allow=replica": ServerUrl("kit", "h", 3306, frozenset({"settings", "replica"})),
}
BAD = {
    "mysql://db.example": "needs a user and a host",
    "mysql://kit@": "needs a user and a host",
    "mysql:kit@h": "needs a user and a host",
    "mysql://kit@h:x": "port",
    "mysql://kit@h:99999": "port",
    "mysql://kit@h/test": "no path",
    "mysql://kit@h?allow=everything": "'everything' cannot be allowed",
    "mysql://kit@h?allow": "'' cannot be allowed",
    "mysql://kit@h?ssl=1": "'ssl' is not an option",
    f"mysql://kit:{SECRET}@h": f"put it into {PASSWORD}",
    "mysql://kit:w#1": "port",
}


@pytest.mark.parametrize("text", GOOD)
def test_a_url_names_user_host_port_and_what_is_allowed(text):
    url = ServerUrl.of(text)
    assert url == GOOD[text]
    assert ServerUrl.of(str(url)) == ServerUrl(url.user, url.host, url.port) or "@" in url.user


@pytest.mark.parametrize("text", BAD)
def test_another_url_is_refused_and_its_password_not_repeated(text):
    with pytest.raises(ValueError, match=BAD[text].replace("?", r"\?")) as caught:
        ServerUrl.of(text)
    assert not any(part in str(caught.value) for part in ("pa:", "s/s", "w#1"))


@pytest.mark.parametrize("password", [SECRET, "x", "a@b@c", "p%40", ""])
def test_a_password_is_taken_out_of_a_url(password):
    quoted = password.replace("%40", "@")
    assert without_password(f"mysql://kit:{password}@h:1?allow=replica") == ("mysql://kit@h:1?allow=replica", quoted)
    assert without_password(f"--server=MariaDB://kit:{password}@h") == ("--server=MariaDB://kit@h", quoted)


@pytest.mark.parametrize("text", ["mysql://kit@h", "http://kit:x@h", "log:f/mysql-8.0/0/1", "--time", "mysqlbinlog:/a"])
def test_what_has_no_password_stays(text):
    assert without_password(text) == (text, None)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs a system that shows command lines in /proc")
@pytest.mark.parametrize("words", [("certify", "{}"), ("check", "--time", "60s", "--server={}")])
def test_no_process_shows_the_password(words):
    pytest.importorskip("pymysql")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        url = f"mysql://kit:{SECRET}@127.0.0.1:{listener.getsockname()[1]}"
        command = [sys.executable, "-m", "conformance", *(each.format(url) for each in words)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            # It has connected, so it has read its command line.
            connection, _ = listener.accept()
            shown = Path(f"/proc/{process.pid}/cmdline").read_bytes()
            assert f"{PASSWORD}={SECRET}".encode() in Path(f"/proc/{process.pid}/environ").read_bytes()
            connection.close()
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert SECRET.encode() not in shown
    assert b"mysql://kit@127.0.0.1" in shown
    assert process.returncode == 2
    assert output.count("\n") == 1
    assert SECRET not in output


def test_a_program_that_is_certified_does_not_see_the_password(monkeypatch):
    monkeypatch.setenv(PASSWORD, SECRET)
    assert "PATH" in environment_of(())
    assert PASSWORD not in environment_of(())
