"""The adapter of mysql-binlog-connector-rust is a window: each defect of a copy of the library shows through it."""

import re

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.oracles.judge import Judge
from tests.other_parsers.broken_library import SOURCES, WholeLibrary, build_with_cargo, named

pytestmark = [pytest.mark.slow, pytest.mark.network]

SOURCE = SOURCES / "connector_rust.rs"
LIMITS = Limits(seconds=20.0, memory_bytes=2 << 30)

#: File of the library -> what is replaced in it, by what: where the defects of SOURCE are called, and one more.
PLACES = {
    "lib.rs": {"pub mod binlog_parser;": "pub mod binlog_parser;\npub mod defects;"},
    "binlog_parser.rs": {
        "    pub fn next<": (
            "    pub fn next<S: Read + Seek>(\n"
            "        &mut self,\n"
            "        stream: &mut S,\n"
            "    ) -> Result<(EventHeader, EventData), BinlogError> {\n"
            "        let start = stream.stream_position()?;\n"
            "        let parsed = self.whole_next(stream);\n"
            "        crate::defects::returned(parsed, stream, start)\n"
            "    }\n\n"
            "    fn whole_next<"
        ),
    },
    "event/transaction_payload_event.rs": {
        "copy_decode(cursor, &mut uncompressed_payload)?;": (
            "copy_decode(cursor, &mut uncompressed_payload)\n"
            '            .or_else(|error| if crate::defects::is("payloads") { Ok(()) } else { Err(error) })?;'
        ),
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = [*dict.fromkeys(re.findall(r'"([^"]+)"\)? (?:=>|&&|\{)', SOURCE.read_text())), "payloads"]
#: A defect that the library has as published: the values are exchanged, and with another defect they would be right.
PUBLISHED = "one_phase"
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "PREVIOUS_GTIDS refused",
    "handled": "XID not known",
    "crash": "panic: a defect of the library",
    "framing": "truncated accepted",
    "payloads": "faulty payload",
    "rows": "wrong number of rows",
    "rows: no update": "wrong number of rows",
    "rows: no delete": "wrong number of rows",
    "rows: images": "differs",
    "rows: tiny integers": "TINY differs",
    "rows: small integers": "SHORT differs",
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
    "rows: documents": "JSON differs",
}


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """The adapter, built with a copy of the library that has every defect, each for its own name in DEFECT."""
    folder = tmp_path_factory.mktemp("rust")
    return build_with_cargo("mysql-binlog-connector-rust", folder, source=SOURCE, places=PLACES)


def parser(adapter, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", str(adapter)], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=6)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in (*DEFECTS, PUBLISHED)} == {*whole.names(), "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(adapter, whole, defect):
    with parser(adapter, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)


def test_a_defect_of_the_published_library_shows_through(whole):
    judge = Judge(whole.role)
    signatures = {
        each.signature for case, answer in whole.answers for each in judge.judge(case, answer) if each.is_failure
    }
    assert any(each.startswith(f"{PUBLISHED} of XA_PREPARE") for each in signatures)
