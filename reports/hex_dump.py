"""The annotated dump of a stream: each event field by field, with its bytes, its name and its value."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.reports.foreign_text import elided, one_line, visible_line
from conformance.specs.run_record import FieldSpan, StreamEvent

_ROW_BYTES: Final = 16
#: A longer field is shown by its ends.
_FIELD_BYTES: Final = 8 * _ROW_BYTES
_HEAD_BYTES: Final = 5 * _ROW_BYTES
_TAIL_BYTES: Final = 2 * _ROW_BYTES
_VALUE_CHARACTERS: Final = 160
_NAME_CHARACTERS: Final = 80
#: Events further than this from the highlighted ones are counted, not shown.
_NEIGHBOURS: Final = 2
#: How many colours the fields after the common header take in turn.
_COLOURS: Final = 6
_HEADER_FIELDS: Final = frozenset({"timestamp", "type", "server_id", "length", "log_pos", "flags", "header_rest"})


def _hex_rows(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the rows of a field as (hexadecimal, characters)."""
    for at in range(0, len(data), _ROW_BYTES):
        row = data[at : at + _ROW_BYTES]
        # A wider gap in the middle, as hex dumps have it.
        digits = f"{row[:8].hex(' ')}  {row[8:].hex(' ')}".rstrip()
        yield digits, "".join(chr(byte) if 0x20 <= byte < 0x7F else "\u00b7" for byte in row)


def _field_rows(data: bytes) -> tuple[str, str]:
    """Return the hexadecimal and the character column of a field; a long one is elided in the middle."""
    if len(data) <= _FIELD_BYTES:
        rows = list(_hex_rows(data))
    else:
        tail = len(data) - _TAIL_BYTES
        left_out = f"\u22ef {tail - _HEAD_BYTES:,} bytes left out \u22ef"
        rows = [*_hex_rows(data[:_HEAD_BYTES]), (left_out, "\u22ef"), *_hex_rows(data[tail:])]
    return "\n".join(digits for digits, _ in rows), "\n".join(characters for _, characters in rows)


def _complete(event: StreamEvent) -> Iterator[FieldSpan]:
    """Yield the spans of an event in order, with nameless spans for the bytes that no field covers."""
    at = event.offset
    for span in sorted(event.spans, key=lambda each: each.offset):
        if span.offset > at:
            yield FieldSpan(at, span.offset - at, "", "")
        yield span
        at = max(at, span.offset + span.size)
    if at < event.offset + event.size:
        yield FieldSpan(at, event.offset + event.size - at, "", "")


def _colour(name: str, turn: int) -> str:
    if not name:
        return "bytes-unnamed"
    if name in _HEADER_FIELDS:
        return "bytes-header"
    return "bytes-checksum" if name == "checksum" else f"bytes-{turn % _COLOURS}"


def _field(span: FieldSpan, stream: bytes, *, colour: str, concerned: bool) -> Html:
    digits, characters = _field_rows(stream[span.offset : span.offset + span.size])
    name = element("code", elided(span.name, _NAME_CHARACTERS)) if span.name else element("i", "no field")
    return element(
        "tr",
        element("td", span.offset, class_="at", title=f"0x{span.offset:x}"),
        element("th", "\u25b6 " if concerned else None, name, scope="row"),
        element("td", element("pre", digits, class_=colour)),
        element("td", element("pre", characters, class_="characters")),
        element("td", visible_line(elided(span.value, _VALUE_CHARACTERS)), class_="value"),
        class_="concerned" if concerned else None,
    )


def _event(event: StreamEvent, stream: bytes, *, fields: Collection[str], concerned: bool) -> Html:
    rows = []
    turn = 0
    for span in _complete(event):
        colour = _colour(span.name, turn)
        turn += colour == f"bytes-{turn % _COLOURS}"
        rows.append(_field(span, stream, colour=colour, concerned=span.name in fields))
    summary = one_line(elided(event.summary, _VALUE_CHARACTERS))
    heads = ("Offset", "Field", "Bytes", "Text", "Value")
    return element(
        "details",
        element(
            "summary",
            element("span", event.offset, class_="at"),
            " ",
            element("b", elided(event.name, _NAME_CHARACTERS)),
            element("span", f" \u00b7 {event.size:,} bytes", class_="quiet"),
            element("span", f" \u00b7 {summary}", class_="quiet") if summary else None,
            element("span", "\u25c0 here", class_="here") if concerned else None,
        ),
        scrolling_table(heads, rows, class_="dump"),
        class_="event concerned" if concerned else "event",
        open=concerned,
    )


def _left_out(events: Iterable[StreamEvent]) -> Html:
    skipped = list(events)
    first, last = skipped[0], skipped[-1]
    count = f"{len(skipped)} event{'' if len(skipped) == 1 else 's'}"
    text = f"\u22ef {count} left out, offsets {first.offset} to {last.offset + last.size} \u22ef"
    return element("p", text, class_="left-out")


def hex_dump(stream: bytes, events: Collection[StreamEvent], *, concerned: Mapping[int, Collection[str]]) -> Html:
    """Return the dump of a stream as HTML.

    The events concerned are open and highlighted; the first two (magic number and format description) and the
    neighbours of those concerned are closed, and the rest are only counted.

    Args:
        stream: All its bytes.
        events: Its events, the magic number included.
        concerned: Offset of an event -> names of its wrong fields, possibly none.
    """
    listed = list(events)
    places = [index for index, event in enumerate(listed) if event.offset in concerned]
    # If no event is concerned, the beginning and the end of the stream are shown.
    near = places or [_NEIGHBOURS + 1, len(listed) - 1]
    shown = {0, 1} | {index for place in near for index in range(place - _NEIGHBOURS, place + _NEIGHBOURS + 1)}
    parts: list[Html] = []
    for is_shown, run in groupby(enumerate(listed), key=lambda each: each[0] in shown):
        if not is_shown:
            parts.append(_left_out(event for _, event in run))
            continue
        parts += (
            _event(event, stream, fields=concerned.get(event.offset, ()), concerned=event.offset in concerned)
            for _, event in run
        )
    return element("div", fragment(parts), class_="stream")
