"""What the page shows of a log, and that the kit in its archive runs without the packages that a browser lacks."""

import html
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest

from conformance.binlog.event_types import EventType
from conformance.log_page.judged_log import judged_log
from conformance.log_page.log_page import log_page, write_kit
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.browser import OFF_SCREEN, ask
from tests.first_case import first_case

GOLDEN = Path(__file__).parent.parent / "golden"
#: Runs in an interpreter that has the archive, msgspec and nothing else that is not of Python itself.
ALONE = """
import sys
sys.path[:0] = sys.argv[1:3]
from conformance.binlog.event_types import EventType
from conformance.log_page.judged_log import judged_log
sys.stdout.buffer.write(judged_log("a log", sys.stdin.buffer.read()).encode("utf-8", "surrogateescape"))
"""


def ends_with_xid(case):
    """Return whether a transaction of a case ends with an Xid event."""
    return any(each["type"] == EventType.XID for each in case.expected.events)


def words(shown):
    """Return the text of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def test_a_healthy_log_has_its_events():
    text = words(judged_log("compression.bin", (GOLDEN / "compression.bin").read_bytes()))
    assert text.startswith("compression.bin healthy A binary log of ")
    assert "What breaks a requirement" not in text
    # The events inside a payload follow it.
    assert re.search(r"TRANSACTION_PAYLOAD .* \+0 QUERY", text)


def test_what_breaks_a_requirement_is_shown_with_its_text():
    data = bytearray((GOLDEN / "compression.bin").read_bytes())
    data[-1] ^= 1
    text = words(judged_log("damaged", bytes(data)))
    assert "breaks 1 requirement" in text
    assert "FORMAT-CHECKSUM-WRONG" in text


@pytest.mark.slow
def test_on_a_telephone_what_was_expected_is_under_what_was_found_and_both_are_named(tmp_path):
    shown = judged_log("column_types.bin", (GOLDEN / "column_types.bin").read_bytes())
    page = re.sub(r'(<div id="results">)', lambda place: place[0] + shown, log_page([]), count=1)
    assert shown in page
    question = """
      const cells = [...document.querySelector("tbody").rows[0].cells].slice(-2);
      const named = cells.map(each => getComputedStyle(each, "::before").content);
      return [named, cells[1].getBoundingClientRect().top >= cells[0].getBoundingClientRect().bottom];
    """
    assert ask(page, tmp_path, width=390, question=question) == [['"Found "', '"Expected "'], True]
    assert ask(page, tmp_path, width=390, question=OFF_SCREEN) == [0, []]


def test_the_markers_of_wl4162_are_shown_by_name():
    stream = case_of(CaseId.parse(first_case("marked_streams", "worklog", ends_with_xid))).stream
    assert re.search(r" XID \d+ (\S+\|)?End Transaction COMMIT", words(judged_log("marked", stream)))


@pytest.mark.parametrize("data", [b"", b"\xfebin", b"not a log at all"])
def test_what_is_not_a_log_is_refused_in_one_sentence(data):
    assert "cannot be read as a binary log" in words(judged_log("x", data))


@pytest.mark.parametrize("family", ["malformed_bodies", "truncated_streams", "bad_checksum", "payload_bombs"])
def test_no_fault_in_a_log_ends_the_page(family):
    for index in range(4):
        stream = case_of(CaseId(family, "mysql-8.4", seed=0, index=index)).stream
        assert "Events" in words(judged_log("faulty", stream))


def test_a_text_in_a_log_is_not_html():
    shown = judged_log("<img src=x>", (GOLDEN / "compression.bin").read_bytes())
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_the_kit_in_its_archive_needs_nothing_but_msgspec(tmp_path):
    write_kit(tmp_path / "kit.zip")
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        archive.extractall(tmp_path / "kit")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    log = (GOLDEN / "column_types.bin").read_bytes()
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path / "kit"), str(tmp_path / "packages")]
    done = subprocess.run(command, input=log, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.stdout.decode() == judged_log("a log", log)


def test_the_page_may_read_its_own_site_and_send_nothing():
    page = log_page(["msgspec.whl"])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(each.strip().partition(" ")[::2] for each in html.unescape(policy).split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self'"
    assert rules["form-action"] == "'none'"
    assert "'unsafe-inline'" not in rules["script-src"]
    assert "unsafe-eval" not in rules["script-src"].replace("wasm-unsafe-eval", "")
