"""Checked access to one JSON object of a run record: each value has the type asked for, or the error says where."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


class Malformed(ValueError):
    """A value of a record is missing or of another type than its kind says."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A JSON object and the way to it, such as ``expected.error``; every reader raises `Malformed`."""

    values: Mapping[str, Any]
    path: str = ""

    def _at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def value(self, key: str) -> Any:
        """Return whatever stands under `key`."""
        if key not in self.values:
            raise Malformed(f"{self._at(key)} is missing")
        return self.values[key]

    def _typed(self, key: str, types: type | tuple[type, ...], what: str) -> Any:
        value = self.value(key)
        # In JSON a flag is no number, in Python it is.
        if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            # A list or an object may be long, or nested deeper than it can be printed.
            shown = "a list or an object" if isinstance(value, (list, tuple, dict)) else repr(str(value)[:80])
            raise Malformed(f"{self._at(key)} is not {what}: {shown}")
        return value

    def text(self, key: str) -> str:
        """Return a text."""
        return str(self._typed(key, str, "a text"))

    def optional_text(self, key: str) -> str | None:
        """Return a text or None."""
        return None if self.value(key) is None else self.text(key)

    def flag(self, key: str) -> bool:
        """Return a flag."""
        return bool(self._typed(key, bool, "true or false"))

    def integer(self, key: str) -> int:
        """Return an integer."""
        return int(self._typed(key, int, "an integer"))

    def count(self, key: str) -> int:
        """Return an integer of at least 0."""
        number = self.integer(key)
        if number < 0:
            raise Malformed(f"{self._at(key)} is below 0: {number}")
        return number

    def optional_count(self, key: str) -> int | None:
        """Return an integer of at least 0, or None."""
        return None if self.value(key) is None else self.count(key)

    def number(self, key: str) -> float:
        """Return a number of at least 0."""
        number = float(self._typed(key, (int, float), "a number"))
        if number < 0:
            raise Malformed(f"{self._at(key)} is below 0: {number}")
        return number

    def optional_number(self, key: str) -> float | None:
        """Return a number of at least 0, or None."""
        return None if self.value(key) is None else self.number(key)

    def octets(self, key: str) -> bytes:
        """Return the bytes that a text holds as hexadecimal digits."""
        try:
            return bytes.fromhex(self.text(key))
        except ValueError as error:
            raise Malformed(f"{self._at(key)} is not hexadecimal") from error

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        found = self._typed(key, (list, tuple), "a list")
        if not all(isinstance(each, str) for each in found):
            raise Malformed(f"{self._at(key)} is not a list of texts")
        return tuple(found)

    def entry(self, key: str) -> "Entry":
        """Return an object."""
        return Entry(self._typed(key, dict, "an object"), self._at(key))

    def optional_entry(self, key: str) -> "Entry | None":
        """Return an object or None."""
        return None if self.value(key) is None else self.entry(key)

    def entries(self, key: str) -> Iterator["Entry"]:
        """Yield the objects of a list."""
        for index, each in enumerate(self._typed(key, (list, tuple), "a list")):
            if not isinstance(each, dict):
                raise Malformed(f"{self._at(key)}[{index}] is not an object")
            yield Entry(each, f"{self._at(key)}[{index}]")

    def members(self, key: str) -> Iterator[tuple[str, "Entry"]]:
        """Yield the names and objects of an object of objects."""
        found = self.entry(key)
        for name in found.values:
            yield name, found.entry(name)

    def named_texts(self) -> dict[str, str]:
        """Return all of this object, which holds texts only."""
        return {key: self.text(key) for key in self.values}

    def counts(self) -> dict[str, int]:
        """Return all of this object, which holds counts only."""
        return {key: self.count(key) for key in self.values}
