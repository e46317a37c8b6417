"""Kept inputs: for each target a few from its corpus that together run as much of the kit as all of them."""

import hashlib
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

import conformance
from tests.kit_fuzzing.findings import FOUND
from tests.kit_fuzzing.invariant import Broken
from tests.kit_fuzzing.target import SCRATCH, Target

#: The folder of the kept inputs, one folder for each target.
KEPT: Final = Path(__file__).parent / "kept"
#: Bytes of all kept inputs of a target, so that they can be in the repository and run in a second.
BUDGET: Final = 40_000

#: A step from one line of the kit's code to another: the identity of the code, which is quicker to hash, and the lines.
Arc = tuple[int, int, int]

_KIT: Final = str(Path(conformance.__file__).parent)


def inputs_of(target: str) -> list[Path]:
    """Return the files of kept inputs and of findings of a target."""
    return sorted(path for folder in (KEPT, FOUND) for path in (folder / target).glob("*"))


def arcs_of(target: Target, data: bytes, scratch: Path) -> frozenset[Arc] | None:
    """Return the steps in the kit's code that an input leads to; None if it breaks the invariant."""
    arcs: set[Arc] = set()
    last: dict[FrameType, int] = {}

    def trace_lines(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            arcs.add((id(frame.f_code), last.get(frame, 0), frame.f_lineno))
            last[frame] = frame.f_lineno
        elif event == "return":
            last.pop(frame, None)
        return trace_lines

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return trace_lines if frame.f_code.co_filename.startswith(_KIT) else None

    sys.settrace(trace)
    try:
        target.check(data, scratch)
    except Broken:
        return None
    finally:
        sys.settrace(None)
    return frozenset(arcs)


def smallest_cover(arcs: Mapping[bytes, Collection[Arc]], budget: int = BUDGET) -> Iterator[bytes]:
    """Yield inputs until they lead to all steps or have `budget` bytes; first those with most new steps a byte."""
    left = {data: set(each) for data, each in arcs.items() if len(data) <= budget}
    while left:
        best = max(left, key=lambda data: (len(left[data]) / (len(data) + 1), data))
        new = left.pop(best)
        if not new:
            return
        yield best
        budget -= len(best)
        left = {data: each - new for data, each in left.items() if len(data) <= budget}


def keep(target: Target, corpus: Path) -> list[Path]:
    """Choose from the corpus and the kept inputs of a target, replace the kept ones, and return their files."""
    paths = [*(KEPT / target.name).glob("*"), *(corpus / target.name).iterdir()]
    candidates = sorted({path.read_bytes() for path in paths}, key=len)
    with TemporaryDirectory(prefix="kit-fuzzing-", dir=SCRATCH) as scratch:
        # What a process does only once must not count for the input that happens to be the first.
        for data in candidates[:3]:
            arcs_of(target, data, Path(scratch))
        arcs = {data: each for data in candidates if (each := arcs_of(target, data, Path(scratch)))}
    folder = KEPT / target.name
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    written = []
    for data in smallest_cover(arcs):
        written.append(folder / hashlib.sha256(data).hexdigest()[:12])
        written[-1].write_bytes(data)
    return written
