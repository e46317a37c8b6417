"""How a replica is set up, and the form of it that a question in JSON has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, get_args

from conformance.models.replica.compatibility import ReplicaRules, replica_rules

GtidMode = Literal["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]
GTID_MODES: Final[tuple[GtidMode, ...]] = get_args(GtidMode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """Where START REPLICA UNTIL ends: a position in the source's log, in bytes."""

    log_name: str
    log_pos: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaSettings:
    """How an applying replica is set up.

    Attributes:
        profile: Whose rules hold.
        version: The replica's version where it is not the one that stands for the profile.
        server_id: Its own id.
        gtid_mode: One of `GTID_MODES`; without meaning before 5.6 and in MariaDB.
        skip_counter: How many events to skip.
        until: Where to stop; None applies everything.
        leftovers: Database -> its tables, where its directory holds a file that no DROP DATABASE removes.

    Raises:
        ValueError: There is no such mode, the counter is negative, or may not be set in this mode.
    """

    profile: str
    version: str = ""
    server_id: int = 100
    gtid_mode: GtidMode = "OFF"
    skip_counter: int = 0
    until: Until | None = None
    leftovers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.gtid_mode not in GTID_MODES:
            raise ValueError(f"gtid_mode {self.gtid_mode!r}; it is one of {', '.join(GTID_MODES)}")
        if self.skip_counter < 0:
            raise ValueError(f"a skip counter of {self.skip_counter}; it is 0 or more")
        if self.skip_counter and self.gtid_mode == "ON" and not self.rules.skips_with_gtids:
            raise ValueError("the skip counter may not be set with gtid_mode=ON (error 1858)")

    @property
    def rules(self) -> ReplicaRules:
        """What a replica of this version does."""
        return replica_rules(self.profile, self.version)

    @classmethod
    def of_json(cls, profile: str, settings: Mapping[str, Any]) -> Self:
        """Return the settings that a question in the role `apply` has.

        Raises:
            ValueError: A setting has a value that it cannot have.
        """
        until = settings.get("until")
        return cls(
            profile=profile,
            version=settings.get("version", ""),
            server_id=settings.get("server_id", 100),
            gtid_mode=settings.get("gtid_mode", "OFF"),
            skip_counter=settings.get("skip_counter", 0),
            until=None if until is None else Until(**until),
            leftovers={name: tuple(tables) for name, tables in settings.get("leftovers", {}).items()},
        )

    def as_json(self) -> dict[str, Any]:
        """Return the settings as a question has them; the profile stands beside them."""
        settings: dict[str, Any] = {"gtid_mode": self.gtid_mode, "server_id": self.server_id}
        if self.version:
            settings["version"] = self.version
        if self.skip_counter:
            settings["skip_counter"] = self.skip_counter
        if self.until is not None:
            settings["until"] = {"log_name": self.until.log_name, "log_pos": self.until.log_pos}
        if self.leftovers:
            settings["leftovers"] = {name: list(tables) for name, tables in self.leftovers.items()}
        return settings
