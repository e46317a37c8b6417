"""The reasons that an implementation gives, without what varies from case to case: numbers, addresses, quoted names."""

import re
from collections.abc import Iterator
from typing import Final

#: Characters of a reason that are kept.
_LENGTH: Final = 120
#: Characters of a text in which the reason is looked for, before and after lists of numbers are one number each.
_GIVEN: Final = 1 << 20
_READ: Final = 4_000
#: What stands for a number, and for quoted text of a case.
_NUMBER: Final = "N"
_QUOTE: Final = "'...'"
#: A GTID of MySQL, or the UUID of a server alone.
_UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?::\w+(?:-\d+)?)*"
#: Ranges, groups of digits, versions, dates and GTIDs too; not the digits of a name such as utf-8, int64 or CRC32.
_NUMBERS: Final = re.compile(rf"(?<![\w-])(?:{_UUID}|-?0[xX][0-9a-fA-F]+|-?\d+(?:[-_.,]\d+)*)(?![\w])")
#: Bytes of a value, as some languages print them; the list may be cut off.
_LISTED: Final = re.compile(r"\[(?:-?\d+, ?)+-?\d*(?:\]|\Z)")
#: The text may be cut off within a quotation.
_QUOTED: Final = re.compile(r"b?'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)(?:\"|\Z)|`([^`]*)`")
_FOLDERS: Final = re.compile(r"(?<!\w)/?(?:[\w.@+-]+/)+(?=[\w.@+-])")
#: A place in bytes, of which Python reports one or several.
_PLACE: Final = re.compile(rf"bytes?(?: {_NUMBER})? in position {_NUMBER}")
#: A number that a value of Rust has or lacks.
_OPTIONAL: Final = re.compile(rf"(?<=: )(?:Some\({_NUMBER}\)|None)(?!\w)")
#: The class of an exception, after which a message follows, and the packages before its name.
_CLASS: Final = re.compile(r"(?<![\w.$])(?:[\w$]+\.)*([\w$]*(?:Error|Exception)): ")
#: Exceptions of which the message has no more than how much was asked for.
_WITHOUT_MESSAGE: Final = frozenset({"OutOfMemoryError"})
#: Exceptions whose messages are about the code alone, in all their clauses: the names of types and of functions.
_OF_CODE: Final = frozenset({"TypeError"})
#: Lines by which runtimes begin to say why a process ends; the ones that come first decide.
_FATAL: Final = re.compile(
    r"^panic: |panicked at|^Exception in thread|^terminate called|Assertion .*failed|^(?:fatal error|FATAL ERROR): "
)
#: The words for a checksum in the reasons of readers.
OF_CHECKSUM: Final = re.compile(r"\bchecksums?\b|\bcrc(32)?\b", re.IGNORECASE)
#: Words for a text that is not UTF-8.
OF_CHARACTERS: Final = re.compile(r"utf|unicode|charact|encod|decod", re.IGNORECASE)
#: Words for what is read after the end of something: a value, an event, a buffer.
OF_BOUNDS: Final = re.compile(
    r"\bEOF|\bend of|out of (?:range|bounds)|outside|\bpast\b|\blimit|exceed|too short|truncated|\bneeded\b|"
    r"overflow|underflow|failed to fill|not requested",
    re.IGNORECASE,
)
#: A panic, with the file of the library in which it began.
_PANIC_IN: Final = re.compile(r"panic: .* in (?P<file>[\w#-]+\.\w+)")
#: Words for the lack of memory.
OF_MEMORY: Final = re.compile(r"out of ?memory|bad_alloc|cannot allocate|MemoryError", re.IGNORECASE)
#: Words for the end of memory or of time, which say what was used up and not for what.
OF_RESOURCES: Final = re.compile(
    rf"{OF_MEMORY.pattern}|memory limit|heap space|capacity overflow|time limit", re.IGNORECASE
)
_UNCAUGHT: Final = re.compile(r"^[\w.]*(?:Error|Exception)\b")
#: What Python writes before the calls that led to an exception; the first line that is not indented names it.
_TRACEBACK: Final = "Traceback (most recent call last):"


def normalised(text: str, stream: bytes = b"") -> str:
    """Return a reason as part of a signature: the same for every case of one cause.

    Only its first line counts. Of exceptions it is the last one, which caused the others, with its class and the first
    clause of its message.

    Args:
        text: The reason, in the implementation's own words.
        stream: The stream that was asked about; quoted text that it holds is data, other quoted text is kept.
    """
    listed = _LISTED.sub(f"[{_NUMBER}]", text[:_GIVEN])
    lines = [line.strip() for line in listed[:_READ].splitlines() if line.strip()]
    if not lines:
        return ""
    line = _QUOTED.sub(lambda match: _quote(match, stream), _FOLDERS.sub("", _clauses(lines[0])))
    line = _NUMBERS.sub(_NUMBER, " ".join(line.split())).rstrip(" :")
    line = _OPTIONAL.sub(_NUMBER, _PLACE.sub(f"bytes in position {_NUMBER}", line))
    return line if len(line) <= _LENGTH else line[:_LENGTH].rpartition(" ")[0]


def _clauses(line: str) -> str:
    """Return a message from its last exception on, and without the details after the first clause of its message."""
    classes = list(_CLASS.finditer(line))
    if not classes:
        return line
    name, message = classes[-1][1], line[classes[-1].end() :]
    if name in _WITHOUT_MESSAGE:
        return name
    return f"{name}: {message if name in _OF_CODE else message.partition(': ')[0]}"


def _quote(match: re.Match[str], stream: bytes) -> str:
    text = next(group for group in match.groups() if group is not None)
    is_data = not text or not text.isascii() or "\\" in text or text.encode() in stream
    return _QUOTE if is_data or _NUMBERS.fullmatch(text) else match.group()


def without_bounds(reason: str) -> str:
    """Return the reason of a crash; of one beyond the end of something its file: how far is up to the bytes."""
    panic = _PANIC_IN.fullmatch(reason)
    return f"panic: out of bounds in {panic['file']}" if panic and OF_BOUNDS.search(reason) else reason


def crash_reason(errors: str) -> str:
    """Return the reason of a crash in what a process has written to standard error, empty if there is none."""
    lines = errors.splitlines()
    for number, line in enumerate(lines):
        if _FATAL.search(line):
            # Rust writes the place first, and the reason on a line of its own.
            ends = line.endswith(":") and number + 1 < len(lines)
            return normalised(lines[number + 1] if ends else line)
    return normalised(_raised(lines) or next(_uncaught(lines), ""))


def _raised(lines: list[str]) -> str:
    """Return the exception of the last traceback, whatever its class is named; empty if there is none."""
    if _TRACEBACK not in lines:
        return ""
    calls = lines[len(lines) - lines[::-1].index(_TRACEBACK) :]
    return next((line for line in calls if line and not line[0].isspace()), "")


def _uncaught(lines: list[str]) -> Iterator[str]:
    return (line for line in reversed(lines) if _UNCAUGHT.match(line))
