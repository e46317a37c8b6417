"""The settings of a replica, and their form in a question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, get_args

from conformance.models.replica.compatibility import ReplicaRules, replica_rules

GtidMode = Literal["OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"]
GTID_MODES: Final[tuple[GtidMode, ...]] = get_args(GtidMode)
#: ER_SQL_SLAVE_SKIP_COUNTER_NOT_SETTABLE_IN_GTID_MODE.
COUNTER_REFUSED: Final = 1858


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """The position at which START REPLICA UNTIL stops: in the source's log, in bytes."""

    log_name: str
    log_pos: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaSettings:
    """The settings of an applying replica.

    Attributes:
        profile: The profile whose rules apply.
        version: The replica's version if it is not the default one of the profile.
        server_id: Its server id.
        gtid_mode: One of `GTID_MODES`; has no effect before 5.6 and in MariaDB.
        skip_counter: How many events to skip.
        until: Where to stop; None: nowhere.
        tables: The tables whose rows are asked for, as ``database.table``.
        leftovers: Database -> its tables, if its directory holds a file that DROP DATABASE does not remove.

    Raises:
        ValueError: There is no such mode, or the counter is negative.
    """

    profile: str
    version: str = ""
    server_id: int = 100
    gtid_mode: GtidMode = "OFF"
    skip_counter: int = 0
    until: Until | None = None
    tables: tuple[str, ...] = ()
    leftovers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.gtid_mode not in GTID_MODES:
            raise ValueError(f"{self.gtid_mode!r} is not a valid gtid_mode: write one of {', '.join(GTID_MODES)}")
        if self.skip_counter < 0:
            raise ValueError(f"{self.skip_counter} is not a valid skip counter: write an integer from 0")

    @property
    def rules(self) -> ReplicaRules:
        """What a replica of this version does."""
        return replica_rules(self.profile, self.version)

    @property
    def is_counter_refused(self) -> bool:
        """Whether the server refuses to set the skip counter in this mode (WL#7592, NFR3)."""
        return bool(self.skip_counter) and self.gtid_mode == "ON" and not self.rules.skips_with_gtids

    @classmethod
    def of_json(cls, profile: str, settings: Mapping[str, Any]) -> Self:
        """Return the settings of a question in the role `apply`.

        Raises:
            ValueError: A setting has an invalid value.
        """
        until = settings.get("until")
        return cls(
            profile=profile,
            version=settings.get("version", ""),
            server_id=settings.get("server_id", 100),
            gtid_mode=settings.get("gtid_mode", "OFF"),
            skip_counter=settings.get("skip_counter", 0),
            until=None if until is None else Until(**until),
            tables=tuple(settings.get("tables", ())),
            leftovers={name: tuple(tables) for name, tables in settings.get("leftovers", {}).items()},
        )

    def as_json(self) -> dict[str, Any]:
        """Return the settings as in a question, which holds the profile separately."""
        settings: dict[str, Any] = {"gtid_mode": self.gtid_mode, "server_id": self.server_id}
        if self.version:
            settings["version"] = self.version
        if self.skip_counter:
            settings["skip_counter"] = self.skip_counter
        if self.until is not None:
            settings["until"] = {"log_name": self.until.log_name, "log_pos": self.until.log_pos}
        if self.tables:
            settings["tables"] = list(self.tables)
        if self.leftovers:
            settings["leftovers"] = {name: list(tables) for name, tables in self.leftovers.items()}
        return settings
