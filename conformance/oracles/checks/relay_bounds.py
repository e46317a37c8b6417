"""Where the replica's own events stand in its relay logs: a format description first, and what ends it last."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.reader import framed_events
from conformance.models.replica.relay_rules import RELAY_RULES, OwnGtids
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.bare_events import BareEvent
from conformance.oracles.oracle import GOOD, Check
from conformance.specs.versions import Profiles

#: The events with which a replica ends a relay log.
_ENDING: Final = frozenset({int(EventType.ROTATE), int(EventType.STOP)})
_PREVIOUS_GTIDS: Final = int(EventType.PREVIOUS_GTIDS)
#: The replicas that may describe a relay log again: MariaDB 11.8.9 does where events of its own id came back.
_DESCRIBES_AGAIN: Final = Profiles("mariadb")
#: The requirement that a Previous_gtids event follows the format description: where it holds, it is about both.
_BEGINS: Final = "WL7592-RELAY-PREVIOUS-GTIDS-OWN"


def check_bounds(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that each relay log has the replica's own format description first, and what ends it last, in one piece."""
    entries = alignment.observation.events
    back = next((later["log"] for before, later in pairwise(entries) if later["log"] < before["log"]), None)
    if back is not None:
        yield Check(
            "relay log goes on after the next one", f"relay log {back + 1} goes on after the next one has begun"
        )
        return
    for name, log, made in _relay_logs(alignment):
        own = [event.begins_or_ends_a_log(alignment) and is_made for event, is_made in zip(log, made, strict=True)]
        yield _check_log(alignment, name, log, own)


def check_own_gtids(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """Check that the replica's Previous_gtids event is the second event of each relay log, or of none."""
    wanted = RELAY_RULES[alignment.case.id.profile].previous_gtids
    is_on = alignment.case.settings["gtid_mode"] == "ON"
    if wanted is OwnGtids.WITH_GTID_MODE and not is_on:
        return  # Whether it writes one all the same, as WL#7592 asks, is left to it.
    for name, log, made in _relay_logs(alignment):
        events = zip(log, made, strict=True)
        places = [at for at, (event, is_made) in enumerate(events) if is_made and event.header.type == _PREVIOUS_GTIDS]
        if places == [1] * (wanted is OwnGtids.WITH_GTID_MODE):
            yield GOOD
        elif wanted is OwnGtids.NEVER:
            message = f"{name} has a Previous_gtids event of the replica's own in place {places[0] + 1}"
            yield Check("Previous_gtids of the replica", message)
        else:
            yield Check("no Previous_gtids of the replica", f"{name} does not go on with the replica's Previous_gtids")


def _relay_logs(alignment: Alignment) -> Iterator[tuple[str, Sequence[BareEvent], Sequence[bool]]]:
    """Yield what each relay log is called in messages, its events, and for each whether the source did not send it."""
    sent = {BareEvent.of({"data": event.hex()}) for event in framed_events(alignment.case.stream)}
    for number, group in groupby(alignment.observation.events, itemgetter("log")):
        log = [event for entry in group if (event := BareEvent.of(entry)) is not None]
        yield f"relay log {number + 1}", log, [each not in sent for each in log]


def _check_log(alignment: Alignment, name: str, log: Sequence[BareEvent], own: Sequence[bool]) -> Check:
    """Check one relay log.

    Args:
        alignment: The answer beside the expected one.
        name: What the relay log is called in a message.
        log: Its events.
        own: For each whether it is the replica's own.
    """
    begins = bool(log) and own[0] and log[0].header.type == EventType.FORMAT_DESCRIPTION
    if not begins and not alignment.marked(_BEGINS):
        first = log[0].name if log else "nothing"
        message = f"{name} begins with {first}, not with the replica's own format description"
        return Check("relay log begins without a format description", message)
    for place, (event, is_own) in enumerate(zip(log, own, strict=True)):
        if not is_own or not place:
            continue
        if event.header.type == EventType.FORMAT_DESCRIPTION and alignment.case.id.profile not in _DESCRIBES_AGAIN:
            return Check(
                "relay log described again", f"{name} has the replica's format description again, in place {place + 1}"
            )
        rest = zip(log[place:], own[place:], strict=True)
        if event.header.type in _ENDING and not all(mine and each.header.type in _ENDING for each, mine in rest):
            return Check(
                "relay log goes on after its end",
                f"{name} goes on after the replica's {event.name} in place {place + 1}",
            )
    return GOOD
