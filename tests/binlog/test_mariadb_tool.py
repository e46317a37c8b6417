"""MariaDB's reader prints the row values that the kit reads, for its servers and for MySQL before 5.6.

The program is the one that BINLOG_MARIADB_BINLOG names, or mariadb-binlog on the PATH. No current mysqlbinlog reads
the rows of 5.1 and 5.5.
"""

import os
import shutil
import subprocess

import pytest
from decoded_rows import is_row_line

from conformance.binlog.reader import read_events
from conformance.binlog.rows.column_codes import ColumnType
from conformance.binlog.rows.open_tables import row_changes
from conformance.binlog.rows.row_text import row_lines
from conformance.binlog.servers import server_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

TOOL = os.environ.get("BINLOG_MARIADB_BINLOG") or shutil.which("mariadb-binlog")
PROFILES = ("mysql-5.1", "mysql-5.5", "mariadb-10.x", "mariadb-11.x")
OLD = {ColumnType.TIME, ColumnType.DATETIME, ColumnType.TIMESTAMP}
COMPRESSED = {ColumnType.MARIADB_VARCHAR_COMPRESSED, ColumnType.MARIADB_BLOB_COMPRESSED}

pytestmark = pytest.mark.skipif(
    TOOL is None, reason="needs mariadb-binlog: on the PATH, or named by BINLOG_MARIADB_BINLOG"
)


def printed(*options, stream, folder):
    path = folder / "binlog.000001"
    path.write_bytes(stream)
    command = [TOOL, "--no-defaults", "--base64-output=decode-rows", *options, str(path)]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("profile", PROFILES)
def test_it_prints_the_values_that_the_kit_reads(profile, tmp_path):
    seen = set()
    for index in range(40):
        case = case_of(CaseId("every_column_type", profile, seed=21, index=index))
        done = printed("-vv", stream=case.stream, folder=tmp_path)
        theirs = [line for line in done.stdout.decode("utf-8", "surrogateescape").split("\n") if is_row_line(line)]
        changes = list(row_changes(read_events(case.stream, server_of(profile).rules)))
        rows = [(row, change.table) for change in changes for row in change.rows]
        ours = [line for row, table in rows for line in row_lines(row, table, mariadb=True)]
        assert (done.returncode, theirs) == (0, ours), case.id
        seen.update(column.type for change in changes for column in change.table.columns)
    assert seen >= (OLD if profile.startswith("mysql") else COMPRESSED)


def test_it_stops_at_the_first_encrypted_event(tmp_path):
    for index in range(10):
        case = case_of(CaseId("encrypted_events", "mariadb-11.x", seed=21, index=index))
        done = printed(stream=case.stream, folder=tmp_path)
        assert done.returncode == 1
        assert f"Could not read entry at offset {case.expected.refused_at}:" in done.stderr.decode()
        assert b"The rest of the binlog is encrypted!" in done.stdout
