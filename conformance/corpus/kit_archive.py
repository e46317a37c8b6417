"""The kit for workers: an archive of its files, and a digest of those that cases depend on."""

import hashlib
import zipfile
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

#: The one package of the kit, and the name that workers import it by.
PACKAGE: Final = "conformance"
#: The packages that cases and verdicts depend on.
_RULES: Final = tuple(
    f"{PACKAGE}/{room}/" for room in ("binlog", "models", "oracles", "protocol", "specs", "strategies")
)
#: The earliest time in a zip archive; with a fixed time, equal kits make equal archives.
_TIME: Final = (1980, 1, 1, 0, 0, 0)


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _files(each, f"{name}/{each.name}")
        elif not each.name.endswith(".pyc"):
            yield f"{name}/{each.name}", each.read_bytes()


def files() -> Iterator[tuple[str, bytes]]:
    """Yield each file of the kit as (name, content), in the order of their names."""
    yield from _files(resources.files(PACKAGE), PACKAGE)


def digest() -> str:
    """Return a short digest of all that generation and judging depend on.

    A run that was begun with one kit cannot be resumed with another one, whose cases would be different.
    """
    whole = hashlib.blake2b(digest_size=8)
    for name, content in files():
        if name.startswith(_RULES):
            whole.update(f"{name}\0{len(content)}\0".encode())
            whole.update(content)
    return whole.hexdigest()


def write_archive(folder: Path) -> Path:
    """Write the kit as a zip archive into a folder, and return its path.

    It holds the files of the package's folder, and is unpacked before use: adapters are run as scripts, which needs
    files.
    """
    path = folder / "binlog-conformance.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files():
            archive.writestr(zipfile.ZipInfo(name.removeprefix(f"{PACKAGE}/"), _TIME), content)
    return path
