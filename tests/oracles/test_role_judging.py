"""Judging in the roles other than `decode`: right answers do not fail, and wrong ones do not pass by chance."""

import json
import struct
import zlib
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.models.boundary.boundary_type import MARKER_BITS, SPARE_VALUES
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.replica.relay import Receiver
from conformance.mutants.mutant import MutantImplementation
from conformance.mutants.registry import mutant_of
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.registry import oracles
from conformance.protocol.messages import decode_declaration
from conformance.protocol.observation import ABILITIES, Observation, Refusal, RoleDeclaration
from conformance.protocol.roles.decode import ROLE as DECODE
from conformance.protocol.roles.registry import role_of
from conformance.reference.boundary import observe
from conformance.reference.implementation import ReferenceImplementation
from conformance.reference.relay import answer_with
from conformance.specs.profiles import PROFILES
from conformance.specs.versions import EVERY_PROFILE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
from tests.extras import require_role

REFERENCE = ReferenceImplementation()
ROLES = ("boundary", "filter", "decide", "relay", "send", "apply")
#: Cases of each family and profile.
CASES = 3
#: Families with a requirement that the first cases do not exercise -> how many do.
MORE_CASES = {"failed_drop_databases": 14, "newer_source_streams": 6}


@cache
def answered(role, profiles=PROFILES):
    """Return cases of every family of a role, each with the reference's answer."""
    require_role(role)
    pairs = []
    for family in families().values():
        for profile in family.profiles_of(role) if role in family.focus else ():
            for index in range(MORE_CASES.get(family.name, CASES) if profile in profiles else 0):
                case = case_of(CaseId(family.name, profile, seed=5, index=index, role=role))
                pairs.append((case, REFERENCE.ask(request_of(case))))
    return pairs


#: The first profile and one of a server; the rules of servers differ little.
TWO_PROFILES = ("worklog", "mysql-8.0")


def declaring(role, fields=(), abilities=()):
    """Return a declaration of the required fields and some others."""
    return RoleDeclaration(frozenset(fields).union(role_of(role).always), frozenset(abilities), EVERY_PROFILE)


def optional_fields(role):
    """Return the fields of a role that every entry may lack."""
    return [name for name in role_of(role).fields if name not in role_of(role).always]


def declarations(role):
    """Return declarations by name: the required fields, one field more, and all fields but one."""
    names = optional_fields(role)
    made = {"the fewest": declaring(role), "all": declaring(role, names, ABILITIES)}
    for name in names:
        made[f"only {name}"] = declaring(role, [name])
        made[f"all but {name}"] = declaring(role, {*names} - {name}, ABILITIES)
    return made


DECLARED = [(role, name) for role in ROLES for name in declarations(role)]


def as_declared(answer, declared):
    """Return an answer without what is not declared."""
    error = answer.error
    if error is not None:
        at = error.at if "error_at" in declared.abilities else None
        error = replace(error, at=at, code=error.code if "error_code" in declared.abilities else None)
    events = tuple({name: entry[name] for name in entry if name in declared.fields} for entry in answer.events)
    return Observation(events, error)


def verdicts(judge, case, answer, status):
    return {each.requirement for each in judge.judge(case, answer) if each.status == status}


# --- right answers do not fail


@pytest.mark.parametrize(("role", "name"), DECLARED)
def test_a_right_answer_does_not_fail_whatever_is_declared(role, name, monkeypatch):
    declared = declarations(role)[name]
    judge = Judge(declared)
    of_role = answered(role) if name in ("the fewest", "all") else answered(role, TWO_PROFILES)
    cases = [(case, as_declared(answer, declared)) for case, answer in of_role]
    agreeing = [judge.judge(case, declared_answer) for case, declared_answer in cases]
    # Nor if it is examined requirement by requirement, as if it differed.
    monkeypatch.setattr(Judge, "_as_expected", lambda self, case, answer: False)
    for (case, declared_answer), verdicts_at_once in zip(cases, agreeing, strict=True):
        one_by_one = judge.judge(case, declared_answer)
        assert {each.status for each in (*verdicts_at_once, *one_by_one)} <= {"pass", "unsupported"}
        assert {(each.requirement, each.status) for each in one_by_one} <= {
            (each.requirement, each.status) for each in verdicts_at_once
        }


@pytest.mark.parametrize("role", ROLES)
def test_undeclared_fields_are_not_judged(role):
    declared = declaring(role)
    judge = Judge(declared)
    about = role_of(role)
    lies = {name: about.fields[name].words[-1] if about.fields[name].words else "" for name in optional_fields(role)}
    for case, answer in answered(role, TWO_PROFILES):
        declared_answer = as_declared(answer, declared)
        changed = replace(declared_answer, events=declared_answer.events[:-1])
        lying = replace(changed, events=tuple({**lies, **entry} for entry in changed.events))
        assert judge.judge(case, lying) == judge.judge(case, changed)


class SkipsAnonymousGtids(WorklogParser):
    """A parser that passes over Anonymous_gtid events with the ignorable flag and without a marker."""

    def feed(self, event):
        unmarked = not MARKER_BITS.stored(event.flags)
        skipped = event.type == EventType.ANONYMOUS_GTID and event.ignorable and unmarked
        return super().feed(event._replace(type=99) if skipped else event)


def skipping_anonymous_gtids(case, answer):
    return observe(request_of(case), SkipsAnonymousGtids())


def refusing_a_spare_marker(case, answer):
    last = case.expected.events[-1]
    (flags,) = struct.unpack_from("<H", case.stream, last["offset"] + 17)
    if MARKER_BITS.stored(flags) not in SPARE_VALUES:
        return answer
    return Observation(answer.events[:-1], Refusal(None, "other", "a spare marker"))


def only_entries_of(*types):
    def changed_answer(case, answer):
        return replace(answer, events=tuple(entry for entry in answer.events if entry["type"] in types))

    return changed_answer


def only_kept_entries(case, answer):
    return replace(answer, events=tuple(entry for entry in answer.events if entry.get("fate") == "kept"))


def gtids_in_upper_case(case, answer):
    events = ({**each, "executed_gtids": each["executed_gtids"].upper().replace(",", ",\n")} for each in answer.events)
    return replace(answer, events=tuple(events))


def without_the_failed_entry(case, answer):
    stops = bool(answer.events) and answer.events[-1]["outcome"] == "failed"
    return replace(answer, events=answer.events[:-1]) if stops else answer


def with_a_failed_entry(case, answer):
    """Return the answer with an entry for the event that cannot be read."""
    at = case.expected.refused_at
    if not answer.events or at is None or answer.events[-1]["offset"] >= at:
        return answer
    failed = {**answer.events[-1], "offset": at, "outcome": "failed", "relay_log_pos": at}
    return replace(answer, events=(*answer.events, failed))


class KeepsItsOwn(Receiver):
    """A receiver that writes events with its own server id, which come back to it."""

    def _reception(self, event):
        came_back = event.server_id == self.settings.server_id
        return super()._reception(replace(event, server_id=event.server_id + came_back))


def writing_own_events(case, answer):
    return answer_with(KeepsItsOwn, request_of(case))


def checksummed(*, wanted):
    """Return a change that adds or removes the checksums of relay logs, as far as they can be announced.

    The format descriptions are adapted to it, with checksums of their own, and the replica's own positions.
    """

    def changed_answer(case, answer):
        ends = {}
        events = []
        announced = False
        for entry in answer.events:
            data = bytes.fromhex(entry["data"])
            type_code = data[4]
            has = len(data) >= HEADER_BYTES + 4 and zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little")
            if type_code != EventType.FORMAT_DESCRIPTION:
                body = data[HEADER_BYTES : -4 if has else None]
                length = HEADER_BYTES + len(body) + (4 if announced else 0)
                timestamp, _, server_id, _, log_pos, flags = struct.unpack("<IBIIIH", data[:HEADER_BYTES])
                # The Rotate in the place of a skipped event has the server id 0, and a position in some versions only.
                if type_code == EventType.ROTATE and (flags & 0x40 or (not server_id and log_pos)):
                    log_pos = ends.get(entry["log"], len(MAGIC)) + length
                data = struct.pack("<IBIIIH", timestamp, type_code, server_id, length, log_pos, flags) + body
                data += zlib.crc32(data).to_bytes(4, "little") if announced else b""
            elif FormatDescription.from_event(data).checksum_algorithm is None:
                announced = False
            else:
                announced = wanted
                data = data[:-5] + bytes([wanted])
                plain = data[:17] + bytes([data[17] & ~Flag.BINLOG_IN_USE]) + data[18:]
                data += zlib.crc32(plain).to_bytes(4, "little")
            ends[entry["log"]] = ends.get(entry["log"], len(MAGIC)) + len(data)
            events.append({**entry, "data": data.hex()})
        return replace(answer, events=tuple(events))

    return changed_answer


#: Answers that differ from the reference's but are right too.
RIGHT = {
    "boundary: Anonymous_gtid events skipped": ("boundary", skipping_anonymous_gtids, ("worklog",)),
    "boundary: a spare marker refused": ("boundary", refusing_a_spare_marker, ("worklog",)),
    "filter: only rows": ("filter", only_entries_of(19, 30, 31, 32), PROFILES),
    "filter: only statements": ("filter", only_entries_of(2), PROFILES),
    "filter: only kept events": ("filter", only_kept_entries, PROFILES),
    "relay: its own events written": ("relay", writing_own_events, PROFILES),
    "relay: with checksums": ("relay", checksummed(wanted=True), PROFILES),
    "relay: without checksums": ("relay", checksummed(wanted=False), PROFILES),
    "apply: GTIDs in upper case": ("apply", gtids_in_upper_case, PROFILES),
    "apply: no entry where it fails": ("apply", without_the_failed_entry, PROFILES),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_no_rule_fixes_does_not_fail(name):
    role, change, profiles = RIGHT[name]
    judge = Judge(replace(REFERENCE.declaration.roles[role], abilities=frozenset({"error_at"})))
    cases = [pair for pair in answered(role) if pair[0].id.profile in profiles]
    changed = [(case, answer, change(case, answer)) for case, answer in cases]
    assert any(answer != other for _, answer, other in changed), "no answer was changed"
    for case, _, other in changed:
        assert [each for each in judge.judge(case, other) if each.status == "fail"] == []


# --- wrong answers do not pass by chance


def one_in_three(change, first):
    """Return a change of each third entry only, so that the one before it is right."""

    def changed_answer(case, answer):
        pairs = zip(answer.events, change(case, answer).events, strict=True)
        return replace(answer, events=tuple(pair[index % 3 == first] for index, pair in enumerate(pairs)))

    return changed_answer


def after_the_last_reset(change):
    """Return a change of the entries of the last event stream only."""

    def changed_answer(case, answer):
        starts = case.settings["resets"][-1:] or [0]
        changed = change(case, answer).events
        pairs = zip(answer.events, changed, strict=True)
        return replace(answer, events=tuple(new if new["offset"] >= starts[0] else old for old, new in pairs))

    return changed_answer


def with_value(name, value):
    def changed_answer(case, answer):
        return replace(answer, events=tuple({**each, name: value} if name in each else each for each in answer.events))

    return changed_answer


def with_next_value(name, words):
    def next_of(word):
        return words[(words.index(word) + 1) % len(words)]

    def changed_answer(case, answer):
        events = ({**each, name: next_of(each[name])} if name in each else each for each in answer.events)
        return replace(answer, events=tuple(events))

    return changed_answer


def flipping(at):
    """Return a change that flips one bit of each event of a relay log."""

    def flipped(text):
        data = bytearray.fromhex(text)
        if at < len(data):
            data[at] ^= 0x10
        return data.hex()

    def changed_answer(case, answer):
        return replace(answer, events=tuple({**each, "data": flipped(each["data"])} for each in answer.events))

    return changed_answer


def from_an_ignored_server(case, answer):
    """Return the answer with the id of an ignored server in each event, if there is one."""
    ids = case.settings.get("ignored_ids", ())[:1]
    of_server = [struct.pack("<I", each).hex() for each in ids]
    events = [
        {**each, "data": f"{each['data'][:10]}{own}{each['data'][18:]}"} for own in of_server for each in answer.events
    ]
    return replace(answer, events=tuple(events)) if ids else answer


def keeping_begin(case, answer):
    """Return the answer of a parser whose resets keep what it knows of a BEGIN."""
    return MutantImplementation(mutant_of("reset-keeps-begin")).ask(request_of(case))


def keeping_first_checksums(case, answer):
    """Return the answer of a parser that reads the statements of all logs under the checksums of the first."""
    return MutantImplementation(mutant_of("first-checksums-for-good")).ask(request_of(case))


def under_other_checksums():
    """Return the first case of each profile that shows whether the first checksums are kept, with the right answer."""
    pairs = []
    for profile in TWO_PROFILES:
        ids = (CaseId("boundary_connections", profile, seed=5, index=index, role="boundary") for index in range(50))
        of_profile = ((case, REFERENCE.ask(request_of(case))) for case in map(case_of, ids))
        pairs.append(next(pair for pair in of_profile if keeping_first_checksums(*pair) != pair[1]))
    return pairs


def after_a_begin():
    """Return the first case whose boundaries show whether a reset forgets a BEGIN, with the right answer."""
    ids = (CaseId("boundary_flags", "worklog", seed=5, index=index, role="boundary") for index in range(50))
    pairs = ((case, REFERENCE.ask(request_of(case))) for case in map(case_of, ids))
    return [next(pair for pair in pairs if boundaries(keeping_begin(*pair)) != boundaries(pair[1]))]


def boundaries(answer):
    return [each.get("boundary_type") for each in answer.events]


def nothing(case, answer):
    return Observation(())


def error_at_once(case, answer):
    return Observation((), Refusal(None, "other", "no"))


def error_in_the_middle(case, answer):
    return Observation(answer.events[: len(answer.events) // 2], Refusal(None, "other", "no"))


def error_at_the_end(case, answer):
    return replace(answer, error=answer.error or Refusal(None, "other", "no"))


def no_error(case, answer):
    return replace(answer, error=None)


def silent_in_the_middle(case, answer):
    return Observation(answer.events[: len(answer.events) // 2])


def entry_missing(case, answer):
    middle = len(answer.events) // 2
    return replace(answer, events=(*answer.events[:middle], *answer.events[middle + 1 :]))


def entry_too_many(case, answer):
    extra = dict(answer.events[-1])
    if "offset" in extra:
        extra["offset"] += 7
    return replace(answer, events=(*answer.events, extra))


def every_entry_twice(case, answer):
    return replace(answer, events=tuple(each for entry in answer.events for each in (entry, entry)))


def backwards(case, answer):
    return replace(answer, events=answer.events[::-1])


def always_the_same(case, answer):
    first = {name: value for name, value in answer.events[0].items() if name not in ("offset", "type")}
    return replace(answer, events=tuple({**each, **first} for each in answer.events))


def with_the_rest(case, answer):
    """Return the answer with what there is of the event at which a receiver stops."""
    at = case.expected.refused_at
    if at is None or not answer.events:
        return answer
    return replace(answer, events=(*answer.events, {**answer.events[-1], "data": case.stream[at:].hex()}))


#: Answers of a wrong form.
FORMS = (
    nothing, error_at_once, error_in_the_middle, error_at_the_end, no_error, silent_in_the_middle, entry_missing,
    entry_too_many, every_entry_twice, backwards, always_the_same,
)  # fmt: skip
#: Texts that are wrong in most places; the second is the warning of a wrong step.
_TEXTS = ("", "Unable to change boundary parser from Start Transaction to End Transaction.", "abcdefgh")
#: Offsets of the bytes in which a bit is flipped: of type, server id, log_pos, flags and body.
_FLIPPED = (4, 5, 13, 17, 18, 20)


def wrong_answers(role, declared):
    """Return changes that make answers wrong: other values, everywhere or once, and other forms."""
    made = list(FORMS)
    values = []
    for name, field in role_of(role).fields.items():
        if name in ("offset", "type", "log", "data") or name not in declared.fields:
            continue
        if field.words:
            values += [with_next_value(name, field.words), *(with_value(name, word) for word in field.words)]
        else:
            values += [with_value(name, value) for value in (_TEXTS if field.kind == "text" else (0, 1, 7))]
    if role in ("relay", "send"):
        values += [flipping(at) for at in _FLIPPED]
    if role == "relay":
        made += [from_an_ignored_server, with_the_rest]
    if role == "boundary":
        made += [keeping_begin, keeping_first_checksums, *map(after_the_last_reset, values)]
    return [*values, *(one_in_three(change, first) for first in range(3) for change in values), *made]


FEW = [(role, name) for role, name in DECLARED if not name.startswith("all")]


@pytest.mark.parametrize(("role", "name"), FEW)
def test_what_passes_with_few_fields_can_fail_with_them(role, name):
    declared = declarations(role)[name]
    judge = Judge(declared)
    cases = [
        *answered(role, TWO_PROFILES),
        *((*under_other_checksums(), *after_a_begin()) if role == "boundary" else ()),
    ]
    passing = {each for case, answer in cases for each in verdicts(judge, case, as_declared(answer, declared), "pass")}
    # Those that own fields are held to fail by test_single_changes.py: here others are blamed first.
    passing = {each for each in passing if not oracles()[each].owns}
    failing = set()
    for requirement in sorted(passing):
        marked = sorted((each for each in cases if requirement in each[0].marks), key=lambda each: len(each[1].events))
        for (case, answer), wrong in product(marked, wrong_answers(role, declared)):
            if requirement in failing:
                break
            # An answer without entries can only be a refusal of the settings.
            if answer.events or wrong is no_error:
                shown, right = (as_declared(each, declared) for each in (wrong(case, answer), answer))
                failing |= verdicts(judge, case, shown, "fail") if shown != right else set()
    assert passing <= failing, f"they pass with any answer: {sorted(passing - failing)}"


#: Role -> the requirements that entries with the required fields only can show.
SHOWN_BY_REQUIRED_FIELDS = {
    "boundary": set(),
    "filter": set(),
    "relay": {
        "FORMAT-RELAY-BODIES-UNREAD", "FORMAT-RELAY-EVENT", "FORMAT-RELAY-IGNORED", "FORMAT-RELAY-LOG-BOUNDS",
        "FORMAT-RELAY-MARIADB-LEFT-OUT", "FORMAT-RELAY-OWN-GTIDS", "FORMAT-RELAY-WHOLE-EVENTS",
        "WL4033-RELAY-EVENTS-AS-USUAL", "WL4033-RELAY-UNKNOWN-NOT-LOST",
        "WL4033-RELAY-IGNORABLE-COPIED", "WL4162-RELAY-KEEPS-EVENTS", "WL4162-TT-GUESS-LEAVES-BYTES",
        "WL7592-RELAY-OWN-EVENTS-SERVER-ID-ZERO", "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        "WL7592-RELAY-PREVIOUS-GTIDS-SKIPPED", "WL7592-RELAY-ROTATE-OWN-POSITION", "WL40-RELAY-EXTENDED-QUERY",
    },
    "send": {
        "FORMAT-SEND-ANNOTATE-ROWS", "FORMAT-SEND-CHECKSUM", "FORMAT-SEND-EVENT", "FORMAT-SEND-FIRST-LOG",
        "FORMAT-SEND-FORMAT", "FORMAT-SEND-GTIDS-SKIPPED", "FORMAT-SEND-HEARTBEAT", "FORMAT-SEND-MODE",
        "FORMAT-SEND-NO-POSITION", "FORMAT-SEND-POSITION", "FORMAT-SEND-PURGED", "FORMAT-SEND-ROTATE",
        "WL4033-SEND-IGNORABLE", "WL4162-SEND-HEARTBEAT-SELF", "WL4162-SEND-LOGGED-KEPT", "WL4162-SEND-ROTATE-IGNORE",
        "WL7592-SEND-ANONYMOUS-GTIDS", "WL7592-SEND-PREVIOUS-GTIDS",
    },
    "apply": {
        "FORMAT-APPLY-BODY-MALFORMED", "FORMAT-APPLY-EVENT", "FORMAT-APPLY-EXECUTED", "FORMAT-APPLY-OUTCOME",
        "FORMAT-APPLY-OWN-EVENTS", "FORMAT-APPLY-PERMISSIVE", "FORMAT-APPLY-UNTIL", "WL4033-APPLY-KNOWN-HANDLED",
        "WL4033-APPLY-UNKNOWN-REFUSED", "WL4033-APPLY-CROSS-NEW-TO-OLD", "WL7592-APPLY-NEW-55",
        "WL7592-APPLY-ON-56-57", "WL7592-APPLY-ON-SKIP-REFUSED",
        "WL4033-APPLY-ROWS-QUERY-INFORMS", "WL4033-APPLY-UNKNOWN-IGNORED", "WL7592-APPLY-CREATE-INSIDE",
        "WL7592-APPLY-DROPDB-ERROR-TEXT", "WL7592-APPLY-DROPDB-ON-ERROR", "WL7592-APPLY-OFF-GTID-NOT-MISSED",
        "WL7592-APPLY-OFF-SKIP-ALLOWED", "WL7592-APPLY-ON-GTID-MISSING", "WL7592-APPLY-ON-GTID-MISSING-BEGIN",
        "WL7592-APPLY-SKIP-GTID-IN-GROUP", "WL7592-APPLY-SKIP-NOT-MID-GROUP", "WL7592-APPLY-UNTIL-SERVER-ID-ZERO",
        "WL7592-COMPAT-OFF-5622", "WL7592-COMPAT-OLD-NEW", "WL7592-COMPAT-ON-5621", "WL40-APPLY-EXTENDED-QUERY",
    },
}  # fmt: skip


@pytest.mark.parametrize("role", SHOWN_BY_REQUIRED_FIELDS)
def test_the_required_fields_show_these_requirements_and_no_others(role):
    judge = Judge(declaring(role))
    marked = {requirement for case, _ in answered(role) for requirement in case.marks} & oracles().keys()
    supported = {requirement for requirement in marked if judge.supports(requirement)}
    assert supported == SHOWN_BY_REQUIRED_FIELDS[role]
    for case, answer in answered(role):
        declared_answer = as_declared(answer, declaring(role))
        assert (
            verdicts(judge, case, declared_answer, "unsupported") == (case.marks.keys() & oracles().keys()) - supported
        )


def test_decisions_without_the_field_executed_do_not_show_execution():
    judge = Judge(declaring("decide"))
    marked = {requirement for case, _ in answered("decide") for requirement in case.marks}
    owners = {"FORMAT-DECIDE-EXECUTED", "FORMAT-DECIDE-CAPABILITY"}
    assert {each for each in marked if not judge.supports(each)} == {"WL3303-ERROR-NOT-EXECUTED", *owners}


# --- statements about which there is no answer


def declining(answer, places):
    """Return an answer in which some statements have a reason in the place of their entry."""
    events = [{"unsupported": "why"} if place in places else entry for place, entry in enumerate(answer.events)]
    return replace(answer, events=tuple(events))


def statuses(case, answer):
    judge = Judge(declaring("decide", role_of("decide").fields))
    return {each.requirement: each.status for each in judge.judge(case, answer)}


def test_a_statement_without_an_answer_is_not_judged_and_the_others_are():
    for case, answer in answered("decide", TWO_PROFILES):
        without = set(range(0, len(answer.events), 2))
        wanted = {
            requirement: "unsupported" if without.issuperset(indices) else "pass"
            for requirement, indices in case.marks.items()
            if requirement in oracles() and not oracles()[requirement].owns
        }
        assert statuses(case, declining(answer, without)).items() >= wanted.items()


def test_a_wrong_decision_beside_one_without_an_answer_fails():
    (case, answer), *_ = (pair for pair in answered("decide", ("worklog",)) if len(pair[1].events) > 1)
    wrong = replace(answer, events=(*answer.events[:-1], {**answer.events[-1], "format": "mixture"}))
    assert "fail" in statuses(case, declining(wrong, {0})).values()
    assert "fail" not in statuses(case, declining(wrong, {0, len(answer.events) - 1})).values()


def test_an_answer_about_no_statement_is_unsupported_as_a_whole():
    for case, answer in answered("decide", TWO_PROFILES):
        none = declining(answer, set(range(len(answer.events))))
        assert set(statuses(case, none).values()) == {"unsupported"}


# --- answers of a wrong form, and wrong values


#: Role -> form -> a requirement that must fail in some case.
BLAMED = {
    "boundary": {
        nothing: "WL4162-STREAM-TRACKED",
        error_at_once: "WL4162-STREAM-TRACKED",
        error_in_the_middle: "WL4162-STREAM-TRACKED",
        error_at_the_end: "WL4162-STREAM-TRACKED",
        silent_in_the_middle: "WL4162-STREAM-TRACKED",
        entry_missing: "WL4162-STREAM-TRACKED",
        entry_too_many: "WL4162-STREAM-TRACKED",
        every_entry_twice: "WL4162-STREAM-TRACKED",
        backwards: "WL4162-STREAM-TRACKED",
        always_the_same: "WL4162-STREAM-MIDDLE-KNOWN",
    },
    "filter": {
        error_at_once: "WL40-FILTER-BY-TABLES-INFO",
        error_in_the_middle: "WL40-FILTER-BY-TABLES-INFO",
        error_at_the_end: "WL40-FILTER-ROWS-BY-TABLE-MAP",
        entry_too_many: "WL40-FILTER-ROWS-BY-TABLE-MAP",
        always_the_same: "WL40-FILTER-DO-EVERY-TABLE",
    },
    "decide": {
        nothing: "WL3303-DECISION-TWO-FORMATS",
        error_at_once: "WL3303-DECISION-TWO-FORMATS",
        error_in_the_middle: "WL3303-DECISION-TWO-FORMATS",
        error_at_the_end: "WL3303-DECISION-TWO-FORMATS",
        silent_in_the_middle: "WL3303-DECISION-TWO-FORMATS",
        entry_missing: "WL3303-DECISION-TWO-FORMATS",
        entry_too_many: "FORMAT-DECIDE-FORMAT",
        every_entry_twice: "WL3303-DECISION-PER-STATEMENT",
        backwards: "WL3303-DECISION-PER-STATEMENT",
        always_the_same: "WL3303-DECISION-PER-STATEMENT",
    },
    "relay": {
        nothing: "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        error_at_once: "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        error_in_the_middle: "WL4162-WARN-RECEIVER",
        error_at_the_end: "WL4162-WARN-RECEIVER",
        silent_in_the_middle: "WL4033-RELAY-IGNORABLE-COPIED",
        entry_missing: "WL4033-RELAY-IGNORABLE-COPIED",
        every_entry_twice: "WL4033-RELAY-IGNORABLE-COPIED",
        backwards: "WL7592-RELAY-PREVIOUS-GTIDS-OWN",
        always_the_same: "WL4162-RELAY-KEEPS-EVENTS",
    },
    "send": {
        nothing: "FORMAT-SEND-ROTATE",
        error_at_once: "FORMAT-SEND-POSITION",
        error_in_the_middle: "FORMAT-SEND-MODE",
        error_at_the_end: "FORMAT-SEND-EVENT",
        no_error: "FORMAT-SEND-MODE",
        silent_in_the_middle: "WL4033-SEND-IGNORABLE",
        entry_missing: "WL4033-SEND-IGNORABLE",
        entry_too_many: "FORMAT-SEND-EVENT",
        every_entry_twice: "FORMAT-SEND-EVENT",
        backwards: "FORMAT-SEND-ROTATE",
        always_the_same: "FORMAT-SEND-FORMAT",
    },
    "apply": {
        nothing: "WL7592-COMPAT-OLD-NEW",
        error_at_once: "WL7592-COMPAT-OLD-NEW",
        error_in_the_middle: "WL7592-COMPAT-OLD-NEW",
        error_at_the_end: "WL7592-COMPAT-OLD-NEW",
        no_error: "WL7592-APPLY-ON-GTID-MISSING",
        silent_in_the_middle: "WL7592-COMPAT-OLD-NEW",
        entry_missing: "WL7592-COMPAT-OLD-NEW",
        entry_too_many: "WL7592-APPLY-ON-GTID-MISSING",
        always_the_same: "WL4033-APPLY-UNKNOWN-IGNORED",
    },
}


@pytest.mark.parametrize(("role", "form"), [(role, form) for role, forms in BLAMED.items() for form in forms])
def test_an_answer_of_a_wrong_form_fails(role, form):
    judge = Judge(REFERENCE.declaration.roles[role])
    wanted = BLAMED[role][form]
    assert any(
        wanted in verdicts(judge, case, form(case, answer), "fail")
        for case, answer in answered(role)
        if answer.events and wanted in case.marks
    )


@pytest.mark.parametrize("change", [error_at_once, error_in_the_middle, error_at_the_end, entry_too_many])
def test_what_no_stream_allows_fails_one_requirement_of_a_filter(change):
    judge = Judge(REFERENCE.declaration.roles["filter"])
    for case, answer in answered("filter"):
        charged = verdicts(judge, case, change(case, answer), "fail")
        assert len(charged) == (1 if case.marks else 0)
        assert case.focus in charged or case.focus not in case.marks


@pytest.mark.parametrize("text", ["zz" * 30, "00", "", "é" * 40])
def test_data_that_is_not_an_event_of_a_relay_log_fails(text):
    judge = Judge(REFERENCE.declaration.roles["relay"])
    for case, answer in answered("relay", TWO_PROFILES):
        assert verdicts(judge, case, with_value("data", text)(case, answer), "fail")


def without_field(events, name):
    return tuple({key: value for key, value in each.items() if key != name} for each in events)


@pytest.mark.parametrize("name", ["marker", "answers", "boundary_type", "state"])
def test_a_declared_field_that_is_never_answered_fails(name):
    judge = Judge(REFERENCE.declaration.roles["boundary"])
    signatures = (
        each.signature
        for case, answer in answered("boundary", ("worklog",))
        for each in judge.judge(case, replace(answer, events=without_field(answer.events, name)))
        if each.status == "fail"
    )
    assert any("missing" in each or "not given" in each for each in signatures)


# --- implementations with few fields


def declared_over_the_wire(role, fields):
    about = {"name": "small", "version": "1", "language": "C"}
    roles = {role: {"fields": fields, "abilities": [], "profiles": list(PROFILES)}}
    line = json.dumps({"protocol": 1, "implementation": about, "roles": roles})
    return decode_declaration(line.encode()).roles[role]


def test_a_boundary_parser_that_only_reports_whether_it_is_within_a_transaction():
    declared = declared_over_the_wire("boundary", ["offset", "within_transaction"])
    judge = Judge(declared)
    passed, blamed = set(), set()
    for case, answer in answered("boundary"):
        declared_answer = as_declared(answer, declared)
        assert verdicts(judge, case, declared_answer, "fail") == set()
        passed |= verdicts(judge, case, declared_answer, "pass")
        blamed |= verdicts(judge, case, with_value("within_transaction", "no")(case, declared_answer), "fail")
    assert {"WL4162-STREAM-MIDDLE-KNOWN", "WL4162-STREAM-TRACKED", "WL7592-GROUP-ENDS-AT-COMMIT"} <= passed
    assert "WL4162-STREAM-MIDDLE-KNOWN" in blamed
    # These need a warning, a state or a type; the one about old sources is about transactions as well.
    shown = {each for each in passed if each.startswith(("WL4162-TT-", "WL4162-WARN-", "WL4162-TYPE-"))}
    assert shown == {"WL4162-TT-GUESS-OLD-SOURCE"}


def test_a_filter_that_only_reports_offsets():
    declared = declared_over_the_wire("filter", ["offset"])
    judge = Judge(declared)
    for case, answer in answered("filter"):
        declared_answer = as_declared(answer, declared)
        assert {each.status for each in judge.judge(case, declared_answer)} <= {"unsupported"}
        assert {each.status for each in judge.judge(case, error_at_once(case, declared_answer))} <= {"unsupported"}


# --- extended Query events in the role decode


def extended(family):
    for index in range(20):
        case = case_of(CaseId(family, "worklog", seed=5, index=index))
        yield case, REFERENCE.ask(request_of(case))


def test_an_empty_list_of_tables_may_be_left_out():
    judge = Judge(REFERENCE.declaration.roles["decode"])
    left_out = 0
    for case, answer in extended("tables_info_streams"):
        events = [dict(each) for each in answer.events]
        for each in events:
            if each.get("tables_info") == "":
                del each["tables_info"]
                left_out += 1
        assert verdicts(judge, case, Observation(tuple(events), answer.error), "fail") == set()
    assert left_out > 0


def test_a_reader_without_tables_info_gets_no_contradicting_lengths():
    judge = Judge(RoleDeclaration(frozenset({*DECODE.always, "query"}), frozenset(ABILITIES), EVERY_PROFILE))
    for case, _ in extended("contradicting_query_lengths"):
        assert [(each.requirement, each.status) for each in judge.declined(case)] == [
            ("WL40-LENGTHS-CONTRADICT", "unsupported")
        ]


# --- what an answer does not show is not judged


def judged(role, change, requirement):
    """Return the statuses that a requirement gets where it is judged, however often it is marked."""
    judge = Judge(REFERENCE.declaration.roles[role])
    cases = [pair for pair in answered(role) if requirement in pair[0].marks]
    assert cases, f"no case exercises {requirement}"
    every = (each for case, answer in cases for each in judge.judge(case, change(case, answer)))
    return {each.status for each in every if each.requirement == requirement} - {"blocked"}


@pytest.mark.parametrize("requirement", ["WARN-TEXT-RECEIVER", "WARN-TEXT-MIDDLE", "BOUNDARY-NAMES"])
def test_without_warnings_the_text_of_warnings_is_not_judged(requirement):
    assert judged("boundary", with_value("warning", ""), f"WL4162-{requirement}") == set()
    assert judged("boundary", with_value("warning", ""), "WL4162-WARN-WRONG-TRANSITION") == {"fail"}


@pytest.mark.parametrize("requirement", ["WL3303-ERROR-NOT-EXECUTED", "WL3303-ERROR-NOTHING-LOGGED"])
def test_without_refusals_the_rules_about_refusals_are_not_judged(requirement):
    assert judged("decide", with_value("message", "none"), requirement) == set()


def test_without_an_entry_for_the_failure_its_effects_are_not_judged():
    for name in ("OFF-ANON-EACH", "GTID-UNUSED"):
        assert judged("apply", without_the_failed_entry, f"WL7592-APPLY-DROPDB-{name}") == set()
    assert judged("apply", without_the_failed_entry, "WL7592-APPLY-ON-GTID-MISSING") == {"pass"}


def test_a_warning_that_names_a_wrong_type_shows_a_wrong_reset():
    def from_another_type(case, answer):
        events = ({**each, "warning": each["warning"].replace("Not Defined", "Start Transaction")}
                  for each in answer.events)  # fmt: skip
        return replace(answer, events=tuple(events))

    assert "fail" in judged("boundary", from_another_type, "WL4162-RESET-TO-UNDEFINED")

    def without_a_full_stop(case, answer):
        return replace(answer, events=tuple({**each, "warning": each["warning"].rstrip(".")} for each in answer.events))

    assert judged("boundary", without_a_full_stop, "WL4162-RESET-TO-UNDEFINED") == {"pass"}
    assert judged("boundary", without_a_full_stop, "WL4162-WARN-TEXT-RECEIVER") == {"fail"}
