"""The choice of the program that prints a log."""

from conformance.models.rendering.boundary_watch import BoundaryWatch
from conformance.models.rendering.mariadb_binlog_text import MariadbBinlogText
from conformance.models.rendering.mysqlbinlog_text import MysqlbinlogText
from conformance.models.rendering.print_options import PrintOptions
from conformance.models.rendering.printer_version import PrinterVersion


def printer_of(
    version: PrinterVersion, options: PrintOptions, boundaries: BoundaryWatch | None = None
) -> MysqlbinlogText:
    """Return a printer of logs in a version's words; `boundaries` returns the boundary types if they are shown."""
    return (MariadbBinlogText if version.is_mariadb else MysqlbinlogText)(version, options, boundaries)
