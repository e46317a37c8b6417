"""One fault of a server, a client or a printing program is one finding, whatever events it shows in."""

import re
from dataclasses import replace

from conformance.binlog.event_types import EventType
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Observation, Refusal
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.oracles.test_causes import by_mutant, changed, together_of

REFERENCE = ReferenceImplementation()


def test_changes_that_are_logged_twice_are_one_finding_whatever_their_statements_are():
    together = together_of("log", "logged_transactions", "mysql-8.0", by_mutant("logs-rows-and-statement"))
    assert {"WL3303-LOG-AS-ROWS"} <= together["log: row change not expected"]
    assert not [each for each in together if re.search("INSERT|UPDATE|DELETE|extra rows|logged event", each)]


def test_rows_that_are_missing_are_one_finding_whatever_their_events_are():
    together = together_of("log", "logged_transactions", "mysql-5.7", by_mutant("logs-rows-as-statement"))
    assert "log: row change missing" in together
    assert not [each for each in together if re.search("TABLE_MAP|_ROWS missing", each)]


def test_the_bytes_after_the_name_of_the_next_log_are_in_no_finding():
    together = together_of("log", "logged_rotations", "mysql-8.0", by_mutant("logs-end-checksummed-as-next"))
    assert set(together) == {"log: the checksum is N, but N is computed", "log: a Rotate to ..., position N"}


def test_a_logged_event_that_is_not_expected_is_named():
    case = case_of(CaseId("logged_rotations", "mysql-8.0", seed=0, index=0, role="log"))
    answer = REFERENCE.ask(request_of(case))
    drop = {**answer.events[-1], "type": int(EventType.QUERY), "query": "DROP TABLE `t9`", "database": "d1", "flags": 0}
    extra = Observation((*answer.events, drop), None, answer.streams)
    verdicts = Judge(REFERENCE.declaration.roles["log"]).judge(case, extra)
    messages = [each.message for each in verdicts if each.requirement == "FORMAT-LOG-EVENTS" and each.is_failure]
    assert messages
    assert re.match("DROP TABLE in log .* should not be there", messages[0])


def test_a_misread_header_of_what_a_client_delivers_is_one_finding_for_all_types():
    together = together_of(
        "client",
        "sent_logs",
        "worklog",
        lambda case: changed(case, lambda entry: {**entry, "server_id": entry.get("server_id", 0) ^ 0x100}),
    )
    assert list(together) == ["client: server_id differs"]


def untyped(*types):
    """Return a function that answers as a client that delivers events of some types without their type."""

    def answer(case):
        return changed(case, lambda each: {**each, "type": None} if each["type"] in types else each)

    return answer


def test_an_event_that_a_client_delivers_without_its_type_is_not_taken_for_a_lost_one():
    together = together_of("client", "sent_logs", "mysql-8.0", untyped(EventType.INTVAR), count=120)
    assert together == {"client: event without its type": {"FORMAT-CLIENT-EVENT"}}


def test_a_client_that_loses_events_is_not_excused_by_others_without_their_type():
    def loses_xids(case):
        answer = untyped(EventType.INTVAR)(case)
        return replace(answer, events=tuple(each for each in answer.events if each["type"] != EventType.XID))

    profiles = ("mysql-5.7", "mysql-8.0", "mysql-8.4")
    together = {
        each for profile in profiles for each in together_of("client", "sent_logs", profile, loses_xids, count=120)
    }
    assert {"client: event without its type", "client: XID dropped"} <= together


def test_a_server_id_that_is_printed_with_a_sign_is_one_finding_in_each_form():
    def signed(number):
        return number - (1 << 32) if number >> 31 else number

    def wrong(entry):
        if "text" in entry:
            return {**entry, "text": re.sub(r"server id (\d+)", r"server id -\1", entry["text"])}
        return {**entry, "server_id": signed(entry["server_id"] | 1 << 31)}

    together = together_of("render", "rendered_text", "mysql-8.0", lambda case: changed(case, wrong))
    assert list(together) == ["render: text without header lines"]
    together = together_of("render", "show_binlog_events", "mysql-8.0", lambda case: changed(case, wrong))
    assert list(together) == ["render: server_id differs"]


def test_what_is_missing_of_a_transaction_is_one_finding_named_by_its_savepoint():
    together = together_of(
        "log", "logged_transactions", "mysql-8.0", by_mutant("logs-savepoint-keeps-place"), count=100
    )
    assert set(together) == {"log: SAVEPOINT missing"}
    assert {"FORMAT-LOG-SAVEPOINTS", "WL3303-LOG-AS-ROWS"} <= together["log: SAVEPOINT missing"]


def test_a_log_more_than_expected_is_one_finding_with_all_that_is_in_it():
    together = together_of("log", "logged_rows_queries", "mysql-8.0", by_mutant("logs-option-rotates"))
    assert set(together) == {"log: log not expected"}


def test_rows_read_by_an_earlier_table_with_their_table_id_are_one_finding():
    """But for those that cannot be read so: they may be refused for many reasons."""
    together = together_of("decode", "tables_after_restarts", "mysql-8.0", by_mutant("first-table-of-id"), count=200)
    read = {each for each in together if not each.startswith("rows event refused")}
    assert read == {"earlier table of a table id kept"}


def test_values_that_are_wrong_in_any_table_are_not_those_of_an_earlier_one():
    together = together_of("decode", "every_column_type", "mysql-8.0", by_mutant("always-signed"), count=200)
    assert set(together) == {"value of integer is read as signed"}


def keeps_the_first_format(case):
    """Return the answer of a reader that passes over later format descriptions, and does not know what follows."""
    answer = REFERENCE.ask(request_of(case))
    first, *later = [each for each in answer.events if each["type"] == EventType.FORMAT_DESCRIPTION]
    if not later or all(first[name] == later[0][name] for name in ("event_types", "server_version")):
        return answer
    at = answer.events.index(later[0])
    kept = {**later[0], **{name: first[name] for name in first if name not in HEADER_FIELDS}}
    if at + 1 == len(answer.events):
        return replace(answer, events=(*answer.events[:at], kept))
    error = Refusal(answer.events[at + 1]["offset"], "unknown-type", "Unknown event code: 99")
    return replace(answer, events=(*answer.events[:at], kept), error=error)


def test_a_format_description_that_is_passed_over_is_one_finding_with_what_follows():
    together = together_of("decode", "changed_format_descriptions", "mysql-8.0", keeps_the_first_format)
    assert set(together) == {"earlier format description kept"}
