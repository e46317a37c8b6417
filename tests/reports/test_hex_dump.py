"""The annotated dump of a stream."""

import html
import re

from example_record import Stream

from conformance.reports.hex_dump import hex_dump
from conformance.specs.conversion import converted
from conformance.specs.run_record import FieldSpan, StreamEvent


def dumped(stream: Stream, concerned: dict) -> str:
    events = [converted(event, StreamEvent) for event in stream.events]
    return hex_dump(stream.data, events, concerned=concerned)


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def test_each_field_has_its_offset_name_bytes_text_and_value():
    stream = Stream()
    stream.format_description()
    at = stream.rows_query("select 1")
    text = text_of(dumped(stream, {at: ["rows_query"]}))
    assert re.search(rf"{at + 20} +▶ +rows_query +73 65 6c 65 63 74 20 31 +select 1 +select 1", text)
    assert re.search(rf"{at + 9} +length +1c 00 00 00", text)


def test_only_the_event_concerned_is_open():
    stream = Stream()
    stream.format_description()
    at = stream.xid(1)
    page = dumped(stream, {at: ()})
    assert page.count("<details") == 3
    assert re.findall(r"<details[^>]* open[^>]*><summary>.*?<b>(\w+)", page) == ["XID"]
    assert "◀ here" in page


def test_a_long_field_is_shown_by_its_ends():
    stream = Stream()
    at = stream.rows_query("x" * 1_000_000)
    page = dumped(stream, {at: ()})
    assert "⋯ 999,888 bytes left out ⋯" in page
    assert len(page) < 10_000


def test_events_far_from_the_one_concerned_are_counted_only():
    stream = Stream()
    offsets = [stream.xid(number) for number in range(100)]
    page = dumped(stream, {offsets[50]: ()})
    assert f"⋯ 47 events left out, offsets {offsets[1]} to {offsets[48]} ⋯" in page
    assert page.count("<details") == 7


def test_without_an_event_concerned_the_ends_of_the_stream_are_there():
    stream = Stream()
    for number in range(100):
        stream.xid(number)
    page = dumped(stream, {})
    assert "xid 0" in page
    assert "xid 99" in page
    assert "xid 50" not in page


def test_bytes_that_no_field_covers_are_shown_without_a_name():
    span = FieldSpan(6, 2, "middle", "")
    page = hex_dump(bytes(range(16)), [StreamEvent(4, 8, 1, "ODD", "", (span,))], concerned={4: ()})
    assert re.findall(r"no field|middle", page) == ["no field", "middle", "no field"]
    assert "04 05" in page
    assert "08 09 0a 0b" in page


def test_spans_beyond_the_stream_do_no_harm():
    span = FieldSpan(1_000_000, 2**40, "far", "")
    assert "far" in hex_dump(b"\xfebin", [StreamEvent(0, 4, 0, "MAGIC", "", (span,))], concerned={0: ()})
