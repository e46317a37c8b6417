"""The fields of the role `decode`: what each means, and which event types have it.

The protocol's page, its schemas, the check for missing fields and the expected observations all follow these tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from conformance.binlog.event_types import COMPRESSED_ROWS, EventType
from conformance.binlog.total_table import check_complete, total
from conformance.binlog.vendor_types import VendorEventType, vendor_event_types
from conformance.protocol.observation import RoleDeclaration
from conformance.protocol.role import AnswerField, Role
from conformance.specs.extensions import with_extensions

#: The field that every decoder reports: the kit aligns events by it.
ALWAYS: Final = ("offset",)

#: What `handled` can be.
HANDLED: Final = {
    "known": "the reader has a class for the type and read the event",
    "ignored": "the reader skipped it: an ignorable event, or an event of a type that it does not know",
    "refused": "the reader could not read its body, and went on to the next event",
}
#: What an event may have besides its fields, without a declaration.
UNDECLARED: Final = {
    "refused": AnswerField(
        "text", "if `handled` is `refused`: what is wrong with the event, in the parser's own words"
    ),
}
#: What `checksum_algorithm` can be.
CHECKSUM_ALGORITHMS: Final = {
    "none": "events end without a checksum",
    "crc32": "events end with a CRC32",
    "other": "the parser reports a number of neither, which is never right",
}


_FIELDS: Final[Mapping[str, AnswerField]] = {
    "offset": AnswerField("integer", "where the event starts, in bytes from the start of the stream"),
    "type": AnswerField("integer", "event type code; null if the parser does not report that of this event"),
    "timestamp": AnswerField("integer", "seconds since 1970"),
    "server_id": AnswerField("integer", "id of the server that logged the event"),
    "length": AnswerField("integer", "bytes of the whole event, header and checksum included"),
    "log_pos": AnswerField("integer", "where the event ends, in bytes, according to its header"),
    "flags": AnswerField("integer", "the header's flags word"),
    "handled": AnswerField("word", "what the reader did with the event", tuple(HANDLED)),
    "position": AnswerField(
        "integer", "the parser's own: where it would resume after the event, in bytes from the start of the stream"
    ),
    "executed_gtid_set": AnswerField(
        "text", "the parser's own: the set of the GTIDs that it has executed after the event; MySQL only"
    ),
    "binlog_version": AnswerField("integer", "version of the binary log format"),
    "server_version": AnswerField("text", "the server's own version string, without the NULs that pad it"),
    "created": AnswerField("integer", "seconds since 1970 in the first log after a server start, else 0"),
    "event_types": AnswerField("integer", "how many event types the format description has post-header lengths for"),
    "checksum_algorithm": AnswerField("word", "how events are checksummed", tuple(CHECKSUM_ALGORITHMS)),
    "thread_id": AnswerField("integer", "connection that ran the statement"),
    "exec_time": AnswerField("integer", "seconds that the statement took"),
    "error_code": AnswerField("integer", "error that the statement ended with, 0 for none"),
    "database": AnswerField("text", "Query: the default database; Table_map: the table's database"),
    "query": AnswerField("text", "the statement, without checksum or terminator"),
    "status_variables": AnswerField("value", "the session's settings, as they are in the event: bytes"),
    "sql_mode": AnswerField("integer", "of the status variables: the bits of sql_mode"),
    "auto_increment_increment": AnswerField("integer", "of the status variables"),
    "auto_increment_offset": AnswerField("integer", "of the status variables"),
    "character_set_client": AnswerField("integer", "of the status variables: id of a collation"),
    "collation_connection": AnswerField("integer", "of the status variables: id of the collation"),
    "collation_server": AnswerField("integer", "of the status variables: id of the collation"),
    "time_zone": AnswerField("text", "of the status variables: the name of the session's time zone"),
    "updated_databases": AnswerField(
        "text", "of the status variables: the databases that the statement changes, separated by commas"
    ),
    "tables_info": AnswerField(
        "text",
        "WL#40: the tables of an extended Query event, each as `` `database`.`table` `` with backticks doubled, "
        "separated by commas; the default database may be left out, as in ``` ``.`table` ```; may be empty",
    ),
    "xid": AnswerField("integer", "number of the transaction that commits"),
    "next_position": AnswerField("integer", "where reading continues in the next log, in bytes"),
    "next_file": AnswerField("text", "name of the next log"),
    "gtid": AnswerField(
        "text", "`uuid:number`, `uuid:tag:number`, or `ANONYMOUS`; MariaDB: `domain-server-number`; in lower case"
    ),
    "gtid_flags": AnswerField("integer", "the event's own flags byte, not the header's"),
    "last_committed": AnswerField(
        "integer",
        "logical timestamp of the last transaction that this one depends on; signed, but none below 0 is asked for",
    ),
    "sequence_number": AnswerField(
        "integer", "the transaction's own logical timestamp, signed; View_change: number of the view"
    ),
    "immediate_commit_timestamp": AnswerField("integer", "microseconds since 1970: commit on the logging server"),
    "original_commit_timestamp": AnswerField("integer", "microseconds since 1970: commit on the first server"),
    "transaction_length": AnswerField("integer", "bytes of the transaction, this event included"),
    "immediate_server_version": AnswerField("integer", "version of the server that logged it, such as 80043"),
    "original_server_version": AnswerField("integer", "version of the first server"),
    "previous_gtids": AnswerField("text", "the GTID set as servers print it, without white space; may be empty"),
    "rows_query": AnswerField("text", "the whole statement that caused the row events"),
    "intvar_type": AnswerField("integer", "1 LAST_INSERT_ID, 2 INSERT_ID"),
    "intvar_value": AnswerField("integer", "the variable's value, 64 bits"),
    "seed1": AnswerField("integer", "first seed of RAND()"),
    "seed2": AnswerField("integer", "second seed of RAND()"),
    "table_id": AnswerField("integer", "number by which row events refer to the table"),
    "table": AnswerField("text", "the table's name"),
    "column_count": AnswerField("integer", "columns of the table"),
    "rows_flags": AnswerField("integer", "the row event's own flags word"),
    "rows": AnswerField("rows", "the images of the rows before and after the change"),
    "incident": AnswerField("integer", "number of the incident, 1 for lost events"),
    "message": AnswerField("text", "the incident in words"),
    "variable_name": AnswerField("text", "name of the user variable"),
    "variable_type": AnswerField("integer", "0 text or bytes, 1 double, 2 integer, 4 decimal"),
    "variable_charset": AnswerField("integer", "id of the value's collation"),
    "variable_value": AnswerField("value", "the variable's value, null for NULL"),
    "file_id": AnswerField("integer", "number of the file that LOAD DATA read"),
    "block_data": AnswerField("value", "a piece of that file: bytes"),
    "file_name_start": AnswerField(
        "integer", "where the clause that names the file begins, in bytes from the start of the statement"
    ),
    "file_name_end": AnswerField("integer", "where that clause ends"),
    "duplicate_handling": AnswerField("integer", "0 error, 1 IGNORE, 2 REPLACE"),
    "log_name": AnswerField("text", "Heartbeat: the log that the source is at; Binlog_checkpoint: the oldest needed"),
    "log_position": AnswerField("integer", "the position in that log, in bytes"),
    "server_uuid": AnswerField("text", "UUID of the member that ran the transaction, exactly as in the event"),
    "gtid_specified": AnswerField("integer", "1 if the transaction's GTID was given, 0 if it was generated"),
    "snapshot_version": AnswerField("value", "the GTID set that the transaction saw: bytes"),
    "write_set_count": AnswerField("integer", "rows that the transaction wrote"),
    "read_set_count": AnswerField("integer", "rows that the transaction read"),
    "view_id": AnswerField("text", "name of the group's view, without the NULs that pad it"),
    "certification_count": AnswerField("integer", "entries of the certification information"),
    "one_phase": AnswerField("integer", "1 if the XA transaction is committed at once, 0 if it is prepared"),
    "xa_format_id": AnswerField("integer", "format id of the XA transaction's name"),
    "xa_gtrid": AnswerField("value", "global part of the name: bytes"),
    "xa_bqual": AnswerField("value", "branch part of the name: bytes"),
    "compression_type": AnswerField("integer", "0 zstd, 255 none"),
    "uncompressed_size": AnswerField("integer", "bytes of the events inside the payload"),
    "payload_size": AnswerField("integer", "bytes of the payload as stored in the event"),
    "header_version": AnswerField("integer", "version of the large transaction's header"),
    "terminating_offset": AnswerField("integer", "where the event that ends the transaction starts, in bytes"),
    "terminating_type": AnswerField("integer", "type code of that event"),
    "mariadb_gtid_flags": AnswerField("integer", "MariaDB: the Gtid event's own flags byte"),
    "commit_id": AnswerField("integer", "MariaDB: number of the group commit"),
    "gtid_list": AnswerField("text", "MariaDB: `domain-server-number`, separated by commas; may be empty"),
}


def _vendors_field(described: tuple[Literal["integer", "text", "value"], str]) -> AnswerField:
    """Return a field of an extension.

    Raises:
        ValueError: Its kind is none that a field of an event can have.
    """
    kind, meaning = described
    if kind not in _VENDORS_KINDS:
        raise ValueError(f"a field has the kind {kind!r}: write one of {', '.join(_VENDORS_KINDS)}")
    return AnswerField(kind, meaning)


_VENDORS_KINDS: Final = ("integer", "text", "value")
#: Every field by name, in the order of the protocol's page, then those of extensions.
FIELDS: Final[Mapping[str, AnswerField]] = with_extensions(_FIELDS, "fields", _vendors_field)


@dataclass(frozen=True, slots=True)
class TypeFields:
    """The fields of one event type, after those of the common header.

    Attributes:
        required: Reported for every event of the type, if declared.
        optional: Reported for some events of the type only, depending on the event or on the server's version.
    """

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


#: The fields of the common header, which every event has.
HEADER_FIELDS: Final = ("offset", "type", "timestamp", "server_id", "length", "log_pos", "flags", "handled")
#: What the reader itself keeps after an event.
STATE_FIELDS: Final = ("position", "executed_gtid_set")
#: The fields that do not depend on an event's type.
FIELDS_OF_EVERY_TYPE: Final = (*HEADER_FIELDS, *STATE_FIELDS)
#: Those of the status variables.
STATUS_FIELDS: Final = (
    "status_variables",
    "sql_mode",
    "auto_increment_increment",
    "auto_increment_offset",
    "character_set_client",
    "collation_connection",
    "collation_server",
    "time_zone",
    "updated_databases",
)
_QUERY: Final = ("thread_id", "exec_time", "error_code", "database", "query")
_GTID: Final = TypeFields(
    ("gtid", "gtid_flags"),
    (
        "last_committed",
        "sequence_number",
        "immediate_commit_timestamp",
        "original_commit_timestamp",
        "transaction_length",
        "immediate_server_version",
        "original_server_version",
    ),
)
_ROWS: Final = TypeFields(("table_id", "rows_flags", "rows"))
_SOME_ROWS: Final = TypeFields(optional=_ROWS.required)
_OLD_ROWS: Final = TypeFields(optional=("table_id", "rows_flags"))
_OLD_LOAD: Final = TypeFields(optional=("thread_id", "exec_time", "database", "table"))
_LOAD_BLOCK: Final = TypeFields(("file_id", "block_data"))

_FIELDS_OF_TYPE: Final[Mapping[int, TypeFields]] = {
    EventType.FORMAT_DESCRIPTION: TypeFields(
        ("binlog_version", "server_version", "created", "event_types", "checksum_algorithm")
    ),
    EventType.QUERY: TypeFields(_QUERY, (*STATUS_FIELDS, "tables_info")),
    EventType.BEGIN_LOAD_QUERY: _LOAD_BLOCK,
    EventType.APPEND_BLOCK: TypeFields(optional=_LOAD_BLOCK.required),
    EventType.EXECUTE_LOAD_QUERY: TypeFields(
        ("file_id", "file_name_start", "file_name_end", "duplicate_handling"), (*_QUERY, *STATUS_FIELDS)
    ),
    EventType.DELETE_FILE: TypeFields(optional=("file_id",)),
    EventType.ROTATE: TypeFields(("next_position", "next_file")),
    EventType.INTVAR: TypeFields(("intvar_type", "intvar_value")),
    EventType.RAND: TypeFields(("seed1", "seed2")),
    EventType.USER_VAR: TypeFields(("variable_name", "variable_value"), ("variable_type", "variable_charset")),
    EventType.XID: TypeFields(("xid",)),
    EventType.XA_PREPARE: TypeFields(("one_phase", "xa_format_id", "xa_gtrid", "xa_bqual")),
    EventType.TABLE_MAP: TypeFields(("table_id", "database", "table", "column_count")),
    EventType.WRITE_ROWS_V1: _ROWS,
    EventType.UPDATE_ROWS_V1: _ROWS,
    EventType.DELETE_ROWS_V1: _ROWS,
    EventType.WRITE_ROWS: _ROWS,
    EventType.UPDATE_ROWS: _ROWS,
    EventType.DELETE_ROWS: _ROWS,
    EventType.PARTIAL_UPDATE_ROWS: _SOME_ROWS,
    EventType.PRE_GA_WRITE_ROWS: _OLD_ROWS,
    EventType.PRE_GA_UPDATE_ROWS: _OLD_ROWS,
    EventType.PRE_GA_DELETE_ROWS: _OLD_ROWS,
    EventType.LOAD: _OLD_LOAD,
    EventType.NEW_LOAD: _OLD_LOAD,
    EventType.CREATE_FILE: TypeFields(optional=(*_OLD_LOAD.optional, *_LOAD_BLOCK.required)),
    EventType.INCIDENT: TypeFields(("incident", "message")),
    EventType.HEARTBEAT: TypeFields(("log_name",)),
    EventType.HEARTBEAT_V2: TypeFields(optional=("log_name", "log_position")),
    EventType.ROWS_QUERY: TypeFields(("rows_query",)),
    EventType.GTID: _GTID,
    # It has no GTID, and the worklog gives it no name.
    EventType.ANONYMOUS_GTID: TypeFields(("gtid_flags",), ("gtid", *_GTID.optional)),
    EventType.GTID_TAGGED: _GTID,
    EventType.PREVIOUS_GTIDS: TypeFields(("previous_gtids",)),
    EventType.TRANSACTION_CONTEXT: TypeFields(
        ("server_uuid", "gtid_specified", "snapshot_version", "write_set_count", "read_set_count"), ("thread_id",)
    ),
    EventType.VIEW_CHANGE: TypeFields(("view_id", "certification_count"), ("sequence_number",)),
    EventType.TRANSACTION_PAYLOAD: TypeFields(("compression_type", "uncompressed_size", "payload_size")),
    EventType.LARGE_TRANSACTION_HEADER: TypeFields(("header_version", "terminating_offset", "terminating_type")),
    EventType.MARIADB_ANNOTATE_ROWS: TypeFields(optional=("rows_query",)),
    EventType.MARIADB_BINLOG_CHECKPOINT: TypeFields(optional=("log_name",)),
    EventType.MARIADB_GTID: TypeFields(("mariadb_gtid_flags",), ("gtid", "commit_id")),
    EventType.MARIADB_GTID_LIST: TypeFields(("gtid_list",)),
    EventType.MARIADB_QUERY_COMPRESSED: TypeFields(optional=(*_QUERY, *STATUS_FIELDS)),
    EventType.MARIADB_WRITE_ROWS_COMPRESSED_V1: _SOME_ROWS,
    EventType.MARIADB_UPDATE_ROWS_COMPRESSED_V1: _SOME_ROWS,
    EventType.MARIADB_DELETE_ROWS_COMPRESSED_V1: _SOME_ROWS,
}
_OF_BUILT_IN: Final = total(
    f"{__name__}._FIELDS_OF_TYPE",
    EventType,
    _FIELDS_OF_TYPE,
    entry="the fields that a decoder reports of it",
    rest={
        # They have none of their own.
        (EventType.UNKNOWN, EventType.STOP, EventType.IGNORABLE): TypeFields(),
        # No server of a profile writes them.
        (EventType.START_V3, EventType.SLAVE, EventType.EXEC_LOAD, EventType.MARIADB_PARTIAL_ROW_DATA): TypeFields(),
        COMPRESSED_ROWS: TypeFields(),
        # What follows it is encrypted, so a reader stops there.
        (EventType.MARIADB_START_ENCRYPTION,): TypeFields(),
    },
)
_OF_TYPES: Final = {name: None for each in _OF_BUILT_IN.values() for name in each.required + each.optional}
check_complete(f"{__name__}._FIELDS", _OF_TYPES, _FIELDS, entry="its kind and what it means")
check_complete(
    f"{__name__}._FIELDS_OF_TYPE",
    _FIELDS,
    _OF_TYPES | dict.fromkeys(FIELDS_OF_EVERY_TYPE),
    entry="the types that have it",
)


def _vendors_fields(made: VendorEventType) -> TypeFields:
    every = (*made.layout.post_header, *made.layout.body)
    optional = {each.name for each in every if each.optional or each.when is not None}
    reported = [each.name for each in every if each.name in FIELDS]
    return TypeFields(
        tuple(each for each in reported if each not in optional), tuple(each for each in reported if each in optional)
    )


#: Event type code -> its fields beside those of the common header.
FIELDS_OF_TYPE: Final[Mapping[int, TypeFields]] = {
    **_OF_BUILT_IN,
    **{each.code: _vendors_fields(each) for each in vendor_event_types()},
}

_HEADER: Final = frozenset(HEADER_FIELDS)


#: Type -> fields that a reader may report of other types and not of this one.
_NOT_OF_EVERY_READER: Final[Mapping[int, tuple[str, ...]]] = {
    EventType.EXECUTE_LOAD_QUERY: (*_QUERY, *STATUS_FIELDS),
    EventType.TRANSACTION_CONTEXT: ("thread_id",),
    EventType.VIEW_CHANGE: ("sequence_number",),
}


@cache
def own_fields(type_code: int) -> frozenset[str]:
    """Return the fields that only events of one type have: a reader that declares one of them knows the type."""
    kind = FIELDS_OF_TYPE.get(type_code, TypeFields())
    others = {
        name
        for code, other in FIELDS_OF_TYPE.items()
        if code != type_code
        for name in (*other.required, *other.optional)
    }
    return frozenset(kind.required) - others


def may_be_missing(type_code: int, field: str) -> bool:
    """Return whether a declared field may be missing in an event of a type that has it.

    So may all fields of the types that have optional ones only: they are rare, and libraries have classes for them
    without all the fields.
    """
    kind = FIELDS_OF_TYPE.get(type_code, TypeFields())
    rare = not kind.required and field in kind.optional
    return rare or field in _NOT_OF_EVERY_READER.get(type_code, ())


@cache
def _required(declared: frozenset[str], type_code: int | None) -> tuple[frozenset[str], frozenset[str]]:
    """Return the declared fields that an ignored or refused and that a known event of a type must have."""
    header = declared & _HEADER
    kind = None if type_code is None else FIELDS_OF_TYPE.get(type_code)
    return header, header if kind is None else header | declared.intersection(kind.required)


def missing_fields(declaration: RoleDeclaration, event: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the declared fields that apply to an event of the role `decode` and are missing, sorted.

    Args:
        declaration: What the implementation declares for the role.
        event: A reported event; only its common header is required unless `handled` is ``known``, and where its
            type is not reported.
    """
    header, known = _required(declaration.fields, event.get("type"))
    required = known if event.get("handled", "known") == "known" else header
    return () if required <= event.keys() else tuple(sorted(required - event.keys()))


def is_refused(event: Mapping[str, Any]) -> bool:
    """Return whether a reported event is one that the reader refused, although it went on."""
    return event.get("handled") == "refused"


#: The role itself.
ROLE: Final = Role(
    name="decode",
    question="Which events are in this stream, and what do they contain?",
    fields=FIELDS,
    always=ALWAYS,
    missing=missing_fields,
    undeclared=UNDECLARED,
)
