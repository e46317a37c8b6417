"""Standard output and standard error: every text of the kit that a terminal may show is made safe here.

An implementation, a log, a file or its name may hold characters that a terminal obeys: they change colours and titles,
move the cursor, or reorder the text. So `guard_standard_streams` replaces both streams by ones that write such a
character as its code, in JSON's notation: a line of JSON keeps its meaning. Text goes through ``sys.stdout`` and
``sys.stderr``, or through a `styled_console`, whose colours and cursor movements are the kit's own.
"""

import codecs
import io
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, Protocol, TextIO

from conformance.reports.foreign_text import INVISIBLE

#: What the name of a file is to an error of standard output.
STANDARD_OUTPUT: Final = "standard output"
#: The name of the error handler for what an encoding lacks.
_FALLBACK: Final = "binlog-conformance"
#: The kit's own marks, in ASCII.
_ASCII: Final = {
    "\u2713": "+",
    "\u2717": "x",
    "\u203c": "!!",
    "\u221e": "...",
    "\u2260": "!=",
    "\u29d6": "~",
    "\u22a3": "-|",
    "\u25a1": "-",
    "\u25cb": "o",
    "\u00b7": ".",
    "\u2298": "/",
    "\u22ef": "...",
    "\u2026": "...",
    "\u27e8": "<",
    "\u27e9": ">",
    "\u21b5": "\\n",
    "\u21e5": "\\t",
}


def escaped(text: str) -> str:
    """Return text with a code in the place of what a terminal obeys, hides or cannot show; lines and tabs stay."""
    # What Python calls printable is safe; nearly all text is, and this is quicker than the search.
    return text if text.isprintable() else INVISIBLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return "".join(f"\\u{unit:04x}" for unit in _utf16(match.group()))


def _utf16(char: str) -> Iterable[int]:
    data = char.encode("utf-16-be", "surrogatepass")
    return (int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2))


def _fall_back(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding lacks: the kit's marks by ASCII, anything else by its code."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(
        _ASCII.get(each) or "".join(f"\\u{unit:04x}" for unit in _utf16(each)) for each in lacking
    ), error.end


class _Output(io.TextIOBase):
    """A text stream whose errors name it; as it has no `buffer`, no library writes past it.

    Args:
        stream: Where to write.
        lossy: Whether what cannot be written is dropped, as with messages about errors.
    """

    def __init__(self, stream: TextIO, *, lossy: bool) -> None:
        self._stream = stream
        self._lossy = lossy

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self._stream.encoding

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return its number."""
        return self._stream.fileno()

    def write(self, text: str) -> int:
        """Write text as it is."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._report(error)
        return len(text)

    def flush(self) -> None:
        """Write what is left in a buffer."""
        try:
            self._stream.flush()
        except OSError as error:
            self._report(error)

    def _report(self, error: OSError) -> None:
        if not self._lossy:
            error.filename = STANDARD_OUTPUT
            raise error


class GuardedStream(_Output):
    """A text stream that a terminal can show without obeying it.

    Attributes:
        styled: The same stream for what has been made safe already, with the kit's own colours.
        exact: The same stream for bytes, None where it takes none.
    """

    def __init__(self, stream: TextIO, *, lossy: bool) -> None:
        super().__init__(stream, lossy=lossy)
        self.styled = _Output(stream, lossy=lossy)
        self.exact = getattr(stream, "buffer", None)

    def write(self, text: str | bytes) -> int:
        """Write text, escaped; Click gives the lines that complete a command as bytes."""
        whole = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
        super().write(escaped(whole))
        return len(text)


class ByteSink(Protocol):
    """What bytes are written to."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""

    def flush(self) -> None:
        """Write what is left in a buffer."""


class _Exact:
    """Standard output as bytes: a terminal gets them escaped, anything else as they are."""

    def __init__(self, text: TextIO | GuardedStream) -> None:
        self._text = text
        self._bytes = None if text.isatty() else getattr(text, "exact", None) or getattr(text, "buffer", None)
        # What was printed before stays before.
        text.flush()

    def write(self, data: bytes, /) -> None:
        if self._bytes is None:
            self._text.write(escaped(data.decode("utf-8", "surrogateescape")))
            return
        try:
            self._bytes.write(data)
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise

    def flush(self) -> None:
        self._text.flush()


def exact_output() -> ByteSink:
    """Return standard output for bytes, which a file or a pipe gets as they are, and a terminal escaped."""
    return _Exact(sys.stdout)


def guard_standard_streams() -> None:
    """Replace ``sys.stdout`` and ``sys.stderr`` by guarded streams; closed ones take text and drop it.

    What an encoding lacks is replaced, and never an error.
    """
    _occupy_closed_descriptors()
    codecs.register_error(_FALLBACK, _fall_back)
    sys.stdout = _guarded(sys.stdout, lossy=False)
    sys.stderr = _guarded(sys.stderr, lossy=True)


def _guarded(stream: TextIO | None, *, lossy: bool) -> GuardedStream:
    if isinstance(stream, GuardedStream):
        return stream
    if stream is None:
        # The caller has closed it, and wants the exit status only.
        stream = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_FALLBACK)
    return GuardedStream(stream, lossy=lossy)


def _occupy_closed_descriptors() -> None:
    """Open nothing at the numbers of closed standard streams, so that no file gets them and is written into."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                # The lowest free number is given out, which is this one.
                os.open(os.devnull, os.O_RDWR)
