"""Where things are defined in the source: productions, and the rows of tables that objects are made from."""

import inspect
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FrameType, ModuleType
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a source file; lines count from 1."""

    file: Path
    line: int

    def __str__(self) -> str:
        """Return the place in the form that editors accept, relative to the current folder if the file is in it."""
        here = Path.cwd()
        file = self.file.relative_to(here) if self.file.is_relative_to(here) else self.file
        return f"{file}:{self.line}"


def place_of(function: Callable[..., Any]) -> Place:
    """Return where a function is defined, its decorators included."""
    return Place(Path(inspect.getfile(function)).resolve(), inspect.getsourcelines(function)[1])


def line_with(files: Iterable[Path], text: str) -> Place:
    """Return the first line that holds a text.

    Raises:
        ValueError: No line of the files does.
    """
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if text in line:
                return Place(file.resolve(), number)
    raise ValueError(f"no line holds {text!r}")


def rows_of(modules: Iterable[ModuleType], kind: type, attribute: str) -> dict[str, Place]:
    """Return where modules make the objects of a class, by the value of an argument of its constructor.

    The modules are run once more and the constructor is watched, so nothing has to be recorded when they are
    imported. A row is at the line with its name; if the name is composed, or occurs twice, it is where the module
    makes the row, which may be in a loop over another table.

    Args:
        modules: The modules with the tables.
        kind: The class of the rows.
        attribute: The argument that names a row.
    """
    places: dict[str, Place] = {}

    def note(arguments: dict[str, Any], frame: FrameType) -> None:
        place = _row(frame)
        if place is not None:
            name = arguments[attribute]
            places[name] = min(place, places.get(name, place))

    for module in modules:
        with _watched(kind.__init__.__code__, note):  # type: ignore[misc]  # a class's own, not an instance's
            runpy.run_path(str(module.__file__), run_name=module.__name__)
    return {name: _named(name, place) for name, place in places.items()}


def _named(name: str, made: Place) -> Place:
    """Return the only line of the file with the quoted name, or else the place where it is made."""
    lines = enumerate(made.file.read_text(encoding="utf-8").splitlines(), start=1)
    named = [number for number, line in lines if f'"{name}"' in line]
    return Place(made.file, named[0]) if len(named) == 1 else made


def modules_of(package: ModuleType) -> Iterator[ModuleType]:
    """Yield a package and its modules."""
    yield package
    for each in walk_packages(package.__path__, f"{package.__name__}."):
        yield import_module(each.name)


@contextmanager
def _watched(constructor: CodeType, note: Callable[[dict[str, Any], FrameType], None]) -> Iterator[None]:
    """Report each call of a constructor: its arguments, and the frame that called it."""

    def look(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code is constructor and frame.f_back is not None:
            note(frame.f_locals, frame.f_back)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


def _row(frame: FrameType | None) -> Place | None:
    """Return where a module's own code led to a frame; code within comprehensions is the module's own."""
    row: FrameType | None = None
    while frame is not None:
        name = frame.f_code.co_name
        row = (row or frame) if name.startswith("<") and name != "<lambda>" else None
        if row is not None and name == "<module>":
            return Place(Path(frame.f_code.co_filename).resolve(), row.f_lineno)
        frame = frame.f_back
    return None
