"""Python for the browser: Pyodide from the npm registry, and the one package with compiled code that the page needs."""

from pathlib import Path
from typing import Final

from conformance.implementations.installation import install
from conformance.implementations.library import Library

_WHEEL: Final = (
    "{python} -m pip download --quiet --disable-pip-version-check --no-deps --dest {folder}/wheels "
    "--only-binary=:all: --platform {platform} --python-version {series} --implementation cp --abi cp{abi} "
    "msgspec=={msgspec}"
)
#: The series of Python and its platform belong to a version of Pyodide.
PYODIDE: Final = Library(
    name="pyodide",
    package="pyodide",
    description="Python for the browser",
    version="314.0.7",
    since={"314.0.7": {"platform": "pyemscripten_2026_0_wasm32", "series": "3.14", "abi": "314", "msgspec": "0.22.0"}},
    steps=("npm install --no-audit --no-fund --ignore-scripts --loglevel=error pyodide@{version}", _WHEEL),
    program="",
    tools={"npm": "https://nodejs.org"},
)
#: The files of the npm package that a page loads.
_LOADED: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")


def runtime_files() -> list[tuple[str, Path]]:
    """Return the files of the runtime: address beside the page's program, and where each lies; fetch them once.

    Raises:
        CannotInstall: npm or pip cannot fetch them.
    """
    folder = install(PYODIDE, PYODIDE.version)
    package = folder / "node_modules" / "pyodide"
    wheels = sorted((folder / "wheels").glob("*.whl"))
    return [*((f"pyodide/{name}", package / name) for name in _LOADED), *((each.name, each) for each in wheels)]
