"""The step that a boundary parser had to take at each event, from the state that it showed before it.

A wrong step is a fault of its own; what follows from it is not. So each step is judged from the states that explain the
answer before it, of which the right one is always one: an answer that equals the expected one is never wrong.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event_types import EventType
from conformance.binlog.reader import ReaderRules, read_events
from conformance.models.boundary.boundary_type import WITHIN_TRANSACTION, BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.guess import is_begin
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS, ShippedState
from conformance.models.boundary.step_entry import shipped_entry, worklog_entry
from conformance.models.boundary.transition_table import CELLS, COLUMNS, Cell, StepOutcome
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import DIFFERS, MISSING, Cause
from conformance.oracles.checks.misread_shipped_types import misread_shipped
from conformance.oracles.checks.misread_types import misread_type

Entry = Mapping[str, Any]
#: What a parser remembers: under the worklog's profile its type and whether the open transaction has a BEGIN.
State = tuple[BoundaryType, bool] | ShippedState

#: The fields of an entry that depend on the events before, in the order in which they follow from each other.
OF_STEP: Final = ("boundary_type", "warning", "state", "within_transaction")
#: Those of them that show the state after the event.
_AFTER_STEP: Final = ("state", "within_transaction")
#: The field with the marker that an event has in its header.
_MARKER: Final = "marker"
#: The field with what the header alone answers: it follows from the marker.
_ANSWERS: Final = "answers"
_IGNORE: Final = BoundaryType.IGNORE_BOUNDARY.heading
#: The types of Rotate events and of artificial ones.
_OF_ROTATES: Final = {BoundaryType.SELF_CONTAINED.heading, BoundaryType.IGNORE_BOUNDARY.heading}
#: The name of a boundary type.
NAME: Final = re.compile("|".join(each.heading for each in BoundaryType))
#: A boundary parser is fed every event, of any type.
EVERY_EVENT: Final = ReaderRules(beyond_format_description=True, known=frozenset(range(256)), passes_unknown=True)
_OF_WORKLOG: Final[tuple[State, ...]] = tuple(
    (each, begun) for each in COLUMNS for begun in (False, True) if not begun or each in WITHIN_TRANSACTION
)


class StepTable:
    """The parser of a profile, which takes a step from any state."""

    def __init__(self, profile: str) -> None:
        version = SHIPPED_VERSIONS[profile]
        self._worklog = WorklogParser()
        self._shipped = None if version is None else ShippedParser(version)
        self.every: tuple[State, ...] = _OF_WORKLOG if version is None else tuple(ShippedState)
        self.start: State = self.every[0]

    def step(self, state: State, fed: FedEvent) -> tuple[Entry, State]:
        """Return the entry for an event that comes in a state, and the state after it."""
        if self._shipped is not None and isinstance(state, ShippedState):
            self._shipped.state = state
            shipped = self._shipped.feed(fed)
            return shipped_entry(shipped, within=self._shipped.within_transaction), shipped.state
        assert not isinstance(state, ShippedState), "the worklog's parser has the worklog's states"
        parser = self._worklog
        parser.state, parser.begun = state
        step = parser.feed(fed)
        return worklog_entry(step, header_answers(fed.flags), within=parser.within_transaction), (
            parser.state,
            parser.begun,
        )


def _shows(state: State) -> Entry:
    """Return what an entry shows of a state after its event."""
    if isinstance(state, ShippedState):
        return {"within_transaction": "yes" if state.within_transaction else "no"}
    return {"state": state[0].heading, "within_transaction": _is_within(state[0])}


def _is_within(boundary_type: BoundaryType) -> str:
    return "yes" if boundary_type in WITHIN_TRANSACTION else "no"


@lru_cache(maxsize=4)
def fed_by_offset(stream: bytes) -> Mapping[int, FedEvent]:
    """Return what is fed of each event of a stream, by its offset, up to the first that cannot be read."""
    events: dict[int, FedEvent] = {}
    with suppress(BinlogError, MalformedBody):
        for event in read_events(stream, EVERY_EVENT):
            events[event.offset] = FedEvent.of(event)
    return events


@dataclass(frozen=True, slots=True)
class OwnSteps:
    """The steps that an answer had to have.

    Attributes:
        entries: The entry for each event, by the states that explain the answer before it.
        begun_elsewhere: The indices of events, at the beginning of a stream, that show that the parser began in another
            state: the step from the right one was not asked for.
        left_open: The indices of Incidents that a shipped parser passes over with its state as it was, and of events
            after one that show it.
        misread: The causes of the wrong steps of a shipped parser that takes an event for one of another type.
    """

    entries: Sequence[Entry]
    begun_elsewhere: frozenset[int]
    left_open: frozenset[int]
    misread: Mapping[int, Cause]


class _Follower:
    """Follows an answer event by event.

    Args:
        alignment: The answer beside the expected one.
        taken: The cells that the answer has taken rightly somewhere: a first step that looks as if one of them were
            wrong shows another beginning.
        resets: Whether the answer shows somewhere that a reset changes the state. If none does, an answer from the
            state before a reset shows that it was missing, and not that a cell is wrong.

    Attributes:
        taken: The cells that were taken rightly so far.
        resets: Whether a reset was seen to change the state so far.
        is_left_open: Whether the last event shows that an Incident did not change the state.
        came_from: The states in which the last event came, as far as the answer before it shows them.
    """

    def __init__(self, alignment: Alignment, *, taken: frozenset[str] = frozenset(), resets: bool = True) -> None:
        self.taken: set[str] = set()
        self.resets = False
        self._keeps_state = not resets
        self._sound = taken
        self._table = StepTable(alignment.case.id.profile)
        self._declared = alignment.role.fields & set(OF_STEP)
        self._shown: Sequence[State] = ()
        self.came_from: Sequence[State] = ()
        self.begin()

    def begin(self) -> None:
        """Begin another stream."""
        self._right = self._table.start
        #: The states that explain the answer if this reset was missing.
        self._continued = self._shown
        #: The states that explain the answer up to here.
        self._shown = (self._right,)
        #: The states that explain it if the last Incident did not change the state.
        self._unchanged: Sequence[State] = ()
        self.is_left_open = False
        self._is_fresh = True

    def follow(self, expected: Entry, event: FedEvent, seen: Entry | None) -> tuple[Entry, bool]:
        """Return the entry that the answer about an event had to be, and whether the parser began in another state."""
        before, self.came_from = self._right, self._shown
        unchanged = self._without_incident(event, seen)
        taken = [self._table.step(state, event) for state in (before, *self._shown)]
        self._right = taken[0][1]
        # A reset after an error leads to the first state too, but is a step of its own.
        stays = self._right == before and not taken[0][0].get("warning")
        is_fresh, self._is_fresh = self._is_fresh, self._is_fresh and stays
        continued = self._without_reset(event, seen) if is_fresh else ()
        if seen is None:
            self._shown = self._table.every
            return expected, False
        self._note_cells(before, taken[0][0], seen)
        fitting = [(entry, after) for entry, after in taken if self._agree(entry, seen)]
        if fitting:
            self._shown = tuple(dict.fromkeys(after for _, after in fitting))
            self._unchanged = unchanged
            return (expected if self._agree(expected, seen) else {**expected, **fitting[0][0]}), False
        if is_fresh and (elsewhere := continued or self._begun_elsewhere(event, seen)):
            self._shown, self._is_fresh = elsewhere, False
            return expected, True
        if unchanged:
            self._shown, self.is_left_open = unchanged, True
            return expected, False
        # A step from what the answer showed had to come: that from the right state, where it may have been in that one.
        due = taken if before in self._shown else taken[1:]
        nearest, _ = max(due, key=partial(self._likeness, seen))
        self._shown = self._showing(seen) or self._table.every
        return {**expected, **nearest}, False

    def _without_reset(self, event: FedEvent, seen: Entry | None) -> Sequence[State]:
        """Return the states after an event that explain an answer if this reset, as all others, was missing."""
        before = self._continued
        if not before or seen is None:
            return ()
        steps = (self._table.step(state, event) for state in before)
        self._continued = tuple(dict.fromkeys(after for entry, after in steps if self._agree(entry, seen)))
        self.resets = self.resets or not self._continued
        return self._continued if self._keeps_state else ()

    def _without_incident(self, event: FedEvent, seen: Entry | None) -> Sequence[State]:
        """Return the states after an event that explain an answer if an Incident has not changed the state."""
        before, self._unchanged, self.is_left_open = self._unchanged, (), False
        if seen is None or not isinstance(self._right, ShippedState):
            return ()
        if event.type == EventType.INCIDENT:
            return [each for each in (self._right, *self._shown) if self._agree({**_shows(each), "warning": ""}, seen)]
        steps = (self._table.step(state, event) for state in before)
        return tuple(dict.fromkeys(after for entry, after in steps if self._agree(entry, seen)))

    def _note_cells(self, before: State, right: Entry, seen: Entry) -> None:
        """Take note of the cell of the right step if the answer shows that it was taken."""
        if isinstance(before, ShippedState) or before not in self._shown or not self._agree(right, seen):
            return
        used = (each for each in CELLS.values() if _is_of(each, before[0], right))
        self.taken.update(each.requirement for each in used if not self._agree(_opposite(each), seen))

    def _likeness(self, seen: Entry, step: tuple[Entry, State]) -> tuple[bool, int]:
        # The type is where a step begins: one with the same type is nearer than one that ends alike.
        agreeing = {name for name in self._declared if name in step[0] and seen.get(name) == step[0][name]}
        return OF_STEP[0] in agreeing, len(agreeing)

    def _begun_elsewhere(self, event: FedEvent, seen: Entry) -> tuple[State, ...]:
        """Return the states after an event if the answer only shows another state before it, and no wrong step."""
        start = self._table.start
        if isinstance(start, ShippedState):
            return ()
        right, _ = self._table.step(start, event)
        if "warning" in self._declared:
            before, *fed = NAME.findall(seen.get("warning") or "")[:2] or ("",)
            if fed == [right["boundary_type"]] and before != start[0].heading:
                return tuple(self._showing(seen)) or self._table.every  # The warning names the state before.
        used = (each for each in CELLS.values() if _is_of(each, start[0], right))
        if any(each.requirement not in self._sound and self._agree(_opposite(each), seen) for each in used):
            return ()
        steps = (self._table.step(state, event) for state in self._table.every)
        return tuple(dict.fromkeys(after for entry, after in steps if self._agree(entry, seen)))

    def _agree(self, entry: Entry, seen: Entry) -> bool:
        return all(seen.get(name) == entry[name] for name in self._declared if name in entry)

    def _showing(self, seen: Entry) -> tuple[State, ...]:
        """Return the states that an answer after an event may be given in."""
        shown = "state" if "state" in seen and "state" in self._declared else "within_transaction"
        if shown not in seen:
            return ()
        return tuple(each for each in self._table.every if _shows(each).get(shown) == seen[shown])


def _is_of(cell: Cell, before: BoundaryType, entry: Entry) -> bool:
    return cell.before is before and cell.fed.heading == entry["boundary_type"]


def _opposite(cell: Cell) -> Entry:
    """Return what an answer shows if a cell has the wrong outcome."""
    other = replace(cell, outcome=StepOutcome.OK if cell.warning else StepOutcome.ERR)
    return {"state": other.after.heading, "warning": other.warning or "", "within_transaction": _is_within(other.after)}


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def own_steps(alignment: Alignment) -> OwnSteps:
    """Return the steps that an answer had to have."""
    first = _Follower(alignment)
    steps = _followed(alignment, first)
    if not first.taken and first.resets:
        return steps
    return _followed(alignment, _Follower(alignment, taken=frozenset(first.taken), resets=first.resets))


def _followed(alignment: Alignment, follower: _Follower) -> OwnSteps:
    case = alignment.case
    fed, resets = fed_by_offset(case.stream), frozenset(case.settings["resets"])
    entries, elsewhere, left_open = list(case.expected.events), [], []
    states: list[Sequence[State]] = []
    for index, expected in enumerate(case.expected.events):
        if expected["offset"] not in fed:
            break
        if expected["offset"] in resets:
            follower.begin()
        entries[index], began = follower.follow(expected, fed[expected["offset"]], alignment.observed(index))
        elsewhere += [index] if began else []
        left_open += [index] if follower.is_left_open else []
        states.append(follower.came_from)
    misread = _misread(alignment, [fed[each["offset"]] for each in entries[: len(states)]], states)
    return OwnSteps(entries, frozenset(elsewhere), frozenset(left_open), misread)


def _misread(alignment: Alignment, fed: Sequence[FedEvent], states: Sequence[Sequence[State]]) -> Mapping[int, Cause]:
    """Return the causes of wrong steps at events that a shipped parser takes for those of another type."""
    version = SHIPPED_VERSIONS[alignment.case.id.profile]
    if version is None:
        return {}
    before = [[each for each in shown if isinstance(each, ShippedState)] for shown in states]
    answers = [alignment.observed(index) for index in range(len(fed))]
    return misread_shipped(version, fed, before, answers)


def is_in_step(alignment: Alignment, index: int) -> bool:
    """Return whether an answer had to have the expected entry, whatever it had before."""
    own, expected = own_steps(alignment), alignment.case.expected.events[index]
    entry = own.entries[index]
    return index not in own.begun_elsewhere and all(
        entry[name] == expected[name] for name in OF_STEP if name in expected
    )


def step_cause(alignment: Alignment, index: int) -> Cause | None:
    """Return the cause of a wrong step: the first of its fields that is wrong; None for a right one."""
    own, seen = own_steps(alignment).entries[index], alignment.observed(index)
    wrong = [name for name in OF_STEP if name in own and seen is not None and seen.get(name) != own[name]]
    if seen is not None and seen.get("warning") and own.get("warning"):
        # That there is one is right: its words are less than where the step leads.
        wrong.sort(key=lambda name: name == "warning")
    return next((field_cause(alignment, index, each) for each in wrong if each in alignment.role.fields), None)


def field_cause(alignment: Alignment, index: int, name: str) -> Cause:
    """Return the cause of a difference in one field of the answer about an event: it is the same for all events.

    What a parser does with an event, and answers about it, follows from its marker: where that is misread, nothing else
    is wrong there. A parser that is not in Not Defined where it has to be, after an error or a reset, has one fault,
    wherever it is.
    """
    steps = own_steps(alignment)
    own, seen = steps.entries[index], alignment.observed(index) or {}
    # Shipped parsers know no markers: nothing is expected of them, whatever an answer has.
    is_judged = _MARKER in own and _MARKER in alignment.role.fields
    if name in (*OF_STEP, _ANSWERS) and is_judged and seen.get(_MARKER) != own[_MARKER]:
        name = _MARKER
    wanted, value = own[name], seen.get(name)
    if name in OF_STEP and index in steps.misread:
        return steps.misread[index]
    if name in OF_STEP and index in steps.begun_elsewhere:
        return Cause("is not Not Defined where a stream begins", field="state", role="boundary")
    if name in OF_STEP and index in steps.left_open:
        return Cause("kept at an Incident", field="state", role="boundary")
    if name in _AFTER_STEP and own.get("warning") and "state" in own and value is not None:
        return Cause("is not Not Defined after an error", field="state", role="boundary")
    if name == "boundary_type" and (of_type := _misread_type(alignment, index, wanted, value)) is not None:
        return of_type
    if name == "boundary_type" and {wanted, value} == _OF_ROTATES and _is_rotate(alignment, index):
        return Cause("not distinguished from an artificial one", "Rotate", name, role="boundary")
    if name in OF_STEP and (of_ignored := _of_ignored(name, own, value)) is not None:
        return of_ignored
    if name == _ANSWERS and (of_answer := _of_answer(wanted, value or "")) is not None:
        return of_answer
    if name in OF_STEP and name != "warning":
        how = MISSING if value is None else f"is {value}, not {wanted}"
        return Cause(how, field=name, role="boundary")
    how = DIFFERS if value and wanted else MISSING if wanted else "not expected"
    return Cause(how, field=name, role="boundary")


def _misread_type(alignment: Alignment, index: int, wanted: str, value: str | None) -> Cause | None:
    return misread_type(_fed(alignment, index), wanted, value, begin_before(alignment, index))


def begin_before(alignment: Alignment, index: int) -> FedEvent | None:
    """Return the last event with a BEGIN before an expected entry; None if there is none."""
    offset = alignment.case.expected.events[index]["offset"]
    begins = [each for at, each in fed_by_offset(alignment.case.stream).items() if at < offset and is_begin(each)]
    return begins[-1] if begins else None


def _fed(alignment: Alignment, index: int) -> FedEvent:
    return fed_by_offset(alignment.case.stream)[alignment.case.expected.events[index]["offset"]]


def _of_ignored(name: str, own: Entry, value: object) -> Cause | None:
    """Return the cause of a state that no parser is ever in, or that an event changes which is to be ignored."""
    if name != "state" or value is None:
        return None
    if value == _IGNORE:
        return Cause(f"is {_IGNORE}", field=name, role="boundary")
    is_ignored = own.get("boundary_type") == _IGNORE
    return Cause("changed by an event to be ignored", field=name, role="boundary") if is_ignored else None


def _of_answer(wanted: str, given: str) -> Cause | None:
    """Return the cause of answers that differ in one letter, as the requirement on that answer names it."""
    wrong = set(wanted) ^ set(given)
    return Cause(wrong_answer(wrong.pop(), wanted), role="boundary") if len(wrong) == 1 else None


def wrong_answer(letter: str, wanted: str) -> str:
    """Return what is wrong with one of the eight answers, in words; `wanted`: the letters of the true ones."""
    return f"answer {letter}) is {'not given' if letter in wanted else 'given although it is not true'}"


def _is_rotate(alignment: Alignment, index: int) -> bool:
    entry = alignment.case.expected.events[index]
    return "type" in entry and bool(entry["type"] == EventType.ROTATE)
