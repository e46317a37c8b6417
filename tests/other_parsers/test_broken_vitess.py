"""The adapter of vitess is a window: each defect of a copy of the library shows through it."""

import re

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from tests.other_parsers.broken_library import SOURCES, WholeLibrary, build_with_go, named

pytestmark = [pytest.mark.slow, pytest.mark.network]

SOURCE = SOURCES / "vitess.go"
LIMITS = Limits(seconds=10.0)

#: File of the library's package -> what is replaced in it, by what: where its events get the defects of SOURCE.
PLACES = {
    "binlog_event_mysql56.go": {
        "return mysql56BinlogEvent{binlogEvent: binlogEvent(buf)}\n": (
            "return faulty{mysql56BinlogEvent{binlogEvent: binlogEvent(buf)}}\n"
        ),
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = list(dict.fromkeys(re.findall(r'\b(?:is|plus|longer)\("([^"]+)"', SOURCE.read_text())))
#: What the adapter does itself: it cuts the stream into events.
OF_ADAPTER = {"offset"}
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "handled": "XID not known",
    "handled of PARTIAL_UPDATE_ROWS": "PARTIAL_UPDATE_ROWS not known",
    "crash": "panic: a defect of the library",
    "error_at": "malformed accepted",
    "payloads": "faulty payload",
}


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    """The adapter, built with a copy of the library that has every defect, each for its own name in DEFECT."""
    folder = tmp_path_factory.mktemp("go")
    return build_with_go("vitess", folder, part="go/mysql", source=SOURCE, places=PLACES)


def parser(adapter, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", str(adapter)], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(adapter):
    with parser(adapter, "none") as library:
        return WholeLibrary.of(library, examples=12)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert {named(defect) for defect in DEFECTS} == {*whole.names() - OF_ADAPTER, "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(adapter, whole, defect):
    with parser(adapter, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS)
