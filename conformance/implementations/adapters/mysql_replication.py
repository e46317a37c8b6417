"""Adapter for python-mysql-replication: its public `BinLogStreamReader`, fed by a simulated connection.

The library reads events from a server's network stream. The simulated connection cuts the stream into events, one per
packet, and answers the library's few queries. What the library returns is reported, in the protocol's notation and
otherwise as it is.
"""

import argparse
import base64
import datetime
import decimal
import inspect
import json
import logging
import os
import re
import struct
import sys
import traceback
from collections.abc import Iterator
from importlib.metadata import version
from operator import itemgetter
from typing import Any, NamedTuple, TextIO

import pymysql.err
import pymysql.protocol
from pymysqlreplication import BinLogStreamReader, event, exceptions, row_event
from pymysqlreplication.constants import FIELD_TYPE

MAGIC = b"\xfebin"
ENCRYPTED_MAGIC = b"\xfdbin"
HEADER_BYTES = 19
FORMAT_DESCRIPTION = 15
CRC32 = 1
FLAGS_AT = 17
IN_USE = 1
EOF_PACKET = b"\xfe\0\0\0\0"
PROFILES = ["mysql", "mariadb"]  # fmt: skip

#: Every event class of the library, requested by name, as its default leaves some of them out.
EVENT_CLASSES = [
    each
    for module in (event, row_event)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, event.BinLogEvent)
]
#: How the library refuses an event: its own exceptions, and those that bytes other than it expects cause.
REFUSALS: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    LookupError,
    NotImplementedError,
    ValueError,
    struct.error,
    pymysql.err.MySQLError,
    *(each for each in vars(exceptions).values() if isinstance(each, type) and issubclass(each, Exception)),
)
#: A fault of the library's own code, whatever the bytes are: a crash, after which the events before it are kept.
CRASHES: tuple[type[Exception], ...] = (AttributeError, NameError, TypeError, RecursionError)
#: The library checks checksums if it is asked to, and marks and logs an event whose checksum is wrong.
VERIFICATION = (
    {"verify_checksum": True} if "verify_checksum" in inspect.signature(BinLogStreamReader.__init__).parameters else {}
)
WRONG_CHECKSUM = "An CRC32 has failed for the event"
HEADER = struct.Struct("<IBIIIH")
HEADER_FIELDS = ("timestamp", "type", "server_id", "length", "log_pos", "flags")
REFUSED_CHECKSUM = {"handled": "refused", "refused": WRONG_CHECKSUM}

#: Type codes of Table_map and rows events, to which the library's rules for tables apply.
FILTERED = (19, 20, 21, 22, 23, 24, 25, 30, 31, 32, 39)

EPOCH = datetime.datetime(1970, 1, 1)
TIMESTAMPS = (FIELD_TYPE.TIMESTAMP, FIELD_TYPE.TIMESTAMP2)
#: The library returns None for an empty set and for a document without changes, and these words beside it.
EMPTY_SET = "empty set"
WITHOUT_CHANGES = "same with before values"

ROWS = {"table_id": "table_id", "rows_flags": "flags", "rows": "rows"}
#: Class -> field of the protocol -> attribute of the library. Older versions lack some of the attributes.
ATTRIBUTES = {
    "FormatDescriptionEvent": {
        "binlog_version": "binlog_version",
        "server_version": "mysql_version_str",
        "created": "created",
        "event_types": "number_of_event_types",
        "checksum_algorithm": "checksum_algorithm",
    },
    "QueryEvent": {
        "thread_id": "slave_proxy_id",
        "exec_time": "execution_time",
        "error_code": "error_code",
        "database": "schema",
        "query": "query",
        "sql_mode": "sql_mode",
        "auto_increment_increment": "auto_increment_increment",
        "auto_increment_offset": "auto_increment_offset",
        "character_set_client": "character_set_client",
        "collation_connection": "collation_connection",
        "collation_server": "collation_server",
        "time_zone": "time_zone",
        "updated_databases": "mts_accessed_db_names",
    },
    "RotateEvent": {"next_position": "position", "next_file": "next_binlog"},
    "XidEvent": {"xid": "xid"},
    # The attribute has no other name; it is what the library prints.
    "PreviousGtidsEvent": {"previous_gtids": "_previous_gtids"},
    "GtidEvent": {"gtid": "gtid", "last_committed": "last_committed", "sequence_number": "sequence_number"},
    "RowsQueryLogEvent": {"rows_query": "query"},
    "MariadbAnnotateRowsEvent": {"rows_query": "sql_statement"},
    "IntvarEvent": {"intvar_type": "type", "intvar_value": "value"},
    "RandEvent": {"seed1": "seed1", "seed2": "seed2"},
    "TableMapEvent": {
        "table_id": "table_id",
        "database": "schema",
        "table": "table",
        "column_count": "column_count",
    },
    "UserVarEvent": {
        "variable_name": "name",
        "variable_type": "type",
        "variable_charset": "charset",
        "variable_value": "value",
    },
    "BeginLoadQueryEvent": {"file_id": "file_id", "block_data": "block_data"},
    "ExecuteLoadQueryEvent": {
        "thread_id": "slave_proxy_id",
        "exec_time": "execution_time",
        "error_code": "error_code",
        "file_id": "file_id",
        "file_name_start": "start_pos",
        "file_name_end": "end_pos",
        "duplicate_handling": "dup_handling_flags",
    },
    "HeartbeatLogEvent": {"log_name": "ident"},
    "XAPrepareEvent": {
        "one_phase": "one_phase",
        "xa_format_id": "xid_format_id",
        "xa_gtrid": "xid_gtrid",
        "xa_bqual": "xid_bqual",
    },
    "MariadbGtidEvent": {"gtid": "gtid", "mariadb_gtid_flags": "flags"},
    "MariadbGtidListEvent": {"gtid_list": "gtid_list"},
    "MariadbBinLogCheckPointEvent": {"log_name": "filename"},
    "WriteRowsEvent": ROWS,
    "UpdateRowsEvent": ROWS,
    "DeleteRowsEvent": ROWS,
    "PartialUpdateRowsEvent": ROWS,
}
#: The library's numbers of checksum algorithms; it has none for servers that are older than checksums.
ALGORITHMS = {None: "none", 0: "none", CRC32: "crc32"}
#: Characters of a traceback that are reported.
LAST_WORDS = 2000
#: Fields of any type: see the protocol's page on values.
VALUES = {"variable_value", "block_data", "xa_gtrid", "xa_bqual"}


class Refused(Exception):
    """The stream cannot be cut into events."""

    def __init__(self, at: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.error = {"at": at, "kind": kind, "message": message}


def packets(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each event with its offset; the adapter does this, as the library receives events one by one."""
    if stream[:4] != MAGIC:
        kind = "encrypted" if stream[:4] == ENCRYPTED_MAGIC else "not-a-binlog"
        raise Refused(0, kind, f"the stream begins with {stream[:4].hex(' ') or 'nothing'}")
    at = len(MAGIC)
    while at < len(stream):
        left = len(stream) - at
        if left < HEADER_BYTES:
            raise Refused(at, "truncated", f"{left} bytes are left, but a header has {HEADER_BYTES}")
        length = int.from_bytes(stream[at + 9 : at + 13], "little")
        if length < HEADER_BYTES:
            raise Refused(at, "invalid-length", f"an event length of {length}")
        if length > left:
            raise Refused(at, "truncated", f"an event has {length} bytes, but {left} are left")
        yield at, as_sent(stream[at : at + length])
        at += length


def as_sent(data: bytes) -> bytes:
    """Return an event as a server sends it: the format description of a log in use without the flag that it is.

    Its checksum is that of the event without this flag.
    """
    if data[4] != FORMAT_DESCRIPTION:
        return data
    return data[:FLAGS_AT] + bytes([data[FLAGS_AT] & ~IN_USE]) + data[FLAGS_AT + 1 :]


class Server(NamedTuple):
    """What a server with this log answers.

    Attributes:
        version: Its version.
        checksum: Its variable `binlog_checksum`; None if it has no such variable.
    """

    version: str
    checksum: str | None


def server_of(stream: bytes) -> Server:
    """Return the server that wrote the stream's first format description."""
    length = int.from_bytes(stream[13:17], "little")
    if stream[8:9] != bytes([FORMAT_DESCRIPTION]) or length > len(stream) - 4 or length < HEADER_BYTES + 57 + 5:
        return Server("", None)
    text = stream[25:75].split(b"\0", 1)[0].decode("ascii", "replace")
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", text)
    first = (5, 3, 0) if "MariaDB" in text else (5, 6, 1)
    if match is None or tuple(map(int, match.groups())) < first:
        return Server(text, None)
    return Server(text, "CRC32" if stream[4 + length - 5] == CRC32 else "NONE")


class Cursor:
    """Answers the library's queries as the server would."""

    def __init__(self, server: Server, as_dict: bool) -> None:
        self._server = server
        self._as_dict = as_dict
        self._row: tuple[str, str] | None = None

    def execute(self, sql: str, arguments: object = None) -> int:
        """Keep the answer to a statement for `fetchone`."""
        self._row = None
        if "BINLOG_CHECKSUM" in sql and "SHOW" in sql and self._server.checksum is not None:
            self._row = ("binlog_checksum", self._server.checksum)
        elif "BINLOG_ROW_METADATA" in sql:
            # With this setting the library reads the metadata in the log; what is not in the log stays unknown.
            self._row = ("binlog_row_metadata", "FULL")
        return len(self.fetchall())

    def fetchone(self) -> Any:
        """Return the first row, or None."""
        if self._row is None or not self._as_dict:
            return self._row
        return dict(zip(("Variable_name", "Value"), self._row, strict=True))

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        return [] if self._row is None else [self.fetchone()]

    def close(self) -> None:
        """Do nothing."""


class Connection:
    """A connection to a server that sends the stream, event by event.

    Attributes:
        at: Offset of the event that was sent last.
    """

    charset = "utf8mb4"

    def __init__(self, server: Server, stream: Iterator[tuple[int, bytes]], settings: dict[str, Any]) -> None:
        self._server = server
        self._stream = stream
        self._as_dict = "cursorclass" in settings
        self._next_seq_id = 0

    def cursor(self) -> Cursor:
        """Return a cursor."""
        return Cursor(self._server, self._as_dict)

    def get_server_info(self) -> str:
        """Return the server's version."""
        return self._server.version

    def _write_bytes(self, data: bytes) -> None:
        """Ignore the request for the binary log; there is only one to send."""

    def _read_packet(self) -> Any:
        try:
            _, data = next(self._stream)
        except StopIteration:
            data = EOF_PACKET
        else:
            data = b"\0" + data
        return pymysql.protocol.MysqlPacket(data, "utf8mb4")

    def close(self) -> None:
        """Do nothing."""


class Feed:
    """The events of a stream, one after another.

    Attributes:
        at: Offset of the event that was taken last.
        data: Its bytes.
    """

    def __init__(self, stream: bytes) -> None:
        self._packets = packets(stream)
        self.at = 0
        self.data = b""

    def __iter__(self) -> "Feed":
        return self

    def __next__(self) -> tuple[int, bytes]:
        packet = next(self._packets)
        self.at, self.data = packet
        return packet


class WrongChecksums(logging.Handler):
    """The events of which the library logs that their checksum is wrong.

    It marks such an event too, but drops it without a word if it is of rows whose table's number it does not know.
    """

    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self._feed = feed
        self._headers: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Note the event that is read if the library logs that its checksum is wrong."""
        if WRONG_CHECKSUM in record.getMessage():
            # The library keeps nothing of an event that it drops.
            header = zip(HEADER_FIELDS, HEADER.unpack_from(self._feed.data), strict=True)
            self._headers.append({"offset": self._feed.at, **dict(header), **REFUSED_CHECKSUM})

    def __enter__(self) -> "WrongChecksums":
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)

    def added_to(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with those that the library dropped; not with one at which it stopped."""
        is_whole = answer["error"] is None and "crash" not in answer
        reported_at = {each["offset"] for each in answer["events"]} | (set() if is_whole else {self._feed.at})
        dropped = [each for each in self._headers if each["offset"] not in reported_at]
        return {**answer, "events": sorted([*answer["events"], *dropped], key=itemgetter("offset"))}


def decode(stream: bytes, filtering: dict[str, Any]) -> dict[str, Any]:
    """Return the events that the library returns, the error that it stops with, and its crash if there is one."""
    feed, server = Feed(stream), server_of(stream)
    reader = BinLogStreamReader(
        connection_settings={},
        server_id=1,
        log_file="binlog.000001",
        log_pos=4,
        pymysql_wrapper=lambda **settings: Connection(server, feed, settings),
        **filtering,
        **VERIFICATION,
    )
    events: list[dict[str, Any]] = []
    answer: dict[str, Any] = {"events": events, "error": None}
    with WrongChecksums(feed) as wrong:
        read(reader, feed, answer)
    return wrong.added_to(answer)


def read(reader: BinLogStreamReader, feed: Feed, answer: dict[str, Any]) -> None:
    """Add to an answer what the library returns, one by one, and the error or the crash that it ends with."""
    try:
        for library_event in reader:
            # The position is the reader's own, from which the library's user would resume.
            answer["events"].append({**reported(library_event, feed.at), "position": reader.log_pos})
    except Refused as refused:
        answer["error"] = refused.error
    except REFUSALS as error:
        kind = "malformed" if type(error).__name__ == "MalformedBinLogEvent" else "other"
        answer["error"] = {"at": feed.at, "kind": kind, "message": f"{type(error).__name__}: {error}"}
    except CRASHES as error:
        answer["crash"] = f"{type(error).__name__}: {error}\n{traceback.format_exc()[-LAST_WORDS:]}"
    except Exception as error:
        if type(error) is not Exception:
            raise
        # So pymysql refuses to read beyond a packet.
        answer["error"] = {"at": feed.at, "kind": "other", "message": str(error)}
    finally:
        reader.close()


def named_tables(stream: bytes) -> set[tuple[str, str]]:
    """Return the database and the name of each table in the Table_maps that the library returns."""
    answer = decode(stream, {"only_events": [row_event.TableMapEvent], "filter_non_implemented_events": False})
    return {(each["database"], each["table"]) for each in answer["events"] if "table" in each}


class CannotFilter(Exception):
    """The library has no equivalent rule."""


def rules_of(settings: dict[str, Any], stream: bytes) -> dict[str, list[str]]:
    """Return the library's rules, for names and for databases separately, that are equivalent to those of a request.

    Raises:
        CannotFilter: There are none for the tables of this stream.
    """
    if settings["tables"] != "literal" or settings["renames"] != "name":
        raise CannotFilter("the library's rules apply to names exactly as given")
    does = bool(settings["do_tables"])
    wanted = {(database, name) for database, name in settings["do_tables"] or settings["ignore_tables"]}
    databases, names = ({each[part] for each in wanted} for part in (0, 1))
    present = named_tables(stream)
    if does:
        if {each for each in present if each[0] in databases and each[1] in names} == present & wanted:
            return {"only_schemas": sorted(databases), "only_tables": sorted(names)}
    elif {each for each in present if each[1] in names} == present & wanted:
        return {"ignored_tables": sorted(names)}
    raise CannotFilter("the library's rules do not combine a table's database and name")


def filtered(stream: bytes, filtering: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the fate of the events to which the library's rules apply, and of the others that it returns.

    Raises:
        CannotFilter: The library has no such rules.
    """
    answer = decode(stream, {**filtering, **rules_of(settings, stream)})
    error = answer["error"]
    kept = {each["offset"] for each in answer["events"]}
    fates = []
    for offset, data in packets(stream):
        if error is not None and offset >= error["at"]:
            break
        if offset in kept or data[4] in FILTERED:
            fate = "kept" if offset in kept else "dropped"
            fates.append({"offset": offset, "type": data[4], "fate": fate})
    return {**answer, "events": fates}


def reported(library_event: Any, offset: int) -> dict[str, Any]:
    """Return an event in the notation of the protocol."""
    header = library_event.packet
    fields = {
        "offset": offset,
        "type": library_event.event_type,
        "timestamp": library_event.timestamp,
        "server_id": header.server_id,
        "length": header.event_size,
        "log_pos": header.log_pos,
        "flags": header.flags,
        "handled": "ignored" if isinstance(library_event, event.NotImplementedEvent) else "known",
    }
    if getattr(library_event, "_is_event_valid", None) is False:
        # It logs this, and returns the event as if nothing were wrong.
        return {**fields, **REFUSED_CHECKSUM}
    for field, attribute in ATTRIBUTES.get(type(library_event).__name__, {}).items():
        if hasattr(library_event, attribute):
            value = getattr(library_event, attribute)
            fields[field] = rows_of(library_event, value) if field == "rows" else converted(field, value)
    # A NULL variable has neither a type nor a character set.
    return {name: value for name, value in fields.items() if value is not None or name in VALUES}


def converted(field: str, value: Any) -> Any:
    """Return a value of the library in the notation of the protocol."""
    if field in VALUES:
        return noted(value)
    if field == "gtid_list":
        return ",".join(each.gtid for each in value)
    if field == "checksum_algorithm":
        return ALGORITHMS.get(value, value)
    if field == "updated_databases":
        return ",".join(each.decode("utf-8", "replace") for each in value)
    if isinstance(value, tuple):
        (value,) = value  # The library has the version of the format in a tuple of one.
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return int(value) if isinstance(value, bool) else value


def rows_of(library_event: Any, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of an event in the notation of the protocol; the library reads them here, and may refuse them."""
    first = getattr(library_event, "columns_present_bitmap", b"")
    second = getattr(library_event, "columns_present_bitmap2", first)
    written = isinstance(library_event, row_event.WriteRowsEvent)
    return [
        {
            "before": image_of(library_event, row, "before_" if "before_values" in row or written else "", first),
            "after": image_of(library_event, row, "" if "values" in row and written else "after_", second),
        }
        for row in rows
    ]


def image_of(library_event: Any, row: dict[str, Any], prefix: str, present: bytes) -> dict[str, Any] | None:
    """Return the values of an image by column number; the library has them in the order of the columns."""
    values, sources = row.get(f"{prefix}values"), row.get(f"{prefix}none_sources", {})
    if values is None:
        return None
    return {
        str(index): cell(column, value, sources.get(name))
        for index, (column, (name, value)) in enumerate(zip(library_event.columns, values.items(), strict=False))
        if present[index // 8] >> index % 8 & 1
    }


def cell(column: Any, value: Any, source: str | None = None) -> Any:
    """Return a value of a column in the notation of the protocol, given why the library has None if it has."""
    if value is None and source == EMPTY_SET:
        return 0
    if value is None and source == WITHOUT_CHANGES:
        return {"json_changes": []}
    if value is None:
        return None
    if column.type == FIELD_TYPE.JSON:
        if hasattr(value, "op"):
            return {"json_changes": [change_of(value)]}
        return {"json": json_of(value)}
    if column.type == FIELD_TYPE.BIT:
        return int(value, 2)
    if column.type == FIELD_TYPE.ENUM:
        # The library has '' for each label that is not UTF-8: which it is cannot be known.
        return column.enum_values.index(value) if column.enum_values.count(value) == 1 else value
    if column.type == FIELD_TYPE.SET:
        if any(column.set_values.count(label) != 1 for label in value):
            return ",".join(sorted(value))
        return sum(1 << index for index, label in enumerate(column.set_values) if label in value)
    if column.type in TIMESTAMPS:
        return seconds_text(value - EPOCH)
    return noted(value)


def noted(value: Any) -> Any:
    """Return a value in the notation of the protocol, by its Python type."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return clock_text(value)
    return value


def clock_text(span: datetime.timedelta) -> str:
    """Return a span of time as hours, minutes, seconds and a fraction, if there is one."""
    sign = "-" if span < datetime.timedelta(0) else ""
    seconds, micro = divmod(abs(span) // datetime.timedelta(microseconds=1), 10**6)
    fraction = f".{micro:06d}" if micro else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def seconds_text(span: datetime.timedelta) -> str:
    """Return a span of time as seconds and a fraction, if there is one."""
    seconds, micro = divmod(span // datetime.timedelta(microseconds=1), 10**6)
    return f"{seconds}.{micro:06d}" if micro else str(seconds)


def json_of(value: Any) -> Any:
    """Return a document of the library, whose texts are bytes, as JSON."""
    if isinstance(value, dict):
        return {json_of(key): json_of(each) for key, each in value.items()}
    if isinstance(value, list):
        return [json_of(each) for each in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime.datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return f"{value:%H:%M:%S.%f}" if isinstance(value, datetime.time) else value


def change_of(diff: Any) -> dict[str, Any]:
    """Return the one change of a document that the library reads."""
    change = {"operation": diff.op.name.lower(), "path": json_of(diff.path)}
    return change if change["operation"] == "remove" else {**change, "value": json_of(diff.value)}


def sample() -> bytes:
    """Return a small log with an event of each class, from which the library's fields can be listed."""
    # Post-header lengths as MySQL 8.0 writes them.
    lengths = bytes.fromhex("000d0008000000000400040000006200041a08000000080808020000000a0a0a2a2a001234000a2800")
    column = b"\0\0" + b"\x01d\0" + b"\x01t\0" + b"\x01\x03\0\0"
    status = b"\1" + bytes(8) + b"\3\1\0\1\0" + b"\4" + struct.pack("<HHH", 33, 33, 8) + b"\5\3UTC" + b"\x0c\1d\0"
    bodies = [
        (15, struct.pack("<H50sIB", 4, b"8.0.36", 0, 19) + lengths + bytes(5)),
        (35, bytes(8)),
        (33, struct.pack("<B16sqBqq", 1, bytes(16), 1, 2, 0, 1)),
        (2, struct.pack("<IIBHH", 1, 0, 1, 0, len(status)) + status + b"d\0BEGIN"),
        (5, struct.pack("<BQ", 2, 1)),
        (13, struct.pack("<QQ", 1, 2)),
        (29, b"\x08SELECT 1"),
        (19, struct.pack("<IH", 1, 0) + column),
        (14, struct.pack("<I", 1) + b"a\0\0" + struct.pack("<II", 45, 1) + b"b\0"),
        (17, struct.pack("<I", 1) + b"data"),
        (18, struct.pack("<IIBHHIIIB", 1, 0, 1, 0, 0, 1, 9, 12, 0) + b"d\0LOAD DATA a b"),
        (27, b"binlog.000001"),
        (38, struct.pack("<BIII", 0, 1, 1, 1) + b"ab"),
        (161, struct.pack("<I", 1) + b"a"),
        (162, struct.pack("<QIB", 1, 0, 0) + bytes(6)),
        (163, struct.pack("<IIIQ", 1, 0, 1, 1)),
        (30, struct.pack("<IHHHB", 1, 0, 1, 2, 1) + b"\xff\0" + struct.pack("<I", 1)),
        (16, struct.pack("<Q", 1)),
        (4, struct.pack("<Q", 4) + b"binlog.000002"),
    ]
    log = MAGIC
    for code, body in bodies:
        end = len(log) + HEADER_BYTES + len(body)
        log += struct.pack("<IBIIIH", 0, code, 1, HEADER_BYTES + len(body), end, 0) + body
    return log


def declaration(filtering: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the declaration, with the fields that the library reports for the sample."""
    answer = decode(sample(), filtering)
    if answer["error"] is not None or "crash" in answer:
        print(f"the library cannot read the adapter's sample: {answer['error'] or answer['crash']}", file=sys.stderr)
    fields = sorted({field for each in answer["events"] for field in each})
    abilities = ["error_at", *(["checksums"] if VERIFICATION else [])]
    return {
        "protocol": 1,
        "implementation": {
            "name": name,
            "version": version("mysql-replication"),
            "language": "Python",
            "homepage": "https://github.com/julien-duponchelle/python-mysql-replication",
        },
        "roles": {
            "decode": {"fields": fields, "abilities": abilities, "profiles": PROFILES},
            "filter": {"fields": ["offset", "type", "fate"], "abilities": ["error_at"], "profiles": PROFILES},
            "client": {
                "fields": [*OF_CLIENT, "resume_log", "resume_pos"],
                "abilities": ["error_code"],
                "profiles": PROFILES,
            },
        },
    }


#: What is reported of an event in the role `client`; where the reader is after it is beside them.
OF_CLIENT = ("type", "log_pos", "timestamp", "server_id", "flags", "query")
REPLICA_ID = 4243


def delivered(settings: dict[str, Any], filtering: dict[str, Any]) -> dict[str, Any]:
    """Return what the library's reader delivers of a source that it connects to, and where it then is."""
    if settings["gtid_set"] == "":
        return {"unsupported": "the library takes an empty GTID set for none"}
    place: dict[str, Any] = {"log_file": settings["log_name"], "log_pos": settings["log_pos"], "resume_stream": True}
    reader = BinLogStreamReader(
        connection_settings={
            "host": settings["host"],
            "port": settings["port"],
            "user": settings["user"],
            "password": settings["password"],
        },
        server_id=REPLICA_ID,
        slave_heartbeat=settings["heartbeat_seconds"],
        **(place if settings["gtid_set"] is None else {"auto_position": settings["gtid_set"]}),
        **filtering,
        **VERIFICATION,
    )
    events: list[dict[str, Any]] = []
    answer: dict[str, Any] = {"events": events, "error": None}
    try:
        for library_event in reader:
            fields = reported(library_event, 0)
            events.append({**{name: fields[name] for name in OF_CLIENT if name in fields}, **place_of(reader)})
        events.append({"type": None, "log_pos": 0, **place_of(reader)})
    except CRASHES as error:
        answer["crash"] = f"{type(error).__name__}: {error}\n{traceback.format_exc()[-LAST_WORDS:]}"
    except REFUSALS as error:
        answer["error"] = {"at": None, "kind": "other", "message": f"{type(error).__name__}: {error}"}
        if isinstance(error, pymysql.err.MySQLError) and error.args:
            answer["error"]["code"] = error.args[0]
    finally:
        reader.close()
    return answer


def place_of(reader: BinLogStreamReader) -> dict[str, Any]:
    """Return where the reader would resume."""
    return {"resume_log": reader.log_file, "resume_pos": reader.log_pos}


def stream_of(request: dict[str, Any]) -> bytes:
    """Return the stream of a request."""
    if "stream" in request:
        return base64.b64decode(request["stream"])
    with open(request["path"], "rb") as file:
        file.seek(request["offset"])
        return file.read(request["length"])


def serve(out: TextIO) -> None:
    """Answer the requests on standard input."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--default-filter", action="store_true", help="use the library's default filter of events")
    default = parser.parse_args().default_filter
    filtering = {} if default else {"only_events": EVENT_CLASSES, "filter_non_implemented_events": False}
    name = "mysql-replication-default-filter" if default else "mysql-replication"
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "start":
            answer = declaration(filtering, name)
        elif request["cmd"] == "stop":
            return
        elif request["cmd"] == "decode":
            answer = {"seq": request["seq"], **decode(stream_of(request), filtering)}
        elif request["cmd"] == "client":
            answer = {"seq": request["seq"], **delivered(request["settings"], filtering)}
        elif request["cmd"] == "filter":
            try:
                answer = {"seq": request["seq"], **filtered(stream_of(request), filtering, request["settings"])}
            except CannotFilter as reason:
                answer = {"seq": request["seq"], "unsupported": str(reason)}
        else:
            answer = {"seq": request["seq"], "unsupported": f"the role {request['cmd']} is not supported"}
        out.write(json.dumps(answer, separators=(",", ":")) + "\n")
        out.flush()


if __name__ == "__main__":
    # The library warns about the server's settings once per stream: nobody reads that.
    logging.getLogger().addHandler(logging.NullHandler())
    # The library's driver reads the machine's certificates at each connection, 20 ms, and checks nothing against them.
    os.environ["SSL_CERT_FILE"] = os.devnull
    answers, sys.stdout = sys.stdout, sys.stderr  # The library's own output must not be taken for an answer.
    serve(answers)
