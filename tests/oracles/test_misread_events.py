"""A text that ends at a wrong place, a body that is misread and an event that is unpacked are one finding each."""

import base64
from dataclasses import replace

import pytest

from conformance.binlog.event_types import COMPRESSED_ROWS_V1, ROWS_V1, EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.binlog.rows.column_codes import ColumnType
from conformance.engine.discovery import discovered, numbers_by_default
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.reasons import crash_reason
from conformance.oracles.verdict import failures_of
from conformance.protocol.observation import Observation, Refusal
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.oracles.test_causes import REFERENCE, cases, changed, findings

SEEDS = {"seed1", "seed2"}
BY_LENGTH_BYTE = "rows_query of ROWS_QUERY read by its length byte"
UNPACKED = dict(zip(sorted(COMPRESSED_ROWS_V1), sorted(ROWS_V1), strict=True))


def bytes_of(case, entry):
    return case.stream[entry["offset"] : entry["offset"] + entry["length"]]


def by_length_byte(event):
    """Return how many bytes of an event from the length byte on are the text, for a reader that follows that byte."""
    return event[HEADER_BYTES]


def without_end(event):
    """Return the same for a reader that takes the last four bytes of every event for a checksum."""
    return len(event) - HEADER_BYTES - 5


def read_texts(case, end_of):
    """Return the answer of a reader of UTF-8 that finds the ends of texts in its own way, and stops where it cannot."""
    answer, entries = REFERENCE.ask(request_of(case)), []
    for entry in answer.events:
        if entry["type"] != EventType.ROWS_QUERY or entry["handled"] != "known":
            entries.append(entry)
            continue
        event = bytes_of(case, entry)
        text, end = event[HEADER_BYTES + 1 :], end_of(event)
        if not 0 <= end <= len(text):
            words = f"AssertionError: Result length not requested length: Expected={end}. Actual={len(text)}"
            return Observation(tuple(entries), Refusal(entry["offset"], "other", words))
        try:
            entries.append({**entry, "rows_query": text[:end].decode()})
        except UnicodeDecodeError as error:
            return Observation(tuple(entries), Refusal(entry["offset"], "other", f"UnicodeDecodeError: {error}"))
    return Observation(tuple(entries), answer.error)


def together_of(family, profile, end_of):
    together = {}
    for case in cases(family, profile):
        for finding, requirements in findings(case, read_texts(case, end_of)).items():
            together.setdefault(finding, set()).update(requirements)
    return together


def every(family, profile, change):
    """Return the findings of answers with each entry changed, every cause of a requirement's failures."""
    judge = Judge(REFERENCE.declaration.roles["decode"])
    return {
        failure.finding
        for case in cases(family, profile)
        for failure in failures_of(judge.judge(case, changed(case, change)))
    }


def test_a_text_that_is_read_by_its_length_byte_is_one_finding_whatever_comes_of_it():
    together = together_of("rows_query_streams", "mysql-8.0", by_length_byte)
    # A text that is cut after 255 bytes alone may be so for its length.
    assert together.keys() - {"rows_query of ROWS_QUERY cut short"} == {BY_LENGTH_BYTE}
    assert "WL4033-READ-ROWS-QUERY-LENGTH-BYTE" in together[BY_LENGTH_BYTE]


def test_a_text_without_its_last_four_bytes_is_one_finding_and_no_matter_of_its_length_byte():
    together = together_of("rows_query_streams", "mysql-8.0", without_end)
    assert set(together) == {"rows_query of ROWS_QUERY cut short"}
    assert "WL4033-READ-ROWS-QUERY-LENGTH-BYTE" not in together["rows_query of ROWS_QUERY cut short"]


def test_a_refusal_with_other_words_is_not_one_for_the_length_byte():
    together = set()
    for case in cases("rows_query_streams", "mysql-8.0"):
        answer = read_texts(case, by_length_byte)
        if answer.error is not None:
            answer = replace(answer, error=replace(answer.error, message="this type is not supported"))
            together |= findings(case, answer).keys()
    assert "ROWS_QUERY refused: this type is not supported" in together


def test_a_body_of_which_both_fields_are_wrong_is_misread_as_a_whole():
    def with_its_lengths(entry):
        if entry["type"] != EventType.HEARTBEAT_V2:
            return entry
        return {**entry, "log_name": f"\1\r{entry['log_name']}\2", "log_position": entry["log_position"] // 256}

    every = {
        each for case in cases("heartbeats", "mysql-9.x") for each in findings(case, changed(case, with_its_lengths))
    }
    assert every == {"body of HEARTBEAT_V2 misread"}


def test_both_numbers_of_a_body_read_with_a_sign_do_not_make_it_misread():
    together = set()
    for case in cases("every_event_type", "mysql-8.0"):
        large = [{**each, **dict.fromkeys(each.keys() & SEEDS, 1 << 63)} for each in case.expected.events]
        answer = changed(case, lambda entry: {**entry, **dict.fromkeys(entry.keys() & SEEDS, -1 << 63)})
        together |= findings(replace(case, expected=replace(case.expected, events=tuple(large))), answer).keys()
    assert together == {"number of 8 bytes is read as signed"}


def test_numbers_read_with_the_byte_that_holds_their_length_are_one_finding():
    def with_first_bytes(entry):
        names = entry.keys() & {"payload_size", "uncompressed_size"}
        return {**entry, **{each: entry[each] << 8 | 0xFC for each in names if 250 < entry[each] < 1 << 16}}

    every_one = every("transaction_payloads", "mysql-9.x", with_first_bytes)
    assert every_one == {"packed number read with the byte that holds its length"}


def test_bytes_that_are_read_as_text_are_one_finding_beside_another_fault_of_their_event():
    def lossy(entry):
        lost = {
            each: base64.b64decode(entry[each]["base64"]).decode(errors="replace")
            for each in ("xa_gtrid", "xa_bqual")
            if isinstance(entry.get(each), dict)
        }
        return {**entry, **lost, "one_phase": 1 - entry["one_phase"]} if "one_phase" in entry else entry

    assert every("xa_transactions", "mysql-8.0", lossy) == {
        "bytes that are not a text read as UTF-8",
        "one_phase of XA_PREPARE differs",
    }


def test_a_text_that_is_read_right_is_not_read_by_a_length_byte_that_takes_in_the_checksum():
    judge = Judge(REFERENCE.declaration.roles["decode"])
    profiles = tuple(families()["rows_query_streams"].profiles_of("decode"))
    numbers = numbers_by_default("rows_query_streams", profiles, role="decode")
    for profile in profiles:
        for case in discovered("rows_query_streams", profile, role="decode", seed=0, numbers=numbers[profile]):
            # An answer without any fault is not examined.
            answer = changed(case, lambda entry: {**entry, "timestamp": entry["timestamp"] + 1})
            blamed = {each.requirement for each in failures_of(judge.judge(case, answer))}
            assert blamed.isdisjoint({"WL4033-READ-ROWS-QUERY-LENGTH-BYTE", "WL4033-READ-ROWS-QUERY-TEXT"}), case.id


def test_bytes_that_are_lost_are_not_read_as_text():
    lost = every(
        "loaded_files", "mysql-8.0", lambda entry: {**entry, "block_data": ""} if "block_data" in entry else entry
    )
    assert lost == {"block_data of load block differs", "block_data of load block cut short"}


def test_events_that_a_program_unpacks_before_it_prints_them_are_one_finding():
    def unpacked(entry):
        if entry["type"] not in UNPACKED:
            return entry
        return {**entry, "type": UNPACKED[entry["type"]], "length": entry["length"] - 1}

    assert every("mariadb_streams", "mariadb-10.x", unpacked) == {
        "MARIADB compressed rows event reported as another event"
    }


@pytest.mark.parametrize("words", ["Java heap space", "Requested array size exceeds VM limit"])
def test_how_much_memory_a_crash_asked_for_does_not_make_another_cause(words):
    assert crash_reason(f'Exception in thread "main" java.lang.OutOfMemoryError: {words}') == "OutOfMemoryError"


def with_another_bitmap(case, index, entry):
    """Return a rows event as a reader has it that takes bits for the wrong columns; None if it shows too little."""
    codes = case.expected.columns.get(index, ())
    image = next((row["after"] for row in entry.get("rows", ()) if row["after"]), {})
    numbers = [name for name, value in image.items() if isinstance(value, int) and codes[int(name)] == ColumnType.LONG]
    others = [name for name, value in image.items() if value is not None and codes[int(name)] == ColumnType.YEAR]
    if len(image) == len(codes) or not numbers or not others:
        return None
    wrong = image | {numbers[0]: None, others[0]: image[others[0]] + 1}
    rows = [row | {"after": wrong} if row["after"] is image else row for row in entry["rows"]]
    return entry | {"rows": rows}


def without_years(case, index, entry):
    """Return a rows event as a reader has it that takes one type of value for NULL; None if it has no such rows."""
    codes = case.expected.columns.get(index, ())
    rows = [
        row | {"after": {name: None if codes[int(name)] == ColumnType.YEAR else value for name, value in image.items()}}
        for row in entry.get("rows", ())
        if (image := row["after"]) is not None
    ]
    return entry | {"rows": rows} if rows and len(rows) == len(entry["rows"]) else None


def findings_of_rows(change, count):
    """Return the findings where the change of a rows event applies, in a number of cases."""
    together = set()
    for index in range(count):
        case = case_of(CaseId("every_column_type", "mysql-5.7", seed=3, index=index))
        made = [(change(case, at, entry) or entry) for at, entry in enumerate(case.expected.events)]
        if made != list(case.expected.events):
            together |= findings(case, replace(REFERENCE.ask(request_of(case)), events=tuple(made))).keys()
    return together


def test_a_type_that_is_null_is_not_blamed_on_bitmaps_where_columns_are_missing():
    """As mysql-binlog-connector-java has no dates with zeros."""
    assert findings_of_rows(without_years, 60) == {"value of YEAR is null"}


def test_values_that_are_null_and_others_that_are_wrong_where_columns_are_missing_are_one_finding():
    """As mysql-binlog-connector-rust gives the bitmap of an image the size of one that has all columns."""
    assert findings_of_rows(with_another_bitmap, 400) == {"rows of rows event misread"}
