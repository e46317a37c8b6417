"""The badge."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from example_record import example_lines, failure, finished, requirement, write_lines

from conformance.reports.badge import badge_picture
from conformance.reports.record import read_record

NOT_CONFORMING = example_lines()
CONFORMING = finished(requirement("A-1", "pass"), requirement("A-2", "untestable"))
WITH_KNOWN = finished(failure(known="why"), requirement(), requirement("A-1", "pass"))
NOTHING = finished(requirement("A-1", "not-reached"))


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (NOT_CONFORMING, "binlog conformance: 2 crashed, 3 findings, 1/6, not conforming"),
        (CONFORMING, "binlog conformance: 1/1, conforming"),
        (WITH_KNOWN, "binlog conformance: 1 finding, 1/2, conforming except for 1 known finding"),
        (NOTHING, "binlog conformance: 0/1, nothing judged"),
        (NOT_CONFORMING[:5], "binlog conformance: cut off"),
    ],
)
def test_it_shows_how_many_requirements_hold(tmp_path: Path, lines: list, title: str):
    record = read_record(write_lines(tmp_path / "run.jsonl", lines), unfinished=True)
    picture = ElementTree.fromstring(badge_picture(record))
    assert picture.get("aria-label") == title
    shown = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert shown[0] == "binlog conformance"
    assert f": {shown[1]}" in title
