"""The checks of a single event in a printed log."""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.header import FLAGS_AT
from conformance.binlog.rows.images import rows_kind
from conformance.binlog.rows.open_tables import STATEMENT_END
from conformance.models.boundary.boundary_type import BoundaryType
from conformance.models.rendering.binlog_statement import LINE_CHARACTERS, statement_events
from conformance.oracles.checks.printed_facts import Fact, Printed
from conformance.oracles.checks.printed_log import BOUNDARY_WARNING, PrintedEvent, PrintedLog

#: What is wrong with how an event is printed: a signature and a message, None if nothing is.
Fault = tuple[str, str] | None
#: Judges an event in a printed log; the number is that of its fact.
JudgeEvent = Callable[[Printed, int, PrintedEvent], Fault]

#: What is wrong where an event that a server needs to run rows is in no BINLOG statement.
MISSING_ROWS: Final = "row event missing"
_TYPE_NAMES: Final = tuple(each.heading for each in BoundaryType)
_DELIMITER: Final = "/*!*/;"
#: How a program ends what it prints: the lines after those of the last event.
_CLOSING: Final = re.compile(r"(?:ROLLBACK|SET|DELIMITER)\b|/\*!", re.IGNORECASE)
#: The hour of a header line may have a leading zero or a space.
_LEADING_ZERO: Final = re.compile(r" 0(?=\d:)")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: Where the type, log_pos and the flags are in the common header, in bytes.
_TYPE_AT: Final = 4
_LOG_POS: Final = slice(13, 17)
_FLAGS_END: Final = 19
_INT_RANGE: Final = 1 << 32
#: Characters of a Rows_query that newer versions show as two.
_ESCAPES: Final = str.maketrans({"\0": "\\0", "\b": "\\b", "\t": "\\t", "\r": "\\r", "\\": "\\\\"})


# Rows_query and unknown ignorable events


def _statement_forms(printed: Printed, index: int) -> list[list[str]]:
    """Return the lines in which the statement of a Rows_query may be shown, without comment signs.

    The worklog's servers store it with a comment sign, which a program may take for its own.
    """
    statement: str = printed.facts[index]["rows_query"]
    plain = statement.removeprefix("# ") if printed.profile == "worklog" else statement
    forms = []
    for stored in dict.fromkeys((statement, plain)):
        for text in (stored, stored.translate({ord("\r"): None})):
            lines = text.split("\n")
            for shown in (lines, [line.translate(_ESCAPES) for line in lines]):
                forms += [shown, [line for line in shown if line]]
    return forms


def _following(printed: Printed, event: PrintedEvent) -> list[str]:
    """Return the lines after the header line of an event that is shown as a comment, if at all.

    Without the empty lines that a program may leave before the next event, and the lines with which it ends.
    """
    lines = list(event.following)
    if printed.log.next_header(event.line) is None:
        lines = lines[: next((number for number, line in enumerate(lines) if _CLOSING.match(line)), len(lines))]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def event_lines(printed: Printed, fact: Fact, event: PrintedEvent) -> Iterator[list[str]]:
    """Yield the lines after a header line, as they are and without those that may be about boundaries.

    A program may show the boundary type of an event in a comment line of its own, first or last, and print the warning
    about the next event before the `# at` line of that one.
    """
    lines = _following(printed, event)
    yield lines
    warned = len(lines)
    while warned and lines[warned - 1].startswith("#") and BOUNDARY_WARNING.search(lines[warned - 1]):
        warned -= 1
    lines = lines[:warned]
    yield lines
    for line, others in ((lines[:1], lines[1:]), (lines[-1:], lines[:-1])):
        if line and line[0].startswith("#") and fact["boundary"] in line[0]:
            yield others


def _uncommented(lines: list[str]) -> list[str]:
    """Return lines without comment signs; `all_comments` checks that each has one."""
    return [line.removeprefix("#").removeprefix(" ") if line.startswith("#") else line for line in lines]


def statement_shown(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The statement of a Rows_query is shown, in any of the forms that versions give it."""
    fact = printed.facts[index]
    forms = _statement_forms(printed, index)
    if any(_uncommented(lines) in forms for lines in event_lines(printed, fact, event)):
        return None
    return "statement not shown", f"its comment is {event.text[:80]!r}, but the statement is {forms[0][0][:80]!r}"


def rows_query_words(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The header line ends with the word Rows_query, and the statement begins on the next line."""
    if not event.description.endswith("Rows_query"):
        return "wrong header line", f"its header line ends with {event.description!r}, not with 'Rows_query'"
    fact = printed.facts[index]
    firsts = {"# " + form[0] for form in _statement_forms(printed, index) if form}
    shown = list(event_lines(printed, fact, event))
    # Where there may be no line at all, what must be shown is judged by `statement_shown`.
    if firsts and all(shown) and firsts.isdisjoint(lines[0] for lines in shown):
        return "wrong first line", f"the line after its header line is {shown[0][0][:80]!r}"
    return None


def before_its_table(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The event printed next is the Table_map of the statement."""
    table, rows, *_ = (*printed.known_after(index), None, None)
    if table is None or table["type"] != EventType.TABLE_MAP or rows is None or rows_kind(rows["type"]) is None:
        return None  # It has no statement with rows.
    printed_table = printed.event(table)
    if printed_table is None or printed.next_known_header(event) != printed_table.line:
        return "not before its Table_map", "the next header line is not that of its Table_map"
    return None


def all_comments(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """Every line after the header line is a comment."""
    executed = [line for line in _following(printed, event) if line and not line.startswith("#")]
    return ("line is not a comment", f"the line {executed[0][:80]!r} is not a comment") if executed else None


# The golden text


def positions_together(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The ``# at`` lines of a Table_map and of the rows event after it are adjacent, before both header lines."""
    rows = printed.after(index)
    if rows is None or rows_kind(rows["type"]) is None:
        return None
    first, second = (printed.log.at(each["offset"]) for each in (printed.facts[index], rows))
    is_before = first is not None and second is not None and first < second <= event.line
    # Golden text is compared with white space collapsed; a warning about an event is before its own line.
    between = [line for line in printed.log.lines[slice(first, second)][1:] if not BOUNDARY_WARNING.search(line)]
    if not is_before or any(between):
        return "'# at' lines apart", "its '# at' line and that of the rows event after it are not adjacent"
    return None


def _clock(printed: Printed, fact: Fact) -> str:
    moment = _EPOCH + timedelta(seconds=fact["timestamp"], minutes=printed.settings["utc_offset"])
    return f"{moment:%y%m%d} {moment.hour}:{moment:%M:%S}"


def header_shown(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The header line shows the local time and the server id, and SET TIMESTAMP of a Query the seconds."""
    fact = printed.facts[index]
    if event.server_id != fact["server_id"]:
        return "wrong server id", f"its header line shows server id {event.server_id}, expected {fact['server_id']}"
    if _LEADING_ZERO.sub(" ", event.clock) != _clock(printed, fact):
        return "wrong time", f"its header line shows {event.clock}, expected {_clock(printed, fact)}"
    if fact["type"] != EventType.QUERY:
        return None
    pattern = rf"^SET TIMESTAMP={fact['timestamp']}(?:\.\d+)?\s*{re.escape(_DELIMITER)}$"
    if not re.search(pattern, event.text, re.MULTILINE):
        return "wrong SET TIMESTAMP", f"no line sets TIMESTAMP to {fact['timestamp']}"
    return None


def table_shown(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """A Table_map shows its quoted names and its number."""
    fact = printed.facts[index]
    raw = f"Table_map: `{fact['database']}`.`{fact['table']}` mapped to number {fact['table_id']}"
    quoted = f"Table_map: `{fact['database']}`.`{fact['table'].replace('`', '``')}` mapped to number {fact['table_id']}"
    if any(each in event.description for each in (raw, quoted)):
        return None
    return "wrong table", f"its header line ends with {event.description!r}, expected {raw!r}"


def rows_named(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """A rows event shows its table's number and the name of its flag."""
    wanted = f"Write_rows: table id {printed.facts[index]['table_id']} flags: STMT_END_F"
    shown = event.description.partition("Write_rows:")
    # Further flags may follow.
    return None if f"{shown[1]}{shown[2]} ".startswith(f"{wanted} ") else (
        "wrong rows event", f"its header line ends with {event.description!r}, expected {wanted!r}"
    )  # fmt: skip


def in_one_statement(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """One BINLOG statement holds a Rows_query and the events of its statement, each on its own lines."""
    statement = [printed.facts[index]]
    for fact in printed.facts[index + 1 :]:
        statement.append(fact)
        if fact.get("rows_flags", 0) & STATEMENT_END:
            break
    else:
        return None  # The log ends within the statement.
    if not all(map(printed.is_reached, statement)) or _is_refused(printed, statement):
        return None
    wanted = [printed.data(fact) for fact in statement if fact["handled"] == "known"]
    try:
        statements = statement_events(printed.log.text)
    except ValueError as error:
        return "BINLOG statement unreadable", str(error)
    inside = {event for events in statements for event in events}
    if any(_is_missing(printed, fact, inside) for fact in statement):
        return None  # What a server gets that runs the text is judged by itself.
    if not any(_holds(events, wanted) for events in statements):
        return "not in one BINLOG statement", f"no BINLOG statement holds its {len(wanted)} events in their order"
    if any(len(line) > LINE_CHARACTERS for line in _base64_lines(printed.log)):
        return "base64 line too long", f"a line of base64 has more than {LINE_CHARACTERS} characters"
    return None


def _is_refused(printed: Printed, statement: list[Fact]) -> bool:
    """Return whether the program refused an event of a statement, and so did not print it."""
    return any(printed.event(fact) is None for fact in statement if fact["handled"] == "known")


def _holds(events: list[bytes], wanted: list[bytes]) -> bool:
    """Return whether a statement holds some events one after another, whatever their flags are."""
    events, wanted = [list(map(_without_flags, each)) for each in (events, wanted)]
    return any(events[at : at + len(wanted)] == wanted for at in range(len(events) - len(wanted) + 1))


def _without_flags(event: bytes) -> bytes:
    return event[:FLAGS_AT] + event[_FLAGS_END:]


def _base64_lines(log: PrintedLog) -> Iterator[str]:
    inside = False
    for line in log.lines:
        if inside and not line.startswith("'"):
            yield line
        inside = line == "BINLOG '" or (inside and not line.startswith("'"))


def row_comments(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The rows of an event are shown as comments, value by value."""
    fact = printed.facts[index]
    table = table_of(printed, index)
    if table is None or "rows" not in fact or not _ends(printed, index):
        return None
    patterns = [re.compile(each) for each in _row_patterns(fact, table)]
    lines = [" ".join(line.split()) for line in printed.log.lines[event.line :] if line.startswith("###")]
    for at in range(len(lines) - len(patterns) + 1):
        if all(pattern.fullmatch(lines[at + number]) for number, pattern in enumerate(patterns)):
            return None
    return "rows not shown", f"its {len(fact['rows'])} rows are not shown as comments, value by value"


def _ends(printed: Printed, index: int) -> bool:
    """Return whether a statement of rows ends in its log: a program may print nothing of one that does not."""
    return any(fact.get("rows_flags", 0) & STATEMENT_END for fact in printed.facts[index:])


def table_of(printed: Printed, index: int) -> Fact | None:
    """Return the Table_map of a rows event, None if its statement has none before it.

    Other tables of the statement, their rows, and unknown ignorable events may be between them.
    """
    for fact in reversed(printed.facts[:index]):
        if fact["handled"] == "ignored":
            continue
        if fact["type"] == EventType.TABLE_MAP:
            if fact["table_id"] == printed.facts[index]["table_id"]:
                return fact
        elif rows_kind(fact["type"]) is None or fact["rows_flags"] & STATEMENT_END:
            return None
    return None


def _row_patterns(fact: Fact, table: Fact) -> Iterator[str]:
    for row in fact["rows"]:
        names = [str(table[each]) for each in ("database", "table")]
        # Shipped programs have the names in quotes, which a name with a dot needs.
        quoted = ["`" + each.replace("`", "``") + "`" for each in names]
        yield f"### INSERT INTO (?:{'|'.join(re.escape('.'.join(each)) for each in (names, quoted))})"
        yield re.escape("### SET")
        for name, value in row["after"].items():
            number = int(name)
            shown = "NULL" if value is None else f"{value}(?: \\({int(value) % _INT_RANGE}\\))?"
            about = f"INT meta=0 nullable={table['nullable'][number]} is_null={value is None:d}"
            yield rf"### @{number + 1}={shown} /\* {about} \*/"


def transaction_bordered(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """BEGIN and COMMIT are printed after a Query line, each followed by the delimiter."""
    fact = printed.facts[index]
    numbers = " ".join(f"{each}={fact[each]}" for each in ("thread_id", "exec_time", "error_code"))
    if f"Query {numbers}" not in event.description:
        return "wrong Query line", f"its header line ends with {event.description!r}, expected 'Query {numbers}'"
    if not re.search(rf"{re.escape(fact['query'])}\s*{re.escape(_DELIMITER)}", event.text):
        return "statement without its delimiter", f"{fact['query']} is not followed by {_DELIMITER}"
    return None


# Gtids and Queries


def without_timestamps(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The line of a Query shows no logical timestamps."""
    match = re.search(r"last_committed|sequence_number", event.description)
    return ("logical timestamps shown", f"its header line ends with {event.description!r}") if match else None


def without_commit_word(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """What is printed for a Gtid has neither commit=yes nor commit=no."""
    match = re.search(r"commit=(?:yes|no)\b", f"{event.description}\n{event.text}")
    return ("commit word shown", f"it is printed with {match[0]!r}") if match else None


GTID_WORDS: Final = {int(EventType.PREVIOUS_GTIDS): "previous", int(EventType.ANONYMOUS_GTID): "anonymous_gtid"}


def gtid_event_named(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """A Previous_gtids or Anonymous_gtid event is printed under its name."""
    word = GTID_WORDS[printed.facts[index]["type"]]
    return None if word in event.description.lower() else (
        "wrong event", f"its header line ends with {event.description!r}, without {word!r}"
    )  # fmt: skip


def anonymous(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """An anonymous transaction shows the word ANONYMOUS."""
    return None if "'ANONYMOUS'" in event.text else ("no ANONYMOUS", "no line sets the GTID to 'ANONYMOUS'")


def statement_stops(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The statement of an extended Query is printed alone before its delimiter."""
    query = printed.facts[index]["query"]
    if re.search(rf"\n{re.escape(query)}\s*{re.escape(_DELIMITER)}\n", f"\n{event.text}\n"):
        return None
    return "statement does not stop", f"the statement {query[:60]!r} is not printed alone before its delimiter"


# Boundaries


def boundary_shown(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The comments of the event show its boundary type, and no other one."""
    fact = printed.facts[index]
    own = "\n".join(str(fact[each]) for each in ("query", "rows_query") if each in fact)
    comments = [event.description, *(line for line in (*event.following, event.last) if line.startswith("#"))]
    shown = {name for line in comments for name in _TYPE_NAMES if name in BOUNDARY_WARNING.sub("", line)}
    # A statement may hold the words too, and is printed as a comment where it is a Rows_query's.
    others = sorted(name for name in shown - {fact["boundary"]} if name not in own)
    if others:
        return "another boundary type", f"a comment line of it shows {others[0]!r}, expected {fact['boundary']!r}"
    if fact["boundary"] in shown:
        return None
    return "no boundary type", f"no comment line of it shows {fact['boundary']!r}"


def boundary_is_comment(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """No executed line shows the event's boundary type."""
    name = printed.facts[index]["boundary"]
    executed = [line for line in event.following if name in line and not line.startswith("#")]
    return ("boundary type executed", f"{name!r} is in the line {executed[0][:80]!r}") if executed else None


def bytes_untouched(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """A BINLOG statement holds the event as stored; only rows events must be in one, if their statement ends."""
    try:
        inside = printed.in_binlog_statements()
    except ValueError as error:
        return "BINLOG statement unreadable", str(error)
    fact = printed.facts[index]
    wanted = printed.data(fact)
    if wanted in inside:
        return None
    place = (fact["type"], fact["log_pos"])
    if place in {_type_and_log_pos(each) for each in inside}:
        return "event changed", "no BINLOG statement holds its bytes as stored"
    ends = _ends(printed, index)
    return (MISSING_ROWS, "it is in no BINLOG statement") if ends and rows_kind(fact["type"]) is not None else None


def _is_missing(printed: Printed, fact: Fact, inside: Collection[bytes]) -> bool:
    """Return whether a rows event or a Table_map is in no BINLOG statement, changed or not."""
    is_row_event = rows_kind(fact["type"]) is not None or fact["type"] == EventType.TABLE_MAP
    if not is_row_event or fact["handled"] != "known" or printed.data(fact) in inside:
        return False
    return (fact["type"], fact["log_pos"]) not in {_type_and_log_pos(each) for each in inside}


def _type_and_log_pos(event: bytes) -> tuple[int, int]:
    return event[_TYPE_AT], int.from_bytes(event[_LOG_POS], "little")
