"""The kit as a test suite: ``pytest --pyargs conformance.suite --binlog-implementation=...``.

One test for each requirement that the implementation can show; the engine runs once, for those that are selected. For
single families in an author's own tests there is `binlog_streams`.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from conformance.strategies.grammar.case import Case

__all__ = ["Case", "binlog_streams"]

Test = TypeVar("Test", bound=Callable[..., None])


def binlog_streams(
    *, family: str | Sequence[str], profile: str | Sequence[str] = "mysql-8.4", role: str = "decode"
) -> Callable[[Test], Test]:
    """Return a decorator that calls a test with cases, as Hypothesis makes and shrinks them.

    The test has a parameter ``case``: `Case.stream` holds the bytes of a log, `Case.expected` what a right reader
    delivers. A failure is shown with the smallest stream, and with the id that `binlog-conformance replay` takes.

    Args:
        family: One or several families, as `binlog-conformance families` lists them.
        profile: One or several profiles, or releases such as ``mysql-8.0.15``.
        role: The role of the question that the case holds.

    Raises:
        ValueError: There is no such family or profile, or none of the families has cases for one of the profiles.
    """
    from functools import wraps

    from hypothesis import given, note
    from hypothesis import strategies as st

    from conformance.specs.profiles import profile_named
    from conformance.strategies.grammar.family import families
    from conformance.strategies.grammar.hypothesis_cases import cases

    names = [family] if isinstance(family, str) else list(family)
    profiles = [profile_named(each).name for each in ([profile] if isinstance(profile, str) else profile)]
    strategies = []
    for under in profiles:
        some = [each for each in names if each not in families() or under in families()[each].profiles]
        if not some:
            raise ValueError(f"none of the families {', '.join(names)} has streams for {under}")
        strategies += [cases(each, under, role=role) for each in some]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def noted(*arguments: object, case: Case, **named: object) -> None:
            note(f"case: {case.id}")
            test(*arguments, case=case, **named)

        return given(case=st.one_of(strategies))(noted)  # type: ignore[return-value]  # without the parameter case

    return decorate
