"""What the page shows of a log: this runs in the browser, with Pyodide."""

from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from typing import Final

from conformance.binlog.errors import BinlogError, MalformedBody
from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType, type_name
from conformance.binlog.reader import ReaderRules, read_file
from conformance.binlog.transaction_payload import inner_events
from conformance.log_check.event_text import content_text, flags_text
from conformance.log_check.log_checker import CheckedLog, LogChecker
from conformance.log_check.verdicts import SHOWN_OF_ONE, Note, Violation
from conformance.reports.element import Html, element, fragment, scrolling_table
from conformance.specs.catalogue import catalogue

#: Events that are shown.
_EVENTS: Final = 2000
#: Characters of an event's content that are shown.
_TEXT: Final = 300
#: Ignorable events of undeclared types are shown too.
_RULES: Final = ReaderRules(beyond_format_description=True)


def judged_log(name: str, data: bytes) -> str:
    """Return what is shown of a log, as HTML: the verdict, what breaks a requirement, the events.

    Args:
        name: The name of its file.
        data: The whole log.
    """
    findings: list[Violation | Note] = []
    checked = LogChecker(name, report=findings.append).check(BytesIO(data))
    return fragment(
        element("h2", name),
        _verdict(checked),
        _violations([each for each in findings if isinstance(each, Violation)]),
        _notes([each for each in findings if isinstance(each, Note)]),
        _events(data),
    )


def _verdict(checked: CheckedLog) -> Html:
    if checked.unreadable is not None:
        words = f"at offset {checked.unreadable.at}: {checked.unreadable.message}"
        return _box("not-conforming", "cannot be read as a binary log", words)
    log = checked.log
    kind = "relay log" if log.relay else "binary log"
    counts = (
        f"{log.events:,} events, {log.transactions:,} transactions; "
        f"{len(checked.verdicts.judged)} requirements judged by the rules of {log.profile or 'no server'}"
    )
    about = f"A {kind} of {log.server or 'an unknown server'}{', in use' if log.in_use else ''}: {counts}."
    broken = len(checked.verdicts.broken)
    if checked.healthy:
        return _box("conforming", "healthy", about)
    return _box("not-conforming", f"breaks {broken} {'requirement' if broken == 1 else 'requirements'}", about)


def _box(status: str, word: str, text: str) -> Html:
    return element("div", element("p", word, class_="word"), element("p", text), class_=f"verdict {status}")


def _violations(violations: list[Violation]) -> Html | None:
    if not violations:
        return None
    counts = Counter(each.requirement for each in violations)
    seen: Counter[str] = Counter()
    rows = []
    for each in violations:
        seen[each.requirement] += 1
        if seen[each.requirement] <= SHOWN_OF_ONE:
            text = catalogue()[each.requirement].text
            head = element("th", each.requirement, element("div", text, class_="quiet"), scope="row")
            # Where the page is too narrow for columns, cells name their column.
            observed = element("td", each.actual, data_label="Found")
            rows.append(_row(str(each.offset), head, observed, element("td", each.expected, data_label="Expected")))
    more = [f"{count - SHOWN_OF_ONE} more of {name}" for name, count in counts.items() if count > SHOWN_OF_ONE]
    return fragment(
        element("h3", "What breaks a requirement"),
        scrolling_table(("Offset", "Requirement", "Found", "Expected"), rows, class_="overview violations"),
        element("p", f"Not shown: {'; '.join(more)}.", class_="quiet") if more else None,
    )


def _row(*cells: str | Html) -> Html:
    return element("tr", (each if isinstance(each, Html) else element("td", each) for each in cells))


def _notes(notes: list[Note]) -> Html | None:
    return element("ul", (element("li", f"At offset {each.offset}: {each.text}") for each in notes)) if notes else None


def _events(data: bytes) -> Html:
    shown = list(islice(_rows(data), _EVENTS + 1))
    return fragment(
        element("h3", "Events"),
        scrolling_table(("Offset", "Type", "Bytes", "Flags", "Content"), shown[:_EVENTS], class_="overview"),
        element("p", f"The first {_EVENTS:,} are shown.", class_="quiet") if len(shown) > _EVENTS else None,
    )


def _rows(data: bytes) -> Iterator[Html]:
    try:
        for event in read_file(BytesIO(data), _RULES):
            yield _event(str(event.offset), event)
            if event.recognised and event.header.type == EventType.TRANSACTION_PAYLOAD:
                yield from (_event(f"+{inner.offset}", inner) for inner in inner_events(event))
    except BinlogError as error:
        yield element("tr", element("td", str(error.at)), element("td", error.message, colspan=4))
    except MalformedBody as error:
        yield element("tr", element("td", ""), element("td", f"a payload that cannot be opened: {error}", colspan=4))


def _event(place: str, event: Event) -> Html:
    try:
        content = content_text(event, longest=_TEXT)
    except MalformedBody as error:
        content = f"the body contradicts its layout: {error}"
    header = event.header
    name = type_name(event.format.type_code(header.type))
    return _row(place, name, str(header.length), flags_text(event, header.flags) if header.flags else "", content)
