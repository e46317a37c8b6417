"""Builds of libraries with their adapters, each made once and kept in a cache folder."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Final

from conformance.implementations.library import ADAPTERS, Library
from conformance.implementations.process.process_implementation import CannotStart
from conformance.specs.version_order import order_of

#: The variable of the environment that names another cache folder.
CACHE: Final = "BINLOG_CACHE"
#: Seconds that one step of a build may take.
_SECONDS: Final = 1800
#: Digits of the digest in the name of a build's folder.
_DIGITS: Final = 8
#: What a line of a tool has that reports a fault, the clearest first; the last line is shown where none has it.
_FAULTS: Final = (
    re.compile(r"no matching|not found|unknown revision|failed to select", re.IGNORECASE),
    re.compile(r"error|could not find", re.IGNORECASE),
    re.compile(""),
)
_LINE_CHARACTERS: Final = 300
#: What is made by building, and is not part of an adapter's code.
_BUILT: Final = shutil.ignore_patterns("target", "node_modules", "__pycache__")


class CannotInstall(CannotStart):
    """A library that could not be built."""


def cache_folder() -> Path:
    """Return the folder of the builds: that of ``BINLOG_CACHE``, otherwise one in the user's cache."""
    chosen = os.environ.get(CACHE)
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "binlog-conformance"


def installed_versions(library: Library) -> list[str]:
    """Return the versions of a library that are built, the oldest first."""
    prefix, suffix = _around_version(library)
    names = [each.name for each in cache_folder().glob("*") if each.is_dir()]
    versions = [name[len(prefix) : -len(suffix)] for name in names if name.startswith(prefix) and name.endswith(suffix)]
    return sorted((each for each in versions if re.match(r"\d", each)), key=order_of)


def version_beside_the_kit(library: Library) -> str | None:
    """Return the version of a library of Python that is installed where the kit is, None if none is."""
    if not library.module or importlib.util.find_spec(library.module) is None:
        return None
    try:
        return package_version(library.package)
    except PackageNotFoundError:
        return ""  # Its modules are there without a package, as in a folder of sources.


def installed_program(library: Library, version: str | None) -> list[str]:
    """Return the command that starts an adapter; build it if it is not there.

    Args:
        library: The library.
        version: The version; None for the one that is installed beside the kit, otherwise that of the library's file.

    Raises:
        CannotInstall: A tool is missing, or a step of the build fails.
    """
    if version is None and version_beside_the_kit(library) is not None:
        folder = Path(sys.prefix)
    else:
        folder = install(library, version or library.version)
    values = library.values_for(version or library.version)
    return library.words(library.program, folder=folder, adapters=ADAPTERS, **values)


def install(library: Library, version: str) -> Path:
    """Return the folder of a build; build it if it is not there.

    Raises:
        CannotInstall: A tool is missing, a step of the build fails, or the folder cannot be made.
    """
    # Workers of a cluster that have no build to make need not have it.
    from filelock import FileLock

    missing = library.missing()
    if missing is not None:
        raise CannotInstall(missing)
    prefix, suffix = _around_version(library)
    folder = cache_folder() / f"{prefix}{version}{suffix}"
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            if not folder.is_dir():  # Another process may have built it in the meantime.
                print(f"Installing {library.name} {version} into {folder} (once) ...", file=sys.stderr, flush=True)
                _build(library, version, folder)
    except OSError as error:
        raise CannotInstall(f"cannot install {library.name} {version} into {folder}: {error}") from error
    return folder


def _build(library: Library, version: str, folder: Path) -> None:
    """Build in a temporary folder and rename it, so that a build is never seen incomplete."""
    with _temporary(folder, "build") as aside, _temporary(folder, "scratch") as scratch:
        if library.adapter:
            shutil.copytree(ADAPTERS / library.adapter, aside, ignore=_BUILT, dirs_exist_ok=True)
        places = {"version": version, "folder": aside, "scratch": scratch, "python": sys.executable}
        for step in library.steps:
            _run(library.words(step, **places, **library.values_for(version)), aside, f"{library.name} {version}")
        aside.rename(folder)


@contextmanager
def _temporary(folder: Path, purpose: str) -> Iterator[Path]:
    """Make a folder beside another one, and remove what is left of it."""
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.{purpose}.", dir=folder.parent))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _run(command: list[str], folder: Path, wanted: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(f"cannot install {wanted}: {error}") from error
    if done.returncode:
        fault = _fault_in(f"{done.stdout}\n{done.stderr}")
        raise CannotInstall(f"cannot install {wanted}: {Path(command[0]).name} ended with {done.returncode}: {fault}")


def _fault_in(output: str) -> str:
    """Return the line of a tool's output that reports the fault."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    matches = (line for fault in _FAULTS for line in (lines if fault.pattern else lines[::-1]) if fault.search(line))
    return next(matches, "it printed nothing")[:_LINE_CHARACTERS]


def _around_version(library: Library) -> tuple[str, str]:
    """Return what stands before and after the version in the name of a build's folder.

    A change of the adapter or of the steps gives another name, so that no build of an older kit is used.
    """
    digest = hashlib.sha256(repr((library.package, library.steps, library.since)).encode())
    if any("{python}" in step for step in library.steps):
        digest.update(repr(sys.version_info[:2]).encode())
    for path in sorted((ADAPTERS / library.adapter).rglob("*")) if library.adapter else ():
        if path.is_file() and not {"target", "node_modules", "__pycache__"} & set(path.parts):
            digest.update(path.relative_to(ADAPTERS).as_posix().encode() + b"\0" + path.read_bytes())
    name = re.sub(r"[^0-9A-Za-z.]+", "-", library.package).strip("-")
    return f"{name}-", f"-{digest.hexdigest()[:_DIGITS]}"
