"""A hostile implementation: all its text tries to break out of the place where it is shown."""

from collections.abc import Iterator
from typing import Any

from example_record import Line, example_lines, footer

#: Tags, ends of every kind of section, controls, terminal sequences, text that hides, and more than a page can hold.
EVIL = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)><!-- ]]> --></style></pre></td>"
    "&lt;b&gt; \x00\x08\x1b[2J\x1b]0;owned\x07\x7f\x9b31m\r\u202e\ud800\ufffe [red]|`` @everyone\n# head\n"
)
LONG = 1_000_000

#: The keys whose text comes from the implementation or its author, by kind of line.
_FOREIGN = {
    "header": ("implementation",),
    "failure": ("signature", "message", "detail", "observed", "replay", "known"),
}
#: Text of a failure that the kit makes from bytes that anybody may have written.
_QUOTED = ("summary", "value", "name", "message", "kind")


def _poisoned(value: Any, evil: str) -> Any:
    if isinstance(value, str):
        return evil
    if isinstance(value, list):
        return [_poisoned(each, evil) for each in value]
    if isinstance(value, dict):
        # The implementation chooses the names of event fields, but not those of the record.
        return {key: _poisoned(each, evil) for key, each in value.items()}
    return value


def _lines(evil: str) -> Iterator[Line]:
    for number, line in enumerate(example_lines()[:-1]):
        for key in _FOREIGN.get(line["kind"], ()):
            line[key] = _poisoned(line[key], evil)
        if line["kind"] == "failure":
            # Findings that differ stay so.
            line["signature"] += str(number)
            for event in line["events"]:
                event |= {key: evil for key in _QUOTED if key in event}
                for span in event["spans"]:
                    span |= {key: evil for key in _QUOTED if key in span}
            if line["observed"] is not None:
                line["observed"]["events"].append({"type": evil, evil: evil})
        yield line


def hostile_lines(evil: str = EVIL) -> list[Line]:
    """Return the example record with `evil` in every value that does not come from the kit."""
    lines = list(_lines(evil))
    return [*lines, footer(lines, unexpected_passes=[evil], stale_baseline=[evil])]


def hostile_and_long() -> list[Line]:
    """Return the same with about 1 MB of it in one value of each kind."""
    lines = hostile_lines()
    for line in lines:
        if line["kind"] == "failure":
            line |= {"message": EVIL * (LONG // len(EVIL)), "detail": EVIL * (LONG // len(EVIL))}
            break
    return lines
