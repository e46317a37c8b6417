"""Values of earlier events that a reader reports of events without the field.

What a reader reports of a field that an event leaves out is its own matter: nothing, a default, the value that holds.
Only a value that changes with the events before shows that it is theirs.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.oracle import same_field
from conformance.protocol.roles.decode import FIELDS_OF_TYPE, STATUS_FIELDS, TypeFields

KEPT_VALUE: Final = Cause("of an earlier event", "field that the event does not have")
#: Field -> the one whose value holds where an event leaves it out.
_IMPLIED: Final[Mapping[str, str]] = {
    "original_commit_timestamp": "immediate_commit_timestamp",
    "original_server_version": "immediate_server_version",
}

#: The requirement on events with bytes after the known fields: a reader may take these for further fields.
_UNKNOWN_TAIL: Final = "WL7592-BODY-UNKNOWN-TAIL"


class KeptValue(NamedTuple):
    """A value that is that of an earlier event.

    Attributes:
        at: Index of the event that does not have the field.
        field: The field.
        value: What is reported.
    """

    at: int
    field: str
    value: Any


def kept_values(alignment: Alignment) -> Iterator[KeptValue]:
    """Yield the values that a reader reports of events without the field, if they are those of the events before."""
    kept: dict[str, list[KeptValue]] = defaultdict(list)
    last: dict[str, Any] = {}
    tailed = frozenset(alignment.marked(_UNKNOWN_TAIL))
    for index, entry in enumerate(alignment.case.expected.events):
        seen = alignment.observed(index)
        for field in FIELDS_OF_TYPE.get(entry["type"], TypeFields()).optional:
            if field in entry:
                last[field] = entry[field]
            elif field in last and seen is not None:
                value = seen.get(field)
                is_held = index in tailed or _may_hold(entry, field, value)
                if same_field(field, last[field], value) and not is_held:
                    kept[field].append(KeptValue(index, field, value))
    for values in kept.values():
        if any(not same_field(each.field, values[0].value, each.value) for each in values):
            yield from values


def _may_hold(entry: Mapping[str, Any], field: str, value: Any) -> bool:
    """Return whether an event that leaves a field out may hold a value all the same, none at all included."""
    if value is None or value == entry.get(_IMPLIED.get(field, "")):
        return True
    # After a variable of a size that is not known a reader may find those that come next, or not.
    return field in STATUS_FIELDS and bool(entry.get("status_variables"))
