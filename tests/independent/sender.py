"""A source of its own, written from docs/roles/send.md: what it sends is right, and nobody may blame it."""

import struct
from typing import Any

from wire import (
    ANONYMOUS,
    ARTIFICIAL,
    GTID,
    GTID_TAGGED,
    HEADER,
    HEARTBEAT,
    HEARTBEAT_V2,
    IGNORE_BOUNDARY,
    IN_USE,
    MAGIC,
    PREVIOUS_GTIDS,
    ROTATE,
    SELF_CONTAINED,
    Event,
    Format,
    GtidSet,
    contains,
    event_at,
    events,
    gtid_of,
    made,
    sealed,
    serve,
    set_of_body,
    set_of_text,
)

_ANNOTATE_ROWS = 160


class _Refused(Exception):
    pass


class _Sender:
    def __init__(self, request: dict[str, Any]) -> None:
        self.stream: bytes = request["stream"]
        self.settings: dict[str, Any] = request["settings"]
        self.marks = request["profile"] == "worklog"
        self.checksum = self.settings["checksum"] == "CRC32"
        self.gtids = None if self.settings["gtid_set"] is None else set_of_text(self.settings["gtid_set"])
        self.sent: list[bytes] = []
        self.logs: list[tuple[str, int, int]] = []
        #: Log -> where something is not there, and how much.
        self.holes: dict[str, tuple[int, int]] = {}
        at = 0
        for log in self.settings["logs"]:
            self.logs.append((log["name"], at, at + log["length"]))
            at += log["length"]
            if "hole" in log:
                self.holes[log["name"]] = (log["hole"]["at"], log["hole"]["length"])

    def _place(self, name: str, offset: int) -> int:
        """Return where a byte of a log's file is in the log."""
        at, length = self.holes.get(name, (0, 0))
        return offset + length if offset >= at else offset

    def send(self) -> None:
        """Send everything from the place that is asked for."""
        first = self._first_log()
        if self.gtids is None:
            name, start, end = self.logs[first]
            if not len(MAGIC) <= self.settings["log_pos"] <= self._place(name, end - start):
                raise _Refused(start + len(MAGIC), "the log has no such position")
        for number in range(first, len(self.logs)):
            self._send_log(number, self.settings["log_pos"] if self.gtids is None and number == first else 4, first)

    def _first_log(self) -> int:
        if self.gtids is None:
            return [name for name, _, _ in self.logs].index(self.settings["log_name"])
        for number in range(len(self.logs) - 1, -1, -1):
            if self._has_all_before(number):
                return number
        if self._previous(0) is not None:
            raise _Refused(self.logs[0][1] + len(MAGIC), "the replica lacks transactions that were purged")
        return 0

    def _has_all_before(self, number: int) -> bool:
        previous = self._previous(number)
        return previous is not None and all(
            contains(self.gtids, source, low, high) for source, each in previous.items() for low, high in each
        )

    def _previous(self, number: int) -> GtidSet | None:
        _, start, end = self.logs[number]
        form = Format(event_at(self.stream, start + len(MAGIC)))
        for event in events(self.stream, start + len(MAGIC), end):
            if event.type == PREVIOUS_GTIDS:
                return set_of_body(form.body(event))
        return None

    def _has_first(self, number: int) -> bool:
        """Return whether the replica has the first transaction of a log."""
        assert self.gtids is not None
        _, start, end = self.logs[number]
        form = Format(event_at(self.stream, start + len(MAGIC)))
        for event in events(self.stream, start + len(MAGIC), end):
            if event.type in (GTID, GTID_TAGGED):
                return contains(self.gtids, *gtid_of(event, form))
        return False

    def _send_log(self, number: int, position: int, first: int) -> None:
        name, start, end = self.logs[number]
        mark = IGNORE_BOUNDARY if self.marks else 0
        body = struct.pack("<Q", position) + name.encode()
        header = (0, ROTATE, self.settings["server_id"], 0, ARTIFICIAL | mark)
        self.sent.append(made(header, body, checksum=self.checksum))
        described = event_at(self.stream, start + len(MAGIC))
        form = Format(described)
        self.sent.append(self._description(described, form, position, number == first))
        self.checksum = form.checksummed
        at = start + len(MAGIC) + described.length
        while at < end and self._place(name, at - start) < position:
            at += event_at(self.stream, at).length
        self._send_events(name, start, at, end, form)

    def _description(self, event: Event, form: Format, position: int, is_first: bool) -> bytes:
        raw = bytearray(event.raw)
        struct.pack_into("<H", raw, 17, event.flags & ~IN_USE)
        later = position > 4
        if later:
            struct.pack_into("<I", raw, 13, 0)
        if later or (is_first and self.gtids is not None and self._has_first(self._first_log())):
            struct.pack_into("<I", raw, HEADER.size + 52, 0)
        return sealed(bytes(raw)) if form.checksummed else bytes(raw)

    def _send_events(self, name: str, start: int, at: int, end: int, form: Format) -> None:
        waits = {wait["log_pos"]: wait["heartbeats"] for wait in self.settings["waits"] if wait["log_name"] == name}
        skipping, skipped = False, 0
        place = self._place(name, at - start)
        for event in events(self.stream, at, end):
            place = self._place(name, event.at - start)
            if place in waits:
                if skipped:
                    self._heartbeat(name, skipped)
                    skipped = 0
                self._wait(name, place, waits.pop(place))
                skipping = False
            self._check_mode(event)
            if event.type in (GTID, GTID_TAGGED) and self.gtids is not None:
                skipping = contains(self.gtids, *gtid_of(event, form))
            elif event.type in (ANONYMOUS, ROTATE):
                skipping = False
            place += event.length
            if skipping:
                skipped = place
                continue
            if event.type == _ANNOTATE_ROWS and form.is_mariadb and not self.settings["annotate_rows"]:
                continue
            if skipped:
                self._heartbeat(name, skipped)
                skipped = 0
            self.sent.append(event.raw)
        is_last = name == self.logs[-1][0]
        if skipped and (is_last or place in waits):
            self._heartbeat(name, skipped)
        self._wait(name, place, waits.pop(place, 0))

    def _check_mode(self, event: Event) -> None:
        mode = self.settings["gtid_mode"]
        if (event.type == ANONYMOUS and mode == "ON") or (event.type in (GTID, GTID_TAGGED) and mode == "OFF"):
            raise _Refused(event.at, "this event is not for this gtid_mode")

    def _wait(self, name: str, place: int, heartbeats: int) -> None:
        for _ in range(heartbeats):
            self._heartbeat(name, place)

    def _heartbeat(self, name: str, place: int) -> None:
        mark = SELF_CONTAINED if self.marks else 0
        code, body = HEARTBEAT, name.encode()
        if self.settings["heartbeat_v2"]:
            code = HEARTBEAT_V2
            position = _packed(place)
            body = b"\x01" + _packed(len(body)) + body + b"\x02" + _packed(len(position)) + position + b"\0"
        header = (0, code, self.settings["server_id"], place & 0xFFFFFFFF, mark)
        self.sent.append(made(header, body, checksum=self.checksum))


def _packed(value: int) -> bytes:
    for limit, mark, size in ((251, b"", 1), (1 << 16, b"\xfc", 2), (1 << 24, b"\xfd", 3)):
        if value < limit:
            return mark + value.to_bytes(size, "little")
    return b"\xfe" + value.to_bytes(8, "little")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the source sends."""
    sender = _Sender(request)
    error = None
    try:
        sender.send()
    except _Refused as refused:
        error = {
            "at": refused.args[0],
            "kind": "other",
            "message": refused.args[1],
            "code": 1236,
        }
    return {"events": [{"data": each.hex()} for each in sender.sent], "error": error}


if __name__ == "__main__":
    serve("send", ["data"], ["error_at", "error_code"], answer)
