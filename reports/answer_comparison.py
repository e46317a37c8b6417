"""The expected answer beside the observed one, as a table: the events and fields that differ, and the end."""

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from conformance.reports.difference import EventDifference, FieldDifference, differences, summary, text_difference
from conformance.reports.element import Html, element, fragment
from conformance.reports.foreign_text import elided, one_line, value_text, visible_line
from conformance.reports.status import STATUSES
from conformance.specs.run_record import Answer, Failure, Refusal

_VALUE_CHARACTERS: Final = 240
_NAME_CHARACTERS: Final = 80
_DETAIL_CHARACTERS: Final = 20_000
#: Characters that are shown of the common parts of two texts, on each side of their difference.
_CONTEXT: Final = 28
#: Events and fields that are compared in full; further differences are counted.
_EVENTS: Final = 12
_FIELDS: Final = 24
#: Events of the dump that are open.
_OPEN_EVENTS: Final = 4


def _one_side(head: str, own: str, tail: str, *, other: str) -> Html:
    """Return one of two texts, with its own part marked, or a note if it lacks the part that the other has."""
    lost = len(other)
    gap = element("span", f"{lost:,} character{'s' if lost > 1 else ''} missing", class_="lost") if lost else None
    before = "\u22ef" + head[-_CONTEXT:] if len(head) > _CONTEXT else head
    after = tail[:_CONTEXT] + "\u22ef" if len(tail) > _CONTEXT else tail
    marked = element("mark", visible_line(elided(own, _VALUE_CHARACTERS))) if own else gap
    return element("code", '"', visible_line(before), marked, visible_line(after), '"')


def value_of(value: Any) -> Html:
    """Return a value, elided, with its hexadecimal digits as the title."""
    # No field of a binary log is wider than 64 bits; only an implementation makes up a longer number.
    is_word = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    title = f"0x{value:x}" if is_word else None
    return element("code", elided(value_text(value), _VALUE_CHARACTERS), title=title)


def _field_cells(field: FieldDifference) -> tuple[Html, Html]:
    """Return the expected and the observed value of a field that differs."""
    if field.state == "missing":
        return value_of(field.expected), element("i", "not reported")
    if isinstance(field.expected, str) and isinstance(field.observed, str):
        parts = text_difference(field.expected, field.observed)
        return (
            _one_side(parts.head, parts.expected, parts.tail, other=""),
            _one_side(parts.head, parts.observed, parts.tail, other=parts.expected),
        )
    return value_of(field.expected), fragment(element("mark", value_of(field.observed)))


def _names(names: Collection[str]) -> Html:
    return fragment((", " if index else "", element("code", name)) for index, name in enumerate(names))


def _whole_event(event: EventDifference) -> Html:
    """Return the fields of an event that only one side has, on one line."""
    values = (
        event_field.expected if event.state == "missing" else event_field.observed for event_field in event.fields
    )
    text = ", ".join(f"{field.name} {value_text(value)}" for field, value in zip(event.fields, values, strict=True))
    return element("code", elided(text, _VALUE_CHARACTERS))


def _row(*cells: Html, state: str) -> Html:
    return element("tr", cells, class_=state)


class _EventNames:
    """Names the events of a failure: as in the stream, or by the type in the answer."""

    def __init__(self, failure: Failure) -> None:
        self._in_stream = {event.offset: elided(event.name, _NAME_CHARACTERS) for event in failure.events}
        self._of_type = failure.type_names

    def of(self, event: EventDifference) -> str:
        """Return the name of one event."""
        if event.offset is not None and event.offset in self._in_stream:
            return self._in_stream[event.offset]
        if event.type is None:
            return "answer"
        return self._of_type.get(str(event.type)) or f"type {elided(value_text(event.type), _NAME_CHARACTERS)}"


def _sides(expected: Html, observed: Html, *, wrong: bool = True) -> tuple[Html, Html]:
    """Return the two cells of a row; their labels are shown where the page is too narrow for columns."""
    return (
        element("td", expected, data_label="Expected"),
        element("td", observed, class_="wrong" if wrong else None, data_label="Observed"),
    )


def _event_rows(event: EventDifference, names: _EventNames) -> Iterator[Html]:
    title = fragment(
        element("b", names.of(event)),
        element("span", f" at {event.offset}" if event.offset is not None else "", class_="quiet"),
    )
    if event.state in ("missing", "unexpected"):
        head = element("th", title, scope="row", colspan=2)
        nothing = element("i", "no event here" if event.state == "unexpected" else "this event is missing")
        sides = (
            _sides(_whole_event(event), nothing) if event.state == "missing" else _sides(nothing, _whole_event(event))
        )
        yield _row(head, *sides, state=event.state)
        return
    fields = [field for field in event.fields if field.state in ("different", "missing")]
    shown, same, undeclared = fields[:_FIELDS], event.names("same"), event.names("undeclared")
    rest = []
    if len(fields) > len(shown):
        rest.append(fragment(f"{len(fields) - len(shown)} more fields differ. "))
    if same:
        rest.append(fragment(f"{len(same)} agree: ", _names(same), ". "))
    if undeclared:
        rest.append(fragment(f"{len(undeclared)} never reported: ", _names(undeclared), "."))
    head = element("th", title, scope="rowgroup", rowspan=len(shown) + bool(rest))
    for index, field in enumerate(shown):
        expected, observed = _field_cells(field)
        yield _row(
            head if index == 0 else Html(),
            element("th", element("code", elided(field.name, _NAME_CHARACTERS)), scope="row"),
            *_sides(expected, observed),
            state="different",
        )
    if rest:
        yield _row(element("td", rest, colspan=3), state="agreeing")


def _agreeing(events: Collection[EventDifference], names: _EventNames) -> Html:
    places = [names.of(event) + ("" if event.offset is None else f" at {event.offset}") for event in list(events)[:4]]
    text = f"\u2713 {len(events)} event{'s' if len(events) > 1 else ''} as expected: {', '.join(places)}"
    text += ", \u2026" if len(events) > len(places) else ""
    return _row(element("td", text, colspan=4), state="agreeing")


def _ending(refusal: Refusal | None) -> Html:
    if refusal is None:
        return fragment("read to the end, no error")
    place = "" if refusal.at is None else f" at {refusal.at}"
    message = one_line(elided(refusal.message, _VALUE_CHARACTERS))
    return fragment(
        f"refused{place}: ",
        element("code", elided(refusal.kind, _NAME_CHARACTERS)),
        element("span", f" {message}", class_="quiet"),
    )


def _ending_row(expected: Refusal | None, observed: Refusal | None) -> Html:
    same = (expected is None) == (observed is None)
    if expected is not None and observed is not None:
        # An implementation that does not report the offset is not wrong about it.
        same = expected.kind == observed.kind and observed.at in (None, expected.at)
    return _row(
        element("th", "End of the stream", scope="row", colspan=2),
        *_sides(_ending(expected), fragment(None if same else "\u2717 ", _ending(observed)), wrong=not same),
        state="agreeing" if same else "different",
    )


def _no_answer(failure: Failure) -> Iterator[Html]:
    events = len(failure.expected.events)
    yield _row(
        element("th", "The whole stream", scope="row", colspan=2),
        *_sides(
            fragment(f"{events} event{'' if events == 1 else 's'}; ", _ending(failure.expected.error)),
            fragment(
                f"no answer: {STATUSES[failure.status].label}, ",
                element("code", elided(failure.signature, _NAME_CHARACTERS)),
            ),
        ),
        state="different",
    )


def _comparison(failure: Failure, observed: Answer, events: list[EventDifference], names: _EventNames) -> Html:
    rows: list[Html] = []
    differing = 0
    for same, run in groupby(events, key=lambda event: event.state == "same"):
        listed = list(run)
        if same:
            rows.append(_agreeing(listed, names))
            continue
        for event in listed:
            differing += 1
            if differing <= _EVENTS:
                rows += _event_rows(event, names)
    if differing > _EVENTS:
        text = f"\u22ef and {differing - _EVENTS} more events that differ \u22ef"
        rows.append(_row(element("td", text, colspan=4), state="agreeing"))
    if observed.left_out:
        text = f"\u22ef and {observed.left_out:,} more events, which the record does not keep \u22ef"
        rows.append(_row(element("td", text, colspan=4), state="different"))
    rows.append(_ending_row(failure.expected.error, observed.error))
    return fragment(rows)


def _concerned(failure: Failure, events: Collection[EventDifference]) -> Mapping[int, Collection[str]]:
    """Return the offsets of the events that are highlighted in the dump, with the names of their wrong fields."""
    concerned: dict[int, Collection[str]] = {} if failure.at is None else {failure.at: ()}
    for event in events:
        if event.offset is None or event.state in ("same", "missing"):
            continue
        if event.offset in concerned or len(concerned) < _OPEN_EVENTS:
            concerned[event.offset] = event.names("different") + event.names("missing")
    if not concerned:
        # Events that are missing after a refusal, or after the first missing event, are a consequence.
        concerned = {event.offset: () for event in events if event.state == "missing" and event.offset is not None}
        concerned = dict(list(concerned.items())[:1])
    return concerned


def _beside(rows: Html) -> Html:
    heads = ("Event", "Field", "Expected", "Observed")
    table = element(
        "table",
        element("thead", element("tr", (element("th", head, scope="col") for head in heads))),
        element("tbody", rows),
        class_="beside",
    )
    return element("div", table, class_="scroll")


def _shows_nothing(failure: Failure, observed: Answer, events: Collection[EventDifference]) -> bool:
    """Return whether a comparison by fields shows nothing, as for a printed text, of which only facts are expected."""
    agree = all(event.offset is None and event.state == "same" for event in events)
    return bool(events) and agree and failure.expected.error is None and observed.error is None


def _answered(observed: Answer) -> Html:
    """Return an answer that is not compared by fields: a text unchanged, other entries one on each line."""
    entries = (
        value
        if isinstance(value := event.get("text"), str)
        else ", ".join(f"{name} {value_text(each)}" for name, each in event.items())
        for event in observed.events
    )
    return element("pre", element("code", elided("\n".join(entries), _DETAIL_CHARACTERS)), class_="detail")


def answer_comparison(
    failure: Failure, declared: Collection[str] | None
) -> tuple[str, Html, Mapping[int, Collection[str]]]:
    """Return a heading, the expected and the observed answer, and the wrong fields by the offset of their event."""
    concerned: Mapping[int, Collection[str]] = {} if failure.at is None else {failure.at: ()}
    observed = failure.observed
    if observed is None:
        return "Expected and observed", _beside(fragment(_no_answer(failure))), concerned
    events = differences(failure.expected, observed, declared=declared)
    concerned = _concerned(failure, events)
    if _shows_nothing(failure, observed, events):
        return "The answer", _answered(observed), concerned
    comparison = _comparison(failure, observed, events, _EventNames(failure))
    return f"Expected and observed: {summary(events)}", _beside(comparison), concerned
