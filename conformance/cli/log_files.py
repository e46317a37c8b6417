"""Binary logs that a user names: opening them, showing how far one was read, and reporting one that is damaged."""

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from conformance.binlog.errors import BinlogError
from conformance.binlog.header import MAGIC

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

#: The name that stands for standard input.
STANDARD_INPUT: Final = "-"

#: Bytes of buffer: logs are read from beginning to end.
_BUFFER: Final = 1 << 20

#: Kind of error -> what a user can do about it.
_ADVICE: Final = {
    "not-a-binlog": "name a file that SHOW BINARY LOGS lists",
    "encrypted": "let the server decrypt it: mysqlbinlog --read-from-remote-server --raw",
    "truncated": "copy the file again; if its server crashed, its next start cuts the tail off",
    "invalid-length": "copy the file again; nothing after this offset can be read",
    "no-format-description": "give the file from its beginning",
    "checksum": "copy the file again; if the original is damaged too, take the log of another replica",
    "unknown-event": "read it with a newer version, or copy the file again",
    "malformed": "copy the file again, or report the event as one that this kit cannot read",
}


class CannotOpen(Exception):
    """A file that cannot be opened; the text is the reason, without the file's name."""


@contextmanager
def open_log(name: str) -> Iterator[BinaryIO]:
    """Open a log for reading; `STANDARD_INPUT` is read as it comes.

    Raises:
        CannotOpen: There is no such file, it is a directory, or it may not be read.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise CannotOpen("standard input is closed; name a file, or send a log there")
        yield sys.stdin.buffer
        return
    with _opened(name) as stream:
        yield stream


class _Log(io.FileIO):
    """A file whose errors name it, also those of reading."""

    def readinto(self, buffer: "WriteableBuffer", /) -> int | None:
        """See `io.FileIO.readinto`."""
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from error


def _opened(name: str) -> BinaryIO:
    try:
        return io.BufferedReader(_Log(name), _BUFFER)
    except IsADirectoryError as error:
        raise CannotOpen("is a directory; name the log files in it") from error
    except OSError as error:
        raise CannotOpen(f"{error.strerror or error}; name a file that can be read") from error


def problem(name: str, error: BinlogError) -> str:
    """Return one line about damage in a log: file, offset, what was found and expected, what to do."""
    if error.kind == "truncated" and error.at < len(MAGIC):
        return f"{name}:{error.at}: {error.message}; name a file that SHOW BINARY LOGS lists"
    advice = _ADVICE.get(error.kind)
    return f"{name}:{error.at}: {error.message}" + (f"; {advice}" if advice else "")


def print_error(line: str) -> None:
    """Print one line on standard error, after everything that was printed so far."""
    sys.stdout.flush()
    # The name of a file may have line feeds.
    click.echo(line.replace("\n", "\\n"), err=True)


@contextmanager
def reading_progress(name: str, stream: BinaryIO) -> Iterator[Callable[[int], None]]:
    """Show on standard error how far a log was read, if that is a terminal; a clock shows that an event takes long.

    Yields:
        A function that takes the number of bytes read so far.
    """
    with progress_bar(os.path.basename(name), _size(stream)) as show:
        yield show


@contextmanager
def progress_bar(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show on standard error how many of so many bytes are done, if that is a terminal.

    Yields:
        A function that takes the number of bytes that are done.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    from conformance.reports.styled_console import styled_console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    console = styled_console(error=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def _size(stream: BinaryIO) -> int | None:
    """Return the size of a regular file in bytes, None for a pipe and anything else."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
