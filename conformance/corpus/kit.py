"""The kit itself, as something that travels: archives for workers, and a digest of what cases depend on."""

import hashlib
import zipfile
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

#: The packages of the kit.
PACKAGES: Final = ("conformance", "reports", "specs", "strategies")
#: What cases and verdicts depend on.
_RULES: Final = ("conformance/binlog/", "conformance/oracles/", "specs/", "strategies/")
#: Zip archives have no time before this one; a fixed time makes equal archives of equal kits.
_TIME: Final = (1980, 1, 1, 0, 0, 0)


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            if each.name != "__pycache__":
                yield from _files(each, f"{name}/{each.name}")
        elif not each.name.endswith(".pyc"):
            yield f"{name}/{each.name}", each.read_bytes()


def files(*packages: str) -> Iterator[tuple[str, bytes]]:
    """Yield each file of some packages as (name, content), in the order of their names."""
    for package in packages:
        yield from _files(resources.files(package), package)


def digest() -> str:
    """Return a short digest of all that generation and judging depend on.

    A run that was begun with one kit cannot be resumed with another one: its cases would be others.
    """
    whole = hashlib.blake2b(digest_size=8)
    for name, content in files(*PACKAGES):
        if name.startswith(_RULES):
            whole.update(f"{name}\0{len(content)}\0".encode())
            whole.update(content)
    return whole.hexdigest()


def write_archives(folder: Path) -> dict[str, Path]:
    """Write the kit as zip archives, and return package -> archive.

    Each holds what is in the package's folder, and is unpacked where it is used: adapters are run as scripts, which
    needs files.
    """
    archives = {package: folder / f"binlog-conformance-{package}.zip" for package in PACKAGES}
    for package, path in archives.items():
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files(package):
                archive.writestr(zipfile.ZipInfo(name.removeprefix(f"{package}/"), _TIME), content)
    return archives
