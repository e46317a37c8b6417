"""What is free: each row has a right answer that takes the freedom, and nobody is blamed for it."""

import base64
import re
import struct
from dataclasses import replace
from itertools import chain, cycle, pairwise, permutations

import pytest

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum, ends_with_checksum
from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, PLAIN_GTID_TYPES, VARIABLE_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids, gtid_parts
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import HEADER_BYTES, TYPE_AT
from conformance.binlog.layouts.log_layouts import HEARTBEAT_V2
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES
from conformance.models.boundary.fed_event import WITH_QUERY, FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.filtering.group_filter import GroupFilter
from conformance.models.filtering.log_part import Part
from conformance.models.replica.groups import State
from conformance.models.replica.relay import Receiver
from conformance.mutants.controls import CONTROLS
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.filtered_groups import BORDERS
from conformance.oracles.checks.printed_facts import ROWS_FORM
from conformance.oracles.differences import differences
from conformance.oracles.freedoms import FREE
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import freedom_of
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.client import may_be_kept_back
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE, HEADER_FIELDS
from conformance.protocol.roles.relay import body_of
from conformance.reference.boundary import observe
from conformance.reference.client import Client
from conformance.reference.client import answer_with as answer_of_client
from conformance.reference.filter import answer_with as filtered_with
from conformance.reference.implementation import ReferenceImplementation
from conformance.reference.relay import answer_with
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.wire.messages import WireError
from tests.answered import answered_cases
from tests.extras import require_role
from tests.oracles.test_role_judging import (
    SkipsAnonymousGtids,
    checksummed,
    gtids_in_upper_case,
    with_a_failed_entry,
    without_the_failed_entry,
    writing_own_events,
)

CONTROL = {each.name: each.answer for each in CONTROLS}
REFERENCE = ReferenceImplementation()
OF_OWN_LOG = ("logged_groups", "logged_gtids")
#: Cases of each family and profile; more, until each change has been made, up to the second number.
CASES, MOST = 2, 60
#: Freedoms that few cases show -> their families, of which alone there are more cases.
RARE = {
    "malformed bodies of unknown types": ("malformed_bodies",),
    "refused events": ("rows_query_streams",),
    "torn header of old logs": ("truncated_streams",),
    "values for an unread statement": ("marked_streams", "truncated_streams"),
}
#: Cases of each family and profile that take two freedoms.
CASES_OF_PAIRS = 2


def entries(change):
    """Return a change of the answer that changes each entry; an entry becomes None to be left out."""

    def changed_answer(case, answer):
        made = [change(case, index, dict(entry)) for index, entry in enumerate(answer.events)]
        return replace(answer, events=tuple(entry for entry in made if entry is not None))

    return changed_answer


def without_values_at_the_end(case, answer):
    """Return the answer of a reader that reports Intvar, Rand and User_var events together with their statement."""
    kept = list(answer.events)
    while case.expected.refused_at is not None and kept and kept[-1]["type"] in VARIABLE_TYPES:
        kept.pop()
    return replace(answer, events=tuple(kept))


def cut_as_in_servers(info: str) -> str:
    is_mapped = info.startswith("table_id: ") and info.endswith(")")
    return info.encode()[:255].decode("utf-8", "replace") if is_mapped else info


def quiet_at_a_torn_header(case, answer):
    """Return the answer of a reader that takes fewer bytes than a header has for the end of the log."""
    at = case.expected.refused_at if case.expected.refused_kind == "truncated" else None
    is_old = case.id.profile in ("worklog", "mysql-5.1", "mysql-5.5", "mysql-5.6", "mysql-5.7")
    is_torn = at is not None and len(case.stream) - at < HEADER_BYTES
    return replace(answer, error=None) if is_old and is_torn else answer


def with_xid(info: str) -> str:
    """Return the Info of a statement with a number, as servers show it of a definition unless the event has one."""
    return f"{info} /* xid=5 */" if info.startswith("use `") and "/* xid=" not in info else info


def connecting_again(case, answer):
    """Return the answer of a receiver that connects again, without an error, when a connection is lost."""
    is_lost = answer.error is not None and answer.error.kind == "truncated"
    return replace(answer, error=None) if is_lost else answer


def encoded_otherwise(encode):
    """Return a change of the bodies of heartbeats of the second version: their name and position in other bytes."""

    def changed_entry(case, index, entry):
        data = bytes.fromhex(entry["data"])
        if data[TYPE_AT] != EventType.HEARTBEAT_V2:
            return entry
        fields = HEARTBEAT_V2.block.parse(body_of(data))
        written = encode(fields["log_name"], fields["log_position"])
        end = CHECKSUM_BYTES * ends_with_checksum(data)
        length = (HEADER_BYTES + len(written) + end).to_bytes(4, "little")
        made = data[:9] + length + data[13:HEADER_BYTES] + written
        return {"data": (made + checksum(made).to_bytes(CHECKSUM_BYTES, "little")[:end]).hex()}

    return entries(changed_entry)


def field_of(key, value):
    return bytes([key, len(value)]) + value


def at_least_three_bytes(position):
    return b"\xfd" + position.to_bytes(3, "little") if position < 1 << 24 else b"\xfe" + position.to_bytes(8, "little")


def reversed_fields(name, position):
    return field_of(2, at_least_three_bytes(position)) + field_of(1, name) + b"\0"


def wide_position(name, position):
    return field_of(1, name) + field_of(2, b"\xfe" + position.to_bytes(8, "little")) + b"\0"


def without_end(name, position):
    return field_of(1, name) + field_of(2, at_least_three_bytes(position))


def with_value(name, change, *types):
    """Return a change of one field of the entries that have it."""

    def changed_entry(case, index, entry):
        applies = entry.get(name) not in (None, "") and (not types or entry["type"] in types)
        return {**entry, name: change(entry[name])} if applies else entry

    return entries(changed_entry)


def without_state_of_ignored(case, index, entry):
    """Return the entry of a reader that hands over the header alone of what it does not know."""
    if entry.get("handled") != "ignored":
        return entry
    return {name: value for name, value in entry.items() if name not in ("position", "executed_gtid_set")}


def with_both_ends(text):
    """Return a set in which a single number is written as an interval, as ``u:1-1``."""
    return re.sub(r"(?<=:)\d+(?=[,:]|$)", r"\g<0>-\g<0>", text)


def with_untyped(is_untyped):
    """Return a function that takes the type away from some of the delivered events."""

    def change(case, answer):
        events = ({**each, "type": None} if each["log_pos"] and is_untyped(each) else each for each in answer.events)
        return replace(answer, events=tuple(events))

    return change


def without(is_left_out):
    return entries(lambda case, index, entry: None if is_left_out(entry) else entry)


def in_parts(text):
    """Return a GTID set of MySQL with each interval and its tag as a source of its own, the last one first."""
    sources = GtidSet.from_text(text).sources
    parts = [
        str(GtidSet((replace(source, intervals=(each,)),), True)) for source in sources for each in source.intervals
    ]
    return ",".join(reversed(parts))


def in_base64(value):
    return {"base64": base64.b64encode(value.encode()).decode()} if isinstance(value, str) else value


def upper_with_space(gtids):
    return re.sub(r":(\d+)(?=[:,]|$)", r":\1-\1", gtids).upper().replace(",", ",\n")


def refused_where_tolerated(case, answer):
    at = min(case.expected.tolerated, default=len(answer.events))
    if at >= len(answer.events):
        return answer
    return replace(answer, events=answer.events[:at], error=Refusal(answer.events[at]["offset"], "other", "none here"))


def refused_when_printed(case, answer):
    if case.settings["form"] == ROWS_FORM:
        return answer
    at = next((fact["offset"] for fact in case.expected.events[0]["events"] if fact["tolerated"]), None)
    if at is None:
        return answer
    alone = {**case.settings, "following": []}
    printed = REFERENCE.ask(replace(request_of(case), stream=case.stream[:at], settings=alone))
    return replace(printed, error=Refusal(at, "other", "none here"))


def payload_before_its_error(case, answer):
    if answer.error is None or case.id.family != "unknown_inside_payload":
        return answer
    payload = {name: 0 for name in HEADER_FIELDS} | {"offset": answer.error.at, "type": 40, "handled": "known"}
    return replace(answer, events=(*answer.events, payload))


def rand_unknown(case, index, entry):
    if entry["type"] != EventType.RAND:
        return entry
    return {name: "ignored" if name == "handled" else entry[name] for name in FIELDS_OF_EVERY_TYPE if name in entry}


def without_file_id(case, index, entry):
    return {name: entry[name] for name in entry if name != "file_id" or entry["type"] != EventType.DELETE_FILE}


def position_in_the_next_log(case, index, entry):
    return (
        {**entry, "position": entry["next_position"]}
        if entry["type"] == EventType.ROTATE and "position" in entry
        else entry
    )


def executed_without_previous(case, answer):
    # That of a second log has what was executed in the first.
    previous = GtidSet.from_text(
        next((each["previous_gtids"] for each in answer.events if "previous_gtids" in each), "")
    )
    events = []
    for each in answer.events:
        entry = dict(each)
        if "executed_gtid_set" in entry:
            executed = ExecutedGtids(GtidSet.from_text(entry["executed_gtid_set"]))
            entry["executed_gtid_set"] = str(executed.missing_in(previous)).upper()
        events.append(entry)
    return replace(answer, events=tuple(events))


def with_default_database(case, index, entry):
    if entry.get("tables_info"):
        entry["tables_info"] = entry["tables_info"].replace("``.", f"`{entry['database'].replace('`', '``')}`.")
    return entry


def dropped_from_the_last(case, index, entry):
    if entry.get("tables_info") and entry["query"].startswith("DROP"):
        entry["tables_info"] = ",".join(reversed(entry["tables_info"].split(",")))
    return entry


class ReadsSpareAs(WorklogParser):
    """A parser that handles spare markers in a way of its own."""

    def is_spare(self, event):
        return MARKER_BITS.stored(event.flags) in SPARE_VALUES


class PassesOverSpare(ReadsSpareAs):
    """A parser that passes over events with a spare marker."""

    def feed(self, event):
        if self.is_spare(event):
            event = event._replace(flags=MARKER_BITS.write(event.flags, 1))
        return super().feed(event)


class ResetsAtSpare(PassesOverSpare):
    """A parser that also begins again there."""

    def feed(self, event):
        step = super().feed(event)
        if self.is_spare(event):
            self.reset()
        return step


def parsed_by(parser):
    def changed_answer(case, answer):
        return observe(request_of(case), parser()) if case.id.profile == "worklog" else answer

    return changed_answer


def without_error(case, answer):
    return replace(answer, error=None) if case.expected.refused_kind == "truncated" else answer


def going_on_at_malformed(case, answer):
    """A parser that takes a malformed statement for any, and goes on."""
    if case.expected.refused_kind != "malformed":
        return answer
    entry = {**case.expected.events[0], "offset": case.expected.refused_at, "type": 2}
    return replace(answer, events=(*answer.events, entry), error=None)


class OneRelayLog(Receiver):
    """A receiver that goes on in the same relay log."""

    def _rotate(self):
        pass


class RenewsOtherwise(Receiver):
    """A receiver that renews a format description that governs nothing where its servers do not, and the reverse."""

    def _rules(self):
        rules = super()._rules()
        return replace(rules, keeps_format=not rules.keeps_format)


class BeginsMoreRelayLogs(Receiver):
    """A receiver that begins a relay log before each transaction."""

    def receive(self, event, data):
        begins = self._state is State.OUTSIDE and event.gtid and self._source_format is not None
        if begins and event.offset not in self.settings.connections:
            self.rotate()
        return super().receive(event, data)


class EndsItsConnection(Receiver):
    """A receiver whose connection ends after the last event: it writes where it is if that one was left out."""

    def entries(self):
        self.close()
        return super().entries()


def with_gtids_left_out(case, answer):
    """Return the answer of a MariaDB replica that was sent one of its own groups."""
    return with_list(case, answer) if case.id.profile.startswith("mariadb") and answer.events else answer


def with_list(case, answer):
    """Return an answer with an event at its end in which a replica lists the GTID of a group of its own."""
    body = struct.pack("<IIIQ", 1 | 1 << 29, 0, case.settings["server_id"], 1)
    event = frame(EventType.MARIADB_GTID_LIST, body, offset=-19 - len(body), checksummed=False, server_id=0, flags=32)
    return replace(answer, events=(*answer.events, {**answer.events[-1], "data": event.hex(), "warning": ""}))


class CountsLater(Receiver):
    """A receiver of the worklog that counts a transaction as received when the next one begins, as 5.6 did."""

    def _rules(self):
        rules = super()._rules()
        return replace(rules, retrieves_at_end=False) if self.settings.profile == "worklog" else rules


class CountsAfterTheRelayLog(Receiver):
    """A receiver of 5.6 that begins its next relay log right before it counts the last transaction of the source's."""

    def _note(self, event, data):
        last, counts = self._gtid, event.type == EventType.ROTATE and self.settings.profile == "mysql-5.6"
        if counts:
            self._gtid = ""
        super()._note(event, data)
        if counts and last:
            self._retrieved.add(*gtid_parts(last))


def at_another_time(settings, feed):
    """Return a receiver of another time and version, whose relay logs have other names."""
    version = f"{server_of(settings.profile).version}-own"
    return Receiver(replace(settings, timestamp=10**9, version=version, relay_log="mine"), feed)


class WithOwnId(Receiver):
    """A receiver of the worklog whose own format description and Previous_gtids have its own id, as in servers."""

    def _make(self, code, body, *, server_id=None, **others):
        begins = code in (EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS)
        own = self.settings.server_id if begins and server_id is None else server_id
        super()._make(code, body, server_id=own, **others)


class ReversesSources(Receiver):
    """A receiver that writes the sources of its own sets in the order that is not the servers'."""

    def _make(self, code, body, **others):
        if code == EventType.PREVIOUS_GTIDS:
            gtids = GtidSet.from_bytes(body)
            body = GtidSet(gtids.sources[::-1], tagged=gtids.tagged).to_bytes()
        super()._make(code, body, **others)


class MarksOwnEvents(Receiver):
    """A receiver of the worklog that marks its own events too (WL#4162, F1)."""

    def _make(self, code, body, *, flags, **others):
        marker = 1 if code == EventType.FORMAT_DESCRIPTION else 2
        marked = self.settings.profile == "worklog"
        super()._make(code, body, flags=MARKER_BITS.write(flags, marker) if marked else flags, **others)


def warning_of_each_failure(settings, feed):
    """Return a receiver that reports what servers log where the boundary parser has no text."""

    def new_feed():
        version = SHIPPED_VERSIONS[settings.profile]
        if version is None:
            return feed()
        parser = ShippedParser(version)

        def warning(event):
            with_query = event.type in WITH_QUERY
            step = parser.feed(FedEvent(event.type, event.flags, event.query.encode() if with_query else None))
            unexpected = "An unexpected event sequence was detected by the IO thread" if step.error else ""
            return step.warning.text if step.warning else unexpected

        return warning

    return Receiver(settings, new_feed)


def received_by(receiver):
    return lambda case, answer: answer_with(receiver, request_of(case))


def with_deprecation(case, index, entry):
    return {**entry, "warnings": f"WARNING: deprecated\n{entry['warnings']}"} if "warnings" in entry else entry


def warned_in_the_text(case, index, entry):
    if entry.get("warnings"):
        entry = {**entry, "warnings": "", "text": entry["text"] + entry["warnings"] + "\n"}
    return entry


def with_empty_lines(case, index, entry):
    if "text" in entry:
        lines = entry["text"].split("\n")
        begins = [line.startswith("# at ") for line in lines]
        pairs = enumerate(lines)
        entry["text"] = "\n".join("\n" * (begins[at] and not begins[at - 1]) + line for at, line in pairs)
    return entry


def with_error_number(case, answer):
    named = "WL7592-APPLY-DROPDB-ERROR-CODE" in case.marks
    return answer if named or answer.error is None else replace(answer, error=replace(answer.error, code=1))


def stopping_at_begin(case, answer):
    if answer.error is None or case.settings["gtid_mode"] != "ON":
        return answer
    for index, (before, event) in enumerate(pairwise(answer.events), 1):
        if event["gtid"] == "ANONYMOUS" and event["outcome"] == "applied" and not before["in_group"]:
            failed = {name: value for name, value in before.items() if name not in ("tables", *OF_OWN_LOG)}
            failed |= {"offset": event["offset"], "type": event["type"], "outcome": "failed"}
            failed |= {"logged_statements": 0, "logged_anonymous_gtids": 0}
            return replace(
                answer, events=(*answer.events[:index], failed), error=replace(answer.error, at=event["offset"])
            )
    return answer


def going_on_at_anonymous_gtids(case, answer):
    if not case.settings.get("version", "").startswith(("5.6.", "5.7.")) or answer.error is None:
        return answer
    return replace(answer, events=(*answer.events[:-1], {**answer.events[-1], "outcome": "ignored"}), error=None)


def read_to_the_end(case, answer):
    return replace(answer, error=None) if case.expected.burden else answer


def refused_by_a_limit(case, answer):
    error = Refusal(case.expected.refused_at, "other", "more than the limit", 1236)
    return replace(answer, error=error) if case.expected.burden else answer


def read_with_what_is_in_it(case, answer):
    if not case.expected.burden:
        return answer
    inner = [{**answer.events[0], "offset": case.expected.refused_at + number} for number in (1, 2)]
    return replace(answer, events=(*answer.events, *inner), error=None)


def passing_over_the_fault(case, answer):
    """Return the answer of a reader that knows no Gtid events: no field is theirs alone, and none is read before."""
    at = case.expected.refused_at
    if case.expected.refused_kind != "malformed" or case.stream[at + TYPE_AT] not in PLAIN_GTID_TYPES:
        return answer
    if any(each["type"] in PLAIN_GTID_TYPES for each in answer.events):
        return answer
    ignored = {"offset": at, "type": case.stream[at + TYPE_AT], "handled": "ignored"}
    return replace(answer, events=(*answer.events, ignored), error=None)


def spelled_by_others(case, index, entry):
    if entry.get("query", "").startswith(("DROP TABLE", "CREATE TABLE")):
        entry["query"] = entry["query"].replace(" TABLE ", " table ", 1)
    return entry


def with_the_word_savepoint(case, index, entry):
    if entry.get("query", "").startswith("ROLLBACK TO "):
        entry["query"] = entry["query"].replace(" TO ", " TO SAVEPOINT ", 1)
    return entry


def ended_otherwise(case, index, entry):
    # Under worklog a Query event can have tables info and a marker.
    if entry["type"] == EventType.XID and case.id.profile != "worklog":
        flags = int(Flag.SUPPRESS_USE)
        return {"log": entry["log"], "offset": entry["offset"], "type": 2, "flags": flags, "query": "COMMIT"}
    return entry


def ended_by_engine(case, index, entry):
    if entry["type"] == EventType.QUERY and entry["query"] == "COMMIT" and case.id.profile != "worklog":
        return {"log": entry["log"], "offset": entry["offset"], "type": 16, "flags": 0}
    return entry


def with_checkpoint(case, answer):
    if not case.id.profile.startswith("mariadb"):
        return answer
    checkpoint = {**answer.events[0], "type": int(EventType.MARIADB_BINLOG_CHECKPOINT), "flags": 0}
    return replace(answer, events=(*answer.events[:1], checkpoint, *answer.events[1:]))


UPDATES = [each for each in EventType if each.name.startswith(("UPDATE_ROWS", "DELETE_ROWS"))]


def tables_in_another_order(case, answer):
    """Exchange the rows of two rows events of one type that follow each other."""
    events = list(answer.events)
    for place, (first, second) in enumerate(pairwise(events)):
        if first["type"] == second["type"] in UPDATES:
            events[place : place + 2] = {**first, "rows": second["rows"]}, {**second, "rows": first["rows"]}
            break
    return replace(answer, events=tuple(events))


def with_rows_divided(*, more):
    """Return a change of the answer after which rows that fill several events are divided in another way.

    Args:
        more: Whether there is one event more, with one row; otherwise one row goes from the first event to the second.
    """

    def divided(case, answer):
        events = list(answer.events)
        for place in reversed(range(1, len(events) - 1)):
            mapped, first, second = events[place - 1 : place + 2]
            if mapped["type"] != EventType.TABLE_MAP or not (first.get("rows") and second.get("rows")):
                continue
            if events[place - 2]["type"] != EventType.TABLE_MAP:
                rows, rest = first["rows"], second["rows"]
                parts = [rows[:-1], rows[-1:], rest] if more else [rows[:-1], [*rows[-1:], *rest]]
                made = [{**first, "rows": each} for each in parts[:-1]]
                events[place : place + 2] = [*made, {**second, "rows": parts[-1]}]
        return replace(answer, events=tuple(events))

    return divided


SPLIT_DROP = re.compile(r"DROP TABLE IF EXISTS (?P<names>(?:`[^`]*`,)+`[^`]*`)")


def dropped_in_another_order(case, answer):
    """Exchange a table of the first statement of a failed DROP DATABASE for one of the second."""
    events = list(answer.events)
    marked = case.marks.get("WL7592-LOG-DROPDB-SPLIT", ())
    drops = [index for index in marked if SPLIT_DROP.match(events[index].get("query", ""))][:2]
    if len(drops) < 2:
        return answer
    first, second = (events[index] for index in drops)
    names = [SPLIT_DROP.match(each["query"])["names"].split(",")[0] for each in (first, second)]
    for index, entry, old, new in zip(drops, (first, second), names, reversed(names), strict=True):
        texts = {name: entry[name].replace(old, new) for name in ("query", "tables_info") if entry.get(name)}
        events[index] = {**entry, **texts}
    return replace(answer, events=tuple(events))


class KeepsFiles(GroupFilter):
    """A filter that keeps the files that are discarded, and the borders of their groups with them."""

    def finish(self):
        decided = super().finish()
        discards = False
        for each in reversed(decided):
            part = each.part.part
            discards = part is Part.FILE_END or (discards and part is Part.CONTEXT)
            each.kept = each.kept or discards
        if any(each.part.part is Part.FILE_END for each in decided):
            for each in decided:
                each.kept = each.kept or each.part.part in BORDERS
        return decided


class DeliversEverything(Client):
    """A client that also shows what the source makes for the connection, except for heartbeats."""

    def delivers(self, header):
        return header.type not in HEARTBEAT_TYPES


class KeepsInterrupted(Client):
    """A client that has delivered the beginning of an interrupted transaction, and delivers it again."""

    def lose(self):
        self.pending, self.in_transaction = "", False


class MovesAtGroupEnds(KeepsInterrupted):
    """A client that would resume after the last group, as one does that keeps its position with the rows."""

    def __init__(self, settings):
        super().__init__(settings)
        self.kept, self.is_open = self.place, False

    def begin(self, entry):
        super().begin(entry)
        self.is_open = True

    def complete(self):
        super().complete()
        self.is_open = False

    def move(self, header, entry):
        super().move(header, entry)
        if not self.delivers(header):
            self.keep(header)

    def track(self, header, entry):
        super().track(header, entry)
        self.keep(header)

    def keep(self, header):
        prepares = header.type in (EventType.INTVAR, EventType.RAND, EventType.USER_VAR, EventType.BEGIN_LOAD_QUERY)
        if not self.is_open and not self.in_transaction and not prepares:
            self.kept = self.place

    def lose(self):
        super().lose()
        self.place, self.is_open = self.kept, False

    def state(self):
        if self.has is not None:
            return super().state()
        return {"resume_log": self.kept[0], "resume_pos": self.kept[1]}


class AsksAgain(KeepsInterrupted):
    """A client that asks again, a few times, where the source ends with an error, and reports that then."""

    def run(self):
        for _ in range(3):
            try:
                return super().run()
            except WireError:
                self.lose()
        return super().run()


class ReportsTheEnd(Client):
    """A client that reports where it is at the end, also beside the error of the source."""

    def run(self):
        try:
            super().run()
        except WireError:
            self.entries.append({"type": None, "log_pos": 0, **self.state()})
            raise


def without_begun_group(case, answer):
    """A client that hands on what it has of a group only once it has all of it."""
    begun = case.settings["source"].get("failure", {}).get("begun", 0)
    return replace(answer, events=answer.events[: len(answer.events) - begun])


def replicated_by(client):
    return lambda case, answer: answer_of_client(client, request_of(case))


def without_values_before_a_tolerated_event(case, answer):
    """Return the answer of such a reader that stops at an event which may be refused."""
    refused = refused_where_tolerated(case, answer)
    kept = list(refused.events)
    while refused is not answer and kept and kept[-1]["type"] in VARIABLE_TYPES:
        kept.pop()
    return replace(refused, events=tuple(kept))


#: Name of a freedom -> its role, and the changes of right answers that take it.
TAKEN = {
    "ignorable events unreported": ("decode", [without(lambda entry: entry["handled"] == "ignored")]),
    "values for an unread statement": ("decode", [without_values_at_the_end, without_values_before_a_tolerated_event]),
    "events of no log": (
        "decode",
        [refused_where_tolerated, without(lambda entry: entry["type"] in HEARTBEAT_TYPES)],
    ),
    "torn header of old logs": ("decode", [quiet_at_a_torn_header]),
    "faulty payloads reported": ("decode", [payload_before_its_error]),
    "events that claim or hold too much": ("decode", [read_to_the_end, refused_by_a_limit, read_with_what_is_in_it]),
    "events of unknown types": ("decode", [entries(rand_unknown)]),
    "fields of rare types": ("decode", [entries(without_file_id)]),
    "notation of a GTID": (
        "decode",
        [
            with_value("gtid", str.upper, EventType.GTID, EventType.GTID_TAGGED),
            *(with_value("gtid", lambda _, none=none: none, EventType.ANONYMOUS_GTID) for none in (None, "")),
        ],
    ),
    "notation of GTID sets": (
        "decode",
        [
            with_value("previous_gtids", in_parts),
            *(with_value(name, upper_with_space) for name in ("previous_gtids", "gtid_list")),
        ],
    ),
    "padding": (
        "decode",
        [
            with_value("server_version", lambda text: text.ljust(50, "\0")),
            with_value("view_id", lambda text: text + "\0"),
        ],
    ),
    "bytes of no character": (
        "decode",
        [
            with_value(name, lambda text: text.replace("\N{REPLACEMENT CHARACTER}", "\\xff"))
            for name in ("query", "rows_query")
        ],
    ),
    "notation of tables info": ("decode", [entries(with_default_database)]),
    "notation of values": ("decode", [with_value("variable_value", in_base64), with_value("block_data", in_base64)]),
    "malformed bodies of unknown types": ("decode", [passing_over_the_fault]),
    "flag of a log in use": ("decode", [with_value("flags", lambda flags: flags & ~Flag.BINLOG_IN_USE)]),
    "state of the reader": (
        "decode",
        [
            entries(position_in_the_next_log),
            lambda case, answer: CONTROL["position-of-groups"](request_of(case)),
            executed_without_previous,
            entries(without_state_of_ignored),
        ],
    ),
    "spare markers": ("boundary", [parsed_by(PassesOverSpare), parsed_by(ResetsAtSpare)]),
    "later types passed over": (
        "boundary",
        [
            parsed_by(SkipsAnonymousGtids),
            lambda case, answer: CONTROL["later-types-passed-over"](request_of(case)),
        ],
    ),
    "type 0 with the ignorable flag": (
        "boundary",
        [lambda case, answer: CONTROL["type-zero-by-code"](request_of(case))],
    ),
    "other spellings of BEGIN, COMMIT and ROLLBACK": (
        "boundary",
        [lambda case, answer: CONTROL["words-in-any-spelling"](request_of(case))],
    ),
    "errors without a text": ("boundary", [lambda case, answer: CONTROL["own-words"](request_of(case))]),
    "error in a torn event": ("boundary", [without_error]),
    "events after a malformed one": ("boundary", [going_on_at_malformed]),
    "events without an entry": ("filter", [without(lambda entry: entry["type"] not in (19, 30, 31, 32))]),
    "discarded files": ("filter", [lambda case, answer: filtered_with(request_of(case), groups=KeepsFiles)]),
    "borders of empty groups": ("filter", [with_value("fate", lambda fate: "kept", *GTID_TYPES)]),
    "other warnings": (
        "render",
        [entries(with_deprecation), entries(warned_in_the_text), entries(with_empty_lines)],
    ),
    "spelling of Info": (
        "render",
        [
            with_value("info", lambda info: info.replace("`; ", "`;")),
            with_value("info", with_xid),
            with_value("info", cut_as_in_servers),
        ],
    ),
    "spelling of types": (
        "render",
        [
            with_value("event_type", str.lower),
            with_value("event_type", lambda name: f"{name}_v1" if name.endswith("_rows") else name),
        ],
    ),
    "refused events": ("render", [refused_when_printed]),
    "checksum of a format description without checksums": (
        "send",
        [lambda case, answer: CONTROL["format-checksum-renewed"](request_of(case))],
    ),
    "encoding of heartbeats": (
        "send",
        [encoded_otherwise(reversed_fields), encoded_otherwise(wide_position), encoded_otherwise(without_end)],
    ),
    "letter case of what is sent": ("send", [with_value("data", str.upper)]),
    "events kept back": ("client", [without(lambda entry: entry["type"] is not None and may_be_kept_back(entry))]),
    "begun groups": ("client", [without_begun_group]),
    "the end beside an error": ("client", [replicated_by(ReportsTheEnd)]),
    "types of events kept back": ("client", [with_untyped(may_be_kept_back)]),
    "events of the connection": ("client", [replicated_by(DeliversEverything)]),
    "interrupted groups": (
        "client",
        [replicated_by(KeepsInterrupted), replicated_by(MovesAtGroupEnds), replicated_by(AsksAgain)],
    ),
    "notation of a client's GTIDs": (
        "client",
        [with_value("executed_gtids", str.upper), with_value("executed_gtids", with_both_ends)],
    ),
    "letter case of what is written": ("relay", [with_value("data", str.upper)]),
    "relay logs": ("relay", [received_by(OneRelayLog), received_by(BeginsMoreRelayLogs), received_by(RenewsOtherwise)]),
    "values of own events": (
        "relay",
        [
            received_by(at_another_time),
            received_by(WithOwnId),
            received_by(MarksOwnEvents),
            received_by(ReversesSources),
        ],
    ),
    "warnings without a text": ("relay", [received_by(warning_of_each_failure)]),
    "last GTID of a relay log": ("relay", [received_by(CountsLater), received_by(CountsAfterTheRelayLog)]),
    "checksums of relay logs": ("relay", [checksummed(wanted=True), checksummed(wanted=False)]),
    "own events that come back": ("relay", [writing_own_events]),
    "what stands for events left out": ("relay", [received_by(EndsItsConnection), with_gtids_left_out]),
    "stop at unknown events": (
        "relay",
        [lambda case, answer: CONTROL["receiver-stops-at-unknown"](request_of(case))],
    ),
    "lost connections": ("relay", [connecting_again]),
    "notation of executed GTIDs": ("apply", [gtids_in_upper_case]),
    "group position at ignored events": (
        "apply",
        [lambda case, answer: CONTROL["position-at-group-start"](request_of(case))],
    ),
    "position of events of no log": (
        "apply",
        [lambda case, answer: CONTROL["position-of-no-log"](request_of(case))],
    ),
    "group ends at implicit commit": (
        "apply",
        [lambda case, answer: CONTROL["group-ends-at-implicit-commit"](request_of(case))],
    ),
    "spread of dropped tables": ("apply", [lambda case, answer: CONTROL["drop-per-table"](request_of(case))]),
    "stop at BEGIN": ("apply", [stopping_at_begin]),
    "entry of the failure": ("apply", [without_the_failed_entry, with_a_failed_entry]),
    "error numbers": ("apply", [with_error_number]),
    "replicas of 5.6.21 and 5.7.5": ("apply", [going_on_at_anonymous_gtids]),
    "notation of Previous_gtids": (
        "log",
        [with_value("previous_gtids", lambda text: ",".join(text.split(",")[::-1]), EventType.PREVIOUS_GTIDS)],
    ),
    "wording of own statements": ("log", [entries(spelled_by_others), entries(with_the_word_savepoint)]),
    "prefix of a statement's text": ("log", [lambda case, answer: CONTROL["bare-rows-query"](request_of(case))]),
    "Xid or COMMIT": ("log", [entries(ended_otherwise), entries(ended_by_engine)]),
    "notation of logged tables info": ("log", [entries(with_default_database), entries(dropped_from_the_last)]),
    "flags of sessions": ("log", [with_value("flags", lambda flags: flags ^ Flag.SUPPRESS_USE, EventType.QUERY)]),
    "flags of rows": ("log", [with_value("rows_flags", lambda flags: flags | 2)]),
    "order of rows": ("log", [with_value("rows", lambda rows: rows[::-1], *UPDATES)]),
    "division of rows": ("log", [with_rows_divided(more=False), with_rows_divided(more=True)]),
    "order of tables": ("log", [tables_in_another_order]),
    "order of dropped tables": ("log", [dropped_in_another_order]),
    "checkpoints": ("log", [with_checkpoint]),
}
#: Freedoms of implementations without some abilities.
WITHOUT = {"flag of a log in use": ("framing",), "events without an entry": ("every_event",)}
#: What is blamed although it is free, as it is the one finding for it.
ONE_FINDING = {"events of unknown types": {"FORMAT-TYPE-KNOWN"}}


@pytest.mark.parametrize("name", TAKEN)
def test_a_right_answer_that_takes_a_freedom_is_not_blamed(name):
    role, changes = TAKEN[name]
    require_role(role)
    declared = REFERENCE.declaration.roles[role]
    declared = replace(declared, abilities=declared.abilities - {"profile_strict", *WITHOUT.get(name, ())})
    judge = Judge(declared)
    taken = set()
    first = answered_cases(role, CASES)
    for index, case, answer in chain(first, answered_cases(role, MOST, begin=CASES, only=RARE.get(name))):
        if index >= CASES and len(taken) == len(changes):
            break
        for number, change in enumerate(changes):
            if index >= CASES and number in taken:
                continue
            other = change(case, answer)
            if (other, repr(other)) == (answer, repr(answer)):
                continue
            alignment = Alignment(case, other, declared)
            rows = {freedom_of(alignment, each) for each in differences(alignment)}
            taken |= {number} if name in {row.name for row in rows if row is not None} else set()
            blamed = {each.requirement for each in judge.judge(case, other) if each.is_failure}
            assert blamed <= ONE_FINDING.get(name, set()), (str(case.id), change)
    assert taken == set(range(len(changes))), "no case shows it"


def without_place(case, answer):
    return answer if answer.error is None else replace(answer, error=replace(answer.error, at=None, kind="other"))


#: An entry may be missing only where the error names the event, and only where there is a failure.
NOT_TOGETHER = (
    {"entry of the failure", "place of an error"},
    {"entry of the failure", "replicas of 5.6.21 and 5.7.5"},
)


@pytest.mark.parametrize("role", sorted({role for role, _ in TAKEN.values()}))
def test_a_right_answer_that_takes_two_freedoms_is_not_blamed(role):
    require_role(role)
    changes = [(name, change) for name, (about, changes) in TAKEN.items() if about == role for change in changes]
    changes.append(("place of an error", without_place))
    pairs = [pair for pair in permutations(changes, 2) if pair[0][0] != pair[1][0]]
    pairs = [pair for pair in pairs if {name for name, _ in pair} not in NOT_TOGETHER]
    declared = REFERENCE.declaration.roles[role]
    lacks = {"profile_strict", "error_at", *chain(*(WITHOUT.get(name, ()) for name, _ in changes))}
    declared = replace(declared, abilities=declared.abilities - lacks)
    judge = Judge(declared)
    of_first = answered_cases(role, CASES_OF_PAIRS)
    for (_, case, right), ((first, change), (second, again)) in zip(of_first, cycle(pairs), strict=False):
        answer = again(case, change(case, right))
        free = ONE_FINDING.get(first, set()) | ONE_FINDING.get(second, set())
        blamed = {each.requirement for each in judge.judge(case, answer) if each.is_failure}
        assert blamed <= free, (str(case.id), first, second)


@pytest.mark.parametrize("family", ["bad_checksum", "wrong_event_lengths"])
def test_an_ignorable_event_that_is_left_out_is_not_taken_for_the_one_refused_after_it(family):
    declared = REFERENCE.declaration.roles["decode"]
    judge = Judge(replace(declared, abilities=declared.abilities - {"error_at", "profile_strict"}))
    leave_out, judged = without(lambda entry: entry["handled"] == "ignored"), 0
    for case in (case_of(CaseId(family, "worklog", seed=0, index=index)) for index in range(200)):
        last = [each.get("handled") for each in case.expected.events[-1:]]
        if last != ["ignored"]:
            continue
        judged += 1
        answer = without_place(case, leave_out(case, REFERENCE.ask(request_of(case))))
        assert [each.requirement for each in judge.judge(case, answer) if each.is_failure] == [], str(case.id)
    assert judged, "no fault comes directly after an ignorable event"


@pytest.mark.parametrize(("profile", "blamed"), [("mysql-8.0", True), ("worklog", True), ("mariadb-11.x", False)])
def test_a_list_of_what_was_left_out_is_free_in_mariadb_alone(profile, blamed):
    judge = Judge(REFERENCE.declaration.roles["relay"])
    case = case_of(CaseId("relay_logs", profile, seed=5, index=0, role="relay"))
    answer = with_list(case, REFERENCE.ask(request_of(case)))
    assert any(each.is_failure for each in judge.judge(case, answer)) is blamed


@pytest.mark.parametrize(("profile", "blamed"), [("mysql-8.0", True), ("worklog", True), ("mariadb-11.x", False)])
def test_further_checkpoints_are_free_in_mariadb_alone(profile, blamed):
    judge = Judge(REFERENCE.declaration.roles["log"])
    case = case_of(CaseId("logged_transactions", profile, seed=5, index=0, role="log"))
    right = REFERENCE.ask(request_of(case))
    checkpoint = {**right.events[0], "type": int(EventType.MARIADB_BINLOG_CHECKPOINT), "flags": 0}
    between = replace(right, events=(*right.events, checkpoint))
    # A statement that is a group with what is before it.
    assert "query" in right.events[-1]
    within = replace(right, events=(*right.events[:-1], checkpoint, right.events[-1]))
    assert any(each.is_failure for each in judge.judge(case, between)) is blamed
    assert any(each.is_failure for each in judge.judge(case, within))


def test_of_a_group_that_the_source_does_not_end_the_last_events_alone_may_be_missing():
    declared = REFERENCE.declaration.roles["client"]
    judge, judged = Judge(declared), 0
    for case in (
        case_of(CaseId("failing_sources", "mysql-8.0", seed=0, index=index, role="client")) for index in range(8)
    ):
        right = REFERENCE.ask(request_of(case))
        begun = Alignment(case, right, declared).begun
        ends = [number for number in range(begun) if not may_be_kept_back(right.events[-1 - number])]
        if len(ends) < 2:
            continue
        judged += 1
        place = len(right.events) - 1 - ends[1]
        for answer, blamed in ((right.events[:place], False), (right.events[:place] + right.events[place + 1 :], True)):
            verdicts = judge.judge(case, replace(right, events=answer))
            assert any(each.is_failure for each in verdicts) is blamed, str(case.id)
    assert judged, "the source ends no case within a group of two events"


def test_every_row_has_an_answer_that_takes_it():
    assert [each.name for each in FREE] == list(TAKEN)


@pytest.mark.parametrize("row", FREE, ids=lambda row: row.name)
def test_a_row_names_a_reason_in_one_line(row):
    assert row.what
    assert row.reason.endswith(".")
    assert "\n" not in row.what + row.reason
