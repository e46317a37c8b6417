"""The steps of a boundary parser through a log: started at the log's start, it must not warn of anything."""

from typing import Final

from conformance.binlog.event_types import QUERY_TYPES
from conformance.log_check.log_event import Log, LogEvent, Place
from conformance.log_check.verdicts import Verdicts
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.worklog_parser import WorklogParser

REPOSITION_AT_START: Final = "WL4162-REPOSITION-AT-START"
#: The places of events that do not begin anything.
_CONTINUES: Final = (Place.INSIDE, Place.END)


class BoundarySteps:
    """Judges each event by the parser of the profile: that of the worklog, or the one that its servers ship."""

    requirements = (REPOSITION_AT_START,)
    codes = None
    places = None
    inside_payloads = False

    def __init__(self) -> None:
        self._profile = ""
        self._parser: WorklogParser | ShippedParser = WorklogParser()
        self._begun = False
        #: Whether the parser is out of step because of an event that breaks another rule.
        self._out_of_step = False

    def judge(self, seen: LogEvent, log: Log, verdicts: Verdicts) -> None:
        """Judge one event: it must fit the parser's state.

        An event that breaks a rule on transactions is left to that rule, up to the end of the transaction.
        """
        if log.profile != self._profile:
            self._profile = log.profile
            version = SHIPPED_VERSIONS[log.profile]
            self._parser = WorklogParser() if version is None else ShippedParser(version)
        query = seen.fields.get("query") if seen.code in QUERY_TYPES else None
        warning = self._warning(FedEvent(seen.code, seen.flags, query))
        wrong = warning is not None
        self._begun = self._begun or (self._parser.within_transaction and not wrong)
        if wrong and log.relay and not self._begun:
            return  # A relay log may begin inside a transaction, if the previous file was full.
        self._out_of_step = seen.broken is not None or (self._out_of_step and seen.place in _CONTINUES)
        if warning is None:
            verdicts.good(REPOSITION_AT_START)
        elif not self._out_of_step:
            actual = warning.rstrip(".")
            verdicts.bad(REPOSITION_AT_START, seen.offset, actual, "an event that fits the state of the stream")

    def _warning(self, fed: FedEvent) -> str | None:
        """Feed an event to the parser; return what is wrong with the step, None for a right one."""
        if isinstance(self._parser, WorklogParser):
            return self._parser.feed(fed).warning
        step = self._parser.feed(fed)
        if not step.error:
            return None
        return step.warning.text if step.warning else "an event that does not fit"
