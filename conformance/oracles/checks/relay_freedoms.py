"""The differences that are left to receivers: their own events, their relay logs, and checksums."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from conformance.binlog.checksum import ChecksumAlgorithm, ends_with_checksum
from conformance.binlog.errors import MalformedBody
from conformance.binlog.event_types import PLAIN_GTID_TYPES, EventType
from conformance.binlog.executed_gtids import ExecutedGtids
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import FormatDescription
from conformance.binlog.gtid_set import GtidSet, Source
from conformance.binlog.header import HEADER, TYPE_AT, Header
from conformance.binlog.reader import framed_events
from conformance.models.boundary.shipped_parser import ShippedParser
from conformance.models.boundary.shipped_tables import SHIPPED_VERSIONS
from conformance.models.replica.relay_rules import RELAY_RULES
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.announced_checksums import is_unannounced
from conformance.oracles.checks.bare_events import HEADER_LENGTH, BareEvent
from conformance.oracles.checks.received_warnings import fed_entries
from conformance.oracles.checks.written_events import asked_of_own
from conformance.oracles.differences import Difference, differences
from conformance.protocol.roles.relay import event_data, is_repeated_format
from conformance.specs.catalogue import ENTRY
from conformance.specs.versions import Profiles

Entry = Mapping[str, Any]

#: The replicas that list the GTIDs of groups that they leave out.
_WITH_LISTS: Final = Profiles("mariadb")
#: The replicas that may count the last transaction after the relay log has begun.
_COUNTS_LATER: Final = Profiles("worklog", "mysql < 5.7")
#: The events with which a replica begins or ends a relay log.
_OWN_TYPES: Final = frozenset(
    {
        EventType.FORMAT_DESCRIPTION,
        EventType.PREVIOUS_GTIDS,
        EventType.MARIADB_GTID_LIST,
        EventType.MARIADB_START_ENCRYPTION,
        EventType.ROTATE,
        EventType.STOP,
    }
)
#: The bytes of a Rotate with the position; the name of the next log follows.
_POSITION_BYTES: Final = 8
#: The bytes of a Gtid event's body with the source, and with the number.
_SOURCE: Final = slice(1, 17)
_NUMBER: Final = slice(17, 25)
#: The bytes of a format description's body with the version of the binary log.
_BINLOG_VERSION: Final = slice(0, 2)
#: The bytes of a format description's body with the time at which it was created.
_CREATED: Final = slice(52, 56)


def _pair(alignment: Alignment, difference: Difference) -> tuple[BareEvent, BareEvent] | None:
    """Return the expected event and the observed one, None where there are not both."""
    if difference.index >= alignment.count:
        return None
    entry = alignment.observed(difference.index)
    if entry is None:
        return None
    wanted, seen = BareEvent.of(alignment.case.expected.events[difference.index]), BareEvent.of(entry)
    return None if wanted is None or seen is None else (wanted, seen)


def _of_entry(alignment: Alignment, difference: Difference) -> BareEvent | None:
    """Return the event of an entry that is missing or not expected."""
    if difference.field != ENTRY:
        return None
    if difference.place is not None:
        return BareEvent.of(alignment.observation.events[difference.place])
    return BareEvent.of(alignment.case.expected.events[difference.index])


def is_log_number(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is the number of a relay log."""
    return difference.field == "log"


def is_own_event(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event with which a relay log begins or ends is missing or not expected."""
    event = _of_entry(alignment, difference)
    return event is not None and event.header.type in _OWN_TYPES and event.begins_or_ends_a_log(alignment)


def is_format_again(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a relay log is missing with the source's format description with which it goes on.

    That may be missing by itself where the source sends another one next, and it governs nothing.
    """
    event = _of_entry(alignment, difference)
    if event is None or event.header.type != EventType.FORMAT_DESCRIPTION or event.header.log_pos:
        return False
    following = [BareEvent.of(entry) for entry in alignment.case.expected.events[difference.index + 1 :][:1]]
    is_replaced = any(each is not None and each.header.type == EventType.FORMAT_DESCRIPTION for each in following)
    if difference.place is None and is_replaced:
        return True
    wanted = {entry["log"] for entry in alignment.case.expected.events}
    return len({entry["log"] for entry in alignment.observation.events}) < len(wanted)


def repeats_format(alignment: Alignment, place: int) -> bool:
    """Return whether an entry is the source's format description, with which a relay log goes on after its beginning.

    A replica that begins a relay log in the midst of what it receives repeats it there: no Rotate of the source will
    announce it again.
    """
    entries = alignment.observation.events
    event = BareEvent.of(entries[place])
    if event is None or not is_repeated_format(bytes.fromhex(entries[place]["data"])):
        return False
    before = [BareEvent.of(entry) for entry in entries[:place] if entry["log"] == entries[place]["log"]]
    if not before or not all(each is not None and each.begins_or_ends_a_log(alignment) for each in before):
        return False
    return describes_as_one_of(entries[place], alignment.case.expected.events)


def describes_as_one_of(entry: Entry, others: Sequence[Entry]) -> bool:
    """Return whether an entry is a format description of the same as one of others."""
    event = BareEvent.of(entry)
    return event is not None and any(
        _described(event) == _described(each) for each in filter(None, map(BareEvent.of, others))
    )


def _described(event: BareEvent) -> tuple[int, int, bytes]:
    """Return what a format description is of: the server, and the body without its time and its checksum algorithm."""
    described = event.body[: _CREATED.start] + event.body[HEADER_LENGTH] + event.post_header_lengths
    return (event.header.type, event.header.server_id, described)


def is_format_repeated(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a relay log that is not expected goes on with the source's format description."""
    return difference.field == ENTRY and difference.place is not None and repeats_format(alignment, difference.place)


def stands_for_left_out(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an entry that is not expected is what a replica writes for events that it has left out.

    That is a Rotate to the end of the last ones, when the connection ends after them, and in MariaDB a Gtid_list event
    of their GTIDs.
    """
    place = difference.place
    event = None if place is None else _of_entry(alignment, difference)
    if place is None or event is None:
        return False
    if event.lists_left_out:
        return alignment.case.id.profile in _WITH_LISTS
    after = [BareEvent.of(entry) for entry in alignment.observation.events[place + 1 :]]
    is_last = all(each is not None and (each.lists_left_out or each.begins_or_ends_a_log(alignment)) for each in after)
    if not is_last or event.header.server_id or event.header.type != EventType.ROTATE:
        return False
    ends = (HEADER.unpack_from(each)[4] for each in framed_events(alignment.case.stream))
    return int.from_bytes(event.body[:_POSITION_BYTES], "little") in ends


def is_from_replica_itself(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an event that is there besides what is expected has the replica's own server id.

    Such an event may be the one that is aligned, as it is like the one that is expected. Its GTID is then in the
    Previous_gtids event of the next relay log, and a part of a group changes what the boundary parser makes of others.
    """
    case, observed = alignment.case, alignment.observation.events
    is_set = difference.field == "data" and _is_own_previous_gtids(alignment, difference)
    if is_set or difference.field == "warning":
        return any(_came_back(alignment, observed[place]) for place in alignment.phantoms)
    if difference.field == "data":
        wanted = case.expected.events[difference.index]["data"]
        besides = any(observed[place]["data"].lower() == wanted for place in alignment.phantoms)
        return besides and _came_back(alignment, alignment.observed(difference.index))
    if difference.field != ENTRY or difference.place is None:
        return False
    extra = observed[difference.place]
    alike = (index for index, entry in enumerate(case.expected.events) if entry["data"] == extra["data"].lower())
    return _came_back(alignment, extra) or any(_came_back(alignment, alignment.observed(index)) for index in alike)


def _is_own_previous_gtids(alignment: Alignment, difference: Difference) -> bool:
    pair = _pair(alignment, difference)
    if pair is None or pair[0].header.type != EventType.PREVIOUS_GTIDS:
        return False
    return pair[0].begins_or_ends_a_log(alignment)


def _came_back(alignment: Alignment, entry: Entry | None) -> bool:
    """Return whether an event has the replica's own server id and is one that the source sends."""
    event = None if entry is None else BareEvent.of(entry)
    if event is None or event.header.server_id != alignment.case.settings["server_id"]:
        return False
    # A relay log may have checksums if the source has none, and the reverse.
    return any(BareEvent.of({"data": each.hex()}) == event for each in framed_events(alignment.case.stream))


def is_own_value(alignment: Alignment, difference: Difference) -> bool:
    """Return whether two events of a replica's own agree in all that is asked for."""
    pair = _pair(alignment, difference) if difference.field == "data" else None
    if pair is None:
        return False
    if is_stamped(alignment, pair[0].header):
        return _without_time(pair[0]) == _without_time(pair[1])
    if is_unannounced(alignment, difference.index):
        return False
    if not _is_own(alignment, pair[0]):
        return False
    if _is_own_previous_gtids(alignment, difference):
        # Where the replica begins more relay logs than are expected, the one of another log may be aligned.
        besides = (BareEvent.of(alignment.observation.events[place]) for place in alignment.phantoms)
        return any(each is not None and _is_same_own(alignment, pair[0], each) for each in (pair[1], *besides))
    return _is_same_own(alignment, *pair)


def _is_same_own(alignment: Alignment, wanted: BareEvent, seen: BareEvent) -> bool:
    """Return whether two of the replica's own events agree in all that is asked for."""
    if _own_header(alignment, wanted) != _own_header(alignment, seen):
        return False
    if wanted.header.type == EventType.FORMAT_DESCRIPTION and not _agrees_on_lengths(alignment, wanted, seen):
        return False
    return _asked_of(alignment, wanted) == _asked_of(alignment, seen)


def _agrees_on_lengths(alignment: Alignment, wanted: BareEvent, seen: BareEvent) -> bool:
    """Return whether a format description has the lengths of the replica's own events, which it governs."""
    mine, other = (each.post_header_lengths for each in (wanted, seen))
    written = (BareEvent.of(each) for each in alignment.observation.events)
    own = {each.header.type for each in written if each is not None and each.begins_or_ends_a_log(alignment)}
    governed = (own | {EventType.ROTATE}) - {EventType.FORMAT_DESCRIPTION}
    return all(mine[code - 1 : code] == other[code - 1 : code] for code in governed)


def _own_header(alignment: Alignment, event: BareEvent) -> tuple[int, int, int]:
    """Return what is asked of the header of a replica's own event: the type, the server id and the flags."""
    case = alignment.case
    header = asked_of_own(event.header, profile=case.id.profile, server_id=case.settings["server_id"])
    return header.type, header.server_id, header.flags


def is_stamped(alignment: Alignment, header: Header) -> bool:
    """Return whether it is a Rotate without a time of the source's, to which the replica adds its own."""
    is_artificial = header.type == EventType.ROTATE and bool(header.flags & Flag.ARTIFICIAL)
    return is_artificial and RELAY_RULES[alignment.case.id.profile].stamps_rotates


def _without_time(event: BareEvent) -> BareEvent:
    return replace(event, header=event.header._replace(timestamp=0))


def _is_own(alignment: Alignment, event: BareEvent) -> bool:
    replaces = event.header.type == EventType.ROTATE and event.header.server_id == 0
    return event.begins_or_ends_a_log(alignment) or replaces


def _asked_of(alignment: Alignment, event: BareEvent) -> bytes:
    """Return the part of the body that is asked for."""
    if not event.begins_or_ends_a_log(alignment):
        return event.body
    if event.header.type == EventType.PREVIOUS_GTIDS:
        with suppress(ValueError, MalformedBody):
            return ExecutedGtids(GtidSet.from_bytes(event.body)).gtids().to_bytes()
        return event.body
    if event.header.type == EventType.FORMAT_DESCRIPTION:
        # A reader of the relay log needs these two; the server's version and other lengths are the replica's own.
        return event.body[_BINLOG_VERSION] + event.body[HEADER_LENGTH]
    return event.body[:_POSITION_BYTES] if event.header.type == EventType.ROTATE else b""


def differs_in_last_gtid_alone(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the Previous_gtids of a relay log of WL#7592 or 5.6 differs in the last transaction alone.

    5.6 counts it where the source's next log begins, and the relay log may begin before that.
    """
    pair = _pair(alignment, difference) if difference.field == "data" else None
    if (
        pair is None
        or alignment.case.id.profile not in _COUNTS_LATER
        or not _is_own_previous_gtids(alignment, difference)
    ):
        return False
    if pair[1].header.type != EventType.PREVIOUS_GTIDS:
        return False
    try:
        wanted, seen = (ExecutedGtids(GtidSet.from_bytes(each.body)) for each in pair)
    except (ValueError, MalformedBody):
        return False
    missing, more = wanted.missing_in(seen.gtids()).sources, seen.missing_in(wanted.gtids()).sources
    last = _last_transaction(alignment.case.expected.events[: difference.index])
    return (missing == last and not more) or (more == last and not missing)


def _last_transaction(entries: Sequence[Entry]) -> tuple[Source, ...]:
    """Return the GTID of the last transaction of some entries, as a set; of an anonymous one it is empty."""
    events = (BareEvent.of(entry) for entry in reversed(entries))
    begins = next((each for each in events if each is not None and each.header.type in PLAIN_GTID_TYPES), None)
    if begins is None or begins.header.type == EventType.ANONYMOUS_GTID:
        return ()
    gtids = ExecutedGtids()
    gtids.add(begins.body[_SOURCE], "", int.from_bytes(begins.body[_NUMBER], "little"))
    return gtids.gtids().sources


def own_sets(alignment: Alignment) -> Iterator[tuple[int, GtidSet, GtidSet]]:
    """Yield the replica's own Previous_gtids events with another set than is expected, where that is not free.

    Each is an index, the expected set and that of the answer.
    """
    for difference in differences(alignment):
        pair = _pair(alignment, difference) if difference.field == "data" else None
        if pair is None or not _is_own_previous_gtids(alignment, difference) or pair[0].body == pair[1].body:
            continue
        if is_from_replica_itself(alignment, difference) or differs_in_last_gtid_alone(alignment, difference):
            continue
        with suppress(ValueError, MalformedBody):
            wanted, seen = (GtidSet.from_bytes(each.body) for each in pair)
            yield difference.index, wanted, seen


def announces_own_checksums(alignment: Alignment, index: int) -> bool:
    """Return whether a format description differs from the expected one in its checksum algorithm alone, rightly.

    It is right if it is that of the events which follow in the relay log, up to the next format description.
    """
    entry = alignment.observed(index)
    pair = [alignment.case.expected.events[index], entry or {}]
    data = [event_data(each) for each in pair]
    if any(each is None or each[TYPE_AT] != EventType.FORMAT_DESCRIPTION for each in data):
        return False
    with suppress(MalformedBody):
        wanted, seen = (FormatDescription.from_event(each) for each in data if each is not None)
        expected, observed = map(BareEvent.of, pair)
        if expected is None or observed is None or expected.header != observed.header:
            return False
        # Read alone, they would be alike in what pads the server's version.
        bodies = [each.body[:-1] if each.body else b"" for each in (expected, observed)]
        alike = seen == replace(wanted, checksum_algorithm=seen.checksum_algorithm) and bodies[0] == bodies[1]
        if alike and ends_with_checksum(data[1] or b""):
            announced = seen.checksum_algorithm == ChecksumAlgorithm.CRC32
            return all(ends_with_checksum(each) == announced for each in _after(alignment, pair[1]))
    return False


def _after(alignment: Alignment, described: Entry) -> Iterator[bytes]:
    """Yield the events after each format description with the same bytes as one, up to the next in its log."""
    governed = None
    for entry in alignment.observation.events:
        data = event_data(entry) or b""
        if data[TYPE_AT : TYPE_AT + 1] == bytes([EventType.FORMAT_DESCRIPTION]):
            governed = entry["log"] if entry["data"] == described["data"] else None
        elif governed == entry["log"]:
            yield data


def differs_in_checksum_alone(alignment: Alignment, difference: Difference) -> bool:
    """Return whether one event has a right checksum and the other has none, and all else is equal."""
    pair = _pair(alignment, difference) if difference.field == "data" else None
    if pair is not None and announces_own_checksums(alignment, difference.index):
        return True
    if pair is None or pair[0] != pair[1] or is_unannounced(alignment, difference.index):
        return False
    entry = alignment.observed(difference.index)
    wanted = alignment.case.expected.events[difference.index]["data"]
    return entry is not None and len(entry["data"]) != len(wanted)


def stops_at_unknown(alignment: Alignment) -> bool:
    """Return whether the receiver stops with an error at an event of an unknown type that it must not ignore."""
    if alignment.observation.error is None:
        return False
    return alignment.stop in alignment.marked("WL4033-RELAY-UNKNOWN-NOT-LOST")


def is_silent_failure(alignment: Alignment, index: int) -> bool:
    """Return whether a shipped boundary parser fails at an event for which servers have no text of their own.

    The receiver logs a warning there nevertheless: that it has met an unexpected sequence of events.
    """
    version = SHIPPED_VERSIONS[alignment.case.id.profile]
    if version is None or index >= alignment.count:
        return False
    parser, connection = ShippedParser(version), 0
    for at, event, of_connection in fed_entries(alignment):
        if of_connection != connection:
            parser.reset()
            connection = of_connection
        step = parser.feed(event)
        if at >= index:
            return at == index and step.error and step.warning is None
    return False


def is_warning_without_text(alignment: Alignment, difference: Difference) -> bool:
    """Return whether it is the warning at an event where a boundary parser fails and servers have no text."""
    return difference.field == "warning" and is_silent_failure(alignment, difference.index)
