"""What a server gets that runs a printed log: the events in its BINLOG statements, in their order."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from conformance.binlog.checksum import CHECKSUM_BYTES
from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.binlog.header import HEADER, MAGIC, TYPE_AT, Header
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.models.rendering.binlog_statement import statement_events
from conformance.oracles.alignment import Alignment
from conformance.oracles.checks.printed_facts import Fact, Printed, name_of, printed_of
from conformance.oracles.oracle import GOOD, Check

#: What follows the delimiter at the end of a BINLOG statement on its line, comments apart.
_AFTER_END: Final = re.compile(r"'\s*/\*!\*/;[ \t]*(?![\s#/])(.+)")
#: Where the flags are in the common header: a program may change those of an event that it prints, such as that of a
#: log in use, and with them the checksum at the end.
_FLAGS: Final = slice(17, 19)


def binlog_statements_run(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """A server that runs the BINLOG statements gets the format description, then each row statement once, in order."""
    printed = printed_of(alignment)
    if printed is None or printed.settings["base64_output"] != "auto":
        return
    try:
        statements = [list(events) for events in statement_events(printed.log.text)]
    except ValueError as error:
        yield Check("BINLOG statement unreadable", str(error))
        return
    run = [event for events in statements for event in events]
    yield from _carried_over(alignment, printed, statements)
    if torn := next(filter(None, map(_AFTER_END.match, printed.log.lines)), None):
        yield Check("text after a BINLOG statement", f"{torn[1][:60]!r} follows its delimiter, and is executed")
    yield from _format_description_first(alignment, printed, run)
    yield from _statements_in_order(alignment, printed, list(_from_start(printed, run)))


def _from_start(printed: Printed, run: Sequence[bytes]) -> Iterator[bytes]:
    """Yield what is run without the events before the place where printing begins: which of them are shown is free.

    A program may print a format description only before rows: then the first is that of a later log, if the first log
    has none from there on.
    """
    start = printed.settings["start_position"]
    is_before = start > len(MAGIC) and _is_of_first(printed, run)
    for number, event in enumerate(run):
        is_later_log = number > 0 and event[TYPE_AT] == EventType.FORMAT_DESCRIPTION
        is_before = is_before and not is_later_log and Header(*HEADER.unpack_from(event)).log_pos <= start
        if number == 0 or not is_before:
            yield event


def _is_of_first(printed: Printed, run: Sequence[bytes]) -> bool:
    """Return whether what is run begins with the first log, whose description may be left out if it has no rows."""
    start = printed.settings["start_position"]
    has_rows = any(_is_of_rows(fact) and fact["log_pos"] > start for fact in printed.facts)
    descriptions = sum(each[TYPE_AT] == EventType.FORMAT_DESCRIPTION for each in run)
    return has_rows or descriptions > len(printed.settings["following"])


def no_binlog_statements(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """With decode-rows a text has no BINLOG statement: no rows, no format description."""
    printed = printed_of(alignment)
    if printed is None or printed.settings["base64_output"] != "decode-rows":
        return
    try:
        has_one = bool(printed.in_binlog_statements())
    except ValueError:
        # One that cannot be read is one.
        has_one = True
    yield Check("BINLOG statement with decode-rows", "the text has a BINLOG statement") if has_one else GOOD


def _format_description_first(alignment: Alignment, printed: Printed, run: Sequence[bytes]) -> Iterator[Check]:
    fact = printed.facts[0] if printed.facts else None
    if fact is None or fact["type"] != EventType.FORMAT_DESCRIPTION or not run:
        return
    # Programs leave out the format description that a replica wrote into its relay log.
    if fact["flags"] & Flag.RELAY_LOG or not printed.is_reached(fact):
        return
    if run[0][TYPE_AT] == EventType.FORMAT_DESCRIPTION:
        yield GOOD
    else:
        message = f"the first event in a BINLOG statement is not {name_of(alignment, fact)}: a server refuses the rest"
        yield Check("no format description to run", message, fact["offset"])


def _statements_in_order(alignment: Alignment, printed: Printed, run: Sequence[bytes]) -> Iterator[Check]:
    logs = _logs(alignment, printed)
    if not alignment.observation.error and (again := _descriptions_again(logs, run)):
        yield Check("format description run twice", f"{again} format descriptions are in BINLOG statements again")
    wanted: list[tuple[bytes, Fact]] = []
    governing = printed
    for log in logs:
        end = -CHECKSUM_BYTES if log.facts[0].get("checksum_algorithm") == "crc32" else None
        if _description(log) != _description(governing):
            # A server reads what follows by the format description before it.
            wanted.append((_description(log), log.facts[0]))
            governing = log
        statements = (each for each in _row_statements(log.facts) if log.is_read(each[-1]))
        wanted += [(_bare(log.data(fact), end), fact) for statement in statements for fact in statement]
    known = {event for event, _ in wanted}
    # Whether an event ends with a checksum depends on its log.
    seen = [bare for each in run for end in (None, -CHECKSUM_BYTES) if (bare := _bare(each, end)) in known]
    for place, (event, fact) in enumerate(wanted):
        if seen[place : place + 1] != [event]:
            how = "not in its place" if event in seen[place:] else "missing"
            message = f"in the BINLOG statements, {name_of(alignment, fact)} is {how}"
            what = "format description" if fact["type"] == EventType.FORMAT_DESCRIPTION else "row event"
            yield Check(f"{what} {how}", message, fact["offset"])
            return
    if len(seen) > len(wanted):
        yield Check("row event run twice", f"{len(seen) - len(wanted)} row events are in BINLOG statements again")
    elif wanted:
        yield GOOD


def _logs(alignment: Alignment, printed: Printed) -> tuple[Printed, ...]:
    """Return the logs that one call prints; a program that refuses an event does not print the statement it is of."""
    later = 0 if alignment.observation.error else len(printed.settings["following"])
    return printed, *(Printed(alignment, printed.log, number) for number in range(1, 1 + later))


def _descriptions_again(logs: Sequence[Printed], run: Sequence[bytes]) -> int:
    """Return how many format descriptions are run that are not in the logs, or not so often."""
    there = [int(fact["type"]) for log in logs for fact in log.facts].count(EventType.FORMAT_DESCRIPTION)
    return max(0, [int(each[TYPE_AT]) for each in run].count(EventType.FORMAT_DESCRIPTION) - there)


def _description(log: Printed) -> bytes:
    """Return the format description of a log, without its flags and the checksum that it may have."""
    fact = log.facts[0]
    return _bare(log.data(fact), -CHECKSUM_BYTES if "checksum_algorithm" in fact else None)


def _carried_over(alignment: Alignment, printed: Printed, statements: Sequence[Sequence[bytes]]) -> Iterator[Check]:
    """What a log leaves unfinished at its end is not run in one BINLOG statement with events of the next log."""
    for log, following in pairwise(_logs(alignment, printed)):
        left = {_uncut(log.data(fact)): fact for fact in _unfinished(log.facts)}
        others = {_uncut(following.data(fact)) for fact in following.facts} - left.keys()
        for statement in statements:
            run = [_uncut(event) for event in statement]
            if left.keys() & run and others.intersection(run):
                fact = next(left[each] for each in run if each in left)
                message = (
                    f"{name_of(alignment, fact)} is of a statement that its log ends within: it is run with another"
                )
                yield Check("unfinished statement run in the next log", message, fact["offset"])
                return


def _uncut(event: bytes) -> bytes:
    """Return an event without its flags and the last four bytes, which may be a checksum over them."""
    return _bare(event, -CHECKSUM_BYTES)


def _unfinished(facts: Sequence[Fact]) -> list[Fact]:
    """Return the Table_maps and rows of the statement within which a log ends."""
    whole = sum(len(each) for each in _row_statements(facts))
    return [fact for fact in facts if _is_of_rows(fact)][whole:]


def _is_of_rows(fact: Fact) -> bool:
    is_one = rows_kind(fact["type"]) is not None or fact["type"] == EventType.TABLE_MAP
    return bool(is_one and fact["handled"] == "known")


def _row_statements(facts: Sequence[Fact]) -> Iterator[list[Fact]]:
    """Yield the Table_maps and rows of each statement that is complete."""
    statement: list[Fact] = []
    for fact in facts:
        if not _is_of_rows(fact):
            continue
        statement.append(fact)
        if fact.get("rows_flags", 0) & STATEMENT_END:
            yield statement
            statement = []


def _bare(event: bytes, end: int | None) -> bytes:
    """Return an event without its flags, up to its checksum."""
    return event[: _FLAGS.start] + event[_FLAGS.stop : end]
