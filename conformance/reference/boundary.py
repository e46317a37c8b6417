"""The reference in the role `boundary`: the parsers of `conformance.models.boundary`, fed event by event."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.reader import ReaderRules, read_events
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.header_answers import header_answers
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.boundary.step_entry import shipped_entry, worklog_entry
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.protocol.observation import Observation, Refusal, Request, Trouble

#: A boundary parser is fed every event, of any type; refusing one is not its task.
EVERY_EVENT: Final = ReaderRules(beyond_format_description=True, known=frozenset(range(256)))

Entry = dict[str, Any]
Parser = WorklogParser | ShippedParser
#: Changes what is reported for an event; only mutants do.
Alter = Callable[[Event, Entry], Entry | None]


def parser_of(profile: str) -> Parser | None:
    """Return the parser of a profile, None if its servers have none."""
    if profile == "worklog":
        return WorklogParser()
    version = SHIPPED_VERSIONS[profile]
    return None if version is None else ShippedParser(version)


def entry_of(event: Event, parser: Parser) -> Entry:
    """Feed an event, and return what is reported for it.

    Raises:
        MalformedBody: The body of a Query event contradicts its layout.
    """
    fed = FedEvent.of(event)
    reported: Mapping[str, str]
    if isinstance(parser, ShippedParser):
        shipped = parser.feed(fed)
        reported = shipped_entry(shipped, within=parser.within_transaction)
    else:
        step = parser.feed(fed)
        reported = worklog_entry(step, header_answers(fed.flags), within=parser.within_transaction)
    return {"offset": event.offset, "type": event.header.type, **reported}


def _entries(request: Request, parser: Parser, alter: Alter | None) -> Iterator[Entry]:
    resets = frozenset(request.settings["resets"])
    for event in read_events(request.stream, EVERY_EVENT):
        if event.offset in resets:
            parser.reset()
        try:
            entry: Entry | None = entry_of(event, parser)
        except MalformedBody as error:
            raise BinlogError(at=event.offset, kind="malformed", message=str(error)) from error
        if alter is not None and entry is not None:
            entry = alter(event, entry)
        if entry is not None:
            yield entry


def observe(request: Request, parser: Parser, alter: Alter | None = None) -> Observation:
    """Return the answers of a parser about a stream.

    Args:
        request: The question.
        parser: The parser, fresh or reset.
        alter: Changes what is reported of each event; None leaves it as it is.
    """
    entries: list[Entry] = []
    try:
        for entry in _entries(request, parser, alter):
            entries.append(entry)
    except BinlogError as error:
        return Observation(tuple(entries), Refusal(error.at, error.kind, error.message))
    return Observation(tuple(entries))


def answer(request: Request) -> Observation | Trouble:
    """Return the answers of the profile's parser about a stream."""
    parser = parser_of(request.profile)
    if parser is None:
        return Trouble("unsupported", "declined", f"servers of {request.profile} have no boundary parser")
    return observe(request, parser)
