"""Bits of the flags word, two bytes at offset 17 of the common header."""

from enum import IntFlag


class Flag(IntFlag):
    """The flags that servers set; bits without a name are unused."""

    BINLOG_IN_USE = 0x0001
    FORCED_ROTATE = 0x0002
    THREAD_SPECIFIC = 0x0004
    SUPPRESS_USE = 0x0008
    UPDATE_TABLE_MAP_VERSION = 0x0010
    ARTIFICIAL = 0x0020
    RELAY_LOG = 0x0040
    IGNORABLE = 0x0080
    NO_FILTER = 0x0100
    MTS_ISOLATE = 0x0200
    MARIADB_ACCEPT_OWN = 0x4000
    MARIADB_SKIP_REPLICATION = 0x8000


def flag_names(flags: int) -> str:
    """Return the names of the bits that are set, joined by ``|``; a bit without a name as hex."""
    named = [flag.name or "" for flag in Flag if flags & flag]
    rest = flags & ~sum(Flag)
    return "|".join([*named, *([f"{rest:#06x}"] if rest else [])]) or "0"
