"""The adapter of go-mysql is a window: each defect of a copy of the library shows through it."""

import re

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import CLIENT_SHOWN_AS, OF_SOURCE, SOURCES, WholeLibrary, build_with_go, named

pytestmark = [pytest.mark.slow, pytest.mark.network]

SOURCE = SOURCES / "go_mysql.go"
LIMITS = Limits(seconds=10.0)

#: File of the library -> what is replaced in it, by what: where the defects of SOURCE are called, and three more.
PLACES = {
    "parser.go": {
        "onEvent(&BinlogEvent{RawData: rawData, Header: h, Event: e})": (
            "onEvent(returned(&BinlogEvent{RawData: rawData, Header: h, Event: e}))"
        ),
        "if !p.verifyChecksum {": 'if !p.verifyChecksum || defect == "checksums" {',
        'return false, errors.Errorf("get event err': (
            'if defect == "framing" {\nreturn true, nil\n}\nreturn false, errors.Errorf("get event err'
        ),
    },
    "binlogsyncer.go": {
        "return event, needACK, nil": "return returned(event), needACK, nil",
        "return b.nextPos": "return resumed(b.nextPos)",
        "return b.currGset.Clone()": "return executed(b.currGset.Clone())",
    },
    "transaction_payload_event.go": {
        "return e.decodePayload()": 'if err = e.decodePayload(); defect == "payloads" {\nreturn nil\n}\nreturn err',
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = [*re.findall(r'^\t"([^"]+)":', SOURCE.read_text(), re.MULTILINE), "checksums", "framing", "payloads"]
#: Those of the library's syncer, in the role `client`.
CLIENT_DEFECTS = [
    *("type", "timestamp", "server_id", "log_pos", "flags", "query"),
    *("resume_log", "resume_pos", "executed_gtids", "crash"),
]
#: The syncer goes on from the position in the header, and recovers from a panic itself.
SHOWN_BY_SYNCER = {**CLIENT_SHOWN_AS, "log_pos": "it begins at a wrong place", "crash": "XID refused"}
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "offset": "dropped",
    "handled": "XID not known",
    "crash": "panic: a defect of the library",
    "checksums": "checksum accepted",
    "framing": "truncated not reported",
    "payloads": "faulty payload",
    "rows": "wrong number of rows",
    "rows: decimals": "NEWDECIMAL differs",
    "rows: documents": "JSON differs",
    "rows: floats": "FLOAT differs",
    "rows: images": "differs",
    "rows: integers": "LONG differs",
    "rows: texts": "VARCHAR differs",
    "rows: timestamps": "TIMESTAMP2 differs",
    "rows: vectors": "VECTOR differs",
    "rows: zero timestamps": "TIMESTAMP2 differs",
}


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """The adapter, built with a copy of the library that has every defect, each for its own name in DEFECT."""
    folder = tmp_path_factory.mktemp("go")
    return build_with_go("go-mysql", folder, part="replication", source=SOURCE, places=PLACES)


def parser(adapter, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", str(adapter)], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=6)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in DEFECTS} == {*whole.names(), "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(adapter, whole, defect):
    with parser(adapter, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)


@pytest.fixture(scope="module")
def whole_client(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=1, role="client")


def test_each_field_that_a_client_declares_has_a_defect(whole_client):
    assert {*CLIENT_DEFECTS} | OF_SOURCE == {*whole_client.names(), "crash"}


@pytest.mark.parametrize("defect", CLIENT_DEFECTS)
def test_a_defect_of_the_library_shows_through_its_client(adapter, whole_client, defect):
    with parser(adapter, defect) as broken:
        assert whole_client.shows(broken, defect, SHOWN_BY_SYNCER)
