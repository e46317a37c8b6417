"""Numbers and texts that one misreading explains are one finding, in whatever fields and words it shows."""

import base64
from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.oracles.checks.packed_numbers import is_of_nine_bytes
from conformance.oracles.checks.signed_numbers import cause_of_sign
from conformance.oracles.judge import request_of
from conformance.protocol.observation import Observation, Refusal
from tests.oracles.test_causes import REFERENCE, cases, changed, findings
from tests.oracles.test_joined_causes import refused_where, together_of

READ_WITH_LENGTH = "packed number read with the byte that holds its length"
NINE_BYTES = "number of 9 bytes in GTID_TAGGED misread"
OTHER_ORDER = "text in the wrong byte order"
LOST_ENDS = "client: the end of an event without one taken for a checksum"


def of_type(entry, event_type):
    return entry["type"] == event_type


@pytest.mark.parametrize(
    ("words", "together"),
    [
        # The bytes fc ff 00 of 255 are taken for one number, as by go-mysql.
        ("compression type 65532 (Unknown)", {READ_WITH_LENGTH}),
        ("compression type 255", {"TRANSACTION_PAYLOAD refused: compression type N"}),
    ],
)
def test_a_refusal_that_names_a_packed_number_read_with_its_length_is_that_finding(words, together):
    def answered(case):
        return refused_where(case, lambda entry: entry.get("compression_type") == 255, words)

    assert together_of("transaction_payloads", "mysql-8.4", answered) == together


@pytest.mark.parametrize(
    ("expected", "seen", "bytes_of_it"),
    [
        ("0-1-9223372036854775808", "0-1--9223372036854775808", 8),  # canal
        ("0-1-5,2147483648-1-7", "0-1-5,-2147483648-1-7", 4),  # mysql-binlog-connector-java
        ("2147483648-1-9223372036854775808", "-2147483648-1--9223372036854775808", 8),
        # The server id is from the header.
        ("2147483648-2147483648-1", "-2147483648-2147483648-1", 4),
        ("0-1-5", "0-1--5", None),
        ("0-1-9223372036854775808", "0-1-9223372036854775808", None),
        ("3e11fa47-71ca-11e1-9e33-c80aa9429562:1", "-1", None),
    ],
)
def test_a_number_in_gtids_of_mariadb_may_be_read_with_a_sign(expected, seen, bytes_of_it):
    cause = cause_of_sign(expected, seen)
    assert (cause and cause.text) == (bytes_of_it and f"number of {bytes_of_it} bytes is read as signed")


LONG = {"gtid": f"3e11fa47:a:{1 << 55}", "last_committed": 1 << 55, "transaction_length": 1 << 56, "commit": 7}


@pytest.mark.parametrize(
    ("seen", "long"),
    [
        ({"gtid": "3e11fa47:a:0"}, True),
        ({"gtid": 'strconv.ParseInt: parsing "": invalid syntax'}, True),  # go-mysql
        ({"gtid": "3e11fa47:a:0", "last_committed": -5, "transaction_length": 1}, True),
        ({"gtid": f"3e11fa47:b:{1 << 55}"}, False),
        ({"commit": 8, "last_committed": 0}, False),
        ({}, False),
    ],
)
def test_only_numbers_in_nine_bytes_may_be_wrong_for_that(seen, long):
    assert is_of_nine_bytes(LONG, LONG | seen, seen.keys()) is long


def test_long_numbers_of_a_tagged_gtid_are_one_finding_whatever_the_field():
    """As go-mysql loses bits of them."""

    def without_bits(entry):
        if not of_type(entry, EventType.GTID_TAGGED):
            return entry
        source, _, number = entry["gtid"].rpartition(":")
        lost = {"gtid": f"{source}:0"} if int(number) >= 1 << 55 else {}
        names = [name for name in ("last_committed", "sequence_number") if entry[name] >= 1 << 55]
        return entry | lost | dict.fromkeys(names, 3)

    together = set()
    for case in cases("tagged_gtid_streams", "mysql-8.4"):
        together |= findings(case, changed(case, without_bits)).keys()
    assert together == {NINE_BYTES}


def in_other_order(value):
    if not isinstance(value, dict) or "text" not in value:
        return value
    octets = base64.b64decode(value["base64"])
    return octets.decode("utf-16-le" if len(octets) % 4 or octets[:2] != b"\0\0" else "utf-32-le", "replace")


def swapped(entry):
    def image_of(image):
        return image and {name: in_other_order(value) for name, value in image.items()}

    rows = [{side: image_of(row[side]) for side in row} for row in entry.get("rows", ())]
    return entry | ({"rows": rows} if "rows" in entry else {})


def test_texts_in_the_wrong_byte_order_are_one_finding_whatever_the_column():
    """As mysql-replication reads UTF-16 and UTF-32."""
    together, refused = set(), set()
    for profile in ("mysql-8.0", "mysql-8.4"):
        for case in cases("every_column_type", profile):
            expected = tuple(swapped(dict(entry)) for entry in case.expected.events)
            for index, entry in enumerate(case.expected.events):
                if expected[index] != entry:
                    answer = REFERENCE.ask(request_of(case))
                    events = (*answer.events[:index], expected[index], *answer.events[index + 1 :])
                    together |= findings(case, replace(answer, events=events)).keys()
                    words = "UnicodeDecodeError: 'utf-32-le' codec can't decode bytes in position 0-3"
                    stopped = refused_where(case, lambda each, at=entry["offset"]: each["offset"] == at, words)
                    refused |= findings(case, stopped).keys()
    assert together == refused == {OTHER_ORDER}


def test_a_beginning_that_is_lost_among_other_bytes_is_misread_for_the_longer_post_header():
    """As mysql-binlog-connector-java meets the end of a name among the status variables."""

    def shifted(entry):
        if not of_type(entry, EventType.QUERY) or not entry["database"]:
            return entry
        return entry | {"database": entry["database"][1:], "query": f"db2\0{entry['query']}"}

    together = set()
    for case in cases("post_header_lengths", "mysql-5.6"):
        longer = {case.expected.events[at]["offset"] for at in case.expected.made_for if at < len(case.expected.events)}
        answer = REFERENCE.ask(request_of(case))
        events = tuple(shifted(dict(each)) if each["offset"] in longer else each for each in answer.events)
        together |= findings(case, replace(answer, events=events)).keys()
    assert together == {"event with a longer post-header misread"}


def client_findings(family, change):
    """Return the findings of clients that deliver all that they should, changed."""
    together = set()
    for profile in ("mysql-5.7", "mysql-8.0"):
        for case in cases(family, profile, role="client"):
            answer = change(case, REFERENCE.ask(request_of(case)))
            together |= findings(case, answer).keys()
    return together


@pytest.mark.parametrize("shown", [("query",), ("resume_log",), ("query", "resume_log")], ids=" and ".join)
def test_ends_that_a_client_takes_for_checksums_are_one_finding_in_statements_and_names(shown):
    def cut(case, answer):
        return replace(
            answer,
            events=tuple(
                entry | {name: entry[name].encode()[:-4].decode(errors="replace") for name in shown if entry.get(name)}
                for entry in answer.events
            ),
        )

    together = client_findings("sent_logs", cut)
    assert LOST_ENDS in together


@pytest.mark.parametrize("family", ["sent_logs", "sent_gtids"])
def test_statements_that_are_lost_with_what_is_taken_for_a_checksum_are_the_same_finding(family):
    """As mysql-replication has none of an event whose checksum it finds wrong, and reads on."""

    def without_statements(case, answer):
        first = case.stream[4 : 4 + int.from_bytes(case.stream[13:17], "little")]
        if FormatDescription.from_event(first).checksum_bytes:
            return answer
        return replace(
            answer, events=tuple(each | {"query": None} if "query" in each else each for each in answer.events)
        )

    together = client_findings(family, without_statements)
    assert LOST_ENDS in together
    assert "known event passed over for its ignorable flag" not in together
    assert not [each for each in together if each.startswith("client: query")]
    assert not [each for each in together if "wrong log" in each or "of QUERY" in each]


def test_a_name_of_a_next_log_that_is_cut_is_the_same_finding_where_the_client_cannot_resume():
    """As mysql-replication reports the Rotate event that names the next log, and is then refused its name."""
    seen = set()
    for profile in ("mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"):
        for case in cases("sent_logs", profile, role="client"):
            source = case.settings["source"]
            cut = next((each for each in source["cuts"] if each["log_pos"] == 4 and each["index"]), None)
            if cut is None or case.settings["gtid_set"] is not None:
                continue
            rotate = {"type": EventType.ROTATE, "log_pos": 0, "resume_log": cut["log_name"][:-4], "resume_pos": 4}
            before = case.expected.events[: cut["index"] + 1]
            error = Refusal(None, "other", "Could not find first log file name in binary log index file", 1236)
            answer = Observation((*before, rotate), error, deliveries=source["cuts"].index(cut) + 1)
            seen |= {each for each in findings(case, answer) if "lost connection" in each or each == LOST_ENDS}
    assert seen == {LOST_ENDS}


def test_a_position_that_stays_at_a_statement_that_is_cut_is_the_same_finding():
    """As zongji, which has `CO` for COMMIT, does not know of the end of the transaction."""

    def with_cut_commit(case, answer):
        first = next(at for at, entry in enumerate(answer.events) if entry.get("query") == "COMMIT")
        cut = {"query": "CO", "resume_pos": 4}
        after = [entry | {"resume_pos": 4} if "resume_pos" in entry else entry for entry in answer.events[first + 1 :]]
        return replace(answer, events=(*answer.events[:first], answer.events[first] | cut, *after))

    seen = set()
    every = (
        case
        for profile in ("mysql-5.7", "mysql-8.0", "mysql-8.4")
        for case in cases("sent_logs", profile, role="client")
    )
    for case in every:
        ends = [entry for entry in case.expected.events if entry.get("resume_pos")]
        if len(ends) == 2 and ends[0].get("query") == "COMMIT":  # The second is the end of the answer.
            seen |= findings(case, with_cut_commit(case, REFERENCE.ask(request_of(case)))).keys()
    assert seen == {LOST_ENDS}


def test_a_transaction_that_a_client_does_not_count_and_has_again_is_one_finding():
    """As zongji does not count a transaction of one statement."""

    def uncounted(case, answer):
        events = tuple(
            entry | ({"executed_gtids": case.settings["gtid_set"]} if "executed_gtids" in entry else {})
            for entry in answer.events
        )
        return replace(answer, events=(*events[:-1], *events[:-1], *events[-1:]))

    together = client_findings("sent_gtids", uncounted)
    assert "client: it lacks GTIDs that it has received" in together
    assert "client: events delivered twice" not in together


def test_a_set_with_a_negative_number_that_a_source_refuses_after_a_lost_connection_is_one_finding():
    """As go-mysql reads large numbers of tagged GTIDs."""

    def refused(case, answer):
        cut = min((each["index"] for each in case.settings["source"]["cuts"]), default=-1)
        events = [dict(each) for each in case.expected.events[: cut + 1]]
        counted = [each for each in events if each.get("executed_gtids")]
        if not counted:
            return answer
        counted[-1]["executed_gtids"] = "3e11fa47-71ca-11e1-9e33-c80aa9429562:-1"
        error = Refusal(None, "other", "ERROR 1835 (HY000): a dump command that cannot be read")
        return replace(answer, events=tuple(events), error=error, deliveries=1)

    assert client_findings("sent_gtids", refused) == {"client: what it has is not a set of GTIDs"}
