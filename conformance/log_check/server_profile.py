"""The profile whose rules a server's log is judged by."""

from typing import Final

from conformance.binlog.format_description import version_tuple

#: First version -> profile, newest first. 5.0 and the alphas before 5.5 are judged as 5.1; WL#7592 came with 5.7.6, so
#: the earlier 5.7 are judged as 5.6; 8.1 and 8.2 still log as 8.0, and tagged GTIDs came with 8.3.
_MYSQL: Final = (
    ((9, 0, 0), "mysql-9.x"),
    ((8, 3, 0), "mysql-8.4"),
    ((8, 0, 0), "mysql-8.0"),
    ((6, 0, 0), "mysql-5.5"),
    ((5, 7, 6), "mysql-5.7"),
    ((5, 6, 0), "mysql-5.6"),
    ((5, 5, 0), "mysql-5.5"),
    ((5, 0, 0), "mysql-5.1"),
)
_MARIADB: Final = (
    ((11, 0, 0), "mariadb-11.x"),
    ((5, 1, 0), "mariadb-10.x"),
)


def profile_of(server_version: str) -> str | None:
    """Return the profile of a server by the version in its format description; None if that is not a version."""
    table = _MARIADB if "MariaDB" in server_version else _MYSQL
    version = version_tuple(server_version)
    return next((profile for first, profile in table if version >= first), None)
