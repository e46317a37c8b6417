"""The role `client` with implementations in processes of their own: each question is served at a port of its own."""

import json
import sys
from dataclasses import replace
from itertools import product, takewhile

import pytest
from extras import require

from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import KNOWN_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.implementations.registry import implementation
from conformance.models.handshake.refusal import UNAWARE
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.messages import encode_request
from conformance.protocol.observation import Observation, Refusal, Trouble
from conformance.protocol.roles.client import kind_of, may_be_kept_back
from conformance.reference.client import Client, answer_with
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.wire.client import Connection, ConnectionLost
from conformance.wire.question_source import source_of_question
from conformance.wire.shared_listener import begin, end
from tests.first_case import first_case

RESUMED = "FORMAT-CLIENT-RESUMED"
BY_POSITION = "client:sent_logs/mysql-8.4/0/2"
#: A client by GTIDs whose connection is lost inside a transaction.
BY_GTIDS = "client:sent_gtids/mysql-8.4/{}/{}"

#: A client that answers with what it was asked, and connects to nothing.
ECHO = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "start":
        role = {"fields": ["type", "log_pos"], "abilities": [], "profiles": ["mysql"]}
        about = {"name": "echo", "version": "1", "language": "Python"}
        answer = {"protocol": 1, "implementation": about, "roles": {"client": role}}
    elif request["cmd"] == "stop":
        break
    else:
        answer = {"seq": request["seq"], "unsupported": json.dumps(request)}
    print(json.dumps(answer), flush=True)
"""


def case(text):
    return case_of(CaseId.parse(text))


def test_a_question_has_the_place_of_the_source_and_nothing_of_what_it_sends(tmp_path):
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    question = case(BY_POSITION)
    with ProcessImplementation([sys.executable, str(tmp_path / "echo.py")]) as echo:
        answers = list(echo.ask_many(request_of(question) for _ in range(20)))
    requests = [json.loads(each.detail) for each in answers]
    assert all(isinstance(each, Trouble) for each in answers)
    for request in requests:
        assert request.keys() == {"cmd", "seq", "profile", "settings"}
        settings = request["settings"]
        wanted = {"host", "port", "user", "password", "log_name", "log_pos", "gtid_set", "heartbeat_seconds"}
        assert settings.keys() == wanted
    # Twenty questions that are asked ahead are served at the same time, and none any more once it is answered.
    assert len({request["settings"]["port"] for request in requests}) > 10
    for request in requests:
        with pytest.raises(ConnectionLost):
            Connection("127.0.0.1", request["settings"]["port"], user="kit", password="secret")


def test_the_line_that_asks_has_no_stream():
    question, port = begin(request_of(case(BY_POSITION)))
    line = json.loads(encode_request(question, 1))
    assert end(port) == 0
    assert "stream" not in line
    assert "source" not in line["settings"]


@pytest.mark.parametrize("profile", ["mysql-5.7", "mariadb-11.x"])
def test_no_client_begins_between_a_table_map_and_its_rows(profile):
    for index in range(80):
        types = [each["type"] for each in case(f"client:sent_logs/{profile}/0/{index}").expected.events]
        of_rows = [each for each in types if each == EventType.TABLE_MAP or each in ROWS_TYPES]
        assert of_rows[:1] in ([], [EventType.TABLE_MAP]), index


def test_the_reference_gives_the_same_answer_each_time():
    reference = ReferenceImplementation()
    question = request_of(case(BY_POSITION))
    first, second = reference.ask(question), reference.ask(question)
    assert isinstance(first, Observation)
    assert first == second


class RefusesAfterResuming(Client):
    """Stops at the first event that it is sent over its second connection."""

    has_lost = False

    def report(self, header, data):
        if self.has_lost and self.delivers(header):
            raise MalformedBody("this event is not read")
        return super().report(header, data)

    def lose(self):
        super().lose()
        self.has_lost = True


class DoesNotResume(Client):
    """Stops when its connection is lost."""

    def lose(self):
        raise ConnectionLost("the connection is lost")


@pytest.mark.parametrize("stopping", ["PREVIOUS_GTIDS", "ANONYMOUS_GTID"])
def test_a_client_that_stops_at_an_event_that_it_could_keep_back_is_blamed(stopping):
    class Stops(Client):
        def report(self, header, data):
            if header.type == EventType[stopping] and header.log_pos:
                raise MalformedBody("this event is not read")
            return super().report(header, data)

    judge, seen = Judge(ReferenceImplementation().declaration.roles["client"]), 0
    for index in range(60):
        question = case(f"client:sent_logs/mysql-8.4/0/{index}")
        answer = answer_with(Stops, request_of(question))
        if answer.error is None or question.settings["source"]["cuts"]:
            continue
        # Whether it stops there or at an unknown ignorable event after it, no answer shows, as it may keep them back.
        kept_back = takewhile(may_be_kept_back, question.expected.events[len(answer.events) :])
        if any(each["type"] not in KNOWN_TYPES for each in kept_back):
            continue
        failed = [each.signature for each in judge.judge(question, answer) if each.status == "fail"]
        assert failed == [f"{stopping} refused"], index
        seen += 1
    assert seen


def test_a_client_that_stops_before_its_source_fails_is_not_asked_for_the_number_of_that_error():
    class Stops(Client):
        def report(self, header, data):
            if header.type == EventType.QUERY:
                raise MalformedBody("this event is not read")
            return super().report(header, data)

    judge = Judge(ReferenceImplementation().declaration.roles["client"])
    question = first_case("failing_sources", "mysql-8.4", lambda each: len(each.expected.events) > 4, role="client")
    question = case(question)
    failed = [each for each in judge.judge(question, answer_with(Stops, request_of(question))) if each.status == "fail"]
    assert [each.signature for each in failed] == ["QUERY refused"]


class KeepsBack(Client):
    """Delivers nothing that it may keep back, and stops at the second statement that comes right after an ignorable."""

    after_ignorable = False
    statements = 0

    def delivers(self, header):
        return super().delivers(header) and not self.may_keep_back(header)

    def report(self, header, data):
        self.statements += self.after_ignorable and header.type == EventType.QUERY
        if self.statements == 2:
            raise MalformedBody("this event is not read")
        self.after_ignorable = self.is_ignorable(header)
        return super().report(header, data)

    def is_ignorable(self, header):
        return bool(header.flags & Flag.IGNORABLE) and header.type not in KNOWN_TYPES

    def may_keep_back(self, header):
        return may_be_kept_back({"type": header.type, "flags": header.flags})


class KeepsTransactionsBack(KeepsBack):
    """Stops at the second statement that comes right after an Anonymous_gtid."""

    def is_ignorable(self, header):
        return header.type == EventType.ANONYMOUS_GTID


@pytest.mark.parametrize("client", [KeepsBack, KeepsTransactionsBack])
def test_a_client_that_keeps_events_back_is_blamed_for_the_event_that_it_refuses_after_them(client):
    judge, seen = Judge(ReferenceImplementation().declaration.roles["client"]), 0
    for profile, index in product(("mysql-8.0", "mysql-8.4"), range(200)):
        question = case(f"client:sent_logs/{profile}/3/{index}")
        answer = answer_with(client, request_of(question))
        if answer.error is None or question.settings["source"]["cuts"]:
            continue
        kinds = [(each["type"], each["log_pos"]) for each in question.expected.events]
        end = kinds.index((answer.events[-1]["type"], answer.events[-1]["log_pos"])) + 1
        kept_back = takewhile(may_be_kept_back, question.expected.events[end:])
        unknown = [each["type"] not in KNOWN_TYPES for each in kept_back]
        if any(unknown) and all(code in KNOWN_TYPES for code, _ in kinds[:end]):
            continue  # No answer shows that it passes over an unknown ignorable event.
        failed = {each.requirement: each.signature for each in judge.judge(question, answer) if each.is_failure}
        assert failed == {"FORMAT-CLIENT-EVENT": "QUERY refused"}, index
        seen += 1
    assert seen


def test_a_client_that_does_not_announce_checksums_is_blamed_for_that_whatever_the_log_has():
    judge, seen = Judge(ReferenceImplementation().declaration.roles["client"]), 0
    for index in range(80):
        question = case(f"client:sent_gtids/mysql-8.4/0/{index}")
        if any("query" in entry for entry in question.expected.events):
            continue
        rotate = {"type": int(EventType.ROTATE), "log_pos": 0, "timestamp": 0, "server_id": 1, "flags": Flag.ARTIFICIAL}
        refused = Observation((rotate,), Refusal(None, "other", UNAWARE), deliveries=1)
        failed = {each.requirement: each.signature for each in judge.judge(question, refused) if each.is_failure}
        assert failed == {"FORMAT-CLIENT-CHECKSUM": "checksums not announced"}, index
        answer = answer_with(Client, request_of(question))
        passed = [each.requirement for each in judge.judge(question, answer) if each.status == "pass"]
        assert "FORMAT-CLIENT-CHECKSUM" in passed
        seen += 1
    assert seen


class NeverAsks(Client):
    """Stops before it has asked for anything."""

    def connect(self):
        raise ConnectionLost("the name of the log is too long")


class AsksForAnotherLog(Client):
    """Asks for a log that the source does not have."""

    def command(self):
        return replace(super().command(), log_name="another", gtid_set=None)


@pytest.mark.parametrize(
    ("client", "family", "signature"),
    [
        (NeverAsks, "sent_logs", "it asks for no events"),
        (NeverAsks, "sent_gtids", "it asks for no events"),
        (AsksForAnotherLog, "sent_logs", "it begins at a wrong place"),
        (AsksForAnotherLog, "sent_gtids", "it begins at a wrong place"),
    ],
)
def test_a_client_that_asks_for_nothing_is_one_finding_whatever_comes_first(client, family, signature):
    judge, signatures = Judge(ReferenceImplementation().declaration.roles["client"]), set()
    for index in range(12):
        question = case(f"client:{family}/mysql-8.4/0/{index}")
        verdicts = judge.judge(question, answer_with(client, request_of(question)))
        signatures |= {(each.requirement, each.signature) for each in verdicts if each.is_failure}
    assert signatures == {("FORMAT-CLIENT-BEGIN", signature)}


@pytest.mark.parametrize(
    ("client", "blamed"), [(RefusesAfterResuming, "FORMAT-CLIENT-EVENT"), (DoesNotResume, RESUMED)]
)
def test_a_client_that_refuses_an_event_after_it_has_resumed_is_not_blamed_for_resuming(client, blamed):
    question = case(first_case("sent_logs", "mysql-8.4", loses_a_connection, role="client"))
    judge = Judge(ReferenceImplementation().declaration.roles["client"])
    answer = answer_with(client, request_of(question))
    failed = {each.requirement: each.signature for each in judge.judge(question, answer) if each.status == "fail"}
    assert failed.keys() == {blamed}


def loses_a_connection(case):
    """Return whether the connection is lost in a case, and an event comes after it that has to be delivered."""
    first = min((cut["index"] for cut in case.settings["source"]["cuts"]), default=len(case.expected.events))
    after = case.expected.events[first + 1 :]
    return bool(after) and after[0]["type"] == EventType.QUERY


def test_mysql_replication_delivers_twice_what_it_had_by_gtids():
    """The library connects again with the GTIDs that it began with."""
    require("mysql-replication")
    with implementation("mysql-replication") as library:
        judge = Judge(library.declaration.roles["client"])
        for index in range(30):
            question = case(BY_GTIDS.format(5, index))
            if not question.settings["source"]["cuts"] or not question.settings["gtid_set"]:
                continue
            verdicts = {each.requirement: each for each in judge.judge(question, library.ask(request_of(question)))}
            if verdicts["FORMAT-CLIENT-RESUMED"].status == "fail":
                assert verdicts["FORMAT-CLIENT-RESUMED"].signature == "events delivered twice"
                return
    pytest.fail("no case shows it")


class StaysAtTableMaps(Client):
    """Does not move at a Table_map, so that it has that again where the connection is lost before its rows."""

    def move(self, header, entry):
        if header.type != EventType.TABLE_MAP:
            super().move(header, entry)


def test_a_client_that_began_inside_a_group_may_have_the_events_of_that_again():
    judge, again = Judge(ReferenceImplementation().declaration.roles["client"]), 0
    for index, profile in product(range(600), ("mysql-5.6", "mysql-8.4")):
        if again > 1:
            break
        question = case(f"client:sent_logs/{profile}/0/{index}")
        cuts = question.settings["source"]["cuts"]
        if not any(cut["index"] == 0 and question.expected.events[0]["type"] == EventType.TABLE_MAP for cut in cuts):
            continue
        answer = answer_with(StaysAtTableMaps, request_of(question))
        assert [each for each in judge.judge(question, answer) if each.status == "fail"] == [], index
        again += len(answer.events) > len(question.expected.events)
    assert again > 1


def test_an_event_that_comes_again_is_not_taken_for_one_at_the_same_place_in_another_log():
    judge, seen = Judge(ReferenceImplementation().declaration.roles["client"]), 0
    for index, profile in product(range(600), ("mysql-5.7", "mysql-8.4")):
        if seen > 1:
            break
        question = case(f"client:sent_gtids/{profile}/0/{index}")
        events = ReferenceImplementation().ask(request_of(question)).events
        for cut in question.settings["source"]["cuts"]:
            before, after = events[: cut["index"] + 1], events[cut["index"] + 1 : -1]
            times = {(kind_of(each), each["timestamp"]) for each in before}
            if {kind_of(each) for each in after if (kind_of(each), each["timestamp"]) not in times} & dict(
                times
            ).keys():
                connected = {**events[0], "type": EventType.ROTATE, "log_pos": 0, "timestamp": 0}
                given = (*before, connected, *before, connected, *after, connected, events[-1])
                answer = Observation(given, deliveries=9)
                failed = {each.requirement for each in judge.judge(question, answer) if each.is_failure}
                # What comes again is charged, where it is not free, and nothing of an event that comes once.
                assert failed <= {RESUMED, "WL4033-CLIENT-IGNORABLE"}, index
                seen += RESUMED in failed
    assert seen


@pytest.mark.parametrize("position", ["shortly before 2^31", "2^31", "shortly before 2^32"])
def test_a_client_begins_at_a_large_position_in_a_log_that_is_not_there_before_it(position):
    case = case_of(CaseId.parse(first_case("sent_logs", "mysql-8.4", begins_at(position), role="client")))
    (log,) = (each for each in case.settings["source"]["logs"] if "hole" in each)
    assert log["length"] < 1 << 20 < log["hole"]["length"]
    events = ReferenceImplementation().ask(request_of(case)).events
    assert max(each["resume_pos"] for each in events) > {"shortly before 2^32": (1 << 32) - 2}.get(position, 1 << 31)


def begins_at(position):
    """Return whether a case asks for a position, and has a transaction after it in the same log."""
    return lambda case: (
        case.classes.get("bytes before the position") == position
        and sum(each.get("resume_pos", 0) >= 1 << 31 for each in case.expected.events) > 1
    )


def test_the_source_of_a_log_with_a_hole_has_its_events_at_both_ends_of_it():
    case = case_of(CaseId.parse(first_case("sent_logs", "mysql-8.4", begins_at("2^31"), role="client")))
    source = source_of_question(case.id.profile, case.stream, case.settings)
    (number, hole) = next(
        (number, each["hole"]) for number, each in enumerate(case.settings["source"]["logs"]) if "hole" in each
    )
    starts = [event.start for event in source.logs[number].events]
    assert starts[0] == len(MAGIC)
    assert not any(hole["at"] <= start < hole["at"] + hole["length"] for start in starts)
    assert case.settings["log_pos"] == 1 << 31
    assert source.logs[number].events[-1].end == source.sizes[number]


def test_an_event_with_a_signed_position_is_delivered_with_a_wrong_one():
    case = case_of(CaseId.parse(first_case("sent_logs", "mysql-8.4", begins_at("2^31"), role="client")))
    answer = ReferenceImplementation().ask(request_of(case))
    signed = replace(answer, events=tuple({**each, "log_pos": each["log_pos"] % (1 << 31)} for each in answer.events))
    verdicts = Judge(ReferenceImplementation().declaration.roles["client"]).judge(case, signed)
    failed = {(each.requirement, each.cause) for each in verdicts if each.is_failure}
    assert len(failed) == 1
    assert next(iter(failed))[0] == "FORMAT-CLIENT-EVENT"


def lost_after_ignorable(case):
    """Return whether the last event before the only lost connection is an ignorable one, after one that is not."""
    lasts = [cut["index"] for cut in case.settings["source"]["cuts"]]
    marked = case.marks.get("WL4033-CLIENT-IGNORABLE", ())
    return len(lasts) == 1 and lasts[0] in marked and 0 <= lasts[0] - 1 not in marked


@pytest.mark.parametrize(
    ("message", "requirement"),
    [("unknown event type 44", "WL4033-CLIENT-IGNORABLE"), ("read: connection reset by peer", RESUMED)],
)
def test_a_client_that_ends_before_an_ignorable_event_and_a_loss_is_blamed_for_what_it_names(message, requirement):
    case = case_of(CaseId.parse(first_case("sent_logs", "mysql-8.4", lost_after_ignorable, role="client")))
    last = case.settings["source"]["cuts"][0]["index"]
    answer = Observation(case.expected.events[:last], Refusal(None, "other", message), deliveries=1)
    verdicts = Judge(ReferenceImplementation().declaration.roles["client"]).judge(case, answer)
    assert {each.requirement for each in verdicts if each.is_failure} == {requirement}


def test_a_client_that_connects_again_and_stops_at_an_ignorable_event_is_blamed_for_that():
    def before_ignorable(case):
        cuts = case.settings["source"]["cuts"]
        marked = case.marks.get("WL4033-CLIENT-IGNORABLE", ())
        return len(cuts) == 1 and 0 <= cuts[0]["index"] == min(marked, default=0) - 1

    case = case_of(CaseId.parse(first_case("sent_logs", "mysql-8.4", before_ignorable, role="client")))
    last = case.settings["source"]["cuts"][0]["index"]
    answer = Observation(case.expected.events[: last + 1], Refusal(None, "other", "unknown type"), deliveries=2)
    verdicts = Judge(ReferenceImplementation().declaration.roles["client"]).judge(case, answer)
    assert {each.requirement for each in verdicts if each.is_failure} == {"WL4033-CLIENT-IGNORABLE"}
