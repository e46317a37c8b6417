"""Single changes of right answers: one value, one entry, one line, or one decision with all that follows from it.

They are what a wrong implementation would answer. What is changed is named, so that a test can count it, and the answer
is made when it is wanted: there are many.
"""

import struct
import zlib
from collections import Counter
from dataclasses import replace
from functools import partial

from conformance.binlog.event_types import EventType
from conformance.binlog.header import HEADER_BYTES, MAGIC
from conformance.binlog.servers import server_of
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.filtering.table_filter import TableFilter
from conformance.oracles.judge import request_of
from conformance.protocol.answered_streams import observed_streams
from conformance.protocol.observation import Refusal
from conformance.protocol.roles.registry import role_of
from conformance.reference.boundary import observe
from conformance.reference.filter import answer_with as filtered_with
from conformance.reference.filter import table_filter

#: Where the type, the length, the end position and the flags are in a header, in bytes.
TYPE_AT, LENGTH_AT, LOG_POS_AT, FLAGS_AT = 4, 9, 13, 17
CHECKSUM = struct.Struct("<I")
#: Of rows with more columns, every second value is changed, or every third.
MANY_COLUMNS = 64
OTHER_WORD = {"yes": "no", "no": "yes", "kept": "dropped", "dropped": "kept"}


def other_values(name, value):
    """Yield other values of the same kind: the first is the one that a test takes if it tries only one."""
    if isinstance(value, bool):
        yield not value
    elif name == "flags":
        yield from (value ^ 1 << bit for bit in range(16))
    elif isinstance(value, int | float):
        # A large number takes no notice of 1.
        yield from ([value + 1] if value + 1 != value else []) + ([-value] if value else [2])
    elif isinstance(value, str):
        yield OTHER_WORD.get(value, f"{value}x")
        yield from other_texts(name, value)
    elif isinstance(value, list):
        yield value[:-1] if value else [{}]
        yield from (
            [*value[:place], other, *value[place + 1 :]]
            for place in range(len(value))
            for other in rows_like(value[place])
        )
    elif value is None:
        yield "x"
    else:
        yield {**value, "x": 1}


def other_texts(name, value):
    """Yield other texts: with characters left out, added or replaced, and with the items of a list in another order."""
    items = value.split(",")
    texts = [value[:-1], value[1:], value[:-4], f"x{value}", "", f"x{value[1:]}", value.swapcase()]
    texts += [",".join(items[::-1]), ",".join(items[:-1]), value.replace("``.", "`x`.")]
    if name in ("state", "boundary_type", "marker"):
        texts += [each.heading for each in BoundaryType]
    yield from (text for text in dict.fromkeys(texts) if text != value)


def rows_like(row):
    """Yield a row of an event with one image or one value changed."""
    for side, image in row.items() if isinstance(row, dict) else ():
        yield {**row, side: {} if image is None else None}
        values = list((image or {}).items())
        for column, value in values[:: 1 + len(values) // MANY_COLUMNS]:
            yield {**row, side: {each: image[each] for each in image if each != column}}
            for other in (*other_values("", value), *([] if value is None else [None])):
                yield {**row, side: {**image, column: other}}


def near(case, places):
    """Return the places of entries to change: all if none are given, else these and their neighbours."""
    count = len(case.expected.events)
    if places is None:
        return range(count)
    return sorted({each for place in places for each in (place - 1, place, place + 1) if 0 <= each < count})


def changes_of_entries(case, answer, places=None):
    """Yield what is changed and the answer: each value, each entry left out, doubled, or after the next one."""
    events = answer.events
    for place in near(case, places):
        if place >= len(events):
            continue
        entry, before, after = events[place], events[:place], events[place + 1 :]
        for name in sorted(case.expected.events[place].keys() & entry.keys() - {"offset"}):
            for value in other_values(name, entry[name]):
                yield f"{name} changed", partial(replace, answer, events=(*before, {**entry, name: value}, *after))
            without = {each: entry[each] for each in entry if each != name}
            # That null is not there is a broken protocol, which no judge sees.
            if case.role == "decode" and name not in role_of("decode").always and entry[name] is not None:
                yield f"{name} missing", partial(replace, answer, events=(*before, without, *after))
        yield "entry missing", partial(replace, answer, events=(*before, *after))
        yield "entry doubled", partial(replace, answer, events=(*before, entry, *events[place:]))
        if after:
            yield "entry late", partial(replace, answer, events=(*before, after[0], entry, *after[1:]))


def changes_of_the_end(case, answer):
    """Yield what is changed and the changed answer: the error missing, elsewhere, other, or not expected."""
    if answer.error is None:
        at = case.expected.events[-1].get("offset") if case.expected.events else None
        yield "error not expected", partial(replace, answer, error=Refusal(at, "other", "cannot read on"))
        yield "error after the last entry", partial(replace, answer, error=Refusal(None, "other", "cannot read on"))
    else:
        yield "error missing", partial(replace, answer, error=None)
        # That of a client is about none of its events.
        if case.role != "client":
            elsewhere = replace(answer.error, at=(answer.error.at or 0) + 1)
            yield "error elsewhere", partial(replace, answer, error=elsewhere)


def other_errors(case, answer):
    """Yield answers with another number or message of the error."""
    if answer.error is not None:
        yield "error number changed", partial(replace, answer, error=replace(answer.error, code=1))
        yield "error message changed", partial(replace, answer, error=replace(answer.error, message="an error"))


def refusals(case, answer, places=None):
    """Yield answers that stop with an error at an entry."""
    for place in near(case, places):
        if place < len(answer.events) and "offset" in answer.events[place]:
            error = Refusal(answer.events[place]["offset"], "other", "cannot read this")
            yield "entry refused", partial(replace, answer, events=answer.events[:place], error=error)


# One role each


def raw_events(stream):
    """Return the events of a log, as bytes."""
    events, at = [], len(MAGIC)
    while at < len(stream):
        size = int.from_bytes(stream[at + 9 : at + 13], "little")
        events.append(stream[at : at + size])
        at += size
    return events


def log_of(events, checksummed):
    """Return a log of some events, with their end positions and checksums made again."""
    made = bytearray(MAGIC)
    for event in events:
        end = (len(made) + len(event)).to_bytes(4, "little")
        placed = event[:LOG_POS_AT] + end + event[LOG_POS_AT + 4 :]
        made += placed[:-4] + CHECKSUM.pack(zlib.crc32(placed[:-4])) if checksummed else placed
    return bytes(made)


def ends_in_checksum(event):
    return zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little")


def additions(events, *, checksummed):
    """Return events that a log may lack: a Rows_query, an Ignorable, a temporary table, and some of its own again."""
    tail = bytes(4 * checksummed)
    added = [
        resized(events[-1][:HEADER_BYTES] + body + tail, type=kind)
        for kind, body in (
            (EventType.ROWS_QUERY, b"\x01x"),
            (EventType.IGNORABLE, b""),
            (EventType.QUERY, bytes(8) + b"\x04" + bytes(4) + b"test\0CREATE TEMPORARY TABLE `t9` (`a` INT)"),
        )
    ]
    gtids = [each for each in events if each[TYPE_AT] == EventType.GTID]
    added += [resized(each, type=EventType.ANONYMOUS_GTID) for each in gtids[:1]]
    # Two of each kind are enough.
    seen = Counter()
    for event in events[1:]:
        seen[event[TYPE_AT]] += 1
        if seen[event[TYPE_AT]] < 3:
            added.append(event)
    return added


def resized(event, *, type=None):
    """Return an event with its own length in its header, and perhaps another type."""
    code = bytes([event[TYPE_AT] if type is None else type])
    return (
        event[:TYPE_AT]
        + code
        + event[TYPE_AT + 1 : LENGTH_AT]
        + len(event).to_bytes(4, "little")
        + event[LENGTH_AT + 4 :]
    )


def elsewhere(event, *, checksummed):
    """Return an event with another end position, and the checksum of that."""
    position = int.from_bytes(event[LOG_POS_AT : LOG_POS_AT + 4], "little") ^ 1
    moved = event[:LOG_POS_AT] + position.to_bytes(4, "little") + event[LOG_POS_AT + 4 :]
    return moved[:-4] + CHECKSUM.pack(zlib.crc32(moved[:-4])) if checksummed else moved


def longer(event, *, checksummed):
    """Return an event with four more bytes at the end of its body."""
    end = len(event) - 4 * checksummed
    return resized(event[:end] + b"xxxx" + event[end:])


def other_logs(case, answer, places=None):
    """Yield answers in the role `log` with one event of one log left out, doubled, late, or with one value changed."""
    rules = server_of(case.id.profile).rules
    wanted = {(answer.events[place]["log"], answer.events[place]["offset"]) for place in near(case, places)}
    for number, stream in enumerate(answer.streams):
        events, at = raw_events(stream), len(MAGIC)
        checksummed = all(map(ends_in_checksum, events))

        answered = partial(_with_log, answer, number, checksummed=checksummed, rules=rules)
        for place, event in enumerate(events):
            here, at = at, at + len(event)
            if (number, here) not in wanted:
                continue
            before, after = events[:place], events[place + 1 :]
            yield "event missing", partial(answered, [*before, *after])
            yield "event doubled", partial(answered, [*before, event, event, *after])
            if after:
                yield "event late", partial(answered, [*before, after[0], event, *after[1:]])
            for other in additions(events, checksummed=checksummed):
                yield "event added", partial(answered, [*before, event, other, *after])
            yield "event longer", partial(answered, [*before, longer(event, checksummed=checksummed), *after])
            moved = stream[:here] + elsewhere(event, checksummed=checksummed) + stream[at:]
            logs = [*answer.streams[:number], moved, *answer.streams[number + 1 :]]
            yield "position changed", partial(observed_streams, logs, rules)
            for bit in range(16):
                yield "flag changed", partial(answered, [*before, with_bit(event, FLAGS_AT * 8 + bit), *after])
            for byte in range(HEADER_BYTES, len(event) - 4 * checksummed):
                yield "byte changed", partial(answered, [*before, with_bit(event, byte * 8), *after])
        if number + 1 == len(answer.streams):
            yield "log ends early", partial(observed_streams, [*answer.streams[:number], stream[:-1]], rules)


def _with_log(answer, number, events, *, checksummed, rules):
    """Return an answer in which one log has other events."""
    made = log_of(events, checksummed)
    return observed_streams([*answer.streams[:number], made, *answer.streams[number + 1 :]], rules)


def with_bit(data, bit):
    """Return bytes with one bit changed."""
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def other_copies(case, answer, places=None):
    """Yield answers of whole events with one bit of one event changed."""
    for place in near(case, places):
        data = bytes.fromhex(answer.events[place]["data"])
        bits = {
            *range(4 * 8, 9 * 8),
            *range(LOG_POS_AT * 8, HEADER_BYTES * 8),
            *range(HEADER_BYTES * 8, len(data) * 8, 24),
        }
        for bit in sorted(each for each in bits if each < len(data) * 8):
            entry = {**answer.events[place], "data": with_bit(data, bit).hex()}
            yield (
                "bit of data changed",
                partial(replace, answer, events=(*answer.events[:place], entry, *answer.events[place + 1 :])),
            )


def other_lines(case, answer, places=None):
    """Yield answers in the role `render` with one line of a text left out, doubled, late or changed."""
    for name in ("text", "warnings"):
        lines = answer.events[0].get(name, "").split("\n") if answer.events else []
        # Each change holds the lines that it changes only: a long text has many changes.
        printed = partial(_with_lines, answer, name, lines)
        for at, line in enumerate(lines):
            yield "line missing", partial(printed, at)
            yield "line doubled", partial(printed, at, line, line)
            if at + 1 < len(lines):
                yield "line late", partial(printed, at, lines[at + 1], line, replaced=2)
            yield "line cut", partial(printed, at, line[:-1])
            yield "line not a comment", partial(printed, at, line.lstrip("# "))
            words = line.split(" ")
            for place in range(len(words)):
                yield "word missing", partial(_without_word, answer, name, lines, at, place)


def _without_word(answer, name, lines, at, place):
    """Return an answer without one word of a line of one of its texts."""
    words = lines[at].split(" ")
    return _with_lines(answer, name, lines, at, " ".join(words[:place] + words[place + 1 :]))


def _with_lines(answer, name, lines, at, *others, replaced=1):
    """Return an answer with other lines in the place of one line, or of some, of one of its texts."""
    text = "\n".join([*lines[:at], *others, *lines[at + replaced :]])
    return replace(answer, events=({**answer.events[0], name: text}, *answer.events[1:]))


#: Decisions that agree within themselves, and what follows for the tables.
DECISIONS = [
    {"format": "statement", "message": "none", "executed": "yes"},
    {"format": "statement", "message": "warning", "executed": "yes"},
    {"format": "row", "message": "none", "executed": "yes"},
    {"format": "none", "message": "error", "executed": "no"},
    {"format": "none", "message": "none", "executed": "yes"},
    {"row_capable": "yes", "statement_capable": "yes", "restricted": "none"},
    {"row_capable": "yes", "statement_capable": "no", "restricted": "row"},
    {"row_capable": "no", "statement_capable": "yes", "restricted": "statement"},
    {"row_capable": "no", "statement_capable": "no", "restricted": "none"},
]


def other_decisions(case, answer, places=None):
    """Yield answers with another decision about one statement, all of it."""
    for place in near(case, places):
        entry = answer.events[place]
        for decision in DECISIONS:
            if not decision.items() <= entry.items():
                events = (*answer.events[:place], {**entry, **decision}, *answer.events[place + 1 :])
                yield "decision changed", partial(replace, answer, events=events)


class OneWrong(TableFilter):
    """A filter that decides wrongly about one statement or table, the one with a number."""

    def __init__(self, settings, number):
        plain = table_filter(settings)
        super().__init__(plain.rules, tables=settings["tables"], renames=settings["renames"])
        self._until = number

    def passes(self, tables, statement=None):
        self._until -= 1
        return super().passes(tables, statement) != (self._until == -1)


def other_fates(case, answer, places=None):
    """Yield answers of filters with one wrong decision, and the groups that follow from it."""
    for number in range(len(answer.events)):
        wrong = filtered_with(request_of(case), tables=lambda settings, number=number: OneWrong(settings, number))
        # Whether Query events without tables info are kept is not asked.
        judged = [place for place, entry in enumerate(case.expected.events) if "fate" in entry]
        if any(wrong.events[place]["fate"] != answer.events[place]["fate"] for place in judged):
            yield "fate changed with its group", partial(replace, wrong)


class OneStepWrong(WorklogParser):
    """A parser that takes one event, the one with a number, as an event to be ignored."""

    def __init__(self, number):
        super().__init__()
        self._until = number

    def feed(self, event):
        self._until -= 1
        wrong = event._replace(type=99, flags=0x80) if self._until == -1 else event
        return super().feed(wrong)


class OneResetMissed(WorklogParser):
    """A parser that is not reset once, at the reset with a number."""

    def __init__(self, number):
        super().__init__()
        self._until = number

    def reset(self):
        self._until -= 1
        if self._until != -1:
            super().reset()


def other_steps(case, answer, places=None):
    """Yield answers of parsers that miss one event or one reset, and what follows from it."""
    for number in range(len(answer.events) if case.id.profile == "worklog" else 0):
        wrong = observe(request_of(case), OneStepWrong(number))
        if wrong != answer:
            yield "step missed", partial(replace, wrong)
    for number in range(len(case.settings["resets"]) if case.id.profile == "worklog" else 0):
        wrong = observe(request_of(case), OneResetMissed(number))
        if wrong != answer:
            yield "reset missed", partial(replace, wrong)


#: Role -> the changes of one decision with all that follows from it.
CONSISTENT = {"decide": other_decisions, "filter": other_fates, "boundary": other_steps}
#: Role -> changes of what the entries are made of.
INSIDE = {"log": other_logs, "relay": other_copies, "send": other_copies, "render": other_lines}


def changes_of(case, answer, places=None):
    """Yield every single change of an answer with what is changed; given places, those at them and next to them."""
    yield from changes_of_entries(case, answer, places)
    for table in (CONSISTENT, INSIDE):
        if case.role in table:
            yield from table[case.role](case, answer, places)
    yield from refusals(case, answer, places)
    yield from changes_of_the_end(case, answer)
    yield from other_errors(case, answer)
