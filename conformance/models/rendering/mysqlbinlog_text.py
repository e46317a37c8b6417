"""A log as mysqlbinlog prints it, event by event.

Sources: the worklogs; the output of mysqlbinlog 9.7.4 for logs of MySQL 5.0 to 9.7, line by line.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from conformance.binlog.errors import located
from conformance.binlog.event import Event
from conformance.binlog.event_info import signed, text, text_lines, xid_text
from conformance.binlog.event_types import VARIABLE_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.limits import check_events, check_values
from conformance.binlog.rows.images import READABLE_ROWS_TYPES
from conformance.binlog.status_variables import read_status_variables
from conformance.binlog.transaction_payload import Compression, inner_events
from conformance.models.rendering.binlog_statement import base64_lines, binlog_statement
from conformance.models.rendering.boundary_watch import BoundaryWatch
from conformance.models.rendering.gtid_text import gtid_description, gtid_lines, previous_gtids_lines
from conformance.models.rendering.header_line import as_printed, clock_text, header_line
from conformance.models.rendering.held_lines import HeldLines
from conformance.models.rendering.load_data_text import load_data_statement, load_file
from conformance.models.rendering.print_options import CannotPrint, PrintOptions
from conformance.models.rendering.printer_version import PrinterVersion
from conformance.models.rendering.printing_methods import MYSQL_METHODS
from conformance.models.rendering.row_changes_text import RowChangesText
from conformance.models.rendering.session_settings import DELIMITER, SessionSettings
from conformance.models.rendering.transaction_words import begins_transaction, ends_transaction, is_about_transaction
from conformance.models.rendering.user_variable_text import user_variable_lines

_ROLLBACK: Final = f"ROLLBACK /* added by mysqlbinlog */ {DELIMITER}"
_AUTOMATIC: Final = f"SET @@SESSION.GTID_NEXT= 'AUTOMATIC' /* added by mysqlbinlog */ {DELIMITER}"
_BEGIN: Final = f"BEGIN /*added by mysqlbinlog */ {DELIMITER}"
#: The first server version that flags a generated invisible primary key, and that flag.
_GENERATED_KEYS: Final = 80030
_GENERATED_KEY: Final = 0x0004
#: Characters of a Rows_query's statement that are shown as two.
_ESCAPES: Final = str.maketrans({"\0": "\\0", "\b": "\\b", "\t": "\\t", "\r": "\\r", "\\": "\\\\"})
_INTVAR_NAMES: Final = {1: "LAST_INSERT_ID", 2: "INSERT_ID"}


class MysqlbinlogText:
    """Prints one log after another.

    Args:
        version: The version of the program.
        options: The program's options.
        boundaries: Returns boundary types to show, and warnings of wrong steps (WL#4162); None: neither is printed.

    Attributes:
        warnings: The program's messages on its error stream so far; whoever prints them may take them away.
    """

    def __init__(self, version: PrinterVersion, options: PrintOptions, boundaries: BoundaryWatch | None = None) -> None:
        self.warnings: list[str] = []
        self._version = version
        self._options = options
        self._session = SessionSettings(version)
        self._rows = RowChangesText(version, verbose=options.verbose)
        self._boundaries = boundaries
        self._held: list[tuple[Event, str]] = []
        self._base64 = HeldLines()
        self._late = HeldLines()
        self._in_transaction = False
        #: Whether a GTID is set for a transaction that has not begun.
        self._gtid_is_set = False
        #: The version of the server that logged the transaction, from its Gtid event.
        self._server_version = 0
        self._log_is_open = False
        self._files: set[int] = set()
        self._methods = MYSQL_METHODS
        #: The types whose events wait for the statement after them.
        self._held_types = VARIABLE_TYPES

    def opening(self) -> Iterator[str]:
        """Yield the lines before the first log."""
        yield from self._version.opening
        yield f"DELIMITER {DELIMITER}"

    def log(self, events: Iterable[Event]) -> Iterator[str]:
        """Yield the lines of one log.

        Raises:
            BinlogError: An event cannot be read; the lines before it were yielded.
            CannotPrint: An event must be printed in base64, which the options forbid.
        """
        self.start_log()
        for event in events:
            yield from self.event(event)

    def start_log(self) -> None:
        """Start another log: its boundaries are independent of those of the previous log."""
        if self._boundaries is not None:
            self._boundaries.start_log()

    def closing(self) -> Iterator[str]:
        """Yield the lines after the last log."""
        if self._base64 or self._rows.waiting:
            self.warnings.append(
                "The range of printed events ends with a row event or a table map event that does not have the "
                "STMT_END_F flag set; the events of the partial statement have not been written to output."
            )
        self._drop_unfinished()
        yield from self._end_log()
        yield "DELIMITER ;"
        yield "# End of log file"
        yield from self._version.closing

    def _drop_unfinished(self) -> None:
        """Discard the statement within which a log ends, as mariadb-binlog 11.8 does.

        mysqlbinlog 9.7.4 does so at the end of the last log only: others it puts before the next log's first statement.
        """
        self._base64.close()
        self._rows.close()

    def event(self, event: Event) -> Iterator[str]:
        """Yield the lines of the next event of a log.

        Raises:
            MalformedBody: Its body contradicts its layout.
            CannotPrint: It must be printed in base64, which the options forbid.
        """
        self._feed(event)
        if self._is_next_log(event):
            self._drop_unfinished()
            yield from self._end_log()
        if self._is_forbidden(event):
            name = self._rows.name(event.header.type)
            raise CannotPrint(
                event.offset,
                f"--base64-output=never specified, but binlog contains a {name} event which must be printed in base64.",
            )
        yield f"# at {event.offset}"
        yield from self._print(event)

    def _is_forbidden(self, event: Event) -> bool:
        code = event.format.type_code(event.header.type)
        return self._options.base64_output == "never" and event.recognised and code in READABLE_ROWS_TYPES

    def _feed(self, event: Event) -> None:
        """Feed an event to the boundary parser, and add its warning."""
        warning = self._boundaries.feed(event) if self._boundaries is not None else None
        if warning is not None:
            self.warnings.append(warning)

    def _is_next_log(self, event: Event) -> bool:
        """Return whether an event is a source's format description after that of another log."""
        if event.header.type != EventType.FORMAT_DESCRIPTION or event.header.flags & Flag.RELAY_LOG:
            return False
        opened, self._log_is_open = self._log_is_open, True
        return opened

    def _end_log(self) -> Iterator[str]:
        yield from self._late.take()
        if self._version.ends_logs:
            if self._gtid_is_set and not self._in_transaction:
                yield _BEGIN
            if self._gtid_is_set or self._in_transaction:
                yield _ROLLBACK
            yield _AUTOMATIC
        self._in_transaction = self._gtid_is_set = False

    def _print(self, event: Event) -> Iterator[str]:
        code = event.format.type_code(event.header.type)
        method = self._methods.get(code) if event.recognised else None
        if method is None:
            yield from self._ignorable(event)
        elif code in self._held_types:
            self._held.append((event, method))
            with located(event.offset):
                check_events(len(self._held), "before its statement there are")
        else:
            yield from getattr(self, method)(event, event.fields())

    def _header(self, event: Event, description: str = "") -> str:
        """Return the header line of an event."""
        boundary = "" if self._boundaries is None else self._boundaries.heading(event)
        line = header_line(event, self._options.zone, boundary=boundary)
        return f"{line}\t{description}" if description else line

    def _ignorable(self, event: Event) -> Iterator[str]:
        yield self._header(event, "Ignorable")
        yield "# Unrecognized ignorable event"

    # Statements

    def _query(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield from self._print_held()
        variables = read_status_variables(fields["status_variables"])
        yield self._query_header(event, "Query", fields, variables)
        query: bytes = fields["query"]
        yield from self._session.lines(event, fields, variables, bare=is_about_transaction(query))
        yield text(query)
        yield DELIMITER
        self._follow(query)

    def _query_header(self, event: Event, name: str, fields: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        numbers = "\t".join(f"{each}={fields[each]}" for each in ("thread_id", "exec_time", "error_code"))
        xid = f"\tXid = {variables['ddl_xid']}" if self._version.query_xid and "ddl_xid" in variables else ""
        return self._header(event, f"{name}\t{numbers}{xid}")

    def _follow(self, query: bytes) -> None:
        """Track the transaction that statements begin and end."""
        self._gtid_is_set = False
        if begins_transaction(query):
            self._in_transaction = True
        elif ends_transaction(query):
            self._in_transaction = False

    def _print_held(self) -> Iterator[str]:
        for event, method in self._held:
            yield from getattr(self, method)(event, event.fields())
        self._held.clear()

    def _intvar(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, "Intvar")
        name = _INTVAR_NAMES.get(fields["intvar_type"], "INVALID_INT")
        yield f"SET {name}={signed(fields['intvar_value'], 64)}{DELIMITER}"

    def _rand(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, "Rand")
        seeds = [signed(fields[each], 64) for each in ("seed1", "seed2")]
        yield f"SET @@RAND_SEED1={seeds[0]}, @@RAND_SEED2={seeds[1]}{DELIMITER}"

    def _user_var(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, "User_var")
        yield from user_variable_lines(self._version, self._session, fields)

    def _load_block(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        name = "Begin_load_query" if event.header.type == EventType.BEGIN_LOAD_QUERY else "Append_block"
        self._files.add(fields["file_id"])
        check_values(len(self._files), "files of LOAD DATA with those before it")
        yield self._header(event)
        yield f"#{name}: file_id: {signed(fields['file_id'], 32)}  block_len: {len(fields['block_data'])}"

    def _delete_file(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event)
        yield f"#Delete_file: file_id={fields['file_id']}"

    def _execute_load_query(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        if fields["file_id"] not in self._files:
            self.warnings.append(
                f"Ignoring Execute_load_query since there is no Begin_load_query event for file_id: {fields['file_id']}"
            )
            return
        variables = read_status_variables(fields["status_variables"])
        yield self._query_header(event, "Execute_load_query", fields, variables)
        yield from self._session.lines(event, fields, variables, bare=False)
        yield load_data_statement(fields, load_file(self._options.local_load, fields["file_id"]))
        yield DELIMITER
        yield f"# file_id: {signed(fields['file_id'], 32)} "

    # Row changes

    def _table_map(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        names = ".".join(self._name(fields[each]) for each in ("database", "table"))
        note = self._table_note(fields["table_flags"])
        lines = [self._header(event, f"Table_map: {names} mapped to number {fields['table_id']}{note}")]
        if self._version.generated_key and self._server_version >= _GENERATED_KEYS:
            generated = bool(fields["table_flags"] & _GENERATED_KEY)
            lines.append(f"# has_generated_invisible_primary_key={generated:d}")
        self._rows.table_map(event)
        self._base64.add(self._encoded(event))
        yield from self._at_once_or_late(lines, wait=self._version.table_maps_wait)

    def _name(self, name: bytes) -> str:
        """Return a name as shown for a Table_map: MySQL's program does not double backticks inside it."""
        return f"`{text(name)}`"

    def _table_note(self, flags: int) -> str:
        """Return what is printed for the flags of a Table_map."""
        return ""

    def _rows_event(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        name = self._rows.name(event.format.type_code(event.header.type))
        flags = self._rows.flags(fields["rows_flags"])
        self._base64.add(self._encoded(event))
        ends = self._rows.rows(event, fields)
        line = self._header(event, f"{name}: table id {fields['table_id']}{flags}")
        yield from self._at_once_or_late([line], wait=self._version.rows_wait)
        if ends:
            yield from self._flush_rows()

    def _at_once_or_late(self, lines: list[str], *, wait: bool) -> Iterator[str]:
        if wait:
            self._late.add(lines)
        else:
            yield from lines

    def _flush_rows(self) -> Iterator[str]:
        yield from self._late.take()
        if self._base64:
            yield ""
            yield from binlog_statement(self._base64.take())
        yield from self._rows.lines()

    def _encoded(self, event: Event) -> Iterator[str]:
        return base64_lines(event.data) if self._in_base64 else iter(())

    @property
    def _in_base64(self) -> bool:
        return self._options.base64_output == "auto"

    def _rows_query(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        if not self._options.very_verbose:
            return
        yield self._header(event, "Rows_query")
        statement: bytes = fields["rows_query"]
        if self._version.stored_prefix:
            statement = statement.removeprefix(b"# ")
        lines = text_lines(statement)
        if self._version.escapes_statements:
            yield from (f"# {line.translate(_ESCAPES)}" for line in lines)
        else:
            yield from (f"# {line}" for line in lines if line)
        self._base64.add(self._encoded(event))

    # Transactions and logs

    def _format_description(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        at_startup = " at startup" if fields["created"] else ""
        moment = clock_text(event.header.timestamp, self._options.zone)
        version = f"Start: binlog v {fields['binlog_version']}, server v {event.format.server_version}"
        yield self._header(event, f"{version} created {moment}{at_startup}")
        if event.header.flags & Flag.BINLOG_IN_USE:
            yield "# Warning: this binlog is either in use or was not closed properly."
        thread = self._version.replica_thread
        if event.header.flags & Flag.RELAY_LOG and thread:
            yield f"# This Format_description_event appears in a relay log and was generated by the {thread}."
            return
        if at_startup and not event.header.flags & Flag.ARTIFICIAL:
            yield f"ROLLBACK{DELIMITER}"
        if self._in_base64:
            yield from binlog_statement(base64_lines(event.data))

    def _gtid(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        code = event.header.type
        yield self._header(event, gtid_description(self._version, code, fields))
        yield from gtid_lines(self._version, code, fields, self._options.zone)
        self._gtid_is_set = True
        self._server_version = fields.get("immediate_server_version", 0)

    def _previous_gtids(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, "Previous-GTIDs")
        yield from previous_gtids_lines(fields["previous_gtids"])

    def _xid(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, f"Xid = {fields['xid']}")
        yield f"COMMIT{DELIMITER}"
        self._in_transaction = self._gtid_is_set = False

    def _xa_prepare(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        xid = xid_text(fields)
        yield self._header(event, f"XA PREPARE {xid}")
        yield f"XA COMMIT {xid} ONE PHASE" if fields["one_phase"] else f"XA PREPARE {xid}"
        yield DELIMITER

    def _rotate(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, f"Rotate to {text(fields['next_file'])}  pos: {fields['next_position']}")

    def _stop(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event, "Stop")

    def _incident(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield self._header(event)
        yield "# Incident: LOST_EVENTS"
        yield "RELOAD DATABASE; # Shall generate syntax error"

    def _transaction_context(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield (
            f"{self._header(event)}Transaction_context: server_uuid={text(fields['server_uuid'])}"
            f"\tthread_id={fields['thread_id']}"
        )

    def _view_change(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        yield f"{self._header(event)}View_change_log_event: view_id={text(fields['view_id'])}"

    def _payload(self, event: Event, fields: Mapping[str, Any]) -> Iterator[str]:
        kind = {Compression.ZSTD: "ZSTD", Compression.NONE: "NONE"}.get(fields.get("compression_type", -1), "")
        numbers = f"payload_size={fields.get('payload_size', 0)}\tcompression_type={kind}"
        if kind != "NONE":
            numbers += f"\tuncompressed_size={fields.get('uncompressed_size', 0)}"
        yield self._header(event, f"Transaction_Payload\t\t{numbers}")
        yield "# Start of compressed events."
        for inner in inner_events(event):
            yield f"# at {event.header.log_pos}"
            # Row changes inside a payload are omitted without a message if base64 is forbidden.
            if not self._is_forbidden(inner):
                yield from self._print(as_printed(inner, event))
        yield "# End of compressed events."
