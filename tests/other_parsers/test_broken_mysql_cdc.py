"""The adapter of mysql_cdc is a window: each defect of a copy of the library shows through it, in both roles."""

import re

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import CLIENT_SHOWN_AS, SOURCES, WholeLibrary, build_with_cargo, named

pytestmark = [pytest.mark.slow, pytest.mark.network]

SOURCE = SOURCES / "mysql_cdc.rs"
LIMITS = Limits(seconds=20.0, memory_bytes=2 << 30)

_PARSED = "Result<(EventHeader, BinlogEvent), Error> {"
#: File of the library -> what is replaced in it, by what: where the defects of SOURCE are called.
PLACES = {
    "lib.rs": {"pub mod binlog_reader;": "pub mod binlog_reader;\npub mod defects;"},
    "binlog_reader.rs": {
        f"    pub fn read_event(&mut self) -> {_PARSED}": (
            f"    pub fn read_event(&mut self) -> {_PARSED}\n"
            "        let parsed = crate::defects::returned(self.whole_event());\n"
            '        if crate::defects::is("offset") {\n'
            "            std::io::Seek::seek(&mut self.stream, std::io::SeekFrom::Current(1))?;\n"
            "        }\n"
            "        parsed\n"
            "    }\n\n"
            f"    fn whole_event(&mut self) -> {_PARSED}"
        ),
    },
    "binlog_events.rs": {"Some(self.read_event(&packet))": "Some(crate::defects::returned(self.read_event(&packet)))"},
    "binlog_client.rs": {
        "        self.update_binlog_position(header, event);": (
            "        self.update_binlog_position(header, event);\n"
            "        crate::defects::committed(&mut self.options.binlog);"
        ),
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = [*dict.fromkeys(re.findall(r'"([^"]+)"\)? (?:=>|&&|\{)', SOURCE.read_text())), "offset"]
#: Those of where a client would resume, and those of the fields of both roles.
OF_CLIENTS = ("resume_log", "resume_pos", "executed_gtids")
OF_BOTH = ("type", "timestamp", "server_id", "log_pos", "flags", "query")
OF_READERS = [each for each in DEFECTS if each not in OF_CLIENTS]
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "stream ends silently",
    "handled": "XID not known",
    "crash": "panic: a defect of the library",
    "framing": "refused",
    "rows": "wrong number of rows",
    "rows: no update": "wrong number of rows",
    "rows: no delete": "wrong number of rows",
    "rows: images": "differs",
    "rows: tiny integers": "TINY differs",
    "rows: small integers": "SHORT differs",
    "rows: medium integers": "INT24 differs",
    "rows: integers": "LONG differs",
    "rows: big integers": "LONGLONG differs",
    "rows: floats": "FLOAT differs",
    "rows: doubles": "DOUBLE differs",
    "rows: decimals": "NEWDECIMAL differs",
    "rows: times": "TIME2 differs",
    "rows: dates": "DATE differs",
    "rows: datetimes": "DATETIME2 differs",
    "rows: timestamps": "TIMESTAMP2 differs",
    "rows: years": "YEAR differs",
    "rows: texts": "VARCHAR differs",
    "rows: blobs": "BLOB differs",
    "rows: bits": "BIT differs",
    "rows: sets": "SET differs",
    "rows: enums": "ENUM differs",
}


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """The adapter, built with a copy of the library that has every defect, each for its own name in DEFECT."""
    return build_with_cargo("mysql_cdc", tmp_path_factory.mktemp("rust"), source=SOURCE, places=PLACES)


def parser(adapter, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", str(adapter)], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=6)


@pytest.fixture(scope="module")
def whole_client(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=2, role="client")


def test_each_declared_field_and_ability_has_a_defect(whole, whole_client):
    assert {named(defect) for defect in OF_READERS} == {*whole.names(), "crash"}
    assert {*OF_CLIENTS, *OF_BOTH} == whole_client.names()


@pytest.mark.parametrize("defect", OF_READERS)
def test_a_defect_of_the_library_shows_through(adapter, whole, defect):
    with parser(adapter, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)


@pytest.mark.parametrize("defect", [*OF_CLIENTS, *OF_BOTH])
def test_a_defect_of_the_client_shows_through(adapter, whole_client, defect):
    with parser(adapter, defect) as broken:
        assert whole_client.shows(broken, defect, CLIENT_SHOWN_AS | {"log_pos": "it begins at a wrong place"})
