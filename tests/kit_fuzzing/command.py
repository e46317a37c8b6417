"""The kit's command line, run in this process as a user runs it."""

import io
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final, TypeVar, cast

from conformance.cli.main import main
from tests.kit_fuzzing.bounds import TooSlow, bounded
from tests.kit_fuzzing.invariant import Broken, Outcome, traceback_name

Result = TypeVar("Result")

#: Bytes of output that are kept in memory.
_IN_MEMORY: Final = 1 << 20
#: Bytes of output that are looked at.
_OUTPUT: Final = 64 << 20
#: The signals that the command line handles.
_HANDLED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)


def run(*words: str) -> Outcome:
    """Run a command and return how it ended.

    Raises:
        Broken: It takes too long.
    """
    with _streams() as (output, errors):
        status = _status(words)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # of whatever the command line has put around them
        output.seek(0)
        errors.seek(0)
        return Outcome(words, status, output.read(_OUTPUT), errors.read(_OUTPUT).decode("utf-8", "surrogateescape"))


def call(name: str, function: Callable[[], Result], *expected: type[Exception]) -> Result | Exception:
    """Call a function of the kit; return its result, or the exception with which it refuses an input in one line.

    Args:
        name: What is called, for messages.
        function: The function.
        expected: The exceptions that it documents.

    Raises:
        Broken: It raises another exception, one of several lines, or takes too long.
    """
    try:
        with bounded():
            return function()
    except expected as error:
        if len(str(error).splitlines()) > 1:
            raise Broken(f"{name} {type(error).__name__} of several lines", str(error)) from error
        return error
    except TooSlow as error:
        raise Broken(f"{name} takes too long", "") from error
    except Exception as error:
        text = traceback.format_exc()
        raise Broken(traceback_name(text), text) from error


def _status(words: tuple[str, ...]) -> int | str | None:
    arguments, hook = sys.argv, sys.unraisablehook
    handlers = {number: signal.getsignal(number) for number in _HANDLED}
    sys.argv = ["binlog-conformance", *words]
    try:
        with bounded():
            main()
    except SystemExit as ending:
        return ending.code
    except TooSlow as error:
        raise Broken(f"{words[0]} takes too long", " ".join(words)) from error
    finally:
        sys.argv, sys.unraisablehook = arguments, hook
        for number, handler in handlers.items():
            if handler is not None:
                signal.signal(number, handler)
    return 0


@contextmanager
def _streams() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Replace the standard streams; yield what receives output and errors."""
    before = sys.stdin, sys.stdout, sys.stderr
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as output, tempfile.SpooledTemporaryFile(_IN_MEMORY) as errors:
        texts = _text(output, "strict"), _text(errors, "backslashreplace")
        sys.stdin, (sys.stdout, sys.stderr) = io.TextIOWrapper(io.BytesIO()), texts
        try:
            yield output, errors
        finally:
            for text in texts:
                text.detach()
            sys.stdin, sys.stdout, sys.stderr = before


def _text(stream: IO[bytes], errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(cast(io.BufferedRandom, stream), "utf-8", errors, newline="\n")
