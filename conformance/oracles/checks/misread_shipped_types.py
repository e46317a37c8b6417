"""Events that a shipped boundary parser takes for those of another type, as far as an answer shows it.

A wrong step alone may be a wrong cell of the table of states. Where another event of the same type takes its step from
the same state rightly, it is not: what differs is how the event is read. Nor is it where all statements of a type take
the steps of another type, some of them wrong ones from several states.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import EventType, type_name
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import shipped_type
from conformance.models.boundary.shipped_tables import CELLS, ShippedState, ShippedType, ShippedVersion
from conformance.oracles.cause import Cause
from conformance.oracles.checks.misread_types import WORD_INVENTED, WORD_UNREAD

Answer = Mapping[str, Any]
#: What a parser may look at in an event: its type code, its ignorable flag, and its statement if it has one.
Look = tuple[int, bool, bytes | None]

_WITHIN: Final = "within_transaction"
_WARNING: Final = "warning"
#: So many states from which steps are wrong show that the events are misread, and not a cell wrong.
_SEVERAL: Final = 2
#: The types of the words of a transaction.
_WORDS: Final = frozenset({ShippedType.BEGIN, ShippedType.END, ShippedType.END_XA})


def misread_shipped(
    version: ShippedVersion,
    fed: Sequence[FedEvent],
    states: Sequence[Sequence[ShippedState]],
    seen: Sequence[Answer | None],
) -> Mapping[int, Cause]:
    """Return the cause of each wrong step at an event that is taken for one of another type, by its index.

    Args:
        version: The version of the parser.
        fed: What is fed of each event.
        states: The states before each event, as far as the answer before it shows them.
        seen: The answer about each event, None where there is none.
    """
    kinds = [shipped_type(event, version) for event in fed]
    right: dict[tuple[ShippedState, ShippedType], set[Look]] = defaultdict(set)
    wrong: list[int] = []
    for index, (kind, before, answer) in enumerate(zip(kinds, states, seen, strict=True)):
        if answer is None:
            continue
        if not any(_agrees(state, kind, answer) for state in before):
            wrong.append(index)
        elif len(before) == 1:
            right[before[0], kind].add(_look(fed[index]))
    whole = _taken_as_a_whole(kinds, states, seen, wrong)
    causes = {_look(fed[at]): _cause(fed[at], kinds[at], whole[kinds[at]]) for at in wrong if kinds[at] in whole}
    alike: dict[Look, Cause] = {}
    for index in wrong:
        look, kind, before, answer = _look(fed[index]), kinds[index], states[index], seen[index]
        if answer is None or not before or _is_of_kept_state(index, kinds, states, answer):
            continue
        others = {each for each in ShippedType if any(_agrees(state, each, answer) for state in before)}
        if others:
            is_shown = all(right[state, kind] - {look} for state in before)
            (causes if is_shown else alike).setdefault(look, _cause(fed[index], kind, others))
    # Where one event shows that it is misread, others of which this is not shown are misread alike.
    shown = set(causes.values())
    causes = {look: cause for look, cause in alike.items() if cause in shown} | causes
    return {index: cause for index, event in enumerate(fed) if (cause := causes.get(_look(event))) is not None}


def _taken_as_a_whole(
    kinds: Sequence[ShippedType],
    states: Sequence[Sequence[ShippedState]],
    seen: Sequence[Answer | None],
    wrong: Sequence[int],
) -> Mapping[ShippedType, Collection[ShippedType]]:
    """Return the types of words all of whose statements take the steps of other types, with these types.

    A single wrong step may be from a wrong state, or a wrong cell.
    """
    taken = {}
    for kind in _WORDS & {kinds[index] for index in wrong}:
        if len({tuple(states[index]) for index in wrong if kinds[index] is kind}) < _SEVERAL:
            continue
        steps = [(states[index], answer) for index, answer in enumerate(seen) if kinds[index] is kind and answer]
        others = {
            each
            for each in ShippedType
            if all(any(_agrees(state, each, answer) for state in before) for before, answer in steps)
        }
        if others:
            taken[kind] = others
    return taken


def _is_of_kept_state(
    index: int, kinds: Sequence[ShippedType], states: Sequence[Sequence[ShippedState]], answer: Answer
) -> bool:
    """Return whether a step is that of a parser that has kept its state at the Incident before the event."""
    is_after = index > 0 and kinds[index - 1] is ShippedType.INCIDENT
    return is_after and any(_agrees(state, kinds[index], answer) for state in states[index - 1])


def _look(event: FedEvent) -> Look:
    return event.type, event.ignorable, event.query


def _agrees(state: ShippedState, kind: ShippedType, answer: Answer) -> bool:
    """Return whether an answer is that about an event of a type, but for the words of the warning."""
    cell = CELLS[state, kind]
    within = "yes" if cell.state.within_transaction else "no"
    return answer.get(_WITHIN, within) == within and bool(answer.get(_WARNING, cell.error)) == cell.error


def _cause(event: FedEvent, kind: ShippedType, others: Collection[ShippedType]) -> Cause:
    if event.type == EventType.QUERY and kind in _WORDS and ShippedType.STMT in others:
        return WORD_UNREAD
    if event.type == EventType.QUERY and kind is ShippedType.STMT and not _WORDS.isdisjoint(others):
        return WORD_INVENTED
    return Cause("taken for an event of another type", type_name(event.type), role="boundary")
