"""One fault that shows in events of many types, or in words that depend on the bytes, is one finding."""

from dataclasses import replace

import pytest

from conformance.binlog.event_types import COMPRESSED_ROWS_V1, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import TYPE_AT
from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.decode import own_fields
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.oracles.test_causes import REFERENCE, cases, changed, findings

FOR_FLAG = "known event passed over for its ignorable flag"
TABLE_AND_ROWS = (EventType.TABLE_MAP, *ROWS_V1, *ROWS_V2)
SWAPPED = {"kept": "dropped", "dropped": "kept"}
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


def test_events_after_the_end_of_an_answer_are_not_called_passed_over_for_their_flag():
    """A reader that does not know VIEW_CHANGE ends with the first log: what is missing then may have the flag too."""
    decode = REFERENCE.declaration.roles["decode"]
    judge = Judge(replace(decode, fields=decode.fields - own_fields(EventType.VIEW_CHANGE)))
    together = set()
    for case in flagged_cases():
        answer = changed(case, lambda entry: passed_over(entry) if entry["type"] == EventType.VIEW_CHANGE else entry)
        rotate = next((place for place, entry in enumerate(answer.events) if entry["type"] == EventType.ROTATE), None)
        if rotate is not None and not all(map(is_flagged, answer.events[rotate + 1 :])):
            verdicts = judge.judge(case, replace(answer, events=answer.events[: rotate + 1]))
            together |= {each.finding for each in verdicts if each.is_failure}
    assert together == {"stream ends silently after ROTATE", "VIEW_CHANGE not known"}


def refused_where(case, applies, words):
    """Return the answer that refuses the first event of a kind; None if the case has none."""
    answer = REFERENCE.ask(request_of(case))
    for number, entry in enumerate(answer.events):
        if number and applies(entry):
            return replace(answer, events=answer.events[:number], error=Refusal(entry["offset"], "other", words))
    return None


def with_values(change):
    """Return what answers a case with each value of its rows changed, given the column's type code and the value."""

    def image_of(columns, image):
        return image and {each: change(columns[int(each)], value) for each, value in image.items()}

    def answered(case):
        answer, columns = REFERENCE.ask(request_of(case)), case.expected.columns
        events = [
            {**entry, "rows": [{side: image_of(columns[index], row[side]) for side in row} for row in entry["rows"]]}
            if index in columns
            else entry
            for index, entry in enumerate(answer.events)
        ]
        return replace(answer, events=tuple(events))

    return answered


def together_of(family, profile, answered):
    """Return the findings of answers to the cases of a family, without those for which there is no answer."""
    answers = [(case, answered(case)) for case in cases(family, profile)]
    return {finding for case, answer in answers if answer is not None for finding in findings(case, answer)}


def is_across(entry):
    return entry["offset"] // 8192 != (entry["offset"] + entry["length"] - 1) // 8192


def test_events_that_do_not_fit_into_the_buffer_are_one_finding():
    def answered(case):
        return refused_where(case, is_across, "IllegalArgumentException: limit exceeded: 44")

    every = {
        each for family in ("rows_query_streams", "loaded_files") for each in together_of(family, "mysql-8.0", answered)
    }
    assert every == {"event across a border of 4 KiB refused: IllegalArgumentException: limit exceeded"}


def test_an_empty_text_is_not_one_in_other_characters():
    def lost(entry):
        return {**entry, "rows_query": ""} if entry.get("rows_query") else entry

    every = {each for case in cases("rows_query_streams", "mysql-8.0") for each in findings(case, changed(case, lost))}
    # With the length byte 0 it may be that byte.
    assert every == {"rows_query of ROWS_QUERY cut short", "rows_query of ROWS_QUERY read by its length byte"}


def test_a_longer_post_header_of_an_event_that_does_not_fit_into_the_buffer_is_misread():
    case = next(
        case
        for case in cases("rows_query_streams", "mysql-8.0")
        if refused_where(case, is_across, "out of range") is not None
    )
    answer = refused_where(case, is_across, "out of range")
    expected = replace(case.expected, made_for={len(answer.events): "FORMAT-POST-HEADER-LENGTHS"})
    seen = findings(replace(case, expected=expected), answer)
    assert {each.split(" refused")[0] for each in seen} == {"event with a longer post-header misread"}


def test_another_reason_for_a_large_event_is_about_its_type():
    together = together_of(
        "rows_query_streams", "mysql-8.0", lambda case: refused_where(case, is_across, "not supported")
    )
    assert together
    assert all(each.endswith(" refused: not supported") and "buffer" not in each for each in together)


def test_words_for_a_set_with_tags_that_depend_on_its_bytes_are_one_finding():
    words = iter(f"cannot read {['start', 'end'][n % 2]} 0: {['', 'unexpected '][n % 3 % 2]}EOF" for n in range(1000))

    def is_tagged(entry):
        return ":a" in entry.get("previous_gtids", "") or ":tag" in entry.get("previous_gtids", "")

    def answered(case):
        return refused_where(case, is_tagged, next(words))

    assert together_of("previous_gtids_streams", "mysql-9.x", answered) == {"GTID set with tags refused"}


def test_rows_that_are_not_unpacked_are_one_finding():
    words = ("index out of range [5] with length 0", "slice bounds out of range [:9] with capacity 3")
    number = iter(range(1000))

    def is_compressed(entry):
        return entry["type"] in COMPRESSED_ROWS_V1

    def without_rows(case):
        wrong = changed(case, lambda entry: {**entry, "rows": []} if is_compressed(entry) and entry["rows"] else entry)
        return refused_where(case, is_compressed, words[next(number) % 2]) if next(number) % 3 else wrong

    together = together_of("mariadb_streams", "mariadb-10.x", without_rows)
    assert together == {"MARIADB compressed rows event misread"}


def test_a_lack_of_memory_for_the_files_of_load_data_is_one_finding():
    types = (EventType.BEGIN_LOAD_QUERY, EventType.DELETE_FILE, EventType.EXECUTE_LOAD_QUERY)
    together = set()
    for code in types:

        def answered(case, code=code):
            return refused_where(case, lambda entry: entry["type"] == code, "Out of memory (Needed 416 bytes)")

        together |= together_of("loaded_files", "mysql-8.0", answered)
    assert together == {"event of LOAD DATA refused: Out of memory (Needed N bytes)"}


def test_texts_in_other_characters_are_one_finding():
    def answered(case):
        def read(entry):
            names = [each for each in ("database", "table", "query", "rows_query") if entry.get(each)]
            return entry | {each: entry[each].encode().decode("latin-1") for each in names}

        return changed(case, read)

    families = ("transactions", "cross_version_streams", "every_event_type")
    assert {each for family in families for each in together_of(family, "mysql-8.0", answered)} == {
        "text in other characters"
    }


def test_rotates_without_their_last_four_bytes_are_one_finding():
    def cut(entry):
        if entry["type"] != EventType.ROTATE:
            return entry
        name = entry["next_file"].encode()
        if len(name) >= 4:
            return entry | {"next_file": name[:-4].decode(errors="replace")}
        body = entry["next_position"].to_bytes(8, "little") + name
        return entry | {"next_position": 0, "next_file": body[:-4].decode(errors="replace")}

    together = set()
    for case in cases("previous_gtids_streams", "mysql-8.0"):
        if not any(entry.get("checksum_algorithm") == "crc32" for entry in case.expected.events):
            together |= findings(case, changed(case, cut)).keys()
    assert together == {"next_file of ROTATE cut short"}


@pytest.mark.parametrize("event_type", [EventType.STOP, EventType.XID, EventType.INTVAR])
def test_a_type_that_is_left_out_is_one_finding_also_at_the_end_of_a_stream_and_with_a_longer_post_header(event_type):
    def answered(case):
        answer = REFERENCE.ask(request_of(case))
        return replace(answer, events=tuple(each for each in answer.events if each["type"] != event_type))

    families = ("transactions", "rotations", "post_header_lengths", "ignorable_events")
    together = {each for family in families for each in together_of(family, "mysql-8.0", answered)}
    assert together == {f"{event_type.name} dropped"}


def test_a_reader_that_stops_without_a_word_has_one_finding_in_a_stream():
    for case in cases("transactions", "mysql-8.0"):
        answer = REFERENCE.ask(request_of(case))
        of_case = findings(case, replace(answer, events=answer.events[: len(answer.events) // 2]))
        assert len(of_case) == 1


def test_a_table_map_that_is_dropped_with_its_rows_is_not_called_parted_from_them():
    together = set()
    for case in cases("row_filters", "worklog", role="filter"):
        of_rows = [
            each["offset"] for each in case.expected.events if case.stream[each["offset"] + TYPE_AT] in TABLE_AND_ROWS
        ]
        swapped = changed(
            case, lambda entry, of=of_rows: entry | {"fate": SWAPPED[entry["fate"]]} if entry["offset"] in of else entry
        )
        together |= findings(case, swapped).keys()
    # Where extended Query events begin and end a group, its rows are split from these too.
    assert together == {"filter: fate of TABLE_MAP differs", "filter: group split"}


def test_a_list_that_an_error_ends_is_one_finding_wherever_it_ends():
    together = set()
    for family in ("golden_vectors", "gtid_streams", "rows_query_streams"):
        for case in cases(family, "mysql-8.0", role="render"):
            if case.settings["form"] == "events":
                answer = REFERENCE.ask(request_of(case))
                for kept in range(len(answer.events)):
                    error = Refusal(None, "other", f"Lost connection at row {kept}")
                    together |= findings(case, replace(answer, events=answer.events[:kept], error=error)).keys()
    assert together == {"render: ended by an error: Lost connection at row N"}


LONGS = 1 << 32
SIGNS = {
    "signed": lambda value: value - LONGS if value >= LONGS // 2 else value,
    "unsigned": lambda value: value % LONGS,
}


@pytest.mark.parametrize("name", SIGNS)
def test_integers_read_with_the_wrong_sign_have_a_finding_for_each_way(name):
    def changed_value(code, value):
        return SIGNS[name](value) if code == ColumnType.LONG and value is not None else value

    answered, profiles = with_values(changed_value), ("mysql-8.0", "mysql-8.4")
    every = [each for profile in profiles for each in together_of("every_column_type", profile, answered)]
    assert set(every) == {f"value of integer is read as {name}"}


def test_zero_in_the_place_of_a_large_number_is_not_taken_for_its_lower_bytes():
    together = set()
    for case in cases("post_header_lengths", "mysql-8.0"):
        expected = case.expected
        ours = {at for at in expected.made_for if at < len(expected.events) and "xid" in expected.events[at]}
        events = tuple({**each, "xid": 1 << 63} if at in ours else each for at, each in enumerate(expected.events))
        answer = REFERENCE.ask(request_of(case))
        wrong = tuple({**each, "xid": 0} if at in ours else each for at, each in enumerate(answer.events))
        together |= findings(
            replace(case, expected=replace(expected, events=events)), replace(answer, events=wrong)
        ).keys()
    assert together == {"event with a longer post-header misread"}


def test_a_table_with_compressed_columns_that_is_refused_is_one_finding_whatever_the_words():
    words = iter(f"{each} is not a valid type" for each in "ABCDEFGH" * 40)

    def answered(case):
        made = case.expected.made_for
        tables = [index for index, why in made.items() if why == "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED"]
        offsets = [case.expected.events[each]["offset"] for each in tables if each < len(case.expected.events)]
        return refused_where(
            case, lambda entry: entry["type"] == EventType.TABLE_MAP and entry["offset"] in offsets, next(words)
        )

    together = compressed_columns(answered, 100)
    assert together == {"table with compressed columns refused"}


def compressed_columns(answered, number):
    """Return the findings of the answers to cases of MariaDB's column types."""
    every = [case_of(CaseId("every_column_type", "mariadb-10.x", seed=1, index=each)) for each in range(number)]
    answers = [(case, answered(case)) for case in every]
    return {finding for case, answer in answers if answer is not None for finding in findings(case, answer)}


@pytest.mark.parametrize("types", [{EventType.TABLE_MAP}, {*ROWS_V1, *ROWS_V2}], ids=["the table", "its rows"])
def test_words_for_a_table_with_vectors_that_depend_on_its_bytes_are_one_finding(types):
    words = iter(f"metadata {n} of {['a table', 'end of file'][n % 2]}" for n in range(1000))

    def answered(case):
        expected = case.expected
        tables = {
            expected.events[each]["table_id"] for each, codes in expected.columns.items() if ColumnType.VECTOR in codes
        }
        return refused_where(
            case,
            lambda entry: entry["type"] in types and entry.get("table_id") in tables,
            next(words),
        )

    assert "table with VECTOR columns refused" in together_of("every_column_type", "mysql-9.x", answered)


def test_a_table_that_had_its_id_before_a_restart_does_not_show_that_vectors_are_known():
    words = iter(f"metadata {n} of {['a table', 'end of file'][n % 2]}" for n in range(1000))

    def answered(case):
        rows = [index for index, codes in case.expected.columns.items() if ColumnType.VECTOR in codes]
        tables = {case.expected.events[index - 1]["offset"] for index in rows}
        return refused_where(case, lambda entry: entry["offset"] in tables, next(words))

    of_vectors = {"table with VECTOR columns refused"}
    assert together_of("tables_after_restarts", "mysql-9.x", answered) == of_vectors


def shifted(entry):
    """Return rows whose values are wrong from the second one on, as after one that is read from too many bytes."""
    if len(entry.get("rows") or ()) < 1 or len(entry["rows"][0]["after"] or ()) < 5:
        return entry
    first, *others = entry["rows"]
    name, *later = first["after"]
    after = {name: first["after"][name], **{each: "none of them" for each in later}}
    lost = [{"before": None, "after": None} for _ in others]
    return entry | {"rows": [first | {"after": after}, *lost]}


def test_values_that_are_wrong_from_one_on_to_the_end_of_an_event_are_one_finding():
    together = set()
    for case in cases("every_column_type", "mysql-8.0"):
        first = next((each["offset"] for each in case.expected.events if shifted(each) != each), None)
        answer = changed(case, lambda entry, first=first: shifted(entry) if entry["offset"] == first else entry)
        of_rows = [each for each in findings(case, answer) if each.startswith("value of ")]
        assert len(of_rows) <= 1
        together.update(of_rows)
    assert together


def test_rows_without_their_vector_do_not_show_that_vectors_are_known():
    def answered(case):
        vectors = {
            case.expected.events[each]["offset"]: {str(n) for n, code in enumerate(codes) if code == ColumnType.VECTOR}
            for each, codes in case.expected.columns.items()
        }

        def has_vector(entry):
            images = [image for row in entry.get("rows", ()) for image in row.values() if image is not None]
            return any(image.get(name) for image in images for name in vectors.get(entry["offset"], ()))

        return refused_where(case, has_vector, "type 242")

    assert together_of("every_column_type", "mysql-9.x", answered) == {"table with VECTOR columns refused"}


def positions_before(case):
    """Return the answer of a reader whose position is that before the event that it has read."""
    return changed(case, lambda entry: {**entry, "position": entry["offset"]} if "position" in entry else entry)


@pytest.mark.parametrize("family", ["transactions", "marked_streams", "loaded_files"])
def test_a_position_that_lags_is_one_finding_whatever_the_events_are(family):
    assert together_of(family, "worklog", positions_before) == {"position is where the event begins"}
