"""Mutants that misread the wire format."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    QUERY_TYPES,
    ROWS_V1,
    ROWS_V2,
    EventType,
)
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.binlog.layouts.statement_layouts import EXTENDED_QUERY_POST_HEADER
from conformance.binlog.rows.table_metadata import read_table_metadata
from conformance.binlog.servers import server_of
from conformance.mutants.mutant import (
    Mutant,
    Reported,
    all_of,
    change,
    checksummed,
    drop,
    flagged,
    has_field,
    low_half,
    minus,
    of_checksum,
    of_type,
    refuse,
    to,
)
from conformance.protocol.observation import Observation, Request
from conformance.protocol.reported_event import report
from conformance.reference.decode import answer

#: The types whose post-header some streams lengthen.
_LENGTHENED: Final = (EventType.QUERY, EventType.ROTATE, EventType.TABLE_MAP, *ROWS_V1, *ROWS_V2)


def _fixed_post_headers(event: Event, reported: Reported, types: Collection[EventType] = _LENGTHENED) -> Reported:
    """Report an event of some types as if no post-header of theirs were longer than that of 5.7."""
    code, known = event.header.type, server_of("mysql-5.7").post_header_lengths
    declared = event.format.post_header_length(code)
    if code not in types or declared <= known[code - 1] or declared == EXTENDED_QUERY_POST_HEADER:
        return reported
    lengths = bytearray(event.format.post_header_lengths)
    lengths[code - 1] = known[code - 1]
    fixed = event._replace(format=replace(event.format, post_header_lengths=bytes(lengths)))
    try:
        return {**reported, **report(fixed)}
    except MalformedBody as error:
        raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error


def _with_checksum(event: Event, reported: Reported) -> Reported:
    """Report a query followed by its checksum."""
    if event.has_checksum and "query" in reported:
        return {**reported, "query": reported["query"] + event.data[-4:].decode("latin-1")}
    return reported


def _comes_later(event: Event, reported: Reported) -> bool:
    return event.offset > len(MAGIC)


def _with_sign(value: int) -> int:
    """Return a number of 32 bits as one with a sign."""
    return value - (1 << 32) if value >> 31 else value


#: The code and the user of the variable of a statement's invoker.
_INVOKER: Final = b"\x0b\x04root"


def _has_invoker(event: Event, reported: Reported) -> bool:
    return _INVOKER in event.data


def _as_double(value: int) -> int:
    return int(float(value))


def _rows_query_by_first(request: Request) -> Observation:
    """Return the answer of a reader for which the first log's checksums end every Rows_query event."""
    seen = answer(request)
    first = now = ""
    entries: list[Mapping[str, Any]] = []
    for entry in seen.events:
        now = entry.get("checksum_algorithm", now)
        first = first or now
        if "rows_query" in entry and (first, now) == ("crc32", "none"):
            entries.append({**entry, "rows_query": entry["rows_query"][:-4]})
        else:
            entries.append(entry)
    return replace(seen, events=tuple(entries))


def _metadata_of(event: Event) -> Mapping[str, Any]:
    is_map = event.recognised and event.header.type == EventType.TABLE_MAP
    return read_table_metadata(event.fields().get("optional_metadata", b"")) if is_map else {}


def _has_all_collations(event: Event, reported: Reported) -> bool:
    return "column_charsets" in _metadata_of(event)


def _wrong_where_in_use(event: Event, reported: Reported) -> Reported:
    """Refuse an event with the bit of a log in use, if its checksum counts that."""
    in_use = event.header.flags & Flag.BINLOG_IN_USE
    if event.has_checksum and in_use and event.header.type != EventType.FORMAT_DESCRIPTION:
        raise BinlogError(at=event.offset, kind="checksum", message="the checksum is wrong")
    return reported


#: Every mutant about the wire format, in the order of the catalogue's themes.
FORMAT_MUTANTS: Final[tuple[Mutant, ...]] = (
    # The reader's own state
    Mutant(
        "position-before-xid",
        "FORMAT-READER-POSITION",
        "after an Xid event the position is still the event's start",
        lambda event, reported: (
            {**reported, "position": event.offset} if of_type(EventType.XID)(event, reported) else reported
        ),
    ),
    Mutant(
        "executed-set-lost",
        "FORMAT-READER-GTIDS",
        "after an Xid event the set of executed GTIDs is empty",
        change("executed_gtid_set", to(""), of_type(EventType.XID)),
    ),
    # Delivery and framing
    Mutant("drops-intvar", "FORMAT-EVENT-DELIVERED", "Intvar events are lost", drop(of_type(EventType.INTVAR))),
    Mutant(
        "xid-one-byte-late",
        "FORMAT-EVENT-START",
        "the offset of Xid events is one byte late",
        change("offset", minus(-1), of_type(EventType.XID)),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "one-format-description",
        "FORMAT-LATEST-GOVERNS",
        "a second format description is refused",
        refuse(all_of(of_type(EventType.FORMAT_DESCRIPTION), flagged(Flag.RELAY_LOG))),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "artificial-format-refused",
        "FORMAT-LATEST-GOVERNS",
        "a format description with the artificial flag is refused after the first one",
        refuse(all_of(of_type(EventType.FORMAT_DESCRIPTION), flagged(Flag.ARTIFICIAL))),
        also=("FORMAT-EVENT-DELIVERED",),
    ),
    Mutant(
        "rows-query-by-first-format",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "a Rows_query event ends in a checksum if the first log's events do",
        answer=_rows_query_by_first,
    ),
    Mutant(
        "in-use-refused",
        "FORMAT-IN-USE-CHECKSUM",
        "a log in use is refused",
        refuse(all_of(of_type(EventType.FORMAT_DESCRIPTION), flagged(Flag.BINLOG_IN_USE))),
    ),
    Mutant(
        "in-use-not-in-checksums",
        "FORMAT-IN-USE-CHECKSUM",
        "the bit of a log in use is left out of the checksum of every event",
        _wrong_where_in_use,
    ),
    # The common header
    Mutant(
        "rand-type", "FORMAT-HEADER-TYPE", "Rand has the type of Intvar", change("type", to(5), of_type(EventType.RAND))
    ),
    Mutant(
        "late-timestamp",
        "FORMAT-HEADER-TIMESTAMP",
        "timestamps are an hour late",
        change("timestamp", minus(-3600)),
    ),
    Mutant("timestamp-signed", "FORMAT-HEADER-TIMESTAMP", "timestamps have a sign", change("timestamp", _with_sign)),
    Mutant("server-id-signed", "FORMAT-HEADER-SERVER-ID", "server ids have a sign", change("server_id", _with_sign)),
    Mutant(
        "server-id-signed-in-rows-queries",
        "FORMAT-HEADER-SERVER-ID",
        "server ids have a sign in Rows_query events alone",
        change("server_id", _with_sign, of_type(EventType.ROWS_QUERY)),
    ),
    Mutant("log-pos-signed", "FORMAT-HEADER-LOG-POS", "a log_pos has a sign", change("log_pos", _with_sign)),
    Mutant("server-id-zero", "FORMAT-HEADER-SERVER-ID", "the server id is 0", change("server_id", to(0))),
    Mutant(
        "length-without-checksum",
        "FORMAT-HEADER-LENGTH",
        "the length of a Rotate does not count its checksum",
        change("length", minus(4), all_of(of_type(EventType.ROTATE), checksummed)),
    ),
    Mutant(
        "rotate-log-pos-7",
        "FORMAT-HEADER-LOG-POS",
        "the log_pos of a Rotate is 7",
        change("log_pos", to(7), of_type(EventType.ROTATE)),
    ),
    Mutant(
        "low-flags",
        "FORMAT-HEADER-FLAGS",
        "the high byte of the flags is lost",
        change("flags", lambda flags: flags & 0xFF),
    ),
    # The format description
    Mutant(
        "version-without-suffix",
        "FORMAT-DESCRIPTION-FIELDS",
        "the server version ends at its last dot",
        change("server_version", lambda text: text.rpartition(".")[0]),
    ),
    Mutant(
        "version-to-20-bytes",
        "FORMAT-DESCRIPTION-FIELDS",
        "the server version has no more than 20 bytes",
        change("server_version", lambda text: text[:20]),
    ),
    Mutant(
        "later-created-lost",
        "FORMAT-DESCRIPTION-FIELDS",
        "a format description after the first has no time of creation",
        change("created", to(0), all_of(of_type(EventType.FORMAT_DESCRIPTION), _comes_later)),
    ),
    Mutant(
        "statement-ends-at-nul",
        "WL40-USUAL-QUERY-TO-END",
        "a statement ends before its first NUL",
        change("query", lambda text: text.partition("\0")[0]),
    ),
    Mutant(
        "statement-without-returns",
        "WL40-USUAL-QUERY-TO-END",
        "carriage returns before line feeds are lost",
        change("query", lambda text: text.replace("\r\n", "\n")),
    ),
    Mutant(
        "statement-ends-at-no-character",
        "WL40-USUAL-QUERY-TO-END",
        "a statement ends before its first byte that is of no character",
        change("query", lambda text: text.partition("\N{REPLACEMENT CHARACTER}")[0]),
    ),
    Mutant(
        "characters-of-three-bytes",
        "WL40-USUAL-QUERY-TO-END",
        "characters of four bytes are question marks",
        change("query", lambda text: "".join(each if each <= "\uffff" else "?" for each in text)),
    ),
    Mutant(
        "byte-order-mark-lost",
        "WL4033-READ-ROWS-QUERY-TEXT",
        "a byte order mark at the beginning of a statement is lost",
        change("rows_query", lambda text: text.replace("\ufeff", "", 1)),
    ),
    Mutant(
        "variable-name-to-64-bytes",
        "FORMAT-USER-VAR",
        "the name of a user variable has no more than 64 bytes",
        change("variable_name", lambda name: name.encode()[:64].decode(errors="ignore")),
    ),
    Mutant(
        "types-with-checksum",
        "FORMAT-TYPE-COUNT",
        "the checksum counts as event types",
        change("event_types", minus(-5)),
    ),
    *(
        Mutant(
            f"{name}-unverified",
            "FORMAT-CHECKSUM-WRONG",
            f"a wrong checksum of {words} ends the log quietly",
            swallow=of_checksum(*types),
        )
        for name, words, types in (
            ("stop", "a Stop event", (EventType.STOP,)),
            ("payload", "a Transaction_payload event", (EventType.TRANSACTION_PAYLOAD,)),
            ("incident", "an Incident event", (EventType.INCIDENT,)),
            ("xa-prepare", "an XA_prepare event", (EventType.XA_PREPARE,)),
            ("loaded-block", "a block of LOAD DATA", (EventType.BEGIN_LOAD_QUERY, EventType.APPEND_BLOCK)),
            ("compressed-rows", "compressed rows", (*COMPRESSED_ROWS, *COMPRESSED_ROWS_V1)),
        )
    ),
    Mutant(
        "never-checksums",
        "FORMAT-CHECKSUM-ALGORITHM",
        "the checksum algorithm is always none",
        change("checksum_algorithm", to("none")),
    ),
    Mutant(
        "fixed-post-headers",
        "FORMAT-POST-HEADER-LENGTHS",
        "post-headers are never longer than in 5.7",
        _fixed_post_headers,
    ),
    Mutant(
        "fixed-post-header-of-rotate",
        "FORMAT-POST-HEADER-LENGTHS",
        "the name in a Rotate event begins after eight bytes, whatever length of its post-header is declared",
        partial(_fixed_post_headers, types=(EventType.ROTATE,)),
    ),
    # Checksums
    Mutant(
        "checksum-in-query",
        "FORMAT-CHECKSUM-NOT-BODY",
        "a query ends with its checksum",
        _with_checksum,
        also=("WL40-USUAL-QUERY-TO-END",),
    ),
    # Bodies
    Mutant(
        "sql-mode-16-bits",
        "FORMAT-QUERY-STATUS-VARIABLES",
        "sql_mode has 16 bits",
        change("sql_mode", lambda value: value & 0xFFFF),
    ),
    Mutant(
        "variables-after-invoker-lost",
        "FORMAT-QUERY-STATUS-VARIABLES",
        "the variables end with the user that has invoked a statement",
        change("updated_databases", to(None), _has_invoker),
    ),
    Mutant(
        "error-code-byte", "FORMAT-QUERY", "the error code has one byte", change("error_code", lambda code: code & 0xFF)
    ),
    Mutant(
        "file-with-nul",
        "FORMAT-ROTATE",
        "the next file ends with a zero byte",
        change("next_file", lambda name: name + "\0"),
    ),
    Mutant("no-stop", "FORMAT-STOP", "Stop is refused", refuse(of_type(EventType.STOP))),
    Mutant("xid-as-double", "FORMAT-XID", "an Xid is converted through a double", change("xid", _as_double)),
    Mutant("intvar-32-bits", "FORMAT-INTVAR", "an Intvar has 32 bits", change("intvar_value", low_half)),
    Mutant("seed-32-bits", "FORMAT-RAND", "a seed has 32 bits", change("seed2", low_half)),
    Mutant(
        "table-with-two-charsets-refused",
        "FORMAT-EVENT-DELIVERED",
        "a table is refused whose metadata has the collation of each text column",
        refuse(_has_all_collations),
    ),
    Mutant(
        "short-table-name",
        "FORMAT-TABLE-MAP",
        "a table name is cut at 63 characters",
        change("table", lambda name: name[:63]),
    ),
    Mutant(
        "table-in-lower-case",
        "FORMAT-TABLE-MAP",
        "a table name is turned into lower case",
        change("table", str.lower),
    ),
    Mutant(
        "table-database-in-lower-case",
        "FORMAT-TABLE-MAP",
        "the database of a Table_map is turned into lower case",
        change("database", str.lower, of_type(EventType.TABLE_MAP)),
    ),
    Mutant(
        "database-in-lower-case",
        "FORMAT-QUERY",
        "the default database is turned into lower case",
        change("database", str.lower, of_type(*QUERY_TYPES)),
    ),
    Mutant("rows-flags-lost", "FORMAT-ROWS", "rows flags are 0", change("rows_flags", to(0))),
    Mutant(
        "commit-timestamp-bit",
        "FORMAT-GTID-COMMIT-FIELDS",
        "bit 55 of the commit timestamp is not cleared",
        change(
            "immediate_commit_timestamp", lambda time: time | 1 << 55, has_field("has_original_commit_timestamp", True)
        ),
    ),
    Mutant(
        "unknown-source-version-zero",
        "FORMAT-GTID-COMMIT-FIELDS",
        "the version of a source that gave none is 0",
        change("original_server_version", lambda version: 0, has_field("original_server_version", 999_999)),
    ),
    Mutant(
        "tag-lost",
        "FORMAT-GTID-TAGGED",
        "the tag of a GTID is lost",
        change("gtid", lambda gtid: gtid[:36] + gtid[gtid.rindex(":") :], of_type(EventType.GTID_TAGGED)),
    ),
)
