"""The files that `check` judges: one after another, each in a process of its own, or a large one in several.

The output is the same.
"""

import os
import shutil
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance.binlog.limits import Limits, current_limits, limits_in_force
from conformance.cli.check_output import CheckOutput, output_of
from conformance.cli.divided_log import LEAST_SHARE, CheckerOf, checked_in_shares, result_of
from conformance.cli.log_files import STANDARD_INPUT, CannotOpen, open_log, progress_bar, reading_progress
from conformance.engine.process_pool import cores, process_pool
from conformance.log_check.log_checker import CheckedLog

#: A file's name, the file with what is printed of it, and its result.
_Task = tuple[str, Path, "Future[CheckedLog | str]"]

#: Bytes of all files from which on processes are worth their start.
_LARGE: Final = 16 << 20
#: Files that wait for each process, whose output is kept until those before them are printed.
_AHEAD: Final = 4


def checked_files(
    names: Sequence[str], checker: CheckerOf, output: CheckOutput, *, as_json: bool, jobs: int | None
) -> Iterator[CheckedLog | None]:
    """Yield the result of each file in its turn, None for one that cannot be opened, after what is found in it.

    Args:
        names: The names of the files; `STANDARD_INPUT` may be one.
        checker: Makes the checker of a log of a name.
        output: Prints the results.
        as_json: Whether the output is JSON lines.
        jobs: Processes; None for one for each core where the files are large.

    Raises:
        UserError: A process was killed.
    """
    sizes = [os.path.getsize(name) if os.path.isfile(name) else 0 for name in names]
    most = jobs or (cores() if sum(sizes) >= _LARGE else 1)
    number = min(most, len(names))
    # The other files add little to one that has half of the bytes.
    if most > len(names) and max(sizes) >= max(2 * LEAST_SHARE, sum(sizes) / 2) and STANDARD_INPUT not in names:
        for name, size in zip(names, sizes, strict=True):
            divided = checked_in_shares(name, size, checker, output, most)
            yield _reported(name, output, _checked(name, checker, output) if divided is None else divided)
        return
    if number < 2 or STANDARD_INPUT in names:
        yield from (_reported(name, output, _checked(name, checker, output)) for name in names)
        return
    with TemporaryDirectory(prefix="binlog-check-") as folder, process_pool(number) as pool:
        left = zip(names, map(str, range(len(names))), strict=True)
        waiting: deque[_Task] = deque()
        done = 0
        with progress_bar(f"{len(names)} files", sum(sizes)) as show:
            for size in sizes:
                for name, place in islice(left, number * _AHEAD - len(waiting)):
                    printed = Path(folder, place)
                    task = pool.submit(_checked_elsewhere, name, checker, current_limits(), printed, as_json=as_json)
                    waiting.append((name, printed, task))
                yield _taken(*waiting.popleft(), output)
                done += size
                show(done)


def _checked(name: str, checker: CheckerOf, output: CheckOutput) -> CheckedLog | str:
    """Judge one file, and print what is found in it; return why it cannot be opened, if so."""
    reporter = output.reporter(name)
    try:
        with open_log(name) as stream, reading_progress(name, stream) as progress:
            checked = checker(name, report=reporter, progress=progress).check(stream)
    except CannotOpen as error:
        return str(error)
    reporter.finish()
    return checked


def _checked_elsewhere(
    name: str, checker: CheckerOf, limits: Limits, printed: Path, *, as_json: bool
) -> CheckedLog | str:
    """Judge one file in a process of the pool, and keep in a file what is printed."""
    # The bar of each file would write over the others.
    sys.stderr = None
    with (
        printed.open("w", encoding="utf-8", errors="surrogatepass", newline="") as kept,
        redirect_stdout(kept),
        limits_in_force(limits),
    ):
        return _checked(name, checker, output_of(as_json=as_json))


def _taken(name: str, printed: Path, task: "Future[CheckedLog | str]", output: CheckOutput) -> CheckedLog | None:
    """Wait for a file of a process of the pool, and print what it printed.

    Raises:
        UserError: The process was killed.
    """
    result = result_of(task)
    with printed.open(encoding="utf-8", errors="surrogatepass", newline="") as kept:
        shutil.copyfileobj(kept, sys.stdout)
    printed.unlink()
    return _reported(name, output, result)


def _reported(name: str, output: CheckOutput, checked: CheckedLog | str) -> CheckedLog | None:
    if isinstance(checked, str):
        output.cannot_open(name, checked)
        return None
    return checked
