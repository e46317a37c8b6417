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
        left_out += logs[1:] if place is None or place in expected_at else logs
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
    """Return the beginnings of relay logs in a run of events, if each of them goes on with the source's format.

    After a Rotate of the source that format comes by itself, and no event of the replica has to end the relay log.
    """
    types = [type_of(each) for each in events[run.start : run.stop]]
    before, first = events[run.start - 1 if run.start else 0], events[run.start]
    if types in _OWN_BEGINNINGS and type_of(before) == EventType.ROTATE and before["log"] != first["log"]:
        return [run]
    starts = [run.start + number for number, each in enumerate(types) if each == EventType.ROTATE]
    logs = [range(start, end) for start, end in pairwise([*starts, run.stop])]
    whole = starts[:1] == [run.start] and all(_is_begun(events[log.start : log.stop], formats) for log in logs)
    return logs if whole else []


def _is_begun(beginning: Sequence[Entry], formats: Sequence[Entry]) -> bool:
    """Return whether events end a relay log and begin the next one, which goes on with the source's format."""
    *own, last = beginning
    data = event_data(last)
    if data is None or not is_repeated_format(data) or not describes_as_one_of(last, formats):
        return False
    return len({entry["log"] for entry in beginning[1:]}) == 1 and [type_of(each) for each in own] in _OWN


#: The types of the replica's own events with which a relay log begins, and of those between two relay logs.
_OWN_BEGINNINGS: Final = (
    [EventType.FORMAT_DESCRIPTION],
    [EventType.FORMAT_DESCRIPTION, EventType.PREVIOUS_GTIDS],
)
_OWN: Final = tuple([EventType.ROTATE, *types] for types in _OWN_BEGINNINGS)
_SERVER_ID: Final = slice(5, 9)
_LOG_POS: Final = slice(13, 17)


def _copies_before(own: Sequence[bool]) -> list[int]:
    """Return for each place how many events before it are the source's."""
    return list(accumulate((not each for each in own), initial=0))


def _aligned(wanted: Sequence[Entry], seen: Sequence[Entry]) -> dict[int, int]:
    """Return the number of events before a place of an answer -> that before the place in what is expected."""
    matcher = SequenceMatcher(a=[*map(content_of, seen)], b=[*map(content_of, wanted)], autojunk=False)
    places = {0: 0}
    for block in matcher.get_matching_blocks():
        places.update({block.a + number + 1: block.b + number + 1 for number in range(block.size)})
    return places
