"""What the replicas of each version write into their relay logs: a table by version (WL#7592, WL#4033).

Sources: the worklogs for `worklog`; the relay logs that MySQL 5.5.9, 5.6.24, 5.7.22, 8.0.15 and 9.7.4 and MariaDB
10.1.23, 10.2.11, 10.11.18, 11.4.5 and 11.8.6 wrote from sources of MySQL 5.5 to 8.0.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from conformance.binlog.event_types import EventType
from conformance.binlog.flags import Flag
from conformance.specs.versions import ByVersion

_RELAY_LOG: Final = int(Flag.RELAY_LOG)
_IGNORABLE: Final = int(Flag.IGNORABLE)


class OwnGtids(Enum):
    """When a relay log begins with a Previous_gtids event made by the replica."""

    ALWAYS = "always"
    WITH_GTID_MODE = "with gtid_mode=ON"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class RelayRules:
    """The properties of the relay logs of a profile's replica.

    Attributes:
        previous_gtids: When they begin with a Previous_gtids event.
        replaces_previous_gtids: A Previous_gtids event of the source is replaced; older servers do not know it.
        retrieves_at_end: A GTID counts as retrieved when its transaction is complete, not only when the next begins.
        own_id_zero: Every event that the replica makes has the server id 0, as in the worklog; servers use 0 only
            for the Rotate that replaces a skipped event.
        format_flags: The flags of the replica's own format description.
        gtids_flags: Those of its own Previous_gtids event.
        counts_replacements: The end position of the Rotate in the place of a skipped event counts in the relay log.
        stamps_rotates: The Rotate with which a source begins its next log within a connection gets the replica's time.
        keeps_format: The source's format description is renewed in the next relay log also after a Rotate, before that
            of the source's next log has come: so do 8.0.15 and 9.7.4, but not 5.7.22, MariaDB 10.1.23 and 11.8.9.
        leaves_out: Types of events that are not written, and nothing in their place.
        leaves_out_ignorable: The same for every event with the ignorable flag.
    """

    previous_gtids: OwnGtids
    replaces_previous_gtids: bool = True
    retrieves_at_end: bool = True
    own_id_zero: bool = False
    format_flags: int = _RELAY_LOG
    gtids_flags: int = _RELAY_LOG | _IGNORABLE
    counts_replacements: bool = False
    stamps_rotates: bool = False
    keeps_format: bool = False
    leaves_out: frozenset[int] = frozenset()
    leaves_out_ignorable: bool = False


#: MySQL's events for which MariaDB has no use, whatever their flags.
_LEFT_OUT_BY_MARIADB: Final = frozenset(
    {
        int(EventType.GTID),
        int(EventType.ANONYMOUS_GTID),
        int(EventType.PREVIOUS_GTIDS),
        int(EventType.TRANSACTION_CONTEXT),
        int(EventType.VIEW_CHANGE),
    }
)
_MARIADB: Final = RelayRules(
    OwnGtids.NEVER, counts_replacements=True, leaves_out=_LEFT_OUT_BY_MARIADB, leaves_out_ignorable=True
)
_MARIADB_10: Final = replace(_MARIADB, stamps_rotates=True)
_FIRST_MARIADB: Final = replace(
    _MARIADB_10, format_flags=0, leaves_out=_LEFT_OUT_BY_MARIADB | {int(EventType.XA_PREPARE)}
)


RELAY_RULES: Final = ByVersion(
    "the rules of relay logs",
    {
        "worklog": RelayRules(OwnGtids.ALWAYS, own_id_zero=True),
        "mysql": RelayRules(OwnGtids.NEVER, replaces_previous_gtids=False, format_flags=0, stamps_rotates=True),
        "mysql >= 5.6": RelayRules(
            OwnGtids.WITH_GTID_MODE,
            retrieves_at_end=False,
            gtids_flags=_RELAY_LOG,
            counts_replacements=True,
            stamps_rotates=True,
        ),
        "mysql >= 5.7": RelayRules(OwnGtids.ALWAYS, counts_replacements=True, stamps_rotates=True),
        "mysql >= 8.0": RelayRules(OwnGtids.ALWAYS, keeps_format=True),
        "mariadb": _FIRST_MARIADB,
        # 10.2.11 does as 10.1.23, 10.11.18 as all later ones; the servers between them are not known.
        "mariadb >= 10.11": _MARIADB_10,
        "mariadb >= 11.0": _MARIADB,
    },
)
