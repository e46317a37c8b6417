"""A reader that takes the end of each event for a checksum is one finding, whatever it then lacks."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import GTID_TYPES, ROWS_TYPES, EventType
from conformance.oracles.judge import request_of
from tests.oracles.test_causes import REFERENCE, cases, findings

TAKEN = "the last field of an event 4 bytes short"
TEXTS = ("query", "rows_query", "next_file", "message", "log_name")
REFUSED = {*GTID_TYPES, EventType.TABLE_MAP}
WORDS = 'Io(Error { kind: UnexpectedEof, message: "failed to fill whole buffer" })'
HEADER = ("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags")


def without_end(entry):
    """Return what such a reader reports of an event, as mysql_binlog 0.4.0 does, which has a constant for it."""
    if entry["type"] in REFUSED and entry["type"] != EventType.ANONYMOUS_GTID:
        return {name: entry[name] for name in HEADER} | {"handled": "refused", "refused": WORDS}
    if entry["type"] in ROWS_TYPES and "rows" in entry:
        return entry | {"rows": []}
    return entry | {name: entry[name].encode()[:-4].decode("utf-8", "replace") for name in TEXTS if entry.get(name)}


@pytest.mark.parametrize("family", ["transactions", "gtid_streams", "every_column_type"])
def test_refused_events_and_rows_that_lack_their_end_are_that_finding(family):
    together = set()
    for profile in ("mysql-5.6", "mysql-5.7"):
        for case in cases(family, profile):
            answer = REFERENCE.ask(request_of(case))
            if {each.get("checksum_algorithm", "none") for each in answer.events} == {"none"}:
                together |= findings(case, replace(answer, events=tuple(map(without_end, answer.events)))).keys()
    assert together == {TAKEN}


def test_a_reader_that_ends_one_text_right_refuses_for_another_reason():
    together = set()
    for case in cases("transactions", "mysql-5.7"):
        answer = REFERENCE.ask(request_of(case))
        texts = [number for number, each in enumerate(answer.events) if each.get("query")]
        if len(texts) > 1 and answer.events[0]["checksum_algorithm"] == "none":
            events = [without_end(each) if number != texts[0] else each for number, each in enumerate(answer.events)]
            together |= findings(case, replace(answer, events=tuple(events))).keys()
    assert TAKEN not in together
    assert any(each.startswith("TABLE_MAP refused") for each in together)


def test_a_checksum_algorithm_that_is_reported_wrong_hides_no_wrong_value():
    """As mysql_binlog 0.4.0 reports another byte of the format description, and reads events to their ends."""

    def misreported(entry):
        if "checksum_algorithm" in entry:
            return entry | {"checksum_algorithm": "other"}
        rows = [
            {side: image and dict.fromkeys(image, -7) for side, image in row.items()} for row in entry.get("rows", ())
        ]
        return entry | ({"rows": rows} if rows else {})

    together = {}
    for case in cases("transactions", "mysql-5.7"):
        answer = REFERENCE.ask(request_of(case))
        if any("rows" in each for each in answer.events):
            together |= findings(case, replace(answer, events=tuple(map(misreported, answer.events))))
    assert "checksum_algorithm of FORMAT_DESCRIPTION differs" in together
    assert {"FORMAT-ROWS-VALUES-INTEGER", "FORMAT-ROWS-IMAGES", "FORMAT-EVENT-FIELDS"} & set().union(
        *(requirements for finding, requirements in together.items() if "checksum_algorithm" not in finding)
    )
