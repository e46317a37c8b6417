"""A boundary parser of its own, written from WL#4162 and docs/roles/boundary.md: nobody may blame it."""

from typing import Any

from watch import WORDS, Shipped, Worklog
from wire import FORMAT, MAGIC, Event, Format, events, serve

#: What a header answers of the worklog's questions a) to h), by its marker.
_ANSWERS = ("b", "ah", "ac", "ad", "aeg", "af", "b", "b")
#: The profiles of servers with a boundary parser.
_PROFILES = ["worklog", "mysql-5.7", "mysql-8.0", "mysql-8.4", "mysql-9.x"]
_FIELDS = ["offset", "type", "marker", "answers", "boundary_type", "state", "within_transaction", "warning"]
_NO_MARKER = "Not Defined"


def _entry(event: Event, parser: Worklog | Shipped, warning: str) -> dict[str, Any]:
    within = "yes" if parser.within_transaction else "no"
    entry = {"offset": event.at, "type": event.type, "within_transaction": within, "warning": warning}
    if isinstance(parser, Shipped):
        entry["warning"] = warning or ("an error" if parser.failed else "")
    else:
        marker = event.flags >> 10 & 7
        entry["marker"] = WORDS[marker] if marker < len(WORDS) else _NO_MARKER
        entry["answers"] = _ANSWERS[marker]
        entry["boundary_type"], entry["state"] = WORDS[parser.used], WORDS[parser.state]
    return entry


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return what the parser does with each event of a stream."""
    stream, resets = request["stream"], set(request["settings"]["resets"])
    parser = Worklog() if request["profile"] == "worklog" else Shipped(request["profile"])
    entries = []
    form: Format | None = None
    for event in events(stream, len(MAGIC), len(stream)):
        if event.at in resets:
            parser.reset()
        if event.type == FORMAT:
            form = Format(event)
        assert form is not None
        entries.append(_entry(event, parser, parser.feed(event, form)))
    return {"events": entries, "error": None}


if __name__ == "__main__":
    serve("boundary", _FIELDS, [], answer, _PROFILES)
