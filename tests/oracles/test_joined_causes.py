"""One fault that shows in events of many types, or in words that depend on the bytes, is one finding."""

from dataclasses import replace

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.oracles.judge import request_of
from tests.oracles.test_causes import REFERENCE, cases, changed, findings

FOR_FLAG = "known event passed over for its ignorable flag"
#: What a reader that does not know a type reports of its events.
HEADER = ("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "position", "executed_gtid_set")


def passed_over(entry):
    return {name: entry[name] for name in HEADER if name in entry} | {"handled": "ignored"}


def is_flagged(entry):
    return bool(entry["flags"] & Flag.IGNORABLE) and entry["handled"] == "known"


def flagged_cases():
    return cases("flagged_known_events", "mysql-5.7")


def test_known_events_passed_over_for_their_flag_are_one_finding():
    together = {}
    for case in flagged_cases():
        answer = changed(case, lambda entry: passed_over(entry) if is_flagged(entry) else entry)
        for finding, requirements in findings(case, answer).items():
            together.setdefault(finding, set()).update(requirements)
    assert FOR_FLAG in together
    assert "WL4033-READ-KNOWN-FLAGGED" in together[FOR_FLAG]
    # Where all of them have the flag, the type may not be known.
    assert together.keys() <= {FOR_FLAG, "ROWS_QUERY not known"}


def test_known_events_left_out_for_their_flag_are_one_finding():
    together = set()
    for case in flagged_cases():
        answer = REFERENCE.ask(request_of(case))
        kept = tuple(each for each in answer.events if not is_flagged(each) or each["type"] == EventType.ROWS_QUERY)
        together |= findings(case, replace(answer, events=kept)).keys()
    assert FOR_FLAG in together
    assert not [each for each in together if each.endswith(" dropped")]


def test_a_type_that_is_not_known_is_not_called_passed_over_for_its_flag():
    together = set()
    for case in flagged_cases():
        answer = changed(case, lambda entry: passed_over(entry) if entry["type"] == EventType.XID else entry)
        together |= findings(case, answer).keys()
    assert "XID not known" in together
