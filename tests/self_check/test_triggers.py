"""Triggers: each holds somewhere or has no row; names are of one form; places, contents and settings are seen."""

import fnmatch
import re
from dataclasses import replace

import pytest

from conformance.binlog.event_types import EventType
from conformance.protocol.observation import Observation, Request
from conformance.protocol.roles.registry import role_names
from conformance.reference.implementation import ReferenceImplementation
from conformance.self_check.cells import forms_of
from conformance.self_check.domains import can_hold
from conformance.self_check.question_view import view_of
from conformance.self_check.reasons import ROWS, reason_of
from conformance.self_check.trigger import Needs
from conformance.self_check.triggers import triggers_of
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of


def test_every_reason_is_about_triggers_that_there_are():
    for row in ROWS:
        names = {form.name for role in row.roles.split() or role_names() for form in forms_of(role)}
        assert [each for each in row.triggers.split() if not fnmatch.filter(names, each)] == []


def test_a_reason_is_found_in_layouts_profiles_and_the_table():
    forms = {form.name: form for form in forms_of("decode")}
    about_xid = ("decode", "xid-one-byte-late", "FORMAT-XID")
    assert reason_of(*about_xid, forms["text-empty"], {EventType.XID}).startswith("no field of the events")
    assert reason_of(*about_xid, forms["text-empty"], {EventType.XID, EventType.QUERY}) is None
    assert reason_of(*about_xid, forms["any-text-empty"], {EventType.XID}) is None
    tagged = ("decode", "tag-lost", "FORMAT-GTID-TAGGED")
    assert reason_of(*tagged, forms["profile-mysql-5.6"], set()) == "the requirement does not hold under the profile"
    in_logs = {form.name: form for form in forms_of("log")}
    assert reason_of("log", "any", "FORMAT-LOG-EVENTS", in_logs["flag-0x4000"], set()).startswith("no server")
    received = {each.name: each for each in forms_of("relay")}
    assert reason_of("relay", "any", "FORMAT-RELAY-EVENT", received["flag-0x0040"], set()).startswith("no source")
    assert reason_of("relay", "any", "FORMAT-RELAY-EVENT", received["flag-0x4000"], set()) is None


def event(offset, code, **fields):
    header = {"flags": 0, "length": 30, "timestamp": 5, "server_id": 1, "log_pos": 0, "handled": "known"}
    return {"offset": offset, "type": int(code), **header, **fields}


def held(name, *events, role="decode", settings=None):
    request = Request(role, "mysql-8.0", b"", settings or {})
    trigger = triggers_of(role)[name]
    mask = trigger.items(view_of(request, 0, Observation(events)))
    return [place for place in range(len(events)) if mask >> place & 1]


def log(*codes, **fields):
    return [event(4 + 30 * place, code, **fields) for place, code in enumerate(codes)]


@pytest.mark.parametrize("role", role_names())
def test_names_are_words_joined_by_hyphens(role):
    assert [name for name in triggers_of(role) if not re.fullmatch(r"[a-z0-9_]+(-[a-z0-9_.]+)*", name)] == []


def test_places_of_a_type():
    codes = [EventType.FORMAT_DESCRIPTION, EventType.XID, EventType.QUERY, EventType.XID, EventType.XID]
    assert held("first-of-several", *log(*codes)) == [1]
    assert held("middle-of-several", *log(*codes)) == [3]
    assert held("last-of-several", *log(*codes)) == [4]
    assert held("only-of-kind", *log(*codes)) == [0, 2]
    assert held("after-same", *log(*codes)) == [4]
    assert held("before-same", *log(*codes)) == [3]


def test_logs_and_resets():
    codes = [EventType.FORMAT_DESCRIPTION, EventType.XID, EventType.ROTATE, EventType.FORMAT_DESCRIPTION, EventType.XID]
    assert held("log-first", *log(*codes)) == [0, 1, 2]
    assert held("log-second", *log(*codes)) == [3, 4]
    assert held("after-reset", *log(*codes)) == [3, 4]


def test_contents():
    long, multi_byte = event(4, EventType.QUERY, query="x" * 251), event(300, EventType.QUERY, query="\u00e9")
    assert held("text-from-251", long, multi_byte) == [0]
    assert held("text-multi-byte", long, multi_byte) == [1]
    assert held("flag-0x0080", event(4, EventType.XID, xid=1), event(40, 60) | {"flags": 0x80}) == [1]
    assert held("number-from-2-8", event(4, EventType.XID, xid=255), event(40, EventType.XID, xid=256)) == [1]
    rows = [{"before": None, "after": {"0": 1, "1": None}}]
    assert held("null", event(4, EventType.WRITE_ROWS, rows=rows), event(40, EventType.XID, xid=1)) == [0]


def test_the_event_that_must_be_refused_is_seen_too():
    case = case_of(CaseId("bad_checksum", "mysql-8.0", seed=1, index=0))
    request = Request("decode", "mysql-8.0", case.stream)
    right = ReferenceImplementation().ask(request)
    items = view_of(request, 0, right).items
    assert items[-1].offset == right.error.at
    assert len(items) == len(right.events) + 1


def test_a_mode_that_is_changed_and_changed_back():
    settings = {"gtid_mode": "ON"}
    back = triggers_of("log")["gtid_mode-and-back"]
    change = triggers_of("log")["gtid_mode-on-to-off"]
    modes = [{"kind": "set_global", "variable": "gtid_mode", "value": each} for each in ("OFF", "ON")]
    request = Request("log", "mysql-8.0", b"", {"scenario": {"settings": settings, "statements": modes[:1]}})
    view = view_of(request, 0, Observation(()))
    assert (change.whole(view), back.whole(view)) == (True, False)
    returned = replace(request, settings={"scenario": {"settings": settings, "statements": modes}})
    assert back.whole(view_of(returned, 0, Observation(())))


@pytest.mark.parametrize(
    ("code", "needs", "can"),
    [
        (EventType.XID, Needs(bits=64), True),
        (EventType.XID, Needs(text=1), False),
        (EventType.XID, Needs(size=32), False),
        (EventType.QUERY, Needs(bits=32), True),
        (EventType.QUERY, Needs(bits=33), False),
        (EventType.QUERY, Needs(text=65536, is_free=True), True),
        (EventType.PREVIOUS_GTIDS, Needs(text=65536), True),
        (EventType.PREVIOUS_GTIDS, Needs(text=1, is_free=True), False),
        (EventType.WRITE_ROWS, Needs(list_=True), True),
        (99, Needs(bits=1), False),
        (99, Needs(size=65536), True),
        (99, Needs(code=128), False),
        (200, Needs(code=128), True),
    ],
)
def test_layouts_bound_what_can_hold(code, needs, can):
    assert can_hold([code], needs) is can
