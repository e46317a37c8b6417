"""Files that users name: read up to a size, and written with errors that name the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path

from conformance.specs.conversion import Malformed


@contextmanager
def errors_of(path: str | PathLike[str]) -> Iterator[None]:
    """Give every error of the system a file's name: reads and writes leave it out, as on a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = fspath(path)
        raise


def read_bytes(path: str | PathLike[str], *, limit: int) -> bytes:
    """Return a file's content.

    Args:
        path: The file, which may be a pipe.
        limit: Its greatest size in bytes; no more is read.

    Raises:
        OSError: It cannot be read.
        Malformed: It is larger.
    """
    with errors_of(path), Path(path).open("rb") as file:
        content = file.read(limit + 1)
    check_size(content, limit=limit)
    return content


def check_size(content: bytes, *, limit: int) -> None:
    """Check a content of which no more was read than one byte above the limit.

    Raises:
        Malformed: It is larger than the limit.
    """
    if len(content) > limit:
        raise Malformed(f"larger than {limit >> 20} MiB, the limit for such a file")


def read_text(path: str | PathLike[str], *, limit: int) -> str:
    """Return a file's text.

    Args:
        path: The file, which may be a pipe.
        limit: Its greatest size in bytes; no more is read.

    Raises:
        OSError: It cannot be read.
        Malformed: It is larger, or not in UTF-8.
    """
    content = read_bytes(path, limit=limit)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}") from error


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a file in UTF-8, with line feeds at the ends of lines.

    Raises:
        OSError: It cannot be written.
    """
    with errors_of(path):
        Path(path).write_text(text, encoding="utf-8", newline="\n")
