"""The role `render`: the fields of an answer, the page, and the answers of real programs."""

import base64
import shutil
from pathlib import Path

import pytest

from conformance.implementations.registry import implementation
from conformance.protocol.observation import Observation, Request, RoleDeclaration, Trouble
from conformance.protocol.roles.render import FIELDS, ROLE
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.versions import EVERY_PROFILE

GOLDEN = Path(__file__).parents[1] / "golden"
PAGE = (Path(__file__).parents[2] / "docs" / "roles" / "render.md").read_text(encoding="utf-8")
LOG = (GOLDEN / "rows_query.bin").read_bytes()
TEXT = {
    "form": "mysqlbinlog", "verbose": 2, "base64_output": "auto", "utc_offset": 0, "start_position": 4, "following": [],
}  # fmt: skip


def ask(implementation, settings, stream=LOG):
    answer = implementation.ask(Request("render", "mysql-9.x", stream, settings))
    assert isinstance(answer, Observation), answer
    return answer


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_explained(name):
    assert f"| `{name}` | {FIELDS[name].kind} | {FIELDS[name].meaning} |" in PAGE


@pytest.mark.parametrize("name", ROLE.settings)
def test_every_setting_is_explained(name):
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize(
    ("declared", "entry", "lacks"),
    [
        (FIELDS, {"text": "", "warnings": ""}, ()),
        (FIELDS, {"text": ""}, ("warnings",)),
        (("text",), {"text": ""}, ()),
        (FIELDS, {"pos": 4, "info": ""}, ("end_log_pos", "event_type", "server_id")),
        (("pos", "info"), {"pos": 4}, ("info",)),
    ],
)
def test_an_entry_must_have_the_fields_of_a_text_or_of_a_row(declared, entry, lacks):
    assert ROLE.missing(RoleDeclaration(frozenset(declared), frozenset(), EVERY_PROFILE), entry) == lacks


def test_the_reference_answers_with_the_text():
    (entry,) = ask(ReferenceImplementation(), TEXT).events
    assert entry == {"text": (GOLDEN / "rows_query.vv.txt").read_text(encoding="utf-8"), "warnings": ""}


def test_the_reference_answers_with_the_rows():
    rows = ask(ReferenceImplementation(), {"form": "events"}).events
    listed = [
        line.split("\t") for line in (GOLDEN / "rows_query.events.tsv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    assert [[str(row["pos"]), row["event_type"]] for row in rows[: len(listed)]] == [line[1:3] for line in listed]


def test_an_unreadable_event_ends_the_text():
    answer = ask(ReferenceImplementation(), TEXT, LOG[:800])
    assert answer.error.at == 759
    assert "# End of log file" in answer.events[0]["text"]


@pytest.fixture(scope="module")
def mysqlbinlog():
    if not shutil.which("mysqlbinlog"):
        pytest.skip("needs the program mysqlbinlog on the PATH")
    with implementation("mysqlbinlog") as started:
        if "render" not in started.declaration.roles or started.declaration.name != "mysqlbinlog":
            pytest.skip(f"the mysqlbinlog here is {started.declaration.name}")
        yield started


def test_the_program_answers_with_its_text(mysqlbinlog):
    again = {**TEXT, "following": [base64.b64encode(LOG).decode()], "start_position": 707, "utc_offset": 90}
    (entry,) = ask(mysqlbinlog, again).events
    assert entry["text"].count("\n# at 707\n") == 2
    assert entry["text"].count("\n# at 235\n") == 1
    assert "#261120 21:37:34 server id 11  end_log_pos 127" in entry["text"]


def test_the_program_lists_no_rows(mysqlbinlog):
    answer = mysqlbinlog.ask(Request("render", "mysql-9.x", LOG, {"form": "events"}))
    assert isinstance(answer, Trouble)
    assert answer.status == "unsupported"
