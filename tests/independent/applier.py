"""An applier of its own, written from docs/roles/apply.md: what it does is right, and nobody may blame it."""

import re
import zlib
from typing import Any

from bodies import check
from watch import statement
from wire import (
    ANONYMOUS,
    CRC,
    FORMAT,
    GTID,
    GTID_TAGGED,
    HEADER,
    IGNORABLE,
    IN_USE,
    PREVIOUS_GTIDS,
    QUERY,
    RELAY_LOG,
    ROTATE,
    XID,
    Event,
    Format,
    GtidSet,
    Source,
    add,
    contains,
    event_at,
    gtid_of,
    serve,
    text_of_set,
)

_XA_PREPARE, _INCIDENT, _PAYLOAD = 38, 26, 40
#: Events that are about logs and belong to no group.
_OF_LOGS = {1, 3, ROTATE, FORMAT, 7, 27, PREVIOUS_GTIDS, 36, 41}
#: Events of a group that the skip counter does not count down to zero.
_CONTINUED = {5, 13, 14, 17, 19, GTID, ANONYMOUS, GTID_TAGGED}
_OLD_ROWS = {23, 24, 25}
#: WL#7592.
_DROP_FAILED = (
    "DROP DATABASE failed on slave; some tables may have been dropped but the database directory remains. The GTID has "
    "not been added to GTID_EXECUTED and the statement was not written to the binary log. Fix this as follows: (1) "
    "remove all files from the database directory %s; (2) SET GTID_NEXT='%s'; (3) DROP DATABASE `%s`."
)
_ROWS = {23, 24, 25, 30, 31, 32, 39}
#: Profile -> the largest event type that its version knows.
_KNOWN = {"mysql-5.6": 35, "mysql-5.7": 38, "mysql-8.0": 41, "mysql-8.4": 42, "mysql-9.x": 43, "worklog": 35}


class _Failed(Exception):
    """The applier stops at an event that it can read."""

    def __init__(self, message: str, code: int = 1594, statements: int = 0, anonymous: int = 0) -> None:
        super().__init__(message)
        self.code, self.logged = code, {"logged_statements": statements, "logged_anonymous_gtids": anonymous}


class _Unreadable(Exception):
    """The relay log has an event that cannot be read."""


class _Applier:
    def __init__(self, request: dict[str, Any]) -> None:
        self.stream: bytes = request["stream"]
        self.settings: dict[str, Any] = request["settings"]
        self.profile: str = request["profile"]
        default = "5.6.51" if self.profile == "mysql-5.6" else "9.9.9"
        self.version = tuple(map(int, re.findall(r"\d+", self.settings.get("version") or default)[:3]))
        self.mode: str = self.settings["gtid_mode"]
        self.skip: int = self.settings.get("skip_counter") or 0
        self.until = self.settings.get("until")
        self.form: Format | None = None
        self.entries: list[dict[str, Any]] = []
        self.at = self.group_end = 4
        self.source_log, self.source_pos = "", 4
        self.executed: GtidSet = {}
        self.transactions = 0
        self.close()

    def close(self) -> None:
        """Leave the group."""
        self.open = self.begun = self.passed = False
        self.gtid: tuple[Source, int] | None = None
        self.anonymous = False

    def run(self) -> dict[str, Any] | None:
        """Apply the stream; return the error."""
        if self.skip and self.mode == "ON" and self.profile in ("worklog", "mysql-5.6", "mysql-5.7"):
            return {"at": 0, "kind": "other", "message": "the skip counter cannot be set with GTIDs", "code": 1858}
        while self.at < len(self.stream):
            try:
                event = self._read()
                if self._is_reached(event):
                    self._report(event, "until")
                    return None
                self._take(event)
            except _Unreadable as error:
                return {"at": self.at, "kind": "other", "message": str(error)}
            except _Failed as error:
                self._report(event, "failed", **error.logged)
                return {"at": self.at, "kind": "other", "message": str(error), "code": error.code}
        return None

    def _read(self) -> Event:
        if self.at + HEADER.size > len(self.stream):
            raise _Unreadable("the relay log ends within an event")
        event = event_at(self.stream, self.at)
        if event.length < HEADER.size or len(event.raw) < event.length:
            raise _Unreadable("the event is not whole")
        if event.type == FORMAT:
            self.form = Format(event)
        form = self.form
        if form is not None and form.checksummed:
            raw = bytearray(event.raw)
            if event.type == FORMAT:
                raw[17] &= ~IN_USE & 0xFF
            if zlib.crc32(raw[:-CRC]) != int.from_bytes(raw[-CRC:], "little"):
                raise _Unreadable("the checksum is wrong")
        if form is not None and self._is_known(event):
            try:
                check(event, form)
            except (ValueError, IndexError) as error:
                raise _Unreadable(str(error)) from error
        return event

    def _is_known(self, event: Event) -> bool:
        rejected = event.type in _OLD_ROWS and self.profile in ("mysql-8.4", "mysql-9.x")
        return event.type not in (0, 28) and event.type <= _KNOWN[self.profile] and not rejected

    def _is_reached(self, event: Event) -> bool:
        own = event.server_id == self.settings["server_id"] and self.profile == "mysql-5.7"
        of_no_log = event.server_id == 0 or own
        if not self.until or not self.source_log or (of_no_log and self.profile == "worklog"):
            return False
        now, stop = _number(self.source_log), _number(self.until["log_name"])
        of_group = self.open or of_no_log or not event.log_pos
        starts = self.source_pos if of_group else event.log_pos - event.length
        return now > stop or (now == stop and starts >= self.until["log_pos"])

    def _take(self, event: Event) -> None:
        code = event.type
        ignored_by_56 = self.version < (5, 7) and code == ANONYMOUS
        if ignored_by_56 or not self._is_known(event):
            if not (event.flags & IGNORABLE or ignored_by_56):
                raise _Failed("an event of an unknown type")
            if self.skip and not ignored_by_56:
                self._pass_over(event)
            else:
                self._report(event, "ignored", moves=not self.open)
            return
        if code in _OF_LOGS:
            self._take_of_log(event)
            return
        if event.server_id == self.settings["server_id"]:
            self._report(event, "skipped")
            return
        if self.skip:
            self._pass_over(event)
            return
        if code == _INCIDENT and not self.passed:
            raise _Failed("the source had an incident")
        if code in (GTID, ANONYMOUS, GTID_TAGGED):
            self._open(event)
        else:
            self._apply(event)

    def _take_of_log(self, event: Event) -> None:
        assert self.form is not None
        is_own = bool(event.flags & RELAY_LOG) or event.server_id == self.settings["server_id"]
        if event.type == ROTATE and not is_own and not self.open:
            body = self.form.body(event)
            self.source_log = body[self.form.post_header(ROTATE) or 8 :].decode()
            self.source_pos = int.from_bytes(body[:8], "little")
            self._report(event, "applied", moves=True, positioned=False)
            return
        self._report(event, "applied", moves=not self.open and event.type != PREVIOUS_GTIDS, positioned=not is_own)

    def _pass_over(self, event: Event) -> None:
        """Skip an event for the sake of the counter, which does not become 0 within a group."""
        text = self._text(event)
        begins = text == b"BEGIN" or (text or b"").startswith(b"XA START")
        if event.type in _CONTINUED or begins:
            self.open = True
            self.begun = self.begun or begins
            ends = False
        else:
            ends = self._ends(event, text) if self._is_known(event) else not self.open
            self.open = not ends
        if self.skip > 1 or ends:
            self.skip -= 1
        if ends:
            self.close()
        self._report(event, "skipped", moves=ends)

    def _open(self, event: Event) -> None:
        assert self.form is not None
        self.close()  # The rest of a group that is open never came.
        if event.type == ANONYMOUS:
            if self.mode == "ON":
                raise _Failed("an anonymous transaction, and gtid_mode is ON")
            self.open = self.anonymous = True
        else:
            if self.mode == "OFF":
                raise _Failed("a transaction with a GTID, and gtid_mode is OFF")
            self.gtid, self.open = gtid_of(event, self.form), True
            self.passed = contains(self.executed, *self.gtid)
        self._report(event, "skipped" if self.passed else "applied")

    def _apply(self, event: Event) -> None:
        text = self._text(event)
        if self.mode == "ON" and self.gtid is None:
            raise _Failed("a transaction has no Gtid event, and gtid_mode is ON")
        outcome = "skipped" if self.passed else "applied"
        if not self.passed and text is not None:
            self._check_statement(text)
        ends = self._ends(event, text)
        self.open = not ends
        self.begun = self.begun or text == b"BEGIN" or (text or b"").startswith(b"XA START")
        logged: dict[str, Any] = {}
        if ends:
            if not self.passed:
                logged = self._commit(rolled_back=text == b"ROLLBACK")
            self.close()
        self._report(event, outcome, moves=ends, **logged)

    def _check_statement(self, text: bytes) -> None:
        """Stop at a statement that fails on this replica."""
        words = text.decode(errors="replace")
        dropped = re.match(r"DROP\s+(?:DATABASE|SCHEMA)\s+(?:IF\s+EXISTS\s+)?`?([^`\s]+)`?\s*$", words, re.IGNORECASE)
        leftovers = self.settings.get("leftovers") or {}
        if dropped and dropped[1] in leftovers:
            self._fail_to_drop(dropped[1], leftovers[dropped[1]])
        creates = re.match(r"CREATE\s+TABLE", words, re.IGNORECASE) and "START TRANSACTION" not in words
        if creates and self.begun and self.gtid is not None:
            raise _Failed("a statement that commits implicitly, in a transaction with a GTID")

    def _fail_to_drop(self, database: str, tables: list[str]) -> None:
        statements, length = min(len(tables), 1), 21
        for table in tables:
            if length + len(table.encode()) + 4 >= 1024:
                statements, length = statements + 1, 21
            length += len(table.encode()) + 3
        if self.gtid is None:
            logged = statements if self.profile != "mysql-5.6" else 0
            raise _Failed("the database directory is not empty", 1010, statements, logged)
        if statements == 1 and self.profile in ("worklog", "mysql-5.6"):
            add(self.executed, *self.gtid)
            raise _Failed("the database directory is not empty", 1010, 1, 0)
        gtid = text_of_set({self.gtid[0]: [(self.gtid[1], self.gtid[1])]})
        raise _Failed(_DROP_FAILED % (database[:192], gtid[:192], database[:192]), 3091)

    def _commit(self, *, rolled_back: bool) -> dict[str, Any]:
        self.transactions += 1
        if rolled_back:
            return {}
        name = "" if self.version < (5, 7, 6) else "ANONYMOUS"
        if self.gtid is not None:
            add(self.executed, *self.gtid)
            name = text_of_set({self.gtid[0]: [(self.gtid[1], self.gtid[1])]})
        return {"logged_groups": 1, "logged_gtids": name}

    def _text(self, event: Event) -> bytes | None:
        assert self.form is not None
        return statement(event, self.form) if event.type in (QUERY, 18) else None

    def _ends(self, event: Event, text: bytes | None) -> bool:
        """Return whether an event ends its group."""
        assert self.form is not None
        if event.type in (XID, _XA_PREPARE, _PAYLOAD):
            return True
        if event.type == _INCIDENT:
            return not self.begun
        if text is not None:
            if text == b"BEGIN" or text.startswith(b"XA START"):
                return False
            if text in (b"COMMIT", b"ROLLBACK"):
                return True
            return not self.begun
        if event.type in _ROWS:
            post = self.form.post_header(event.type) or 8
            width = 4 if post == 6 else 6
            return not self.begun and bool(event.raw[HEADER.size + width] & 1)
        return False

    def _report(
        self, event: Event, outcome: str, *, moves: bool = False, positioned: bool = True, **further: Any
    ) -> None:
        if outcome not in ("until", "failed"):
            self.at += event.length
        is_own = bool(event.flags & RELAY_LOG) or event.server_id == self.settings["server_id"]
        if moves:
            self.group_end = self.at
            if positioned and not is_own and event.server_id and event.log_pos:
                self.source_pos = event.log_pos
        name = ""
        if self.open and not self.passed:
            name = "ANONYMOUS" if self.gtid is None else text_of_set({self.gtid[0]: [(self.gtid[1], self.gtid[1])]})
        if outcome == "skipped":
            name = ""
        logged = {} if outcome == "failed" else {"logged_groups": 0, "logged_gtids": ""}
        self.entries.append(
            {
                "offset": event.at,
                "type": event.type,
                "outcome": outcome,
                "relay_log_pos": self.at,
                "group_relay_log_pos": self.group_end,
                "source_log": self.source_log,
                "source_log_pos": self.source_pos,
                "in_group": int(self.open),
                "skip_counter": self.skip,
                "gtid": name,
                "executed_gtids": text_of_set(self.executed),
                "transactions": self.transactions,
                **logged,
                **further,
            }
        )


def _number(name: str) -> int:
    match = re.search(r"\.(\d+)$", name)
    return int(match[1]) if match else 0


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the applier does."""
    applier = _Applier(request)
    error = applier.run()
    return {"events": applier.entries, "error": error}


FIELDS = (
    "offset type outcome relay_log_pos group_relay_log_pos source_log source_log_pos in_group skip_counter gtid "
    "executed_gtids transactions logged_groups logged_gtids logged_statements logged_anonymous_gtids"
)

if __name__ == "__main__":
    serve("apply", FIELDS.split(), ["error_at", "error_code", "framing", "checksums"], answer, list(_KNOWN))
