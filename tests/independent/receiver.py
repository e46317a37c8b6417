"""A receiver of its own, written from docs/roles/relay.md: what it writes is right, and nobody may blame it."""

import struct
import zlib
from typing import Any

from watch import Shipped, Worklog
from wire import (
    ANONYMOUS,
    ARTIFICIAL,
    CRC,
    FORMAT,
    GTID,
    GTID_TAGGED,
    HEADER,
    HEARTBEAT,
    HEARTBEAT_V2,
    IGNORABLE,
    IN_USE,
    PREVIOUS_GTIDS,
    RELAY_LOG,
    ROTATE,
    STOP,
    Event,
    Format,
    GtidSet,
    Source,
    add,
    body_of_set,
    event_at,
    gtid_of,
    made,
    sealed,
    serve,
)

_LEFT_OUT_BY_MARIADB = {GTID, ANONYMOUS, PREVIOUS_GTIDS, 36, 37}
_WITH_PREVIOUS_GTIDS = {"worklog", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"}


class _Stopped(Exception):
    pass


class _Receiver:
    def __init__(self, request: dict[str, Any]) -> None:
        self.stream: bytes = request["stream"]
        self.settings: dict[str, Any] = request["settings"]
        self.profile: str = request["profile"]
        self.is_mariadb = self.profile.startswith("mariadb")
        self.has_previous = self.profile in _WITH_PREVIOUS_GTIDS
        shipped = {"mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"}
        self.parser = (
            Worklog() if self.profile == "worklog" else Shipped(self.profile) if self.profile in shipped else None
        )
        self.form: Format | None = None
        self.described: Event | None = None
        self.entries: list[dict[str, Any]] = []
        self.log, self.position = 0, 4
        self.source_log: str = self.settings["source_log"]
        self.gtids: GtidSet = {}
        self.pending: tuple[Source, int] | None = None

    def receive(self) -> None:
        """Receive every event."""
        at = 4
        flushes, connections = self.settings.get("flushes") or [], self.settings.get("connections") or []
        while at + HEADER.size <= len(self.stream):
            event = event_at(self.stream, at)
            if event.length < HEADER.size or at + event.length > len(self.stream):
                return  # The connection is lost within the event.
            if event.type == FORMAT and self.form is None:
                self.form, self.described = Format(event), event
                self._begin_log()
            if at in connections and self.parser is not None:
                self.parser.reset()
                if isinstance(self.parser, Shipped):
                    self.pending = None  # The connection was lost within its transaction.
            if at in flushes:
                self._flush()
            self._take(event)
            at += event.length

    def _take(self, event: Event) -> None:
        if event.type == FORMAT:
            self.form, self.described = Format(event), event
        assert self.form is not None
        self._verify(event)
        if event.type == ROTATE:
            body = self.form.body(event)
            self.source_log = body[self.form.post_header(ROTATE) or 8 :].decode(errors="replace")
        if event.type in (HEARTBEAT, HEARTBEAT_V2, STOP):
            return
        if self.is_mariadb and (event.flags & IGNORABLE or event.type in _LEFT_OUT_BY_MARIADB):
            return
        if event.type == PREVIOUS_GTIDS and self.has_previous:
            self._replace(event)
            return
        ignored = self.settings.get("ignored_ids") or []
        if event.server_id == self.settings["server_id"] and event.type != FORMAT:
            return
        if event.server_id in ignored and event.type not in (FORMAT, ROTATE):
            return
        self._note(event)
        self._write(event.raw, self.parser.feed(event, self.form) if self.parser is not None else "")
        if self.pending is not None and isinstance(self.parser, Shipped) and self.parser.state == "NONE":
            add(self.gtids, *self.pending)
            self.pending = None

    def _verify(self, event: Event) -> None:
        assert self.form is not None
        if not self.form.checksummed:
            return
        raw = bytearray(event.raw)
        if event.type == FORMAT:
            raw[17] &= ~IN_USE
        if zlib.crc32(raw[:-CRC]) != int.from_bytes(raw[-CRC:], "little"):
            raise _Stopped(event.at)

    def _note(self, event: Event) -> None:
        """Keep the GTID of a transaction, which counts as received when the next one begins, or when it ends."""
        assert self.form is not None
        tagged = (GTID_TAGGED,) if self.profile in ("mysql-8.4", "mysql-9.x") else ()
        if self.has_previous and event.type in (GTID, ANONYMOUS, *tagged):
            if self.pending is not None and not isinstance(self.parser, Shipped):
                add(self.gtids, *self.pending)
            try:
                self.pending = None if event.type == ANONYMOUS else gtid_of(event, self.form)
            except ValueError:
                self.pending = None  # What is wrong with it is for the applier to find.

    def _replace(self, event: Event) -> None:
        """Write a Rotate in the place of the source's Previous_gtids event."""
        assert self.form is not None
        body = struct.pack("<Q", event.log_pos) + self.source_log.encode()
        self._write(made((0, ROTATE, 0, 0, 0), body, checksum=self.form.checksummed))

    def _flush(self) -> None:
        assert self.form is not None
        server_id = 0 if self.profile == "worklog" else self.settings["server_id"]
        body = struct.pack("<Q", 4) + f"relay.{self.log + 2:06}".encode()
        length = HEADER.size + len(body) + CRC * self.form.checksummed
        header = (0, ROTATE, server_id, self.position + length, RELAY_LOG)
        self._write(made(header, body, checksum=self.form.checksummed))
        self.log, self.position = self.log + 1, 4
        self._begin_log()
        assert self.described is not None
        raw = bytearray(self.described.raw)
        struct.pack_into("<IH", raw, 13, 0, self.described.flags | ARTIFICIAL)
        raw[HEADER.size + 52 : HEADER.size + 56] = bytes(4)
        self._write(sealed(bytes(raw)) if self.form.has_algorithm else bytes(raw))

    def _begin_log(self) -> None:
        assert self.described is not None
        assert self.form is not None
        own, raw = self.settings["server_id"], bytearray(self.described.raw)
        # An older source does not declare all that this log begins with; the next events are of no post-header.
        undeclared = max(PREVIOUS_GTIDS - len(self.form.lengths), 0) if self.has_previous else 0
        end = HEADER.size + 57 + len(self.form.lengths)
        raw[end:end] = bytes(undeclared)
        HEADER.pack_into(raw, 0, 0, FORMAT, own, len(raw), 4 + len(raw), RELAY_LOG)
        self._write(sealed(bytes(raw)) if self.form.has_algorithm else bytes(raw))
        if self.has_previous:
            body = body_of_set(self.gtids, tagged=any(tag for _, tag in self.gtids))
            flags = RELAY_LOG | (0 if self.profile == "mysql-5.6" else IGNORABLE)
            length = HEADER.size + len(body) + CRC * self.form.checksummed
            header = (0, PREVIOUS_GTIDS, own, self.position + length, flags)
            self._write(made(header, body, checksum=self.form.checksummed))

    def _write(self, raw: bytes, warning: str = "") -> None:
        self.entries.append({"log": self.log, "data": raw.hex(), "warning": warning})
        self.position += len(raw)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the receiver writes."""
    receiver = _Receiver(request)
    error = None
    try:
        receiver.receive()
    except _Stopped as stopped:
        error = {"at": stopped.args[0], "kind": "checksum", "message": "the checksum is wrong"}
    return {"events": receiver.entries, "error": error}


if __name__ == "__main__":
    serve("relay", ["log", "data", "warning"], ["error_at", "checksums"], answer)
