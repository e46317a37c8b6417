"""Shortcuts to run a scenario on the model and to read what it logs."""

import io

from conformance.binlog.event_types import type_name
from conformance.binlog.reader import ReaderRules, read_events
from conformance.log_check.log_checker import LogChecker
from conformance.log_check.verdicts import Violation
from conformance.models.server.execution import Logged, log_of
from conformance.models.server.log_bytes import log_bytes
from conformance.models.server.scenario import Scenario
from conformance.models.server.settings import Settings
from conformance.protocol.reported_event import report

RULES = ReaderRules(known=frozenset(range(256)), beyond_format_description=True)

CREATE_D = {"kind": "create_database", "database": "d"}
USE_D = {"kind": "use", "database": "d"}


def statement(kind, **fields):
    return {"kind": kind, **fields}


def run(*statements, **settings) -> Logged:
    return log_of(Scenario.from_json({"settings": settings, "statements": [CREATE_D, USE_D, *statements]}))


def events_of(logged: Logged, *, skip: int = 0):
    """Return the events of all logs as they are read back, without the first `skip`."""
    events = [report(event) for log in logged.logs for event in read_events(log_bytes(log), RULES)]
    return events[skip:]


#: Events of a scenario's beginning: format description, Previous_gtids, Anonymous_gtid and CREATE DATABASE.
PREFACE = 4


def words(logged: Logged, *, skip: int = PREFACE):
    """Return each event as a word: the text of a Query, else the type's name."""
    return [each.get("query") or type_name(each["type"]) for each in events_of(logged, skip=skip)]


def violations(logged: Logged, settings: Settings):
    """Return the violations of the rules for recorded logs."""
    findings = []
    for log in logged.logs:
        checker = LogChecker(log.name, profile=settings.profile, report=findings.append)
        checked = checker.check(io.BytesIO(log_bytes(log)))
        assert checked.unreadable is None
    return [each for each in findings if isinstance(each, Violation)]
