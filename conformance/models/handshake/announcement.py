"""What replicas announce to a source before they ask for events: a table by version.

Source: the connections of MySQL 5.5.9, 5.6.24, 5.7.22, 8.0.15 and 9.7.4 and of MariaDB 10.1.23, 10.2.11, 10.11.18,
11.4.5 and 11.8.6 to each other.
"""

from dataclasses import dataclass, replace
from typing import Final

from conformance.specs.versions import ByVersion

#: The capability of a replica that understands MariaDB's own events, Gtid events among them.
CAPABILITY_GTID: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What a replica announces.

    Attributes:
        checksums: It announces which checksums it takes; a source with others refuses one that does not.
        gtid_mode: It asks for the source's gtid_mode.
        capability: Its value of mariadb_slave_capability; 0 if it sets none.
        annotate_rows: It asks for Annotate_rows events.
        heartbeat_v2: It asks for heartbeats of the second version.
    """

    checksums: bool = True
    gtid_mode: bool = True
    capability: int = 0
    annotate_rows: bool = False
    heartbeat_v2: bool = False


_MARIADB: Final = Announcement(gtid_mode=False, capability=CAPABILITY_GTID)
ANNOUNCEMENTS: Final = ByVersion(
    "what replicas announce",
    {
        "worklog": Announcement(),
        "mysql": Announcement(checksums=False, gtid_mode=False),
        "mysql >= 5.6": Announcement(),
        "mysql >= 9.0": Announcement(heartbeat_v2=True),
        "mariadb": _MARIADB,
        # The default of replicate_annotate_row_events changed in 10.2.
        "mariadb >= 10.2": replace(_MARIADB, annotate_rows=True),
    },
)
