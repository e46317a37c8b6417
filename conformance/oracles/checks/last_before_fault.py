"""What an answer makes of the last event before one that cannot be read: one fault, whatever the event is."""

from typing import Final

from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import Cause
from conformance.oracles.oracle import same_field
from conformance.protocol.roles.decode import FIELDS_OF_TYPE, TypeFields

#: Roles in which entries are not left out by the type of their event, as readers leave out those they do not know.
_WHOLE: Final = frozenset({"apply", "boundary", "relay"})
#: The fields that count what an applier has committed, and the one that shows whether a group is open.
_COUNTED: Final[tuple[str, ...]] = ("transactions", "executed_gtids")
_OPEN: Final = "in_group"
#: The fields of an entry that are wrong where an open group is committed.
OF_COMMIT: Final = frozenset({_OPEN, *_COUNTED})
#: The cause of the commit of an open group at an event that cannot be read.
COMMITTED: Final = Cause("committed at an event that cannot be read", "open group", role="apply")


def last_before_fault(alignment: Alignment) -> int | None:
    """Return the index of the last expected entry if an event follows that cannot be read; None otherwise."""
    expected = alignment.case.expected
    if expected.refused_at is None or not expected.events:
        return None
    last = alignment.count - 1
    # The event at which an applier stops has an entry; one that cannot be read has none.
    return None if expected.events[last].get("offset") == expected.refused_at else last


def is_lost(alignment: Alignment) -> bool:
    """Return whether an answer lacks the last entry before an event that cannot be read, and no other one.

    A reader may also leave out an event because of its type: not one whose type it is known to report.
    """
    last = last_before_fault(alignment)
    if last is None or alignment.observed(last) is not None:
        return False
    if alignment.case.role == "decode":
        return _reads_up_to(alignment, last) and _reports(alignment, last)
    whole = alignment.case.role in _WHOLE and last > 0
    return whole and all(alignment.observed(each) is not None for each in range(last))


def _reads_up_to(alignment: Alignment, last: int) -> bool:
    """Return whether a reader stops at the event that cannot be read, with all before the last one that it must.

    An error without a place may be about the last one, which is then refused and not lost.
    """
    error, at = alignment.observation.error, alignment.case.expected.refused_at
    stops_there = error is not None and error.at == at
    return (
        "error_at" in alignment.role.abilities
        and stops_there
        and all(alignment.observed(each) is not None or alignment.may_be_dropped(each) for each in range(last))
    )


def _reports(alignment: Alignment, index: int) -> bool:
    """Return whether a reader is known to report a type: it reports such an event, or declares all the fields.

    Where a type requires none, they are those that it may have.
    """
    code = alignment.case.expected.events[index]["type"]
    kind = FIELDS_OF_TYPE.get(code, TypeFields())
    fields = kind.required or kind.optional
    return alignment.knows(code) or (bool(fields) and alignment.declared.issuperset(fields))


def lost(alignment: Alignment) -> Cause:
    """Return the cause of the loss of that entry."""
    role = alignment.case.role
    return Cause("lost before one that cannot be read", "event", role="" if role == "decode" else role)


def commits(alignment: Alignment) -> bool:
    """Return whether an applier commits the group that is open where an event cannot be read.

    The number of committed groups shows it, or the executed GTIDs; if neither is declared, that no group is open.
    """
    last = last_before_fault(alignment)
    if last is None or not alignment.case.expected.events[last]["in_group"]:
        return False
    shown = [each for each in _COUNTED if each in alignment.declared] or [_OPEN]
    earlier = (_is_wrong(alignment, index, name) for index in range(last) for name in shown)
    return any(_is_wrong(alignment, last, name) for name in shown) and not any(earlier)


def _is_wrong(alignment: Alignment, index: int, name: str) -> bool:
    seen = alignment.observed(index)
    expected = alignment.case.expected.events[index].get(name)
    return seen is not None and name in seen and not same_field(name, expected, seen[name])
