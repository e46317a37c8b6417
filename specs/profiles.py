"""The profiles: whose rules hold in a case."""

from typing import Final

#: Every profile, oldest server first; `worklog` is the five texts to the letter.
PROFILES: Final = (
    "worklog",
    "mysql-5.1",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-5.7",
    "mysql-8.0",
    "mysql-8.4",
    "mysql-9.x",
    "mariadb-10.x",
    "mariadb-11.x",
)
