"""A trial: a fault comes over a run, which is then repeated or resumed, and has the record of an undisturbed one."""

import tempfile
from functools import cache
from pathlib import Path

from tests.faults.machine import come_over, prepared
from tests.faults.runs import Run
from tests.faults.tries import draw

#: The exit status of the implementation under test, which does not conform, and of a run that could not be finished.
NOT_CONFORMING, COULD_NOT_RUN = 1, 2
#: Faults of the machine after which a process of the run may have no memory or descriptor left to report by.
_MUTE = ("tiny limits", "closed descriptors")


@cache
def undisturbed(command):
    """Return the record of an undisturbed run."""
    with tempfile.TemporaryDirectory() as name:
        run = Run(command, Path(name).resolve())
        run.start()
        assert run.end() == NOT_CONFORMING, run.errors
        assert run.is_gone(), run.processes()
        return run.record()


def try_out(seed, folder):
    """Try out what a seed draws, and return how the disturbed run ended.

    Args:
        seed: The seed.
        folder: An empty folder.

    Raises:
        AssertionError: The kit did not hold; the message begins with the line that reproduces it.
    """
    each = draw(seed)
    run = Run(each.command, folder.resolve())
    try:
        return _outcome(run, each)
    except AssertionError as error:
        raise AssertionError(f"BINLOG_FAULT_SEED={seed} ({each}): {error}") from error
    finally:
        if run.process is not None:
            run.process.kill()


def _outcome(run, each):
    expected = undisturbed(run.command)
    with prepared(run, each):
        run.start()
        in_time = come_over(run, each)
        status = run.end()
        gone = run.is_gone()
        assert gone, f"these processes outlive the run: {run.processes()}"
    errors = run.errors
    assert not any("Traceback" in line for line in errors), "\n".join(errors)
    killed = each.fault == "kill driver" and in_time
    assert status == (-9 if killed else status), status
    if not killed:
        assert status in (NOT_CONFORMING, COULD_NOT_RUN), (status, errors)
    if status == COULD_NOT_RUN and each.fault not in _MUTE:
        assert [line.startswith("binlog-conformance: ") for line in errors[-1:]] == [True], errors
    outcome = "killed" if killed else "ended as usual" if status == NOT_CONFORMING else "stopped"
    if status == NOT_CONFORMING and run.command != "fuzz" and run.record() == expected:
        return outcome if in_time else "ended before the fault"
    if status == NOT_CONFORMING and run.command == "certify":
        assert each.fault == "kill implementation", _difference(run.record(), expected)
        outcome = "crash reported"
        assert any("SIGKILL" in str(line) for line in run.record()), _difference(run.record(), expected)
    assert not (status == NOT_CONFORMING and run.command == "corpus"), _difference(run.record(), expected)
    reason = f" ({errors[-1]})" if status == COULD_NOT_RUN and errors else ""
    _again(run, expected)
    return outcome + reason + (", resumed" if run.command == "corpus" else ", repeated")


def _again(run, expected):
    """Run it again in the same folder, without any fault."""
    run.start(*(["--resume"] if run.command == "corpus" else []))
    status = run.end()
    assert status == NOT_CONFORMING, (status, run.errors)
    assert run.is_gone(), f"these processes outlive the run: {run.processes()}"
    record = run.record()
    if run.command == "fuzz":
        assert record[-1]["kind"] == "footer"
        assert any(line.get("kind") == "failure" or "case" in line for line in record)
    else:
        assert record == expected, _difference(record, expected)


def _difference(record, expected):
    pairs = zip(record, expected, strict=False)
    first = next(((one, other) for one, other in pairs if one != other), None)
    return f"the records differ: {len(record)} and {len(expected)} lines, first {str(first)[:600]}"
