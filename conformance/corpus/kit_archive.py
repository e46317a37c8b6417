"""The kit and its extensions for workers: archives of their files, and digests of those that cases depend on."""

import hashlib
import zipfile
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from conformance.specs.extensions import GROUP, InstalledExtension, extensions

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
    return _digest_of((name, content) for name, content in files() if name.startswith(_RULES))


def write_archive(folder: Path) -> Path:
    """Write the kit as a zip archive into a folder, and return its path.

    It holds the files of the package's folder, and is unpacked before use: adapters are run as scripts, which needs
    files.
    """
    path = folder / "binlog-conformance.zip"
    _write(path, ((name.removeprefix(f"{PACKAGE}/"), content) for name, content in files()))
    return path


def extension_digests() -> dict[str, str]:
    """Return a short digest of the files of each extension, by its package and version."""
    return {str(each): _digest_of(_package_files(each)) for each in extensions()}


def _digest_of(parts: Iterator[tuple[str, bytes]]) -> str:
    whole = hashlib.blake2b(digest_size=8)
    for name, content in parts:
        whole.update(f"{name}\0{len(content)}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def _package_files(extension: InstalledExtension) -> Iterator[tuple[str, bytes]]:
    """Yield each file of the Python package of an extension, its name relative to the package's folder."""
    top = extension.package.partition(".")[0]
    for name, content in _files(resources.files(top), top):
        yield name.removeprefix(f"{top}/"), content


def write_extension_archives(folder: Path) -> Iterator[tuple[Path, str]]:
    """Write each extension as two zip archives, and yield the path of each and the folder to unpack it into.

    One has its Python package, the other the metadata by which workers find it. What else the package needs is not
    sent.
    """
    for number, each in enumerate(extensions()):
        top = each.package.partition(".")[0]
        package = folder / f"extension-{number}.zip"
        _write(package, _package_files(each))
        yield package, top
        metadata = folder / f"extension-{number}-metadata.zip"
        _write(metadata, _metadata(each))
        yield metadata, f"{top}-{number}.dist-info"


def _metadata(extension: InstalledExtension) -> Iterator[tuple[str, bytes]]:
    about = f"Metadata-Version: 2.1\nName: {extension.distribution}\nVersion: {extension.version}\n"
    yield "METADATA", about.encode()
    yield "entry_points.txt", f"[{GROUP}]\n{extension.name} = {extension.reference}\n".encode()


def _write(path: Path, content: Iterator[tuple[str, bytes]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content:
            archive.writestr(zipfile.ZipInfo(name, _TIME), data)
