"""Where a replica begins another relay log: when it likes, so that an answer is compared without those places.

Events of the replica's own that are not expected in a place would be taken for others, and what is between for missing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, compress, groupby, pairwise
from operator import not_
from typing import Any, Final

from conformance.binlog.checksum import CHECKSUM_BYTES, checksum, ends_with_checksum
from conformance.binlog.event_types import EventType
from conformance.binlog.header import MAGIC
from conformance.oracles.checks.relay_freedoms import describes_as_one_of
from conformance.protocol.observation import Observation
from conformance.protocol.roles.relay import comes_with_a_log, content_of, event_data, is_repeated_format, type_of
from conformance.strategies.grammar.case import Case

Entry = Mapping[str, Any]


def with_expected_division(case: Case, answer: Observation) -> Observation:
    """Return a receiver's answer without the beginnings of relay logs between events where none is expected."""
    if case.role != "relay":
        return answer
    own_id, wanted, events = case.settings["server_id"], case.expected.events, tuple(answer.events)
    own, own_wanted = ([comes_with_a_log(each, own_id) for each in many] for many in (events, wanted))
    formats = [each for each in wanted if type_of(each) == EventType.FORMAT_DESCRIPTION]
    begun = {run: _begun_in_the_midst(events, run, formats) for run in _runs(own)}
    if not any(begun.values()):
        return answer
    copies, copies_wanted = _copies_before(own), _copies_before(own_wanted)
    expected_at = {copies_wanted[run.start] for run in _runs(own_wanted)}
    places = _aligned(list(compress(wanted, map(not_, own_wanted))), list(compress(events, map(not_, own))))
    left_out: list[range] = []
    for run, logs in begun.items():
        place = places.get(copies[run.start])
        # Of several beginnings one stands for that which is expected: a whole one, if there is one.
        kept = max(logs, key=len, default=None) if place is None or place in expected_at else None
        left_out += [each for each in logs if each is not kept]
    return replace(answer, events=tuple(_joined(events, left_out, own_id))) if left_out else answer


def _joined(events: Sequence[Entry], left_out: Sequence[range], own_id: int) -> Iterator[Entry]:
    """Yield events without some beginnings of relay logs, those after them in the log before."""
    starts, without = {each.start for each in left_out}, {place for each in left_out for place in each}
    ends: dict[int, int] = defaultdict(lambda: len(MAGIC))
    before = 0
    for place, entry in enumerate(events):
        data = event_data(entry) or b""
        ends[entry["log"]] += len(data)
        before += place in starts
        if place in without:
            continue
        joined = {**entry, "log": entry["log"] - before}
        if before and type_of(entry) == EventType.ROTATE and int.from_bytes(data[_SERVER_ID], "little") in (0, own_id):
            joined["data"] = _without_place(data, ends[entry["log"]]).hex()
        yield joined


def _without_place(data: bytes, end: int) -> bytes:
    """Return an event without its log_pos, if that is where it ends: it ends elsewhere in the joined log."""
    if int.from_bytes(data[_LOG_POS], "little") != end:
        return data
    moved = data[: _LOG_POS.start] + bytes(4) + data[_LOG_POS.stop :]
    if not ends_with_checksum(data):
        return moved
    return moved[:-CHECKSUM_BYTES] + checksum(moved[:-CHECKSUM_BYTES]).to_bytes(CHECKSUM_BYTES, "little")


def _runs(own: Sequence[bool]) -> Iterator[range]:
    """Yield the places of events one after another that come with a relay log."""
    place = 0
    for is_own, group in groupby(own):
        length = sum(1 for _ in group)
        if is_own:
            yield range(place, place + length)
        place += length


def _begun_in_the_midst(events: Sequence[Entry], run: range, formats: Sequence[Entry]) -> list[range]:
    """Return the beginnings of relay logs in a run of events, none if one of them is not as it has to be.

    A relay log begins with the replica's own format description, after a Rotate of its own, or without one where it was
    not ended. It goes on with the source's, unless that comes by itself next, or nothing does.
    """
    begun = [place for place in run if place and events[place]["log"] != events[place - 1]["log"]]
    if not begun:
        return []
    first = begun[0] - (begun[0] > run.start)
    starts = [first, *(place - (type_of(events[place - 1]) == EventType.ROTATE) for place in begun[1:])]
    logs = [range(start, end) for start, end in pairwise([*starts, run.stop])]
    following = events[run.stop] if run.stop < len(events) else None
    comes = run.start > 0 and type_of(events[run.start - 1]) == EventType.ROTATE
    comes_next = comes or following is None or type_of(following) == EventType.FORMAT_DESCRIPTION
    whole = first == run.start and all(
        _is_begun(events[log.start : log.stop], formats, described=comes_next if log == logs[-1] else comes)
        for log in logs
    )
    return logs if whole else []


def _is_begun(beginning: Sequence[Entry], formats: Sequence[Entry], *, described: bool) -> bool:
    """Return whether events end a relay log and begin the next one, which goes on with the source's format.

    Args:
        beginning: The events, of which the first may be a Rotate that ends the relay log before.
        formats: The format descriptions that are expected.
        described: Whether the source's may be missing, as it is described otherwise.
    """
    if not beginning:
        return False
    *own, last = beginning
    data = event_data(last)
    if data is not None and is_repeated_format(data):
        return [type_of(each) for each in own] in _OWN and describes_as_one_of(last, formats)
    return described and [type_of(each) for each in beginning] in _OWN


#: The types of the replica's own events with which a relay log begins, after a Rotate that ends the one before, if any.
_OWN_BEGINNINGS: Final = (
    [EventType.FORMAT_DESCRIPTION],
    [EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS],
)
_OWN: Final = tuple([*end, *types] for end in ([], [EventType.ROTATE]) for types in _OWN_BEGINNINGS)
_SERVER_ID: Final = slice(5, 9)
_LOG_POS: Final = slice(13, 17)


def _copies_before(own: Sequence[bool]) -> list[int]:
    """Return for each place how many events before it are the source's."""
    return list(accumulate((not each for each in own), initial=0))


def _aligned(wanted: Sequence[Entry], seen: Sequence[Entry]) -> dict[int, int]:
    """Return the number of events before a place of an answer -> that before the place in what is expected.

    After an event that is not expected, the place is that after the last one that is.
    """
    matcher = SequenceMatcher(a=[*map(content_of, seen)], b=[*map(content_of, wanted)], autojunk=False)
    places = {0: 0}
    for block in matcher.get_matching_blocks():
        last = max(places)
        places.update(dict.fromkeys(range(last + 1, block.a + 1), places[last]))
        places.update({block.a + number + 1: block.b + number + 1 for number in range(block.size)})
    return places
