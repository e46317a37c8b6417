"""Why a replica's receiver ends before it takes an event: the checks of both sides, by version (WL#7592, WL#4033).

Source: connections between real servers of MySQL 5.5.9 to 9.7.4 and MariaDB 10.1.23 to 11.8.6.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from conformance.models.handshake.announcement import ANNOUNCEMENTS
from conformance.specs.versions import ByVersion, Profiles

#: What a replica asks for: a log and a position, or the GTIDs that it has.
Position = Literal["file", "gtid"]

#: The modes in which transactions without a GTID may be logged, and those in which such with a GTID may be.
_ANONYMOUS_MODES: Final = ("OFF", "OFF_PERMISSIVE")
_NUMBERED_MODES: Final = ("ON_PERMISSIVE", "ON")
#: The servers that number the receiver's fatal errors apart from those of statements.
_FATAL: Final = 1593
_FATAL_SINCE_8_0: Final = 13117
#: ER_SOURCE_FATAL_ERROR_READING_BINLOG, in the words of the source; the number that a replica gives it changed in 8.0.
_READING: Final = 1236
_READING_SINCE_8_0: Final = 13114
#: ER_SLAVE_RELAY_LOG_WRITE_FAILURE.
_WRITING: Final = 1595


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One of the two servers of a connection.

    Attributes:
        profile: Its version.
        server_id: Its server id.
        gtid_mode: Its gtid_mode; ``OFF`` where there is none.
        checksum: Its binlog_checksum.
    """

    profile: str
    server_id: int
    gtid_mode: str = "OFF"
    checksum: str = "CRC32"


@dataclass(frozen=True, slots=True)
class Refused:
    """The error with which a receiver stops before it takes an event.

    Attributes:
        number: Its number.
        words: Words that its text holds.
        is_sent_events: Whether the source sends its log all the same; otherwise it sends at most which log it would be.
    """

    number: int
    words: str
    is_sent_events: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalRules:
    """How replicas of one version check a source.

    Attributes:
        fatal: The number of the error with which a receiver stops on its own.
        reading: The number of the error with which it stops because the source sent one.
        source: What it calls a source.
        replica: What it calls a replica.
        modes: The source's modes that it knows; empty if it asks for none.
        different: Its words for a gtid_mode that does not go with its own.
        unknown: Its words for one that it does not know.
        not_on: Its words for a source without gtid_mode=ON where it asks by GTIDs.
        assumes_own_checksums: Whether it expects checksums of a source that knows none where it writes them itself.
    """

    fatal: int = _FATAL
    reading: int = _READING
    source: str = "master"
    replica: str = "slave"
    modes: tuple[str, ...] = ()
    different: str = ""
    unknown: str = ""
    not_on: str = ""
    assumes_own_checksums: bool = False


_5_6: Final = RefusalRules(
    modes=("OFF", "ON"),
    different="master has @@GLOBAL.GTID_MODE {source} and this server has @@GLOBAL.GTID_MODE {replica}",
    unknown="the master has an unknown @@GLOBAL.GTID_MODE",
)
_5_7: Final = RefusalRules(
    modes=(*_ANONYMOUS_MODES, *_NUMBERED_MODES),
    different="the master has GTID_MODE = {source} and this server has GTID_MODE = {replica}.",
    not_on="cannot start in AUTO_POSITION mode: the master has GTID_MODE = {source} instead of ON.",
)
_8_0: Final = replace(_5_7, fatal=_FATAL_SINCE_8_0, reading=_READING_SINCE_8_0)
REFUSAL_RULES: Final = ByVersion(
    "how replicas check a source",
    {
        "worklog": _5_7,
        "mysql": RefusalRules(),
        "mysql >= 5.6": _5_6,
        "mysql >= 5.7": _5_7,
        "mysql >= 8.0": _8_0,
        "mysql >= 9.0": replace(
            _8_0,
            source="source",
            replica="replica",
            different=_8_0.different.replace("master", "source"),
            not_on=_8_0.not_on.replace("master", "source"),
        ),
        "mariadb": RefusalRules(assumes_own_checksums=True),
    },
)
#: The words of a source that does not have the log, or no event at the position, for which a replica asks.
NO_SUCH_LOG: Final = "Could not find first log file name in binary log index file"
NO_EVENT_THERE: Final = "bogus data in log event: no event starts at"
#: The servers that know checksums; where they log with them, they refuse a replica that does not know them.
_WITH_CHECKSUMS: Final = Profiles("mysql >= 5.6", "mariadb")
#: The words with which they do; the name of the replica's side is before them.
UNAWARE: Final = "can not handle replication events with the checksum that"
#: MariaDB's error log has the reason, error 1743: the checksum of the first event is not right.
_NOT_WRITTEN: Final = "could not queue event from master"


def refusal(source: Peer, replica: Peer, *, position: Position) -> Refused | None:
    """Return the error with which a replica's receiver stops before it takes an event; None if there is none.

    Args:
        source: The source.
        replica: The replica.
        position: What the replica asks for.
    """
    rules = REFUSAL_RULES[replica.profile]
    if source.server_id == replica.server_id:
        return Refused(rules.fatal, f"because {rules.source} and {rules.replica} have equal")
    words = _about_mode(rules, source.gtid_mode, replica.gtid_mode, position)
    if words:
        return Refused(rules.fatal, words.format(source=source.gtid_mode, replica=replica.gtid_mode))
    unaware = not ANNOUNCEMENTS[replica.profile].checksums and source.checksum != "NONE"
    if unaware and source.profile in _WITH_CHECKSUMS:
        return Refused(rules.reading, UNAWARE)
    if rules.assumes_own_checksums and replica.checksum != "NONE" and source.profile not in _WITH_CHECKSUMS:
        return Refused(_WRITING, _NOT_WRITTEN, is_sent_events=True)
    return None


def _about_mode(rules: RefusalRules, source: str, replica: str, position: Position) -> str:
    """Return the words about the source's gtid_mode, empty if the replica accepts it."""
    if not rules.modes:
        return ""
    if source not in rules.modes:
        return rules.unknown
    refused = _NUMBERED_MODES if replica == "OFF" else _ANONYMOUS_MODES if replica == "ON" else ()
    if source in refused:
        return rules.different
    return rules.not_on if position == "gtid" and source != "ON" else ""
