"""Right readers in other notations, and with less than all: nobody is blamed."""

from dataclasses import replace

import pytest

from conformance.oracles.judge import Judge, request_of
from conformance.protocol.roles.decode import FIELDS_OF_TYPE
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.answered import REFERENCE, answered_cases
from tests.extras import require_role

ROLES = REFERENCE.declaration.roles
REQUIRED = {name for kind in FIELDS_OF_TYPE.values() for name in kind.required}
OPTIONAL = {name for kind in FIELDS_OF_TYPE.values() for name in kind.optional} - REQUIRED
CASES = 2


def as_digits(entry):
    """A reader that reports integers of rows as texts."""

    def image(values):
        return values and {name: str(value) if type(value) is int else value for name, value in values.items()}

    rows = [{side: image(values) for side, values in row.items()} for row in entry.get("rows") or ()]
    return entry | {"rows": rows} if rows else entry


def with_other_sets(entry):
    """A reader whose sets are in the other order, in capitals, with white space, with 5-5 for 5."""
    parts = []
    for source in filter(None, entry.get("previous_gtids", "").split(",")):
        uuid, *intervals = source.split(":")
        tag = ""
        for each in intervals:
            if not each[0].isdigit():
                tag = f"{each}:"
                continue
            parts.append(f"{uuid.upper()}:{tag}{each if '-' in each else f'{each}-{each}'}")
    return entry | {"previous_gtids": ",\n".join(reversed(parts))} if parts else entry


def without(*names):
    def change(entry):
        return {name: value for name, value in entry.items() if name not in names}

    return change


def of_known_events(entry):
    return None if entry["handled"] == "ignored" else without("flags", "log_pos")(entry)


def only(*names):
    def change(entry):
        return {name: value for name, value in entry.items() if name in ("offset", *names)}

    return change


def of_fate(fate):
    return lambda entry: entry if entry["fate"] == fate else None


def unchanged(entry):
    return entry


def declaring(role, *, less=(), fields=None, abilities=()):
    declared = ROLES[role]
    kept = declared.fields - frozenset(less) if fields is None else frozenset(fields)
    return replace(declared, fields=kept, abilities=declared.abilities - frozenset(abilities))


CAPABILITIES = ("row_capable", "statement_capable", "restricted")
#: Reader -> its role, what it declares, and its entries.
READERS = {
    "digits": ("decode", ROLES["decode"], as_digits),
    "sets in parts": ("decode", ROLES["decode"], with_other_sets),
    "no optional fields": ("decode", declaring("decode", less=OPTIONAL), without(*OPTIONAL)),
    "known events alone": ("decode", declaring("decode", less=("flags", "log_pos")), of_known_events),
    "no framing": ("decode", declaring("decode", abilities=("framing", "checksums")), unchanged),
    "within alone": ("boundary", declaring("boundary", fields=("within_transaction",)), only("within_transaction")),
    "state alone": ("boundary", declaring("boundary", fields=("state",)), only("state")),
    "dropped alone": ("filter", declaring("filter", abilities=("every_event",)), of_fate("dropped")),
    "kept alone": ("filter", declaring("filter", abilities=("every_event",)), of_fate("kept")),
    "no capabilities": ("decide", declaring("decide", less=CAPABILITIES), without(*CAPABILITIES)),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_right_reader_is_blamed_by_nobody(reader):
    role, declared, change = READERS[reader]
    require_role(role)
    judge = Judge(declared)
    for _, case, answer in answered_cases(role, CASES):
        if judge.declined(case):
            continue
        events = tuple(entry for each in answer.events if (entry := change(dict(each))) is not None)
        verdicts = judge.judge(case, replace(answer, events=events))
        assert {each.requirement: each.message for each in verdicts if each.is_failure} == {}, str(case.id)


def with_tails_read(case, answer):
    """A reader that takes what it finds after the fields that a Gtid event of old has for those that came later."""
    events, last = [], {}
    tailed = set(case.marks.get("WL7592-BODY-UNKNOWN-TAIL", ()))
    for index, entry in enumerate(answer.events):
        events.append({**entry, **last} if index in tailed else entry)
        last |= {name: entry[name] for name in ("original_server_version",) if name in entry}
    return replace(answer, events=tuple(events))


def test_a_reader_may_take_the_tail_of_an_event_for_the_same_value_as_an_earlier_one():
    judge, taken = Judge(ROLES["decode"]), set()
    for index in range(100):
        case = case_of(CaseId("gtid_streams", "mysql-8.4", seed=0, index=index))
        answer = with_tails_read(case, REFERENCE.ask(request_of(case)))
        tails = case.marks.get("WL7592-BODY-UNKNOWN-TAIL", ())
        taken.add(len({answer.events[each].get("original_server_version") for each in tails}))
        verdicts = judge.judge(case, answer)
        assert {each.requirement: each.message for each in verdicts if each.is_failure} == {}, str(case.id)
    assert max(taken) > 2, "no case has tails after events with different versions"
