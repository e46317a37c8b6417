"""The pytest plugin: the hooks of the suite, whose tests show the results of one run.

It is loaded in every pytest run if the kit is installed, so nothing is imported before it is needed.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from conformance.pytest_plugin.options import Values, add_options

if TYPE_CHECKING:
    from conformance.pytest_plugin.outcome import Outcome
    from conformance.specs.catalogue import Requirement

_SUITE: Final = "conformance.suite"
#: The requirements that have no test: reason -> how many.
_LEFT_OUT: Final = pytest.StashKey["Counter[str]"]()
#: The ids of the requirements whose tests run, after -k, --lf and node ids.
_SELECTED: Final = pytest.StashKey[tuple[str, ...]]()
#: What the implementation can show: requirement -> the reason why it cannot be a test, None if it can.
_REASONS: Final = pytest.StashKey[Mapping[str, str | None]]()
#: The key of `_LEFT_OUT` in what a worker of xdist sends.
_OUTPUT: Final = "binlog_left_out"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options of the suite that cannot be used, before any test runs.

    Raises:
        pytest.UsageError: A glob or a role selects no requirement, or a limit is not valid.
    """
    config.stash[_LEFT_OUT] = Counter()
    if config.getoption("binlog_implementation"):
        _values(config)


def _values(config: pytest.Config) -> Values:
    """Return the values of the options.

    Raises:
        pytest.UsageError: One is not valid, there is no such implementation, or nothing is selected.
    """
    from conformance.specs.extensions import BrokenExtension

    try:
        from conformance.implementations.registry import implementation

        values = Values(config)
        if values["implementation"] is None:
            raise ValueError(
                "the suite needs --binlog-implementation=NAME; `binlog-conformance implementations` lists the names"
            )
        values.budget()
        implementation(values["implementation"], limits=values.limits())
        _chosen(values)
    except (ValueError, BrokenExtension) as error:
        raise _usage_error(error) from error
    return values


def _chosen(values: Values) -> "list[Requirement]":
    """Return the requirements that the options select.

    Raises:
        ValueError: There are none.
    """
    from conformance.specs.catalogue import select

    pattern, roles = values.requirements, values["role"] or (None,)
    chosen = [each for role in roles for each in select(role=role, pattern=pattern)]
    if not chosen:
        of_role = f" of the role {' or '.join(values['role'])}" if values["role"] else ""
        raise ValueError(f"no requirement{of_role} matches {pattern!r}; `binlog-conformance requirements` lists them")
    return chosen


def _usage_error(error: Exception) -> pytest.UsageError:
    from conformance.reports.standard_streams import escaped

    return pytest.UsageError(f"binlog-conformance: {escaped(' '.join(str(error).split()))}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test for each requirement that the options select and the implementation can show."""
    if not metafunc.module.__name__.startswith(_SUITE) or "requirement_id" not in metafunc.fixturenames:
        return
    from conformance.specs.run_record import BESIDE_THE_CATALOGUE

    config = metafunc.config
    try:
        values = _values(config)
    except pytest.UsageError as error:
        # Here pytest prints any other exception with its traceback.
        raise pytest.Collector.CollectError(str(error)) from None
    reasons = _reasons(config, values)
    config.stash[_LEFT_OUT] = Counter(filter(None, reasons.values()))
    # Crashes first: they fail the run whatever is selected.
    judged = (each for each, reason in reasons.items() if reason is None)
    metafunc.parametrize("requirement_id", [*BESIDE_THE_CATALOGUE, *judged])


def _reasons(config: pytest.Config, values: Values) -> Mapping[str, str | None]:
    """Return for each chosen requirement why no answer of the implementation can show it, None if one can.

    Raises:
        CollectError: The implementation does not start, which ends the pytest run.
    """
    from conformance.implementations.process.process_implementation import CannotStart
    from conformance.implementations.registry import implementation
    from conformance.oracles.judge import Judges
    from conformance.oracles.registry import oracles
    from conformance.specs.extensions import BrokenExtension

    if (known := config.stash.get(_REASONS, None)) is not None:
        return known
    try:
        with implementation(values["implementation"], limits=values.limits()) as started:
            declaration = started.declaration
    except (BrokenExtension, CannotStart, ValueError) as error:
        raise pytest.Collector.CollectError(str(_usage_error(error))) from None
    judges = Judges(declaration)
    reasons: dict[str, str | None] = {}
    for each in _chosen(values):
        if each.untestable is not None:
            reason: str | None = "not testable from outside"
        elif each.id not in oracles():
            reason = "without an oracle yet"
        elif each.role not in declaration.roles:
            reason = f"of the role {each.role}, which it does not declare"
        else:
            reason = None if judges.supports(each.role, each.id) else "of fields or abilities that it does not declare"
        reasons[each.id] = reason
    config.stash[_REASONS] = reasons
    return reasons


def pytest_collection_finish(session: pytest.Session) -> None:
    """Take note of the tests that are left after -k, --lf and node ids: nothing else is generated and judged."""
    from conformance.specs.catalogue import catalogue

    selected = []
    for item in session.items:
        requirement = _requirement_of(item)
        if requirement is None:
            continue
        selected.append(requirement)
        if requirement in catalogue():
            entry = catalogue()[requirement]
            item.user_properties += [
                ("worklog", entry.worklog),
                ("level", entry.level),
                ("section", entry.section),
                ("role", entry.role),
            ]
    session.config.stash[_SELECTED] = tuple(selected)


def _requirement_of(item: pytest.Item) -> str | None:
    """Return the requirement of a test of the suite, None for another test."""
    module, spec = getattr(item, "module", None), getattr(item, "callspec", None)
    if module is None or spec is None or not module.__name__.startswith(_SUITE):
        return None
    requirement: str | None = spec.params.get("requirement_id")
    return requirement


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make what an implementation wrote safe for a terminal, in the reports of the suite's tests."""
    module = getattr(item, "module", None)
    if module is None or not module.__name__.startswith(_SUITE):
        return (yield)
    from conformance.reports.standard_streams import escaped

    raised = None if call.excinfo is None else call.excinfo.value
    if raised is not None and isinstance(msg := getattr(raised, "msg", None), str):
        # The reason of a failure, a skip or an expected failure.
        raised.msg = escaped(msg)  # type: ignore[attr-defined]  # as those of pytest have it
    report = yield
    report.sections = [(name, escaped(text)) for name, text in report.sections]
    if raised is not None and not hasattr(raised, "msg"):
        report.longrepr = escaped(str(report.longrepr))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what is left out to the process that prints the summary, if this is a worker of xdist."""
    output: Any = getattr(session.config, "workeroutput", None)
    if output is not None:
        left_out = session.config.stash[_LEFT_OUT]
        output[_OUTPUT] = dict(left_out)


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist nothing calls it
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take note of what a worker of xdist has left out: each of them the same."""
    left_out: Counter[str] = Counter(getattr(node, "workeroutput", {}).get(_OUTPUT, {}))
    node.config.stash[_LEFT_OUT] = left_out


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print one line about the requirements that have no test."""
    left_out = config.stash.get(_LEFT_OUT, Counter())
    if left_out:
        why = ", ".join(f"{number} {reason}" for reason, number in left_out.most_common())
        terminalreporter.write_line(f"binlog-conformance: {left_out.total()} requirements are not judged: {why}")


@pytest.fixture(scope="session")
def outcome(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Outcome]":
    """Run the engine once for all tests of the suite, in whatever processes they run."""
    from conformance.engine.baseline import BaselineError
    from conformance.engine.certification import NothingToRun
    from conformance.engine.run_lock import InUse
    from conformance.engine.workers import WorkerLost
    from conformance.implementations.process.process_implementation import CannotStart
    from conformance.pytest_plugin.outcome import outcome_of
    from conformance.specs.extensions import BrokenExtension

    is_worker = hasattr(pytestconfig, "workerinput")
    shared: Path | None = tmp_path_factory.getbasetemp().parent if is_worker else None
    selected = pytestconfig.stash.get(_SELECTED, ())
    try:
        yield outcome_of(pytestconfig, _values(pytestconfig), selected, shared)
    except (BaselineError, BrokenExtension, CannotStart, InUse, NothingToRun, OSError, ValueError, WorkerLost) as error:
        pytest.exit(str(_usage_error(error)), returncode=pytest.ExitCode.USAGE_ERROR)
