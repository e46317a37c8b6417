"""The values of fields, as the dump of a stream shows them."""

import pytest

from conformance.binlog.header import HEADER, MAGIC
from conformance.engine.stream_dump import dump


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"COMMIT", "COMMIT"),
        ("é\n".encode(), r"é\n"),
        (b"caf\xe9", r"caf\xe9"),
        (b"\xb8\x33\xa3\xca", "b833a3ca"),
        (b"\x01\x02", "0102"),
    ],
    ids=["text", "letters and a line break", "text in latin1", "bytes that are not text", "control characters"],
)
def test_bytes_are_shown_as_they_are(body, shown):
    stream = MAGIC + HEADER.pack(0, 2, 1, 19 + len(body), 0, 0) + body
    *_, event = dump(stream)
    assert event.spans[-1].value == shown
