"""What a sender is asked: the logs that it has, what the replica asks for, and where the sender waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.header import MAGIC
from conformance.binlog.servers import server_of

#: The offset of a log's first event, in bytes.
FIRST: Final = len(MAGIC)


@dataclass(frozen=True, slots=True)
class Hole:
    """Events of a log that are not there, though the positions after them count them.

    Nobody may ask for them. So a log of 4 GiB can be asked for near its end.

    Attributes:
        at: Where it begins in its log, in bytes.
        length: How long it is, in bytes.
    """

    at: int
    length: int

    def passed(self, offset: int) -> int:
        """Return where a byte is in the log, from where it is among the bytes that are there."""
        return offset + self.length if offset >= self.at else offset


#: A log that has every event.
NO_HOLE: Final = Hole(FIRST, 0)


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log on the sender's disk.

    Attributes:
        name: Its name.
        length: How much of it is there, in bytes.
        hole: What is not there.
    """

    name: str
    length: int
    hole: Hole = NO_HOLE

    @classmethod
    def of_json(cls, log: Mapping[str, Any]) -> Self:
        """Return one log of a question's settings."""
        hole = log.get("hole")
        return cls(log["name"], log["length"], NO_HOLE if hole is None else Hole(hole["at"], hole["length"]))

    def as_json(self) -> dict[str, Any]:
        """Return the log as in a question."""
        log = {"name": self.name, "length": self.length}
        return {**log, "hole": {"at": self.hole.at, "length": self.hole.length}} if self.hole.length else log

    @property
    def size(self) -> int:
        """Where it ends, in bytes: what is not there counts."""
        return self.length + self.hole.length


@dataclass(frozen=True, slots=True)
class Wait:
    """A place at which a log ended when the sender came to it, and was continued later.

    Attributes:
        log_name: The log.
        log_pos: Where it ended, in bytes.
        heartbeats: The heartbeat periods that passed until it was continued.
    """

    log_name: str
    log_pos: int
    heartbeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderSettings:
    """The settings of a question in the role `send`.

    Attributes:
        profile: The profile whose rules apply.
        logs: The logs, oldest first.
        server_id: The sender's own server id.
        gtid_mode: Its gtid_mode.
        log_name: The log in which the replica asks to begin; empty if it asks by GTIDs.
        log_pos: The position there, in bytes.
        gtid_set: The GTIDs that the replica has; None if it asks by position.
        checksum: What the replica announced for checksums, ``CRC32`` or ``NONE``.
        heartbeat_v2: Whether it takes heartbeats of the second version.
        annotate_rows: Whether it asks for Annotate_rows events (MariaDB).
        waits: Where the sender waits for more.
    """

    profile: str
    logs: tuple[LogFile, ...]
    server_id: int = 1
    gtid_mode: str = "OFF"
    log_name: str = ""
    log_pos: int = FIRST
    gtid_set: GtidSet | None = None
    checksum: str = "CRC32"
    heartbeat_v2: bool = False
    annotate_rows: bool = False
    waits: tuple[Wait, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a question that names a log which is not there.

        Raises:
            ValueError: There is no such profile, no log, or no log of that name.
        """
        server_of(self.profile)
        names = [each.name for each in self.logs]
        if not names:
            raise ValueError("there are no logs: a sender has at least one")
        if self.gtid_set is None and self.log_name not in names:
            raise ValueError(f"{self.log_name!r} is not a valid log name: the logs are {', '.join(names)}")

    @classmethod
    def of_json(cls, profile: str, settings: Mapping[str, Any]) -> Self:
        """Return the settings of a question.

        Raises:
            ValueError: There is no such profile, log, or GTID set.
        """
        gtids = settings["gtid_set"]
        return cls(
            profile=profile,
            logs=tuple(map(LogFile.of_json, settings["logs"])),
            server_id=settings["server_id"],
            gtid_mode=settings["gtid_mode"],
            log_name=settings["log_name"],
            log_pos=settings["log_pos"],
            gtid_set=None if gtids is None else GtidSet.from_text(gtids),
            checksum=settings["checksum"],
            heartbeat_v2=settings["heartbeat_v2"],
            annotate_rows=settings["annotate_rows"],
            waits=tuple(Wait(each["log_name"], each["log_pos"], each["heartbeats"]) for each in settings["waits"]),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the settings as in a question, which holds the profile separately."""
        return {
            "server_id": self.server_id,
            "gtid_mode": self.gtid_mode,
            "logs": [each.as_json() for each in self.logs],
            "log_name": self.log_name,
            "log_pos": self.log_pos,
            "gtid_set": None if self.gtid_set is None else str(self.gtid_set),
            "checksum": self.checksum,
            "heartbeat_v2": self.heartbeat_v2,
            "annotate_rows": self.annotate_rows,
            "waits": [
                {"log_name": each.log_name, "log_pos": each.log_pos, "heartbeats": each.heartbeats}
                for each in self.waits
            ],
        }

    def heartbeats_at(self, log_name: str, log_pos: int) -> int | None:
        """Return how many heartbeat periods the sender waits at a place; None if it does not wait there."""
        return next(
            (each.heartbeats for each in self.waits if (each.log_name, each.log_pos) == (log_name, log_pos)), None
        )
