"""Events the way ``SHOW BINLOG EVENTS`` lists them: the name of the type, and the Info column.

Sources: what MySQL 9.7 and MariaDB 10.11 print for their own logs.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from io import BytesIO
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import HEARTBEAT_TYPES, PRE_GA_ROWS, UNLISTED_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import uuid_text
from conformance.binlog.layouts import mariadb_layouts
from conformance.binlog.listing_rules import LISTING_OF_KIT, ListingRules
from conformance.binlog.mariadb_compression import statement_of
from conformance.binlog.rows.collations import collation
from conformance.binlog.rows.images import READABLE_ROWS_TYPES
from conformance.binlog.status_variables import read_status_variables
from conformance.binlog.total_table import total
from conformance.binlog.transaction_payload import Compression
from conformance.binlog.user_variable import variable_value

#: Bits of the flags word of a rows event that MySQL 9.7.4 names, in its order; earlier versions name the first alone.
ROWS_FLAGS: Final = (
    (0x01, "STMT_END_F"),
    (0x02, "NO_FOREIGN_KEY_CHECKS_F"),
    (0x04, "RELAXED_UNIQUE_CHECKS_F"),
    (0x10, "USE_SQL_FOREIGN_KEY_F"),
    (0x08, "COMPLETE_ROWS_F"),
)
_NAMES: Final = {int(each): each.listed for each in EventType if each.listed is not None}
#: The types that servers read as an ignorable event: 28 is only the base class of such events.
_WITHOUT_CLASS: Final = UNLISTED_TYPES | {EventType.IGNORABLE}
#: The fields that hold a statement.
_STATEMENTS: Final = frozenset({"query", "rows_query"})
_INCIDENTS: Final = {1: "LOST_EVENTS"}
#: The flags of MariaDB's Gtid events that came after 10.2.
_LATER_GTID_FLAGS: Final = ("mariadb_gtid_flags", "mariadb_gtid_extra_flags")
_INTVAR_NAMES: Final = {1: "LAST_INSERT_ID", 2: "INSERT_ID"}


def listed_name(code: int, rules: ListingRules = LISTING_OF_KIT) -> str:
    """Return the name that servers list for an event type, ``Unknown`` for one that they do not know."""
    return rules.ignorable if code == EventType.IGNORABLE else _NAMES.get(code, "Unknown")


def event_info(event: Event, rules: ListingRules = LISTING_OF_KIT, *, longest: int | None = None) -> str | None:
    """Return what servers list as an event's content; None if this kit does not know their words.

    Args:
        event: The event.
        rules: What the server that lists it does differently from others.
        longest: Bytes of a statement that are enough; None: all.

    Raises:
        MalformedBody: The body contradicts its layout.
    """
    code = event.format.type_code(event.header.type)
    if not event.recognised or code not in _INFO or code in _WITHOUT_CLASS:
        return rules.ignored(code, listed_name(code, rules))
    info = _INFO[code]
    if info is None:
        return None
    fields = event.fields()
    if longest is not None:
        for name in _STATEMENTS.intersection(fields):
            fields[name] = fields[name][:longest]
    return info(event, fields, rules)


def text(data: bytes) -> str:
    """Return bytes as text; those that are not UTF-8 become surrogates."""
    return data.decode("utf-8", "surrogateescape")


def text_lines(data: bytes) -> Iterator[str]:
    """Yield the lines of bytes as text, without their ends."""
    yield from (text(line.removesuffix(b"\n")) for line in BytesIO(data))
    if not data or data.endswith(b"\n"):
        yield ""


def signed(number: int, bits: int) -> int:
    """Return an unsigned number of `bits` bits, read as a signed one."""
    return number - (1 << bits) if number >> (bits - 1) else number


def xid_text(fields: Mapping[str, Any]) -> str:
    """Return the XA transaction id of an event's fields, as ``X'..',X'..',1``."""
    data, border = fields["xa_data"], fields["xa_gtrid_length"]
    return f"X'{data[:border].hex()}',X'{data[border:].hex()}',{fields['xa_format_id']}"


def _query(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    variables = read_status_variables(fields["status_variables"])
    settings = rules.settings(variables.get("flags2", 0)).encode()
    number = variables.get("ddl_xid")
    comment = b"" if number is None else f" /* xid={number} */".encode()
    # Decoded once, as a statement may be long.
    statement = rules.statement(statement_of(fields))
    return text(b"".join((_use(event, fields, rules), settings, statement, comment)))


def _use(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> bytes:
    if event.header.flags & Flag.SUPPRESS_USE or not fields["database"]:
        return b""
    return b"use `%b`; " % fields["database"].replace(b"`", rules.backtick.encode())


def _execute_load_query(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    # MySQL widens the number as a signed one, and lists it as an unsigned one.
    file_id = signed(fields["file_id"], 32) & 0xFFFFFFFFFFFFFFFF if rules.widens_file_id else fields["file_id"]
    return text(b"".join((_use(event, fields, rules), fields["query"], f" ;file_id={file_id}".encode())))


def _load_block(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    return f";file_id={fields['file_id']};block_len={len(fields['block_data'])}"


def _format_description(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    return f"Server ver: {event.format.server_version}, Binlog ver: {event.format.binlog_version}"


def _user_var(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str | None:
    name = text(fields["variable_name"]).replace("`", rules.backtick)
    value = variable_value(fields)
    if isinstance(value, bytes):
        named = collation(fields["variable_charset"], mariadb=event.format.is_mariadb)
        if named is None:
            return None
        charset, order = (rules.charset_name(each) for each in (named.charset, named.name))
        return f"@`{name}`=_{charset} {_literal(event, value, rules)} COLLATE {order}"
    if isinstance(value, float):
        return f"@`{name}`={rules.double(value)}"
    if isinstance(value, Decimal):
        return f"@`{name}`={value:f}"
    return f"@`{name}`={'NULL' if value is None else value}"


def _literal(event: Event, value: bytes, rules: ListingRules) -> str:
    """Return bytes as the literal that MySQL or MariaDB lists for them."""
    is_mariadb = event.format.is_mariadb
    if not value and not (is_mariadb and rules.empty_in_digits):
        return '""'
    return f"X'{value.hex().upper()}'" if is_mariadb else f"0x{value.hex().upper()}"


def _rows(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    known = ROWS_FLAGS if rules.all_rows_flags else ROWS_FLAGS[:1]
    names = [name for bit, name in known if fields.get("rows_flags", 0) & bit]
    flags = f" flags: {' '.join(names)}" if names else ""
    return f"table_id: {fields.get('table_id')}{flags}"


def _gtid(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str | None:
    # A tagged Gtid may omit any field; what servers list then is not known.
    if "source_uuid" not in fields or "gno" not in fields:
        return None
    tag = text(fields["tag"]) if fields.get("tag") else ""
    uuid = uuid_text(fields["source_uuid"])
    source = f"{uuid}:{tag}" if tag else uuid
    return f"SET @@SESSION.GTID_NEXT= '{source}:{fields['gno']}'"


def _mariadb_gtid(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    flags, extra = (fields.get(name, 0) if rules.later_gtid_flags else 0 for name in _LATER_GTID_FLAGS)
    begin = "" if fields["mariadb_gtid_flags"] & mariadb_layouts.STANDALONE else "BEGIN "
    if flags & mariadb_layouts.PREPARED_XA:
        begin = f"XA START {xid_text(fields)} "
    ticket = f" cid={fields['commit_id']}" if "commit_id" in fields else ""
    phase = " START ALTER" if extra & mariadb_layouts.START_ALTER else ""
    for bit, word in ((mariadb_layouts.COMMIT_ALTER, "COMMIT"), (mariadb_layouts.ROLLBACK_ALTER, "ROLLBACK")):
        if extra & bit:
            phase = f" {word} ALTER id={fields['start_alter_gno']}"
    return f"{begin}GTID {fields['domain_id']}-{event.header.server_id}-{fields['gno']}{ticket}{phase}"


def gtid_list_texts(fields: Mapping[str, Any], *, is_sorted: bool) -> list[str]:
    """Return the GTIDs of a Gtid_list event's fields as stored, or by domain and number."""
    gtids = fields["gtid_list"]
    if is_sorted:
        gtids = sorted(gtids, key=lambda each: (each["domain_id"], each["gno"]))
    return [f"{each['domain_id']}-{each['server_id']}-{each['gno']}" for each in gtids]


def _gtid_list(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    return f"[{','.join(gtid_list_texts(fields, is_sorted=rules.sorts_gtid_list))}]"


def _payload(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str | None:
    if "compression_type" not in fields or "uncompressed_size" not in fields:
        return None
    kind = {Compression.ZSTD: "ZSTD", Compression.NONE: "NONE"}.get(fields["compression_type"], "")
    return f"compression='{kind}', decompressed_size={fields['uncompressed_size']} bytes"


def _incident(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    kind = f"#{fields['incident']} ({_INCIDENTS.get(fields['incident'], '')})"
    # Servers leave a message out, and end with a colon where there is none.
    return kind if fields["message"] else f"{kind}: "


def _xa_prepare(event: Event, fields: Mapping[str, Any], rules: ListingRules) -> str:
    if fields["one_phase"]:
        return f"XA COMMIT {xid_text(fields)} ONE PHASE"
    return f"XA PREPARE {xid_text(fields)}"


_Info = Callable[[Event, Mapping[str, Any], ListingRules], str | None]
_INFO: Final[Mapping[int, _Info | None]] = total(
    f"{__name__}._INFO",
    EventType,
    {
        EventType.QUERY: _query,
        EventType.STOP: lambda event, fields, rules: "",
        EventType.ROTATE: lambda event, fields, rules: f"{text(fields['next_file'])};pos={fields['next_position']}",
        EventType.INTVAR: lambda event, fields, rules: (
            f"{_INTVAR_NAMES.get(fields['intvar_type'], 'INVALID_INT')}={signed(fields['intvar_value'], 64)}"
        ),
        EventType.APPEND_BLOCK: _load_block,
        EventType.DELETE_FILE: lambda event, fields, rules: f";file_id={fields['file_id']}",
        EventType.RAND: lambda event, fields, rules: f"rand_seed1={fields['seed1']},rand_seed2={fields['seed2']}",
        EventType.USER_VAR: _user_var,
        EventType.FORMAT_DESCRIPTION: _format_description,
        EventType.XID: lambda event, fields, rules: f"COMMIT /* xid={fields['xid']} */",
        EventType.BEGIN_LOAD_QUERY: _load_block,
        EventType.EXECUTE_LOAD_QUERY: _execute_load_query,
        EventType.TABLE_MAP: lambda event, fields, rules: (
            f"table_id: {fields['table_id']} ({text(fields['database'])}.{text(fields['table'])})"
        ),
        EventType.INCIDENT: _incident,
        EventType.TRANSACTION_CONTEXT: lambda event, fields, rules: (
            f"server_uuid={text(fields['server_uuid'])}\tthread_id={fields['thread_id']}"
        ),
        EventType.VIEW_CHANGE: lambda event, fields, rules: f"view_id={text(fields['view_id'])}",
        EventType.ROWS_QUERY: lambda event, fields, rules: f"# {text(fields['rows_query'])}",
        EventType.GTID: _gtid,
        EventType.GTID_TAGGED: _gtid,
        EventType.ANONYMOUS_GTID: lambda event, fields, rules: "SET @@SESSION.GTID_NEXT= 'ANONYMOUS'",
        EventType.PREVIOUS_GTIDS: lambda event, fields, rules: str(fields["previous_gtids"]).replace(",", ",\n"),
        EventType.XA_PREPARE: _xa_prepare,
        EventType.TRANSACTION_PAYLOAD: _payload,
        EventType.MARIADB_ANNOTATE_ROWS: lambda event, fields, rules: text(fields["rows_query"]),
        EventType.MARIADB_BINLOG_CHECKPOINT: lambda event, fields, rules: text(fields["log_name"]),
        EventType.MARIADB_GTID: _mariadb_gtid,
        EventType.MARIADB_GTID_LIST: _gtid_list,
        EventType.MARIADB_QUERY_COMPRESSED: _query,
    },
    entry="what returns the Info column of SHOW BINLOG EVENTS",
    rest={
        READABLE_ROWS_TYPES: _rows,
        _WITHOUT_CLASS: None,
        # The words of servers are not known.
        HEARTBEAT_TYPES: None,
        PRE_GA_ROWS: None,
        (
            EventType.START_V3,
            EventType.LOAD,
            EventType.SLAVE,
            EventType.CREATE_FILE,
            EventType.EXEC_LOAD,
            EventType.NEW_LOAD,
            EventType.MARIADB_START_ENCRYPTION,
            EventType.MARIADB_PARTIAL_ROW_DATA,
        ): None,
    },
)
