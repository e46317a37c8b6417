"""A log as mariadb-binlog prints it.

Source: the output of mariadb-binlog 10.11.18 for logs of MariaDB 10.1 to 10.11, and of 11.8.9 for those of 10.1 to
11.8, line by line.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_info import gtid_list_texts, text, text_lines, xid_text
from conformance.binlog.event_types import (
    COMPRESSED_ROWS,
    COMPRESSED_ROWS_V1,
    MARIADB_TYPES_START,
    ROWS_V1,
    ROWS_V2,
    EventType,
    type_name,
)
from conformance.binlog.header import TYPE_AT
from conformance.binlog.layouts import mariadb_layouts
from conformance.binlog.mariadb_compression import statement_of, unpack_mariadb
from conformance.binlog.status_variables import alter_phase, read_status_variables
from conformance.binlog.writer import write_body
from conformance.models.rendering.binlog_statement import base64_lines, binlog_statement
from conformance.models.rendering.boundary_watch import BoundaryWatch
from conformance.models.rendering.header_line import with_checksum
from conformance.models.rendering.mysqlbinlog_text import MysqlbinlogText
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer_version import PrinterVersion
from conformance.models.rendering.printing_methods import MARIADB_METHODS
from conformance.models.rendering.session_settings import DELIMITER
from conformance.models.rendering.transaction_words import is_about_transaction

#: Compressed rows event -> the rows event that replaces it in a BINLOG statement.
_UNCOMPRESSED: Final[Mapping[int, int]] = dict(
    zip(COMPRESSED_ROWS_V1 + COMPRESSED_ROWS, ROWS_V1 + ROWS_V2, strict=True)
)
#: Type codes of MySQL's events that MariaDB skips, with the names that it prints.
_OF_MYSQL: Final[Mapping[int, str]] = {
    EventType.IGNORABLE: "Ignorable log event",
    EventType.ROWS_QUERY: "MySQL Rows_query",
    EventType.GTID: "MySQL Gtid",
    EventType.ANONYMOUS_GTID: "MySQL Anonymous_Gtid",
    EventType.PREVIOUS_GTIDS: "MySQL Previous_gtids",
    EventType.XA_PREPARE: "XA_prepare",
    EventType.PARTIAL_UPDATE_ROWS: "MySQL Update_rows_partial",
    EventType.TRANSACTION_PAYLOAD: "MySQL Transaction_payload",
    EventType.HEARTBEAT_V2: "MySQL Heartbeat",
}
#: The flag of a Table_map whose table has triggers that a replica runs.
_HAS_TRIGGERS: Final = 0x4000
#: MySQL's type codes that MariaDB does not know.
_NEWER: Final = frozenset(range(EventType.GTID_TAGGED, MARIADB_TYPES_START))
_ALTER_WORDS: Final = (
    (mariadb_layouts.START_ALTER, " START ALTER"),
    (mariadb_layouts.COMMIT_ALTER, " COMMIT ALTER id= {}"),
    (mariadb_layouts.ROLLBACK_ALTER, " ROLLBACK ALTER id= {}"),
)


class MariadbBinlogText(MysqlbinlogText):
    """Prints one log after another as MariaDB's program does."""

    def __init__(self, version: PrinterVersion, options: PrintOptions, boundaries: BoundaryWatch | None = None) -> None:
        super().__init__(version, options, boundaries)
        self._methods = MARIADB_METHODS
        # Nothing waits for the statement after it.
        self._held_types = frozenset()
        self._domain: dict[str, int] = {}
        self._annotation: Event | None = None
        #: Whether the last Gtid event was that of an XA transaction.
        self._in_xa = False

    def _ignorable(self, event: Event) -> Iterator[str]:
        code = event.header.type
        name = type_name(code).removeprefix("MARIADB_").capitalize()
        if code in _NEWER or name.startswith("Type_"):
            name = "Unknown"
        yield self._header(event, "Ignorable")
        yield f"# Ignorable event type {code} ({_OF_MYSQL.get(code, name)})"

    def _query(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        variables = read_status_variables(fields["status_variables"])
        compressed = "compressed_query" in fields
        query = statement_of(fields)
        yield self._query_header(event, "Query_compressed" if compressed else "Query", fields, variables)
        bare = is_about_transaction(query, xa=self._in_xa)
        yield from self._session.lines(event, fields, variables, bare=bare)
        if phase := alter_phase(variables):
            yield from self._two_phase_alter(event, query, starts=bool(phase & mariadb_layouts.START_ALTER))
            return
        yield text(query)
        yield DELIMITER

    def _query_header(self, event: Event, name: str, fields: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        return f"{super()._query_header(event, name, fields, variables)}\txid={variables.get('mariadb_xid', 0)}"

    def _two_phase_alter(self, event: Event, query: bytes, *, starts: bool) -> Iterator[str]:
        """Yield half of an ALTER TABLE: only the event in base64 shows a server which half it is."""
        if self._in_base64 and starts:
            yield "/*!100600 BINLOG '"
            yield from base64_lines(event.data)
            yield f"' */{DELIMITER}"
        elif self._in_base64:
            yield from binlog_statement(base64_lines(event.data))
        if self._options.verbose:
            yield text(b"### " + query)

    def _mariadb_gtid(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        flags = fields["mariadb_gtid_flags"]
        self._in_xa = bool(flags & (mariadb_layouts.PREPARED_XA | mariadb_layouts.COMPLETED_XA))
        words = f"GTID {fields['domain_id']}-{event.header.server_id}-{fields['gno']}"
        words += f" cid={fields['commit_id']}" if flags & mariadb_layouts.GROUP_COMMIT else ""
        words += " ddl" if flags & mariadb_layouts.DDL else ""
        words += " trans" if flags & mariadb_layouts.TRANSACTIONAL else ""
        words += " waited" if flags & mariadb_layouts.WAITED else ""
        extra = fields.get("mariadb_gtid_extra_flags", 0)
        words += "".join(form.format(fields.get("start_alter_gno")) for bit, form in _ALTER_WORDS if extra & bit)
        if self._version.gtid_thread and "thread_id" in fields:
            words += f" thread_id={fields['thread_id']}"
        yield self._header(event, words)
        serial = int(not flags & mariadb_layouts.ALLOW_PARALLEL)
        yield from self._set_if_changed("100101", "skip_parallel_replication", serial)
        yield from self._set_if_changed("100001", "gtid_domain_id", fields["domain_id"])
        yield from self._set_if_changed("100001", "server_id", event.header.server_id)
        yield f"/*M!100001 SET @@session.gtid_seq_no={fields['gno']}*/{DELIMITER}"
        if flags & mariadb_layouts.PREPARED_XA:
            yield f"XA START {xid_text(fields)}{DELIMITER}"
        elif not flags & (mariadb_layouts.STANDALONE | mariadb_layouts.COMPLETED_XA):
            yield "START TRANSACTION"
            yield DELIMITER

    def _set_if_changed(self, since: str, name: str, value: int) -> Iterator[str]:
        if self._domain.get(name) != value:
            self._domain[name] = value
            yield f"/*M!{since} SET @@session.{name}={value}*/{DELIMITER}"

    def _gtid_list(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        shown = ",\n# ".join(gtid_list_texts(fields, is_sorted=True))
        yield self._header(event, f"Gtid list [{shown}]")

    def _checkpoint(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, f"Binlog checkpoint {text(fields['log_name'])}")

    def _xa_prepare(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        xid = xid_text(fields)
        yield self._header(event, f"XID = {xid}")
        yield f"XA PREPARE {xid}"
        yield DELIMITER

    def _name(self, name: bytes) -> str:
        return f"`{text(name).replace('`', '``')}`"

    def _table_note(self, flags: int) -> str:
        return " (has triggers)" if flags & _HAS_TRIGGERS else ""

    def _annotate(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        # It is shown with the Table_map of its statement, and not at all if none follows.
        self._annotation = event
        return iter(())

    def _table_map(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        if self._annotation is not None:
            yield self._header(self._annotation, "Annotate_rows:")
            statement: bytes = self._annotation.fields()["rows_query"]
            yield from (f"#Q> {line}" for line in text_lines(statement.replace(b"\r", b"\n")) if line)
            self._annotation = None
        yield from super()._table_map(event, fields)

    def _flush_rows(self) -> Iterator[str]:
        count = self._rows.row_count
        yield from super()._flush_rows()
        yield f"# Number of rows: {count}"

    def _encoded(self, event: Event) -> Iterator[str]:
        code = _UNCOMPRESSED.get(event.header.type)
        if code is None:
            return super()._encoded(event)
        fields = event.fields()
        plain = {**fields, "row_data": unpack_mariadb(fields["compressed_rows"])}
        body = write_body(code, {key: value for key, value in plain.items() if key != "compressed_rows"}, event.format)
        head = event.data[:TYPE_AT] + bytes([code]) + event.data[TYPE_AT + 1 : event.format.header_length]
        return base64_lines(with_checksum(event, head + body)) if self._in_base64 else iter(())
