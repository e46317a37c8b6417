"""Virtual environments with one exact version of a library, made once and kept in the user's cache folder."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from conformance.implementations.process.process_implementation import CannotStart

#: The form of a version (PEP 440); it becomes part of a path.
_VERSION: Final = re.compile(r"[0-9][0-9A-Za-z.!+_-]*")
#: Seconds that making an environment may take.
_SECONDS: Final = 900


class CannotInstall(CannotStart):
    """A library that could not be installed."""


def cache_folder() -> Path:
    """Return the folder in which the kit keeps its environments."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "binlog-conformance"


def check_version(version: str) -> None:
    """Check that a text can be a version.

    Raises:
        ValueError: It cannot be one.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is not a valid version: write one such as 1.0.7")


def library_python(library: str, version: str | None) -> Path:
    """Return the interpreter of an environment that has a library; make the environment if there is none.

    Args:
        library: The distribution's name.
        version: The exact version; if None, the newest one at the time of installation.

    Raises:
        CannotInstall: The environment cannot be made, or the package index has no such version.
        ValueError: The text is not a version.
    """
    if version is not None:
        check_version(version)
    wanted = f"{library}=={version}" if version else library
    name = f"{library}-{version or 'newest'}-py{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache_folder() / name
    python = _python(folder)
    if not os.access(python, os.X_OK):
        print(f"Installing {wanted} into {folder} (once) ...", file=sys.stderr, flush=True)
        _make(folder, wanted)
    return python


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _make(folder: Path, wanted: str) -> None:
    """Make an environment in a temporary folder and rename it, so that it is never seen incomplete."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise CannotInstall(f"cannot make {folder}: {error}") from error
    try:
        _run([sys.executable, "-m", "venv", str(aside)], wanted)
        _run([str(_python(aside)), "-m", "pip", "install", "--quiet", wanted], wanted)
        if folder.exists() and not os.access(_python(folder), os.X_OK):
            shutil.rmtree(folder)  # It has no interpreter any more.
        try:
            aside.rename(folder)
        except OSError as error:
            if not os.access(_python(folder), os.X_OK):  # Otherwise another process has made the same.
                raise CannotInstall(f"cannot move {wanted} to {folder}: {error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _run(command: list[str], wanted: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(f"cannot install {wanted}: {error}") from error
    if done.returncode:
        output = (done.stderr or done.stdout).strip()[-2000:]
        raise CannotInstall(f"cannot install {wanted}: {' '.join(command[1:4])} ended with {done.returncode}\n{output}")
