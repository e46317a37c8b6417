"""The pytest plugin: options, and the run whose results the suite's tests show.

It is loaded in every pytest run if the kit is installed, so nothing is imported before it is needed.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conformance.engine.baseline import Baseline
    from conformance.engine.events import RunFinished
    from conformance.implementations.process.limits import Limits

_SUITE = "conformance.suite"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a run for each requirement.

    Attributes:
        spec: The implementation as the user named it.
        limits: Its limits.
        requirements: The glob that selects requirements.
        roles: The roles that were judged.
        finished: How the run ended.
    """

    spec: str
    limits: "Limits"
    requirements: str
    roles: frozenset[str]
    finished: "RunFinished"

    def failures_of(self, requirement: str) -> tuple[list[str], list[str]]:
        """Return the reasons of known failures, and the messages of unknown ones with the commands that replay them."""
        from conformance.engine.replay_line import replay_line

        known, unknown = [], []
        for failure in self.finished.failures:
            if requirement not in map(self._test_of, failure.counts.requirements):
                continue
            if failure.known is not None:
                known.append(failure.known)
            else:
                unknown.append(
                    f"finding: {failure.finding} (in {failure.group})\n"
                    f"{failure.verdict.status}: {failure.verdict.message}\n"
                    + replay_line(failure.case.id, self.spec, self.limits)
                )
        return known, unknown

    def _test_of(self, requirement: str) -> str:
        """Return whose test shows a failure: a crash may be charged to a requirement that is not selected."""
        from conformance.specs.run_record import BESIDE_THE_CATALOGUE, TROUBLE

        if requirement in BESIDE_THE_CATALOGUE or fnmatchcase(requirement, self.requirements):
            return requirement
        return TROUBLE

    def unexpected_passes_of(self, requirement: str) -> list[str]:
        """Return what to do about baseline entries that no longer fail."""
        return [
            f"{entry.finding!r} does not occur any more: remove it from the baseline\n{entry.lines()}"
            for entry in (*self.finished.unexpected_passes, *self.finished.stale)
            if requirement in entry.requirements
        ]

    def unanswered(self, requirement: str) -> str | None:
        """Return how many cases of a requirement crashed, with the finding; None if none did, or all are known.

        Cases that were not asked are never known: nobody has looked at them.
        """
        from conformance.reports.outcome import trouble_text
        from conformance.specs.run_record import NOT_ASKED

        tally = self.finished.tally
        text = trouble_text(tally.statuses(requirement))
        if tally.statuses(requirement)[NOT_ASKED]:
            return f"{text}: it hangs"
        new = {failure.finding for failure in self.finished.failures if failure.known is None}
        findings = [finding for finding in tally.obstacles.get(requirement, {}) if finding in new]
        return f"{text}; finding: {', '.join(findings)}" if text and findings else None

    def reason_not_judged(self, requirement: str) -> str | None:
        """Return the reason why a requirement was not judged, None if it passed."""
        from conformance.oracles.registry import oracles
        from conformance.reports.outcome import trouble_text
        from conformance.specs.catalogue import catalogue
        from conformance.specs.run_record import BESIDE_THE_CATALOGUE

        if requirement in BESIDE_THE_CATALOGUE:
            return None
        untestable = catalogue()[requirement].untestable
        if untestable is not None:
            return f"not testable from outside: {untestable}"
        if requirement not in oracles():
            return "no oracle yet"
        role = catalogue()[requirement].role
        if role not in self.roles:
            return f"the role {role} was not judged: it is not declared, or no case of it is selected"
        unanswered = trouble_text(self.finished.tally.statuses(requirement))
        if unanswered:
            return f"not judged in every case, by known failures: {unanswered}"
        verdict = self.finished.tally.verdict(requirement)
        if verdict == "blocked":
            (finding, cases), *_ = self.finished.tally.obstacles[requirement].most_common()
            return f"its events were not reached, in {cases} cases because of the finding: {finding}"
        return None if verdict == "pass" else {"not-reached": "no case exercised it"}.get(verdict, verdict)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    group = parser.getgroup("binlog", "conformance of a binary-log implementation (with --pyargs conformance.suite)")
    group.addoption("--binlog-implementation", metavar="NAME", help="the implementation, as `certify` takes it")
    group.addoption(
        "--binlog-profile", action="append", default=[], help="profile; may be repeated; default: all claimed"
    )
    group.addoption("--binlog-requirement", default="*", metavar="GLOB", help="requirements to judge")
    group.addoption("--binlog-role", help="role; default: all declared")
    group.addoption(
        "--binlog-examples",
        type=int,
        help="cases for each family and profile (default: enough for every pair of variants)",
    )
    group.addoption("--binlog-seed", type=int, default=0, help="seed of the cases")
    group.addoption("--binlog-answer-time", default="10s", metavar="TIME", help="time limit for one answer: 90s, 2m")
    group.addoption(
        "--binlog-memory",
        type=int,
        default=2048,
        metavar="MIB",
        help="limit on address space; 0 means none, as programs on runtimes such as Java's need; default: 2048",
    )
    group.addoption(
        "--binlog-hangs", type=int, default=5, metavar="N", help="hangs after which nothing more is asked; default: 5"
    )
    group.addoption(
        "--binlog-pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="variable that the implementation sees besides the usual ones, or a glob; may be repeated",
    )
    group.addoption("--binlog-baseline", type=Path, help="file of known failures with reasons (TOML)")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options of the suite that cannot be used, before any test runs.

    Raises:
        pytest.UsageError: A glob or a role selects no requirement, or a limit is not valid.
    """
    if config.getoption("binlog_implementation"):
        from conformance.specs.catalogue import select

        pattern, role = config.getoption("binlog_requirement"), config.getoption("binlog_role")
        try:
            _limits(config.getoption)
            if not select(role=role, pattern=pattern):
                of_role = f" of the role {role}" if role else ""
                raise ValueError(
                    f"no requirement{of_role} matches {pattern!r}; `binlog-conformance requirements` lists them"
                )
        except ValueError as error:
            from conformance.reports.standard_streams import escaped

            raise pytest.UsageError(f"binlog-conformance: {escaped(str(error))}") from error


def _limits(option: Any) -> "Limits":
    """Return the limits that the options set.

    Raises:
        ValueError: One is not valid.
    """
    from conformance.implementations.process.limits import MOST_MEMORY, duration, limits_of

    if not 0 <= option("binlog_memory") <= MOST_MEMORY:
        raise ValueError(f"--binlog-memory {option('binlog_memory')} is not valid: write MiB, or 0 for no limit")
    if option("binlog_examples") is not None and option("binlog_examples") < 1:
        raise ValueError(f"--binlog-examples {option('binlog_examples')} is not valid: write an integer from 1")
    if option("binlog_hangs") < 1:
        raise ValueError(f"--binlog-hangs {option('binlog_hangs')} is not valid: write 1 or more")
    return limits_of(
        duration(option("binlog_answer_time")),
        option("binlog_memory"),
        option("binlog_hangs"),
        tuple(option("binlog_pass_env")),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test for each requirement that the options select."""
    if not metafunc.module.__name__.startswith(_SUITE) or "requirement_id" not in metafunc.fixturenames:
        return
    from conformance.specs.catalogue import select
    from conformance.specs.run_record import BESIDE_THE_CATALOGUE

    config = metafunc.config
    if not config.getoption("binlog_implementation"):
        raise pytest.UsageError(
            "the suite needs --binlog-implementation=NAME; `binlog-conformance implementations` lists the names"
        )
    chosen = select(role=config.getoption("binlog_role"), pattern=config.getoption("binlog_requirement"))
    # Crashes first: they fail the run whatever is selected.
    metafunc.parametrize("requirement_id", [*BESIDE_THE_CATALOGUE, *(requirement.id for requirement in chosen)])


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


@pytest.fixture(scope="session")
def outcome(pytestconfig: pytest.Config) -> Iterator[Outcome]:
    """Run the engine once for all tests of the suite."""
    from conformance.engine.baseline import Baseline, BaselineError
    from conformance.engine.certification import NothingToRun
    from conformance.implementations.process.process_implementation import CannotStart

    path: Path | None = pytestconfig.getoption("binlog_baseline")
    try:
        baseline = Baseline() if path is None else Baseline.load(path)
        yield _run(pytestconfig.getoption, baseline)
    except (BaselineError, CannotStart, NothingToRun, ValueError) as error:
        from conformance.reports.standard_streams import escaped

        pytest.exit(
            f"binlog-conformance: {escaped(' '.join(str(error).split()))}", returncode=pytest.ExitCode.USAGE_ERROR
        )


def _run(option: Any, baseline: "Baseline") -> Outcome:
    from conformance.engine.certification import Budget, Certification, Selection
    from conformance.implementations import registry

    spec = option("binlog_implementation")
    selection = Selection(profiles=tuple(option("binlog_profile")), requirements=option("binlog_requirement"))
    role = option("binlog_role")
    limits = _limits(option)
    with registry.implementation(spec, limits=limits) as implementation:
        selections = [replace(selection, role=role)] if role else selection.in_every_role(implementation.declaration)
        finished = Certification(
            implementation=implementation,
            spec=spec,
            selections=selections,
            budget=Budget(option("binlog_examples")),
            seed=option("binlog_seed"),
            baseline=baseline,
            limits=limits,
        ).run()
    roles = frozenset(each.role for each in selections)
    return Outcome(spec, limits, selection.requirements, roles, finished)
