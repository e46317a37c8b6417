"""`binlog-conformance filter`: a binary log without the tables that its rules leave out (WL#40)."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

import click

from conformance.binlog.errors import BinlogError
from conformance.binlog.reader import ReaderRules, read_file
from conformance.cli.examples import examples
from conformance.cli.file_path import FilePath
from conformance.cli.limit_option import limit_option
from conformance.cli.log_files import CannotOpen, open_log, print_error, problem, reading_progress
from conformance.cli.main import COULD_NOT_RUN, NOT_CONFORMING, UserError
from conformance.log_check.framing import is_unreadable
from conformance.models.filtering.filter_rules import FilterRules
from conformance.models.filtering.filtered_log import LogFilter
from conformance.models.filtering.table_filter import RENAMES_MODES, TABLES_MODES, TableFilter
from conformance.models.filtering.table_name import TableName
from conformance.reports.standard_streams import exact_output
from conformance.specs.extras import install_command

#: The output that stands for standard output.
STANDARD_OUTPUT: Final = "-"
#: Ignorable events of undeclared types are part of a log as well.
_RULES: Final = ReaderRules(beyond_format_description=True)
#: The permissions of a new file, without those that the user's umask takes.
_ORDINARY: Final = 0o666
_Mode = TypeVar("_Mode", bound=str)


@click.command(
    "filter",
    epilog=examples(
        "filter binlog.000001 --ignore-table shop.audit --output filtered.000001",
        "filter binlog.000001 --do-database shop --output - | mysqlbinlog -",
    ),
)
@click.argument("file", metavar="FILE")
@click.option("--do-table", "do_tables", multiple=True, metavar="DB.TABLE", help="Keep this table; may be repeated.")
@click.option(
    "--ignore-table",
    "ignore_tables",
    multiple=True,
    metavar="DB.TABLE",
    help="Leave out this table; may be repeated.",
)
@click.option("--do-database", "do_databases", multiple=True, metavar="DB", help="Keep this database; may be repeated.")
@click.option(
    "--ignore-database",
    "ignore_databases",
    multiple=True,
    metavar="DB",
    help="Leave out this database; may be repeated.",
)
@click.option(
    "--tables",
    type=click.Choice(TABLES_MODES),
    default=TABLES_MODES[0],
    show_default=True,
    help="clever: also leave out a table that was created from one that is left out.",
)
@click.option(
    "--renames",
    type=click.Choice(RENAMES_MODES),
    default=RENAMES_MODES[0],
    show_default=True,
    help="name: a rule applies to a name; identity: it follows a table that is renamed; list: as name, but a table "
    "that was renamed can be renamed back.",
)
@click.option("--unpack-payloads", is_flag=True, help="Write what is left of compressed transactions uncompressed.")
@limit_option
@click.option(
    "--output",
    type=FilePath(allow_dash=True),
    required=True,
    metavar="OUT",
    help="File to write, which must not exist yet; - for standard output, once the log has been read to its end.",
)
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
    """Copy a binary log without the tables that the rules leave out; `-` reads standard input.

    The rules apply to the tables info of a statement, or, if the log has none, to the tables that an SQL parser finds
    in it; and to the table of a rows event. A transaction with nothing left is dropped, with its GTID.

    Exit status: 0 filtered, 1 the log is damaged, 2 could not run, or an event is beyond a limit; only 0 leaves an
    output.
    """
    rules = _rules(do_tables, ignore_tables, do_databases, ignore_databases)
    try:
        tables_filter = TableFilter(
            rules, tables=_one_of(TABLES_MODES, tables), renames=_one_of(RENAMES_MODES, renames)
        )
    except ValueError as error:
        raise UserError(f"--renames: {error}") from error
    chosen = LogFilter(tables_filter, unpack_payloads=unpack_payloads, rules=_RULES)
    try:
        with open_log(file) as stream, _output(output) as out, reading_progress(file, stream) as progress:
            _copy(chosen, stream, _Output(output, out), progress)
    except CannotOpen as error:
        print_error(f"{file}: {error}")
        raise SystemExit(COULD_NOT_RUN) from error
    except BinlogError as error:
        print_error(problem(file, error))
        raise SystemExit(COULD_NOT_RUN if is_unreadable(error) else NOT_CONFORMING) from error
    except ImportError as error:
        raise UserError(f"{file} cannot be filtered: {error}; {install_command('sql')}") from error
    counts = chosen.counts
    click.echo(f"{output}: {counts.kept} events kept, {counts.dropped} left out", err=output == STANDARD_OUTPUT)
    for each in sorted(counts.unmet):
        print_error(f"{file}: nothing in the log is about {each}; a rule is an exact name, without wildcards")
    if counts.uncertain:
        print_error(
            f"{file}: {counts.uncertain} statements that the SQL parser does not know were judged by the names in them"
        )


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


@dataclass(frozen=True, slots=True)
class _Output:
    """The output, whose errors name the file.

    Attributes:
        name: The name that the user gave.
        file: The open file.
    """

    name: str
    file: BinaryIO

    def write(self, data: bytes) -> None:
        """Write some bytes.

        Raises:
            UserError: They cannot be written, for instance as the disk is full.
        """
        try:
            self.file.write(data)
        except OSError as error:
            raise _cannot_be_written(self.name, error) from error


def _copy(chosen: LogFilter, stream: BinaryIO, out: _Output, progress: Callable[[int], None]) -> None:
    written = 0
    for piece in chosen.filtered(read_file(stream, _RULES)):
        out.write(piece)
        written += len(piece)
        progress(written)


@contextmanager
def _output(name: str) -> Iterator[BinaryIO]:
    """Open the output, which gets its name, or goes to standard output, only once it is complete.

    Raises:
        UserError: It cannot be made or completed, or standard output is a terminal.
    """
    if name != STANDARD_OUTPUT:
        with _new_file(name) as file:
            yield file
        return
    if sys.stdout.isatty():
        raise UserError("'-' is a terminal here, and a log is not text: name a file, or send it to a program")
    with tempfile.TemporaryFile() as file:
        yield file
        file.seek(0)
        out = exact_output()
        shutil.copyfileobj(file, out)
        out.flush()


@contextmanager
def _new_file(name: str) -> Iterator[BinaryIO]:
    """Open a new file, which gets its name only once it is complete.

    Raises:
        UserError: The file exists already, or cannot be made or completed.
    """
    path = Path(name)
    try:
        if os.path.lexists(path):
            raise _exists(path)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _cannot_be_written(name, error) from error
    stream = os.fdopen(handle, "wb")
    try:
        yield stream
        try:
            stream.close()
        except OSError as error:
            raise _cannot_be_written(name, error) from error
        # Temporary files are for their owner alone; this one is as any other that the user makes.
        os.chmod(temporary, _ORDINARY & ~_umask())
        _publish(temporary, path)
    finally:
        with suppress(OSError):
            stream.close()
        with suppress(OSError):
            os.unlink(temporary)


def _publish(temporary: str, path: Path) -> None:
    """Give a complete file its name, and never to another one's place.

    Raises:
        UserError: There is a file of this name by now.
    """
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError:
        # A file system without links: the name is taken first, then given to the file.
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError as error:
            raise _exists(path) from error
        os.replace(temporary, path)


def _cannot_be_written(name: str, error: OSError) -> UserError:
    return UserError(f"{name} cannot be written: {error.strerror or error}")


def _exists(path: Path) -> UserError:
    return UserError(f"{path} exists already; name a new file with --output")


def _umask() -> int:
    """Return the bits that a new file does not get; they can only be read by setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
