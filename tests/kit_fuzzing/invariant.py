"""What must hold of every run of the kit, whatever it reads."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib import resources
from typing import Final, NoReturn

#: What must not reach a terminal from outside: control characters, and marks that hide or reorder text.
_UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_FRAME: Final = re.compile(r'File "[^"]*?/(\w+)\.py", line \d+, in (\S+)')
#: What the command line prints of a `MemoryError`, and where it was raised.
_OUT_OF_MEMORY: Final = re.compile(r"ran out of memory at \S*?(\w+\.\w+)[:\s]")
#: Lines of standard error that are not errors; `show` writes the file and the offset before them.
_WARNING: Final = re.compile(r"(/\S+: )?warning: ")


class Broken(Exception):
    """An invariant does not hold.

    Attributes:
        name: How it is broken, short enough for a file's name; the same for inputs that break it at the same place.
        detail: What happened, for whoever fixes it.
    """

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"{name}: {detail}")
        self.name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80]
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended.

    Attributes:
        command: Its words.
        status: The exit status.
        output: Standard output.
        errors: Standard error.
    """

    command: tuple[str, ...]
    status: int | str | None
    output: bytes
    errors: str


def check_end(outcome: Outcome, *, errors: int = 1) -> None:
    """Check exit status and standard error.

    Args:
        outcome: How the command ended.
        errors: The most lines of error, which is the number of files that it reads.

    Raises:
        Broken: There is a traceback, more memory than is allowed, an unknown status, an error of several lines, or text
            that is not safe.
    """
    if "Traceback (most recent call last)" in outcome.errors:
        raise Broken(traceback_name(outcome.errors), outcome.errors)
    if match := _OUT_OF_MEMORY.search(outcome.errors):
        raise Broken(f"out of memory {match[1]}", outcome.errors)
    if outcome.status not in (0, 1, 2):
        raise Broken(f"status {outcome.status}", outcome.errors)
    lines = [line for line in outcome.errors.splitlines() if not _WARNING.match(line)]
    if outcome.status == 2 and len(lines) > errors:
        _break(outcome, f"{len(lines)} lines of error")
    if _UNSAFE.search(outcome.errors):
        _break(outcome, "unsafe text on standard error")


def traceback_name(text: str) -> str:
    """Return the exception of a printed traceback and where the kit raised it, without line numbers."""
    exception = next((line for line in reversed(text.splitlines()) if re.match(r"[\w.]+(:|$)", line)), "unknown")
    module, function = ([("", ""), *_FRAME.findall(text)])[-1]
    return f"{exception.partition(':')[0].rpartition('.')[2]} {module} {function}"


def check_message(outcome: Outcome) -> None:
    """Check that a command that ends with 1 or 2 writes why on standard error.

    Raises:
        Broken: It does not.
    """
    if outcome.status != 0 and not outcome.errors.strip():
        _break(outcome, f"status {outcome.status} without a message")


def check_json_lines(outcome: Outcome) -> None:
    """Check that each line of output is a JSON object, with no number that JSON does not have.

    Raises:
        Broken: One is not.
    """
    for line in outcome.output.split(b"\n")[:-1]:
        try:
            value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            _break(outcome, "output is not JSON", f"{error}: {line[:500]!r}")
        if not isinstance(value, dict):
            _break(outcome, "output is not an object", repr(line[:500]))
    if outcome.output and not outcome.output.endswith(b"\n"):
        _break(outcome, "output ends within a line", repr(outcome.output[-200:]))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def check_text(outcome: Outcome) -> None:
    """Check that the output can be shown on any terminal.

    Raises:
        Broken: It is not UTF-8, or it has control characters.
    """
    try:
        text = outcome.output.decode("utf-8")
    except UnicodeDecodeError as error:
        _break(outcome, "output is not UTF-8", str(error))
    if match := _UNSAFE.search(text):
        _break(outcome, "unsafe text on standard output", ascii(text[max(0, match.start() - 100) : match.end() + 100]))


def check_xml(text: str, what: str) -> None:
    """Check that a text is an XML document.

    Raises:
        Broken: It is not.
    """
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise Broken(f"{what} is not XML", f"{error}: {text[:500]!r}") from error


#: Elements without an end tag.
_VOID: Final = frozenset({"meta", "br", "col", "input", "wbr"})
#: The only elements that the kit's reports have.
_ELEMENTS: Final = frozenset(
    {
        *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer", "article", "section"),
        *("div", "details", "summary", "h1", "h2", "h3", "h4", "p", "pre", "blockquote", "ul", "ol", "li", "dl", "dt"),
        *("dd", "br", "table", "thead", "tbody", "tr", "th", "td", "a", "b", "i", "code", "span", "mark", "wbr"),
        *("input", "select", "option", "label", "button", "output", "script"),
        *("figure", "svg", "line", "polyline", "circle", "text"),
    }
)


#: The only script that a page may have.
_SCRIPT: Final = (resources.files("conformance.reports") / "report.js").read_text(encoding="utf-8")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            self.faults.append(f"an element {tag}")
        if tag not in _VOID:
            self.open.append(tag)
        self.faults += [f"an attribute {name}" for name, _ in attrs if name.startswith("on")]
        self.faults += [
            f"an address {value!r}" for name, value in attrs if name in ("href", "src") and _is_foreign(value)
        ]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"an end of {tag} that was not open")

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"] and data != _SCRIPT:
            self.faults.append(f"a script {data[:100]!r}")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"a comment {data!r}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"a declaration {data!r}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"a processing instruction {data!r}")


def _is_foreign(address: str | None) -> bool:
    return address is not None and not address.startswith(("#", "https://", "http://"))


def check_html(text: str) -> None:
    """Check that a page has only the kit's own elements, properly nested, and no text that hides or runs.

    Raises:
        Broken: It has others.
    """
    page = _Page()
    page.feed(text)
    page.close()
    faults: Iterable[str] = [*page.faults, *(f"{tag} is not closed" for tag in page.open)]
    if match := _UNSAFE.search(text):
        faults = [*faults, f"the character {match[0]!a}"]
    for fault in faults:
        raise Broken("a page has foreign markup", fault)


def _break(outcome: Outcome, what: str, detail: str = "") -> NoReturn:
    command = " ".join(outcome.command)
    raise Broken(f"{outcome.command[0]} {what}", f"{command}: {detail or outcome.errors or outcome.output[-500:]!r}")
