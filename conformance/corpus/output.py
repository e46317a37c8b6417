"""A run's folder: its manifest, its waves of results, its record."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec

from conformance.corpus.lease import Lease, read_lease
from conformance.corpus.manifest import MANIFEST_SCHEMA, CorpusManifest, Manifest, RunManifest
from conformance.corpus.storage import Storage
from conformance.engine.run_lock import run_lock, running_in
from conformance.specs.conversion import Malformed, converted, parsed_json

#: The manifest: what the run is made from.
MANIFEST: Final = "manifest.json"
#: The run record, which every report is made from.
RECORD: Final = "run.jsonl"

#: The folder of the waves.
_WAVES: Final = "waves"
#: Bytes of a manifest and of a wave's mark.
_MANIFEST_BYTES: Final = 4 << 20
#: Marks a committed wave. Spark's own mark only means that a job ended, not that all its cases are there.
_COMMITTED: Final = "_COMMITTED"
#: The keys of a manifest that may differ when a run is resumed.
_VARIABLE: Final = frozenset({"started", "complete"})
Made = TypeVar("Made", CorpusManifest, RunManifest)
#: First case, end, id of the run; corpora of earlier kits have no id.
_NAME: Final = re.compile(r"cases=(\d{12})-(\d{12})(?:-\w+)?")


class NotUsable(Exception):
    """A folder cannot be used in the way that is required; the message says why."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A committed stretch of cases.

    Attributes:
        first: The first number.
        end: The number after the last.
        cases: Cases judged or stored.
        events: Their expected events.
        seconds: How long it took.
        hangs: How often the implementation hung.
        answered: Cases that it answered.
        unasked: Cases that were not asked, as too much time had passed without an answer.
    """

    first: int
    end: int
    cases: int
    events: int
    seconds: float
    hangs: int = 0
    answered: int = 0
    unasked: int = 0


class Output:
    """A run's folder.

    Args:
        storage: Where it is.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._waves = storage.at(_WAVES)
        # The tasks of a killed run may still write for a while, so each run has folders of its own.
        self._run = uuid4().hex[:8]
        self._names: dict[tuple[int, int], str] = {}
        self._lease: Lease | None = None

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Hold the folder, so that no other run writes to it.

        Raises:
            InUse: Another run holds it.
            OSError: A folder of this machine cannot be locked.
            StorageError: The folder cannot be reached.
        """
        local = self.storage.local
        if local is not None:
            with run_lock(local):
                yield
            return
        self._lease = Lease(self.storage)
        with self._lease.held():
            yield

    def holder(self) -> str | None:
        """Return which process is running in the folder, None if none is or if that cannot be known.

        Raises:
            StorageError: The folder cannot be reached.
        """
        local = self.storage.local
        if local is not None:
            return running_in(local)
        lease = read_lease(self.storage)
        return None if lease is None else lease.holder

    def begin(self, manifest: Made, *, resume: bool) -> Made:
        """Write the manifest of a new run, or check that of a resumed one; return the manifest of the run.

        Args:
            manifest: What the run is made from.
            resume: Whether the folder may hold a run already.

        Raises:
            NotUsable: The folder holds a run that is not to be resumed, or one with another manifest.
            StorageError: The folder cannot be read or written.
        """
        if not self.storage.exists(MANIFEST):
            if self._waves.names():
                raise NotUsable(f"{self.storage.uri} contains results but no {MANIFEST}, so it is not a run folder")
            self.rewrite(manifest)
            return manifest
        if not resume:
            raise NotUsable(
                f"{self.storage.uri} already holds a run: continue it with --resume, or name another --output"
            )
        earlier: dict[str, Any] = self._manifest()
        now: dict[str, Any] = json.loads(_text(manifest))
        changed = [name for name in sorted({*earlier, *now} - _VARIABLE) if earlier.get(name) != now.get(name)]
        if changed:
            changes = "; ".join(
                f"{_key(name)} was {_short(earlier.get(name))}, is {_short(now.get(name))}" for name in changed
            )
            raise NotUsable(f"{self.storage.uri} holds a run with other settings, which cannot be resumed: {changes}")
        return self.manifest(type(manifest))

    def rewrite(self, manifest: Manifest) -> None:
        """Write the manifest.

        Raises:
            StorageError: The folder cannot be written.
        """
        self.storage.write(MANIFEST, _text(manifest))

    def manifest(self, form: type[Made]) -> Made:
        """Return the manifest.

        Args:
            form: Whether it is to be that of a corpus or of a run.

        Raises:
            NotUsable: There is none, one of another version of the kit, or one of the other form.
            StorageError: The folder cannot be read.
        """
        try:
            return converted(self._manifest(), form)
        except Malformed as error:
            noun = "corpus" if form is CorpusManifest else "run"
            raise NotUsable(f"{self.storage.uri} is not a {noun} that this kit reads: {MANIFEST}: {error}") from error

    def _manifest(self) -> dict[str, Any]:
        if not self.storage.exists(MANIFEST):
            raise NotUsable(f"{self.storage.uri} is not a run folder: it has no {MANIFEST}")
        try:
            manifest = parsed_json(self.storage.read(MANIFEST, limit=_MANIFEST_BYTES))
        except Malformed as error:
            raise NotUsable(f"{self.storage.uri}/{MANIFEST}: {error}") from error
        if not isinstance(manifest, dict) or manifest.get("schema") != MANIFEST_SCHEMA:
            raise NotUsable(
                f"{self.storage.uri}/{MANIFEST} is not a manifest of version {MANIFEST_SCHEMA}, which this kit reads"
            )
        return manifest

    def committed(self) -> list[Wave]:
        """Return the committed waves from the first case to the first gap.

        Raises:
            NotUsable: A mark is not as the kit writes it, or is that of another wave.
            StorageError: The folder cannot be read.
        """
        waves: list[Wave] = []
        for name in self._waves.names():
            match = _NAME.fullmatch(name)
            if match is None or int(match[1]) != (waves[-1].end if waves else 0):
                continue
            folder = self._waves.at(name)
            if folder.exists(_COMMITTED):
                waves.append(self._wave(folder, (int(match[1]), int(match[2]))))
                self._names[waves[-1].first, waves[-1].end] = name
        return waves

    def _wave(self, folder: Storage, cases: tuple[int, int]) -> Wave:
        place = f"{folder.uri}/{_COMMITTED}"
        try:
            wave = converted(parsed_json(folder.read(_COMMITTED, limit=_MANIFEST_BYTES)), Wave)
        except Malformed as error:
            raise NotUsable(f"{place}: {error}") from error
        if (wave.first, wave.end) != cases:
            raise NotUsable(f"{place}: the cases {wave.first} to {wave.end}, in the folder of {cases[0]} to {cases[1]}")
        return wave

    def discard_uncommitted(self) -> None:
        """Delete the waves that an earlier run left uncommitted.

        Raises:
            StorageError: It cannot be deleted.
        """
        kept = {self._name(wave.first, wave.end) for wave in self.committed()}
        for name in self._waves.names():
            if name not in kept:
                self._waves.delete(name)

    def wave_uri(self, first: int, end: int) -> str:
        """Return the folder of a wave's results: of one that `committed` returned, or of one of this run."""
        return self._waves.at(self._name(first, end)).uri

    def discard(self, first: int, end: int) -> None:
        """Delete a wave.

        Raises:
            StorageError: It cannot be deleted.
        """
        self._waves.delete(self._name(first, end))

    def commit(self, wave: Wave) -> None:
        """Mark a wave as committed.

        Raises:
            InUse: Another run has taken the folder.
            StorageError: The mark cannot be written.
        """
        if self._lease is not None:
            self._lease.check()
        folder = self._waves.at(self._name(wave.first, wave.end))
        folder.write(_COMMITTED, msgspec.json.encode(wave))

    def _name(self, first: int, end: int) -> str:
        """Return the name of a wave's folder; the order of names is the order of waves."""
        return self._names.get((first, end), f"cases={first:012}-{end:012}-{self._run}")


def _text(manifest: Manifest) -> bytes:
    return json.dumps(msgspec.to_builtins(manifest), indent=1, sort_keys=True).encode()


def _key(name: str) -> str:
    """Return a key for a message; one that the kit does not write may hold anything."""
    return name if name.isidentifier() else _short(name)


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
