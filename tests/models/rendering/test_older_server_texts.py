"""What older servers list of their own logs, and what mysqlbinlog 9.7.4 and mariadb-binlog 10.11.18 print of them."""

import re

import pytest
from older_servers import SERVERS, logs_of, version_of_server
from printed import RULES_9, printed

from conformance.binlog.reader import ReaderRules, read_events
from conformance.log_check.server_profile import profile_of
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.models.rendering.show_binlog_events import COLUMNS, show_binlog_events

pytestmark = pytest.mark.ground_truth

#: Logs with rows that were listed after they were copied -> how many.
COPIED_BEFORE = {"mariadb101/ctas_statement/bin.000001": 2}
#: The listings have backslashes as they are.
ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t"})
#: What the programs print on standard error, which the recorded texts have too.
ERROR = re.compile(rb"ERROR: Could not read entry at offset (\d+):")
ON_STANDARD_ERROR = (b"ERROR: ", b"WARNING: ")
#: The program wrote LOAD DATA's files to its own folder, and counted them.
LOADED_FILE = re.compile(rb"^(LOAD DATA LOCAL INFILE ')[^']*/(SQL_LOAD_MB-\w+-)\w+'", re.MULTILINE)
#: Long logs have no text, and no mariadb-binlog ran on those of 11.4.
WITHOUT_TEXT = ("/big_rows/", "mariadb114/")


def listed(log, version):
    rows = show_binlog_events(log.path.name, read_events(log.path.read_bytes()), version)
    for row in rows:
        cells = (row.log_name, row.pos, row.event_type, row.server_id, row.end_log_pos)
        yield "\t".join((*map(str, cells), str(row.info).translate(ESCAPES)))


@pytest.mark.parametrize("server", SERVERS)
def test_every_row_is_that_of_the_server(ground_truth, server):
    version = PRINTER_VERSIONS[profile_of(version_of_server(ground_truth, server))]
    with_listing = [each for each in logs_of(ground_truth, server) if each.listing.exists()]
    assert len(with_listing) > 35
    for log in with_listing:
        theirs = log.listing.read_bytes().decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
        if theirs[0] == "\t".join(COLUMNS):
            del theirs[0]
        del theirs[len(theirs) - COPIED_BEFORE.get(log.name, 0) :]
        ours = list(listed(log, version))
        assert ours[: len(theirs)] == theirs, log.name
        # The events were listed before the server stopped.
        assert [each.split("\t")[2] for each in ours[len(theirs) :]] in ([], ["Stop"]), log.name


@pytest.mark.parametrize("server", [each for each in SERVERS if each != "mariadb114"])
def test_every_line_is_that_of_the_program(ground_truth, server):
    is_mariadb = server.startswith("mariadb")
    profile, rules = ("mariadb-10.x", ReaderRules()) if is_mariadb else ("mysql-9.x", RULES_9)
    for log in logs_of(ground_truth, server):
        assert log.text.exists() != any(part in log.name for part in WITHOUT_TEXT)
        if not log.text.exists():
            continue
        recorded = LOADED_FILE.sub(rb"\1\g<2>0'", log.text.read_bytes()).split(b"\n")
        theirs = [line for line in recorded if not line.startswith(ON_STANDARD_ERROR)]
        ours = printed([log.path.read_bytes()], profile, PrintOptions(verbose=2), rules).split(b"\n")
        assert ours == theirs, log.name


def test_the_program_stops_at_rows_of_version_1(ground_truth):
    stops = {}
    for log in logs_of(ground_truth, "mysql55"):
        match = ERROR.search(log.text.read_bytes()) if log.text.exists() else None
        if match:
            stops[log.name] = int(match[1])
    assert len(stops) == 20
    for log in logs_of(ground_truth, "mysql55"):
        first = next((each.offset for each in read_events(log.path.read_bytes()) if 23 <= each.header.type <= 25), None)
        assert not log.text.exists() or stops.get(log.name) == first
