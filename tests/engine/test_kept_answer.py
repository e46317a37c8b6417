"""A record keeps of an answer what a reader of a failure can look at, however long the answer is."""

import json

import pytest

from conformance.engine.certification import Budget, Certification, Selection
from conformance.engine.kept_answer import kept_answer, kept_events, kept_text
from conformance.engine.record_lines import RecordLines
from conformance.protocol.observation import Observation, Refusal, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.reports.html import html_report
from conformance.reports.record import RecordWriter, read_record

MILLION = 1_000_000


@pytest.mark.parametrize(
    "events",
    [
        [{"offset": 4, "type": 2}] * MILLION,
        [{"offset": 4, "type": 2, "query": "x" * (20 * MILLION)}],
        [{"x" * (20 * MILLION): 1}],
        [{"offset": 4, "rows": [{}] * MILLION}],
        [{str(number): None for number in range(MILLION)}],
        [{"offset": 4, "query": [["x" * 15_000] * 100] * 1000}],
        [{"offset": 10**4000}] * 1000,
    ],
)
def test_a_long_answer_is_kept_in_part(events):
    kept = kept_events(events)
    assert len(json.dumps(kept.events)) < MILLION
    assert not kept.is_whole
    assert kept.left_out == len(events) - len(kept.events)


def test_an_answer_of_usual_length_is_kept_whole():
    events = tuple({"offset": number, "type": 2, "query": "x" * 100} for number in range(1000))
    answer = Observation(events, Refusal(4, "other", "no"))
    assert kept_answer(answer) == (answer, 0)
    assert kept_events(events).events == events


def test_what_is_left_out_is_marked():
    assert kept_text("x" * 21_000) == "x" * 20_000 + "... 1,000 more characters"
    (event,) = kept_events([{"rows": [0] * MILLION}]).events
    assert event["rows"][-1].endswith(" more")
    trouble, _ = kept_answer(Trouble("crash", "exit-status-1", "y" * MILLION))
    assert trouble.detail.endswith("... 980,000 more characters")


class Verbose(ReferenceImplementation):
    """The reference, which reports each event wrongly and ten thousand times."""

    def ask(self, request):
        answer = super().ask(request)
        events = [event | {"timestamp": event["timestamp"] + 1} for event in answer.events]
        return Observation(tuple(events * 10_000), answer.error)


def test_the_record_of_a_verbose_implementation_is_small_and_names_what_is_left_out(tmp_path):
    path = tmp_path / "run.jsonl"
    with RecordWriter(path) as writer:
        Certification(
            implementation=Verbose(),
            spec="reference",
            selections=[Selection("decode", ("mysql-8.0",), families=("rotations",))],
            budget=Budget(examples=1),
            listeners=(RecordLines(writer.append),),
        ).run()
    record = read_record(path)
    assert record.failures
    assert path.stat().st_size < len(record.failures) * MILLION
    left_out = record.failures[0].observed.left_out
    assert left_out > 10_000
    assert f"{left_out:,} more events, which the record does not keep" in html_report(record)
