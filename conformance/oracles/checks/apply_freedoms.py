"""The differences that are left to appliers."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from conformance.binlog.servers import server_of
from conformance.oracles.alignment import Alignment
from conformance.oracles.differences import Difference

_LOGGED: Final = ("logged_statements", "logged_anonymous_gtids")
#: The GTID of a group without a Gtid event.
_NO_GTID: Final = "ANONYMOUS"
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
    at = difference.index
    known = server_of(alignment.case.id.profile).rules.known
    # Back to the event that moved the position; only those of unknown types may be passed over.
    while at > 0 and (events[at][name] == events[at - 1][name] or _is_passed_over(events[at], known)):
        at -= 1
        if events[at][name] == seen.get(name):
            return True
    return False


def _is_passed_over(entry: Mapping[str, Any], known: Collection[int]) -> bool:
    return entry["outcome"] == "ignored" or (entry["outcome"] == "skipped" and entry["type"] not in known)


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
    opened = not events[stop - 1]["in_group"] and events[stop]["gtid"] == _NO_GTID
    return opened and all(event["gtid"] == _NO_GTID for event in events[stop:] if event["offset"] < refused_at)


def is_spread_of_drops(alignment: Alignment, difference: Difference) -> bool:
    """Return whether the tables that a failed DROP DATABASE dropped are in another number of statements."""
    if difference.field not in _LOGGED or difference.index >= alignment.count:
        return False
    seen, expected = alignment.observed(difference.index), alignment.case.expected.events[difference.index]
    if seen is None or not expected[difference.field]:
        return False
    numbers = {seen[name] for name in _LOGGED if name in seen and expected[name]}
    return len(numbers) == 1 and numbers != {0}
