"""Faults in the statement's text before its rows, and in the option that switches it on."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.models.server.logged_event import LoggedEvent
from conformance.models.server.options import option_of
from conformance.models.server.scenario import Scenario
from conformance.models.server.statements import (
    REFUSED,
    Restart,
    SetGlobal,
    SetSession,
    SetVariable,
    Statement,
)
from conformance.mutants.log.faults import set_fields

_OPTION: Final = "binlog_rows_query_log_events"
_COMMENT: Final = re.compile(rb"/\*.*?\*/ ?|(?:-- |# )[^\n]*\n ?", re.DOTALL)


def of_text(change: Callable[[bytes], bytes]) -> Callable[[LoggedEvent], LoggedEvent]:
    """Return the change of the text in a Rows_query event."""
    return lambda event: set_fields(rows_query=change(event.fields["rows_query"]))(event)


def without_comments(text: bytes) -> bytes:
    """Return a text without comments; the worklog's own prefix stays."""
    prefix = b"# " if text.startswith(b"# ") else b""
    return prefix + _COMMENT.sub(b"", text.removeprefix(prefix))


def on_one_line(text: bytes) -> bytes:
    """Return a text with spaces for line breaks and tabs."""
    return text.translate(bytes.maketrans(b"\r\n\t", b"   "))


def as_ascii(text: bytes) -> bytes:
    """Return a text with question marks for other characters than those of ASCII."""
    return text.decode().encode("ascii", "replace")


#: Leaves a statement without effect: the number of statements stays, so that each keeps its place.
def _nothing(statement: Statement) -> Statement:
    return SetSession(variable="gtid_next", value="AUTOMATIC", session=statement.session)


def _settings_of_option(scenario: Scenario, change: Callable[[SetVariable], Statement]) -> Scenario:
    """Return a scenario with the statements that set the option changed."""
    statements = (
        change(each) if isinstance(each, SetVariable) and each.variable == _OPTION else each
        for each in scenario.statements
    )
    return replace(scenario, statements=tuple(statements))


def only_words(scenario: Scenario) -> Scenario:
    """Leave out the settings of the option that are not written ON or OFF."""
    return _settings_of_option(scenario, lambda each: _nothing(each) if each.spelling else each)


def case_of_name_matters(scenario: Scenario) -> Scenario:
    """Leave out the settings of the option under its name in capitals."""
    return _settings_of_option(scenario, lambda each: _nothing(each) if each.form == "upper" else each)


def takes_anything(scenario: Scenario) -> Scenario:
    """Switch the option on by values that must be refused."""
    return _settings_of_option(scenario, lambda each: replace(each, value="ON") if each.value in REFUSED else each)


def never_global(scenario: Scenario) -> Scenario:
    """Leave out the global settings of the option."""
    return _settings_of_option(scenario, lambda each: _nothing(each) if isinstance(each, SetGlobal) else each)


def ignored_at_start(scenario: Scenario) -> Scenario:
    """Leave out the option of a restart; others keep their values."""
    statements = (_without_option(each) if isinstance(each, Restart) else each for each in scenario.statements)
    return replace(scenario, statements=tuple(statements))


def _without_option(restart: Restart) -> Restart:
    return replace(restart, options=tuple(each for each in restart.options if option_of(*each)[0] != _OPTION))


def global_at_once(scenario: Scenario) -> Scenario:
    """Give each connected session the new global value too."""
    made: list[Statement] = []
    connected: set[int] = set()
    for each in scenario.statements:
        made.append(each)
        connected.add(each.session)
        if isinstance(each, SetGlobal) and each.variable == _OPTION and each.value not in REFUSED:
            made += [SetSession(variable=_OPTION, value=each.value, session=number) for number in sorted(connected)]
    return replace(scenario, statements=tuple(made))
