"""The binary logs of a server that logs, written from docs/roles/log.md and the worklogs."""

import struct
import uuid
from typing import Any

from sessions import Event, Name, Session
from statements import Table
from wire import (
    ANONYMOUS,
    FORMAT,
    GTID,
    HEADER,
    MAGIC,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    GtidSet,
    add,
    body_of_set,
    contains,
    made,
    sealed,
    set_of_text,
    united,
)

_IGNORE, _SELF, _START, _INSIDE, _END = (number << 10 for number in range(1, 6))
_LENGTHS = bytes.fromhex("380d0008001200040404041200005c00041a08000000080808020000000a0a0a2a2a00123400")
_NOW = 1700000000


class Log:
    """One binary log.

    Attributes:
        previous: The set of its Previous_gtids event, None without one.
        gtids: The GTIDs in it.
    """

    def __init__(self, number: int, *, checksum: bool, created: int, extended: bool, marked: bool) -> None:
        self.number, self.checksum, self.marked = number, checksum, marked
        self.data = bytearray(MAGIC)
        self.previous: GtidSet | None = None
        self.gtids: list[tuple[tuple[bytes, str], int]] = []
        self.groups = 0
        lengths = bytearray(_LENGTHS)
        if extended:
            lengths[QUERY - 1] = 17
        version = b"5.7.44-log".ljust(50, b"\0")
        body = struct.pack("<H50sIB", 4, version, created, HEADER.size) + lengths + bytes([checksum])
        raw = made((_NOW, FORMAT, 1, len(MAGIC) + HEADER.size + len(body) + 4, _IGNORE * marked), body, checksum=True)
        self.data += sealed(raw)

    def write(self, code: int, body: bytes, flags: int = 0, marker: int = _SELF) -> None:
        """Add an event at the end."""
        end = len(self.data) + HEADER.size + len(body) + 4 * self.checksum
        header = (_NOW, code, 1, end, flags | marker * self.marked)
        self.data += made(header, body, checksum=self.checksum)


class BinaryLogs:
    """The logs of a server, and what it knows of its GTIDs and tables."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = dict(settings)
        self.worklog = settings["profile"] == "worklog"
        self.databases: set[str] = set()
        self.tables: dict[Name, Table] = {}
        self.logs: list[Log] = []
        self.numbers = 0
        self.executed: GtidSet = {}
        self.purged: GtidSet = {}
        self.logged: GtidSet = {}
        self.start()

    # Logs

    def start(self) -> None:
        """Open the first log after a start."""
        self.sessions: dict[int, Session] = {}
        if self.worklog and self.logs:
            self.recover()
        for table in () if self.worklog else self.tables.values():
            table.restart()
        self.open(_NOW)

    def recover(self) -> None:
        """Read from the logs which GTIDs are executed and purged."""
        executed: GtidSet = {}
        for log in reversed(self.logs):
            for source, number in log.gtids:
                add(executed, source, number)
            united(executed, log.previous or {})
            has_both = log.previous is not None and log.gtids
            if has_both or self.settings["binlog_gtid_simple_recovery"]:
                break
        self.executed, self.logged = executed, united({}, executed)
        self.purged = united({}, self.logs[0].previous or {})

    def open(self, created: int = 0) -> None:
        """Begin the next log."""
        self.numbers += 1
        self.log = Log(
            self.numbers,
            checksum=self.settings["binlog_checksum"] == "CRC32",
            created=created,
            extended=self.settings["binlog_with_tables_info"],
            marked=self.settings["boundary_markers"],
        )
        self.logs.append(self.log)
        if self.settings["gtid_mode"] != "OFF" or not self.settings["before_wl7592"]:
            self.log.previous = united({}, self.executed if self.worklog else self.logged)
            self.log.write(PREVIOUS_GTIDS, body_of_set(self.log.previous, tagged=False), 0x80)

    def rotate(self) -> None:
        """End the log and begin the next one."""
        self.log.write(ROTATE, struct.pack("<Q", 4) + f"bin.{self.numbers + 1:06}".encode())
        self.open()

    def query(self, database: str, text: str, tables: list[Name] = []) -> Event:  # noqa: B006
        """Return a Query event."""
        name, words, info, more = database.encode(), text.encode(), b"", b""
        if self.settings["binlog_with_tables_info"]:
            for of, table in tables:
                for part in ("" if of == database else of, table):
                    info += bytes([len(part.encode())]) + part.encode()
            more = struct.pack("<HH", len(words), len(info))
        head = struct.pack("<IIBHH", 1, 0, len(name), 0, 0) + more
        return QUERY, head + name + b"\0" * (not more) + words + info, 0

    def write(self, session: Session, group: list[Event]) -> None:
        """Write a group with the Gtid event before it, and use up a given GTID."""
        mode = self.settings["gtid_mode"]
        events = list(group)
        automatic = session.gtid_next == "AUTOMATIC" and mode in ("ON_PERMISSIVE", "ON")
        stamp = struct.pack("<Bqq", 2, self.log.groups, self.log.groups + 1)
        if session.given or automatic:
            if automatic:
                source, number = (uuid.UUID(self.settings["server_uuid"]).bytes, ""), 1
                while contains(self.executed, source, number):
                    number += 1
            else:
                ((source, ((number, _),)),) = set_of_text(session.gtid_next).items()
            for each in (self.executed, self.logged):
                add(each, source, number)
            self.log.gtids.append((source, number))
            events.insert(0, (GTID, b"\1" + source[0] + struct.pack("<q", number) + stamp, 0))
        elif not self.settings["before_wl7592"]:
            flags = 0x80 if self.worklog or session.gtid_next == "ANONYMOUS" else 0
            events.insert(0, (ANONYMOUS, b"\1" + bytes(24) + stamp, flags))
        self.log.groups += 1
        for place, (code, body, flags) in enumerate(events):
            marker = _END if place == len(events) - 1 else _INSIDE if place else _START
            self.log.write(code, body, flags, marker if len(events) > 1 else _SELF)
        if session.given or not session.within:
            session.give_up()
