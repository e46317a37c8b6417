"""A scenario: a server's settings and what is then done to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.models.server.settings import Settings
from conformance.models.server.statements import Statement, statement_from_json, statement_to_json


@dataclass(frozen=True, slots=True)
class Scenario:
    """Settings and statements, before any bytes.

    Attributes:
        settings: What the server is told before it starts; it starts empty, with no database and no log.
        statements: What is done, in this order.
    """

    settings: Settings
    statements: tuple[Statement, ...]

    def __post_init__(self) -> None:
        for each in self.statements:
            if each.session < 1:
                raise ValueError(f"{each.kind}: session {each.session}; sessions are numbered from 1")

    def to_json(self) -> dict[str, Any]:
        """Return the scenario as JSON has it."""
        return {
            "settings": self.settings.to_json(),
            "statements": [statement_to_json(each) for each in self.statements],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Scenario":
        """Read a scenario as `to_json` writes it.

        Raises:
            ValueError: It is no scenario; the message says what is wrong.
        """
        settings = Settings.from_json(value["settings"])
        return cls(settings, tuple(statement_from_json(each) for each in value["statements"]))
