"""The profile whose rules a server's log is judged by."""

from typing import Final

from conformance.binlog.format_description import version_tuple
from conformance.specs.profiles import PROFILES

#: The oldest version with logs of format 4.
_FIRST: Final = (5, 0, 0)
#: The alphas of a version that was never released are judged as what took its place.
_GIVEN_UP: Final = {6: (5, 5, 0)}


def profile_of(server_version: str) -> str | None:
    """Return the profile of a server by the version in its format description; None if that is not a version.

    It is the server's release. A release that no profile has is judged by the newest profile that begins before it, or
    by the oldest one.
    """
    product = "mariadb" if "MariaDB" in server_version else "mysql"
    version = version_tuple(server_version)
    if version < _FIRST:
        return None
    begun = _GIVEN_UP.get(version[0], version)
    series = [each for each in PROFILES.values() if each.product == product]
    profile = next((each for each in reversed(series) if each.first <= begun), series[0])
    if not profile.first <= version <= profile.last:
        return profile.name
    return f"{product}-{'.'.join(map(str, version))}"
