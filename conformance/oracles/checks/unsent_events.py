"""The events that a source had to send and did not: which of them have a reason in common, by which one is to blame.

What a source leaves out is missing for every requirement that governs it. It breaks the one for whose reason it is left
out: a transaction as a whole is taken for one that the replica has, an event with the ignorable flag is passed over for
its flag where others with the flag are not sent either, and a large event is lost for its size.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, HEARTBEAT_TYPES, ROWS_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import MAGIC
from conformance.binlog.servers import server_of
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import NOT_MADE, Cause
from conformance.oracles.checks.sent_events import Sent, expected_events
from conformance.oracles.reasons import normalised

_WORDS: Final = NOT_MADE["send"]
#: The longest event whose length two bytes hold.
_SMALL: Final = (1 << 16) - 1
#: So many events of a group show that it is left out as a group, and not for what one of them is.
_SEVERAL: Final = 2
#: Types whose events have the ignorable flag wherever servers log them: the flag does not set one of them apart.
_ALWAYS_FLAGGED: Final = frozenset({EventType.ROWS_QUERY, EventType.PREVIOUS_GTIDS})
_OF_GROUP: Final = Cause(_WORDS, "transaction", role="send")
_AFTER_WAIT: Final = Cause(_WORDS, "STOP after a wait", role="send")
_OF_LARGE: Final = Cause(_WORDS, "event of more than 64 kB", role="send")


@dataclass(frozen=True, slots=True)
class Unsent:
    """What the missing events of an answer have in common.

    Attributes:
        begun: The indices of those of a group whose Gtid event is missing.
        whole: The indices of those of a group of several events of which none is sent.
        after_waits: The indices of those that are of no group and come after one that is left out, as the source waited
            between the two.
        are_large: Whether they are those of more than 64 kB, of kinds of which smaller ones are sent.
    """

    begun: frozenset[int] = frozenset()
    whole: frozenset[int] = frozenset()
    after_waits: frozenset[int] = frozenset()
    are_large: bool = False

    def cause(self, index: int) -> Cause | None:
        """Return the cause of a missing event that has it in common with others; None for one of its own."""
        if index in self.whole:
            return _OF_GROUP
        if index in self.after_waits:
            return _AFTER_WAIT
        return _OF_LARGE if self.are_large else None


# One entry is enough: an answer is examined for all requirements before the next one.
@lru_cache(maxsize=1)
def unsent(alignment: Alignment) -> Unsent:
    """Return what the missing events of an answer have in common; nothing where it lacks none."""
    events = expected_events(alignment)
    missing = frozenset(index for index in range(len(events)) if alignment.fate(index) is Fate.DROPPED)
    if not missing:
        return Unsent()
    by_gtids = alignment.case.settings["gtid_set"] is not None
    groups = [group for group in groups_of(events) if group[0] in missing]
    whole = (group for group in groups if len(group) >= _SEVERAL and missing.issuperset(group))
    return Unsent(
        begun=missing & _joined(groups),
        whole=_joined(whole),
        after_waits=frozenset(index for index in missing if by_gtids and _is_after_wait(events, index)),
        are_large=_are_large(events, missing),
    )


def _joined(groups: Iterable[Sequence[int]]) -> frozenset[int]:
    return frozenset(index for group in groups for index in group)


def groups_of(events: Sequence[Sent]) -> list[list[int]]:
    """Return the indices of the events of each group that a Gtid event begins."""
    groups: list[list[int]] = []
    is_open = False
    for index, event in enumerate(events):
        # In MySQL's logs MariaDB's type has no meaning, and so the flag.
        of_mariadb = event.header.type == EventType.MARIADB_GTID and not event.flags & Flag.IGNORABLE
        if event.header.type in GTID_TYPES or of_mariadb:
            groups.append([])
            is_open = True
        is_open = is_open and event.is_of_transaction
        if is_open:
            groups[-1].append(index)
    return groups


def _is_after_wait(events: Sequence[Sent], index: int) -> bool:
    """Return whether an event of no group comes after one that is left out: something between it and the last is not.

    Without a wait it is left out too.
    """
    event = events[index]
    before = next((each.header for each in reversed(events[:index]) if each.header.type not in HEARTBEAT_TYPES), None)
    if before is None or not event.is_logged or event.is_of_transaction or event.header.type == EventType.ROTATE:
        return False
    return before.log_pos < event.header.log_pos - event.header.length


def _are_large(events: Sequence[Sent], missing: frozenset[int]) -> bool:
    lost = [events[index].header for index in missing]
    sent = [each.header for index, each in enumerate(events) if index not in missing and each.is_logged]
    fits = all(each.length > _SMALL for each in lost) and all(each.length <= _SMALL for each in sent)
    return fits and not {_kind(each.type) for each in lost}.isdisjoint(_kind(each.type) for each in sent)


def _kind(code: int) -> int:
    """Return what stands for a type: rows and their Table_map are one kind, of which no source sends one alone."""
    return int(EventType.TABLE_MAP) if code in ROWS_TYPES else code


def is_left_out_for_flag(alignment: Alignment, index: int) -> bool:
    """Return whether a missing event with the ignorable flag may be missing for the flag.

    It is not where others that differ from it in no reason for the flag are sent, or some without the flag are missing.
    What always has the flag is missing for the same reason as the event after it, where that is missing too.
    """
    events = expected_events(alignment)
    wanted = events[index]
    known = server_of(alignment.case.id.profile).rules.known
    if wanted.header.type not in known:
        return True
    always = wanted.header.type in _ALWAYS_FLAGGED
    following = next((at for at in range(index + 1, len(events)) if events[at].is_logged), None)
    if always and following is not None and alignment.fate(following) is Fate.DROPPED:
        return bool(events[following].flags & Flag.IGNORABLE) and is_left_out_for_flag(alignment, following)
    alike = [
        at
        for at, each in enumerate(events)
        if each.is_logged
        and each.header.type in known
        and (each.header.type == wanted.header.type if always else each.header.type not in _ALWAYS_FLAGGED)
    ]
    flagged = [at for at in alike if events[at].flags & Flag.IGNORABLE]
    is_sent = any(alignment.observed(at) is not None for at in flagged)
    others = set(alike).difference(flagged)
    return not is_sent and all(alignment.fate(at) is not Fate.DROPPED for at in others)


def refused_position(alignment: Alignment) -> Cause | None:
    """Return the cause of an error in the place of everything, at a position which the log has; None for none such.

    A source answers so to a position that no log has, with an error at the log's first event.
    """
    error, settings = alignment.observation.error, alignment.case.settings
    if error is None or alignment.observation.events or not alignment.count or settings["gtid_set"] is not None:
        return None
    if "error_at" in alignment.role.abilities and error.at not in (None, start_of_log(settings) + len(MAGIC)):
        return None
    reason = normalised(error.message or error.kind, alignment.case.stream)
    return Cause("refused", "position of the log", reason=reason, role="send")


def start_of_log(settings: Mapping[str, Any]) -> int:
    """Return the offset of the log that a replica asks for."""
    at = 0
    for log in settings["logs"]:
        if log["name"] == settings["log_name"]:
            return at
        at += log["length"]
    raise AssertionError(f"{settings['log_name']} is a log of the source")
