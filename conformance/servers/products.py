"""The servers that `provision.sh` unpacks: their exact versions, and how each version is started and spoken to.

A row of the table of dialects holds from its version until the next row of the product.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from conformance.specs.profiles import Profile, profile_named
from conformance.specs.versions import ByVersion

#: The variable that names the folder of unpacked servers.
VARIABLE: Final = "BINLOG_SERVERS"
#: The variable with the names of those that are tested, with spaces between them; all of them if it is unset or empty.
NAMES: Final = "BINLOG_SERVER_NAMES"

#: Name -> exact version, as a profile. What Debian updates is a new version here too.
SERVERS: Final = {
    "mysql55": "mysql-5.5.9",
    "mysql56": "mysql-5.6.24",
    "mysql57": "mysql-5.7.22",
    "mysql80": "mysql-8.0.15",
    "mysql": "mysql-9.7.4",
    "mariadb101": "mariadb-10.1.23",
    "mariadb102": "mariadb-10.2.11",
    "mariadb1011": "mariadb-10.11.18",
    "mariadb114": "mariadb-11.4.5",
    "mariadb118": "mariadb-11.8.9",
}

#: How a data folder is made: a copy of a shipped one, by the scripts of the system tables, by the server's own option.
DataFolder = Literal["shipped", "scripts", "initialize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How the servers of one version on are started and spoken to.

    Attributes:
        data_folder: How a data folder is made.
        scripts: The scripts of the system tables, in order; a name is tried with each of `script_stems` before it.
        options: The options that keep a server small and off the network.
        gtid_modes: Whether it has gtid_mode: not at all, at the start only, or while it runs.
        checksums: Whether it has binlog_checksum.
        rows_queries: Whether it has binlog_rows_query_log_events.
        uuid: Whether it has a UUID.
        replica: What statements call a replica, and columns at their beginning.
        source: What statements call a source, in capital letters, and columns.
        change_source: The statement that names the source, as far as its options.
        reset_replica: The statement that makes a replica forget its source.
        reset_logs: The statement that removes all binary logs and begins the first.
        log_status: The statement that shows the current binary log and its end.
    """

    data_folder: DataFolder
    scripts: tuple[str, ...] = ()
    options: tuple[str, ...]
    gtid_modes: Literal["none", "at the start", "running"]
    checksums: bool = True
    rows_queries: bool
    uuid: bool
    replica: str
    source: str
    change_source: str
    reset_replica: str
    reset_logs: str
    log_status: str

    @property
    def replica_column(self) -> str:
        """The beginning of the names of columns about a replica."""
        return self.replica.capitalize()

    @property
    def source_column(self) -> str:
        """The name of the source in columns."""
        return self.source.capitalize()


_SMALL: Final = (
    "--skip-networking",
    "--innodb-buffer-pool-size=64M",
    "--innodb-flush-log-at-trx-commit=2",
    "--sync-binlog=0",
)
_5_5: Final = Dialect(
    data_folder="shipped",
    options=(*_SMALL, "--performance-schema"),
    gtid_modes="none",
    checksums=False,
    rows_queries=False,
    uuid=False,
    replica="SLAVE",
    source="MASTER",
    change_source="CHANGE MASTER TO",
    reset_replica="RESET SLAVE",
    reset_logs="RESET MASTER",
    log_status="SHOW MASTER STATUS",
)
_5_6: Final = replace(
    _5_5,
    data_folder="scripts",
    scripts=("system_tables", "system_tables_data"),
    options=(*_SMALL, "--secure-file-priv=", "--innodb-log-file-size=8M", "--log-slave-updates"),
    gtid_modes="at the start",
    checksums=True,
    rows_queries=True,
    uuid=True,
    reset_replica="RESET SLAVE ALL",
)
_5_7: Final = replace(_5_6, data_folder="initialize", scripts=(), gtid_modes="running")
_8_0: Final = replace(_5_7, options=("--mysqlx=OFF", *_5_7.options))
_9_0: Final = replace(
    _8_0,
    options=("--mysqlx=OFF", *_SMALL, "--secure-file-priv=", "--innodb-redo-log-capacity=8M"),
    replica="REPLICA",
    source="SOURCE",
    change_source="CHANGE REPLICATION SOURCE TO",
    reset_replica="RESET REPLICA ALL",
    reset_logs="RESET BINARY LOGS AND GTIDS",
    log_status="SHOW BINARY LOG STATUS",
)
_MARIADB: Final = replace(
    _5_6,
    scripts=("system_tables", "performance_tables", "system_tables_data"),
    # Up to 10.2 it writes neither of them by default.
    options=(*_5_6.options, "--binlog-annotate-row-events=ON", "--binlog-checksum=CRC32"),
    gtid_modes="none",
    rows_queries=False,
    uuid=False,
)
#: Otherwise it makes a key for TLS at each start, which may take a minute on a busy machine.
_MARIADB_11: Final = replace(_MARIADB, options=(*_MARIADB.options, "--skip-ssl"))
#: By the versions at hand: 8.0.15 is the last one that speaks of slaves and masters.
DIALECTS: Final = ByVersion(
    "the dialects of servers",
    {
        "worklog": None,
        "mysql": _5_5,
        "mysql >= 5.6": _5_6,
        "mysql >= 5.7": _5_7,
        "mysql >= 8.0": _8_0,
        "mysql >= 9.0": _9_0,
        "mariadb": _MARIADB,
        "mariadb >= 11.0": _MARIADB_11,
    },
)


@dataclass(frozen=True, slots=True)
class Product:
    """An unpacked server.

    Attributes:
        name: The name of its folder, as `provision.sh` gives it: a key of `SERVERS`.
        folder: That folder, with the programs in ``bin``.
    """

    name: str
    folder: Path

    @property
    def profile(self) -> Profile:
        """Its exact version."""
        return profile_named(SERVERS[self.name])

    @property
    def dialect(self) -> Dialect:
        """How it is started and spoken to."""
        dialect = DIALECTS[self.profile.name]
        assert dialect is not None, "a real server has a dialect"
        return dialect

    @property
    def is_mariadb(self) -> bool:
        """Whether it is MariaDB."""
        return self.profile.product == "mariadb"

    @property
    def server_program(self) -> Path:
        """The server's program."""
        return self.folder / "bin" / ("mariadbd" if self.is_mariadb else "mysqld")

    @property
    def reader_program(self) -> Path:
        """The program that prints binary logs, which not every package brings."""
        return self.folder / "bin" / ("mariadb-binlog" if self.is_mariadb else "mysqlbinlog")

    @property
    def tree(self) -> Path:
        """The ``usr`` folder of its packages."""
        return self.folder / "root" / "usr"

    @property
    def share(self) -> Path:
        """The folder of its messages and character sets."""
        return self.tree / "share" / ("mariadb" if self.is_mariadb else "mysql")

    @property
    def plugins(self) -> Path:
        """The folder of its plugins."""
        return self.tree / "lib" / "mysql" / "plugin"

    @property
    def template(self) -> Path:
        """The data folder that is shipped with it, if one is."""
        return self.folder / "template"

    def script(self, name: str) -> Path:
        """Return the path of a script of the system tables; before MariaDB 11 its name begins with ``mysql``."""
        folders = (self.share, self.tree / "share" / "mysql")
        paths = [folder / f"{stem}_{name}.sql" for folder in folders for stem in ("mariadb", "mysql")]
        return next(path for path in paths if path.exists())

    def base_options(self) -> list[str]:
        """Return the options that every run of its server needs."""
        options = ["--no-defaults", f"--basedir={self.tree}", f"--character-sets-dir={self.share / 'charsets'}"]
        options.append(f"--lc-messages-dir={self.share}")
        options.append(f"--plugin-dir={self.plugins}")
        if os.geteuid() == 0:
            options.append("--user=root")
        return options


def chosen_names() -> list[str]:
    """Return the names of the servers that are tested, whether they are unpacked or not.

    Raises:
        ValueError: `NAMES` has a name that is not of a server.
    """
    chosen = os.environ.get(NAMES, "").split()
    unknown = [each for each in chosen if each not in SERVERS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} in {NAMES} is not a server: write names of {', '.join(SERVERS)}")
    return [each for each in SERVERS if not chosen or each in chosen]


def products() -> dict[str, Product]:
    """Return the unpacked servers that are tested, by name; empty if `VARIABLE` is unset."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return {}
    unpacked = (Product(each, Path(folder) / each) for each in chosen_names())
    return {each.name: each for each in unpacked if each.server_program.exists()}
