"""What can be wrong with a binary log, with the offset of the error."""

from typing import Final

#: The kinds of error that a reader reports, and what each means; the protocol uses the same words.
ERROR_KINDS: Final = {
    "not-a-binlog": "the file does not begin with the binary log's magic number",
    "encrypted": "the file is an encrypted binary log, or the events after a Start_encryption event are encrypted",
    "truncated": "the stream ends inside an event",
    "invalid-length": "the event length in a header is not possible",
    "no-format-description": "an event comes before any format description",
    "checksum": "the checksum does not match the event",
    "unknown-event": "an event type that the reader does not know and must not skip",
    "malformed": "the body of an event contradicts its layout",
    "other": "anything else",
}


class BinlogError(Exception):
    """A binary log that cannot be read any further.

    Attributes:
        at: Offset in bytes, from the start of the stream, of the event that cannot be read.
        kind: The kind of error, one of `ERROR_KINDS`.
        message: The value that is wrong and the form that was expected.
    """

    def __init__(self, *, at: int, kind: str, message: str) -> None:
        super().__init__(f"offset {at}: {message}")
        self.at = at
        self.kind = kind
        self.message = message


class MalformedBody(ValueError):
    """A body that contradicts its layout; the reader turns it into a `BinlogError` with the offset."""
