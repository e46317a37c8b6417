"""What an implementation sees in one question: the events of a stream, or the statements that it is asked about.

It is made from the question and the layouts, never from the families, so that a trigger cannot share their blind spots.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.header import HEADER, HEADER_BYTES, MAGIC
from conformance.protocol.observation import Observation, Request
from conformance.protocol.roles.decode import FIELDS_OF_EVERY_TYPE
from conformance.protocol.roles.registry import role_of
from conformance.reference.decode import Decoder

#: Events after which another log or another state begins.
_RESETS: Final = frozenset({EventType.FORMAT_DESCRIPTION, EventType.ROTATE, EventType.STOP})
#: Events with which a transaction begins.
_BEGINS: Final = GTID_TYPES | {EventType.MARIADB_GTID}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """One event of a stream, or one statement, as an implementation sees it.

    Attributes:
        kind: The event's type code, or a statement's mode.
        code: The event's type code; None for a statement.
        flags: The event's flags.
        size: Bytes of the event; 0 for a statement.
        offset: Offset in bytes from the start of the stream.
        timestamp: The event's time.
        server_id: The event's server id.
        numbers: Every number in its fields, those of the header excepted.
        texts: Every text in its fields.
        lengths: The length of every list in its fields.
        has_null: Whether a field is null.
        index: Its place in the question, from 0.
        earlier: How many items of its kind come before it.
        later: How many items of its kind come after it.
        previous: The item before it; None for the first.
        next_kind: The kind of the item after it; None for the last.
        log: The number of its log, from 0.
        transaction: The number of its transaction, from 0.
        after_reset: Whether another log, or another state, began directly before it, though not at the very start.
    """

    kind: Any
    code: int | None = None
    flags: int = 0
    size: int = 0
    offset: int = 0
    timestamp: int = 0
    server_id: int = 0
    numbers: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    has_null: bool = False
    index: int = 0
    earlier: int = 0
    later: int = 0
    previous: "ItemView | None" = field(default=None, repr=False)
    next_kind: Any = None
    log: int = 0
    transaction: int = 0
    after_reset: bool = False


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One question, as an implementation sees it.

    Attributes:
        request: The question itself.
        number: How many questions the implementation was asked before it.
        items: What it is asked about, the event that must be refused included.
        ends_in_error: Whether the right answer ends with an error.
        logs: How many logs the right answer has, in the role in which an answer is logs.
    """

    request: Request
    number: int
    items: tuple[ItemView, ...]
    ends_in_error: bool
    logs: int

    def settings(self) -> Mapping[str, Any]:
        """Return the settings of the question; those of a server in the role `log`."""
        scenario = self._scenario()
        settings: Mapping[str, Any] = scenario.get("settings", scenario)
        return settings

    def statements(self) -> Sequence[Mapping[str, Any]]:
        """Return the statements of the question, none in a role without them."""
        statements: Sequence[Mapping[str, Any]] = self._scenario().get("statements", ())
        return statements

    def _scenario(self) -> Mapping[str, Any]:
        scenario: Mapping[str, Any] = self.request.settings.get("scenario", self.request.settings)
        return scenario


def view_of(request: Request, number: int, answer: Observation) -> QuestionView:
    """Return what an implementation sees in a question.

    Args:
        request: The question.
        number: How many questions the implementation was asked before it.
        answer: The right answer; in the role `log` the events of its logs are the items.
    """
    read = _read(request, answer)
    items = _placed(list(_items(request, read)), frozenset(request.settings.get("resets", ())))
    return QuestionView(request, number, tuple(items), read.error is not None, len(answer.streams))


def _read(request: Request, answer: Observation) -> Observation:
    """Return the events of the question with their fields."""
    if request.role == "decode" or role_of(request.role).answers_streams:
        return answer
    if not role_of(request.role).has_stream:
        return Observation(())
    if "logs" in request.settings:
        return _read_logs(request)
    return Decoder().answer(replace(request, role="decode", settings={}))


def _read_logs(request: Request) -> Observation:
    """Return the events of logs that follow each other in one stream, each with the number of its log."""
    events: list[Mapping[str, Any]] = []
    start = 0
    for number, log in enumerate(request.settings["logs"]):
        stream = request.stream[start : start + log["length"]]
        read = Decoder().answer(replace(request, role="decode", stream=stream, settings={}))
        events += ({**event, "offset": start + event["offset"], "log": number} for event in read.events)
        start += log["length"]
    return Observation(tuple(events))


def _items(request: Request, read: Observation) -> Iterator[ItemView]:
    if not role_of(request.role).has_stream and not read.streams:
        for statement in request.settings.get("statements", ()):
            yield ItemView(kind=statement["mode"], **_values(statement))
        return
    for event in read.events:
        fields = {name: value for name, value in event.items() if name not in FIELDS_OF_EVERY_TYPE}
        yield ItemView(
            kind=event["type"],
            code=event["type"],
            flags=event["flags"],
            size=event["length"],
            offset=event["offset"],
            timestamp=event["timestamp"],
            server_id=event["server_id"],
            log=event.get("log", 0),
            **_values(fields),
        )
    if read.error is not None and read.error.at is not None and not read.streams:
        yield from _refused(request.stream, read.error.at)


def _refused(stream: bytes, at: int) -> Iterator[ItemView]:
    """Yield the event that must be refused, as far as its header can be read."""
    head = stream[at : at + HEADER_BYTES]
    if at >= len(MAGIC) and len(head) == HEADER_BYTES:
        timestamp, code, server_id, length, _, flags = HEADER.unpack(head)
        yield ItemView(
            kind=code, code=code, flags=flags, size=length, offset=at, timestamp=timestamp, server_id=server_id
        )


def _values(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers, texts and lists of an item's fields."""
    numbers: list[int] = []
    texts: list[str] = []
    lengths: list[int] = []
    nulls = 0
    left: list[Any] = list(fields.values())
    while left:
        value = left.pop()
        if value is None:
            nulls += 1
        elif isinstance(value, int):
            numbers.append(value)
        elif isinstance(value, str):
            texts.append(value)
        elif isinstance(value, Mapping | list | tuple):
            lengths.append(len(value))
            left += value.values() if isinstance(value, Mapping) else value
    return {"numbers": tuple(numbers), "texts": tuple(texts), "lengths": tuple(lengths), "has_null": bool(nulls)}


def _placed(items: list[ItemView], resets: frozenset[int]) -> Iterator[ItemView]:
    """Yield the items with what is known of their places."""
    left = Counter(item.kind for item in items)
    seen: Counter[Any] = Counter()
    log = transaction = 0
    previous: ItemView | None = None
    for index, item in enumerate(items):
        left[item.kind] -= 1
        is_reset = item.offset in resets or (index > 1 and previous is not None and previous.code in _RESETS)
        starts_log = index > 0 and item.code == EventType.FORMAT_DESCRIPTION
        log += starts_log or item.offset in resets
        transaction += item.code in _BEGINS or (item.texts == ("BEGIN",) and _is_outside(previous))
        placed = replace(
            item,
            index=index,
            earlier=seen[item.kind],
            later=left[item.kind],
            previous=None if previous is None else replace(previous, previous=None),
            next_kind=items[index + 1].kind if index + 1 < len(items) else None,
            log=max(item.log, log),
            transaction=transaction,
            after_reset=is_reset or (previous is not None and item.log != previous.log),
        )
        seen[item.kind] += 1
        yield placed
        previous = placed


def _is_outside(previous: ItemView | None) -> bool:
    return previous is None or previous.code not in _BEGINS
