"""Logs that servers wrote: whole or cut off, and with one value changed.

Each is in the folder `recorded`: the bytes, and beside them what every event holds, one line of JSON for each event in
the protocol's words. The expectation comes from these lines and from the changed value, not from the kit's reader; the
tests compare the lines with what the server itself lists.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.header import HEADER_BYTES
from conformance.specs.versions import Profiles
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

Entry = Mapping[str, Any]

#: Log -> the profiles whose servers wrote it or read it as their own.
LOGS: Final[Mapping[str, Profiles]] = {
    "mysql-5.5-rows": Profiles("mysql >= 5.5, < 5.6"),
    "mysql-5.5-variables": Profiles("mysql >= 5.5, < 5.6"),
    "mysql-5.6-rows-query": Profiles("mysql >= 5.6, < 5.7"),
    "mysql-5.6-gtids": Profiles("mysql >= 5.6, < 5.7"),
    "mysql-5.7-rows-query": Profiles("mysql >= 5.7"),
    "mysql-5.7-xa": Profiles("mysql >= 5.7"),
    "mysql-8.0-gtids": Profiles("mysql >= 8.0"),
    "mysql-8.0-variables": Profiles("mysql >= 8.0"),
    "mysql-9.7-tagged-gtids": Profiles("mysql >= 9.0"),
    "mysql-9.7-no-checksums": Profiles("mysql >= 9.0"),
    "mariadb-10.1-rows": Profiles("mariadb"),
    "mariadb-10.1-variables": Profiles("mariadb"),
    "mariadb-11.4-rows": Profiles("mariadb >= 11.0"),
    "mariadb-11.4-xa": Profiles("mariadb >= 11.0"),
}
#: What every line has besides the fields of the event's type.
_HEADER: Final = ("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled")
_CREATED_AT: Final = HEADER_BYTES + 2 + 50
#: After the post-header of a Query event, the numbers of bytes of its other parts.
_DATABASE_LENGTH_AT: Final = 8
_STATUS_LENGTH_AT: Final = 11
_QUERY_BODY: Final = 13
_TABLE_MAP_POST_HEADER: Final = 8
_GROUP_STARTS: Final = frozenset(map(int, (*GTID_TYPES, EventType.MARIADB_GTID)))
_GROUP_ENDS: Final = frozenset(map(int, (EventType.XID, EventType.XA_PREPARE)))
#: Statements by which readers know where a transaction begins and ends.
_BORDERS: Final = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "XA ")


@dataclass(frozen=True, slots=True)
class NumberField:
    """A field of a body that holds any number, wherever the event is.

    Attributes:
        name: The field.
        at: Where it is in the body, in bytes.
        size: Its bytes.
    """

    name: str
    at: int
    size: int


#: Type -> its fields in which any number is legal, by itself.
NUMBERS: Final[Mapping[int, tuple[NumberField, ...]]] = {
    EventType.QUERY: (NumberField("thread_id", 0, 4), NumberField("exec_time", 4, 4)),
    EventType.XID: (NumberField("xid", 0, 8),),
    EventType.INTVAR: (NumberField("intvar_value", 1, 8),),
}

_LOG: Final = Dimension("log", {each: each for each in LOGS}, profiles=LOGS)
_CUT: Final = choices("end of the log", ("as recorded", "after a group", "within a group"))
_CHANGED: Final = choices("changed value", ("none", "time", "server id", "flags", "number", "statement"))
_NUMBER: Final = Dimension("number", {"0": 0, "1": 1, "the largest": -1, "any": None}, {"changed value": ("number",)})
_SIZE: Final = Dimension(
    "length of the statement", {"1": 1, "250": 250, "251": 251, "256": 256, "70000": 70_000},
    {"changed value": ("statement",)}, heavy=("70000",),
)  # fmt: skip
#: Flags that mean nothing to a reader of an ordinary event.
_FLAGS: Final = (0x0004, 0x0100, 0x0200, 0x2000)


@cache
def recorded(name: str) -> tuple[bytes, tuple[Entry, ...]]:
    """Return the bytes of a recorded log, and what its events hold."""
    folder = resources.files("conformance.strategies") / "recorded"
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return (folder / f"{name}.bin").read_bytes(), tuple(map(json.loads, lines))


@family(
    focus=(
        "FORMAT-EVENT-FIELDS",
        "FORMAT-BOUNDARY-STATE",
        "FORMAT-SEND-EVENT",
        "FORMAT-RELAY-EVENT",
    ),
    profiles=Profiles("mysql >= 5.5", "mariadb"),
    checksums=False,
    dimensions=(_LOG, _CUT, _CHANGED, _NUMBER, _SIZE),
)
def recorded_logs(stream: StreamBuilder) -> None:
    """Small logs that servers of the product wrote, whole or cut off between events, and with one value changed."""
    data, entries = recorded(stream.vary(_LOG))
    stream.checksummed = entries[0].get("checksum_algorithm") == "crc32"
    entries = entries[: _count(stream, entries)]
    changed, place = _changed(stream, entries)
    tables: dict[int, tuple[int, ...]] = {}
    for index, entry in enumerate(entries):
        if entry["type"] == EventType.TABLE_MAP:
            tables[entry["table_id"]] = _column_types(data, entry)
        columns = tables[entry["table_id"]] if "rows" in entry else ()
        _add(stream, data, entry, changed if index == place else {}, columns)


def _count(stream: StreamBuilder, entries: Sequence[Entry]) -> int:
    """Return how many events the log has: at least the first statement that can be changed."""
    least = next(index for index, entry in enumerate(entries) if _is_statement(entry)) + 1
    cut = stream.vary(_CUT)
    ends = [index for index in range(least, len(entries)) if _ends_group(entries, index)]
    inside = [index for index in range(least + 1, len(entries)) if index not in ends]
    options = {"after a group": ends, "within a group": inside}.get(cut)
    return stream.choose.one_of(options) if options else len(entries)


def _ends_group(entries: Sequence[Entry], index: int) -> bool:
    """Return whether a group ends before an event."""
    before, after = entries[index - 1], entries[index]
    return after["type"] in _GROUP_STARTS or before["type"] in _GROUP_ENDS or after.get("query") == "BEGIN"


def _is_statement(entry: Entry) -> bool:
    return entry["type"] == EventType.QUERY and not entry["query"].upper().startswith(_BORDERS)


def _changed(stream: StreamBuilder, entries: Sequence[Entry]) -> tuple[dict[str, Any], int | None]:
    """Return the changed value by its field, and the index of the event; no field and no index where none is."""
    choose = stream.choose
    kind = stream.vary(_CHANGED)
    if kind == "none":
        return {}, None
    if kind == "number":
        index = choose.one_of([index for index, entry in enumerate(entries) if entry["type"] in NUMBERS])
        field = choose.one_of(NUMBERS[entries[index]["type"]])
        largest = 256**field.size - 1
        number = stream.vary(_NUMBER)
        value = choose.integer(0, largest) if number is None else number % (largest + 1)
        return {field.name: value}, index
    if kind == "statement":
        index = choose.one_of([index for index, entry in enumerate(entries) if _is_statement(entry)])
        size = stream.vary(_SIZE)
        return {"query": mysql_events.text(stream, size, size)}, index
    index = choose.integer(1, len(entries) - 1)
    if kind == "flags":
        return {"flags": entries[index]["flags"] ^ choose.one_of(_FLAGS)}, index
    # Replicas leave out what has their own server id; the artificial has no time.
    if kind == "time":
        return {"timestamp": choose.integer(1, 2**32 - 1)}, index
    return _of_server(entries[index], choose.integer(1, 99)), index


def _of_server(entry: Entry, server_id: int) -> dict[str, Any]:
    """Return the values that change with the server id: in MariaDB, the GTID has it, and no bytes of its own for it."""
    changed: dict[str, Any] = {"server_id": server_id}
    if entry["type"] == EventType.MARIADB_GTID:
        domain, _, number = entry["gtid"].split("-")
        changed["gtid"] = f"{domain}-{server_id}-{number}"
    return changed


def _column_types(data: bytes, entry: Entry) -> tuple[int, ...]:
    """Return the type codes of the columns in a Table_map: after the names, each with its length and a NUL."""
    names = sum(len(entry[name].encode()) + 2 for name in ("database", "table"))
    begin = entry["offset"] + HEADER_BYTES + _TABLE_MAP_POST_HEADER + names + 1
    return tuple(data[begin : begin + entry["column_count"]])


def _add(
    stream: StreamBuilder, data: bytes, entry: Entry, changed: Mapping[str, Any], columns: tuple[int, ...] = ()
) -> None:
    """Add an event as it was recorded, or with a changed value; `columns`: the types of those of a rows event."""
    end = entry["offset"] + entry["length"]
    event = data[entry["offset"] : end - (CHECKSUM_BYTES if stream.checksummed else 0)]
    made = {**entry, **changed}
    stream.timestamp, stream.server_id = made["timestamp"], made["server_id"]
    if entry["type"] == EventType.FORMAT_DESCRIPTION:
        _describe(stream, data[entry["offset"] : end], made)
        return
    fields = {name: value for name, value in made.items() if name not in _HEADER}
    body = _body(event[HEADER_BYTES:], entry, changed)
    ignored = entry["handled"] == "ignored"
    stream.add(PlannedEvent(entry["type"], body, fields, made["flags"], ignored=ignored, columns=columns))
    if not entry["log_pos"]:
        stream.set_log_pos(0)  # MariaDB 11 writes none within a transaction.


def _describe(stream: StreamBuilder, event: bytes, entry: Entry) -> None:
    lengths = event[_CREATED_AT + 5 :][: entry["event_types"]]
    stream.describe_format(
        flags=entry["flags"],
        created=entry["created"],
        post_header_lengths=lengths,
        version=entry["server_version"],
    )
    if "\0" in entry["server_version"]:
        # After the end of the text MariaDB 10.1 has the rest of a longer one: readers stop at either end.
        stream.leave_open("server_version")


def _body(body: bytes, entry: Entry, changed: Mapping[str, Any]) -> bytes:
    """Return the body with the changed value, which the statement ends."""
    for field in NUMBERS.get(entry["type"], ()):
        if field.name in changed:
            number: int = changed[field.name]
            return body[: field.at] + number.to_bytes(field.size, "little") + body[field.at + field.size :]
    if "query" in changed:
        status = int.from_bytes(body[_STATUS_LENGTH_AT : _STATUS_LENGTH_AT + 2], "little")
        begin = _QUERY_BODY + status + body[_DATABASE_LENGTH_AT] + 1
        statement: str = changed["query"]
        return body[:begin] + statement.encode()
    return body
