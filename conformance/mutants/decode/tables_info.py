"""The mutants of WL#40's extended Query events, in the role `decode`."""

from collections.abc import Callable
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.header import MAGIC
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.query_dump import is_extended_query
from conformance.binlog.tables_info import TUPLE, size_of, tables_text
from conformance.mutants.mutant import Alter, Mutant, Reported, all_of, change, of_type, refuse, to
from conformance.protocol.value_notation import noted

#: Bytes of the usual post-header, with which the extended one begins.
_USUAL: Final = 13
#: The beginning of the worklog's example, whose names have no backticks.
_EXAMPLE: Final = "RENAME TABLE t1 "


def _extended(event: Event, reported: Reported) -> bool:
    return is_extended_query(event)


def _example(event: Event, reported: Reported) -> bool:
    return str(reported.get("query", "")).startswith(_EXAMPLE)


def _declares_tables_info(event: Event, reported: Reported) -> bool:
    return event.format.post_header_length(EventType.QUERY) == EXTENDED_QUERY_POST_HEADER


def _is_of_next_log(event: Event, reported: Reported) -> bool:
    return event.offset > len(MAGIC)


def _as_usual(event: Event, reported: Reported) -> Reported:
    """Skip the four new bytes, and read the rest as usual."""
    if not is_extended_query(event):
        return reported
    usual = layout_of(EventType.QUERY, _USUAL)
    fields = usual.read(
        event.data, event.format.header_length, event.body_end, post_header_length=EXTENDED_QUERY_POST_HEADER
    )
    return {name: value for name, value in reported.items() if name != "tables_info"} | {
        "query": fields["query"].decode("utf-8", "replace")
    }


def _changed(change: Callable[[dict[str, Any], Reported], Reported]) -> Alter:
    """Return the change of what is reported for extended events, by their fields."""

    def alter(event: Event, reported: Reported) -> Reported:
        return {**reported, **change(event.fields(), reported)} if is_extended_query(event) else reported

    return alter


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _wire(fields: dict[str, Any]) -> bytes:
    return b"".join(TUPLE.write(each, fields) for each in fields["tables_info"])


def _tables_first(fields: dict[str, Any], reported: Reported) -> Reported:
    both = fields["query"] + _wire(fields)
    at = size_of(fields["tables_info"])
    return {"query": _text(both[at : at + len(fields["query"])])}


def _cut_tables(fields: dict[str, Any], reported: Reported) -> Reported:
    left = size_of(fields["tables_info"]) & 0xFF
    whole = []
    for each in fields["tables_info"]:
        left -= size_of([each])
        if left < 0:
            break
        whole.append(each)
    return {"tables_info": _text(tables_text(whole))}


def _database_in_variables(fields: dict[str, Any], reported: Reported) -> Reported:
    variables = fields["status_variables"]
    return {"database": _text(variables[: len(fields["database"])])} if variables else {}


def _three_tables(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"tables_info": _text(tables_text(fields["tables_info"][:3]))}


def _signed_length(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"tables_info": ""} if size_of(fields["tables_info"]) > 0x7FFF else {}


def _cut_variables(fields: dict[str, Any], reported: Reported) -> Reported:
    variables = fields["status_variables"]
    if len(variables) <= 0xFF:
        return {}
    return {"status_variables": noted(variables[: len(variables) & 0xFF])}


def _cut_database(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"database": _text(fields["database"][:64])}


def _database_to_zero(fields: dict[str, Any], reported: Reported) -> Reported:
    after = fields["database"] + fields["query"] + _wire(fields)
    return {"database": _text(after.partition(b"\0")[0])}


def _with_tables(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"query": reported["query"] + _text(_wire(fields))}


def _sorted_tables(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"tables_info": _text(tables_text(sorted(fields["tables_info"], key=lambda each: each["table"])))}


def _lower_case_beyond_ascii(fields: dict[str, Any], reported: Reported) -> Reported:
    text = _text(tables_text(fields["tables_info"]))
    return {"tables_info": "".join(each if each.isascii() else each.lower() for each in text)}


def _lower_case(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"tables_info": _text(tables_text(fields["tables_info"])).lower()}


def _names_of_127(fields: dict[str, Any], reported: Reported) -> Reported:
    cut = [{part: name[:0x7F] for part, name in each.items()} for each in fields["tables_info"]]
    return {"tables_info": _text(tables_text(cut))}


def _other_default(fields: dict[str, Any], reported: Reported) -> Reported:
    named = [{**each, "database": each["database"] or b"mysql"} for each in fields["tables_info"]]
    return {"tables_info": _text(tables_text(named))}


def _heads_swapped(fields: dict[str, Any], reported: Reported) -> Reported:
    return {"thread_id": reported["exec_time"], "exec_time": reported["thread_id"]}


def _short_by_a_checksum(event: Event, reported: Reported) -> Reported:
    """Leave out the last four bytes although there is no checksum."""
    if not is_extended_query(event) or event.has_checksum:
        return reported
    tables = event.fields()["tables_info"]
    if tables and size_of(tables[-1:]) == 4:
        return {**reported, "tables_info": _text(tables_text(tables[:-1]))}
    return reported


#: Every mutant, in the order of the catalogue.
TABLES_INFO_MUTANTS: Final[tuple[Mutant, ...]] = (
    Mutant(
        "query-loses-nul",
        "WL40-USUAL-QUERY-TO-END",
        "the last byte of a query is read as a terminator",
        change("query", lambda text: text[:-1], lambda event, reported: len(reported["query"]) > 5),
    ),
    Mutant("always-usual-queries", "WL40-FORMAT-FROM-FDE", "an extended Query event is read as a usual one", _as_usual),
    Mutant(
        "one-query-format",
        "WL40-ONE-FORMAT-PER-LOG",
        "a second log with extended Query events is refused",
        refuse(all_of(of_type(EventType.FORMAT_DESCRIPTION), _is_of_next_log, _declares_tables_info)),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "query-head-swapped",
        "WL40-POST-HEADER-ORDER",
        "thread and execution time of an extended Query event are exchanged",
        _changed(_heads_swapped),
    ),
    Mutant(
        "query-length-byte",
        "WL40-QUERY-LEN",
        "the query length of an extended event has one byte",
        _changed(lambda fields, reported: {"query": _text(fields["query"][: len(fields["query"]) & 0xFF])}),
    ),
    Mutant("tables-info-byte", "WL40-TABLES-INFO-LEN", "the tables info length has one byte", _changed(_cut_tables)),
    Mutant(
        "contradiction-ends-quietly",
        "WL40-LENGTHS-CONTRADICT",
        "an extended Query event that contradicts itself ends the log quietly",
        swallow=lambda error, stream: error.kind == "malformed",
        also=("FORMAT-BODY-MALFORMED",),
    ),
    Mutant("tables-info-signed", "WL40-TABLES-INFO-LEN", "the tables info length has a sign", _changed(_signed_length)),
    Mutant("tables-before-query", "WL40-DATA-ORDER", "tables info is read before the query", _changed(_tables_first)),
    Mutant(
        "database-before-variables",
        "WL40-STATUS-VARS-UNCHANGED",
        "the database of an extended Query event is read from the status variables",
        _changed(_database_in_variables),
    ),
    Mutant(
        "status-length-byte",
        "WL40-STATUS-VARS-UNCHANGED",
        "the length of the status variables of an extended Query event has one byte",
        _changed(_cut_variables),
    ),
    Mutant(
        "zero-after-database",
        "WL40-DB-NO-ZERO",
        "the first byte of an extended event's query is read as a terminator",
        _changed(lambda fields, reported: {"query": reported["query"][1:]}),
    ),
    Mutant(
        "database-up-to-zero",
        "WL40-DB-BY-LENGTH",
        "the database of an extended Query event ends with the next zero byte",
        _changed(_database_to_zero),
    ),
    Mutant(
        "database-cut-at-64",
        "WL40-DB-BY-LENGTH",
        "the database of an extended Query event is cut at 64 bytes",
        _changed(_cut_database),
    ),
    Mutant(
        "tables-info-in-query",
        "WL40-QUERY-STOPS",
        "the query of an extended event runs to its end",
        _changed(_with_tables),
    ),
    Mutant(
        "three-tables-read",
        "WL40-TABLES-INFO-LIST",
        "the first three tables of a list are read",
        _changed(_three_tables),
    ),
    Mutant(
        "listed-in-lower-case",
        "WL40-TABLES-INFO-LIST",
        "tables info is in lower case",
        _changed(_lower_case),
        also=("WL40-TABLES-INFO-NAME-LENGTHS",),
    ),
    Mutant(
        "listed-in-lower-case-beyond-ascii",
        "WL40-TABLES-INFO-LIST",
        "the names in tables info that are not in ASCII are in lower case",
        _changed(_lower_case_beyond_ascii),
        also=("WL40-TABLES-INFO-NAME-LENGTHS",),
    ),
    Mutant("sorted-tables-info", "WL40-TABLES-INFO-LIST", "tables info is sorted by table", _changed(_sorted_tables)),
    Mutant("names-cut-at-127", "WL40-TABLES-INFO-NAME-LENGTHS", "a name is cut at 127 bytes", _changed(_names_of_127)),
    Mutant(
        "default-database-mysql",
        "WL40-TABLES-INFO-DEFAULT-DB",
        "an empty database in tables info is read as mysql",
        _changed(_other_default),
    ),
    Mutant("example-refused", "WL40-GOLDEN-EVENT", "the worklog's example is refused", refuse(_example)),
    Mutant(
        "example-server-id",
        "WL40-GOLDEN-HEADER",
        "the server id of the worklog's example is 1",
        change("server_id", to(1), _example),
    ),
    Mutant(
        "extended-log-pos",
        "WL40-GOLDEN-LOG-POS",
        "the log_pos of an extended Query event does not count its tables info",
        _changed(lambda fields, reported: {"log_pos": reported["log_pos"] - size_of(fields["tables_info"])}),
    ),
    Mutant(
        "table-map-flag-lost",
        "WL40-GOLDEN-FLAG",
        "flag 0x0010 is lost",
        change("flags", lambda flags: flags & ~0x10),
        also=("FORMAT-HEADER-FLAGS",),
    ),
    Mutant(
        "example-query",
        "WL40-GOLDEN-QUERY",
        "the statement of the worklog's example ends at its first comma",
        change("query", lambda text: text.partition(",")[0], _example),
    ),
    Mutant(
        "example-tables",
        "WL40-GOLDEN-TABLES",
        "the worklog's example has the intermediate table too",
        change("tables_info", lambda text: f"{text},``.`tmp`", _example),
    ),
    Mutant(
        "tables-info-short-by-checksum",
        "WL40-GOLDEN-NO-CHECKSUM",
        "four bytes of tables info are read as a checksum although there is none",
        _short_by_a_checksum,
        also=("WL40-TABLES-INFO-LIST",),
    ),
)
