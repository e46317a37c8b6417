"""What a run keeps of an answer: as much as a reader of a failure can look at, and marks where it leaves things out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Final, NamedTuple

from conformance.protocol.observation import Observation, Refusal, Trouble

#: Characters of one answer that are kept, in all its events: far more than a report shows.
_CHARACTERS: Final = 1 << 18
#: Characters of one text: as many as a report shows.
_TEXT: Final = 20_000
#: Characters of a name.
_NAME: Final = 200
#: Characters of the implementation's words about an error.
_WORDS: Final = 4_000
#: What a value costs besides its characters, so that a list of empty ones ends too.
_PLACE: Final = 8
#: Levels of nesting; JSON parsers give up at several hundred.
_LEVELS: Final = 32
_TOO_DEEP: Final = "(nested too deeply to be kept)"


class KeptEvents(NamedTuple):
    """The events of an answer that are kept.

    Attributes:
        events: The events, in values that JSON has.
        left_out: How many follow that are not kept.
        is_whole: Whether nothing is left out, in the events neither.
    """

    events: tuple[dict[str, Any], ...]
    left_out: int
    is_whole: bool


def kept_events(events: Sequence[Mapping[str, Any]]) -> KeptEvents:
    """Return what is kept of the events of an answer."""
    keeping = _Keeping()
    kept: list[dict[str, Any]] = []
    for event in events:
        if keeping.left <= 0:
            break
        kept.append(keeping.value(event, _LEVELS))
    left_out = len(events) - len(kept)
    return KeptEvents(tuple(kept), left_out, keeping.is_whole and not left_out)


def kept_answer(answer: Observation | Trouble) -> tuple[Observation | Trouble, int]:
    """Return the answer, or what is kept of one that is too long, and how many of its events are left out."""
    if isinstance(answer, Trouble):
        return answer if len(answer.detail) <= _TEXT else replace(answer, detail=kept_text(answer.detail)), 0
    kept = kept_events(answer.events)
    if kept.is_whole and sum(map(len, answer.streams)) <= _CHARACTERS:
        return answer, 0
    return replace(answer, events=kept.events, error=kept_refusal(answer.error), streams=()), kept.left_out


def kept_refusal(error: Refusal | None) -> Refusal | None:
    """Return what is kept of an error."""
    return None if error is None else replace(error, message=kept_text(error.message, _WORDS))


def kept_text(text: str, limit: int = _TEXT) -> str:
    """Return a text, or its beginning and how much follows."""
    return text if len(text) <= limit else f"{text[:limit]}... {len(text) - limit:,} more characters"


def kept_value(value: Any) -> Any:
    """Return what is kept of a value."""
    return _Keeping().value(value, _LEVELS)


class _Keeping:
    """Copies values as JSON has them, until the characters of an answer are used up.

    Attributes:
        left: Characters that may still be kept.
        is_whole: Whether nothing was left out.
    """

    def __init__(self) -> None:
        self.left = _CHARACTERS
        self.is_whole = True

    def value(self, value: Any, levels: int) -> Any:
        """Return a value, without what is nested too deeply or follows too late; infinite numbers become texts."""
        self.left -= _PLACE
        if isinstance(value, str):
            return self._text(value, _TEXT)
        if isinstance(value, (Mapping, list, tuple)):
            if not levels:
                self.is_whole = False
                return _TOO_DEEP
            return self._mapping(value, levels) if isinstance(value, Mapping) else self._list(value, levels)
        if isinstance(value, int) and not -(1 << 64) < value < 1 << 64:
            self.left -= value.bit_length() // 3
        return str(value) if isinstance(value, float) and not isfinite(value) else value

    def _text(self, text: str, limit: int) -> str:
        self.is_whole = self.is_whole and len(text) <= limit
        self.left -= min(len(text), limit)
        return kept_text(text, limit)

    def _mapping(self, value: Mapping[str, Any], levels: int) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for number, (name, each) in enumerate(value.items()):
            if self.left <= 0:
                self.is_whole = False
                kept["..."] = f"{len(value) - number:,} more"
                break
            kept[self._text(name, _NAME)] = self.value(each, levels - 1)
        return kept

    def _list(self, value: Sequence[Any], levels: int) -> list[Any]:
        kept: list[Any] = []
        for number, each in enumerate(value):
            if self.left <= 0:
                self.is_whole = False
                kept.append(f"... {len(value) - number:,} more")
                break
            kept.append(self.value(each, levels - 1))
        return kept
