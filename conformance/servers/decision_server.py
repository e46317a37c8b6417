"""Statements run on a real server, with its messages and its log: the observable logging decision."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pymysql

from conformance.binlog.event import Event
from conformance.binlog.event_types import EventType
from conformance.binlog.header import MAGIC
from conformance.binlog.reader import read_events
from conformance.binlog.rows.images import rows_kind
from conformance.models.decision.capability import BOTH, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.decision import Mode, Safety
from conformance.models.decision.engines import open_table
from conformance.models.decision.locked_table import LockedTable
from conformance.servers.products import Product
from conformance.servers.real_server import RealServer
from conformance.specs.versions import Profiles

#: The warning that a statement is logged unsafely.
UNSAFE: Final = 1592
_DATABASE: Final = "decisions"
#: The database with the rows of FEDERATED tables, which is not logged.
_REMOTE: Final = "elsewhere"

#: The plugins with engines of MariaDB; not all packages bring them.
_PLUGINS: Final = ("ha_archive", "ha_blackhole", "ha_federatedx")
#: The plugin with MySQL's only engine that can log statements alone.
_EXAMPLE: Final = "ha_example"


def options_of(product: Product) -> list[str]:
    """Return the options with which a server has all engines that its package brings."""
    options = [f"--binlog-ignore-db={_REMOTE}", f"--{UNREPLICATED.replace('_', '-')}=ON"]
    if product.is_mariadb:
        plugins = [each for each in _PLUGINS if (product.plugins / f"{each}.so").exists()]
        return [*options, "--plugin-maturity=unknown", *(f"--plugin-load-add={each}" for each in plugins)]
    if product.dialect.gtid_modes != "none":
        # With GTIDs, writing to transactional and other tables in one statement is an error of its own.
        options += ["--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]
    if (product.plugins / f"{_EXAMPLE}.so").exists():
        options.append(f"--plugin-load-add=example={_EXAMPLE}.so")
    # An option of an engine that the package may lack.
    return [*options, "--loose-federated"]


#: Kind of table -> the definition after CREATE TABLE and the name; {child} and {remote} are its underlying tables.
KINDS: Final = {
    "innodb": "(a INT NOT NULL) ENGINE=InnoDB",
    "myisam": "(a INT NOT NULL) ENGINE=MyISAM",
    "memory": "(a INT NOT NULL) ENGINE=MEMORY",
    "csv": "(a INT NOT NULL) ENGINE=CSV",
    "archive": "(a INT NOT NULL) ENGINE=ARCHIVE",
    "blackhole": "(a INT NOT NULL) ENGINE=BLACKHOLE",
    "merge": "(a INT NOT NULL) ENGINE=MERGE UNION=({child}) INSERT_METHOD=LAST",
    "federated": "(a INT NOT NULL) ENGINE=FEDERATED CONNECTION='{remote}'",
    "example": "(a INT NOT NULL) ENGINE=EXAMPLE",
    "aria": "(a INT NOT NULL) ENGINE=Aria",
    "partition": "(a INT NOT NULL) ENGINE=InnoDB PARTITION BY HASH (a) PARTITIONS 2",
}
#: The database, and engine, whose tables exist and can be updated but are not replicated.
UNREPLICATED: Final = "performance_schema"
#: The servers that a row injection into a MERGE table kills: 5.5.9 and 5.6.24.
KILLED_BY_MERGE: Final = Profiles("mysql < 5.7")
#: Kinds whose tables never have rows.
EMPTY: Final = frozenset({"blackhole", "example"})
#: Kinds whose tables are InnoDB's.
INNODB: Final = frozenset({"innodb", "partition"})

ISOLATIONS: Final = ("REPEATABLE READ", "READ COMMITTED")


def locked_table(kind: str, isolation: str, *, written: bool = True) -> LockedTable:
    """Return a table as the model sees it: at READ COMMITTED, InnoDB can log rows only; EXAMPLE statements only."""
    limited = kind in INNODB and isolation == "READ COMMITTED"
    capability: Capability = STATEMENT_ONLY if kind == "example" else ROW_ONLY if limited else BOTH
    return open_table(kind, capability, written=written)


@dataclass(frozen=True, slots=True)
class Run:
    """One statement on one server.

    Attributes:
        safety: The kind of statement.
        mode: ``binlog_format``.
        isolation: The transaction's isolation level.
        written: The kinds of the written tables.
        read: The kind of the table that was only read, or None.
        logging: ``sql_log_bin``.
    """

    safety: Safety
    mode: Mode
    isolation: str
    written: tuple[str, ...]
    read: str | None = None
    logging: bool = True

    @property
    def tables(self) -> list[LockedTable]:
        """The tables as the model sees them."""
        tables = [locked_table(kind, self.isolation) for kind in self.written]
        if self.read is not None:
            tables.append(locked_table(self.read, self.isolation, written=False))
        return tables


def transactional(product: Product) -> frozenset[str]:
    """Return the kinds of table that a server takes for transactional."""
    return INNODB | ({"blackhole", "federated"} if product.is_mariadb else {"blackhole", "example"})


def mixes_at_read_committed(run: Run, product: Product) -> bool:
    """Return whether a server classifies a safe statement as unsafe, for its tables.

    At READ COMMITTED it writes a table that is not transactional, and uses one that is.
    """
    kinds = {*run.written, *([run.read] if run.read else [])}
    return (
        run.logging
        and run.safety == "safe"
        and run.isolation == "READ COMMITTED"
        and not transactional(product).isdisjoint(kinds)
        and not transactional(product).issuperset(run.written)
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The observed decision of a server.

    Attributes:
        format: How the statement is logged: ``row``, ``statement``, both with a plus, or None.
        code: The number of the error, or of the warning that logging is unsafe; None for neither.
    """

    format: str | None
    code: int | None


class DecisionServer:
    """A running server with a table of every kind that it has.

    Args:
        server: The server, started with the options above.
    """

    def __init__(self, server: RealServer) -> None:
        self._server = server
        self._session = server.connect()
        self._unlogged = server.connect()
        self._run_unlogged("SET SESSION sql_log_bin = 0", f"CREATE DATABASE {_DATABASE}", f"CREATE DATABASE {_REMOTE}")
        self._run_unlogged(f"USE {_DATABASE}")
        self._run(f"USE {_DATABASE}")
        self._run_unlogged("CREATE TABLE quiet (a INT) ENGINE=MyISAM")
        self.kinds = tuple(kind for kind in KINDS if self._can_create(kind))
        self._injections = {count: self._injection(count) for count in (1, 2)}

    def close(self) -> None:
        """End the sessions."""
        self._session.close()
        self._unlogged.close()

    def _run(self, *statements: str) -> list[tuple[Any, ...]]:
        return _execute(self._session, statements)

    def _run_unlogged(self, *statements: str) -> list[tuple[Any, ...]]:
        return _execute(self._unlogged, statements)

    def _can_create(self, kind: str) -> bool:
        """Create a table of a kind, and return whether the server has it and rows can be inserted."""
        engine = "InnoDB" if kind == "partition" else {"merge": "MRG_MYISAM"}.get(kind, kind)
        rows = self._run_unlogged("SHOW ENGINES")
        if not any(name.lower() == engine.lower() and support in ("YES", "DEFAULT") for name, support, *_ in rows):
            return False
        self.make("t1", kind)
        self._run_unlogged("INSERT INTO t1 VALUES (1)", "DROP TABLE t1")
        return True

    def make(self, name: str, kind: str) -> None:
        """Create a table of a kind in place of an existing one, without logging anything."""
        child, remote = f"{name}_child", f"{_REMOTE}.{name}"
        self._run_unlogged(f"DROP TABLE IF EXISTS {name}, {child}, {remote}")
        if kind == "merge":
            self._run_unlogged(f"CREATE TABLE {child} {KINDS['myisam']}")
        if kind == "federated":
            self._run_unlogged(
                f"CREATE TABLE {remote} {KINDS['myisam']}",
                "DROP SERVER IF EXISTS here",
                "CREATE SERVER here FOREIGN DATA WRAPPER mysql OPTIONS "
                f"(HOST 'localhost', USER 'root', SOCKET '{self._server.socket}', DATABASE '{_REMOTE}')",
            )
        self._run_unlogged(f"CREATE TABLE {name} " + KINDS[kind].format(child=child, remote=f"here/{name}"))

    def make_writing(self, kinds: tuple[str, ...]) -> None:
        """Create the tables t1, t2, ... of some kinds; a row inserted into t1 changes each of the others too."""
        also = ""
        for number, kind in enumerate(kinds, start=1):
            if kind == UNREPLICATED:
                also += f"UPDATE {UNREPLICATED}.setup_consumers SET enabled = 'YES' WHERE name = 'statements_digest'; "
                continue
            self.make(f"t{number}", kind)
            also += f"INSERT INTO t{number} VALUES (7); " if number > 1 else ""
        if also and kinds != (UNREPLICATED,):
            self._run_unlogged(f"CREATE TRIGGER also AFTER INSERT ON t1 FOR EACH ROW BEGIN {also} END")

    def make_tables(self, run: Run) -> None:
        """Create the tables that a run writes and reads."""
        self.make_writing(run.written)
        if run.read not in (None, UNREPLICATED):
            self.make("r", run.read)

    def _injection(self, count: int) -> str:
        """Return a BINLOG statement with this server's own events, which inserts a row into each of t1, t2, ..."""
        self.make_writing(("innodb",) * count)
        self._run("SET SESSION binlog_format = 'ROW'")
        events = self._logged(lambda: self._run("INSERT INTO t1 VALUES (1)"))
        rows = [each.data for each in events if each.header.type == EventType.TABLE_MAP or _has_rows(each)]
        whole = b"".join((self._description().data, *rows))
        return f"BINLOG '{base64.b64encode(whole).decode()}'"

    def rows(self) -> int:
        """Return the number of rows in the table t1."""
        return int(self._run_unlogged("SELECT COUNT(*) FROM t1")[0][0])

    def run(self, run: Run) -> Outcome:
        """Run a statement on the current tables, and return the outcome."""
        self._run(
            f"SET SESSION binlog_format = '{run.mode.upper()}'",
            f"SET SESSION TRANSACTION ISOLATION LEVEL {run.isolation}",
            f"SET SESSION sql_log_bin = {int(run.logging)}",
            # Warnings remain until a statement uses a table, and in MariaDB BINLOG is not such a statement.
            "SELECT * FROM quiet",
        )
        codes: list[int] = []

        def execute() -> None:
            try:
                self._run(self._statement(run))
            except pymysql.err.MySQLError as error:
                codes.append(error.args[0])
            else:
                codes.extend(code for _, code, _ in self._run("SHOW WARNINGS") if code == UNSAFE)

        events = list(self._logged(execute))
        return Outcome(_format_of(events), codes[0] if codes else None)

    def _statement(self, run: Run) -> str:
        if run.safety == "row-injection":
            return self._injections[len(run.written)]
        if run.written == (UNREPLICATED,):
            return f"UPDATE {UNREPLICATED}.setup_consumers SET enabled = IF(LENGTH(UUID()) > 0, 'YES', 'NO')"
        if run.read is not None:
            value = "COUNT(*)" if run.safety == "safe" else "COUNT(*) + LENGTH(UUID())"
            source = f"{UNREPLICATED}.setup_consumers" if run.read == UNREPLICATED else "r"
            return f"INSERT INTO t1 SELECT {value} FROM {source}"
        return "INSERT INTO t1 VALUES (1)" if run.safety == "safe" else "INSERT INTO t1 VALUES (LENGTH(UUID()))"

    def _place(self) -> tuple[str, int]:
        file, position, *_ = self._run_unlogged(self._server.product.dialect.log_status)[0]
        return file, position

    def _description(self) -> Event:
        with (self._server.data / self._place()[0]).open("rb") as log:
            return next(iter(read_events(log.read(4096))))

    def _logged(self, call: Callable[[], Any]) -> Iterator[Event]:
        """Return the events that a call adds to the log."""
        file, start = self._place()
        call()
        after, end = self._place()
        assert file == after
        with (self._server.data / file).open("rb") as log:
            log.seek(start)
            written = log.read(end - start)
        description = self._description()
        events = read_events(MAGIC + description.data + written)
        next(events)
        return events


def _execute(session: "pymysql.connections.Connection[Any]", statements: tuple[str, ...]) -> list[tuple[Any, ...]]:
    with session.cursor() as cursor:
        for each in statements:
            cursor.execute(each)
        return list(cursor.fetchall())


def _has_rows(event: Event) -> bool:
    return rows_kind(event.header.type) is not None


def _format_of(events: list[Event]) -> str | None:
    """Return how events hold a statement: as rows, as text, both, or not at all."""
    rows = any(_has_rows(each) for each in events)
    texts = [each.fields()["query"] for each in events if each.header.type == EventType.QUERY]
    statement = any(text.startswith((b"INSERT", b"UPDATE")) for text in texts)
    formats = [name for name, is_present in (("row", rows), ("statement", statement)) if is_present]
    return "+".join(formats) or None
