"""The session settings that a printed statement depends on: each is printed if it differs from the last one.

Sources: the output of mysqlbinlog 9.7.4 for logs of MySQL 5.0 to 9.7, of mariadb-binlog 10.11.18 for logs of MariaDB
10.1 to 10.11 and for format descriptions of all releases from 10.0 to 11.8, and of 11.8.9 for logs of 11.4 and 11.8.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from conformance.binlog.event import Event
from conformance.binlog.event_info import text
from conformance.binlog.flags import Flag
from conformance.binlog.format_description import version_tuple
from conformance.binlog.rows.collations import collation
from conformance.models.rendering.printer_version import PrinterVersion

#: What ends each statement of the output.
DELIMITER: Final = "/*!*/;"

_IF_EXISTS: Final = "sql_if_exists"
_EXPLICIT_DEFAULTS: Final = "explicit_defaults_for_timestamp"
#: Bits of the status variable ``flags2``: (bit, whether a set bit switches the setting off, name).
_OPTIONS: Final = (
    (1 << 26, True, "foreign_key_checks"),
    (1 << 14, False, "sql_auto_is_null"),
    (1 << 27, True, "unique_checks"),
    (1 << 19, True, "autocommit"),
)
#: Options that only MariaDB has; its program leaves out those which the server that wrote the log did not log.
_MARIADB_OPTIONS: Final = (
    (1 << 15, True, "check_constraint_checks"),
    (1 << 28, False, _IF_EXISTS),
    (1 << 24, False, _EXPLICIT_DEFAULTS),
    (1 << 30, False, "system_versioning_insert_history"),
)
#: SQL modes that 8.0.5 and later no longer have.
_REMOVED_MODES: Final = 0x1003FF00
_THREE_BYTES: Final = "utf8mb3"

#: Status variable -> the statement that sets it, for variables that are printed for every Query that has them.
_REPEATED: Final = {
    "sql_require_primary_key": "/*!80013 SET @@session.sql_require_primary_key={}*/",
    "default_table_encryption": "/*!80016 SET @@session.default_table_encryption={}*/",
}

#: The first version of MariaDB that logs sql_if_exists; series -> its first release that logs
#: explicit_defaults_for_timestamp, which later series all do.
_WITH_IF_EXISTS: Final = (10, 5, 2)
_WITH_EXPLICIT_DEFAULTS: Final = {(10, 5): 17, (10, 6): 9, (10, 7): 5, (10, 8): 4, (10, 9): 2}
_ALL_WITH_EXPLICIT_DEFAULTS: Final = (10, 10, 0)

#: The character set, and the two collations, of a session.
Charset = tuple[int, int, int]


class SessionSettings:
    """The settings that were printed last.

    Args:
        version: The program's version.
    """

    def __init__(self, version: PrinterVersion) -> None:
        self._version = version
        self._last: dict[str, Any] = {}
        self._database = b""
        self.charset: Charset | None = None

    def lines(
        self, event: Event, fields: Mapping[str, Any], variables: Mapping[str, Any], *, bare: bool
    ) -> Iterator[str]:
        """Yield the lines before the statement of a Query event.

        Args:
            event: The event.
            fields: Its fields.
            variables: Its status variables.
            bare: Whether the statement needs no default database, whatever the event's database is.
        """
        yield from self._use(event, fields["database"], bare=bare)
        micro = variables.get("microseconds", variables.get("mariadb_microseconds", 0))
        yield _set(f"TIMESTAMP={event.header.timestamp}" + (f".{micro:06d}" if micro else ""))
        specific = bool(event.header.flags & Flag.THREAD_SPECIFIC)
        if self._differs("thread", fields["thread_id"], look=specific or "thread" not in self._last):
            yield _set(f"@@session.pseudo_thread_id={fields['thread_id']}")
        yield from self._options(event, variables)
        yield from self._sql_mode(variables)
        yield from self._numbers(variables)
        if "charset" in variables:
            words = variables["charset"]
            wanted = (words["character_set_client"], words["collation_connection"], words["collation_server"])
            yield from self.set_charset(wanted)
        if self._version.default_collations:
            yield from _default_collations(variables)
        yield from self._names(variables)
        if self._version.status_since_8:
            yield from self._since_8(variables)

    def set_charset(self, wanted: Charset) -> Iterator[str]:
        """Yield the lines that set another character set, none if it is set already."""
        if wanted == self.charset:
            return
        self.charset = wanted
        yield from self.charset_lines(wanted)

    def charset_lines(self, wanted: Charset) -> Iterator[str]:
        """Yield the lines that name a character set and two collations."""
        client = collation(wanted[0], mariadb=self._version.is_mariadb)
        shown: int | str = wanted[0]
        if client is not None:
            name = self._version.charset_three if client.charset == _THREE_BYTES else client.charset
            yield f"/*!\\C {name} */{DELIMITER}"
            shown = name if self._version.is_mariadb else shown
        yield _set(
            f"@@session.character_set_client={shown},@@session.collation_connection={wanted[1]}"
            f",@@session.collation_server={wanted[2]}"
        )

    def _differs(self, name: str, value: Any, *, look: bool = True) -> bool:
        if not look or self._last.get(name) == value:
            return False
        self._last[name] = value
        return True

    def _use(self, event: Event, database: bytes, *, bare: bool) -> Iterator[str]:
        if bare and (self._version.is_mariadb or event.header.flags & Flag.SUPPRESS_USE):
            return
        if event.header.flags & Flag.SUPPRESS_USE:
            # The effect of its statement on the default database is not known.
            self._database = b""
        elif database != self._database:
            self._database = database
            if database:
                yield f"use `{text(database).replace('`', '``')}`{DELIMITER}"

    def _options(self, event: Event, variables: Mapping[str, Any]) -> Iterator[str]:
        if "flags2" not in variables:
            return
        flags = variables["flags2"]
        changed = flags ^ self._last["flags2"] if "flags2" in self._last else -1
        self._last["flags2"] = flags
        options = _OPTIONS + _MARIADB_OPTIONS if self._version.is_mariadb else _OPTIONS
        unlogged = _unlogged_options(event.format.server_version)
        parts = [
            f"@@session.{name}={bool(flags & bit) != off:d}"
            for bit, off, name in options
            if changed & bit and name not in unlogged
        ]
        if changed:
            # Where only bits without a name differ, the programs print SET with nothing to set.
            yield _set(", ".join(parts))

    def _sql_mode(self, variables: Mapping[str, Any]) -> Iterator[str]:
        if "sql_mode" in variables and self._differs("sql_mode", mode := variables["sql_mode"]):
            masked = self._version.removed_modes and mode & _REMOVED_MODES
            yield _set(f"@@session.sql_mode={mode}" + (f"/*!80005 &~{_REMOVED_MODES:#x}*/" if masked else ""))

    def _numbers(self, variables: Mapping[str, Any]) -> Iterator[str]:
        numbers = variables.get("auto_increment", {"increment": 1, "offset": 1})
        pair = (numbers["increment"], numbers["offset"])
        if self._differs("auto_increment", pair):
            yield _set(f"@@session.auto_increment_increment={pair[0]}, @@session.auto_increment_offset={pair[1]}")

    def _names(self, variables: Mapping[str, Any]) -> Iterator[str]:
        if variables.get("time_zone") and self._differs("time_zone", variables["time_zone"]):
            yield _set(f"@@session.time_zone='{text(variables['time_zone'])}'")
        names = variables.get("lc_time_names", 0)
        if self._differs("lc_time_names", names):
            yield _set(f"@@session.lc_time_names={names}")
        database = variables.get("charset_database", 0)
        if self._differs("charset_database", database):
            yield _set(f"@@session.collation_database={database or 'DEFAULT'}")

    def _since_8(self, variables: Mapping[str, Any]) -> Iterator[str]:
        name = "explicit_defaults_for_timestamp"
        # Any number but 0 switches it on.
        if name in variables and self._differs(name, int(variables[name] != 0)):
            yield _set(f"@@session.{name}={self._last[name]}")
        name = "default_collation_for_utf8mb4"
        if name in variables and self._differs(name, variables[name]):
            yield f"/*!80011 SET @@session.{name}={variables[name]}*/{DELIMITER}"
        for name, form in _REPEATED.items():
            if name in variables:
                yield form.format(variables[name]) + DELIMITER


def _default_collations(variables: Mapping[str, Any]) -> Iterator[str]:
    """Yield the line that names a session's default collations of character sets, where they are logged."""
    if "mariadb_character_set_collations" not in variables:
        return
    named = (
        (collation(pair["character_set"], mariadb=True), collation(pair["collation"], mariadb=True))
        for pair in variables["mariadb_character_set_collations"]
    )
    pairs = ",".join(f"{of.charset}={default.name}" for of, default in named if of is not None and default is not None)
    yield _set(f"@@session.character_set_collations='{pairs}'")


def _set(assignments: str) -> str:
    return f"SET {assignments}{DELIMITER}"


@lru_cache(maxsize=64)
def _unlogged_options(server_version: str) -> frozenset[str]:
    """Return the options that mariadb-binlog 10.11.18 leaves out for a log, by the version of the log's server."""
    version = version_tuple(server_version)
    if "MariaDB" not in server_version or version < _WITH_IF_EXISTS:
        return frozenset({_IF_EXISTS, _EXPLICIT_DEFAULTS})
    first = _WITH_EXPLICIT_DEFAULTS.get(version[:2])
    explicit = version >= _ALL_WITH_EXPLICIT_DEFAULTS if first is None else version[2] >= first
    return frozenset() if explicit else frozenset({_EXPLICIT_DEFAULTS})
