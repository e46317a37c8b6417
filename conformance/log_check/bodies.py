"""The bodies of a log's events: read and judged, those that recur only once."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from conformance.binlog.codecs import Fields
from conformance.binlog.errors import LimitExceeded, MalformedBody, MissingField
from conformance.binlog.event import Event
from conformance.binlog.event_types import QUERY_TYPES, EventType, type_name
from conformance.binlog.layouts.by_type import OPAQUE
from conformance.binlog.mariadb_compression import statement_of
from conformance.binlog.servers import WITH_TAGGED_GTIDS
from conformance.log_check.framing import BODY
from conformance.log_check.log_event import MEANINGLESS, Log
from conformance.log_check.statements import LoggedStatement, statement_kind
from conformance.log_check.verdicts import Verdicts

POST_HEADER_LENGTHS: Final = "FORMAT-POST-HEADER-LENGTHS"

#: Bytes of the length of a rows event's extra data, which counts itself.
_COUNTED: Final = 2
#: Type -> its fields that are numbers of something, and the numbers that servers write.
_NUMBERS: Final[Mapping[int, Mapping[str, Sequence[int]]]] = {
    EventType.INTVAR: {"intvar_type": (1, 2)},
    EventType.USER_VAR: {"is_null": (0, 1), "variable_type": (0, 1, 2, 4)},
}
#: Type whose bodies recur -> the most bytes of an event whose body is kept: a log has few tables, and its short
#: statements are BEGIN and COMMIT.
_RECURRING: Final[Mapping[int, int]] = {int(EventType.TABLE_MAP): 2048, int(EventType.QUERY): 160}
#: How many bodies are kept: 4 MiB at the most, with their fields.
_KEPT: Final = 1024
_QUERY_COMPRESSED: Final = int(EventType.MARIADB_QUERY_COMPRESSED)


class Body(NamedTuple):
    """What an event holds; it may be that of several events, so nobody changes it.

    Attributes:
        fields: Its fields by name; empty if the body contradicts its layout.
        statement: The kind of statement that it holds, None for an event without one.
        has_post_header: Whether the format description declares a post-header for its type.
    """

    fields: Fields
    statement: LoggedStatement | None
    has_post_header: bool


_BROKEN: Final = Body(Fields(), None, has_post_header=False)


class Bodies:
    """Reads the bodies of one log, and judges their layouts and their post-headers.

    Args:
        log: What is known about the log.
        verdicts: Takes the violations, and at the end the counts, as nearly every event shows both requirements.
    """

    def __init__(self, log: Log, verdicts: Verdicts) -> None:
        self._log = log
        self._verdicts = verdicts
        self._recent: dict[tuple[int, bytes], Body] = {}
        self._bodies = 0
        self._post_headers = 0

    def begin_format(self) -> None:
        """Take the next events by another format description: what is kept was read by the one before it."""
        self._recent.clear()

    def read(self, event: Event, code: int) -> Body:
        """Return what an event of a type code holds.

        Raises:
            BeyondLimit: It holds more than an event may.
        """
        if len(event.data) <= _RECURRING.get(code, 0) and event.recognised:
            key = (event.header.type, event.data[event.format.header_length : event.body_end])
            body = self._recent.get(key) or self._kept(key, self._body(event, code))
        else:
            body = self._body(event, code)
        if body is not _BROKEN:
            self._bodies += 1
            self._post_headers += body.has_post_header
        return body

    def __getstate__(self) -> dict[str, object]:
        """Return what another process gets: it reads for itself the bodies that are kept here."""
        return {**self.__dict__, "_recent": {}}

    def begin_counts(self) -> None:
        """Count from here on only."""
        self._bodies = self._post_headers = 0

    def join(self, before: "Bodies") -> None:
        """Add the counts of the part of the log before this one."""
        self._bodies += before._bodies
        self._post_headers += before._post_headers

    def finish(self) -> None:
        """Count the bodies that were right."""
        self._verdicts.good(BODY, self._bodies)
        self._verdicts.good(POST_HEADER_LENGTHS, self._post_headers)

    def _kept(self, key: tuple[int, bytes], body: Body) -> Body:
        """Keep a body, but a broken one: each of those is reported."""
        if body is not _BROKEN:
            if len(self._recent) >= _KEPT:
                self._recent.clear()
            self._recent[key] = body
        return body

    def _body(self, event: Event, code: int) -> Body:
        try:
            layout, declared = event.layout()
            if code == MEANINGLESS:
                layout = OPAQUE
            fields = layout.read(event.data, event.format.header_length, event.body_end, post_header_length=declared)
            layout.require(fields)
            self._check_form(code, fields)
            if code == _QUERY_COMPRESSED:
                fields["query"] = statement_of(fields)
        except LimitExceeded as error:
            raise error.located(event.offset) from error
        except MalformedBody as error:
            requirement, expected = _broken_body(event, code, error)
            self._verdicts.bad(requirement, event.offset, f"{type_name(code)}: {error}", expected)
            return _BROKEN
        statement = statement_kind(fields["query"]) if code in QUERY_TYPES and "query" in fields else None
        return Body(fields, statement, declared > 0)

    def _check_form(self, code: int, fields: Fields) -> None:
        """Check what a lenient reader takes, and no server writes.

        Raises:
            MalformedBody: The length of a rows event's extra data does not count itself, a number of a kind has no
                meaning, or a set has the form with room for tags, which servers before 8.3 do not know.
        """
        if code in _NUMBERS:
            for name, numbers in _NUMBERS[code].items():
                if fields.get(name, numbers[0]) not in numbers:
                    raise MalformedBody(f"{name} is {fields[name]}; servers write {', '.join(map(str, numbers))}")
        if fields.get("extra_data_length", _COUNTED) < _COUNTED:
            raise MalformedBody(f"extra data of {fields['extra_data_length']} bytes; the length counts its own two")
        gtids = fields.get("previous_gtids")
        if gtids is not None and gtids.tagged and not self._log.relay and self._log.profile not in WITH_TAGGED_GTIDS:
            raise MalformedBody("a set in the form with room for tags, from a server that does not know it")


def _broken_body(event: Event, code: int, error: MalformedBody) -> tuple[str, str]:
    """Return the requirement that a body breaks, and what it expects."""
    if isinstance(error, MissingField):
        return POST_HEADER_LENGTHS, f"a post-header with room for the fields of {type_name(code)}"
    layout, declared = event.layout()
    if layout.honours_post_header and declared > event.body_end - event.format.header_length:
        return POST_HEADER_LENGTHS, f"the {declared} bytes of post-header that the format description declares"
    return BODY, f"the layout of {type_name(code)}"
