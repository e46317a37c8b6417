"""The gtid_modes with which servers send and receive a stream: one of its groups may be forbidden in a mode."""

from collections.abc import Iterable
from typing import Final

from conformance.models.sender.sender import REFUSED
from conformance.specs.versions import ByVersion

#: The gtid_modes of servers; those that suit either kind of group are tried last.
_GTID_MODES: Final = ByVersion(
    "the gtid_modes of servers",
    {
        "worklog": ("ON", "OFF", "ON_PERMISSIVE", "OFF_PERMISSIVE"),
        "mysql": ("OFF",),
        "mysql >= 5.6": ("ON", "OFF"),
        "mysql >= 5.7": ("ON", "OFF", "ON_PERMISSIVE", "OFF_PERMISSIVE"),
        "mariadb": ("OFF",),
    },
)


def suitable_modes(profile: str, types: Iterable[int]) -> tuple[str, ...]:
    """Return the gtid_modes of a profile's servers in which no event is forbidden.

    A source refuses to send what its own mode forbids. So does a receiver: MySQL 5.6.24 and 5.7.22 stop with error 1595
    at a Gtid event with gtid_mode=OFF, 5.7.22 at an Anonymous_gtid event with gtid_mode=ON. MariaDB has no such mode.

    Args:
        profile: The servers' profile.
        types: The type codes of the events.
    """
    present = frozenset(types)
    modes = _GTID_MODES[profile]
    return tuple(each for each in modes if not present & REFUSED.get(each, frozenset())) or modes
