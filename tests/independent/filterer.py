"""A filter of its own, written from WL#40 and docs/roles/filter.md: what it does is right, and nobody may blame it.

It takes rules literally, as rules for names, and declines the other questions. It reports what a rule decides:
statements, rows, and the borders of their groups.
"""

from collections.abc import Iterator
from typing import Any

from watch import statement
from wire import ANONYMOUS, FORMAT, GTID, GTID_TAGGED, MAGIC, PROFILES, QUERY, XID, Bytes, Event, Format, events, serve

_TABLE_MAP, _XA_PREPARE = 19, 38
_ROWS = {20, 21, 22, 23, 24, 25, 30, 31, 32, 39, *range(166, 172)}
_EXTENDED = 17
Name = tuple[bytes, bytes]


def _database(body: bytes, post: int) -> bytes:
    at = post + int.from_bytes(body[11:13], "little")
    return body[at : at + body[8]]


def _tables(body: bytes) -> Iterator[Name]:
    """Yield the tables of the tables info at the end of an extended Query event."""
    size = int.from_bytes(body[15:17], "little")
    info, default = Bytes(body[len(body) - size :] if size else b""), _database(body, _EXTENDED)
    while info.at < len(info.data):
        database, name = info.take(info.number(1)), info.take(info.number(1))
        yield database or default, name


class _Filter:
    def __init__(self, request: dict[str, Any]) -> None:
        rules = request["settings"]
        self.do = {(each[0].encode(), each[1].encode()) for each in rules["do_tables"]}
        self.ignore = {(each[0].encode(), each[1].encode()) for each in rules["ignore_tables"]}
        self.extended = request["profile"] == "worklog"
        self.form: Format | None = None
        self.fates: dict[int, tuple[int, bool]] = {}
        self.maps: dict[int, Name] = {}
        #: The borders of the open group, and what was decided about the events between them.
        self.borders: list[Event] = []
        self.between: list[bool] = []
        self.open = False
        self.xid = b""
        self.of_xids: dict[bytes, bool] = {}

    def passes(self, tables: list[Name]) -> bool:
        """Return whether an event about some tables passes."""
        if self.do:
            return all(each in self.do for each in tables)
        return not any(each in self.ignore for each in tables)

    def feed(self, event: Event) -> None:
        """Take the next event."""
        if event.type == FORMAT:
            self.form = Format(event)
        elif event.type in (GTID, ANONYMOUS, GTID_TAGGED):
            self.borders, self.between, self.open = [event], [], False
        elif event.type == QUERY and self.extended:
            self._query(event)
        elif event.type == _TABLE_MAP or event.type in _ROWS:
            self._rows(event)
        elif event.type in (XID, _XA_PREPARE) and self.extended:
            self.borders.append(event)
            self._close()

    def _query(self, event: Event) -> None:
        assert self.form is not None
        text = statement(event, self.form) or b""
        if text == b"BEGIN" or text.startswith(b"XA START "):
            self.borders.append(event)
            self.open, self.xid = True, text.removeprefix(b"XA START ")
        elif text in (b"COMMIT", b"ROLLBACK"):
            self.borders.append(event)
            self._close()
        elif text.startswith(b"XA END "):
            self.borders.append(event)
        elif text.startswith((b"XA COMMIT ", b"XA ROLLBACK ")):
            self._keep(event, passes=self.of_xids.get(text.split(b" ", 2)[2], True))
        else:
            body = self.form.body(event)
            is_extended = self.form.post_header(QUERY) == _EXTENDED
            self._keep(event, passes=self.passes(list(_tables(body))) if is_extended else True)

    def _keep(self, event: Event, *, passes: bool) -> None:
        self.fates[event.at] = event.type, passes
        self.between.append(passes)
        if not self.open:
            self._close()

    def _rows(self, event: Event) -> None:
        assert self.form is not None
        body = self.form.body(event)
        size = 4 if self.form.post_header(event.type) == 6 else 6
        number = int.from_bytes(body[:size], "little")
        if event.type == _TABLE_MAP:
            data = Bytes(body)
            data.take(size + 2)
            database = data.take(data.packed() + 1)[:-1]
            self.maps[number] = database, data.take(data.packed() + 1)[:-1]
        if number in self.maps:
            passes = self.passes([self.maps[number]])
            self.fates[event.at] = event.type, passes
            self.between.append(passes)

    def _close(self) -> None:
        passes = any(self.between) or not self.between
        if self.xid:
            self.of_xids[self.xid] = passes
        for border in self.borders:
            if self.extended:
                self.fates[border.at] = border.type, passes
        self.borders, self.between, self.open, self.xid = [], [], False, b""


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the fate of each event that a rule decides on."""
    settings = request["settings"]
    if (settings["tables"], settings["renames"]) != ("literal", "name"):
        return {"unsupported": "rules are literal here, and about names"}
    made = _Filter(request)
    for event in events(request["stream"], len(MAGIC), len(request["stream"])):
        made.feed(event)
    entries = [
        {"offset": at, "type": code, "fate": "kept" if passes else "dropped"}
        for at, (code, passes) in sorted(made.fates.items())
    ]
    return {"events": entries, "error": None}


if __name__ == "__main__":
    serve("filter", ["offset", "type", "fate"], [], answer, PROFILES)
