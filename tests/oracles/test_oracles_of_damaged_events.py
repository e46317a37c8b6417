"""Answers about events that are damaged, and about XA transactions that are split: who is blamed for what."""

from dataclasses import replace
from itertools import count

import pytest

from conformance.binlog.event_types import EventType
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Refusal
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.oracles.damaged_relay_logs import APPLIED

REFERENCE = ReferenceImplementation()
RECEIVED = {
    "wrong_checksums_received": "FORMAT-RELAY-CHECKSUM-WRONG",
    "events_received_in_part": "FORMAT-RELAY-WHOLE-EVENTS",
}


def blamed(role, family, change, *, without=(), index=1, profile="mysql-8.0", has=lambda case: True):
    """Return the requirements that a changed answer to a case breaks: the first from an index on that has something."""
    declared = REFERENCE.declaration.roles[role]
    cases = (case_of(CaseId(family, profile, seed=0, index=each, role=role)) for each in count(index))
    case = next(each for each in cases if has(each))
    answer = REFERENCE.ask(request_of(case))
    judge = Judge(replace(declared, abilities=declared.abilities - set(without)))
    return {each.requirement for each in judge.judge(case, change(case, answer)) if each.is_failure}


def without_error(case, answer):
    return replace(answer, error=None)


def with_error_elsewhere(case, answer):
    return replace(answer, error=Refusal(case.expected.refused_at + 1, "other", "cannot be read"))


def with_error_before(case, answer):
    return replace(answer, error=Refusal(case.expected.refused_at - 1, "other", "cannot be read"))


def stopping_early(case, answer):
    return replace(answer, events=answer.events[:1], error=Refusal(answer.events[1]["offset"], "other", "no"))


def with_entry(outcome, *, beyond=0):
    """Return a change that adds an entry at the damaged event, or bytes after its beginning."""

    def changed(case, answer):
        entry = {**answer.events[-1], "offset": case.expected.refused_at + beyond, "outcome": outcome}
        return replace(answer, events=(*answer.events, entry))

    return changed


@pytest.mark.parametrize("family", APPLIED)
@pytest.mark.parametrize(
    "change",
    [without_error, with_error_elsewhere, with_error_before, with_entry("applied"), with_entry("failed", beyond=30)],
)
def test_an_applier_that_does_not_stop_at_a_damaged_event_is_blamed(family, change):
    assert APPLIED[family] in blamed("apply", family, change)


@pytest.mark.parametrize("family", APPLIED)
def test_an_applier_that_stops_before_a_damaged_event_is_blamed_for_that_alone(family):
    requirements = blamed("apply", family, stopping_early)
    assert requirements
    assert APPLIED[family] not in requirements


@pytest.mark.parametrize("family", APPLIED)
def test_an_applier_may_report_the_damaged_event_as_failed(family):
    assert blamed("apply", family, with_entry("failed")) == set()


@pytest.mark.parametrize("family", APPLIED)
def test_an_applier_that_names_no_place_is_not_blamed_for_the_place(family):
    assert blamed("apply", family, with_error_elsewhere, without=("error_at",)) == set()


@pytest.mark.parametrize("ability", ["framing", "checksums"])
def test_an_applier_is_judged_by_what_it_declares(ability):
    declared = REFERENCE.declaration.roles["apply"]
    judge = Judge(replace(declared, abilities=declared.abilities - {ability}))
    cases = (case_of(CaseId(name, "mysql-8.0", seed=0, index=1, role="apply")) for name in APPLIED)
    not_asked = {case.id.family for case in cases if judge.declined(case)}
    needing = {"framing": {"wrong_lengths_in_relay_logs", "truncated_relay_logs"}}
    assert not_asked == needing.get(ability, {"wrong_checksums_in_relay_logs"})


def with_data(data_of):
    """Return a change that adds an entry with bytes of the stream, given those from the damaged event on."""

    def changed(case, answer):
        data = data_of(case.stream[case.expected.refused_at :]).hex()
        return replace(answer, events=(*answer.events, {**answer.events[-1], "data": data}))

    return changed


def event_after(rest):
    length = int.from_bytes(rest[9:13], "little")
    return rest[length : length + int.from_bytes(rest[length + 9 : length + 13], "little")]


def with_another_checksum(rest):
    return rest[: int.from_bytes(rest[9:13], "little")][:-4] + b"\1\2\3\4"


@pytest.mark.parametrize(
    "change",
    [
        without_error,
        with_error_elsewhere,
        with_error_before,
        with_data(lambda rest: rest[: int.from_bytes(rest[9:13], "little")]),
        with_data(with_another_checksum),
        with_data(event_after),
    ],
)
def test_a_receiver_that_does_not_stop_at_a_wrong_checksum_is_blamed(change):
    # A case in which there are events after the damaged one.
    assert "FORMAT-RELAY-CHECKSUM-WRONG" in blamed("relay", "wrong_checksums_received", change, index=1)


@pytest.mark.parametrize("data_of", [lambda rest: rest, lambda rest: rest + bytes(8)])
def test_a_receiver_that_writes_a_part_of_an_event_is_blamed(data_of):
    assert blamed("relay", "events_received_in_part", with_data(data_of)) == {"FORMAT-RELAY-WHOLE-EVENTS"}


@pytest.mark.parametrize("family", RECEIVED)
def test_a_receiver_may_begin_another_relay_log_at_a_damaged_event(family):
    def with_own_events(case, answer):
        own = ({**entry, "log": answer.events[-1]["log"] + 1} for entry in answer.events[:2])
        return replace(answer, events=(*answer.events, *own))

    def has_no_gtids(case):
        """Whether the next relay log would have to name no GTIDs of groups."""
        return all(bytes.fromhex(each["data"])[4] != EventType.GTID for each in case.expected.events)

    assert blamed("relay", family, with_own_events, index=0, profile="mysql-5.7", has=has_no_gtids) == set()


def test_a_receiver_may_connect_again_without_an_error():
    assert blamed("relay", "events_received_in_part", without_error) == set()


def test_a_receiver_that_reports_a_lost_connection_elsewhere_is_blamed():
    assert "FORMAT-RELAY-WHOLE-EVENTS" in blamed("relay", "events_received_in_part", with_error_elsewhere)


@pytest.mark.parametrize("family", RECEIVED)
def test_a_receiver_that_names_no_place_is_not_blamed_for_the_place(family):
    assert blamed("relay", family, with_error_elsewhere, without=("error_at",)) == set()


def xa_places(case):
    """Return the indices of the statements of XA transactions, in their order."""
    return case.marks["FORMAT-FILTER-XA"]


def with_fates(of_place):
    """Return a change that gives each statement of an XA transaction the fate for its place among them, if not None."""

    def changed(case, answer):
        entries = list(answer.events)
        for place, index in enumerate(xa_places(case)):
            if (fate := of_place(place)) is not None:
                entries[index] = {**entries[index], "fate": fate}
        return replace(answer, events=tuple(entries))

    return changed


def xa_cases(*, dropped):
    """Yield the numbers of cases with one XA transaction, of which something passes or nothing does, and its end."""
    for index in range(256):
        case = case_of(CaseId("xa_filters", "worklog", seed=0, index=index, role="filter"))
        places = xa_places(case)
        fates = [case.expected.events[each].get("fate") for each in places]
        if len(places) == 4 and fates == [None if dropped else "kept"] * 4:
            yield index


@pytest.mark.parametrize("dropped", [True, False])
@pytest.mark.parametrize("place", range(1, 4))
def test_a_statement_with_another_fate_than_its_xa_transaction_is_blamed(dropped, place):
    change = with_fates(lambda each: "kept" if (each == place) == dropped else "dropped" if dropped else None)
    if not dropped:
        change = with_fates(lambda each: "dropped" if each == place else None)
    numbers = list(xa_cases(dropped=dropped))
    assert numbers
    for index in numbers[:4]:
        assert "FORMAT-FILTER-XA" in blamed("filter", "xa_filters", change, index=index, profile="worklog")


@pytest.mark.parametrize("fate", ["kept", "dropped"])
def test_an_xa_transaction_of_which_nothing_passes_may_stay_empty(fate):
    for index in list(xa_cases(dropped=True))[:6]:
        assert blamed("filter", "xa_filters", with_fates(lambda _: fate), index=index, profile="worklog") == set(), (
            index
        )


def test_an_xa_transaction_of_which_something_passes_is_not_dropped():
    for index in xa_cases(dropped=False):
        case = case_of(CaseId("xa_filters", "worklog", seed=0, index=index, role="filter"))
        is_empty = case.classes["statements of the transaction"] == "none"
        # Where there is nothing between, the rule for empty groups shows it.
        expected = "WL40-FILTER-GROUP-WHOLE" if is_empty else "FORMAT-FILTER-XA"
        dropped = with_fates(lambda _: "dropped")
        assert expected in blamed("filter", "xa_filters", dropped, index=index, profile="worklog"), index


def test_statements_of_xa_transactions_without_an_entry_are_not_judged():
    def left_out(case, answer):
        places = xa_places(case)
        return replace(answer, events=tuple(e for index, e in enumerate(answer.events) if index not in places))

    partial = {"without": ["every_event"], "profile": "worklog"}
    for index in list(xa_cases(dropped=False))[:4]:
        assert blamed("filter", "xa_filters", left_out, index=index, **partial) == set(), index
