"""Whether the body of an event is misread as a whole: where several of its fields are wrong at once, one fault did it.

A reader that takes a wrong length for one part gets the parts after it wrong, in ways that depend on the bytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.event_types import COMPRESSED_ROWS, COMPRESSED_ROWS_V1, GTID_TYPES
from conformance.oracles.alignment import Alignment
from conformance.oracles.cause import DIFFERS, MISREAD_WHOLE, MISSING, NOT_UNPACKED, Cause, group_of_entry
from conformance.oracles.checks.packed_numbers import READ_WITH_LENGTH
from conformance.oracles.checks.row_values import cause_of_shift, has_other_rows
from conformance.oracles.checks.signed_numbers import SIGNED
from conformance.oracles.checks.text_encodings import OTHER_CHARACTERS, READ_AS_TEXT
from conformance.oracles.checks.text_ends import cause_of_short_name
from conformance.oracles.oracle import field_cause, same_field
from conformance.protocol.roles.decode import FIELDS, FIELDS_OF_EVERY_TYPE, FIELDS_OF_TYPE, TypeFields

#: Wrong fields of one event that are too many to be faults by themselves, if they are half of those it has or more.
_MANY: Final = 3
#: How a value is wrong that was found at its place.
_OF_VALUES: Final = frozenset({SIGNED, OTHER_CHARACTERS.kind, READ_AS_TEXT.kind, READ_WITH_LENGTH.kind})
#: Fields that one event lacks at once because its reader ends before them.
_SEVERAL: Final = 2
_COMPRESSED: Final = frozenset((*COMPRESSED_ROWS, *COMPRESSED_ROWS_V1))
#: The fields of a header besides those that make an event another one.
_OTHERS_OF_HEADER: Final = frozenset({"timestamp", "server_id", "log_pos", "flags"})
_OF_EVERY_TYPE: Final = frozenset(FIELDS_OF_EVERY_TYPE)
#: Field -> its place: those of Gtid events are listed in the order of their bytes.
_PLACES: Final = {name: place for place, name in enumerate(FIELDS)}


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def misread_bodies(alignment: Alignment) -> Mapping[int, Cause]:
    """Return the offsets of the events of which several fields are wrong at once, each with the cause of all."""
    if alignment.case.role != "decode":
        return {}
    return {entry["offset"]: cause for entry, cause in _misread(alignment)}


def _misread(alignment: Alignment) -> Iterator[tuple[Mapping[str, Any], Cause]]:
    for index, entry in enumerate(alignment.case.expected.events):
        seen = alignment.observed(index)
        if seen is None:
            continue
        if entry["type"] in _COMPRESSED and has_other_rows(alignment, index):
            yield entry, NOT_UNPACKED
            continue
        if _is_reported_as_another(alignment, index):
            yield entry, Cause("reported as another event", group_of_entry(entry))
            continue
        if "rows" in alignment.differing(index) and (of_shift := cause_of_shift(alignment, index)) is not None:
            yield entry, of_shift
            continue
        if len(alignment.differing(index)) < _SEVERAL:
            continue
        judged = [name for name in _body(entry) if name in alignment.declared and alignment.asks(index, name)]
        wrong = {name: seen.get(name) for name in judged if not same_field(name, entry[name], seen.get(name))}
        optional = FIELDS_OF_TYPE.get(entry["type"], TypeFields()).optional
        if len(wrong) >= _SEVERAL and all(name in optional and value is None for name, value in wrong.items()):
            yield entry, Cause(MISSING, group_of_entry(entry), "several fields")
        elif len(wrong) >= _SEVERAL and (of_name := cause_of_short_name(alignment, index)) is not None:
            yield entry, of_name
        elif _is_misread(alignment, index, wrong, len(judged)):
            yield entry, Cause(MISREAD_WHOLE, group_of_entry(entry), "body")
        elif entry["type"] in GTID_TYPES and _is_end(judged, wrong):
            yield entry, Cause(MISREAD_WHOLE, group_of_entry(entry), "end of the body")


def _is_misread(alignment: Alignment, index: int, wrong: Mapping[str, Any], judged: int) -> bool:
    """Return whether so much of a body is wrong that one fault did it: most of it, or each of a few fields.

    What is wrong for a reason of its own, such as a sign, is not a fault of the body.
    """
    causes = [field_cause(alignment, index, name, value) for name, value in wrong.items()]
    of_body = [each for each in causes if each.kind not in _OF_VALUES]
    if len(of_body) >= _MANY and 2 * len(of_body) >= judged:
        return True
    return judged == len(of_body) >= _SEVERAL and all(each.kind == DIFFERS for each in of_body)


def _is_end(judged: Iterable[str], wrong: Mapping[str, Any]) -> bool:
    """Return whether several fields of a Gtid event are wrong: one, and all that come after it."""
    in_order = sorted(judged, key=_PLACES.__getitem__)
    return len(wrong) >= _SEVERAL and set(in_order[-len(wrong) :]) == set(wrong)


def _is_reported_as_another(alignment: Alignment, index: int) -> bool:
    """Return whether an event has the type and the length of another one, and else its own header.

    A program may unpack an event before it prints it, and print what was in it.
    """
    seen = alignment.observed(index)
    if seen is None or not {"type", "length"} <= set(alignment.differing(index)):
        return False
    return all(each in seen for each in ("type", "length")) and _OTHERS_OF_HEADER.isdisjoint(alignment.differing(index))


def _body(entry: Mapping[str, Any]) -> Iterator[str]:
    return (name for name, value in entry.items() if name not in _OF_EVERY_TYPE and value is not None)
