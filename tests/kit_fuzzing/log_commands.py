"""The commands that read logs: the first byte of an input chooses the options, the rest is the log."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from conformance.binlog.errors import BinlogError
from conformance.binlog.reader import ReaderRules, read_events
from tests.kit_fuzzing import command
from tests.kit_fuzzing.invariant import Broken, Outcome, check_end, check_json_lines, check_message, check_text

#: The rules by which `filter` reads.
_RULES: Final = ReaderRules(beyond_format_description=True)

Check = Callable[[Outcome], None]


def _anything(outcome: Outcome) -> None:
    """Accept any output, as of a command that prints a log's own bytes as mysqlbinlog does."""


#: The options of `decode`, and what its output is.
WIRE: Final[tuple[tuple[tuple[str, ...], Check], ...]] = (
    ((), check_text),
    (("--json",), check_json_lines),
    (("--dump",), check_text),
)
#: The options of `check`; with one of them the log is judged as the one before itself, too.
CHECKER: Final[tuple[tuple[tuple[str, ...], Check], ...]] = (
    ((), check_text),
    (("--rows", "--json"), check_json_lines),
    (("--profile", "mysql-5.6"), check_text),
    (("--rows", "--profile", "mysql-9.x"), check_text),
    (("--profile", "mariadb-11.x", "--json"), check_json_lines),
)
#: The options of `show`.
PRINTER: Final[tuple[tuple[tuple[str, ...], Check], ...]] = (
    (("-vv",), _anything),
    (("-vv", "--verify-binlog-checksum", "--time-zone", "Europe/Berlin"), _anything),
    (("-v", "--base64-output", "decode-rows", "--profile", "mariadb-11.x"), _anything),
    (("-vv", "--profile", "mysql-5.1"), _anything),
    (("--base64-output", "never", "--time-zone=-12:30"), _anything),
    (("--format", "events"), _anything),
    (("--format", "json"), check_json_lines),
)
#: The options of `filter`.
FILTER: Final[tuple[tuple[str, ...], ...]] = (
    ("--ignore-table", "test.t1"),
    ("--do-database", "test", "--tables", "clever", "--renames", "identity"),
    ("--do-database", "test", "--unpack-payloads"),
    ("--do-table", "test.t1", "--ignore-database", "mysql"),
)


def read(data: bytes, folder: Path) -> None:
    """Check `decode`."""
    options, check = WIRE[_choice(data, WIRE)]
    _run("decode", *options, _log(data, folder), check=check)


def judge(data: bytes, folder: Path) -> None:
    """Check `check`, of one log and of a chain."""
    number = _choice(data, (*CHECKER, "chain"))
    options, check = CHECKER[number % len(CHECKER)]
    logs = [_log(data, folder)] * (2 if number == len(CHECKER) else 1)
    outcome = command.run("check", *options, *logs)
    check_end(outcome, errors=len(logs))
    check(outcome)
    if outcome.status != 0 and not outcome.output and not outcome.errors:
        raise Broken("check nothing printed", f"status {outcome.status}")


def show(data: bytes, folder: Path) -> None:
    """Check `show`."""
    options, check = PRINTER[_choice(data, PRINTER)]
    _run("show", *options, _log(data, folder), check=check)


def copy(data: bytes, folder: Path) -> None:
    """Check `filter`: an output is there exactly where the status is 0, and can be read."""
    output = folder / "filtered.bin"
    output.unlink(missing_ok=True)
    log = _log(data, folder)
    outcome = _run("filter", *FILTER[_choice(data, FILTER)], log, "--output", str(output), check=check_text)
    if output.exists() != (outcome.status == 0):
        raise Broken("filter output in spite of its status", f"status {outcome.status}: {outcome.errors}")
    left = sorted(each.name for each in folder.iterdir() if each.name not in (Path(log).name, output.name))
    if left:
        raise Broken("filter left files", ", ".join(left))
    if outcome.status == 0:
        # Bodies that no rule looks at are copied as they are, damaged ones too.
        events = command.call("filter output", lambda: list(read_events(output.read_bytes(), _RULES)), BinlogError)
        if isinstance(events, Exception):
            raise Broken("filter output cannot be read", str(events))


def _run(*words: str, check: Check) -> Outcome:
    outcome = command.run(*words)
    check_end(outcome)
    check_message(outcome)
    check(outcome)
    return outcome


def _choice(data: bytes, options: tuple[object, ...]) -> int:
    return data[0] % len(options) if data else 0


def _log(data: bytes, folder: Path) -> str:
    path = folder / "log.bin"
    path.write_bytes(data[1:])
    return str(path)
