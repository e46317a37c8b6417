"""The run record: JSON lines with a header, failures, requirements, coverage and a footer, in this order.

It is written line by line while the run goes on and read whole afterwards. A record without a footer is that of a
run that was cut off; nobody reads it as a finished one by accident.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, FileIO
from itertools import count
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import msgspec
import zstandard

from conformance.specs.conversion import Malformed, converted, parsed_json, shown
from conformance.specs.files import errors_of
from conformance.specs.run_record import (
    BESIDE_THE_CATALOGUE,
    LINES,
    SCHEMA,
    Coverage,
    Failure,
    Footer,
    Header,
    Line,
    RequirementResult,
)

_KINDS: Final = tuple(LINES)
#: The kinds of which a finished record has exactly one line.
_SINGLE: Final = ("header", "coverage", "footer")
_NO_FOOTER: Final = "the run was cut off: no footer"
#: Bytes of a line and of a record that are read; no run comes near them.
LINE_BYTES: Final = 64 << 20
RECORD_BYTES: Final = 256 << 20
#: The end of the name of a record that is compressed.
COMPRESSED: Final = ".zst"


class RecordError(ValueError):
    """A run record cannot be read or written.

    Attributes:
        path: The file.
        line: Number of the line in it, from 1.
        what: What is wrong there.
    """

    def __init__(self, path: str | PathLike[str], line: int, what: str) -> None:
        super().__init__(f"{path}:{line}: {what}")
        self.path = Path(path)
        self.line = line
        self.what = what


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run record, read whole.

    Attributes:
        header: What was run.
        failures: Each distinct failure, in the order in which the run wrote them.
        requirements: Each requirement that the run's role and glob select.
        coverage: What the streams held; empty where the run was cut off before it was written.
        footer: How the run ended, None where it was cut off.
    """

    header: Header
    failures: tuple[Failure, ...]
    requirements: tuple[RequirementResult, ...]
    coverage: Coverage
    footer: Footer | None

    @property
    def judged(self) -> dict[str, int]:
        """Requirement -> the cases in which it passed or failed."""
        return {
            each.id: sum(counts.get(status, 0) for counts in each.results.values() for status in ("pass", "fail"))
            for each in self.requirements
        }


class _Order:
    """Holds the lines of a record to their order."""

    def __init__(self) -> None:
        self._last = -1

    @property
    def finished(self) -> bool:
        return self._last == _KINDS.index("footer")

    def check(self, kind: object) -> str:
        """Return the kind of the next line.

        Raises:
            Malformed: There is no such kind, or it cannot follow the lines before it.
        """
        if not isinstance(kind, str) or kind not in LINES:
            raise Malformed(f"kind: {shown(kind)} is not one of {', '.join(_KINDS)}")
        index = _KINDS.index(kind)
        if self._last < 0 and index > 0:
            raise Malformed(f"the first line is a {kind}, not the header")
        if index < self._last:
            raise Malformed(f"a {kind} line follows a {_KINDS[self._last]} line")
        if index == self._last and kind in _SINGLE:
            raise Malformed(f"a second {kind} line")
        if kind == "footer" and self._last < _KINDS.index("coverage"):
            raise Malformed("a footer without a coverage line before it")
        self._last = index
        return kind

    def read(self, entry: Any) -> Line:
        """Return the next line, from its JSON.

        Raises:
            Malformed: It is not of its kind, or it cannot follow the lines before it.
        """
        if not isinstance(entry, dict):
            raise Malformed("not a JSON object")
        kind = self.check(entry.get("kind"))
        schema = entry.get("schema")
        if kind == "header" and type(schema) is int and schema != SCHEMA:
            raise Malformed(f"a record of schema {schema}, and this kit reads schema {SCHEMA}: run the command again")
        return converted(entry, LINES[kind])


@contextmanager
def _opened(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a record, which is compressed if the file's name ends in ``.zst``.

    Raises:
        OSError: The file cannot be read.
        RecordError: It is not compressed, or damaged.
    """
    with Path(path).open("rb") as file:
        if Path(path).suffix != COMPRESSED:
            yield file
            return
        try:
            with zstandard.ZstdDecompressor().stream_reader(file) as unpacked:
                yield BufferedReader(unpacked)
        except zstandard.ZstdError as error:
            raise RecordError(path, 1, f"not compressed by zstd, or damaged: {error}") from error


def _raw_lines(path: str | PathLike[str]) -> Iterator[bytes]:
    """Yield the lines of a file with their line feeds; the last one may be half a line.

    Raises:
        OSError: The file cannot be read.
        RecordError: A line is too long, or there are too many.
    """
    read = 0
    with errors_of(path), _opened(path) as file:
        for number in count(1):
            line = file.readline(LINE_BYTES + 1)
            read += len(line)
            if len(line) > LINE_BYTES:
                raise RecordError(path, number, f"a line of more than {LINE_BYTES >> 20} MiB")
            if read > RECORD_BYTES:
                raise RecordError(path, number, f"more than {RECORD_BYTES >> 20} MiB up to here")
            if not line:
                return
            yield line


def _check_sums(footer: Footer, lines: list[Line]) -> None:
    """Hold the footer's numbers against the lines: a report must not omit what the run counted."""
    failures = [line for line in lines if isinstance(line, Failure)]
    requirements = [line for line in lines if isinstance(line, RequirementResult)]
    if footer.failures != len(failures):
        raise Malformed(f"the footer counts {footer.failures} failures, the record has {len(failures)}")
    findings = len({failure.signature for failure in failures})
    if footer.findings != findings:
        raise Malformed(f"the footer counts {footer.findings} findings, the record has {findings}")
    known = sum(failure.known is not None for failure in failures)
    if footer.known_failures != known:
        raise Malformed(f"the footer counts {footer.known_failures} known failures, the record has {known}")
    verdicts = Counter(requirement.verdict for requirement in requirements)
    if {name: number for name, number in footer.verdicts.items() if number} != verdicts:
        raise Malformed(f"the footer counts verdicts {dict(footer.verdicts)}, the record has {dict(verdicts)}")
    ids = {requirement.id for requirement in requirements}
    for failure in failures:
        for requirement in (failure.requirement, *failure.requirements):
            if requirement not in ids and requirement not in BESIDE_THE_CATALOGUE:
                raise Malformed(f"a failure of {requirement}, which has no requirement line")


def read_record(path: str | PathLike[str], *, unfinished: bool = False) -> RunRecord:
    """Read a run record.

    Args:
        path: The file.
        unfinished: Also accept what a run that was cut off has written; its `footer` is then None.

    Raises:
        OSError: The file cannot be read.
        RecordError: It is not a record, is larger than `RECORD_BYTES`, or the run was cut off.
    """
    lines: list[Line] = []
    order = _Order()
    half = False
    for number, raw in enumerate(_raw_lines(path), 1):
        # A line is written with its line feed at once, so what follows the last one is half a line.
        half = not raw.endswith(b"\n")
        if half:
            break
        try:
            line = order.read(parsed_json(raw))
            if isinstance(line, Footer):
                _check_sums(line, lines)
        except Malformed as error:
            raise RecordError(path, number, str(error)) from error
        lines.append(line)
    if not lines or not isinstance(lines[0], Header):
        raise RecordError(path, 1, "the run was cut off: no header")
    if order.finished and half:
        raise RecordError(path, len(lines) + 1, "a line after the footer")
    if not order.finished and not unfinished:
        raise RecordError(path, len(lines) + bool(half), _NO_FOOTER)
    coverage = next((line for line in lines if isinstance(line, Coverage)), Coverage({}, {}, {}, {}))
    return RunRecord(
        header=lines[0],
        failures=tuple(line for line in lines if isinstance(line, Failure)),
        requirements=tuple(line for line in lines if isinstance(line, RequirementResult)),
        coverage=coverage,
        footer=next((line for line in lines if isinstance(line, Footer)), None),
    )


class RecordWriter:
    """Writes a run record, one line after the other, each handed to the system whole and at once.

    A run that is killed leaves every line it wrote, and no footer.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = path
        self._file = FileIO(path, "w")
        self._order = _Order()
        self._lines = 0

    def append(self, line: Line) -> None:
        """Write one line.

        Raises:
            RecordError: A value is not of its type, or the line cannot follow the ones before it.
        """
        try:
            entry = msgspec.to_builtins(line)
            self._order.read(entry)
            text = json.dumps(entry, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
        except (ValueError, TypeError, RecursionError) as error:
            raise RecordError(self._path, self._lines + 1, str(error)) from error
        # A lone surrogate, which some implementations send, has no UTF-8; written as \udXXX it is JSON.
        left = text.encode("utf-8", "backslashreplace") + b"\n"
        # An unbuffered write may take a part only, when a signal comes in between.
        while left:
            with errors_of(self._path):
                left = left[self._file.write(left) :]
        self._lines += 1

    def close(self) -> None:
        """Close the file, whether the record is finished or not."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
