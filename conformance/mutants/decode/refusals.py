"""Mutants that read on where a log must be refused, or that hand over less of such a log than comes before."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import GTID_TYPES, ROWS_V1, ROWS_V2, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import FLAGS_AT, HEADER_BYTES, TYPE_AT
from conformance.binlog.reader import ReaderRules
from conformance.mutants.mutant import Mutant, Reported
from conformance.protocol.observation import Observation, Request
from conformance.reference.decode import Decoder, answer

Entry = Mapping[str, Any]


def _held_back(request: Request, kept: Callable[[Sequence[Entry]], int]) -> Observation:
    """Return the answer with as many events as are handed over of a log that cannot be read to its end."""
    answered = answer(request)
    if answered.error is None:
        return answered
    return replace(answered, events=answered.events[: kept(answered.events)])


def _last_begun(events: Sequence[Entry]) -> int:
    """Return the number of events before the last one with a GTID, or of all if there is none."""
    begun = (index for index in reversed(range(len(events))) if events[index]["type"] in GTID_TYPES)
    return next(begun, len(events))


class _TakesForDeclared(ReaderRules):
    """The rules of a reader that does not look which types a format description declares."""

    def known_under(self, governing: FormatDescription) -> frozenset[int]:
        """Return all type codes that the reader knows."""
        return self.known


def _taking_for_declared(rules: ReaderRules) -> ReaderRules:
    return _TakesForDeclared(**{each.name: getattr(rules, each.name) for each in fields(rules)})


class _Unverified(Decoder):
    """A reader that verifies no checksum."""

    def read(self, stream: bytes, rules: ReaderRules) -> Iterator[Reported]:
        """Yield the events of a stream, whatever their checksums."""
        yield from super().read(stream, replace(rules, verify_checksums=False))


def _verified_like_the_first(request: Request) -> Observation:
    """Return the answer of a reader that verifies checksums, or does not, as the first format description has it."""
    answered = answer(request)
    if answered.error is None or answered.error.kind != "checksum":
        return answered
    formats = (each for each in answered.events if each["type"] == EventType.FORMAT_DESCRIPTION)
    first = next((each["checksum_algorithm"] for each in formats), "crc32")
    return answered if first == "crc32" else _Unverified().answer(request)


def _is_wrong_in_use(error: BinlogError, stream: bytes) -> bool:
    is_format = error.kind == "checksum" and stream[error.at + TYPE_AT] == EventType.FORMAT_DESCRIPTION
    return is_format and bool(stream[error.at + FLAGS_AT] & Flag.BINLOG_IN_USE)


def _has_columns_beyond(error: BinlogError, stream: bytes) -> bool:
    """Return whether the event that is refused is a rows event whose columns need more than one byte of bits."""
    if error.kind != "malformed" or stream[error.at + TYPE_AT] not in (*ROWS_V1, *ROWS_V2):
        return False
    code, at = stream[error.at + TYPE_AT], error.at + HEADER_BYTES + 8
    if code in ROWS_V2:
        at += int.from_bytes(stream[at : at + 2], "little")
    return at < len(stream) and stream[at] > 8


def _stated_length(error: BinlogError) -> int | None:
    match = re.match(r"an event length of (\d+)", error.message)
    return int(match.group(1)) if match else None


#: Every mutant about refusals, in the order of the catalogue's themes.
REFUSAL_MUTANTS: Final[tuple[Mutant, ...]] = (
    # Checksums
    Mutant(
        "artificial-unverified",
        "FORMAT-CHECKSUM-WRONG",
        "a wrong checksum of an artificial event ends the log quietly",
        swallow=lambda error, stream: error.kind == "checksum" and bool(stream[error.at + FLAGS_AT] & Flag.ARTIFICIAL),
    ),
    Mutant(
        "in-use-unverified",
        "FORMAT-CHECKSUM-WRONG",
        "a wrong checksum of the format description of a log in use ends the log quietly",
        swallow=_is_wrong_in_use,
    ),
    Mutant(
        "verified-like-the-first",
        "FORMAT-CHECKSUM-WRONG",
        "wrong checksums are accepted in all logs if the first one has none",
        answer=_verified_like_the_first,
    ),
    Mutant(
        "no-verification",
        "FORMAT-CHECKSUM-WRONG",
        "wrong checksums are accepted",
        rules=lambda rules: replace(rules, verify_checksums=False),
    ),
    # Refusals
    Mutant(
        "faulty-log-unread",
        "FORMAT-EVENTS-BEFORE-FAULT",
        "a log is read as a whole: nothing is handed over of one that cannot be read to its end",
        answer=lambda request: _held_back(request, lambda events: 0),
    ),
    Mutant(
        "begun-group-unread",
        "FORMAT-EVENTS-BEFORE-FAULT",
        "of a log that cannot be read to its end, the group that has begun is not handed over",
        answer=lambda request: _held_back(request, _last_begun),
    ),
    Mutant(
        "undeclared-ends-quietly",
        "FORMAT-TYPE-NOT-DECLARED",
        "an undeclared type ends the log quietly",
        swallow=lambda error, stream: "does not declare" in error.message,
        also=("WL4033-READ-UNKNOWN-ANY-CODE",),
    ),
    Mutant(
        "known-taken-for-declared",
        "FORMAT-TYPE-NOT-DECLARED",
        "an event of a type that the reader knows is read, whether the format description declares it or not",
        rules=_taking_for_declared,
    ),
    Mutant(
        "torn-header-ends-quietly",
        "FORMAT-TRUNCATED-HEADER",
        "a torn header ends the log quietly",
        swallow=lambda error, stream: error.kind == "truncated" and len(stream) - error.at < HEADER_BYTES,
    ),
    Mutant(
        "zeros-end-quietly",
        "FORMAT-TRUNCATED-HEADER",
        "zeros after the last event end the log",
        swallow=lambda error, stream: error.kind == "truncated" and not any(stream[error.at :]),
    ),
    Mutant(
        "torn-body-ends-quietly",
        "FORMAT-TRUNCATED-BODY",
        "a torn body ends the log quietly",
        swallow=lambda error, stream: error.kind == "truncated" and len(stream) - error.at >= HEADER_BYTES,
    ),
    Mutant(
        "small-length-ends-quietly",
        "FORMAT-LENGTH-TOO-SMALL",
        "a length below a header ends the log quietly",
        swallow=lambda error, stream: (
            (_stated_length(error) or HEADER_BYTES) < HEADER_BYTES or _stated_length(error) == 0
        ),
    ),
    Mutant(
        "large-length-ends-quietly",
        "FORMAT-LENGTH-TOO-LARGE",
        "a length beyond any event ends the log quietly",
        swallow=lambda error, stream: (_stated_length(error) or 0) > HEADER_BYTES,
    ),
    Mutant(
        "no-room-ends-quietly",
        "FORMAT-LENGTH-NO-CHECKSUM",
        "an event without room for its checksum ends the log quietly",
        swallow=lambda error, stream: "no room for a checksum" in error.message,
    ),
    Mutant(
        "malformed-ends-quietly",
        "FORMAT-BODY-MALFORMED",
        "a malformed body ends the log quietly",
        swallow=lambda error, stream: error.kind == "malformed",
    ),
    Mutant(
        "columns-beyond-end-quietly",
        "FORMAT-BODY-MALFORMED",
        "a rows event with more columns than its body has bits for ends the log quietly",
        swallow=_has_columns_beyond,
    ),
    Mutant(
        "headless-ends-quietly",
        "FORMAT-NO-FORMAT-DESCRIPTION",
        "a log without format description is read as empty",
        swallow=lambda error, stream: error.kind == "no-format-description",
    ),
    Mutant(
        "any-magic",
        "FORMAT-BAD-MAGIC",
        "a file that is not a binary log is read as empty",
        swallow=lambda error, stream: error.kind == "not-a-binlog",
    ),
    Mutant(
        "empty-file-read",
        "FORMAT-BAD-MAGIC",
        "a file without a byte is a log without events",
        swallow=lambda error, stream: not stream,
    ),
)
