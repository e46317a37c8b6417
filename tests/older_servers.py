"""Logs that servers of MySQL 5.5 to 8.0 and of MariaDB 10.1 and 11.4 wrote, with what they and their tools print.

They are in ``older-servers/logs`` of the ground truth, in one folder for each server and scenario: the binary logs,
``*.events.tsv`` with the server's SHOW BINLOG EVENTS, ``*.vv.txt`` with ``mysqlbinlog -vv`` of 9.7.4 or
``mariadb-binlog -vv`` of 10.11.18.
"""

from dataclasses import dataclass
from pathlib import Path

#: The folders of servers, and how many logs each has; ``-gtid`` has gtid_mode=ON. VERSION has the server's version.
SERVERS = {
    "mariadb101": 49,
    "mariadb114": 50,
    "mysql55": 40,
    "mysql56": 47,
    "mysql56-gtid": 49,
    "mysql57": 55,
    "mysql80-gtid": 50,
}


@dataclass(frozen=True)
class OlderLog:
    """A log of an older server, by the name ``SERVER/SCENARIO/FILE``, with the files beside it."""

    name: str
    path: Path

    @property
    def listing(self) -> Path:
        """What the server lists; the log after a crash has none."""
        return self.path.with_name(f"{self.path.name}.events.tsv")

    @property
    def text(self) -> Path:
        """What the printing program prints; a long log has none."""
        return self.path.with_name(f"{self.path.name}.vv.txt")


def logs_of(ground_truth: Path, server: str) -> list[OlderLog]:
    """Return the logs of one server."""
    folder = ground_truth / "older-servers" / "logs"
    paths = sorted(each for each in (folder / server).rglob("*bin.*") if each.suffix[1:].isdigit())
    return [OlderLog(str(each.relative_to(folder)), each) for each in paths]


def version_of_server(ground_truth: Path, server: str) -> str:
    """Return what SELECT VERSION() gives on a server."""
    path = ground_truth / "older-servers" / "logs" / server / "VERSION"
    return path.read_text(encoding="utf-8").splitlines()[0]
