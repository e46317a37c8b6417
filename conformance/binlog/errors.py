"""What can be wrong with a binary log, with the offset of the error."""

from contextlib import AbstractContextManager
from types import TracebackType
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
        head: The first bytes of the event, at most a header, where a reader cannot read on.
    """

    def __init__(self, *, at: int, kind: str, message: str) -> None:
        super().__init__(f"offset {at}: {message}")
        self.at = at
        self.kind = kind
        self.message = message
        self.head = b""

    def __reduce__(self) -> tuple[object, ...]:
        """Return how another process makes it again: what its class takes by name is in its attributes."""
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[BinlogError], arguments: tuple[object, ...], attributes: dict[str, object]) -> BinlogError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class BeyondLimit(BinlogError):
    """An event that is larger than the limits of this run: it may be right, but it is not read."""

    def __init__(self, *, at: int, message: str) -> None:
        super().__init__(at=at, kind="other", message=message)


class MalformedBody(ValueError):
    """A body that contradicts its layout; it becomes a `BinlogError` where the event's offset is known."""

    def located(self, at: int) -> BinlogError:
        """Return the error of the event at `at`, in bytes from the start of the stream."""
        return BinlogError(at=at, kind="malformed", message=str(self))


class MissingField(MalformedBody):
    """A field that is not there, as the format description declares too short a post-header for its type."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the event has no field {name!r}; expected all fields of its type")


class LimitExceeded(MalformedBody):
    """An event that is larger than the limits of this run.

    Where nothing is known of limits it counts as malformed: a reader of generated streams refuses it.

    Args:
        event: What the event holds, such as ``the event unpacks to 100 bytes``.
        name: The limit's name, a field of `conformance.binlog.limits.Limits`.
        limit: The limit.
    """

    def __init__(self, event: str, *, name: str, limit: int) -> None:
        option = f"--limit {name.replace('_', '-')}=NUMBER"
        super().__init__(f"{event}; the limit is {limit}, raise it with {option}")

    def located(self, at: int) -> BinlogError:
        """See `MalformedBody.located`."""
        return BeyondLimit(at=at, message=str(self))


class _Located(AbstractContextManager[None]):
    # A class of its own, as it is entered for every event of some types: a generator takes three times as long.
    __slots__ = ("_at",)

    def __init__(self, at: int) -> None:
        self._at = at

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, MalformedBody):
            raise error.located(self._at) from error


def located(at: int) -> AbstractContextManager[None]:
    """Give an error in the body of an event its offset `at`, in bytes from the start of the stream.

    Raises:
        BinlogError: In the place of a `MalformedBody`.
    """
    return _Located(at)
