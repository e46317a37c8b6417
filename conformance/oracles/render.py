"""The oracles of the role `render`: one row for each requirement.

A text is judged by what it shows of each event, whatever else a version prints; the facts are in the expected entry.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.oracles.alignment import Alignment, Fate
from conformance.oracles.cause import Cause
from conformance.oracles.checks.boundary_warnings import dump_goes_on, equal_warnings, later_warnings, warning_text
from conformance.oracles.checks.executed_statements import gtid_set, runs_unprinted, statement_executed
from conformance.oracles.checks.executed_text import binlog_statements_run, no_binlog_statements
from conformance.oracles.checks.printed_before_start import nothing_before_start
from conformance.oracles.checks.printed_events import (
    GTID_WORDS,
    JudgeEvent,
    all_comments,
    anonymous,
    before_its_table,
    boundary_is_comment,
    boundary_shown,
    bytes_untouched,
    event_lines,
    gtid_event_named,
    header_shown,
    in_one_statement,
    positions_together,
    row_comments,
    rows_named,
    rows_query_words,
    statement_shown,
    statement_stops,
    table_shown,
    transaction_bordered,
    without_commit_word,
    without_timestamps,
)
from conformance.oracles.checks.printed_facts import ROWS_FORM, Fact, Printed, name_of, printed_logs_of
from conformance.oracles.checks.printed_gtid_sets import previous_info, previous_set_shown
from conformance.oracles.checks.render_freedoms import info_agrees
from conformance.oracles.oracle import GOOD, Check, Oracle, both, fields

#: The cause of events that are not printed of a log after the first, as they are before the start position.
_START_KEPT: Final = Cause("kept for the logs after the first", "start position", role="render")
#: Returns whether an oracle is about a fact.
Applies = Callable[[Fact], bool]


def _no_header(printed: Printed) -> Cause | None:
    """Return the cause that an event without a header line has in common with others, None if it has none.

    No event has one; or in a log after the first just those have none that end up to the start position.
    """
    if all(printed.event(fact) is None for fact in printed.facts):
        return Cause("without header lines", "text", role="render")
    start = printed.settings.get("start_position", 0)
    if printed.is_first or not start:
        return None
    up_to = [fact for fact in printed.facts[1:] if fact["log_pos"] <= start]
    is_late = up_to and all(printed.event(fact) is None for fact in up_to)
    return _START_KEPT if is_late else None


def _text(
    requirement: str,
    applies: Applies,
    judge: JudgeEvent,
    *,
    unprinted: str = "",
    free: Callable[[Printed, int], bool] = lambda printed, index: False,
) -> Oracle:
    """Return the oracle that judges how each event of a kind is printed.

    Args:
        requirement: The requirement's id.
        applies: Returns whether an event is of this kind.
        judge: Judges an event that is printed.
        unprinted: The signature of an event without a header line; empty if another oracle judges that.
        free: Returns whether an event may have none.
    """

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        every = ((log, index, fact) for log in printed_logs_of(alignment) for index, fact in enumerate(log.facts))
        for printed, index, fact in every:
            if not applies(fact) or not printed.is_reached(fact):
                continue
            event = printed.event(fact)
            if event is None:
                if unprinted and not free(printed, index):
                    message = (
                        f"{name_of(alignment, fact)} has no header line that ends with end_log_pos {fact['log_pos']}"
                    )
                    yield Check(unprinted, message, fact["offset"], _no_header(printed))
                continue
            fault = judge(printed, index, event)
            if fault is None:
                yield GOOD
            else:
                yield Check(fault[0], f"{name_of(alignment, fact)}: {fault[1]}", fact["offset"])

    return Oracle(requirement, examine, frozenset({"text"}), asks_more=True)


def _rows(oracle: Oracle, *columns: str) -> Oracle:
    """Return an oracle that judges only the rows of SHOW BINLOG EVENTS, of which it needs `pos` and other columns."""
    needs = frozenset({"pos", *columns})

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        if alignment.case.settings["form"] == ROWS_FORM and needs <= alignment.declared:
            yield from oracle.examine(alignment, requirement)

    return Oracle(oracle.requirement, examine, frozenset(columns) or needs, asks_more=True)


def _either(text: Oracle, rows: Oracle) -> Oracle:
    """Return the oracle that judges a text by one of two and rows by the other."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        chosen = rows if alignment.case.settings["form"] == ROWS_FORM else text
        yield from chosen.examine(alignment, requirement)

    return Oracle(text.requirement, examine, text.any_of | rows.any_of, asks_more=True)


def _of(*types: int) -> Applies:
    return lambda fact: fact["handled"] == "known" and fact["type"] in types


def _ignored(fact: Fact) -> bool:
    return bool(fact["handled"] == "ignored")


def _quiet(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """An unknown ignorable event shows a header line and at most one comment, and is not in a BINLOG statement."""
    printed = next(iter(printed_logs_of(alignment)), None)
    for fact in printed.facts if printed else ():
        assert printed is not None
        if not _ignored(fact):
            continue
        event = printed.event(fact)
        shown = [[line for line in lines if line] for lines in event_lines(printed, fact, event)] if event else [[]]
        if printed.begins_binlog_statement(fact):
            yield Check("event in base64", f"{name_of(alignment, fact)} is in a BINLOG statement", fact["offset"])
        elif all(len(lines) > 1 or any(not line.startswith("#") for line in lines) for lines in shown):
            lines = shown[-1]
            message = f"{name_of(alignment, fact)} adds {len(lines)} lines, the first of them {lines[0][:80]!r}"
            yield Check("more than a neutral comment", message, fact["offset"])
        else:
            yield GOOD


# Rows of SHOW BINLOG EVENTS


def _equal_info(requirement: str) -> Oracle:
    return _rows(fields(requirement, "info", blame=lambda expected, seen: not info_agrees(expected, seen)), "info")


def _row_type(requirement: str, words: Mapping[int, Iterable[str]], *, info: str = "") -> Oracle:
    """Return the oracle that checks that rows of some types have their name, and a word in Info."""

    def examine(alignment: Alignment, requirement: str) -> Iterator[Check]:
        for index in alignment.marked(requirement):
            expected, seen = alignment.case.expected.events[index], alignment.observed(index)
            wanted = words.get(expected["type"], ())
            if alignment.fate(index) is Fate.UNREACHED:
                continue  # An error ended the list before.
            if seen is None:
                yield Check("row missing", f"no row for the event at position {expected['pos']}", expected["pos"])
            elif not any(word in str(seen.get("event_type", "")).lower() for word in wanted):
                message = f"the row at {expected['pos']} has the type {seen.get('event_type')!r}"
                yield Check("wrong type", message, expected["pos"])
            elif info not in str(seen.get("info", "")):
                message = f"the Info at {expected['pos']} is {seen.get('info')!r}, which has no {info!r}"
                yield Check(f"no {info}", message, expected["pos"])
            else:
                yield GOOD

    return _rows(Oracle(requirement, examine), "event_type", *(["info"] if info else []))


def _row_order(alignment: Alignment, requirement: str) -> Iterator[Check]:
    """The row of a Rows_query is directly before that of its Table_map."""
    rows = [entry.get("pos") for entry in alignment.observation.events]
    for index in alignment.marked(requirement):
        own, table = (alignment.case.expected.events[each]["pos"] for each in (index, index + 1))
        if alignment.fate(index + 1) in (Fate.REFUSED, Fate.UNREACHED) and own not in rows[:-1]:
            continue  # An error ended the list before the row of the table.
        if own not in rows or rows[rows.index(own) + 1 : rows.index(own) + 2] != [table]:
            yield Check("not before its Table_map", f"the row at {own} is not followed by the one at {table}", own)
        else:
            yield GOOD


_GTID_ROWS: Final = {int(EventType.PREVIOUS_GTIDS): ("previous",), int(EventType.ANONYMOUS_GTID): ("anonymous",)}
_ROWS_QUERY: Final = _of(EventType.ROWS_QUERY)
_QUERY: Final = _of(EventType.QUERY)


def _writes_rows(fact: Fact) -> bool:
    return rows_kind(fact["type"]) == "write"


def _ends_statement(fact: Fact) -> bool:
    return _writes_rows(fact) and bool(fact["rows_flags"] & STATEMENT_END)


def _is_border(fact: Fact) -> bool:
    return _QUERY(fact) and fact["query"] in ("BEGIN", "COMMIT")


def _check_warnings(requirement: str, examine: Callable[[Alignment, str], Iterator[Check]]) -> Oracle:
    return Oracle(requirement, examine, frozenset({"warnings", "text"}), asks_more=True)


#: Every oracle of the role, in the order of the catalogue.
ORACLES: Final[tuple[Oracle, ...]] = (
    _either(
        _text("WL40-RENDER-QUERY-STOPS", lambda fact: "tables_info" in fact, statement_stops),
        _equal_info("WL40-RENDER-QUERY-STOPS"),
    ),
    _either(
        _text("WL4033-RENDER-ROWS-QUERY-SHOWN", _ROWS_QUERY, statement_shown),
        _row_type("WL4033-RENDER-ROWS-QUERY-SHOWN", {int(EventType.ROWS_QUERY): ("rows_query",)}),
    ),
    _either(
        _text("WL4033-RENDER-ROWS-QUERY-ORDER", _ROWS_QUERY, before_its_table),
        _rows(Oracle("WL4033-RENDER-ROWS-QUERY-ORDER", _row_order)),
    ),
    _text("WL4033-RENDER-IGNORABLE-COMMENT", lambda fact: _ignored(fact) or _ROWS_QUERY(fact), all_comments),
    Oracle("WL4033-RENDER-UNKNOWN-QUIET", _quiet, frozenset({"text"}), asks_more=True),
    _text("WL4033-RENDER-VERBOSE-TWICE", _ROWS_QUERY, lambda *_: None, unprinted="not shown at -vv"),
    _text("WL4033-GOLDEN-TEXT-ROWS-QUERY", _ROWS_QUERY, rows_query_words),
    _text("WL4033-GOLDEN-TEXT-AT-LINES", _of(EventType.TABLE_MAP), positions_together),
    _text("WL4033-GOLDEN-TEXT-TIME", lambda fact: True, header_shown),
    _text("WL4033-GOLDEN-TEXT-TABLE-MAP", _of(EventType.TABLE_MAP), table_shown, unprinted="no header line"),
    _text("WL4033-GOLDEN-TEXT-WRITE-ROWS", _ends_statement, rows_named, unprinted="no header line"),
    _text("WL4033-GOLDEN-TEXT-BINLOG", _ROWS_QUERY, in_one_statement),
    _text("WL4033-GOLDEN-TEXT-PSEUDO-SQL", _writes_rows, row_comments),
    _text("WL4033-GOLDEN-TEXT-TRANSACTION", _is_border, transaction_bordered, unprinted="no header line"),
    _equal_info("WL4033-GOLDEN-SHOW-ROWS-QUERY"),
    _equal_info("WL4033-GOLDEN-SHOW-INFO"),
    _check_warnings("WL4162-RESET-EACH-FILE", equal_warnings),
    _check_warnings("WL4162-RESET-AFTER-ERROR-DUMP", later_warnings),
    _check_warnings("WL4162-WARN-DUMP", dump_goes_on),
    _check_warnings("WL4162-WARN-TEXT-DUMP", warning_text),
    _check_warnings("WL4162-DUMP-FEEDS-READ", equal_warnings),
    _text("WL4162-PRINT-AS-COMMENT", lambda fact: fact["boundary"] != "Not Defined", boundary_is_comment),
    _text("WL4162-PRINT-EVERY-EVENT", lambda fact: True, boundary_shown),
    _text("WL4162-PRINT-BINLOG-STATEMENT-BYTES", lambda fact: True, bytes_untouched),
    Oracle("FORMAT-RENDER-BINLOG-RUNS", binlog_statements_run, frozenset({"text"}), asks_more=True),
    Oracle("FORMAT-RENDER-DECODE-ROWS", no_binlog_statements, frozenset({"text"}), asks_more=True),
    both(
        Oracle("FORMAT-RENDER-STATEMENTS-RUN", nothing_before_start, frozenset({"text"}), asks_more=True),
        _text(
            "FORMAT-RENDER-STATEMENTS-RUN",
            _of(EventType.QUERY, EventType.XID, EventType.INTVAR, EventType.RAND, EventType.USER_VAR),
            statement_executed,
            unprinted="not printed",
            free=runs_unprinted,
        ),
    ),
    _either(
        _text("FORMAT-RENDER-GTID", _of(EventType.GTID, EventType.GTID_TAGGED), gtid_set),
        _equal_info("FORMAT-RENDER-GTID"),
    ),
    _either(
        _text("FORMAT-RENDER-PREVIOUS-GTIDS", _of(EventType.PREVIOUS_GTIDS), previous_set_shown),
        _rows(Oracle("FORMAT-RENDER-PREVIOUS-GTIDS", previous_info), "info"),
    ),
    _either(
        _text("WL7592-RENDER-BOTH-EVENTS", _of(*GTID_WORDS), gtid_event_named, unprinted="event not printed"),
        _row_type("WL7592-RENDER-BOTH-EVENTS", _GTID_ROWS),
    ),
    _either(
        _text("WL7592-RENDER-ANONYMOUS-WORD", _of(EventType.ANONYMOUS_GTID), anonymous),
        _row_type("WL7592-RENDER-ANONYMOUS-WORD", _GTID_ROWS, info="ANONYMOUS"),
    ),
    _text("WL7592-RENDER-NO-QUERY-TIMESTAMPS", _QUERY, without_timestamps),
    _text(
        "WL7592-RENDER-NO-COMMIT-WORD",
        _of(EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED),
        without_commit_word,
    ),
)
