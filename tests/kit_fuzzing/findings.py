"""Findings: inputs that broke an invariant, each in a file of its own that the tests replay."""

from pathlib import Path
from typing import Final

from tests.kit_fuzzing.invariant import Broken
from tests.kit_fuzzing.target import Target

#: The folder of the findings, one folder for each target.
FOUND: Final = Path(__file__).parent / "found"


class Findings:
    """The findings of one target, the smallest input for each name.

    Args:
        target: The target.
        folder: Where they are saved, in a folder for each target.
        scratch: A folder for files of one input.
    """

    def __init__(self, target: Target, folder: Path, scratch: Path) -> None:
        self._target = target
        self._folder = folder / target.name
        self._scratch = scratch
        self._paths: dict[str, Path] = {}

    def check(self, data: bytes) -> Broken | None:
        """Check an input; save it if it breaks the invariant in a new way, or is the smallest that does.

        Returns:
            How the invariant is broken, if this run has not seen that before.
        """
        broken = self._broken(data)
        if broken is None:
            return None
        is_new = broken.name not in self._paths
        if is_new:
            self._paths[broken.name] = self._path(broken.name)
        path = self._paths[broken.name]
        if not path.exists() or len(data) < path.stat().st_size:
            path.write_bytes(data)
        return broken if is_new else None

    def _broken(self, data: bytes) -> Broken | None:
        try:
            self._target.check(data, self._scratch)
        except Broken as broken:
            return broken
        return None

    def _path(self, name: str) -> Path:
        """Return the file of a finding; one that an earlier run found and that is fixed stays, as its test."""
        self._folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while (path := self._folder / (name if number == 1 else f"{name}-{number}")).exists():
            broken = self._broken(path.read_bytes())
            if broken is not None and broken.name == name:
                return path
            number += 1
        return path
