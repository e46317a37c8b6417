"""A scenario: a server's settings, and the statements run on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.models.server.settings import Settings
from conformance.models.server.statement_forms import statement_from_json, statement_to_json
from conformance.models.server.statements import Statement


@dataclass(frozen=True, slots=True)
class Scenario:
    """The settings of a server and the statements run on it.

    Attributes:
        settings: The settings with which the server starts; it has no databases and no logs then.
        statements: The statements, in order.
    """

    settings: Settings
    statements: tuple[Statement, ...]

    def __post_init__(self) -> None:
        for each in self.statements:
            if each.session < 1:
                raise ValueError(f"{each.kind}: session {each.session}; sessions are numbered from 1")

    def to_json(self) -> dict[str, Any]:
        """Return the scenario in JSON values."""
        return {
            "settings": self.settings.to_json(),
            "statements": [statement_to_json(each) for each in self.statements],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Scenario":
        """Return the scenario that the JSON values of `to_json` hold.

        Raises:
            ValueError: The value is not a scenario; the message says what is wrong.
        """
        settings = Settings.from_json(value["settings"])
        return cls(settings, tuple(statement_from_json(each) for each in value["statements"]))
