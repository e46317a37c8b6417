"""An event in the words of the protocol: what a decoder reports of it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from conformance.binlog.checksum import ChecksumAlgorithm
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.gtid_set import uuid_text
from conformance.binlog.mariadb_compression import statement_of
from conformance.binlog.rows.images import read_rows, rows_kind
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.status_variables import read_status_variables
from conformance.binlog.tables_info import tables_text
from conformance.binlog.user_variable import variable_value
from conformance.protocol.roles.decode import FIELDS, FIELDS_OF_TYPE, STATUS_FIELDS, TypeFields
from conformance.protocol.value_notation import noted, noted_rows


@cache
def _fields_of(type_code: int) -> tuple[str, ...]:
    """Return the fields of a type that are reported as they are on the wire."""
    kind = FIELDS_OF_TYPE.get(type_code, TypeFields())
    derived = DERIVED_FIELDS.get(type_code, ())
    return tuple(name for name in kind.required + kind.optional if name not in derived)


def report(event: Event, tables: OpenTables | None = None) -> dict[str, Any]:
    """Return an event as the protocol reports it.

    Args:
        event: The event.
        tables: The tables that are open before it; without them, rows are not reported.

    Raises:
        MalformedBody: The body contradicts its layout.
    """
    reported, rows = report_rows(event, tables)
    if rows is not None:
        reported["rows"] = list(rows)
    return reported


def report_rows(event: Event, tables: OpenTables | None) -> tuple[dict[str, Any], Iterator[dict[str, Any]] | None]:
    """Return an event as the protocol reports it, and its rows one by one; None if it has none to report.

    Raises:
        MalformedBody: See `report`; the rows raise it too.
    """
    header = event.header
    reported: dict[str, Any] = {
        "offset": event.offset,
        "type": header.type,
        "timestamp": header.timestamp,
        "server_id": header.server_id,
        "length": header.length,
        "log_pos": header.log_pos,
        "flags": header.flags,
        "handled": "known" if event.recognised else "ignored",
    }
    if not event.recognised:
        return reported, None
    fields = event.fields()
    for name in _fields_of(header.type):
        if name in fields:
            reported[name] = _AS_KIND[FIELDS[name].kind](fields[name])
    if header.type in _DERIVED:
        _, derive = _DERIVED[header.type]
        reported.update(derive(event, fields))
    if tables is not None and rows_kind(header.type) is not None and tables.has(fields.get("table_id", -1)):
        table = tables.table(fields["table_id"])
        return reported, noted_rows(read_rows(header.type, fields, table), table)
    return reported, None


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


_AS_KIND: Final[Mapping[str, Callable[[Any], Any]]] = {
    "integer": lambda value: value,
    "text": _text,
    "word": _text,
    "value": noted,
}


def _format_description(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    algorithm = event.format.checksum_algorithm
    return {
        "event_types": event.format.event_types,
        "checksum_algorithm": "crc32" if algorithm == ChecksumAlgorithm.CRC32 else "none",
    }


def _query(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    tables = {"tables_info": _text(tables_text(fields["tables_info"]))} if "tables_info" in fields else {}
    return {**_status_variables(event, fields), **tables}


def _status_variables(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    block = fields["status_variables"]
    values = read_status_variables(block)
    increments = values.get("auto_increment", {})
    decoded = {
        **values.get("charset", {}),
        **{f"auto_increment_{part}": number for part, number in increments.items()},
        **{name: _text(values[name]) for name in ("sql_mode", "time_zone") if name in values},
    }
    if values.get("updated_databases") is not None:
        decoded["updated_databases"] = ",".join(map(_text, values["updated_databases"]))
    return {"status_variables": noted(block), **decoded}


def _gtid(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    if "source_uuid" not in fields or "gno" not in fields:
        raise MalformedBody("the Gtid body has no UUID or no number")
    tag = fields.get("tag") or b""
    name = ":".join([uuid_text(fields["source_uuid"]), *([tag.decode("ascii", "replace")] if tag else [])])
    return {"gtid": f"{name}:{fields['gno']}"}


def _anonymous_gtid(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"gtid": "ANONYMOUS"}


def _previous_gtids(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"previous_gtids": str(fields["previous_gtids"])}


def _user_var(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"variable_value": noted(variable_value(fields))}


def _xa_prepare(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    border = fields["xa_gtrid_length"]
    data = fields["xa_data"]
    return {"xa_gtrid": noted(data[:border]), "xa_bqual": noted(data[border:])}


def _mariadb_gtid(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"gtid": f"{fields['domain_id']}-{event.header.server_id}-{fields['gno']}"}


def _mariadb_gtid_list(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    listed = (f"{each['domain_id']}-{each['server_id']}-{each['gno']}" for each in fields["gtid_list"])
    return {"gtid_list": ",".join(listed)}


def _mariadb_query_compressed(event: Event, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**_status_variables(event, fields), "query": _text(statement_of(fields))}


#: Event type code -> the fields whose reported value is not the one on the wire, and what derives them.
_DERIVED: Final[Mapping[int, tuple[tuple[str, ...], Callable[[Event, Mapping[str, Any]], dict[str, Any]]]]] = {
    EventType.FORMAT_DESCRIPTION: (("event_types", "checksum_algorithm"), _format_description),
    EventType.QUERY: ((*STATUS_FIELDS, "tables_info"), _query),
    EventType.EXECUTE_LOAD_QUERY: (STATUS_FIELDS, _status_variables),
    EventType.GTID: (("gtid",), _gtid),
    EventType.GTID_TAGGED: (("gtid",), _gtid),
    EventType.ANONYMOUS_GTID: (("gtid",), _anonymous_gtid),
    EventType.PREVIOUS_GTIDS: (("previous_gtids",), _previous_gtids),
    EventType.USER_VAR: (("variable_value",), _user_var),
    EventType.XA_PREPARE: (("xa_gtrid", "xa_bqual"), _xa_prepare),
    EventType.MARIADB_GTID: (("gtid",), _mariadb_gtid),
    EventType.MARIADB_GTID_LIST: (("gtid_list",), _mariadb_gtid_list),
    EventType.MARIADB_QUERY_COMPRESSED: ((*STATUS_FIELDS, "query"), _mariadb_query_compressed),
}
#: Event type code -> the fields whose reported value is not the one on the wire.
DERIVED_FIELDS: Final[Mapping[int, tuple[str, ...]]] = {code: names for code, (names, _) in _DERIVED.items()}
