"""The steps of a transaction boundary parser for the events of a log, as lines."""

from typing import Final

from conformance.binlog.event import Event
from conformance.binlog.event_types import type_name
from conformance.cli.main import UserError
from conformance.reference.boundary import Parser, entry_of, parser_of

#: Column -> the field of a step that it shows.
_FIELDS: Final = {
    "Marker": "marker",
    "Boundary_type": "boundary_type",
    "State": "state",
    "Within_transaction": "within_transaction",
    "Warning": "warning",
}
#: The columns. A parser that servers ship has no markers, and only reports whether a transaction is open.
COLUMNS: Final = ("Log_name", "Pos", "Event_type", *_FIELDS)


def parser_for(profile: str) -> Parser:
    """Return the parser of a profile.

    Raises:
        UserError: Its servers have none.
    """
    parser = parser_of(profile)
    if parser is None:
        raise UserError(f"servers of {profile} have no boundary parser: choose worklog, mysql-5.7 or a later one")
    return parser


def boundary_line(log_name: str, event: Event, parser: Parser) -> str:
    """Feed an event to a parser, and return its line: the marker, the type and the state after it.

    Raises:
        MalformedBody: The body of a Query event contradicts its layout.
    """
    entry = entry_of(event, parser)
    code = event.format.type_code(event.header.type)
    cells = (log_name, event.offset, type_name(code), *(entry.get(field, "-") for field in _FIELDS.values()))
    return "\t".join(map(str, cells)).rstrip("\t")
