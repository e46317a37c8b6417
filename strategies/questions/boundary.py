"""Questions in the role `boundary`: how a parser classifies each event of a stream (WL#4162)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.shipped_parser import ShippedParser, ShippedStep
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.step_entry import shipped_entry, worklog_entry
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups.boundary_groups import fed
from conformance.strategies.marks.parser_facts import Fact, FactFinder
from conformance.strategies.marks.parser_marks import marks_of

#: The uses for which events are read; the rules are the same.
USES: Final = ("receiver", "dump")


class _Model:
    """The parser of a profile."""

    def __init__(self, profile: str) -> None:
        version = SHIPPED_VERSIONS[profile]
        self._parser = WorklogParser() if version is None else ShippedParser(version)

    def reset(self) -> None:
        self._parser.reset()

    def feed(self, event: FedEvent) -> tuple[Mapping[str, str], ShippedStep | None]:
        """Return what must be reported for the next event, and the step of a parser that servers ship."""
        if isinstance(self._parser, ShippedParser):
            shipped = self._parser.feed(event)
            return shipped_entry(shipped, within=self._parser.within_transaction), shipped
        step = self._parser.feed(event)
        return worklog_entry(step, header_answers(event.flags), within=self._parser.within_transaction), None


def _cell_names(step: ShippedStep) -> tuple[str, str]:
    """Return the names that select the cell of a step; unlike the values, a stored corpus can hold them."""
    return step.before.name, step.shipped_type.name


def question(stream: StreamBuilder) -> Question:
    """Return the question how the parser of the stream's profile classifies its events.

    A production may put into `stream.settings` the offsets before which the parser is reset (``resets``), and the
    numbers of the streams between them that repeat the one before for another use (``repeated``).
    """
    resets = list(stream.settings.get("resets", ()))
    repeated = frozenset(stream.settings.get("repeated", ()))
    first = stream.choose.integer(0, 1)
    uses = [USES[1 - first if number in repeated else first] for number in range(len(resets) + 1)]
    model = _Model(stream.server.profile)
    finder = FactFinder()
    entries: list[dict[str, Any]] = []
    facts: list[Fact] = []
    made: dict[str, set[int]] = defaultdict(set)
    for index, (planned, offset, _) in enumerate(stream.placed):
        if offset == stream.refused_at:
            break
        if offset in resets:
            model.reset()
            finder.reset()
        if planned.type == EventType.FORMAT_DESCRIPTION:
            finder.describe_format(planned.body)
        event = fed(planned)
        report, shipped = model.feed(event)
        entry = {"offset": offset, "type": int(planned.type), **report}
        entries.append(entry)
        facts.append(finder.fact(event, entry, shipped))
        # Where the worklog leaves several readings open, nothing is required that depends on one.
        for requirement in () if facts[-1].uncertain else planned.marks:
            made[requirement].add(index)
    for requirement, indices in marks_of(facts, repeated).items():
        made[requirement].update(indices)
    for requirement in (each for each, indices in stream.marks.items() if len(entries) in indices):
        made[requirement].add(len(entries))
    return Question(
        expected=Expected(
            tuple(entries),
            stream.refused_at,
            stream.refused_kind,
            shipped_steps=tuple(_cell_names(fact.shipped) for fact in facts if fact.shipped),
        ),
        marks={requirement: sorted(indices) for requirement, indices in made.items()},
        settings={"resets": resets, "uses": uses},
        stream=bytes(stream.bytes),
    )
