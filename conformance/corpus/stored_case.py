"""Stored cases: a case as a row of a Parquet corpus, and back."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
import pyarrow as pa

from conformance.strategies.grammar.case import Case, Expected
from conformance.strategies.grammar.case_id import CaseId

#: The columns of a stored corpus.
CORPUS: Final = pa.schema(
    [
        pa.field("number", pa.int64(), nullable=False),
        pa.field("case", pa.string(), nullable=False),
        pa.field("family", pa.string(), nullable=False),
        pa.field("profile", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("focus", pa.string(), nullable=False),
        pa.field("requirements", pa.list_(pa.string()), nullable=False),
        pa.field("marks", pa.string(), nullable=False),
        pa.field("stream", pa.binary(), nullable=False),
        pa.field("settings", pa.string(), nullable=False),
        pa.field("events", pa.int32(), nullable=False),
        pa.field("expected", pa.string(), nullable=False),
    ]
)

#: What each column holds, for readers of the files who do not have the kit.
MEANING: Final = {
    "number": "number of the case in the corpus, from 0",
    "case": "id of the case: family/profile/seed/index; binlog-conformance replay takes it",
    "family": "name of the strategy that made it",
    "profile": "profile whose rules apply",
    "role": "role in which an implementation is asked",
    "focus": "requirement that it was made for; a crash or a hang is reported for it",
    "requirements": "ids of the requirements that it exercises",
    "marks": "JSON: requirement id -> indices of the events it governs, -1 for every event",
    "stream": "the binary log with its magic number; empty in a role that asks about none",
    "settings": "JSON: settings of the question besides the stream",
    "events": "number of events that a reader delivers",
    "expected": "JSON: the observation that a conforming implementation makes (events, refused_at, refused_kind, "
    "and in tolerated the indices of events that may be refused as well)",
}


def _json(value: Any) -> str:
    plain = msgspec.to_builtins(value, str_keys=True, order="deterministic")
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False)


def batch_of_cases(cases: Iterable[tuple[int, Case]]) -> pa.RecordBatch:
    """Return numbered cases as one record batch of the schema `CORPUS`."""
    rows = [
        (
            number,
            str(case.id),
            case.id.family,
            case.id.profile,
            case.role,
            case.focus,
            list(case.marks),
            _json(case.marks),
            case.stream,
            _json(case.settings),
            len(case.expected.events),
            _json(case.expected),
        )
        for number, case in cases
    ]
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, CORPUS, strict=True)], schema=CORPUS
    )


def cases_of_batch(batch: pa.RecordBatch) -> Iterator[tuple[int, Case]]:
    """Yield the numbered cases of a record batch of the schema `CORPUS`."""
    names = ("number", "case", "role", "focus", "marks", "stream", "settings", "expected")
    for number, case, role, focus, marks, stream, settings, expected in zip(
        *(batch.column(name).to_pylist() for name in names), strict=True
    ):
        yield (
            number,
            Case(
                id=CaseId.parse(case),
                role=role,
                stream=stream,
                expected=msgspec.convert(json.loads(expected), Expected, str_keys=True),
                marks={requirement: tuple(indices) for requirement, indices in json.loads(marks).items()},
                focus=focus,
                settings=json.loads(settings),
            ),
        )
