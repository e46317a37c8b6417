"""A large log that `check` divides among processes, with the output of one."""

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

from conformance.binlog.limits import Limits, current_limits, limits_in_force
from conformance.cli.check_output import CheckOutput
from conformance.cli.log_files import CannotOpen, open_log, progress_bar
from conformance.cli.main import UserError
from conformance.engine.process_pool import process_pool
from conformance.log_check.log_checker import CheckedLog, LogChecker
from conformance.log_check.seams import Share, shares_of
from conformance.log_check.shares import JudgedShare, judge_share
from conformance.log_check.verdicts import Note, Violation, nobody

#: Makes the checker of a log from its name, and what `LogChecker` takes besides.
CheckerOf = Callable[..., LogChecker]

#: The least bytes of a share: they take a second, ten times as long as a process takes to begin.
LEAST_SHARE: Final = 32 << 20

_Result = TypeVar("_Result")
#: A share, the file with what is found in it, and its result.
_Task = tuple[Share, Path, "Future[JudgedShare]"]


def checked_in_shares(
    name: str, size: int, checker: CheckerOf, output: CheckOutput, number: int
) -> CheckedLog | str | None:
    """Judge a file in several processes, and print what is found in it.

    Args:
        name: The file's name.
        size: Its bytes.
        checker: Makes the checker of the log.
        output: Prints what is found.
        number: The most processes.

    Returns:
        The result, or why the file cannot be opened; None if it cannot be divided, and was not judged.

    Raises:
        UserError: A process was killed.
    """
    try:
        with open_log(name) as stream:
            shares = shares_of(stream, size, min(number, size // LEAST_SHARE))
    except CannotOpen as error:
        return str(error)
    if len(shares) < 2:
        return None
    reporter = output.reporter(name)
    with TemporaryDirectory(prefix="binlog-check-") as folder, process_pool(len(shares)) as pool:
        tasks: list[_Task] = []
        for share in shares:
            kept = Path(folder, str(share.begin))
            task = pool.submit(_judged_elsewhere, name, share, checker, current_limits(), kept)
            tasks.append((share, kept, task))
        with progress_bar(os.path.basename(name), size) as show:
            joined = _joined(name, tasks, reporter, show)
    joined.report_to(reporter, nobody)
    checked = joined.finish()
    reporter.finish()
    return checked


def result_of(task: "Future[_Result]") -> _Result:
    """Wait for a process of a pool, and return its result.

    Raises:
        UserError: The process was killed.
    """
    try:
        return task.result()
    except BrokenProcessPool as error:
        raise UserError("a process of check was killed: allow more memory, or give --jobs 1") from error


def _judged_elsewhere(name: str, share: Share, checker: CheckerOf, limits: Limits, kept: Path) -> JudgedShare:
    """Judge a share in a process of the pool, and keep in a file what is found in it."""
    with open_log(name) as stream, kept.open("wb") as findings, limits_in_force(limits):
        return judge_share(checker(name, report=nobody), stream, share, partial(_keep, pickle.Pickler(findings)))


def _keep(pickler: pickle.Pickler, finding: Violation | Note) -> None:
    pickler.dump(finding)
    # Else it would hold each finding, to name it when it comes again.
    pickler.clear_memo()


def _kept(path: Path) -> Iterator[Violation | Note]:
    with path.open("rb") as findings:
        while findings.peek(1):
            yield pickle.load(findings)


def _joined(
    name: str, tasks: list[_Task], report: Callable[[Violation | Note], None], show: Callable[[int], None]
) -> LogChecker:
    """Report what is found in the shares, in their order; return the checker of all of them.

    A share that does not follow from those before it is judged again here.
    """
    joined: LogChecker | None = None
    for share, kept, task in tasks:
        judged = result_of(task)
        if joined is None or judged.follows(joined):
            for finding in _kept(kept):
                report(finding)
            if joined is not None:
                judged.checker.join(joined)
            joined = judged.checker
        else:
            joined.report_to(report, show)
            with open_log(name) as stream:
                stream.seek(joined.log.end)
                joined.read(stream, end=share.end)
        if joined.stopped:
            break
        show(joined.log.end)
    assert joined is not None
    return joined
