"""`binlog-conformance filter`: a binary log without the tables that its rules leave out (WL#40)."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

import click

from conformance.binlog.errors import BinlogError
from conformance.binlog.reader import ReaderRules, read_file
from conformance.cli.log_files import CannotOpen, open_log, problem, reading_progress, say
from conformance.cli.main import COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.log_check.framing import is_unreadable
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.filtered_log import LogFilter
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES, TableFilter
from conformance.models.filtering.table_name import TableName

#: Ignorable events of types that are not declared belong to a log as well.
_RULES: Final = ReaderRules(beyond_format_description=True)
_Mode = TypeVar("_Mode", bound=str)


@click.command("filter")
@click.argument("file", metavar="FILE")
@click.option("--do-table", "do_tables", multiple=True, metavar="DB.TABLE", help="Keep this table; may be repeated.")
@click.option("--ignore-table", "ignore_tables", multiple=True, metavar="DB.TABLE", help="Leave this table out.")
@click.option("--do-database", "do_databases", multiple=True, metavar="DB", help="Keep all tables of this database.")
@click.option("--ignore-database", "ignore_databases", multiple=True, metavar="DB", help="Leave this database out.")
@click.option(
    "--tables",
    type=click.Choice(TABLES_MODES),
    default=TABLES_MODES[0],
    show_default=True,
    help="clever: a table that was created from one that is left out is left out as well.",
)
@click.option(
    "--renames",
    type=click.Choice(RENAMES_MODES),
    default=RENAMES_MODES[0],
    show_default=True,
    help="name: a rule is for the name; identity: it follows the table when it is renamed.",
)
@click.option("--unpack-payloads", is_flag=True, help="Write what is left of compressed transactions uncompressed.")
@click.option("--output", required=True, metavar="OUT", help="The file to write; it may not exist yet.")
def command(
    file: str,
    *,
    do_tables: tuple[str, ...],
    ignore_tables: tuple[str, ...],
    do_databases: tuple[str, ...],
    ignore_databases: tuple[str, ...],
    tables: str,
    renames: str,
    unpack_payloads: bool,
    output: str,
) -> None:
    """Write the events of a binary log that pass rules for tables to another; `-` reads standard input.

    Statements are judged by their tables info, or, where a log has none, by the tables that an SQL parser finds in
    them; rows by the table of their Table_map. A transaction of which nothing is left is left out with its GTID.

    Exit status: 0 filtered, 1 the log is damaged, 2 could not run; only with 0 is there an output.
    """
    rules = _rules(do_tables, ignore_tables, do_databases, ignore_databases)
    tables_filter = TableFilter(rules, tables=_one_of(TABLES_MODES, tables), renames=_one_of(RENAMES_MODES, renames))
    chosen = LogFilter(tables_filter, unpack_payloads=unpack_payloads)
    try:
        with open_log(file) as stream, _new_file(output) as out, reading_progress(file, stream) as progress:
            _copy(chosen, stream, out, progress)
    except CannotOpen as error:
        say(f"{file}: {error}")
        raise SystemExit(COULD_NOT_RUN) from error
    except BinlogError as error:
        say(problem(file, error))
        raise SystemExit(COULD_NOT_RUN if is_unreadable(error) else NOT_CONFORMING) from error
    except ImportError as error:
        raise UserError(f"{file} cannot be filtered: {error}; pip install 'binlog-conformance[sql]'") from error
    counts = chosen.counts
    click.echo(f"{output}: {counts.kept} events kept, {counts.dropped} left out")
    if counts.uncertain:
        say(f"{file}: {counts.uncertain} statements that the SQL parser does not know were judged by the names in them")


def _rules(
    do_tables: tuple[str, ...],
    ignore_tables: tuple[str, ...],
    do_databases: tuple[str, ...],
    ignore_databases: tuple[str, ...],
) -> FilterRules:
    if not (do_tables or ignore_tables or do_databases or ignore_databases):
        raise UserError("no rule; give --do-table, --ignore-table, --do-database or --ignore-database")
    try:
        return FilterRules(
            do_tables=frozenset(map(TableName.parse, do_tables)),
            ignore_tables=frozenset(map(TableName.parse, ignore_tables)),
            do_databases=frozenset(do_databases),
            ignore_databases=frozenset(ignore_databases),
        )
    except ValueError as error:
        raise UserError(str(error)) from error


def _one_of(modes: tuple[_Mode, ...], name: str) -> _Mode:
    return next(each for each in modes if each == name)


def _copy(chosen: LogFilter, stream: BinaryIO, out: BinaryIO, progress: Callable[[int], None]) -> None:
    written = 0
    for piece in chosen.filtered(read_file(stream, _RULES)):
        out.write(piece)
        written += len(piece)
        progress(written)


@contextmanager
def _new_file(name: str) -> Iterator[BinaryIO]:
    """Open a file that is there only once it is whole.

    Raises:
        UserError: It exists already, or cannot be written.
    """
    path = Path(name)
    try:
        if path.exists():
            raise UserError(f"{path} exists already; name a new file with --output")
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise UserError(f"{name} cannot be written: {error.strerror or error}") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
