"""The folder of a corpus or of a run: its manifest, the marks of its waves, and the pages of its numbers.

Each line of an input is one file: the manifest, the mark of the first wave, that of the second, and rows of a history.
The Parquet files in such a folder are read by Spark, outside Python, and are not fuzzed.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, cast

import msgspec

from conformance.corpus.coverage_page import coverage_page
from conformance.corpus.history import RunEntry
from conformance.corpus.manifest import CorpusManifest, RunManifest, origin
from conformance.corpus.output import MANIFEST, NotUsable, Output
from conformance.corpus.plan import Plan, Size
from conformance.corpus.storage import Storage, StorageError
from conformance.corpus.trend_page import trend_page
from conformance.oracles.coverage.coverage_table import Cell
from conformance.specs.conversion import Malformed, converted
from tests.kit_fuzzing.command import call
from tests.kit_fuzzing.invariant import Broken, check_html

_PLAN: Final = Plan((("transactions", "mysql-8.0"), ("every_event_type", "mariadb-11.x")), seed=1)
_RULES: Final = "0123456789abcdef"
_WAVES: Final = ((0, 500), (500, 1000))


class LocalStorage:
    """A folder of this machine, in the place of one that Spark reaches."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.uri = str(folder)
        self.local = folder

    def at(self, *names: str) -> "LocalStorage":
        """Return a folder inside this one."""
        return LocalStorage(self._folder.joinpath(*names))

    def exists(self, name: str = "") -> bool:
        """Return whether there is such a file or folder."""
        return (self._folder / name).exists()

    def names(self) -> list[str]:
        """Return the names of files and folders."""
        return sorted(each.name for each in self._folder.iterdir()) if self._folder.exists() else []

    def read(self, name: str, *, limit: int | None = None) -> bytes:
        """Return a file's content; inputs are shorter than any limit."""
        return (self._folder / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / name).write_bytes(content)

    def delete(self, name: str) -> None:
        """Delete a folder."""
        rmtree(self._folder / name)


def read(data: bytes, folder: Path) -> None:
    """Check the reading of a manifest, the resuming of a run, and the pages."""
    lines = [*data.split(b"\n"), b"", b"", b"", b""]
    storage = LocalStorage(folder / "run")
    if storage.exists():
        storage.delete("")
    storage.write(MANIFEST, lines[0])
    for (first, end), mark in zip(_WAVES, lines[1:3], strict=True):
        if mark:
            storage.at("waves", f"cases={first:012}-{end:012}-0a1b2c3d").write("_COMMITTED", mark)
    # Its methods are the same, but it is not a subclass, which would need Spark.
    output = Output(cast(Storage, storage))
    run, corpus = _manifests()
    readings: tuple[Callable[[], object], ...] = (
        lambda: output.manifest(RunManifest),
        lambda: output.manifest(CorpusManifest),
        lambda: output.begin(run, resume=True),
        lambda: output.begin(corpus, resume=True),
    )
    for reading in readings:
        call("manifest", reading, NotUsable, StorageError)
    waves = call("waves", output.committed, NotUsable, StorageError)
    if not isinstance(waves, Exception) and tuple((each.first, each.end) for each in waves) != _WAVES[: len(waves)]:
        raise Broken("waves of other names", repr(waves))
    if lines[3]:
        _check_pages(lines[3])


def _check_pages(line: bytes) -> None:
    try:
        rows = converted(msgspec.json.decode(line), list[RunEntry])
    except (ValueError, Malformed, RecursionError):
        return
    trend = call("trend", lambda: trend_page(rows))
    assert isinstance(trend, str), "the page documents no exception"
    check_html(trend)
    cells: dict[Cell, int] = {(each.signature or "", each.group or ""): each.cases for each in rows}
    coverage = call("coverage", lambda: coverage_page({"events": cells}, [each.version for each in rows]))
    assert isinstance(coverage, str), "the page documents no exception"
    check_html(coverage)


def _manifests() -> tuple[RunManifest, CorpusManifest]:
    about = {**origin(_RULES), "started": "2026-01-01T00:00:00Z", "plan": _PLAN}
    run: dict[str, Any] = {
        "spec": "reference",
        "implementation": ("reference", "1"),
        "role": "decode",
        "fields": ("offset", "type"),
        "abilities": ("framing",),
        "profiles": ("mysql-8.0",),
        "requirements": "*",
        "size": Size(cases=1000),
    }
    return RunManifest(**about, **run), CorpusManifest(**about, size=Size(events=7), corpus_schema=2, complete=False)


def folders() -> Iterator[bytes]:
    """Yield a run with two waves, a corpus with one, and a history."""
    marks = [
        json.dumps({"first": first, "end": end, "cases": 500, "events": 7000, "seconds": 1.5}).encode()
        for first, end in _WAVES
    ]
    row = {
        "run": "2026-01-01T00:00:00Z-0123",
        "started": "2026-01-01T00:00:00Z",
        "kit": "0.1.0",
        "spec": "reference",
        "implementation": "reference",
        "version": "1",
        "cases": 1000,
        "events": 9000,
        "conforming": False,
        "requirement": "FORMAT-HEADER-TYPE",
        "signature": "type differs",
        "status": "fail",
        "count": 3,
        "first_case": "transactions/mysql-8.0/0/0",
        "case": "transactions/mysql-8.0/0/0",
        "message": "expected 1, answered 2",
        "known": None,
        "group": "mysql-8.0",
        "requirements": 1,
    }
    rows = [row, {**row, "run": "2026-01-02T00:00:00Z-0123", "known": "a reason"}]
    for manifest in map(msgspec.json.encode, _manifests()):
        yield b"\n".join((manifest, *marks, json.dumps(rows).encode()))
        yield b"\n".join((manifest, marks[0]))
