"""Recorded logs: the bytes are those of the server, and what they hold is what the server lists."""

from importlib import resources
from itertools import takewhile
from pathlib import Path

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.servers import server_of
from conformance.protocol.roles.decode import FIELDS
from conformance.strategies.families import recorded_logs
from conformance.strategies.families.recorded_logs import LOGS, NUMBERS, recorded
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.chooser import SeededChooser
from conformance.strategies.grammar.family import case_of
from conformance.strategies.grammar.stream import StreamBuilder

FOLDER = resources.files("conformance.strategies") / "recorded"
LISTED = Path(__file__).parent.parent / "recorded"
#: The most bytes that the kit carries of recorded logs.
LIMIT = 300_000


def listing(name):
    """Return the lines of SHOW BINLOG EVENTS: position, name of the type, server id, end position, Info."""
    lines = (LISTED / f"{name}.events.tsv").read_text(encoding="utf-8").split("\n")
    return [line.split("\t")[1:] for line in lines if line and not line.startswith("Log_name")]


def test_every_recorded_log_is_in_the_package_and_small():
    files = {each.name for each in FOLDER.iterdir()}
    assert files == {f"{name}.{form}" for name in LOGS for form in ("bin", "jsonl")}
    assert sum(len((FOLDER / each).read_bytes()) for each in files) < LIMIT
    assert {path.name for path in LISTED.iterdir()} == {f"{name}.events.tsv" for name in LOGS}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_without_a_change_has_the_bytes_of_the_server(name):
    data, entries = recorded(name)
    stream = StreamBuilder(SeededChooser("0"), server_of(LOGS[name].names[0]), checksums=False)
    stream.checksummed = entries[0].get("checksum_algorithm") == "crc32"
    for entry in entries:
        recorded_logs._add(stream, data, entry, {})
    assert bytes(stream.bytes) == data


@pytest.mark.parametrize("name", LOGS)
def test_what_is_recorded_is_what_the_server_lists(name):
    _, entries = recorded(name)
    # The events of a payload are listed in its place.
    plain = list(takewhile(lambda entry: entry["type"] != EventType.TRANSACTION_PAYLOAD, entries))
    entries, lines = plain, listing(name)[: len(plain)]
    assert [[str(each[field]) for field in ("offset", "server_id", "log_pos")] for each in entries] == [
        [start, server_id, end] for start, _, server_id, end, _ in lines
    ]
    for entry, (_, listed, _, _, info) in zip(entries, lines, strict=True):
        assert all(text in info for text in texts_in_info(entry, listed)), (entry, info)


def texts_in_info(entry, listed):
    """Return what the Info column has of an event's values."""
    shown = {
        "Query": ("query",),
        "Gtid": ("gtid",),
        "Xid": ("xid",),
        "Intvar": ("intvar_value",),
        "RAND": ("rand_seed1", "rand_seed2"),
        "Rotate": ("next_file", "next_position"),
        "Table_map": ("table_id", "database", "table"),
        "Format_desc": ("server_version",),
        "Rows_query": ("rows_query",),
        "Previous_gtids": ("previous_gtids",),
        "User var": ("variable_name",),
    }
    names = next((fields for name, fields in shown.items() if listed.startswith(name)), ())
    texts = (str(entry[name]).partition("\0")[0] for name in names if entry.get(name))
    return [text.replace("\n", "\\n").replace("\t", "\\t") for text in texts]


def test_every_number_that_is_changed_is_one_that_readers_report():
    assert {field.name for fields in NUMBERS.values() for field in fields} <= FIELDS.keys()


@pytest.mark.parametrize("profile", ["mysql-5.5", "mysql-5.7", "mysql-9.x", "mariadb-11.x"])
def test_one_value_at_most_differs_from_the_recorded_log(profile):
    changed = 0
    for index in range(40):
        case = case_of(CaseId("recorded_logs", profile, seed=3, index=index))
        name = case.classes["log"]
        _, entries = recorded(name)
        places = [
            place
            for place, event in enumerate(case.expected.events)
            if any(event[field] != entries[place][field] for field in event.keys() & entries[place].keys() - MOVED)
        ]
        assert len(places) <= 1
        changed += len(places)
    assert changed > 10


#: What moves with the length of a statement before it.
MOVED = {"offset", "log_pos", "length"}
