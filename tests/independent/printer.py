"""A printer of its own, written from WL#4033, WL#4162, WL#7592 and docs/roles/render.md: nobody may blame it."""

import base64
import re
import struct
import textwrap
import time
import uuid
from typing import Any, NamedTuple

from watch import WORDS, Worklog, statement
from wire import (
    ANONYMOUS,
    FORMAT,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    MAGIC,
    PREVIOUS_GTIDS,
    PROFILES,
    QUERY,
    XID,
    Bytes,
    Event,
    Format,
    events,
    gtid_of,
    serve,
    set_of_body,
    text_of_set,
)

TABLE_MAP, ROWS_QUERY, WRITES = 19, 29, (23, 30)
ROWS = {
    **dict.fromkeys(WRITES, "Write_rows"),
    24: "Update_rows",
    25: "Delete_rows",
    31: "Update_rows",
    32: "Delete_rows",
}
_STATEMENT_END, _SUPPRESS_USE, _LONG = 1, 8, 3
_NAMES = {
    QUERY: "Query",
    3: "Stop",
    4: "Rotate",
    5: "Intvar",
    13: "RAND",
    14: "User var",
    FORMAT: "Format_desc",
    XID: "Xid",
    TABLE_MAP: "Table_map",
    ROWS_QUERY: "Rows_query",
    GTID: "Gtid",
    ANONYMOUS: "Anonymous_Gtid",
    PREVIOUS_GTIDS: "Previous_gtids",
    GTID_TAGGED: "Gtid_tagged",
    161: "Binlog_checkpoint",
    162: "Gtid",
    163: "Gtid_list",
}
_FIELDS = ["text", "warnings", "pos", "event_type", "server_id", "end_log_pos", "info"]


class Table(NamedTuple):
    """What a Table_map has: the number of the table, its names, the types of its columns, and which may be NULL."""

    number: int
    database: str
    name: str
    types: bytes
    nullable: list[bool]


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _quoted(name: str) -> str:
    doubled = name.replace("`", "``")
    return f"`{doubled}`"


def _value(data: Bytes) -> str:
    """Return the value of a user variable as an expression."""
    if data.number(1):
        return "NULL"
    kind, _, value = data.number(1), data.take(4), data.take(data.number(4))
    if kind == 2:
        is_unsigned = data.at < len(data.data) and data.number(1) & 1
        return str(int.from_bytes(value, "little", signed=not is_unsigned))
    if kind == 1:
        return repr(struct.unpack("<d", value)[0])
    if kind == 4:
        return _decimal(value)
    return f"0x{value.hex()}" if value else "''"


#: Digits of a DECIMAL -> the bytes that they need.
_BYTES_OF_DIGITS = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


def _decimal(data: bytes) -> str:
    """Return a DECIMAL: two bytes with its digits, then groups of nine digits and what is left on either side."""
    digits, fraction = data[0], data[1]
    stored = bytearray(data[2:])
    stored[0] ^= 0x80
    is_negative = not data[2] & 0x80
    if is_negative:
        stored = bytearray(each ^ 0xFF for each in stored)
    left, text, at = digits - fraction, "", 0
    for size in [left % 9] * bool(left % 9) + [9] * (left // 9):
        text += _group(stored, at, size)
        at += _BYTES_OF_DIGITS[size]
    whole = text.lstrip("0") or "0"
    text = ""
    for size in [9] * (fraction // 9) + [fraction % 9] * bool(fraction % 9):
        text += _group(stored, at, size)
        at += _BYTES_OF_DIGITS[size]
    return f"{'-' * is_negative}{whole}{'.' * bool(text)}{text}"


def _group(data: bytes, at: int, digits: int) -> str:
    """Return some digits of a DECIMAL, which have so many bytes as they need."""
    return f"{int.from_bytes(data[at : at + _BYTES_OF_DIGITS[digits]], 'big'):0{digits}}"


def _table(event: Event, form: Format) -> Table:
    data = Bytes(form.body(event))
    number = data.number(4 if form.post_header(TABLE_MAP) == 6 else 6)
    data.take((form.post_header(TABLE_MAP) or 8) - (4 if form.post_header(TABLE_MAP) == 6 else 6))
    database = _text(data.take(data.packed()))
    data.take(1)
    name = _text(data.take(data.packed()))
    data.take(1)
    count = data.packed()
    types = data.take(count)
    data.take(data.packed())
    bits = int.from_bytes(data.take((count + 7) // 8), "little")
    return Table(number, database, name, types, [bool(bits >> column & 1) for column in range(count)])


def _rows_head(event: Event, form: Format) -> tuple[int, int]:
    """Return the number of the table of a rows event, and its flags."""
    data = Bytes(form.body(event))
    return data.number(6), data.number(2)


def _query(event: Event, form: Format) -> tuple[str, str]:
    """Return the default database and the statement of a Query."""
    body, post = form.body(event), form.post_header(QUERY) or 13
    at = post + int.from_bytes(body[11:13], "little")
    return _text(body[at : at + body[8]]), _text(statement(event, form) or b"")


def _comment(event: Event, form: Format, profile: str) -> str:
    """Return the statement of a Rows_query, as a comment: under worklog the `# ` may be stored."""
    words = _text(form.body(event)[1:])
    return words if profile == "worklog" and words.startswith("# ") else f"# {words}"


def _gtid(event: Event, form: Format) -> str:
    if event.type == ANONYMOUS:
        return "ANONYMOUS"
    (source, tag), number = gtid_of(event, form)
    return ":".join([str(uuid.UUID(bytes=source)), *([tag] if tag else []), str(number)])


def _rows_words(event: Event, form: Format) -> str:
    flags = _rows_head(event, form)[1]
    return " flags: STMT_END_F" if flags & _STATEMENT_END else ""


def _info(event: Event, form: Format, profile: str) -> str:
    if event.type == QUERY:
        database, words = _query(event, form)
        return f"use {_quoted(database)}; {words}" if database and not event.flags & _SUPPRESS_USE else words
    if event.type == ROWS_QUERY:
        return _comment(event, form, profile)
    if event.type == TABLE_MAP:
        table = _table(event, form)
        return f"table_id: {table.number} ({table.database}.{table.name})"
    if event.type in ROWS:
        return f"table_id: {_rows_head(event, form)[0]}{_rows_words(event, form)}"
    if event.type == XID:
        return f"COMMIT /* xid={Bytes(form.body(event)).number(8)} */"
    if event.type in (GTID, ANONYMOUS, GTID_TAGGED):
        return f"SET @@SESSION.GTID_NEXT= '{_gtid(event, form)}'"
    return text_of_set(set_of_body(form.body(event))) if event.type == PREVIOUS_GTIDS else ""


def _event_type(event: Event, profile: str) -> str:
    if event.type in ROWS:
        return ROWS[event.type] + ("_v1" if event.type < 30 and profile != "worklog" else "")
    return _NAMES.get(event.type, "Ignorable" if event.flags & IGNORABLE else "Unknown")


def rows(stream: bytes, profile: str) -> list[dict[str, Any]]:
    """Return the rows of SHOW BINLOG EVENTS."""
    entries = []
    form: Format | None = None
    for event in events(stream, len(MAGIC), len(stream)):
        form = Format(event) if event.type == FORMAT else form
        assert form is not None
        header = {"pos": event.at, "server_id": event.server_id, "end_log_pos": event.log_pos}
        entries.append({**header, "event_type": _event_type(event, profile), "info": _info(event, form, profile)})
    return entries


class Printer:
    """The text of mysqlbinlog.

    Attributes:
        lines: What is printed.
        warnings: What is printed to standard error.
    """

    def __init__(self, profile: str, settings: dict[str, Any]) -> None:
        self.profile, self.settings = profile, settings
        self.lines = ["DELIMITER /*!*/;"]
        self.warnings: list[str] = []
        self.database = ""
        self.tables: dict[int, Table] = {}
        #: Of a statement of rows: its events, and the lines that wait for its last event.
        self.held: list[Event] = []
        self.waiting: list[str] = []

    def log(self, stream: bytes, start: int) -> None:
        """Print a log, from a position on."""
        parser = Worklog()
        self.held, self.waiting, self.tables = [], [], {}
        first = next(events(stream, len(MAGIC), len(stream)), None)
        if first is None:
            return
        self.form = Format(first)
        for event in [first, *events(stream, max(start, first.at + first.length), len(stream))]:
            warning = parser.feed(event, self.form)
            if warning and self.profile == "worklog":
                self.warnings.append(warning)
            self._event(event)
        self.lines += self.waiting

    def _event(self, event: Event) -> None:
        self.lines.append(f"# at {event.at}")
        header = self._header(event)
        if event.type == FORMAT:
            self.form = Format(event)
            self.lines.append(f"{header}\tStart: binlog v 4, server v {self.form.version}")
            self._binlog([event])
        elif event.type == ROWS_QUERY:
            self.lines.append(f"{header}\tRows_query")
            if self.settings["verbose"] > 1:
                words = _comment(event, self.form, self.profile)[2:]
                self.lines.extend(f"# {line}" for line in words.split("\n"))
            self.held.append(event)
        elif event.type == TABLE_MAP:
            table = _table(event, self.form)
            self.tables[table.number] = table
            mapped = f"{_quoted(table.database)}.{_quoted(table.name)} mapped to number {table.number}"
            self.held.append(event)
            self.waiting.append(f"{header}\tTable_map: {mapped}")
        elif event.type in ROWS:
            number = _rows_head(event, self.form)[0]
            words = _rows_words(event, self.form)
            self.held.append(event)
            self.waiting.append(f"{header}\t{ROWS[event.type]}: table id {number}{words}")
            if words:
                self._end_rows()
        else:
            self.lines.append(header)
            self._statement(event)

    def _header(self, event: Event) -> str:
        when = time.strftime("%y%m%d %H:%M:%S", time.gmtime(event.timestamp + 60 * self.settings["utc_offset"]))
        kind = event.flags >> 10 & 7
        marker = WORDS[kind] if kind < len(WORDS) else WORDS[0]
        shown = f" {marker}" if self.profile == "worklog" else ""
        return f"#{when} server id {event.server_id}  end_log_pos {event.log_pos}{shown}"

    def _binlog(self, held: list[Event]) -> None:
        if self.settings["base64_output"] == "decode-rows":
            return
        self.lines += ["BINLOG '"]
        for event in held:
            self.lines += textwrap.wrap(base64.b64encode(event.raw).decode(), 76)
        self.lines += ["'/*!*/;"]

    def _end_rows(self) -> None:
        self.lines += self.waiting
        self._binlog(self.held)
        if self.settings["verbose"]:
            for event in self.held:
                if event.type in WRITES:
                    self._pseudo_sql(event)
        self.held, self.waiting = [], []

    def _pseudo_sql(self, event: Event) -> None:
        table = self.tables.get(_rows_head(event, self.form)[0])
        if table is None or set(table.types) != {_LONG}:
            return
        data = Bytes(self.form.body(event))
        data.take(8)
        if event.type == 30:
            data.take(data.number(2) - 2)
        count = data.packed()
        used = int.from_bytes(data.take((count + 7) // 8), "little")
        columns = [column for column in range(count) if used >> column & 1]
        while data.at < len(data.data):
            nulls = int.from_bytes(data.take((len(columns) + 7) // 8), "little")
            self.lines += [f"### INSERT INTO {table.database}.{table.name}", "### SET"]
            for place, column in enumerate(columns):
                null = nulls >> place & 1
                value = "NULL" if null else int.from_bytes(data.take(4), "little", signed=True)
                about = f"INT meta=0 nullable={table.nullable[column]:d} is_null={null}"
                shown = f" /* {about} */" if self.settings["verbose"] > 1 else ""
                self.lines.append(f"###   @{column + 1}={value}{shown}")

    def _statement(self, event: Event) -> None:
        body = self.form.body(event)
        if event.type == QUERY:
            database, words = _query(event, self.form)
            fields = (
                int.from_bytes(body[:4], "little"),
                int.from_bytes(body[4:8], "little"),
                int.from_bytes(body[9:11], "little"),
            )
            self.lines[-1] += "\tQuery\tthread_id={}\texec_time={}\terror_code={}".format(*fields)
            if database and database != self.database and not event.flags & _SUPPRESS_USE:
                self.database = database
                self.lines.append(f"use {_quoted(database)}/*!*/;")
            self.lines += [f"SET TIMESTAMP={event.timestamp}/*!*/;", words, "/*!*/;"]
            if re.sub(r"/\*.*?\*/", " ", words).lower().split()[:2] in (["drop", "database"], ["drop", "schema"]):
                self.database = ""
        elif event.type == XID:
            self.lines[-1] += f"\tXid = {int.from_bytes(body, 'little')}"
            self.lines.append("COMMIT/*!*/;")
        elif event.type in (GTID, ANONYMOUS, GTID_TAGGED):
            self.lines[-1] += "\tAnonymous_GTID" if event.type == ANONYMOUS else "\tGTID"
            self.lines.append(f"SET @@SESSION.GTID_NEXT= '{_gtid(event, self.form)}'/*!*/;")
        elif event.type == PREVIOUS_GTIDS:
            self.lines[-1] += "\tPrevious-GTIDs"
            self.lines.append(f"# {text_of_set(set_of_body(body)) or '[empty]'}")
        else:
            self.lines[-1] += f"\t{_event_type(event, self.profile)}"
            self._variable(event, Bytes(body))

    def _variable(self, event: Event, data: Bytes) -> None:
        if event.type == 5:
            name = "INSERT_ID" if data.number(1) == 2 else "LAST_INSERT_ID"
            self.lines.append(f"SET {name}={data.number(8)}/*!*/;")
        elif event.type == 13:
            self.lines.append(f"SET @@RAND_SEED1={data.number(8)}, @@RAND_SEED2={data.number(8)}/*!*/;")
        elif event.type == 14:
            name = _text(data.take(data.number(4)))
            self.lines.append(f"SET @{_quoted(name)}:={_value(data)}/*!*/;")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return how a log is printed."""
    stream, settings, profile = request["stream"], request["settings"], request["profile"]
    if settings["form"] == "events":
        return {"events": rows(stream, profile), "error": None}
    printer = Printer(profile, settings)
    printer.log(stream, settings["start_position"])
    for more in settings["following"]:
        printer.log(base64.b64decode(more), len(MAGIC))
    text = "\n".join([*printer.lines, "DELIMITER ;", ""])
    return {"events": [{"text": text, "warnings": "\n".join(printer.warnings)}], "error": None}


if __name__ == "__main__":
    serve("render", _FIELDS, [], answer, PROFILES)
