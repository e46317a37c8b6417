"""The cause of a failure: equal where one bug breaks several things, and different where two bugs look alike."""

import re
from dataclasses import replace

import pytest

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum
from conformance.binlog.event_types import ROWS_V1, ROWS_V2, EventType
from conformance.binlog.header import TYPE_AT
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.step_entry import worklog_entry
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.mutants.mutant import Mutant, MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_steps import fed_by_offset
from conformance.oracles.checks.governing_formats import LATEST_GOVERNS
from conformance.oracles.checks.json_differences import json_difference
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.reasons import crash_reason, normalised
from conformance.protocol.observation import Observation, Refusal, Trouble
from conformance.protocol.reported_event import report
from conformance.protocol.roles.decode import STATUS_FIELDS
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
#: What Python writes before the name of an exception.
CALLS = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    f(s[1:])\n    ^^^^^^^^\n'


def cases(family, profile, role="decode", *, count=40):
    return [case_of(CaseId(family, profile, seed=1, index=index, role=role)) for index in range(count)]


def findings(case, answer):
    """Return finding -> the requirements that it breaks in a case."""
    together = {}
    for verdict in Judge(REFERENCE.declaration.roles[case.role]).judge(case, answer):
        if verdict.is_failure:
            together.setdefault(verdict.finding, set()).add(verdict.requirement)
    return together


def changed(case, change):
    answer = REFERENCE.ask(request_of(case))
    return replace(answer, events=tuple(change(dict(entry)) for entry in answer.events))


def stopped_at(case, types, message):
    """Return the answer of a reader that refuses the first event of some types, None if the case has none."""
    answer = REFERENCE.ask(request_of(case))
    for number, entry in enumerate(answer.events):
        if entry["type"] in types:
            return Observation(answer.events[:number], Refusal(entry["offset"], "other", message))
    return None


def test_a_lost_type_code_is_one_finding_whatever_the_types():
    together = {}
    for case in cases("ignorable_events", "mysql-8.0") + cases("transactions", "mysql-5.7"):
        for finding, requirements in findings(case, changed(case, lambda entry: {**entry, "type": 0})).items():
            together.setdefault(finding, set()).update(requirements)
    assert "type differs" in together
    assert {"FORMAT-HEADER-TYPE", "WL7592-HEADER-19-BYTES"} <= together["type differs"]
    assert not [finding for finding in together if "TYPE_" in finding]


def test_a_gtid_that_is_misread_from_one_field_on_is_one_finding():
    def misread(entry, *names):
        is_whole = entry["type"] == EventType.GTID and "immediate_server_version" in entry
        return {**entry, **{name: entry[name] + 1 for name in names if name in entry}} if is_whole else entry

    last = ("transaction_length", "immediate_server_version", "original_server_version")
    seen, alone = set(), set()
    for case in cases("gtid_streams", "mysql-8.0"):
        seen |= findings(case, changed(case, lambda entry: misread(entry, *last))).keys()
        alone |= findings(case, changed(case, lambda entry: misread(entry, last[0]))).keys()
    assert seen == {"end of the body of GTID misread"}
    assert alone == {"transaction_length of GTID differs"}


def test_a_set_of_gtids_that_is_wrong_once_is_one_finding_with_all_that_follows():
    seen = set()
    for case in cases("gtid_streams", "mysql-8.0"):
        events, is_lost = [], False
        for entry in REFERENCE.ask(request_of(case)).events:
            is_lost = is_lost or entry["type"] == EventType.XID
            events.append({name: value for name, value in entry.items() if not is_lost or name != "executed_gtid_set"})
        seen |= findings(case, Observation(tuple(events))).keys()
    assert seen == {"executed_gtid_set missing after a transaction"}


def test_numbers_read_with_a_sign_are_one_finding_whatever_the_field():
    names = {"seed1", "seed2", "intvar_value", "xid"}
    signed, seen = set(), set()
    for case in cases("transactions", "mysql-8.0") + cases("changed_format_descriptions", "worklog"):
        events = []
        for entry in REFERENCE.ask(request_of(case)).events:
            large = {name for name in names & entry.keys() if entry[name] >= 1 << 63}
            signed |= large
            events.append({**entry, **{name: entry[name] - (1 << 64) for name in large}})
        seen |= findings(case, Observation(tuple(events))).keys()
    assert {"intvar_value", "xid"} <= signed
    assert seen == {"number of 8 bytes is read as signed"}


@pytest.mark.parametrize(
    ("what", "expected", "seen"),
    [
        ("integer of JSON is read as signed", [40_000], [40_000 - 65_536]),
        ("integer of JSON differs", {"a": 5}, {"a": 6}),
        ("string of JSON differs", ["x", "é"], ["x", "?"]),
        ("date or time of JSON differs", {"a": "11:22:33.125000"}, {"a": "11:22:33.0"}),
        ("literal of JSON is of the wrong kind", [True], [1]),
        ("members of JSON differ", {"": 1, "a": 2}, {"a": 2}),
        ("elements of JSON differ", [1, 2], [1]),
        ("number of JSON is of the wrong kind", 0.5, "0.5"),
        ("number of JSON is of the wrong kind", {"a": 100}, {"a": "100"}),
        ("string of JSON is null", {"a": {"b": "x"}}, {"a": {"b": None}}),
    ],
)
def test_a_finding_about_a_document_names_the_kind_of_value(what, expected, seen):
    difference = json_difference({"json": expected}, {"json": seen})
    assert Cause(difference.how, "JSON", difference.what).text == what
    change = {"operation": "insert", "path": "$.a"}
    assert difference == json_difference(
        {"json_changes": [{**change, "value": expected}]}, {"json_changes": [{**change, "value": seen}]}
    )


def test_a_wrong_document_is_a_finding_by_the_kind_of_value():
    def lost(cell):
        return {"json": {}} if isinstance(cell, dict) and isinstance(cell.get("json"), list) else cell

    def change(entry):
        rows = [
            {side: row[side] and {k: lost(v) for k, v in row[side].items()} for side in row} for row in entry["rows"]
        ]
        return {**entry, "rows": rows}

    seen = set()
    for case in cases("every_column_type", "mysql-8.0"):
        answer = changed(case, lambda entry: change(entry) if entry.get("rows") else entry)
        seen |= findings(case, answer).keys()
    assert seen == {"array of JSON is of the wrong kind"}


def test_a_refusal_is_one_finding_for_all_requirements_and_rows_events():
    together = {}
    for number, case in enumerate(cases("every_column_type", "mysql-8.0")):
        answer = stopped_at(case, (*ROWS_V1, *ROWS_V2), f"cannot read column {number} of '{number}'")
        if answer is not None:
            for finding, requirements in findings(case, answer).items():
                together.setdefault(finding, set()).update(requirements)
    assert set(together) == {"rows event refused: cannot read column N of '...'"}
    assert "FORMAT-EVENT-DELIVERED" in next(iter(together.values()))


def test_refusals_with_different_reasons_are_different_findings():
    case = cases("every_column_type", "mysql-9.x")[0]
    reasons = ("VECTOR is not supported", "compressed columns are not supported")
    first, second = (findings(case, stopped_at(case, (EventType.TABLE_MAP,), reason)) for reason in reasons)
    assert list(first) == ["TABLE_MAP refused: VECTOR is not supported"]
    assert first.keys().isdisjoint(second)


def test_the_filter_refuses_for_the_same_reason_as_the_reader():
    case = cases("table_filters", "worklog", role="filter")[0]
    entries = case.expected.events
    at = next(entry["offset"] for entry in entries if case.stream[entry["offset"] + 4] == EventType.TABLE_MAP)
    seen = tuple(entry for entry in entries if entry["offset"] < at)
    answer = Observation(seen, Refusal(at, "other", "VECTOR is not supported"))
    assert set(findings(case, answer)) == {"TABLE_MAP refused: VECTOR is not supported"}


def test_text_taken_for_a_checksum_is_one_finding_in_all_types():
    together = set()
    for case in cases("rows_query_streams", "mysql-8.0") + cases("transactions", "mysql-8.0"):

        def cut(entry):
            return {
                name: value[:-4] if name in ("query", "rows_query", "next_file") and value.isascii() else value
                for name, value in entry.items()
            }

        without = not any(entry.get("checksum_algorithm") == "crc32" for entry in case.expected.events)
        texts = [entry.get(name, "") for entry in case.expected.events for name in ("query", "rows_query")]
        if without and all(text.isascii() and len(text) not in (1, 2, 3) for text in texts):
            together |= set(findings(case, changed(case, cut)))
    assert together == {"the last field of an event 4 bytes short"}


@pytest.mark.parametrize("stops_later", [False, True])
def test_a_fault_that_is_passed_over_is_one_finding_wherever_the_reader_stops_after_it(stops_later):
    case = cases("encrypted_events", "mariadb-10.x")[0]
    fault = case.expected.refused_at
    error = Refusal(fault + 40, "other", "not an event") if stops_later else None
    answer = Observation(REFERENCE.ask(request_of(case)).events, error)
    assert set(findings(case, answer)) == {"encrypted (FORMAT-MARIADB-START-ENCRYPTION) accepted"}


def test_an_event_of_an_older_server_is_not_taken_for_one_with_a_longer_post_header():
    together = {}
    for case in cases("anonymous_gtids_to_older_readers", "mysql-5.6"):
        wrong = changed(
            case, lambda entry: {**entry, "gtid": "00:0"} if entry["type"] == EventType.ANONYMOUS_GTID else entry
        )
        together |= findings(case, wrong)
    assert set(together) == {"gtid of GTID differs"}


def test_zeros_for_a_gtid_are_not_taken_for_a_longer_post_header_which_comes_after_it():
    together = {}
    for case in cases("post_header_lengths", "mysql-8.0"):
        together |= findings(
            case,
            changed(
                case, lambda entry: {**entry, "gtid": "00:0"} if entry["type"] == EventType.ANONYMOUS_GTID else entry
            ),
        )
    assert set(together) == {"gtid of GTID differs"}


@pytest.mark.parametrize(
    ("event_type", "number"),
    [(EventType.INTVAR, "intvar_value"), (EventType.RAND, "seed1"), (EventType.RAND, "seed2")],
)
def test_a_sign_is_not_taken_for_a_longer_post_header_after_which_the_number_is_found(event_type, number):
    together = {}
    for case in cases("post_header_lengths", "mysql-8.0"):
        expected = case.expected
        lengthened = {each for each in expected.made_for if each < len(expected.events)}
        ours = {each for each in lengthened if expected.events[each]["type"] == event_type}
        events = tuple({**each, number: 1 << 63} if at in ours else each for at, each in enumerate(expected.events))
        answer = REFERENCE.ask(request_of(case))
        wrong = tuple({**each, number: -(1 << 63)} if at in ours else each for at, each in enumerate(answer.events))
        changed_case = replace(case, expected=replace(expected, events=events))
        together |= findings(changed_case, replace(answer, events=wrong))
    assert together == {"number of 8 bytes is read as signed": {"FORMAT-EVENT-FIELDS"}}


def test_rows_that_a_program_refuses_are_not_called_missing_in_what_it_prints():
    case = case_of(CaseId("golden_vectors", "mysql-8.0", seed=0, index=0, role="render"))
    (entry,) = REFERENCE.ask(request_of(case)).events
    rows = next(each for each in case.expected.events[0]["events"] if each["type"] in ROWS_V1)
    # It has printed the comment of the Table_map, and keeps its bytes until the statement is whole.
    text = entry["text"][: entry["text"].index(f"# at {rows['offset']}")]
    refusal = Refusal(rows["offset"], "unknown-event", "ERROR: found an invalid event")
    answer = Observation(({**entry, "text": text},), refusal)
    assert findings(case, answer) == {"rows event refused: ERROR: found an invalid event": {"FORMAT-RENDER-ENTRIES"}}


def with_ends(case, change):
    """Return the answer with events changed after a second format description with another algorithm, None without."""
    right = REFERENCE.ask(request_of(case))
    formats = [entry for entry in right.events if entry["type"] == EventType.FORMAT_DESCRIPTION]
    if len(formats) < 2 or formats[0]["checksum_algorithm"] == formats[1]["checksum_algorithm"]:
        return None
    last = formats[1]["offset"]
    return replace(right, events=tuple(change(entry) if entry["offset"] > last else entry for entry in right.events))


def without_four_bytes(entry):
    """Return an event as a reader reports it that takes the last four bytes for a checksum."""
    texts = {
        name: entry[name].encode()[:-4].decode(errors="ignore")
        for name in ("query", "next_file", "rows_query", "message")
        if entry.get(name)
    }
    return entry | texts | ({"rows": []} if "rows" in entry else {})


def test_a_checksum_algorithm_that_is_kept_is_one_finding_of_the_rule_on_later_format_descriptions():
    together = {}
    for case in cases("changed_format_descriptions", "mysql-8.0") + cases("rotations", "mysql-5.7"):
        answer = with_ends(case, without_four_bytes)
        if answer is not None:
            for finding, requirements in findings(case, answer).items():
                together.setdefault(finding, set()).update(requirements)
    assert together == {"checksum algorithm of an earlier format description kept": {"FORMAT-LATEST-GOVERNS"}}


def test_rows_that_are_refused_in_a_later_log_do_not_show_that_its_format_description_is_not_read():
    together = {}
    for case in cases("changed_format_descriptions", "mysql-8.0"):
        answer = stopped_at(case, (*ROWS_V1, *ROWS_V2), "unknown column type 242")
        if answer is not None:
            for finding, requirements in findings(case, answer).items():
                together.setdefault(finding, set()).update(requirements)
    assert set(together) == {"rows event refused: unknown column type N"}
    assert "FORMAT-LATEST-GOVERNS" not in together["rows event refused: unknown column type N"]


@pytest.mark.parametrize("shown_as", ["at a wrong offset", "with a wrong header"])
def test_what_is_read_from_a_wrong_end_on_is_one_finding(shown_as):
    """As mysql-binlog-connector-java goes on a byte early after some bodies, until it meets other bytes."""
    together, some = {}, 0
    for case in cases("gtid_streams", "mysql-8.0"):
        events = list(REFERENCE.ask(request_of(case)).events)
        place = next((number for number, entry in enumerate(events[:-1]) if entry["type"] == EventType.GTID), None)
        if place is None:
            continue
        some += 1
        after = events[place + 1]
        torn = {**after, "type": 77, "length": after["length"] << 8, "handled": "ignored", "flags": 0x800, "log_pos": 1}
        if shown_as == "at a wrong offset":
            torn["offset"] -= 1
        for finding, requirements in findings(case, Observation((*events[: place + 1], torn))).items():
            together.setdefault(finding, set()).update(requirements)
    assert some
    assert together.keys() == {"GTID read to a wrong end"}
    requirements = together["GTID read to a wrong end"]
    assert "FORMAT-EVENT-DELIVERED" in requirements
    assert ("FORMAT-EVENT-START" in requirements) is (shown_as == "at a wrong offset")
    assert not {each for each in requirements if each.startswith("FORMAT-HEADER-")}


def test_an_event_with_a_wrong_length_does_not_lead_astray_where_the_next_one_is_read():
    case = next(each for each in cases("gtid_streams", "mysql-8.0"))
    wrong = changed(case, lambda entry: {**entry, "length": entry["length"] + 1})
    assert "FORMAT-HEADER-LENGTH" in findings(case, wrong)["length differs"]


def test_two_bugs_in_one_event_are_two_findings():
    def wrong(entry):
        return {**entry, "type": 0, "query": entry["query"] + "x"} if "query" in entry else {**entry, "type": 0}

    case = next(each for each in cases("streams_without_gtids", "mysql-8.0"))
    assert set(findings(case, changed(case, wrong))) == {"type differs", "the last field of an event too long"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("index out of range [22] with length 21", "index out of range [N] with length N"),
        ("at 0x7fff10 in b'\\x00\\x01'", "at N in '...'"),
        ("no column \"t1\" in `t1`", "no column '...' in '...'"),
        ("unknown codec 'utf-32'", "unknown codec 'utf-32'"),
        ("/usr/lib/parser/event.go:88: bad CRC32 of utf8mb4", "event.go:N: bad CRC32 of utf8mb4"),
        ("AssertionError: Result length:\nExpected=3. Actual=1.", "AssertionError: Result length"),
        ("ValueError: hour must be in 0..23: 838", "ValueError: hour must be in N..N"),
        ("UnicodeError: bad bytes in position 3-4: end", "UnicodeError: bad bytes in position N"),
        ("UnicodeError: bad byte 0xc3 in position 3: end", "UnicodeError: bad bytes in position N"),
        ("a.b.XException: Cannot read Header{4}: java.io.IOException: Bad type 8: no", "IOException: Bad type N"),
        ("parse rows event: column 3: type 242", "parse rows event: column N: type N"),
        ("GTID 0-1-57 is out of order after 0-1-58.", "GTID N is out of order after N."),
        ("no 3e11fa47-71ca-11e1-9e33-c80aa9429562:tag:1-23", "no N"),
        ("It must be <= 5. Received 67_949_818_666_655", "It must be <= N. Received N"),
        ("5,000 rows of [1,2], data \"\xfe日本", "N rows of [N], data '...'"),
        ("\n", ""),
    ],
)  # fmt: skip
def test_a_reason_keeps_the_words_and_not_the_case(text, reason):
    assert normalised(text, b"..t1..") == reason


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        ("panic: index out of range [5]\n\ngoroutine 1 [running]:", "panic: index out of range [N]"),
        ("thread x panicked at src/mod.rs:156:9:\nslice index 19\nnote: run", "slice index N"),
        ("Traceback (most recent call last):\n  File x\nValueError: 7 is wrong", "ValueError: N is wrong"),
        ("Exception in thread a java.lang.Error: at 7", "Error: at N"),
        ("nothing to see", ""),
        (f"{CALLS}struct.error: needs 4 bytes", "struct.error: needs N bytes"),
        (f"{CALLS}mine.Bad", "mine.Bad"),
        (f"{CALLS}KeyError: 7\n\nDuring handling\n\n{CALLS}mine.Stop: 5\nand a line of its message", "mine.Stop: N"),
        (f"{CALLS}", ""),
    ],
)  # fmt: skip
def test_the_reason_of_a_crash_is_what_the_runtime_writes(errors, reason):
    assert crash_reason(errors) == reason


def test_crashes_with_one_reason_are_one_finding_and_without_one_the_fault_distinguishes_them():
    ordinary, fault = cases("transactions", "mysql-8.0")[0], cases("wrong_event_lengths", "mysql-8.0")[0]
    loud = Trouble("crash", "exit-status-2", "panic: too long: 77")
    assert findings(ordinary, loud).keys() == findings(fault, loud).keys()
    assert list(findings(ordinary, loud)) == ["crash: exit-status-2: panic: too long: N"]
    silent = Trouble("crash", "signal-SIGSEGV", "")
    assert findings(ordinary, silent).keys().isdisjoint(findings(fault, silent))


def test_an_event_that_is_refused_before_the_reading_goes_on_has_its_reason():
    case = cases("streams_without_gtids", "mysql-8.0")[0]

    def refuse(entry):
        return {**entry, "handled": "refused", "refused": f"bad 0x{entry['offset']:x}"} if entry["type"] == 2 else entry

    assert set(findings(case, changed(case, refuse))) == {"QUERY refused: bad N"}


@pytest.mark.parametrize("family", ["post_header_lengths", "anonymous_gtids_to_older_readers", "every_column_type"])
def test_a_header_of_other_bytes_after_any_event_is_a_failure(family):
    judged = 0
    for case in list(cases(family, "mariadb-11.x"))[:4]:
        events = list(REFERENCE.ask(request_of(case)).events)
        for place, following in enumerate(events[1:8], 1):
            numbers = ("timestamp", "server_id", "length", "log_pos", "flags")
            foreign = following | {name: following[name] ^ 0x55 for name in numbers}
            verdicts = Judge(REFERENCE.declaration.roles["decode"]).judge(case, Observation((*events[:place], foreign)))
            assert any(each.is_failure for each in verdicts), (str(case.id), place)
            judged += 1
    assert judged > 10


def without_what_later_servers_add(entry):
    """Return a Gtid event as a reader reports it that ends before its logical timestamps."""
    later = {"last_committed", "sequence_number", "transaction_length", "original_server_version"}
    return {name: None if name in later or name.startswith("immediate") else value for name, value in entry.items()}


def test_fields_that_an_event_lacks_together_are_one_finding():
    together = {}
    for case in cases("gtid_streams", "mysql-8.0"):
        for finding, requirements in findings(case, changed(case, without_what_later_servers_add)).items():
            together.setdefault(finding, set()).update(requirements)
    assert "several fields of GTID missing" in together
    assert {"WL7592-BODY-LOGICAL-TIMESTAMPS", "FORMAT-GTID-COMMIT-FIELDS"} <= together["several fields of GTID missing"]
    assert not [finding for finding in together if finding.startswith("last_committed")]


def test_a_field_that_is_lacking_alone_is_a_finding_by_itself():
    together = set()
    for case in cases("gtid_streams", "mysql-8.0"):
        together |= set(findings(case, changed(case, lambda entry: {**entry, "sequence_number": None})))
    assert together == {"sequence_number of GTID missing"}


def misread_from_the_head_on(entry):
    """Return a Query event as a reader reports it that takes its post-header for four bytes longer."""
    lost = dict.fromkeys(entry.keys() & STATUS_FIELDS)
    if entry["type"] != EventType.QUERY or not entry.get("query") or "time_zone" not in lost:
        return entry
    return entry | lost | {"database": entry["query"][:2], "query": entry["query"][4:], "status_variables": "?"}


def test_a_body_of_which_most_is_wrong_is_one_finding():
    together = {}
    for case in cases("transactions", "mysql-8.0"):
        for finding, requirements in findings(case, changed(case, misread_from_the_head_on)).items():
            together.setdefault(finding, set()).update(requirements)
    assert set(together) == {"body of QUERY misread"}
    assert {"FORMAT-QUERY-STATUS-VARIABLES"} < together["body of QUERY misread"]


def together_of(role, family, profile, change, *, count=40):
    """Return the findings of wrong answers to the cases of a family, with the requirements that each breaks."""
    together = {}
    for case in cases(family, profile, role, count=count):
        for finding, requirements in findings(case, change(case)).items():
            together.setdefault(finding, set()).update(requirements)
    return together


def goes_on_after_an_error(case):
    """Return the answer of a parser that takes the type of a wrong event instead of a reset."""
    parser, entries = WorklogParser(), []
    for offset, event in fed_by_offset(case.stream).items():
        if offset in case.settings["resets"]:
            parser.reset()
        step = parser.feed(event)
        if step.warning:
            parser.state = step.boundary_type
        entry = worklog_entry(step, header_answers(event.flags), within=parser.within_transaction)
        entries.append({**entry, "offset": offset, "type": case.stream[offset + 4], "state": parser.state.heading})
    return Observation(tuple(entries), None)


def test_a_parser_that_goes_on_after_errors_has_one_finding_whatever_its_state_is_then():
    together = together_of("boundary", "boundary_faults", "worklog", goes_on_after_an_error)
    assert list(together) == ["boundary: state is not Not Defined after an error"]
    assert "WL4162-RESET-AFTER-ERROR" in together["boundary: state is not Not Defined after an error"]


def test_a_misread_marker_is_one_finding_with_all_that_follows_from_it():
    def with_two_bits(case):
        def read(entry):
            wrong = {"Inside Transaction": "Not Defined", "End Transaction": "Ignore Boundary"}.get(entry["marker"])
            letters = {"Not Defined": "b", "Ignore Boundary": "ah"}
            return {**entry, "marker": wrong, "boundary_type": wrong, "answers": letters[wrong]} if wrong else entry

        return changed(case, read)

    together = together_of("boundary", "marked_streams", "worklog", with_two_bits)
    assert list(together) == ["boundary: marker differs"]
    assert {"WL4162-ANSWER-INSIDE", "WL4162-ANSWER-ENDING"} < together["boundary: marker differs"]


def test_an_applier_whose_skip_counter_ends_within_groups_has_one_finding_whatever_the_event_is():
    def ends_at_once(case):
        def skip(entry):
            return {**entry, "skip_counter": 0} if entry["outcome"] == "skipped" and entry["in_group"] else entry

        return changed(case, skip)

    together = together_of("apply", "skipped_groups", "worklog", ends_at_once)
    assert list(together) == ["apply: skip_counter becomes 0 within a group"]


def test_an_applier_that_stops_too_early_is_not_blamed_for_what_comes_after():
    def stops_at_the_first_group(case):
        answer = REFERENCE.ask(request_of(case))
        at = next((at for at, entry in enumerate(answer.events) if entry["in_group"]), None)
        if at is None or answer.events[at]["outcome"] == "until":
            return answer
        before = answer.events[at - 1]
        last = {**before, **{name: answer.events[at][name] for name in ("offset", "type")}, "outcome": "until"}
        return replace(
            answer, events=(*answer.events[:at], {**last, "logged_groups": 0, "logged_gtids": ""}), error=None
        )

    together = together_of("apply", "stop_positions", "worklog", stops_at_the_first_group)
    (requirements,) = together.values()
    # At an event with the server id 0, and at the one after it, it is the exemption that shows.
    stops = {"FORMAT-APPLY-UNTIL", "WL7592-APPLY-UNTIL-SERVER-ID-ZERO"}
    assert requirements <= stops | {"FORMAT-APPLY-POSITION", "FORMAT-APPLY-GROUP", "FORMAT-APPLY-GTID"}


def by_mutant(name):
    return lambda case: MutantImplementation(mutant_of(name)).ask(request_of(case))


@pytest.mark.parametrize(
    ("family", "change", "finding"),
    [
        (
            "tagged_gtid_streams",
            lambda entry: {**entry, "gtid": entry["gtid"].replace(":tag", "")} if entry["type"] == 42 else entry,
            "gtid of GTID_TAGGED differs",
        ),
        (
            "transactions",
            lambda entry: {**entry, "previous_gtids": ""} if entry["type"] == EventType.PREVIOUS_GTIDS else entry,
            "previous_gtids of PREVIOUS_GTIDS cut short",
        ),
    ],
)
def test_gtids_that_are_misread_are_one_finding_with_the_set_that_a_reader_keeps(family, change, finding):
    def misread(case):
        lost = False
        entries = []
        for entry in REFERENCE.ask(request_of(case)).events:
            lost = lost or change(dict(entry)) != entry
            entries.append(
                change({**entry, "executed_gtid_set": ""}) if lost and "executed_gtid_set" in entry else entry
            )
        return Observation(tuple(change(dict(entry)) for entry in entries))

    assert list(together_of("decode", family, "mysql-9.x", misread)) == [finding]


def test_a_transaction_that_is_not_counted_is_one_finding_whatever_ends_it():
    def never_counted(case):
        return changed(
            case,
            lambda entry: {**entry, "executed_gtid_set": ""} if entry["type"] != EventType.PREVIOUS_GTIDS else entry,
        )

    together = together_of("decode", "gtid_streams", "mysql-8.0", never_counted)
    assert "executed_gtid_set wrong after a transaction" in together
    assert not [finding for finding in together if finding.endswith(("after XID", "after QUERY"))]


def test_a_checksum_algorithm_that_is_misread_is_one_finding_with_what_is_read_by_it():
    """As in a reader that takes a version such as 5.6.24-log for one without checksums."""

    def without_checksums(case):
        def misread(entry):
            texts = {name: entry[name] + "\0\1\2\3" for name in ("query", "next_file", "rows_query") if entry.get(name)}
            algorithm = {"checksum_algorithm": "none"} if entry["type"] == EventType.FORMAT_DESCRIPTION else {}
            return entry | texts | algorithm

        right = REFERENCE.ask(request_of(case))
        checksummed = all(entry.get("checksum_algorithm", "crc32") == "crc32" for entry in right.events)
        return changed(case, misread) if checksummed else right

    together = together_of("decode", "transactions", "mysql-5.6", without_checksums)
    assert together == {"checksum_algorithm of FORMAT_DESCRIPTION differs": {"FORMAT-CHECKSUM-ALGORITHM"}}


def test_rows_without_their_table_map_are_one_finding_with_the_event_that_is_passed_over():
    def passes_over_tables(case):
        entries = []
        for entry in REFERENCE.ask(request_of(case)).events:
            if entry["type"] in (*ROWS_V1, *ROWS_V2):
                return Observation(tuple(entries), Refusal(entry["offset"], "other", "no such table"))
            is_table = entry["type"] == EventType.TABLE_MAP
            entries.append({**entry, "handled": "ignored"} if is_table else entry)
        return Observation(tuple(entries))

    assert list(together_of("decode", "transactions", "mysql-8.0", passes_over_tables)) == ["TABLE_MAP not known"]


def test_a_misread_value_is_not_taken_for_a_longer_post_header():
    def wrong_values(case):
        def misread(entry):
            rows = [
                {side: image and {**image, min(image): "wrong"} for side, image in row.items()}
                for row in entry.get("rows", ())
            ]
            many = all(len(image or "01") > 1 for row in entry.get("rows", ()) for image in row.values())
            return {**entry, "rows": rows} if rows and many else entry

        return changed(case, misread)

    together = together_of("decode", "post_header_lengths", "mysql-8.0", wrong_values)
    assert together
    assert not [finding for finding in together if "longer post-header" in finding]


def test_a_number_without_its_upper_bytes_is_not_taken_for_a_longer_post_header():
    def without_upper_bytes(case):
        name = "immediate_commit_timestamp"
        return changed(case, lambda each: {**each, name: each[name] % (1 << 48)} if each.get(name) else each)

    together = together_of("decode", "post_header_lengths", "mysql-8.0", without_upper_bytes)
    assert not [finding for finding in together if "longer post-header" in finding]
    ordinary = together_of("decode", "anonymous_gtid_streams", "mysql-8.0", without_upper_bytes)
    assert "immediate_commit_timestamp of GTID differs" in ordinary


def test_a_text_in_other_characters_is_not_taken_for_a_longer_post_header():
    def in_latin1(case):
        def read(entry):
            texts = {name: entry[name].encode().decode("latin-1") for name in ("query", "rows_query") if name in entry}
            return {**entry, **texts}

        return changed(case, read)

    together = together_of("decode", "post_header_lengths", "mysql-8.0", in_latin1)
    assert "text in other characters" in together
    assert not [finding for finding in together if "longer post-header" in finding]


def test_a_text_that_begins_in_the_unknown_bytes_is_misread_for_the_longer_post_header():
    """A name that ends at a zero byte has them before it, and the statement after it is right."""
    together = {}
    for case in cases("post_header_lengths", "mysql-8.0"):
        lengthened = {each for each in case.expected.made_for if each < len(case.expected.events)}
        of_queries = {each for each in lengthened if case.expected.events[each]["type"] == EventType.QUERY}
        answer = REFERENCE.ask(request_of(case))
        events = ({**each, "database": "\1" + each["database"]} if at in of_queries else each
                  for at, each in enumerate(answer.events))  # fmt: skip
        together |= findings(case, replace(answer, events=tuple(events)))
    assert together == {"event with a longer post-header misread": {"FORMAT-POST-HEADER-LENGTHS"}}


@pytest.mark.parametrize(("role", "wrong"), [("send", "not sent"), ("relay", "not written")])
def test_an_event_that_is_not_passed_on_is_one_cause_whichever_requirement_misses_it(role, wrong):
    def without_xids(case):
        events = REFERENCE.ask(request_of(case)).events
        others = tuple(each for each in events if bytes.fromhex(each["data"])[4] != EventType.XID)
        # A single one may be the event at the position asked for: a sender may as well begin after it.
        return Observation(others if len(others) < len(events) - 1 else events)

    families = {"send": ("sent_gtids", "transactions"), "relay": ("gtid_streams", "streams_without_gtids")}
    known = {each: together_of(role, each, "mysql-8.0", without_xids) for each in families[role]}
    assert {finding for together in known.values() for finding in together} == {f"{role}: XID {wrong}"}


def test_an_applier_that_stops_at_another_position_has_one_finding_and_no_consequences():
    def in_any_log(case):
        request = request_of(case)
        until = request.settings.get("until")
        if until is None:
            return REFERENCE.ask(request)
        settings = {**request.settings, "until": {**until, "log_name": "another.000001"}}
        return REFERENCE.ask(replace(request, settings=settings))

    together = together_of("apply", "stop_positions", "mysql-8.0", in_any_log)
    finding = "apply: stop at a position at another event"
    assert together == {finding: {"FORMAT-APPLY-UNTIL"}}


def test_wrong_rows_have_one_finding_whatever_ends_the_stream():
    def without_a_row(case):
        answer = REFERENCE.ask(request_of(case))
        entries = [
            {**each, "tables": {name: rows[1:] for name, rows in each["tables"].items()}} if "tables" in each else each
            for each in answer.events
        ]
        return replace(answer, events=tuple(entries))

    for family in ("unknown_events_refused", "groups_sent_again"):
        assert set(together_of("apply", family, "mysql-8.0", without_a_row)) == {"apply: tables differs"}, family


def test_a_wrong_set_of_executed_gtids_has_one_finding_whatever_event_it_is_shown_after():
    def without_its_first(case):
        def forget(entry):
            executed = entry["executed_gtids"]
            return {**entry, "executed_gtids": executed.rpartition(",")[2]} if "," in executed else entry

        return changed(case, forget)

    together = together_of("apply", "groups_sent_again", "mysql-8.0", without_its_first)
    assert set(together) == {"apply: executed_gtids differs"}


def test_a_skip_counter_that_is_misread_has_one_finding_whatever_event_it_is_shown_after():
    def one_less(case):
        return changed(case, lambda entry: {**entry, "skip_counter": max(entry["skip_counter"] - 1, 0)})

    together = together_of("apply", "skipped_groups", "mysql-8.0", one_less)
    assert set(together) <= {"apply: skip_counter differs", "apply: skip_counter becomes 0 within a group"}


def rewritten(case, role, change):
    """Return the reference's answer with the bytes of its events changed."""
    events = REFERENCE.ask(request_of(case)).events

    def changed_data(data):
        end = len(data) - CHECKSUM_BYTES
        has_checksum = checksum(data[:end]) == int.from_bytes(data[end:], "little")
        data = change(data)
        return data[:end] + checksum(data[:end]).to_bytes(CHECKSUM_BYTES, "little") if has_checksum else data

    return Observation(tuple({**each, "data": changed_data(bytearray.fromhex(each["data"])).hex()} for each in events))


def test_a_source_that_loses_the_marker_of_every_event_has_one_finding():
    def without_marker(data):
        data[18] &= ~0x3C
        return data

    together = together_of("send", "sent_marked_logs", "worklog", lambda case: rewritten(case, "send", without_marker))
    finding = "send: marker of events of several types differs"
    assert finding in together
    assert len(together) <= 3, list(together)


@pytest.mark.parametrize(("role", "finding"), [("send", "send: log_pos differs"), ("relay", "relay: log_pos changed")])
def test_a_header_that_is_wrong_in_events_of_any_type_has_one_finding(role, finding):
    own = {EventType.FORMAT_DESCRIPTION, EventType.ROTATE, EventType.PREVIOUS_GTIDS, EventType.STOP}

    def moved(data):
        if data[4] not in own:
            data[13] ^= 0x40
        return data

    assert finding in together_of(
        role,
        "transactions" if role == "send" else "gtid_streams",
        "mysql-8.0",
        lambda case: rewritten(case, role, moved),
    )


def test_a_source_that_begins_with_another_log_has_one_finding():
    too_early = together_of("send", "sent_gtids", "mysql-8.0", by_mutant("send-all-logs"))
    assert too_early == {"send: earlier log sent": {"FORMAT-SEND-FIRST-LOG"}}
    # Few logs begin with a set of which the replica has the end, and not all.
    too_late = {}
    for profile in ("mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"):
        too_late |= together_of("send", "sent_gtids", profile, by_mutant("send-compares-ends"), count=48)
    assert too_late == {"send: log not sent": {"FORMAT-SEND-GTIDS-SKIPPED"}}


def test_a_source_that_takes_the_set_of_a_replica_for_another_has_one_finding():
    together = together_of("send", "sent_gtids", "mysql-8.0", by_mutant("send-end-of-interval"))
    assert together == {"send: transaction sent that the replica has": {"FORMAT-SEND-GTIDS-SKIPPED"}}


def test_a_receiver_that_writes_events_of_ignored_servers_has_one_finding_whatever_they_are():
    together = together_of("relay", "ignored_servers", "worklog", by_mutant("relay-ignored-id-written"))
    assert together == {"relay: event of an ignored server": {"FORMAT-RELAY-IGNORED"}}


def test_wrong_checksums_in_a_written_log_are_one_finding_whatever_they_are():
    together = together_of("log", "logged_transactions", "mysql-8.0", by_mutant("logs-bad-checksum-of-gtid"))
    assert list(together) == ["log: the checksum is N, but N is computed"]


def test_a_table_id_that_is_wrong_is_not_charged_to_the_option_for_the_text_of_statements():
    together = together_of("log", "logged_rows_queries", "mysql-8.0", by_mutant("logs-one-table-id"))
    blamed = set().union(*together.values())
    assert "FORMAT-LOG-TABLE-MAP" in blamed
    assert not {each for each in blamed if each.startswith("WL4033-LOG-OPTION-")}


@pytest.mark.parametrize(
    ("mutant", "cause"),
    [
        ("names-joined-with-a-dot", "filter: tables compared by database and name joined with a dot"),
        ("names-in-any-case", "filter: tables compared without regard to letter case"),
        ("any-do-table", None),
    ],
)
def test_the_way_in_which_a_filter_compares_tables_is_one_finding(mutant, cause):
    require_role("filter")
    faulty, seen = MutantImplementation(mutant_of(mutant)), set()
    for family in ("name_filters", "row_filters", "table_filters"):
        for case in cases(family, "worklog", role="filter"):
            seen |= set(findings(case, faulty.ask(request_of(case))))
    # Where a single table that passes is enough explains an answer too, that is not known.
    assert seen - {cause} <= {"filter: fate of QUERY differs"}
    assert cause in seen if cause else not any("compared" in each for each in seen)


@pytest.mark.parametrize(
    ("mutant", "role", "family", "finding"),
    [
        (
            "guesses-marked-events",
            "boundary",
            "boundary_exhaustive",
            "boundary_type guessed although the event is marked",
        ),
        ("guesses-nothing", "boundary", "gtid_streams", "boundary_type not guessed"),
        ("fed-headers-only", "boundary", "gtid_streams", "BEGIN, COMMIT or ROLLBACK taken for another statement"),
        (
            "rollback-to-ends",
            "boundary",
            "boundary_exhaustive",
            "another statement taken for BEGIN, COMMIT or ROLLBACK",
        ),
        ("state-ignore", "boundary", "marked_streams", "state is Ignore Boundary"),
        ("answer-e", "boundary", "boundary_exhaustive", "answer e) is not given"),
        ("rows-stay", "filter", "clever_filters", "rows separated from their table"),
        ("context-stays", "filter", "clever_filters", "parted from its statement"),
        ("begin-stays", "filter", "clever_filters", "group split"),
        ("names-without-accents", "filter", "name_filters", "tables compared without regard to accents"),
        ("first-table-only", "decide", "logging_decisions", "capability of the tables is yes, not no"),
        ("definitions-safe", "decide", "logging_decisions", "unsafe statement decided as safe"),
        ("closed-log-kept", "decide", "logging_decisions", "decision differs from that on the same statement before"),
        (
            "unsafe-after-error",
            "decide",
            "logging_decisions",
            "decision differs from that on the same statement before",
        ),
        ("error-logged", "decide", "logging_decisions", "logged despite the error"),
        ("apply-format-closes-group", "apply", "groups_sent_again", "in_group of FORMAT_DESCRIPTION differs"),
        ("default-database-not-set", "render", "gtid_streams", "statement in another database"),
    ],
)
def test_a_fault_is_one_finding_in_whatever_events_and_fields_it_shows(mutant, role, family, finding):
    require_role(role)
    expected = finding if role == "decode" else f"{role}: {finding}"
    assert list(together_of(role, family, "worklog", by_mutant(mutant))) == [expected]


def of_no_capability_without_tables(case):
    """Return the answer of a decider that takes a statement without tables for one that cannot be logged."""

    def refuse(entry, statement):
        if statement["tables"] or not (statement["log_open"] and statement["sql_log_bin"]):
            return entry
        refused = {"format": "none", "message": "error", "executed": "no", "restricted": "none"}
        return {**entry, "row_capable": "no", "statement_capable": "no", **refused}

    events = REFERENCE.ask(request_of(case)).events
    return Observation(tuple(map(refuse, events, case.settings["statements"])))


@pytest.mark.parametrize("family", ["engine_capabilities", "unreplicated_tables"])
def test_all_that_follows_from_the_capability_of_tables_is_one_finding(family):
    """Under a server's profile no requirement of a worklog is about these statements: their fields have owners."""
    together = together_of("decide", family, "mysql-5.7", of_no_capability_without_tables)
    assert list(together) == ["decide: capability of the tables is no, not yes"]


def with_lengths_of_the_first_format(case):
    """Return the answer of a reader that takes the lengths of post-headers from the first format description alone."""
    lengths = []

    def read(event, reported):
        if event.header.type == EventType.FORMAT_DESCRIPTION:
            lengths.append(event.format.post_header_lengths)
            return reported
        kept = event._replace(format=replace(event.format, post_header_lengths=lengths[0]))
        return {**reported, **report(kept)}

    return MutantImplementation(Mutant("kept", LATEST_GOVERNS, "lengths are kept", read)).ask(request_of(case))


def test_lengths_of_post_headers_that_are_kept_are_one_finding_of_the_rule_on_later_format_descriptions():
    together = together_of("decode", "changed_format_descriptions", "mysql-8.0", with_lengths_of_the_first_format)
    # A refusal of the first event that is misread has the reader's own words: nothing else is seen of its reading.
    delivered = {finding: broken for finding, broken in together.items() if " refused: " not in finding}
    assert delivered == {"post-header lengths of an earlier format description kept": {LATEST_GOVERNS}}


def with_names_in_latin1_and_other_texts(each):
    """A reader of names in other characters, which misreads statements and rows for reasons of their own."""
    if each["type"] == EventType.TABLE_MAP:
        return each | {name: each[name].encode().decode("latin1") for name in ("table", "database")}
    texts = {name: f"?{each[name]}" for name in ("query", "rows_query") if each.get(name)}
    return each | texts | ({"rows": []} if each.get("rows") else {})


def test_a_name_that_is_found_shows_that_lengths_are_not_kept():
    judge = Judge(REFERENCE.declaration.roles["decode"])
    for index in range(40):
        case = case_of(CaseId("changed_format_descriptions", "mysql-5.7", seed=0, index=index))
        verdicts = judge.judge(case, changed(case, with_names_in_latin1_and_other_texts))
        assert not any("format description" in each.finding for each in verdicts if each.is_failure)


def test_a_type_that_is_always_misread_does_not_show_that_lengths_are_kept():
    def misread(case):
        return changed(case, lambda each: {**each, "query": f"?{each['query']}"} if "query" in each else each)

    together = together_of("decode", "changed_format_descriptions", "mysql-8.0", misread)
    assert list(together) == ["query of QUERY differs"]


def test_a_table_id_that_is_misread_is_one_finding_in_maps_and_rows():
    def misread(case):
        return changed(case, lambda each: {**each, "table_id": each["table_id"] + 1} if "table_id" in each else each)

    together = together_of("decode", "transactions", "mysql-8.0", misread)
    assert list(together) == ["table_id differs"]
    assert {"FORMAT-TABLE-MAP", "FORMAT-ROWS"} <= together["table_id differs"]


def test_rows_that_are_in_no_binlog_statement_are_one_finding_of_what_a_server_runs():
    together = together_of("render", "rendered_text", "worklog", by_mutant("statement-ends-at-one-flag"))
    assert "FORMAT-RENDER-BINLOG-RUNS" in together["render: row event missing"]
    assert "render: event changed" not in together
    assert "WL4033-GOLDEN-TEXT-BINLOG" not in set().union(*together.values())


def test_a_type_that_no_other_reading_explains_is_a_finding_by_itself():
    """A BEGIN after a Gtid event, taken for another statement, would end its group at once."""
    together = together_of("boundary", "gtid_streams", "worklog", by_mutant("type-query-begin-after-gtid"))
    assert list(together) == ["boundary: boundary_type is Self Contained, not Inside Transaction"]


@pytest.mark.parametrize("change", ["position", "no checksum", "as it came"])
def test_what_is_written_after_a_damaged_format_description_is_one_finding_whatever_its_header(change):
    together = {}
    for case in cases("wrong_checksums_received", "mysql-8.0", "relay"):
        at = case.expected.refused_at
        answer = REFERENCE.ask(request_of(case))
        if at is None or case.stream[at + TYPE_AT] != EventType.FORMAT_DESCRIPTION:
            continue
        data = case.stream[at : at + int.from_bytes(case.stream[at + 9 : at + 13], "little")]
        if change == "position":
            data = data[:13] + bytes(4) + data[17:]
        elif change == "no checksum":
            data = data[:9] + (len(data) - CHECKSUM_BYTES).to_bytes(4, "little") + data[13:-CHECKSUM_BYTES]
        entry = {"log": answer.events[-1]["log"], "data": data.hex(), "warning": ""} if answer.events else None
        if entry is not None:
            together |= findings(case, replace(answer, events=(*answer.events, entry)))
    assert together == {"checksum (FORMAT-RELAY-CHECKSUM-WRONG) checksum written": {"FORMAT-RELAY-CHECKSUM-WRONG"}}


@pytest.mark.parametrize("delivers", [True, False])
def test_a_client_that_never_delivers_unknown_events_may_stop_at_the_event_after_one(delivers):
    messages = []
    every = (
        each for profile in ("mysql-5.7", "mysql-8.0", "mysql-8.4") for each in cases("sent_logs", profile, "client")
    )
    for case in every:
        events = case.expected.events
        unknown = case.marks.get("WL4033-CLIENT-IGNORABLE", ())
        # The second one, so that the answer shows whether the client delivers the first; none is right beside it.
        alone = (at for at in unknown[1:] if not {at - 1, at + 1} & {*unknown})
        stop = next((at for at in alone if at < len(events) - 2), None)
        # Right after a lost connection it may end for that.
        if stop is None or any(cut["index"] == stop - 1 for cut in case.settings["source"]["cuts"]):
            continue
        kept = tuple(each for at, each in enumerate(events[:stop]) if delivers or at not in unknown)
        answer = Observation(kept, Refusal(None, "other", "cannot go on"), deliveries=1)
        messages += [each.message for each in Judge(REFERENCE.declaration.roles["client"]).judge(case, answer)
                 if each.requirement == "WL4033-CLIENT-IGNORABLE" and each.is_failure]  # fmt: skip
    assert bool(messages) == delivers
    assert not [each for each in messages if "or at the" in each]


def test_a_client_that_stops_after_a_first_unknown_event_may_have_stopped_at_the_next_one():
    messages = []
    for case in cases("sent_logs", "mysql-8.0", "client"):
        events, unknown = case.expected.events, case.marks.get("WL4033-CLIENT-IGNORABLE", ())
        if not unknown or case.settings["source"]["cuts"] or unknown[0] >= len(events) - 2:
            continue
        answer = Observation(tuple(events[: unknown[0]]), Refusal(None, "other", "cannot go on"), deliveries=1)
        messages += [each.message for each in Judge(REFERENCE.declaration.roles["client"]).judge(case, answer)
                 if each.requirement == "WL4033-CLIENT-IGNORABLE" and each.is_failure]  # fmt: skip
    assert messages
    assert [each for each in messages if ", or at the " in each]


def from_the_start_position(case):
    """Return the answer of a program that prints no log before the position at which the first is to be printed."""
    start = case.settings.get("start_position", 0)

    def change(entry):
        logs, kept = 0, []
        # The events of a statement may be printed together, after the places of all.
        for block in re.findall(r"(?ms)(?:^# at \d+\n)+.*?(?=^# at |\Z)|\A.*?(?=^# at )", entry["text"]):
            places = [int(each) for each in re.findall(r"(?m)^# at (\d+)$", block)]
            logs += places == [4]
            if not places or logs <= 1 or places == [4] or places[0] >= start:
                kept.append(block)
            elif places[-1] >= start:
                return entry
        return {**entry, "text": "".join(kept)}

    return changed(case, change)


def test_a_start_position_that_is_kept_for_later_logs_is_named():
    together = together_of("render", "printed_boundaries", "worklog", from_the_start_position, count=80)
    assert "render: start position kept for the logs after the first" in together
    assert not {"render: no header line", "render: not printed", "render: not shown at -vv"} & together.keys()
