"""A server may log the events of one statement in another form where no worklog fixes it, and nobody is blamed."""

from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.binlog.event_types import EventType
from conformance.oracles.judge import Judge, request_of
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

REFERENCE = ReferenceImplementation()
JUDGE = Judge(REFERENCE.declaration.roles["log"])
DROPS = ("WL7592-LOG-DROP-GROUPS", "WL7592-LOG-DISCONNECT-DROPS")


def with_each_map_before_its_rows(case, events):
    """Put the Table_map of each table directly before its rows, in a statement on two tables."""
    for place in range(len(events) - 3):
        maps, rows = events[place : place + 2], events[place + 2 : place + 4]
        if [each["type"] for each in maps] == [EventType.TABLE_MAP] * 2 and all(each.get("rows") for each in rows):
            of_table = {each["table_id"]: each for each in maps}
            if len({each["table_id"] for each in rows}) == 2:
                mixed = [each for row in rows for each in (of_table[row["table_id"]], row)]
                yield [*events[:place], *mixed, *events[place + 4 :]]


def with_drops_exchanged(case, events):
    """Exchange the two statements on temporary tables as which one DROP TABLE, or the end of a session, is logged."""
    for mark in DROPS:
        drops = [index for index in case.marks.get(mark, ()) if "TEMPORARY" in events[index].get("query", "")]
        if len(drops) == 2 and drops[1] - drops[0] <= 2:
            first, second = drops
            changed = list(events)
            changed[first], changed[second] = events[second], events[first]
            yield changed


def with_base_drops_exchanged(case, events):
    """Exchange two statements as which one DROP TABLE or DROP DATABASE is logged, where no GTIDs are before them."""
    drops = ["query" in each and each["query"].startswith("DROP TABLE") for each in events]
    for place in range(len(events) - 1):
        if drops[place] and drops[place + 1]:
            yield [*events[:place], events[place + 1], events[place], *events[place + 2 :]]


def with_drops_at_the_end_exchanged(case, events):
    """Exchange two statements as which the end of a session is logged, also right after one of the session itself."""
    drops = [place for place, each in enumerate(events) if "/*!40005 TEMPORARY */" in each.get("query", "")]
    for first, second in pairwise(drops):
        if second - first <= 2:
            changed = list(events)
            changed[first], changed[second] = events[second], events[first]
            yield changed


def with_each_row_alone(case, events):
    """Give each row an event of its own, of which the last has the end of the statement."""
    divided = []
    for entry in events:
        rows = entry.get("rows") or ()
        parts = [{**entry, "rows": [row], "rows_flags": entry["rows_flags"] & ~1} for row in rows]
        if parts:
            parts[-1]["rows_flags"] = entry["rows_flags"]
        divided += parts or [entry]
    if len(divided) > len(events):
        yield divided


def with_a_row_lost(case, events):
    """Give each row an event of its own, and leave out one of them."""
    for divided in with_each_row_alone(case, events):
        lost = next(at for at, each in enumerate(divided) if each.get("rows") and not each["rows_flags"] & 1)
        yield divided[:lost] + divided[lost + 1 :]


def with_commits(case, events):
    """End each transaction with a COMMIT in the place of its Xid event, with the flags of the latter."""
    commit = {"type": int(EventType.QUERY), "query": "COMMIT", "length": 70}
    changed = [{**each, **commit} if each["type"] == EventType.XID else each for each in events]
    if changed != events:
        yield changed


def with_a_map_after_its_rows(case, events):
    """Put the Table_map of the second table after its rows, which no reader can read."""
    for changed in with_each_map_before_its_rows(case, events):
        place = next(at for at, each in enumerate(changed) if each not in events[: at + 1] or each is not events[at])
        yield [*changed[: place + 1], changed[place + 2], changed[place + 1], *changed[place + 3 :]]


def with_the_temporary_tables_last(case, events):
    """Exchange the statement on temporary tables, which WL#7592 has first, for the one on ordinary tables."""
    drops = [index for index in case.marks.get("WL7592-LOG-DROP-TEMPORARY-FIRST", ()) if "query" in events[index]]
    if len(drops) == 2:
        changed = list(events)
        changed[drops[0]], changed[drops[1]] = events[drops[1]], events[drops[0]]
        yield changed


def blamed(families, profiles, change, most=300):
    """Return how many answers were changed, and who is blamed for them."""
    changed, requirements = 0, set()
    for index in range(most):
        for family in families:
            for profile in profiles:
                case = case_of(CaseId(family, profile, seed=0, index=index, role="log"))
                answer = REFERENCE.ask(request_of(case))
                for events in change(case, list(answer.events)):
                    changed += 1
                    verdicts = JUDGE.judge(case, replace(answer, events=tuple(events)))
                    requirements |= {each.requirement for each in verdicts if each.is_failure}
        if changed >= 5:
            break
    return changed, requirements


@pytest.mark.parametrize(
    ("families", "profiles", "change"),
    [
        (["mixed_engines", "logged_row_transactions"], ["mysql-5.7", "worklog"], with_each_map_before_its_rows),
        (["temporary_tables", "multi_table_drops"], ["mysql-5.7", "worklog"], with_drops_exchanged),
        (["temporary_tables"], ["mysql-5.6", "mysql-5.7", "worklog"], with_drops_at_the_end_exchanged),
        (["logged_tables_info"], ["worklog"], with_base_drops_exchanged),
        (["logged_delayed_inserts"], ["worklog"], with_each_row_alone),
        (["logged_markers"], ["worklog"], with_commits),
        (["logged_transactions"], ["mysql-5.7", "mariadb-11.x"], with_each_row_alone),
        (["logged_modes", "create_select_splits", "logged_options"], ["mysql-8.0"], with_each_row_alone),
    ],
)
def test_nobody_is_blamed_for_an_order_that_is_free(families, profiles, change):
    changed, requirements = blamed(families, profiles, change)
    assert changed >= 5
    assert requirements == set()


@pytest.mark.parametrize(
    ("families", "profiles", "change"),
    [
        (["mixed_engines", "logged_row_transactions"], ["mysql-5.7", "worklog"], with_a_map_after_its_rows),
        (["logged_transactions", "logged_delayed_inserts"], ["worklog"], with_a_row_lost),
        (["multi_table_drops"], ["worklog"], with_the_temporary_tables_last),
    ],
)
def test_an_order_that_is_not_free_is_blamed(families, profiles, change):
    changed, requirements = blamed(families, profiles, change)
    assert changed >= 5
    assert requirements != set()
