"""The differences that are left to appliers."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from typing import Any, Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.reader import read_events
from conformance.binlog.rows.open_tables import OpenTables
from conformance.binlog.servers import server_of
from conformance.models.replica.other_readings import EndsAtImplicitCommit, is_of_no_log
from conformance.models.replica.replica_event import ReplicaEvent
from conformance.models.replica.replica_settings import ReplicaSettings
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference
from conformance.protocol.reported_event import report
from conformance.strategies.grammar.case import Case

_LOGGED: Final = ("logged_statements", "logged_anonymous_gtids")
#: The GTID of a group without a Gtid event.
_NO_GTID: Final = "ANONYMOUS"
#: The fields that show where a group ends.
_OF_GROUPS: Final = frozenset(
    {"in_group", "gtid", "transactions", "group_relay_log_pos", "source_log_pos", "logged_groups", "logged_gtids"}
)
_OF_GROUP: Final = ("group_relay_log_pos", "source_log", "source_log_pos")


def is_position_before_ignored(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a position of the group is still the one before the unknown events that were passed over since.

    The worklog leaves open whether an ignored event moves it: after a restart it may be read, and ignored, again. So
    may one that the skip counter skipped.
    """
    if difference.field not in _OF_GROUP or difference.index >= alignment.count:
        return False
    seen, events, name = alignment.observed(difference.index), alignment.case.expected.events, difference.field
    if seen is None:
        return False
    known = server_of(alignment.case.id.profile).rules.known
    # Of some events the position is not asked for.
    with_it = [each for each in events[: difference.index + 1] if name in each]
    # Back to the event that moved the position; only those of unknown types may be passed over.
    for before, entry in zip(with_it[-2::-1], with_it[::-1], strict=False):
        if entry[name] != before[name] and not _is_passed_over(entry, known):
            return False
        if before[name] == seen.get(name):
            return True
    return False


def _is_passed_over(entry: Mapping[str, Any], known: Collection[int]) -> bool:
    return entry["outcome"] == "ignored" or (entry["outcome"] == "skipped" and entry["type"] not in known)


def is_position_of_no_log(alignment: Alignment, difference: Difference) -> bool:
    """Return whether a position is that of an event which has the server id 0 or the replica's own.

    It is that of the entry's own event, or of one since which the position should not have moved.
    """
    name = difference.field
    if name != "source_log_pos" or difference.index >= alignment.count:
        return False
    case, seen = alignment.case, alignment.observed(difference.index)
    entries = case.expected.events[: difference.index + 1]
    if seen is None:
        return False
    since = takewhile(lambda each: each.get(name) == entries[-1].get(name), reversed(entries))
    offsets = {each["offset"] for each in since}
    return any(
        event.log_pos == seen.get(name) and is_of_no_log(event, case.settings["server_id"])
        for event in _events(case)
        if event.offset in offsets
    )


def stops_at_begin(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the applier stops at the BEGIN of a group without a Gtid event, not at the change in it.

    WL#7592 has the check at BEGIN too; servers leave it out there after a group with a GTID.
    """
    case, error = alignment.case, alignment.observation.error
    events, refused_at = case.expected.events, case.expected.refused_at
    if error is None or refused_at is None or case.settings["gtid_mode"] != "ON":
        return False
    stop = next((index for index, event in enumerate(events) if event["offset"] == error.at), None)
    if stop is None or difference.index < stop or not 0 < stop < len(events) - 1:
        return False
    opened = not events[stop - 1]["in_group"] and events[stop].get("gtid") == _NO_GTID
    return opened and all(event.get("gtid") == _NO_GTID for event in events[stop:] if event["offset"] < refused_at)


def ends_at_implicit_commit(alignment: Alignment, difference: Difference) -> bool:
    """Return whether an answer is that of an applier for which a statement that commits implicitly ends its group."""
    return is_of_ended_group(alignment, difference.index, difference.field)


def is_of_ended_group(alignment: Alignment, index: int, field: str) -> bool:
    """Return whether a field is that of such an applier.

    The number of groups may be any in between: what follows in the group is applied by itself, or all together.
    """
    if field not in _OF_GROUPS or index >= alignment.count:
        return False
    wanted, seen = alignment.case.expected.events[index], alignment.observed(index)
    other = _with_ended_groups(alignment).get(wanted["offset"])
    if seen is None or other is None:
        return False
    value = seen.get(field)
    if field == "transactions" and isinstance(value, int):
        return bool(wanted[field] <= value <= other[field])
    return bool(value == other.get(field))


# One entry is enough: an answer is examined for all its differences before the next one.
@lru_cache(maxsize=1)
def _with_ended_groups(alignment: Alignment) -> Mapping[int, Mapping[str, Any]]:
    """Return the entries of such an applier by offset, none where no group has such a statement."""
    case = alignment.case
    applier = EndsAtImplicitCommit(ReplicaSettings.of_json(case.id.profile, case.settings))
    done = applier.apply(_events(case))
    return {each.event.offset: each.entry() for each in done} if applier.has_ended_groups else {}


def _events(case: Case) -> Iterator[ReplicaEvent]:
    tables = OpenTables()
    with suppress(BinlogError, MalformedBody):
        for event in read_events(case.stream, server_of(case.id.profile).rules):
            yield ReplicaEvent.of_entry(report(event, tables))
            tables.observe(event)


def is_spread_of_drops(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the tables that a failed DROP DATABASE dropped are in another number of statements."""
    if difference.field not in _LOGGED or difference.index >= alignment.count:
        return False
    seen, expected = alignment.observed(difference.index), alignment.case.expected.events[difference.index]
    if seen is None or not expected[difference.field]:
        return False
    numbers = {seen[name] for name in _LOGGED if name in seen and expected[name]}
    return len(numbers) == 1 and numbers != {0}
