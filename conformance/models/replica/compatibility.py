"""What replicas of each version accept: the cross-version tables of WL#4033 and WL#7592, and the rules by version."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from conformance.binlog.format_description import version_tuple
from conformance.specs.versions import ByVersion


class Anonymous(Enum):
    """What a replica does at an Anonymous_gtid event."""

    #: It does not know the type.
    UNKNOWN = "unknown"
    #: It stops (BUG#74683).
    STOPS = "stops"
    #: It skips the event, as it is ignorable.
    IGNORED = "ignored"
    #: A group begins.
    OPENS_GROUP = "opens a group"


class ChecksBegin(Enum):
    """When an applier requires a Gtid event before BEGIN and COMMIT too."""

    NEVER = "never"
    #: Until it has applied a group with a GTID; after one it checks only from the first statement on (MySQL 9.7).
    AT_FIRST = "at first"
    ALWAYS = "always"


class Compared(Enum):
    """The position that START REPLICA UNTIL is compared with before an event."""

    #: That at which the event starts.
    OF_EVENT = "of the event"
    #: That after the last whole group, as in servers since 5.7 for events that are of no log.
    OF_GROUP = "of the group"
    #: None: the applier does not stop before the event.
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ReplicaRules:
    """What a replica of one version does.

    Attributes:
        ignorable: It skips unknown events that carry the ignorable flag (WL#4033).
        gtids: It knows Gtid events and gtid_mode.
        anonymous: What it does at an Anonymous_gtid event.
        checks_begin: With gtid_mode=ON, when it requires the Gtid event already at BEGIN and COMMIT, not only at the
            events between them (WL#7592, Stricter checks).
        skips_with_gtids: The skip counter may be set with gtid_mode=ON.
        read_failure: The number of the error with which it stops at an event that it cannot read.
        incident: The number of the error with which it stops at an Incident event.
        until_at_own: What START REPLICA UNTIL is compared with before an event with the replica's own server id, as
            5.6.24, 5.7.22, 8.0.15, 9.7.4 and MariaDB 11.8.9 were seen to do.
        until_at_zero: The same before one with the server id 0.
        incidents_apart: An Incident is applied apart from the groups, which are applied in parallel: what GTID a group
            before it had is unknown there.
        format_renews: After a format description BEGIN is checked as before the first GTID: another log may have groups
            without one. 5.7.22 and 8.0.15 do so, and not 9.7.4.
        logs_existing: It logs CREATE TABLE IF NOT EXISTS of a table that is there. MariaDB 10.1.23 and 10.2.11 do,
            10.11.18 and 11.8.9 do not: there it is left open.
    """

    ignorable: bool
    gtids: bool
    anonymous: Anonymous
    checks_begin: ChecksBegin
    skips_with_gtids: bool
    read_failure: int
    incident: int
    until_at_own: Compared = Compared.NOTHING
    until_at_zero: Compared = Compared.OF_EVENT
    incidents_apart: bool = False
    format_renews: bool = False
    logs_existing: bool = True


_RELAY_LOG_READ_FAILURE: Final = 1594
_INCIDENT: Final = 1590
_OLD: Final = ReplicaRules(False, False, Anonymous.UNKNOWN, ChecksBegin.NEVER, True, _RELAY_LOG_READ_FAILURE, _INCIDENT)
_FIRST_GTIDS: Final = ReplicaRules(
    True, True, Anonymous.STOPS, ChecksBegin.NEVER, False, _RELAY_LOG_READ_FAILURE, _INCIDENT
)
_5_7: Final = replace(_FIRST_GTIDS, until_at_own=Compared.OF_GROUP, until_at_zero=Compared.OF_GROUP)
_ALWAYS_GTIDS: Final = replace(
    _5_7, anonymous=Anonymous.OPENS_GROUP, checks_begin=ChecksBegin.AT_FIRST, format_renews=True
)
_NEW: Final = replace(
    _ALWAYS_GTIDS, skips_with_gtids=True, read_failure=13121, incident=13119, until_at_own=Compared.OF_EVENT
)
#: The worklog to the letter: the check holds for each BEGIN, and only the server id 0 is exempt.
_TO_THE_LETTER: Final = replace(
    _ALWAYS_GTIDS, checks_begin=ChecksBegin.ALWAYS, until_at_own=Compared.OF_EVENT, until_at_zero=Compared.NOTHING
)
#: MariaDB has GTIDs of its own and takes MySQL's Gtid events for ignorable ones.
_MARIADB: Final = ReplicaRules(
    True,
    False,
    Anonymous.IGNORED,
    ChecksBegin.NEVER,
    True,
    _RELAY_LOG_READ_FAILURE,
    _INCIDENT,
    logs_existing=False,
)
#: WL#7592, Cross-version compatibility; WL#4033, Cross-version.
REPLICA_RULES: Final = ByVersion(
    "the rules of replicas",
    {
        "worklog": _TO_THE_LETTER,
        "mysql": _OLD,
        "mysql >= 5.6": _FIRST_GTIDS,
        "mysql >= 5.6.22": replace(_FIRST_GTIDS, anonymous=Anonymous.IGNORED),
        "mysql >= 5.7": _5_7,
        "mysql >= 5.7.6": _ALWAYS_GTIDS,
        "mysql >= 8.0": _NEW,
        # From here on an applier has four workers by default.
        "mysql >= 8.0.27": replace(_NEW, incidents_apart=True, format_renews=False),
        "mariadb": _MARIADB,
    },
)


def replica_rules(profile: str, version: str = "") -> ReplicaRules:
    """Return what a replica does.

    Args:
        profile: Whose rules hold.
        version: The replica's version if it is not the default one of the profile.

    Raises:
        ValueError: There is no such profile, or the text is not a version.
    """
    rules = REPLICA_RULES[profile]
    if not version or rules is _MARIADB:
        return rules
    numbers = version_tuple(version)
    if numbers == (0, 0, 0):
        raise ValueError(f"{version!r} is not a valid server version: write MAJOR.MINOR.PATCH")
    return REPLICA_RULES.at("mysql", numbers)


@dataclass(frozen=True, slots=True)
class Pairing:
    """One row of the cross-version table of WL#4033: a source and a replica, patched with it or not.

    Attributes:
        new_source: The source can write ignorable events.
        new_replica: The replica skips those that it does not know.
        breaks: Replication breaks if the stream contains an ignorable event.
        workaround: How to keep it running nevertheless.
    """

    new_source: bool
    new_replica: bool
    breaks: bool
    workaround: str = ""


#: WL#4033, Cross-version replication impact, 1 to 4.
PAIRINGS: Final = (
    Pairing(True, False, True, "leave the option for logging ignorable events off"),
    Pairing(False, True, False),
    Pairing(True, True, False),
    Pairing(False, False, False),
)


def replicates(*, new_source: bool, new_replica: bool, logs_ignorable: bool) -> bool:
    """Return whether replication continues between a source and a replica, patched with WL#4033 or not.

    Args:
        new_source: Whether the source can write ignorable events.
        new_replica: Whether the replica skips those that it does not know.
        logs_ignorable: Whether the source's option for logging ignorable events is on.
    """
    pairing = next(each for each in PAIRINGS if (each.new_source, each.new_replica) == (new_source, new_replica))
    return not (pairing.breaks and logs_ignorable)
