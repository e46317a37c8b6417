"""The oracles of what a reader itself keeps: the position that it would resume from, and its set of executed GTIDs."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.event_types import EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.gtid_set import GtidSet
from conformance.models.replica.open_group import OpenGroup
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause, group_of_entry
from conformance.oracles.oracle import GOOD, Check, Oracle, same_gtid_set, shown

_POSITION: Final = "position"
_GTIDS: Final = "executed_gtid_set"
#: The events that may end a transaction.
_ENDS: Final = frozenset(
    map(
        int,
        (
            EventType.QUERY,
            EventType.XID,
            EventType.XA_PREPARE,
            EventType.TRANSACTION_PAYLOAD,
            EventType.EXECUTE_LOAD_QUERY,
        ),
    )
)


def is_in_next_log(alignment: Alignment, index: int, seen: Any) -> bool:
    """Return whether a position after a Rotate is the one in the next log."""
    entry = alignment.case.expected.events[index]
    return bool(entry["type"] == EventType.ROTATE and seen == entry["next_position"])


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _beginnings(alignment: Alignment) -> tuple[tuple[int, ...], ...]:
    """Return for each event where the group begins that is open after it.

    A BEGIN begins one also after rows that nothing has ended.
    """
    group, beginnings = OpenGroup(), []
    begun: tuple[int, ...] = ()
    for entry in alignment.case.expected.events:
        places = group.after(entry)
        if entry.get("query") == "BEGIN":
            begun = (entry["offset"],)
        elif not places:
            begun = ()
        beginnings.append((*places, *begun))
    return tuple(beginnings)


def is_free_position(alignment: Alignment, index: int, seen: Any) -> bool:
    """Return whether a position is that in the next log, or where the group begins that is open."""
    return is_in_next_log(alignment, index, seen) or seen in _beginnings(alignment)[index]


def is_same_state(alignment: Alignment, index: int, seen: Any) -> bool:
    """Return whether a set of executed GTIDs is the expected one, with or without what Previous_gtids names."""
    events = alignment.case.expected.events
    if not isinstance(seen, str):
        return False
    try:
        reported = GtidSet.from_text(seen)
    except ValueError:
        return False
    wanted = ExecutedGtids(GtidSet.from_text(events[index]["executed_gtid_set"]))
    both = ExecutedGtids(reported)
    for entry in events[: index + 1]:
        both.add_set(GtidSet.from_text(entry.get("previous_gtids", "")))
    return str(both.gtids()) == str(wanted.gtids())


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def _first_misread(alignment: Alignment) -> int:
    """Return the index of the first event whose GTID or set is reported wrong, the number of events if none is.

    What the reader keeps has it from there.
    """
    return next((at for at in range(alignment.count) if _has_misread_gtids(alignment, at)), alignment.count)


def _has_misread_gtids(alignment: Alignment, index: int) -> bool:
    entry, seen = alignment.case.expected.events[index], alignment.observed(index)
    if seen is None or entry["type"] == EventType.ANONYMOUS_GTID:
        return False
    return any(
        name in entry and not same_gtid_set(entry[name], seen.get(name)) for name in _SOURCES & alignment.declared
    )


#: The fields from which a reader has what it keeps of GTIDs.
_SOURCES: Final = frozenset({"gtid", "previous_gtids"})
_RIGHT: Final = {_POSITION: is_free_position, _GTIDS: is_same_state}


def is_right_state(alignment: Alignment, index: int, field: str, seen: Any) -> bool:
    """Return whether a value of a reader's state, though not the expected one, is right too, or a consequence."""
    if field == _GTIDS and index >= _first_misread(alignment):
        return True
    if seen is None and (alignment.observed(index) or {}).get("handled") == "ignored":
        # Such an event has the fields of the header only.
        return True
    return field in _RIGHT and _RIGHT[field](alignment, index, seen)


def _how_wrong(alignment: Alignment, index: int, field: str, seen: Any) -> str:
    """Return in words how a value of a reader's state is wrong: the same for all events where the cause is."""
    events = alignment.case.expected.events
    if field == _POSITION and seen == events[index]["offset"]:
        return "is where the event begins"
    if field == _POSITION and seen in [entry["offset"] for entry in events[:index]]:
        return "is that before an earlier event"
    # Whatever ends a transaction, it is counted or not.
    ends = field == _GTIDS and events[index]["type"] in _ENDS
    kind = "a transaction" if ends else group_of_entry(events[index])
    return f"{'missing' if seen is None else 'wrong'} after {kind}"


def _state(requirement: str, field: str) -> Oracle:
    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        first = ""
        for index in alignment.marked(requirement):
            expected = alignment.case.expected.events[index]
            seen = alignment.observed(index)
            if seen is None or field not in expected or field not in alignment.declared:
                continue
            if field == _GTIDS and index >= _first_misread(alignment):
                continue
            value = seen.get(field)
            if value == expected[field] or is_right_state(alignment, index, field, value):
                yield GOOD
            else:
                where = f"after {alignment.describe(index)}"
                message = f"{where} {field} is {shown(value)}, expected {shown(expected[field])}"
                how = _how_wrong(alignment, index, field, value)
                # A set that is wrong once is wrong from there on.
                first = first or how
                how = first if field == _GTIDS else how
                yield Check(f"{field} {how}", message, expected["offset"], Cause(how, field=field))

    return Oracle(requirement, examine, any_of=frozenset({field}))


#: Every oracle of a reader's state, in the order of the catalogue.
READER_STATE_ORACLES: Final = (
    _state("FORMAT-READER-POSITION", _POSITION),
    _state("FORMAT-READER-GTIDS", _GTIDS),
)
