"""The mutants that take too much at streams which claim or hold too much.

They run in the kit's own process, so they only claim to take it; tests/doubles/unpacks.py takes it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.binlog.event_types import COMPRESSED_ROWS_V1, ROWS_TYPES, EventType
from conformance.binlog.header import LENGTH_AT, TYPE_AT
from conformance.binlog.rows.column_codes import ColumnType
from conformance.mutants.mutant import Mutant
from conformance.protocol.observation import Observation, Request, Trouble
from conformance.reference.implementation import ReferenceImplementation

_REFERENCE: Final = ReferenceImplementation()
#: What a Table_map event of one JSON column holds: the column's type, and metadata of one byte.
_JSON_COLUMN: Final = bytes([ColumnType.JSON, 1, 4])
_COMPRESSED: Final = frozenset({EventType.MARIADB_QUERY_COMPRESSED, *COMPRESSED_ROWS_V1})

#: Returns whether a reader takes too much, given the stream and the type of its last event; None if that is cut off.
_IsCareless = Callable[[bytes, int | None], bool]


def _is_document(stream: bytes, last: int | None) -> bool:
    return last in ROWS_TYPES and _JSON_COLUMN in stream


def _is_count(stream: bytes, last: int | None) -> bool:
    of_others = last in _COMPRESSED or last == EventType.TRANSACTION_PAYLOAD or _is_document(stream, last)
    return last is not None and not of_others


def _taking(
    is_careless: _IsCareless, *, memory: int = 1 << 20, seconds: float = 0.01
) -> Callable[..., Observation | Trouble]:
    """Return the reference's answer as one that took so much memory, in bytes, and time, where a reader is careless."""

    def answer(request: Request) -> Observation | Trouble:
        observed = _REFERENCE.ask(request)
        if not request.is_measured or isinstance(observed, Trouble):
            return observed
        if is_careless(request.stream, _last_type(request.stream, observed)):
            return replace(observed, memory=memory, processor_seconds=seconds)
        return replace(observed, memory=1 << 20, processor_seconds=0.01)

    return answer


def _last_type(stream: bytes, observed: Observation) -> int | None:
    """Return the type of the last event, whether it is read or refused; None if its length is beyond the stream."""
    at = observed.events[-1]["offset"] if observed.error is None else observed.error.at
    assert at is not None, "the reference reports where it refuses"
    length = int.from_bytes(stream[at + LENGTH_AT : at + LENGTH_AT + 4], "little")
    return stream[at + TYPE_AT] if at + length <= len(stream) else None


MUTANTS: Final = (
    Mutant(
        "length-allocated",
        "FORMAT-LENGTH-MEMORY",
        "room is made for as many bytes as any header claims",
        answer=_taking(lambda stream, last: last is None, memory=2 << 30),
    ),
    Mutant(
        "counts-allocated",
        "FORMAT-COUNT-LIMITS",
        "room is made for as many things as an event claims",
        answer=_taking(_is_count, memory=512 << 20),
    ),
    Mutant(
        "payload-unpacked-whole",
        "FORMAT-TRANSACTION-PAYLOAD-LIMITS",
        "a payload is unpacked as a whole, whatever it holds",
        answer=_taking(lambda stream, last: last == EventType.TRANSACTION_PAYLOAD, memory=512 << 20),
    ),
    Mutant(
        "compressed-unpacked-whole",
        "FORMAT-MARIADB-COMPRESSED-LIMITS",
        "a compressed event of MariaDB is unpacked as a whole, whatever it holds",
        answer=_taking(lambda stream, last: last in _COMPRESSED, memory=512 << 20),
    ),
    Mutant(
        "json-unfolded",
        "FORMAT-JSON-LIMITS",
        "shared elements of a JSON document are read again at each place",
        answer=_taking(_is_document, seconds=30.0),
    ),
)
