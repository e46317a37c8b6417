"""The statements that clients send before they replicate, and their answers.

They are those of the replicas and the programs of MySQL 5.5 to 9.7 and MariaDB 10.1 to 11.8, and of connectors.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.wire.messages import WireError
from conformance.wire.source import Client, Source
from conformance.wire.variables import variables_of

_PARSE_ERROR: Final = 1064
_UNKNOWN_VARIABLE: Final = 1193
#: The least and the most seconds between two heartbeats that a replica can ask for.
_LEAST_PERIOD: Final = 0.001
_MOST_PERIOD: Final = 4294967.0
#: A capability of MariaDB's replicas, of which there are five.
_CAPABILITY: Final = re.compile(r"[0-9]{1,9}")
#: The words by which servers older and newer than 8.2 ask where the last log ends.
_WITH_MASTER_STATUS: Final = Profiles("worklog", "mysql < 8.4", "mariadb")
_WITH_LOG_STATUS: Final = Profiles("mysql >= 8.2")

_COMMENT: Final = re.compile(r"/\*.*?\*/|^\s*--[^\n]*\n", re.DOTALL)
_ITEM: Final = re.compile(r"""(?:[^,'"()]|'[^']*'|"[^"]*"|\((?:[^()]|\([^()]*\))*\))+""")
_ALIAS: Final = re.compile(r"(?P<value>.+?)(?:\s+(?:AS\s+)?(?P<alias>`[^`]+`|\w+))?", re.IGNORECASE)
_SYSTEM: Final = re.compile(r"@@(?:(?:GLOBAL|SESSION|LOCAL)\.)?`?(?P<name>\w+)`?", re.IGNORECASE)
_USER: Final = re.compile(r"@`?(?P<name>\w+)`?")
_TEXT: Final = re.compile(r"""'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<number>-?\d+(?:\.\d+)?)""")
_ASSIGNMENT: Final = re.compile(r"\s*(?:SET\s+)?@(?!@)`?(?P<name>\w+)`?\s*:?=\s*(?P<value>.+)", re.IGNORECASE)
_LIKE: Final = re.compile(r"(?:LIKE|VARIABLE_NAME\s*=)\s*['\"](?P<like>[^'\"]*)['\"]", re.IGNORECASE)
_AMONG: Final = re.compile(r"VARIABLE_NAME\s+IN\s*\((?P<names>[^)]*)\)", re.IGNORECASE)
_SELECT: Final = re.compile(r"SELECT\s+(?P<items>.+?)(?:\s+LIMIT\s+\d+)?", re.IGNORECASE)
_FROM: Final = re.compile(r"\sFROM\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rows:
    """A result: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...] = ()


class Queries:
    """The statements of one connection.

    Args:
        source: The source that is asked.
        user: The user who asks.
    """

    def __init__(self, source: Source, user: str = "") -> None:
        self._source = source
        self._system = variables_of(source)
        self._user: dict[str, str | None] = {}
        last = source.logs[-1].name, str(source.sizes[-1])
        self._functions: Mapping[str, str | None] = {
            "VERSION": source.version,
            "UNIX_TIMESTAMP": str(source.timestamp),
            "CONNECTION_ID": "1",
            "DATABASE": None,
            "USER": f"{user}@localhost",
            "CURRENT_USER": f"{user}@localhost",
        }
        gtids = () if source.is_mariadb or "gtid_mode" not in self._system else (str(source.executed()),)
        names = ("File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB", *("Executed_Gtid_Set" for _ in gtids))
        self._status = Rows(names, ((*last, "", "", *gtids),))

    def client(self) -> Client:
        """Return what the client announced by its statements."""
        checksum = self._user.get("source_binlog_checksum") or self._user.get("master_binlog_checksum")
        capability = self._user.get("mariadb_slave_capability") or "0"
        return Client(
            checksum=checksum,
            capability=int(capability) if _CAPABILITY.fullmatch(capability) else 0,
            connect_state=self._user.get("slave_connect_state"),
            heartbeats=self.heartbeat_seconds is not None,
        )

    @property
    def heartbeat_seconds(self) -> float | None:
        """The seconds between two heartbeats, within what a replica can ask for; None if the client asks for none."""
        period = self._user.get("source_heartbeat_period") or self._user.get("master_heartbeat_period") or "0"
        nanoseconds = float(period) if _TEXT.fullmatch(period) else 0.0
        # A number of many digits is infinity, and heartbeats at shorter periods would be a flood.
        return min(max(nanoseconds / 1e9, _LEAST_PERIOD), _MOST_PERIOD) if nanoseconds > 0.0 else None

    @property
    def semi_sync(self) -> bool:
        """Whether the client acknowledges what it receives."""
        wanted = self._user.get("rpl_semi_sync_replica") or self._user.get("rpl_semi_sync_slave")
        return self._source.semi_sync and wanted == "1"

    def answer(self, statement: str) -> Rows | None:
        """Return the result of a statement, None if it has none.

        Raises:
            WireError: A server refuses it, or the kit does not know it.
        """
        # White space is all one to a statement, and many spaces take a pattern long.
        text = " ".join(_COMMENT.sub(" ", statement).split()).rstrip("; ")
        for pattern, servers, run in _STATEMENTS:
            if self._source.profile in servers and pattern.match(text):
                return run(self, text)
        raise WireError(_PARSE_ERROR, f"this source does not answer {statement[:80]!r}", "42000")

    def set(self, text: str) -> None:
        """Keep the user variables that a SET assigns; other settings change nothing here."""
        for item in _ITEM.findall(text):
            assigned = _ASSIGNMENT.fullmatch(item)
            if assigned:
                self._user[assigned["name"].lower()] = self._value(assigned["value"].strip())

    def select(self, text: str) -> Rows:
        """Return the values of a SELECT; none are in any table."""
        match = _SELECT.fullmatch(text)
        if match is None:
            raise WireError(_PARSE_ERROR, f"this source does not answer {text[:80]!r}", "42000")
        before, *tables = _FROM.split(match["items"], maxsplit=1)
        pairs = [self._named(item.strip()) for item in _ITEM.findall(before)]
        names = tuple(name for name, _ in pairs)
        if tables and tables[0].strip().upper() != "DUAL":
            return Rows(names)
        return Rows(names, (tuple(self._value(value) for _, value in pairs),))

    def variables(self, text: str) -> Rows:
        """Return the rows of SHOW VARIABLES."""
        return Rows(("Variable_name", "Value"), tuple(self._variables(text)))

    def log_status(self, text: str) -> Rows:
        """Return where the last log ends."""
        return self._status

    def logs(self, text: str) -> Rows:
        """Return the rows of SHOW BINARY LOGS."""
        pairs = zip(self._source.logs, self._source.sizes, strict=True)
        return Rows(("Log_name", "File_size"), tuple((log.name, str(size)) for log, size in pairs))

    def nothing(self, text: str) -> None:
        """Do nothing."""

    def no_rows(self, text: str) -> Rows:
        """Return a result without rows."""
        return Rows(("Name", "Value"))

    def _variables(self, text: str) -> Iterator[tuple[str, str]]:
        like, among = _LIKE.search(text), _AMONG.search(text)
        if among:
            names = {each.strip(" '\"").lower() for each in among["names"].split(",")}
            yield from ((name, value) for name, value in self._system.items() if name in names)
            return
        pattern = _pattern(like["like"].lower()) if like else re.compile(".*")
        yield from ((name, value) for name, value in self._system.items() if pattern.fullmatch(name))

    def _named(self, item: str) -> tuple[str, str]:
        match = _ALIAS.fullmatch(item)
        assert match is not None, "every text fits"
        alias = match["alias"]
        return (alias.strip("`"), match["value"]) if alias else (item, item)

    def _value(self, text: str) -> str | None:
        """Return the value of an expression.

        Raises:
            WireError: There is no such variable, or the kit does not know the expression.
        """
        system, user, literal = _SYSTEM.fullmatch(text), _USER.fullmatch(text), _TEXT.fullmatch(text)
        if system:
            name = system["name"].lower()
            if name not in self._system:
                raise WireError(_UNKNOWN_VARIABLE, f"Unknown system variable '{system['name']}'")
            return self._system[name]
        if user:
            return self._user.get(user["name"].lower())
        if literal:
            return next(each for each in literal.groups() if each is not None)
        function = text.upper().removesuffix("()").strip()
        if function in self._functions:
            return self._functions[function]
        if function == "NULL":
            return None
        raise WireError(_PARSE_ERROR, f"this source does not know the value of {text[:80]!r}", "42000")


def _pattern(like: str) -> re.Pattern[str]:
    """Return the pattern of a LIKE, in which a backslash makes the next character an ordinary one."""
    parts = re.findall(r"\\.|.", like)
    return re.compile("".join({"%": ".*", "_": "."}.get(each) or re.escape(each[-1]) for each in parts))


Run = Callable[[Queries, str], Rows | None]


def _words(*words: str) -> re.Pattern[str]:
    return re.compile("(?:" + "|".join(each.replace(" ", r"\s+") for each in words) + r")\b", re.IGNORECASE)


#: How a statement begins, the servers that know it, what answers it. The first that fits is taken.
_STATEMENTS: Final[Sequence[tuple[re.Pattern[str], Profiles, Run]]] = (
    (_words("SET"), EVERY_PROFILE, Queries.set),
    (_words("SELECT"), EVERY_PROFILE, Queries.select),
    (_words("SHOW (?:GLOBAL |SESSION )?VARIABLES"), EVERY_PROFILE, Queries.variables),
    (_words("SHOW MASTER STATUS"), _WITH_MASTER_STATUS, Queries.log_status),
    (_words("SHOW BINARY LOG STATUS"), _WITH_LOG_STATUS, Queries.log_status),
    (_words("SHOW BINARY LOGS", "SHOW MASTER LOGS"), EVERY_PROFILE, Queries.logs),
    (
        _words("SHOW (?:GLOBAL |SESSION )?STATUS", "SHOW WARNINGS", "SHOW COLLATION", "SHOW CHARACTER SET"),
        EVERY_PROFILE,
        Queries.no_rows,
    ),
    (_words("USE", "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "KILL"), EVERY_PROFILE, Queries.nothing),
    (_words("FLUSH", "LOCK", "UNLOCK"), EVERY_PROFILE, Queries.nothing),
)
