"""The server's tool accepts what the filter writes, and prints nothing of the tables that are dropped."""

import shutil
import subprocess

import pytest
from generated_logs import log_of
from test_filtered_log import doing, filtered, ignoring

PROFILES = ("mysql-5.7", "mysql-8.0", "mysql-9.x")
#: Logs of each profile: 300 together.
LOGS = 100


@pytest.fixture(scope="module")
def mysqlbinlog():
    program = shutil.which("mysqlbinlog")
    if not program:
        pytest.skip("needs the program mysqlbinlog on the PATH")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    if "MariaDB" in version:
        pytest.skip(f"the mysqlbinlog here is MariaDB's: {version.strip()}")
    return program


def printed(program, path):
    command = [program, "--no-defaults", "--verify-binlog-checksum", "-vv", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("profile", PROFILES)
def test_mysqlbinlog_reads_filtered_logs(mysqlbinlog, profile, tmp_path):
    path = tmp_path / "left.000001"
    for number in range(LOGS):
        stream, tables = log_of(number, profile)
        rules, unpack = ((ignoring, False), (ignoring, True), (doing, False))[number % 3]
        path.write_bytes(filtered(stream, rules(tables), unpack=unpack)[0])
        text = printed(mysqlbinlog, path)
        if rules is ignoring:
            for table in tables:
                name = table.name.replace("`", "``")
                assert f"`{table.database}`.`{name}`" not in text
