"""Text of an implementation: made visible and short before it is written to a page, a file or a terminal."""

import json
import re
from typing import Any, Final

#: The characters that must never be written unchanged: C0 and C1 controls, line separators, marks that reorder or hide
#: text, surrogates and noncharacters. Tab and line feed are left to the caller.
INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
#: What Python writes before the calls that led to an exception, and before each of them.
_TRACEBACK: Final = "Traceback (most recent call last):"
_CALL: Final = 'File "'
#: Marks under a line of code, which mean nothing away from that line.
_UNDERLINED: Final = re.compile(r"[ \n]+[~^]{2,}(?=[ \n]|$)")
_SPACES: Final = re.compile(r"[\t\n\r ]+")
#: Fewer characters are not left out: the mark takes half as many.
_NOT_WORTH_IT: Final = 60
#: The arrows that replace a tab and a line feed in a text that has to stay on one line.
_LINE_MARKS: Final = str.maketrans({"\t": "\u21e5", "\n": "\u21b5"})


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    # Pictures of controls (U+2400 and on) would be shorter, but many fonts lack them.
    return f"\u27e8{code:02x}\u27e9" if code < 0x100 else f"\u27e8U+{code:04X}\u27e9"


def visible(text: str) -> str:
    """Return `text` with each invisible character replaced by its code; lines stay lines.

    Example:
        >>> visible("a" + chr(27) + "[31mb")
        'a⟨1b⟩[31mb'
    """
    return INVISIBLE.sub(_shown, text)


def visible_line(text: str) -> str:
    """Return `text` as `visible` does, on one line: tabs and line feeds become arrows."""
    return visible(text).translate(_LINE_MARKS)


def one_line(text: str) -> str:
    """Return a sentence as `visible` does, with one space for each run of white space."""
    return visible(_SPACES.sub(" ", text)).strip()


def elided(text: str, limit: int, *, last: int = 0) -> str:
    """Return `text`, or its two ends with the number of characters left out between them.

    A text that is a little longer than the limit is kept whole: what stands for the rest takes room too.

    Args:
        text: Any text.
        limit: How many of its characters are kept.
        last: How many characters at its end are kept whatever else is, up to the limit; a third of it at least.
    """
    if len(text) <= limit + _NOT_WORTH_IT:
        return text
    tail = min(max(limit // 3, last), limit)
    head = limit - tail
    left_out = len(text) - limit
    return f"{text[:head]} \u22ef {left_out:,} characters left out \u22ef {text[len(text) - tail :]}"


def last_call(text: str) -> str:
    """Return a text without the calls of a Python traceback but the last, in which the exception was raised."""
    calls = [place for place in (text.find(_TRACEBACK), text.find(_CALL)) if place >= 0]
    last = text.rfind(_CALL)
    shown = text[: min(calls)] + text[last:] if calls and last > min(calls) else text
    return _once(_UNDERLINED.sub("", shown)) if calls else shown


def _once(text: str) -> str:
    """Return a text without the line by which a traceback ends, if the text begins with the same line."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{rest.replace(chr(10) + first, '', 1)}" if f"\n{first}" in rest else text


def last_words(text: str, limit: int) -> str:
    """Return a message as `last_call` does, elided to a limit, with all of the call that raised an exception."""
    shown = last_call(text)
    call = shown.rfind(_CALL)
    return elided(shown, limit, last=len(shown) - call if call >= 0 else 0)


def value_text(value: Any) -> str:
    """Return a JSON value on one line; text is in quotes, so that white space at its ends is visible."""
    if isinstance(value, str):
        return f'"{visible_line(value)}"'
    try:
        return visible_line(json.dumps(value, ensure_ascii=False, sort_keys=True))
    except RecursionError:
        return "(nested too deeply to be shown)"
