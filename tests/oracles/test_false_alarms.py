"""False alarms of the past: readers that are right in a way that the kit once called wrong, and blame nobody for."""

import base64
import re
from dataclasses import replace

import pytest

from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, HEADER_BYTES
from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, FIELDS_OF_TYPE, missing_fields
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.answered import answered_cases

REFERENCE = ReferenceImplementation()
JUDGE = Judge(REFERENCE.declaration.roles["decode"])
CASES = 4
DECODED = [(name, family.profiles_of("decode")) for name, family in families().items() if "decode" in family.focus]


def cases(*names, count=CASES):
    for name, profiles in DECODED:
        if not names or name in names:
            for profile in profiles:
                yield from (case_of(CaseId(name, profile, seed=8, index=index)) for index in range(count))


def blamed(case, answer):
    return {verdict.requirement for verdict in JUDGE.judge(case, answer) if verdict.is_failure}


def changed(answer, change):
    """Return the answer with each event changed; an event that becomes None is left out."""
    return replace(answer, events=tuple(event for each in answer.events if (event := change(each)) is not None))


#: Where in a format description's body its own post-header length is.
OWN_LENGTH_AT = HEADER_BYTES + 57 + EventType.FORMAT_DESCRIPTION - 1


def test_a_reader_that_counts_types_by_the_own_length_of_a_format_description_is_right():
    """As mysql-binlog-connector-java does: the byte counts up to 198 types."""
    counts = set()
    for case in cases(count=8):
        for event in case.expected.events:
            if event["type"] == EventType.FORMAT_DESCRIPTION and "event_types" in event:
                assert case.stream[event["offset"] + OWN_LENGTH_AT] - 57 == event["event_types"], str(case.id)
                counts.add(event["event_types"])
    assert max(counts) <= 198
    assert max(counts) > 128


def with_effective_values(event):
    """Return an event as libraries report it that fill in what is not in the event, as it is the same."""
    names = ("original_commit_timestamp", "original_server_version")
    if event["type"] not in GTID_TYPES:
        return event
    effective = {name: event[now] for name in names if (now := name.replace("original", "immediate")) in event}
    return {**effective, **event}


def test_a_reader_that_reports_effective_commit_times_and_versions_is_right():
    filled = 0
    for case in cases("transactions", "ignorable_events", "tagged_gtid_streams", "every_event_type"):
        right = REFERENCE.ask(request_of(case))
        answer = changed(right, with_effective_values)
        filled += answer != right
        assert blamed(case, answer) == set(), str(case.id)
    assert filled


def passed_over(event):
    return {name: event[name] for name in FIELDS_OF_EVERY_TYPE if name in event} | {"handled": "ignored"}


@pytest.mark.parametrize("change", [passed_over, lambda event: None])
def test_a_reader_that_does_not_ask_for_heartbeats_is_not_judged_by_them(change):
    heartbeats = 0
    for case in cases("heartbeats", count=8):
        answer = changed(
            REFERENCE.ask(request_of(case)), lambda event: change(event) if event["type"] in HEARTBEAT_TYPES else event
        )
        heartbeats += sum(event["type"] in HEARTBEAT_TYPES for event in case.expected.events)
        assert blamed(case, answer) == set(), str(case.id)
    assert heartbeats


#: The types all of whose fields are those of some such events, such as 9, 11, 39 and 41.
RARE = [code for code, kind in FIELDS_OF_TYPE.items() if kind.optional and not kind.required]


@pytest.mark.parametrize("code", RARE, ids=lambda code: EventType(code).name)
def test_a_rare_type_without_its_fields_blames_nobody_and_one_that_is_ignored_its_type_alone(code):
    without = {name for kind in (FIELDS_OF_TYPE[code],) for name in kind.optional}
    for _, case, right in answered_cases("decode", 3):
        if all(event["type"] != code for event in case.expected.events):
            continue
        bare = changed(
            right,
            lambda event: {name: event[name] for name in event if event["type"] != code or name not in without},
        )
        assert blamed(case, bare) == set(), str(case.id)
        ignored = changed(right, lambda event: passed_over(event) if event["type"] == code else event)
        # An event that is made for a should is charged to that alone, whatever differs there.
        assert blamed(case, ignored) <= {"FORMAT-TYPE-KNOWN", *case.expected.made_for.values()}, str(case.id)


def refused(answer, place):
    at = answer.events[place]["offset"]
    return replace(answer, events=answer.events[:place], error=Refusal(at, "unknown-event", "type 34"))


def test_an_older_reader_may_know_or_skip_an_anonymous_gtid_with_the_flag_but_not_refuse_it():
    for case in cases("anonymous_gtids_to_older_readers"):
        right = REFERENCE.ask(request_of(case))
        assert right.events[2]["type"] == EventType.ANONYMOUS_GTID
        skips = [lambda event: None, passed_over]
        for skip in skips:
            answer = changed(right, lambda event, skip=skip: skip(event) if event["type"] == 34 else event)
            assert blamed(case, answer) == set(), str(case.id)
        assert blamed(case, refused(right, 2)) == {"WL7592-ANON-SKIPPED-BY-FLAG"}


def as_base64(value):
    return {"base64": base64.b64encode(value.encode()).decode()} if isinstance(value, str) else value


def with_texts_as_bytes(event):
    """Return a rows event as libraries report it that return strings as bytes."""
    if "rows" not in event:
        return event
    rows = [
        {side: image and {name: as_base64(value) for name, value in image.items()} for side, image in row.items()}
        for row in event["rows"]
    ]
    return {**event, "rows": rows}


def test_strings_of_recorded_rows_may_be_bytes():
    """As mysql-binlog-connector-java returns them; the columns of the recorded logs are integers and texts."""
    some = 0
    for case in cases("recorded_logs", count=16):
        right = REFERENCE.ask(request_of(case))
        answer = changed(right, with_texts_as_bytes)
        some += answer != right
        assert blamed(case, answer) == set(), str(case.id)
    assert some


def test_a_length_without_room_for_a_checksum_is_not_put_to_a_reader_that_verifies_none():
    declared = REFERENCE.declaration.roles["decode"]
    judge = Judge(replace(declared, abilities=declared.abilities - {"checksums"}))
    of_checksum = [case for case in cases("wrong_event_lengths", count=40) if "FORMAT-LENGTH-NO-CHECKSUM" in case.marks]
    assert of_checksum
    for case in of_checksum:
        assert {each.status for each in judge.declined(case)} == {"unsupported"}, str(case.id)
        assert judge.declined(case) != [], str(case.id)


def with_json(change):
    """Return the change of rows that applies another to each value of a column of the type JSON."""

    def change_of(case):
        columns = {case.expected.events[index]["offset"]: codes for index, codes in case.expected.columns.items()}

        def altered(event):
            codes = columns.get(event["offset"], ())
            if "rows" not in event or not codes:
                return event
            rows = [
                {
                    side: image
                    and {
                        name: change(value) if codes[int(name)] == ColumnType.JSON and value is not None else value
                        for name, value in image.items()
                    }
                    for side, image in row.items()
                }
                for row in event["rows"]
            ]
            return {**event, "rows": rows}

        return altered

    return change_of


def blamed_for_json(change):
    requirements = set()
    for case in cases("partial_json_updates", count=12):
        requirements |= blamed(case, changed(REFERENCE.ask(request_of(case)), with_json(change)(case)))
    return requirements


def test_a_document_that_is_wrong_in_partial_updates_too_breaks_the_rule_on_documents():
    wrong = blamed_for_json(lambda value: value if "json_changes" in value else {"json": [value["json"]]})
    assert wrong == {"FORMAT-ROWS-VALUES-JSON"}


def test_lost_changes_of_a_document_break_the_rule_on_partial_updates():
    assert blamed_for_json(lambda value: {} if "json_changes" in value else value) == {"FORMAT-ROWS-PARTIAL-UPDATE"}


def test_a_payload_that_is_refused_for_its_compression_is_not_refused_for_its_flag():
    refused = 0
    for case in cases("flagged_known_events", "transaction_payloads", count=40):
        right = REFERENCE.ask(request_of(case))
        events = [
            {**{name: event[name] for name in ("offset", "type")}, "handled": "refused", "refused": "not ZSTD"}
            if event.get("compression_type") == 255
            else event
            for event in right.events
        ]
        refused += tuple(events) != right.events
        assert "WL4033-READ-KNOWN-FLAGGED" not in blamed(case, replace(right, events=tuple(events))), str(case.id)
    assert refused


def test_an_error_after_the_fault_is_not_judged_where_the_fault_is_refused_and_the_reading_goes_on():
    """As python-mysql-replication goes on after an event whose checksum is wrong, until something else is."""
    some = 0
    for case in cases("bad_checksum", "encrypted_events"):
        right = REFERENCE.ask(request_of(case))
        refused = {"offset": right.error.at, "handled": "refused", "refused": "the checksum is wrong"}
        later = Refusal(right.error.at + 60, "other", "cannot read this")
        some += 1
        assert blamed(case, replace(right, events=(*right.events, refused), error=later)) == set(), str(case.id)
    assert some


@pytest.mark.parametrize("reported", [True, False])
def test_a_reader_that_does_not_know_a_type_of_no_release_is_right(reported):
    """mysqlbinlog 9.7.4 passes over Large_transaction_header events by their flag."""

    def ignored(event):
        if event["type"] != EventType.LARGE_TRANSACTION_HEADER:
            return event
        header = {name: event[name] for name in FIELDS_OF_EVERY_TYPE if name in event}
        return header | {"handled": "ignored"} if reported else None

    some = 0
    for case in cases("large_transactions"):
        right = REFERENCE.ask(request_of(case))
        answer = changed(right, ignored)
        some += answer != right
        assert blamed(case, answer) == set(), str(case.id)
    assert some


def test_a_reader_that_leaves_out_rows_of_an_unknown_table_does_not_do_so_for_their_flag():
    """As python-mysql-replication does; that it does not refuse their body is another matter."""
    some = 0
    for case in cases("malformed_bodies", count=40):
        at = case.expected.refused_at
        _, code, _, length, _, flags = HEADER.unpack_from(case.stream, at)
        if code in ROWS_TYPES and flags & Flag.IGNORABLE:
            some += 1
            right = REFERENCE.ask(request_of(case))
            later = {**right.events[-1], "offset": at + length}
            requirements = blamed(case, replace(right, events=(*right.events, later), error=None))
            assert "FORMAT-BODY-MALFORMED" in requirements, str(case.id)
            assert "WL4033-READ-KNOWN-FLAGGED" not in requirements, str(case.id)
    assert some


#: A header line, and the boundary type in it.
TYPED_HEADER = re.compile(r"(#\d{6} .*) boundary: (\w+ \w+) (\t.*)")
#: Where the lines of an event end.
NEXT_EVENT = re.compile(r"# at |#\d{6} |BINLOG '|DELIMITER |/\*!50003 SET COMPLETION_TYPE")


def events_of_text(text):
    """Yield the lines of each printed event, from its header line on, and the other lines one by one."""
    lines = text.split("\n")
    while lines:
        count = 1
        if TYPED_HEADER.fullmatch(lines[0]):
            count += next((at for at, line in enumerate(lines[1:]) if NEXT_EVENT.match(line)), 0)
        yield lines[:count]
        del lines[:count]


def type_after_the_header(text, warnings):
    return text_of((lines[:1], [own], lines[1:]) for lines, own in typed(text)), warnings


def type_after_all(text, warnings):
    return text_of((lines, [own]) for lines, own in typed(text)), warnings


def warnings_before_the_next_event(text, warnings):
    printed, left = [], warnings.splitlines()
    for lines in events_of_text(text):
        printed += lines
        if lines[0].endswith("Rows_query") or "Ignorable" in lines[0]:
            printed += [f"# {each}" for each in left]
            left = []
    return "\n".join(printed), "\n".join(left)


def typed(text):
    """Yield the lines of each event without the boundary type in the header line, and a comment line with the type."""
    for first, *others in events_of_text(text):
        header = TYPED_HEADER.fullmatch(first)
        yield ([f"{header[1]} {header[3]}", *others], f"# {header[2]}") if header else ([first, *others], None)


def text_of(events):
    return "\n".join(line for parts in events for part in parts for line in part if line is not None)


@pytest.mark.parametrize(
    "change",
    [type_after_the_header, type_after_all, warnings_before_the_next_event],
    ids=lambda change: change.__name__,
)
def test_boundary_types_and_warnings_may_have_comment_lines_of_their_own(change):
    """WL#4162 gives no place for them; in the text of a Rows_query or an unknown event they are not its content."""
    judge, changes = Judge(REFERENCE.declaration.roles["render"]), 0
    for name in ("printed_boundaries", "rendered_text"):
        for index in range(20):
            case = case_of(CaseId(name, "worklog", seed=8, index=index, role="render"))
            right = REFERENCE.ask(request_of(case))
            if "text" in right.events[0]:
                text, warnings = change(right.events[0]["text"], right.events[0]["warnings"])
                changes += text != right.events[0]["text"]
                answer = replace(right, events=({**right.events[0], "text": text, "warnings": warnings},))
                wrong = [verdict.message for verdict in judge.judge(case, answer) if verdict.is_failure]
                assert wrong == [], str(case.id)
    assert changes > 10


def test_a_comment_of_two_lines_at_an_unknown_event_is_more_than_a_neutral_one():
    judge, blamed = Judge(REFERENCE.declaration.roles["render"]), set()
    for index in range(12):
        case = case_of(CaseId("rendered_text", "worklog", seed=8, index=index, role="render"))
        right = REFERENCE.ask(request_of(case))
        if "text" in right.events[0]:
            text = right.events[0]["text"].replace(
                "# Unrecognized ignorable event", "# Unrecognized ignorable event\n# of a type to come"
            )
            answer = replace(right, events=({**right.events[0], "text": text},))
            blamed |= {verdict.requirement for verdict in judge.judge(case, answer) if verdict.is_failure}
    assert blamed == {"WL4033-RENDER-UNKNOWN-QUIET"}


def test_an_anonymous_gtid_event_needs_no_gtid():
    event = {"offset": 4, "type": int(EventType.ANONYMOUS_GTID), "gtid_flags": 1}
    declared = replace(JUDGE.role, fields=frozenset({"offset", "type", "gtid", "gtid_flags"}))
    assert missing_fields(declared, event) == ()
    assert missing_fields(declared, {**event, "type": int(EventType.GTID)}) == ("gtid",)
    without = 0
    for case in cases("anonymous_gtid_streams"):
        right = REFERENCE.ask(request_of(case))
        answer = changed(right, without_gtid_of_anonymous)
        without += answer != right
        assert blamed(case, answer) == set(), str(case.id)
    assert without


def without_gtid_of_anonymous(event):
    hidden = "gtid" if event["type"] == EventType.ANONYMOUS_GTID else ""
    return {name: value for name, value in event.items() if name != hidden}


def test_no_statement_names_more_databases_than_a_server_does():
    """A reader may take more than 16 for the number that means too many to name, as servers do."""
    most = 0
    for case in cases("transactions", "extended_query_sizes", count=40):
        for event in case.expected.events:
            most = max(most, event.get("updated_databases", "").count(",") + 1)
    assert most == 16


def test_what_is_run_before_the_place_where_printing_begins_is_one_finding():
    """Whatever runs there, statements or rows: which other events before it a program shows is not judged."""
    reference = REFERENCE
    judge, tried = Judge(reference.declaration.roles["render"]), 0
    for index in range(60):
        case = case_of(CaseId("printed_boundaries", "worklog", seed=0, index=index, role="render"))
        if case.settings.get("start_position", 4) == 4 or case.settings["base64_output"] != "auto":
            continue
        request = request_of(case)
        right = reference.ask(request)
        whole = reference.ask(replace(request, settings={**request.settings, "start_position": 4}))
        answer = replace(right, events=({**right.events[0], "text": whole.events[0]["text"]},))
        blamed = [each.requirement for each in judge.judge(case, answer) if each.is_failure]
        assert blamed == ["FORMAT-RENDER-STATEMENTS-RUN"], str(case.id)
        tried += 1
    assert tried
