"""A finding is named by what is wrong, not by the group of a type, a place in a buffer, or the end of a process."""

from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.binlog.event_types import ROWS_V1, ROWS_V2, EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.oracles.checks.signed_numbers import is_extended
from conformance.oracles.checks.text_ends import LAST_FIELDS
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.reasons import normalised
from conformance.protocol.observation import Observation, Refusal, Trouble
from conformance.specs.run_record import TROUBLE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.oracles.test_causes import REFERENCE, cases, changed, findings, with_ends
from tests.oracles.test_joined_causes import is_across, passed_over, refused_where, together_of, with_values

ROWS = (*ROWS_V1, *ROWS_V2)
KEPT = "checksum algorithm of an earlier format description kept"


def unknown(*types):
    return lambda case: changed(case, lambda entry: passed_over(entry) if entry["type"] in types else entry)


def test_partial_updates_that_are_not_known_are_not_called_rows_that_are_not_known():
    """As mysql-binlog-connector-java reads all rows but these."""
    partial = together_of("partial_json_updates", "mysql-8.4", unknown(EventType.PARTIAL_UPDATE_ROWS))
    assert partial == {"PARTIAL_UPDATE_ROWS not known"}
    assert "rows event not known" in together_of("every_column_type", "mysql-8.0", unknown(*ROWS))


def test_a_refusal_that_names_partial_updates_is_about_them():
    def answered(words):
        return lambda case: refused_where(case, lambda entry: entry["type"] == EventType.PARTIAL_UPDATE_ROWS, words)

    named = together_of("partial_json_updates", "mysql-8.4", answered("no PARTIAL_UPDATE_ROWS_EVENT (partial JSON)"))
    assert named == {"PARTIAL_UPDATE_ROWS refused: no PARTIAL_UPDATE_ROWS_EVENT (partial JSON)"}
    # Other reasons are those of all rows.
    assert together_of("partial_json_updates", "mysql-8.4", answered("no table")) == {"rows event refused: no table"}


@pytest.mark.parametrize(
    "words",
    [
        ("bytes remain in anonymous_gtid_event::AnonymousGtidEvent", "bytes remain in gtid_event::GtidEvent"),
        ("bytes remain in AnonymousGtidLogEvent", "bytes remain in GtidLogEvent"),
        ("bytes remain in ANONYMOUS_GTID_LOG_EVENT", "bytes remain in GTID_LOG_EVENT"),
        ("bytes remain in com.x.AnonymousGtid", "bytes remain in com.x.Gtid"),
    ],
)
def test_names_of_types_with_one_layout_are_the_same_words(words):
    """As mysql_common names its own structures in its errors."""
    together = set()
    for event_type, each in zip((EventType.ANONYMOUS_GTID, EventType.GTID), words, strict=True):
        for family in ("gtid_streams", "anonymous_gtid_streams"):
            together |= together_of(
                family,
                "mysql-8.0",
                lambda case, code=event_type, text=each: refused_where(case, lambda entry: entry["type"] == code, text),
            )
    assert together == {"GTID refused: bytes remain in GTID"}


def test_words_about_an_empty_value_are_not_about_the_end_of_a_buffer():
    """As mysql-binlog-connector-java reports of a JSON document of no bytes, wherever its event is."""

    def answered(case):
        return refused_where(case, is_across, "Index 0 out of bounds for length 0")

    together = together_of("rows_query_streams", "mysql-8.0", answered)
    assert together
    assert all(each.endswith(" refused: Index N out of bounds for length N") for each in together)
    assert not [each for each in together if "border" in each]


def crash(words, detail="", *, last_at=None):
    return Trouble("crash", words, detail, last_at)


@pytest.mark.parametrize(
    "trouble",
    [
        crash("java.lang.OutOfMemoryError: Java heap space"),
        crash("killed by the memory limit"),
        crash("panic: capacity overflow"),
        crash("exit-status-2", "fatal error: runtime: out of memory"),
        crash(
            "signal-SIGABRT", "<--- Last few GCs --->\n\nFATAL ERROR: Allocation failed - JavaScript heap out of memory"
        ),
        Trouble.hang(10),
    ],
    ids=lambda each: each.signature,
)
def test_memory_and_time_that_are_used_up_are_not_one_finding_whatever_takes_them(trouble):
    """A claimed length of an event, a claimed count in a body and a set that is misread are not one bug."""
    families = ("wrong_event_lengths", "claimed_counts", "json_bombs", "transactions")
    named = [findings(cases(family, "mysql-8.0")[0], trouble).keys() for family in families]
    assert len({finding for each in named for finding in each}) == len(families)
    assert all(f"{trouble.status} at FORMAT-" in finding for each in named[:-1] for finding in each)


def test_a_lack_of_memory_before_a_fault_that_is_not_judged_is_named_as_in_any_stream():
    """A reader that is not given framed events is not charged with the fault of a length."""
    decode = REFERENCE.declaration.roles["decode"]
    judge, trouble = Judge(replace(decode, abilities=decode.abilities - {"framing"})), crash("panic: capacity overflow")
    (failure,) = (each for each in judge.judge(cases("wrong_event_lengths", "mysql-8.0")[0], trouble) if each.charged)
    assert (failure.requirement, failure.finding) == (TROUBLE, "crash: out of memory")


def test_a_lack_of_memory_is_one_finding_however_the_process_ends():
    """As programs in Rust end by an overflow, or by the limit, for more and for less."""
    case = cases("claimed_counts", "mysql-8.0")[0]
    ends = ("panic: capacity overflow", "killed by the memory limit", "java.lang.OutOfMemoryError: Java heap space")
    together = {finding for end in ends for finding in findings(case, crash(end))}
    assert together == {"crash at FORMAT-COUNT-LIMITS: out of memory"}


def test_a_crash_at_a_claimed_count_breaks_the_rule_on_malformed_bodies_unless_it_is_for_lack_of_memory():
    judge, case = Judge(REFERENCE.declaration.roles["decode"]), cases("claimed_counts", "mysql-8.0")[0]
    met = {
        words: {each.requirement: each.charged for each in judge.judge(case, crash(words))}
        for words in ("panic: slice bounds out of range", "killed by the memory limit", "exit-status-7")
    }
    assert met == {
        "panic: slice bounds out of range": {"FORMAT-BODY-MALFORMED": True, "FORMAT-COUNT-LIMITS": False},
        "killed by the memory limit": {"FORMAT-COUNT-LIMITS": True},
        "exit-status-7": {"FORMAT-COUNT-LIMITS": True},
    }


def with_vectors():
    """Return a case with a table of vectors, and the offsets of its Table_map and of the event before it."""
    for case in cases("every_column_type", "mysql-9.x"):
        events = case.expected.events
        tables = {
            events[each]["table_id"] for each, codes in case.expected.columns.items() if ColumnType.VECTOR in codes
        }
        for before, entry in pairwise(events):
            if entry["type"] == EventType.TABLE_MAP and entry["table_id"] in tables:
                return case, entry["offset"], before["offset"]
    raise AssertionError("no table has vectors")


def test_panics_beyond_the_end_of_something_are_one_finding_for_each_file_of_the_library():
    """As go-mysql panics at malformed bodies, with another word and another number for each of them."""
    case = cases("transactions", "mysql-8.0")[0]
    words = ("index out of range [9] with length 9", "slice bounds out of range [:11] with capacity 9")

    def together(file):
        return {each for word in words for each in findings(case, crash(f"panic: runtime error: {word} in {file}"))}

    assert together("event.go") == {"crash: panic: out of bounds in event.go"}
    assert together("event.go") != together("util.go")


def test_crashes_at_a_table_with_vectors_are_one_finding_whatever_the_words():
    """As mysql-replication fails at metadata that it reads at a wrong place."""
    case, table, before = with_vectors()
    words = ("TypeError: cannot unpack non-iterable NoneType object", "TypeError: int() argument must be a string")
    together = [findings(case, crash(each, last_at=before)).keys() for each in words]
    assert together == [{"crash at a table with VECTOR columns"}] * 2
    # A crash after the table, or nobody knows where, is about its words.
    for last_at in (table, None):
        assert findings(case, crash(words[0], last_at=last_at)).keys() == {f"crash: {words[0]}"}


def test_a_crash_at_an_event_before_the_fault_is_not_charged_to_the_fault():
    """As mysql_binlog takes four bytes for a checksum from an event without a body."""
    case = next(each for each in cases("truncated_streams", "mysql-8.0") if len(each.expected.events) > 3)
    offsets = [entry["offset"] for entry in case.expected.events]
    words = "panic: capacity overflow"
    before = findings(case, crash(words, last_at=offsets[-2]))
    assert before == {"crash: out of memory": {TROUBLE}}
    (at_the_fault,) = findings(case, crash(words, last_at=offsets[-1]))
    assert at_the_fault.startswith("crash at FORMAT-TRUNCATED")


def test_a_lack_of_memory_at_the_last_event_before_a_fault_is_that_of_the_event():
    """As mariadb-binlog takes the number of a file for that of places in a table, and reports no place."""
    together = set()
    for index in range(600):
        case = case_of(CaseId("truncated_streams", "mysql-5.7", seed=0, index=index))
        if case.expected.events and case.expected.events[-1]["type"] == EventType.BEGIN_LOAD_QUERY:
            error = Refusal(None, "other", "reader: Out of memory (Needed 2147484000 bytes)")
            together |= findings(case, Observation(case.expected.events, error)).keys()
    assert together == {"event of LOAD DATA refused: reader: Out of memory (Needed N bytes)"}


def test_a_crash_at_a_set_with_tags_is_named_by_it_where_its_words_depend_on_the_bytes():
    """As mysql-binlog-connector-java takes a tag for a count."""
    case = next(each for each in cases("previous_gtids_streams", "mysql-8.4") if has_tag(each.expected.events[1]))
    last_at = case.expected.events[0]["offset"]
    seen = findings(case, crash("java.lang.OutOfMemoryError: Java heap space", last_at=last_at)).keys()
    assert seen == {"crash at a GTID set with tags"}
    assert findings(case, crash("NullPointerException", last_at=last_at)).keys() == {"crash: NullPointerException"}


def has_tag(entry):
    return ":tag:" in entry.get("previous_gtids", "")


@pytest.mark.parametrize(
    ("expected", "seen", "signed"),
    [
        (1 << 63, -(1 << 63), True),  # go-mysql
        (0x8000, (1 << 64) - 0x8000, True),  # mysql-binlog-connector-rust, a SET of 16 members
        (128, (1 << 32) - 128, True),  # mysql-binlog-connector-rust, an ENUM of 255 members
        (128, -128, True),
        (127, -129, False),
        ((1 << 40) - 1, (1 << 32) - 1, False),  # a BIT of which only four bytes are read
        (0x8000, 0x8001, False),
        (True, -255, False),
    ],
)
def test_a_number_without_a_sign_may_be_read_with_one_of_any_width(expected, seen, signed):
    assert is_extended(expected, seen) is signed


def test_the_bits_of_a_set_that_are_read_as_a_signed_number_are_called_so():
    def changed_value(code, value):
        is_high = code == ColumnType.SET and isinstance(value, int) and value >= 1 << 63
        return value - (1 << 64) if is_high else value

    profiles = ("mysql-5.6", "mysql-8.0", "mysql-9.x")
    every = {
        each for profile in profiles for each in together_of("every_column_type", profile, with_values(changed_value))
    }
    assert every == {"value of SET is read as signed"}


def with_escaped_checksum(entry):
    """Return an event as mysql-replication reports it that takes the checksum for text, without losing a byte."""
    texts = {name: entry[name] + "z\\xee\\x1fA" for name in LAST_FIELDS if entry.get(name)}
    return entry | texts | ({"rows": []} if "rows" in entry else {})


def test_a_checksum_in_a_text_whose_bytes_are_written_out_is_one_finding_with_the_rows_after_it():
    together = set()
    for case in cases("changed_format_descriptions", "mysql-9.x") + cases("rotations", "mysql-8.4"):
        answer = with_ends(case, with_escaped_checksum)
        if answer is not None and case.expected.events[0]["checksum_algorithm"] == "none":
            together |= findings(case, answer).keys()
    assert together == {KEPT}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'",
            "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'",
        ),
        ("ValueError: hour must be in 0..23: 838", "ValueError: hour must be in N..N"),
    ],
)
def test_a_message_about_types_keeps_its_clauses(text, reason):
    assert normalised(text) == reason


def test_a_reader_that_stops_without_a_word_at_a_longer_post_header_misreads_it():
    """As mysql_common takes the end of an event within a field for the end of the stream."""
    together = set()
    for case in cases("post_header_lengths", "mysql-8.0"):
        answer = REFERENCE.ask(request_of(case))
        first = min(case.expected.made_for, default=len(answer.events))
        if 0 < first < len(answer.events) - 1 and answer.error is None:
            together |= findings(case, replace(answer, events=answer.events[:first])).keys()
    assert "event with a longer post-header misread" in together
    assert not [each for each in together if "silently" in each]


def cut_before(index):
    """Return the answers that end silently before the event at an index, of which there must be more after it."""

    def answered(case):
        answer = REFERENCE.ask(request_of(case))
        at = index(case)
        return replace(answer, events=answer.events[:at]) if answer.error is None and at is not None else None

    return answered


def test_a_reader_that_stops_without_a_word_stops_at_the_event_that_it_cannot_read():
    """As mysql_cdc takes the end of an event within a field for the end of the stream."""

    def variable(case):
        types = [each["type"] for each in case.expected.events]
        at = types.index(EventType.USER_VAR) if EventType.USER_VAR in types else 0
        return at if 0 < at < len(types) - 1 else None

    together = set()
    for profile in ("mysql-8.0", "mariadb-10.x"):
        together |= together_of("user_variables", profile, cut_before(variable))
    assert together == {"stream ends silently at USER_VAR"}


def test_a_reader_that_stops_without_a_word_at_a_set_with_tags_is_named_by_it():
    def tagged(case):
        sets = [":tag" in str(each.get("previous_gtids")) for each in case.expected.events]
        at = sets.index(True) if True in sets else 0
        return at if 0 < at < len(sets) - 1 else None

    together = together_of("previous_gtids_streams", "mysql-9.x", cut_before(tagged))
    assert together == {"stream ends silently at a GTID set with tags"}


def test_times_with_fewer_digits_are_one_finding_whatever_their_type():
    """As the times of mysql_cdc have milliseconds."""
    times = (ColumnType.TIME2, ColumnType.DATETIME2, ColumnType.TIMESTAMP2)

    def shortened(code, value):
        whole, point, digits = str(value).partition(".")
        return f"{whole}.{digits[:3]}" if code in times and point else value

    together = together_of("every_column_type", "mysql-8.0", with_values(shortened))
    assert together == {"fraction of a second cut short"}


@pytest.mark.parametrize("size", [2, 3, 5000])
@pytest.mark.parametrize("end", ["Some(1)", "None"])
def test_bytes_that_an_error_lists_are_left_out_of_its_reason(size, end):
    """As errors of Rust print the text that is not UTF-8."""
    listed = ", ".join(["240"] * size)
    assert normalised(f"Utf8 {{ bytes: [{listed}], up_to: 3, error_len: {end} }}") == (
        "Utf8 { bytes: [N], up_to: N, error_len: N }"
    )


def test_a_list_that_an_error_ends_is_not_called_the_refusal_of_an_event():
    """As servers list nothing of a log in which they refuse one event."""
    messages = set()
    for case in cases("golden_vectors", "mysql-8.0", role="render"):
        if case.settings["form"] == "events":
            answer = REFERENCE.ask(request_of(case))
            ended = replace(answer, events=answer.events[:1], error=Refusal(None, "other", "invalid event"))
            judged = Judge(REFERENCE.declaration.roles["render"]).judge(case, ended)
            messages |= {each.message for each in judged if each.is_failure}
    assert messages
    assert not [each for each in messages if "refused" in each]
    assert [each for each in messages if each.lower().startswith("the list ends before the ")]


@pytest.mark.parametrize("family", ["heartbeats", "gtid_streams", "rotations"])
def test_an_answer_that_ends_with_an_event_that_was_there_before_is_one_finding(family):
    """As that of mysql_binlog, which goes to the position of an event's end even where that is not after it."""
    together = set()
    for case in cases(family, "mysql-5.7"):
        events = REFERENCE.ask(request_of(case)).events
        for count in range(2, len(events)):
            together |= findings(case, Observation((*events[:count], events[count - 1]))).keys()
    assert together == {"event repeated or out of order"}
