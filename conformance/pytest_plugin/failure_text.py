"""A failure as the text of a failed test: expected beside got, the bytes, the command that replays it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from conformance.specs.run_record import Answer, Failure, StreamEvent

#: The most entries, and rows of a dump, that are shown.
_ENTRIES: Final = 3
_ROWS: Final = 48
#: Bytes of a field in a row, and characters of a value.
_BYTES: Final = 16
_CHARACTERS: Final = 160


def failure_text(failure: Failure) -> str:
    """Return the lines about a failure."""
    return "\n".join(
        [
            f"finding: {failure.signature} (in {failure.group})",
            f"{failure.status}: {failure.message}",
            *_answers(failure),
            *_dump(failure),
            failure.replay,
        ]
    )


def _answers(failure: Failure) -> Iterator[str]:
    """Yield what differs between the answers, entry by entry."""
    if failure.observed is None:
        if failure.detail:
            yield f"got: {_short(failure.detail)}"
        return
    shown = 0
    entries = zip_longest(failure.expected.events, failure.observed.events)
    for index, (expected, observed) in enumerate(entries):
        lines = list(_differences(expected, observed))
        if not lines:
            continue
        if shown == _ENTRIES:
            yield "further entries differ"
            break
        shown += 1
        yield f"entry {index} {_place(expected or observed or {}, failure.type_names)}:"
        yield from lines
    if _error(failure.expected) != _error(failure.observed):
        yield f"  error           expected {_error(failure.expected)}, got {_error(failure.observed)}"


def _place(entry: Mapping[str, Any], type_names: Mapping[str, str]) -> str:
    name = type_names.get(str(entry.get("type")), "")
    at = f"at {entry['offset']}" if "offset" in entry else ""
    return f"{name} {at}".strip()


def _differences(expected: Mapping[str, Any] | None, observed: Mapping[str, Any] | None) -> Iterator[str]:
    if expected is None or observed is None:
        yield "  missing" if observed is None else f"  not expected: {_short(observed)}"
        return
    for name, value in expected.items():
        # A field that an answer leaves out is not declared.
        if name in observed and observed[name] != value:
            yield f"  {name:<15} expected {_short(value)}, got {_short(observed[name])}"


def _error(answer: Answer) -> str:
    error = answer.error
    return "none" if error is None else f"at {error.at}" + (f": {_short(error.message)}" if error.message else "")


def _dump(failure: Failure) -> Iterator[str]:
    """Yield the fields of the event concerned with their bytes; of all events if it is not one."""
    concerned = [each for each in failure.events if failure.at is None or _holds(each, failure.at)] or failure.events
    rows = [row for event in concerned for row in _rows(event, failure.stream_bytes)]
    if rows:
        yield "bytes:"
        yield from rows[:_ROWS]
    if len(rows) > _ROWS:
        yield f"  ... {len(rows) - _ROWS} more rows"


def _holds(event: StreamEvent, at: int) -> bool:
    return event.offset <= at < event.offset + event.size


def _rows(event: StreamEvent, stream: bytes) -> Sequence[str]:
    rows = []
    for span in event.spans:
        data = stream[span.offset : span.offset + min(span.size, _BYTES)]
        more = "..." if span.size > _BYTES else ""
        rows.append(f"  {span.offset:08x}  {data.hex(' ') + more:<50}  {span.name} = {_short(span.value)}")
    return rows


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}... ({len(text):,} characters)"
