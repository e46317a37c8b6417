"""Kept runs: the records of certified implementations in one folder, compressed, and without anything of a machine."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final

import zstandard

from conformance.reports.foreign_text import one_line
from conformance.reports.record import COMPRESSED, RecordError, RunRecord, read_record
from conformance.specs.files import errors_of
from conformance.specs.run_record import Header
from conformance.specs.version_order import order_of

#: What the name of a kept run ends in.
_SUFFIX: Final = f".jsonl{COMPRESSED}"
_LEVEL: Final = 19
#: An address, which stays, or a path of the machine before a folder or a program whose name means something elsewhere.
_PLACE: Final = re.compile(
    r"(https?://[^\s\"]+)"
    r"|(?:/[\w.@+-]+)+/(?=(?:site-packages|node_modules|adapters)/|(?:mysqlbinlog|mariadb-binlog|adapter\.\w+)\b)"
    # The folder in the cache in which an adapter was built.
    r"|(?:/[\w.@+-]+)*/binlog-conformance/[\w.@+-]+/"
)


class CannotKeep(ValueError):
    """A run that cannot be kept; the message has the reason."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run that was kept.

    Attributes:
        name: The implementation's name.
        version: Its version.
        record: The run record.
        size: Bytes of the compressed record.
    """

    name: str
    version: str
    record: RunRecord
    size: int

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    @property
    def slug(self) -> str:
        """Name and version as a part of a file's name."""
        return f"{slug_of(self.name)}-{slug_of(self.version)}"


def slug_of(name: str) -> str:
    """Return a name as a part of a file's name."""
    return re.sub(r"[^0-9A-Za-z._]+", "-", name).strip("-")


def keep_run(path: str | PathLike[str], folder: Path) -> Path:
    """Write a run record to a folder of kept runs, in the place of one of the same version, and return its path.

    The paths of the machine on which it ran are cut from its texts.

    Args:
        path: The record.
        folder: The folder, which is made if it is not there.

    Raises:
        CannotKeep: The implementation was named by a command or a path, so that nobody else could run it.
        OSError: A file cannot be read or written.
        RecordError: It is not a finished record.
    """
    record = read_record(path)
    spec = _public_spec(record.header)
    text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    named = record.header.implementation.spec
    for written in (shlex.quote(named), named):
        text = text.replace(_in_json(written), _in_json(spec))
    text = _PLACE.sub(r"\1", text)
    about = record.header.implementation
    kept = folder / f"{slug_of(about.name)}-{slug_of(about.version)}{_SUFFIX}"
    with errors_of(kept):
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(zstandard.ZstdCompressor(level=_LEVEL).compress(text.encode("utf-8", "surrogateescape")))
    read_record(kept)
    return kept


def _public_spec(header: Header) -> str:
    """Return the name by which anybody can run the implementation.

    Raises:
        CannotKeep: There is none.
    """
    spec = header.implementation.spec
    name, colon, _ = spec.partition(":")
    if name in ("command", "python", "mysql"):
        raise CannotKeep(
            f"{one_line(spec)} is of one machine: certify an implementation by its name, such as go-mysql@1.16.0"
        )
    return name if colon and "/" in spec else spec


def _in_json(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def kept_runs(folder: Path) -> list[KeptRun]:
    """Return the kept runs of a folder, by name, the oldest version first.

    Raises:
        OSError: The folder or a file cannot be read.
        RecordError: A file is not a finished record.
    """
    with errors_of(folder):
        paths = sorted(each for each in folder.iterdir() if each.name.endswith(_SUFFIX))
    runs = [_run(path) for path in paths]
    return sorted(runs, key=lambda run: (run.name.lower(), order_of(run.version)))


def _run(path: Path) -> KeptRun:
    record = read_record(path)
    about = record.header.implementation
    run = KeptRun(about.name, about.version, record, path.stat().st_size)
    if path.name != f"{run.slug}{_SUFFIX}":
        raise RecordError(path, 1, f"the record is of {one_line(run.title)}: its name must be {run.slug}{_SUFFIX}")
    return run


def newest(runs: Iterable[KeptRun]) -> list[KeptRun]:
    """Return the newest run of each implementation, from runs in the order of `kept_runs`."""
    return list({run.name: run for run in runs}.values())
