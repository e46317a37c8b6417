"""Right implementations of four roles that answer in a way of their own: nobody is blamed, whatever the stream."""

import base64
from dataclasses import replace

import pytest

from conformance.binlog.event_types import ROWS_TYPES, EventType
from conformance.binlog.rows.column_codes import ColumnType
from conformance.models.boundary.open_readings import OPEN_READINGS
from conformance.models.filtering.other_readings import AddsNewNames
from conformance.mutants.boundary.right_answers import PassesOverSpare
from conformance.mutants.controls import KeepsEmptyXa, KeepsStatement
from conformance.oracles.judge import Judge, request_of
from conformance.protocol.observation import Trouble
from conformance.protocol.roles.decode import HEADER_FIELDS
from conformance.reference.boundary import observe
from conformance.reference.filter import answer_with as filtered_by
from conformance.reference.filter import table_filter
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.answered import REFERENCE, answered_cases
from tests.extras import require_role
from tests.oracles.test_freedoms import stopping_at_begin
from tests.oracles.test_right_readers import ROLES, declaring

TEXTS = {ColumnType.STRING, ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.BLOB}
WITH_FRACTION = {ColumnType.TIME2, ColumnType.DATETIME2, ColumnType.TIMESTAMP2}


def in_base64(code, value):
    return {"base64": base64.b64encode(value.encode()).decode()} if code in TEXTS and isinstance(value, str) else value


def with_long_fractions(code, value):
    """Return a time with all six digits of its fraction, and a decimal with a zero more."""
    if code in WITH_FRACTION and isinstance(value, str):
        whole, _, fraction = value.partition(".")
        return f"{whole}.{fraction:0<6}"
    return f"{value}0" if code == ColumnType.NEWDECIMAL and "." in str(value) else value


def with_values(change):
    """Return the answers of a reader that writes the values of rows in another way, by the type of their column."""

    def answered(case, answer):
        events = []
        for index, entry in enumerate(answer.events):
            codes = case.expected.columns.get(index)
            if codes is None or not entry.get("rows"):
                events.append(entry)
                continue
            rows = [
                {
                    side: image and {name: change(codes[int(name)], value) for name, value in image.items()}
                    for side, image in row.items()
                }
                for row in entry["rows"]
            ]
            events.append({**entry, "rows": rows})
        return replace(answer, events=tuple(events))

    return answered


def of_entries(change):
    def answered(case, answer):
        changed = (change(dict(entry)) for entry in answer.events)
        return replace(answer, events=tuple(each for each in changed if each is not None))

    return answered


def only(*names):
    return of_entries(lambda entry: {name: value for name, value in entry.items() if name in ("offset", *names)})


def with_fields_of_its_own(entry):
    return {**entry, "summary": "an event", "x_raw": "00ff", "children": []}


def without_place(case, answer):
    return answer if answer.error is None else replace(answer, error=replace(answer.error, at=None))


def of_another_kind(case, answer):
    return answer if answer.error is None else replace(answer, error=replace(answer.error, kind="other"))


def refusing_one(case, answer):
    """Return the answer of a reader that names the event that it refuses, and goes on to the end."""
    error = answer.error
    if error is None or error.at is None or error.kind != "checksum":
        return answer
    refused = {"offset": error.at, "handled": "refused", "refused": error.message}
    return replace(answer, events=(*answer.events, refused), error=None)


def of_rows_alone(entry):
    return entry if entry["type"] in (EventType.TABLE_MAP, *ROWS_TYPES) else None


def in_one_mode(case, answer):
    """Return the answer of a filter that takes rules literally, and by names."""
    other = case.settings["tables"] != "literal" or case.settings["renames"] != "name"
    return Trouble("unsupported", "unsupported", "it has no such rules") if other else answer


def without_engines(case, answer):
    """Return the answer of a server that lacks some engines."""
    lacking = {"ndb", "ndbcluster", "federated", "archive"}
    pairs = zip(case.settings["statements"], answer.events, strict=True)
    events = (
        {"unsupported": "no such engine"} if any(table["engine"] in lacking for table in each["tables"]) else entry
        for each, entry in pairs
    )
    return replace(answer, events=tuple(events))


class TakesEveryReading(PassesOverSpare):
    """A parser that takes the other reading wherever WL#4162 leaves one open."""

    def feed(self, event):
        return super().feed(next(filter(None, (reading(event) for reading in OPEN_READINGS)), event))


def by_every_reading(case, answer):
    return observe(request_of(case), TakesEveryReading()) if case.id.profile == "worklog" else answer


class KeepsMore(KeepsStatement, KeepsEmptyXa):
    """A filter that keeps a statement with any of its rows, and what is left of an XA transaction."""


def with_new_names_and_more_kept(case, answer):
    def tables(settings):
        plain = table_filter(settings)
        follows = settings["renames"] == "identity"
        return AddsNewNames(plain.rules, renames="identity") if follows else plain

    return filtered_by(request_of(case), tables=tables, groups=KeepsMore)


def without_torn_end(case, answer):
    return replace(answer, error=None) if answer.error is not None and answer.error.kind == "truncated" else answer


DECIDES = ("format", "message")
#: Implementation -> its role, what it declares, and its answer, made from a case and the reference's answer.
IMPLEMENTATIONS = {
    "values in base64": ("decode", ROLES["decode"], with_values(in_base64)),
    "fractions with all digits": ("decode", ROLES["decode"], with_values(with_long_fractions)),
    "fields of its own": ("decode", ROLES["decode"], of_entries(with_fields_of_its_own)),
    "errors without a place": ("decode", declaring("decode", abilities=("error_at",)), without_place),
    "errors of another kind": ("decode", ROLES["decode"], of_another_kind),
    "one event refused": ("decode", ROLES["decode"], refusing_one),
    "headers alone": ("decode", declaring("decode", fields=HEADER_FIELDS), only(*HEADER_FIELDS)),
    "rows alone": ("decode", declaring("decode", fields=("offset", "type", "rows")), only("type", "rows")),
    "statements alone": (
        "decode", declaring("decode", fields=("offset", "database", "query")), only("database", "query")
    ),
    "fates of rows alone": ("filter", declaring("filter", abilities=("every_event",)), of_entries(of_rows_alone)),
    "fates without types": ("filter", declaring("filter", fields=("offset", "fate")), only("fate")),
    "literal rules alone": ("filter", ROLES["filter"], in_one_mode),
    "executed alone": ("decide", declaring("decide", fields=(*DECIDES, "executed")), of_entries(
        lambda entry: {name: entry[name] for name in (*DECIDES, "executed")})),
    "restricted alone": ("decide", declaring("decide", fields=(*DECIDES, "restricted")), of_entries(
        lambda entry: {name: entry[name] for name in (*DECIDES, "restricted")})),
    "some engines lacking": ("decide", ROLES["decide"], without_engines),
    "warnings alone": ("boundary", declaring("boundary", fields=("offset", "warning")), only("warning")),
    "types alone": ("boundary", declaring("boundary", fields=("offset", "boundary_type")), only("boundary_type")),
    "markers alone": (
        "boundary", declaring("boundary", fields=("offset", "marker", "answers")), only("marker", "answers")
    ),
    "every open reading": ("boundary", ROLES["boundary"], by_every_reading),
    "several choices": ("filter", ROLES["filter"], with_new_names_and_more_kept),
    "torn events passed over": ("boundary", ROLES["boundary"], without_torn_end),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_a_right_implementation_is_blamed_by_nobody(name):
    role, declared, answered = IMPLEMENTATIONS[name]
    require_role(role)
    judge, others = Judge(declared), 0
    # Two choices of a filter meet in few cases.
    for _, case, answer in answered_cases(role, 6 if role == "filter" else 1):
        if judge.declined(case):
            continue
        given = answered(case, answer)
        others += given != answer
        blamed = {each.requirement: each.message for each in judge.judge(case, given) if each.is_failure}
        assert blamed == {}, str(case.id)
    assert others, "it never answers in a way of its own"


def test_an_applier_may_name_the_event_at_which_it_fails_by_its_entry_alone():
    declared = REFERENCE.declaration.roles["apply"]
    judge = Judge(replace(declared, abilities=declared.abilities - {"error_at"}))
    changed = 0
    for _, case, answer in answered_cases("apply", 2):
        # With gtid_mode=ON it may stop at the BEGIN already.
        other = stopping_at_begin(case, answer)
        if other.error is None or other.events[-1:] == () or other.events[-1]["outcome"] != "failed":
            continue
        changed += other is not answer
        other = replace(other, error=replace(other.error, at=None))
        assert [each for each in judge.judge(case, other) if each.is_failure] == [], str(case.id)
    assert changed


WORDED = {
    "create_select_splits": lambda query: (
        query.replace("CREATE TABLE", "CREATE /* of a SELECT */ TABLE") if "SELECT" not in query else query
    ),
    "drop_database_splits": lambda query: query.replace(
        "DROP TABLE IF EXISTS", f"drop  table if exists /* {600 * chr(46)} */ "
    ),
}


@pytest.mark.parametrize("family", WORDED)
def test_a_server_may_word_its_own_statements_as_it_likes(family):
    judge, changed = Judge(REFERENCE.declaration.roles["log"]), 0
    for index in range(8):
        case = case_of(CaseId(family, "mysql-5.7", seed=5, index=index, role="log"))
        answer = REFERENCE.ask(request_of(case))
        events = [{**each, **{k: WORDED[family](each[k]) for k in each if k == "query"}} for each in answer.events]
        changed += events != list(answer.events)
        blamed = [each for each in judge.judge(case, replace(answer, events=tuple(events))) if each.is_failure]
        assert blamed == [], str(case.id)
    assert changed
