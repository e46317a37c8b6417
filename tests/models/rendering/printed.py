"""The kit's printed text of a log, as bytes, and small logs made by hand."""

from collections.abc import Iterable
from contextlib import suppress

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import ReaderRules, read_events
from conformance.binlog.servers import server_of
from conformance.binlog.writer import frame, write_body
from conformance.models.rendering.print_options import CannotPrint, PrintOptions
from conformance.models.rendering.printer import printer_of
from conformance.models.rendering.printer_version import PRINTER_VERSIONS
from conformance.reference.printed_boundaries import boundaries_of

_GONE = {EventType.WRITE_ROWS_V1, EventType.UPDATE_ROWS_V1, EventType.DELETE_ROWS_V1}
#: How mysqlbinlog 9.7 reads: it refuses rows events of version 1, and ignores wrong checksums.
RULES_9 = ReaderRules(verify_checksums=False, highest_type=127, known=ReaderRules().known - _GONE)


def printed(
    logs: Iterable[bytes], profile: str = "mysql-9.x", options: PrintOptions | None = None, rules: ReaderRules = RULES_9
) -> bytes:
    """Return the text of some logs, up to the first event of each that cannot be read or printed."""
    version = PRINTER_VERSIONS[profile]
    printer = printer_of(version, options or PrintOptions(), boundaries_of(version))
    lines = list(printer.opening())
    for log in logs:
        with suppress(BinlogError, CannotPrint):
            for line in printer.log(read_events(log, rules)):
                lines.append(line)
    lines += printer.closing()
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def small_log(*events, profile: str = "mysql-9.x", format_flags: int = 0) -> bytes:
    """Return a log without checksums: each event is a type, its fields, and its flags if it has any."""
    server = server_of(profile)
    described = FormatDescription(4, server.version, 0, 19, server.post_header_lengths, 0 if server.checksums else None)
    code, body = int(EventType.FORMAT_DESCRIPTION), described.body()
    log = MAGIC + frame(code, body, offset=4, checksummed=server.checksums, flags=format_flags)
    for code, fields, *flags in events:
        body = write_body(code, fields, described)
        log += frame(code, body, offset=len(log), checksummed=False, flags=sum(flags))
    return log
