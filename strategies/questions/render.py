"""Questions in the role `render`: how a log is printed (WL#4033, WL#4162, WL#7592, WL#40).

What is expected is not a text, as versions print different ones, but what the text must show: the facts of every event
that is printed, the warnings, and for SHOW BINLOG EVENTS the rows.
"""

import base64
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from conformance.binlog.event_types import GTID_TYPES, EventType
from conformance.binlog.layouts.by_type import layout_of
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.boundary.fed_event import FedEvent
from conformance.models.boundary.worklog_parser import WorklogParser
from conformance.models.server.tables import quoted
from conformance.strategies.grammar.case import Expected
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.question import Question
from conformance.strategies.grammar.stream import StreamBuilder

_TEXT: Final = "mysqlbinlog"
_ROWS: Final = "events"
#: UTC first, then the zone of the WL#4033 sample, zones with parts of hours, and the farthest ones; in minutes.
UTC_OFFSETS: Final = (0, 480, -210, 345, 840, -720)
BASE64_OUTPUTS: Final = ("auto", "decode-rows")
_VERY_VERBOSE: Final = 2
_ARTIFICIAL: Final = 0x0020
_SUPPRESS_USE: Final = 0x0008
_FORMAT_DESCRIPTION: Final = int(EventType.FORMAT_DESCRIPTION)
_TABLE_MAP: Final = int(EventType.TABLE_MAP)
_ROWS_QUERY: Final = int(EventType.ROWS_QUERY)
#: Event type -> the name that the sample of WL#4033 lists for it, or servers for the types of WL#7592.
_LISTED: Final = {
    int(EventType.QUERY): "Query",
    _ROWS_QUERY: "Rows_query",
    _TABLE_MAP: "Table_map",
    int(EventType.XID): "Xid",
    int(EventType.GTID): "Gtid",
    int(EventType.ANONYMOUS_GTID): "Anonymous_Gtid",
    int(EventType.PREVIOUS_GTIDS): "Previous_gtids",
}
#: The statements that begin and end a transaction.
_BORDERS: Final = ("BEGIN", "COMMIT")

Fact = dict[str, Any]
Marks = dict[str, set[int]]


def question(stream: StreamBuilder) -> Question:
    """Return the question how the stream is printed.

    A production may put into `stream.settings` the requested ``form``, how ``verbose`` it is, the ``base64_output``,
    the ``utc_offset`` in minutes, where it starts (``start_position``, in bytes), how often the same log is printed
    again after itself (``repeats``), and the builders of other logs that are printed after it (``next_logs``).
    """
    form = stream.settings.get("form") or stream.choose.one_of((_TEXT, _ROWS))
    stream_bytes = bytes(stream.bytes)
    expected_rows, row_marks = _expected_rows(stream)
    # A log whose rows exercise no requirement is printed as text.
    if form == _ROWS and row_marks:
        return Question(expected_rows, row_marks, {"form": _ROWS}, stream_bytes)
    following = [stream] * stream.settings.get("repeats", 0) + stream.settings.get("next_logs", [])
    settings = {
        "form": _TEXT,
        "verbose": stream.settings.get("verbose", stream.choose.one_of((2, 1, 0))),
        "base64_output": stream.settings.get("base64_output") or stream.choose.one_of(BASE64_OUTPUTS),
        "utc_offset": stream.settings.get("utc_offset", stream.choose.one_of(UTC_OFFSETS)),
        "start_position": stream.settings.get("start_position", 4),
        "following": [base64.b64encode(each.bytes).decode("ascii") for each in following],
    }
    facts = list(_facts(stream, settings["start_position"]))
    later = [list(_facts(each, 4)) for each in following]
    warnings = [warning for log in (facts, *later) for warning in _warnings(log)]
    if stream.server.profile != "worklog":
        warnings = []
    expected = Expected(({"events": facts, "following": later, "warnings": "\n".join(warnings)},))
    marked = _text_marks(facts, warnings, settings).union(*(_text_marks(log, warnings, settings) for log in later))
    marks = {each: (0,) for each in sorted(marked)}
    return Question(expected, marks, settings, stream_bytes)


def _facts(stream: StreamBuilder, start: int) -> Iterator[Fact]:
    """Yield what is known of every event that is printed."""
    for event, (planned, _, _) in zip(stream.expected_events, stream.placed, strict=False):
        if event["offset"] >= start or event["type"] == _FORMAT_DESCRIPTION:
            heading = MARKER_BITS.read(event["flags"]).heading
            columns = {"nullable": _nullable(stream, planned)} if event["type"] == _TABLE_MAP else {}
            yield {**event, **columns, "boundary": heading, "tolerated": planned.tolerated}


def _nullable(stream: StreamBuilder, planned: PlannedEvent) -> list[int]:
    """Return 1 for each column of a Table_map that may be NULL, else 0."""
    declared = stream.format.post_header_length(_TABLE_MAP)
    layout = layout_of(_TABLE_MAP, declared)
    fields = layout.read(planned.body, 0, len(planned.body), post_header_length=declared)
    bits = int.from_bytes(fields["null_bits"], "little")
    return [bits >> number & 1 for number in range(fields["column_count"])]


def _warnings(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the warnings of WL#4162 for one log."""
    parser = WorklogParser()
    warnings = []
    for fact in facts:
        query = fact["query"].encode() if "query" in fact else None
        step = parser.feed(FedEvent(fact["type"], fact["flags"], query))
        if step.warning is not None:
            warnings.append(step.warning)
    return warnings


def _is_followed_by_rows(facts: Sequence[Fact], index: int) -> bool:
    """Return whether a Rows_query is directly followed by its Table_map and rows."""
    table, rows = [*facts[index + 1 : index + 3], {"type": 0}, {"type": 0}][:2]
    return table["type"] == _TABLE_MAP and rows_kind(rows["type"]) is not None


def _text_marks(facts: Sequence[Fact], warnings: Sequence[str], settings: Mapping[str, Any]) -> set[str]:
    """Return the requirements that a printed text exercises; those of other profiles are removed later."""
    shown = settings["verbose"] >= _VERY_VERBOSE
    marks = {"WL4162-PRINT-EVERY-EVENT", "WL4033-GOLDEN-TEXT-TIME"}
    for index, (fact, next_fact) in enumerate(zip(facts, [*facts[1:], None], strict=True)):
        marks |= _event_marks(fact, next_fact, settings)
        if fact["type"] == _ROWS_QUERY and shown and _is_followed_by_rows(facts, index):
            marks.add("WL4033-RENDER-ROWS-QUERY-ORDER")
        if fact["boundary"] != BoundaryType.NOT_DEFINED.heading:
            marks.add("WL4162-PRINT-AS-COMMENT")
        # An event that is read but not printed is fed all the same.
        if fact["type"] == _ROWS_QUERY and not shown and not settings["following"]:
            marks.add("WL4162-DUMP-FEEDS-READ")
    types = {fact["type"] for fact in facts}
    if settings["base64_output"] == "auto":
        marks |= {"FORMAT-RENDER-BINLOG-RUNS", "WL4162-PRINT-BINLOG-STATEMENT-BYTES"}
    else:
        marks.add("FORMAT-RENDER-DECODE-ROWS")
    if {int(EventType.PREVIOUS_GTIDS), int(EventType.ANONYMOUS_GTID)} <= types:
        marks.add("WL7592-RENDER-BOTH-EVENTS")
    if {fact.get("query") for fact in facts}.issuperset(_BORDERS):
        marks.add("WL4033-GOLDEN-TEXT-TRANSACTION")
    if warnings:
        marks |= {"WL4162-WARN-DUMP", "WL4162-WARN-TEXT-DUMP"}
        marks.add("WL4162-RESET-AFTER-ERROR-DUMP")
    if settings["following"]:
        marks.add("WL4162-RESET-EACH-FILE")
    return marks


def _event_marks(fact: Fact, next_fact: Fact | None, settings: Mapping[str, Any]) -> set[str]:
    """Return the requirements that the text of one event exercises."""
    code = fact["type"]
    if fact["handled"] == "ignored":
        return {"WL4033-RENDER-IGNORABLE-COMMENT", "WL4033-RENDER-UNKNOWN-QUIET"}
    shown = settings["verbose"] >= _VERY_VERBOSE
    in_base64 = settings["base64_output"] == "auto"
    if code == _ROWS_QUERY and shown:
        marks = {
            "WL4033-RENDER-ROWS-QUERY-SHOWN",
            "WL4033-RENDER-IGNORABLE-COMMENT",
            "WL4033-RENDER-VERBOSE-TWICE",
            "WL4033-GOLDEN-TEXT-ROWS-QUERY",
        }
        if next_fact is not None and next_fact["type"] == _TABLE_MAP and in_base64:
            marks.add("WL4033-GOLDEN-TEXT-BINLOG")
        return marks
    if code == _TABLE_MAP:
        is_followed = next_fact is not None and rows_kind(next_fact["type"]) is not None
        return {"WL4033-GOLDEN-TEXT-TABLE-MAP", *(("WL4033-GOLDEN-TEXT-AT-LINES",) if is_followed else ())}
    if rows_kind(code) is not None:
        marks = set()
        if rows_kind(code) == "write" and fact["rows_flags"] == STATEMENT_END:
            marks |= {"WL4033-GOLDEN-TEXT-WRITE-ROWS", *(("WL4033-GOLDEN-TEXT-PSEUDO-SQL",) if shown else ())}
        return marks
    if code in GTID_TYPES:
        anonymous = code == EventType.ANONYMOUS_GTID
        return {"WL7592-RENDER-NO-COMMIT-WORD", "WL7592-RENDER-ANONYMOUS-WORD" if anonymous else "FORMAT-RENDER-GTID"}
    if code == EventType.PREVIOUS_GTIDS:
        return {"FORMAT-RENDER-PREVIOUS-GTIDS"}
    if code in (EventType.XID, EventType.INTVAR, EventType.RAND, EventType.USER_VAR):
        return {"FORMAT-RENDER-STATEMENTS-RUN"}
    if code == EventType.QUERY:
        marks = {"WL7592-RENDER-NO-QUERY-TIMESTAMPS", "FORMAT-RENDER-STATEMENTS-RUN"}
        return marks | ({"WL40-RENDER-QUERY-STOPS"} if "tables_info" in fact else set())
    return set()


def _expected_rows(stream: StreamBuilder) -> tuple[Expected, dict[str, list[int]]]:
    """Return the rows of SHOW BINLOG EVENTS as far as they are specified, and the requirements that they exercise."""
    rows: list[Fact] = []
    marks: Marks = defaultdict(set)
    events = stream.expected_events
    for index, event in enumerate(events):
        header = {"server_id": event["server_id"], "end_log_pos": event["log_pos"]}
        specified = {**_specified_name(event), **_specified_info(event)}
        rows.append({"pos": event["offset"], "type": event["type"], **header, **specified})
        next_type = events[index + 1]["type"] if index + 1 < len(events) else None
        for requirement in _row_marks(event, next_type):
            marks[requirement].add(index)
    return Expected(tuple(rows)), {requirement: sorted(indices) for requirement, indices in sorted(marks.items())}


def _specified_name(event: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of an event's type where a worklog has it."""
    kind = rows_kind(event["type"])
    name = _LISTED.get(event["type"]) if kind is None else f"{kind.capitalize()}_rows"
    return {} if event["handled"] == "ignored" or name is None else {"event_type": name}


def _specified_info(event: Mapping[str, Any]) -> dict[str, str]:
    """Return the Info of an event where a requirement specifies it."""
    code = event["type"]
    if event["handled"] == "ignored":
        return {}
    if code == EventType.QUERY:
        database = event["database"]
        use = "" if event["flags"] & _SUPPRESS_USE or not database else f"use {quoted(database)}; "
        return {"info": f"{use}{event['query']}"}
    if code == _ROWS_QUERY:
        return {"info": f"# {event['rows_query']}"}
    if code == _TABLE_MAP:
        return {"info": f"table_id: {event['table_id']} ({event['database']}.{event['table']})"}
    if code in GTID_TYPES and code != EventType.ANONYMOUS_GTID:
        return {"info": f"SET @@SESSION.GTID_NEXT= '{event['gtid']}'"}
    if code == EventType.PREVIOUS_GTIDS:
        return {"info": event["previous_gtids"].replace(",", ",\n")}
    if code == EventType.XID:
        return {"info": f"COMMIT /* xid={event['xid']} */"}
    if rows_kind(code) is not None and event["rows_flags"] & STATEMENT_END:
        return {"info": f"table_id: {event['table_id']} flags: STMT_END_F"}
    return {}


def _row_marks(event: Mapping[str, Any], next_type: int | None) -> set[str]:
    """Return the requirements that the row of an event exercises."""
    code = event["type"]
    if event["handled"] == "ignored":
        return set()
    if code == _ROWS_QUERY:
        order = {"WL4033-RENDER-ROWS-QUERY-ORDER"} if next_type == _TABLE_MAP else set()
        return {"WL4033-RENDER-ROWS-QUERY-SHOWN", "WL4033-GOLDEN-SHOW-ROWS-QUERY"} | order
    if code == EventType.QUERY and "tables_info" in event:
        return {"WL40-RENDER-QUERY-STOPS"}
    golden = code in (_TABLE_MAP, EventType.XID) or event.get("query") in _BORDERS
    if golden or (rows_kind(code) == "write" and event["rows_flags"] & STATEMENT_END):
        return {"WL4033-GOLDEN-SHOW-INFO"}
    if code == EventType.ANONYMOUS_GTID:
        return {"WL7592-RENDER-BOTH-EVENTS", "WL7592-RENDER-ANONYMOUS-WORD"}
    if code in GTID_TYPES:
        return {"FORMAT-RENDER-GTID"}
    if code == EventType.PREVIOUS_GTIDS:
        return {"WL7592-RENDER-BOTH-EVENTS", "FORMAT-RENDER-PREVIOUS-GTIDS"}
    return set()
