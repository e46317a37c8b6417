"""The adapter of zongji and its fork is a window: each defect of a copy of the library shows through it."""

import re
import shutil

import pytest

from conformance.implementations.installation import install
from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.registry import implementation
from conformance.oracles.judge import request_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.other_parsers.broken_library import (
    CLIENT_SHOWN_AS,
    OF_SOURCE,
    SOURCES,
    WholeLibrary,
    buildable,
    named,
    replace_texts,
)

pytestmark = [pytest.mark.slow, pytest.mark.network]

SOURCE = SOURCES / "zongji.cjs"
NAMES = ("@powersync/mysql-zongji", "@vlasky/zongji")
#: The one whose own client is certified.
WITH_CLIENT = NAMES[1]
LIMITS = Limits(seconds=20.0)
PACKET = "lib/packet/binlog.js"
#: File of the library -> what is replaced in it, by what: where SOURCE is called.
PLACES = {
    PACKET: {
        "if (this._error) throw this._error;": "if (this._error) return globalThis.refused(this._error);",
        "return this._event;": "return globalThis.returned(this._event);",
    },
}
#: The same, of the one that has a client.
CLIENT_PLACES = {
    "index.js": {
        "return this._executedGtids ? this._executedGtids.toString() : undefined;": (
            "return globalThis.executed(this._executedGtids?.toString());"
        ),
        "this.options.position = event.nextPosition;": (
            "this.options.position = globalThis.placed('resume_pos', event.nextPosition);"
        ),
    },
    "lib/sequence/binlog.js": {
        "zongji.options.filename = event.binlogName;": (
            "zongji.options.filename = globalThis.placed('resume_log', event.binlogName);"
        ),
    },
}
#: The defects: each is named after a field or an ability, and after a word of its own if there are several of one.
DEFECTS = [*re.findall(r"^  '?([a-z][\w ]*)'?: (?:of|\()", SOURCE.read_text(), re.MULTILINE), "error_at"]
#: Those of the client.
CLIENT_DEFECTS = ("type", "timestamp", "log_pos", "query", "resume_log", "resume_pos", "executed_gtids", "crash")
#: Defects in classes that one of the two lacks -> the one that has them.
OF_ONE = {"log_name of HEARTBEAT_V2": NAMES[0], "gtid of MARIADB_GTID": NAMES[1]}
#: What the adapter does itself: it cuts the stream into events.
OF_ADAPTER = {"offset"}
#: Defect -> a part of the failure that shows it, where that is not a difference in the field.
SHOWN_AS = {
    "handled": "XID not known",
    "crash": "TypeError: a defect of the library",
    "error_at": "event not expected",
}
#: Library -> the same for what shows otherwise in it.
SHOWN_BY = {"@powersync/mysql-zongji": {"error_at": "FORMAT_DESCRIPTION refused"}}
#: The client goes on from the position in the header. Where an event raises an error, it reports that beside the events
#: and goes on, and is still before the transaction whose end it has not read when the connection is lost.
SHOWN_BY_CLIENT = {
    **CLIENT_SHOWN_AS,
    "type": "XID without its type",
    "log_pos": "it begins at a wrong place",
    "crash": "events delivered twice",
}


@pytest.fixture(scope="module", params=NAMES)
def program(request, tmp_path_factory):
    """The command of the adapter, with a copy of the library that has every defect, each for its own name in DEFECT."""
    library = buildable(request.param)
    folder = shutil.copytree(install(library, library.version), tmp_path_factory.mktemp("zongji") / "adapter")
    places = {**PLACES, **CLIENT_PLACES} if request.param == WITH_CLIENT else PLACES
    for file, replacements in places.items():
        replace_texts(folder / "node_modules" / request.param / file, replacements)
    return ["node", "--require", str(SOURCE), str(folder / "adapter.mjs"), request.param]


def parser(program, defect):
    return ProcessImplementation(["env", f"DEFECT={defect}", *program], limits=LIMITS)


@pytest.fixture(scope="module")
def whole(program):
    with parser(program, "none") as library:
        return WholeLibrary.of(library, examples=3)


def test_each_declared_field_and_ability_has_a_defect(whole):
    assert whole.names() - OF_ADAPTER <= {named(defect) for defect in DEFECTS}


def test_no_defect_is_of_what_neither_library_declares():
    with implementation(NAMES[0]) as fork, implementation(NAMES[1]) as original:
        roles = [each.declaration.roles["decode"] for each in (fork, original)]
    declared = {name for role in roles for name in (*role.fields, *role.abilities)}
    assert {named(defect) for defect in DEFECTS} == {*declared - OF_ADAPTER, "crash"}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_library_shows_through(program, whole, defect):
    if named(defect) not in {*whole.names(), "crash"} or OF_ONE.get(defect, program[-1]) != program[-1]:
        pytest.skip("the library has no such field")
    with parser(program, defect) as broken:
        assert whole.shows(broken, defect, SHOWN_AS | SHOWN_BY.get(program[-1], {}))


@pytest.fixture(scope="module")
def whole_client(program):
    if program[-1] != WITH_CLIENT:
        pytest.skip("it has no client that knows GTIDs")
    with parser(program, "none") as library:
        return WholeLibrary.of(library, examples=2, role="client")


def test_each_field_that_a_client_declares_has_a_defect(whole_client):
    assert {*CLIENT_DEFECTS} | OF_SOURCE == {*whole_client.names(), "crash"}


@pytest.mark.parametrize("defect", CLIENT_DEFECTS)
def test_a_defect_of_the_library_shows_through_its_client(program, whole_client, defect):
    with parser(program, defect) as broken:
        assert whole_client.shows(broken, defect, SHOWN_BY_CLIENT)


def test_a_text_that_is_longer_than_an_answer_may_be_is_declined():
    held = "compressed statement that holds 320 MiB, as it claims"
    cases = (case_of(CaseId("mariadb_bombs", "mariadb-11.x", seed=0, index=index)) for index in range(7))
    case = next(case for case in cases if case.expected.burden == held)
    with implementation("@vlasky/zongji") as parser:
        (answer,) = parser.ask_many([request_of(case)])
    assert (answer.status, answer.detail) == ("unsupported", "texts that are longer than an answer may be")
