"""The status variables of a Query event: the session settings that the statement depends on.

Each variable is preceded by its code and has no length, so an unknown code ends the block; what follows is kept.
 Sources: MySQL 5.0 to 9.7 and MariaDB 10/11, checked against their files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance.binlog.codecs import (
    U8,
    U16,
    U32,
    U64,
    Counted,
    Int,
    Record,
    Repeated,
    Terminated,
    Values,
)
from conformance.binlog.errors import MalformedBody
from conformance.binlog.keyed import Keyed
from conformance.binlog.layout import TAIL, Field
from conformance.binlog.layouts import mariadb_layouts

#: The number of databases that means "too many to name".
TOO_MANY_DATABASES: Final = 254

_CHARSET: Final = Record((("character_set_client", U16), ("collation_connection", U16), ("collation_server", U16)))
_AUTO_INCREMENT: Final = Record((("increment", U16), ("offset", U16)))
_INVOKER: Final = Record((("user", Counted(U8)), ("host", Counted(U8))))
_COLLATION_OF_CHARSET: Final = Record((("character_set", U16), ("collation", U16)))
#: MariaDB's Gtid flags in a Query event: bits that announce a sequence number, and bits of half an ALTER TABLE.
_ALTER_NUMBER_FOLLOWS: Final = mariadb_layouts.COMMIT_ALTER | mariadb_layouts.ROLLBACK_ALTER
_ALTER_IN_TWO_PHASES: Final = mariadb_layouts.START_ALTER | _ALTER_NUMBER_FOLLOWS


@dataclass(frozen=True, slots=True)
class _DatabaseNames:
    """The databases that a statement updates: a tuple of names, None if they are too many to name."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[bytes, ...] | None, int]:
        count, at = U8.read(data, at, end, values)
        if count == TOO_MANY_DATABASES:
            return None, at
        return Repeated(Terminated(), lambda _: count).read(data, at, end, values)

    def write(self, value: tuple[bytes, ...] | None, values: Mapping[str, Any]) -> bytes:
        if value is None:
            return bytes([TOO_MANY_DATABASES])
        return bytes([len(value)]) + Repeated(Terminated()).write(value, values)


@dataclass(frozen=True, slots=True)
class _MariadbGtidFlags:
    """The extra Gtid flags of MariaDB, and the sequence number of an ALTER's start that two of them announce."""

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[dict[str, int], int]:
        flags, at = U8.read(data, at, end, values)
        parts = {"flags": flags}
        if flags & _ALTER_NUMBER_FOLLOWS:
            parts["start_alter_gno"], at = U64.read(data, at, end, values)
        return parts, at

    def write(self, value: Mapping[str, int], values: Mapping[str, Any]) -> bytes:
        number = U64.write(value["start_alter_gno"], values) if "start_alter_gno" in value else b""
        return U8.write(value["flags"], values) + number


@dataclass(frozen=True, slots=True)
class _CountedRecords:
    item: Record

    def read(self, data: bytes, at: int, end: int, values: Values) -> tuple[tuple[Any, ...], int]:
        count, at = U8.read(data, at, end, values)
        return Repeated(self.item, lambda _: count).read(data, at, end, values)

    def write(self, value: tuple[Any, ...], values: Mapping[str, Any]) -> bytes:
        return bytes([len(value)]) + Repeated(self.item).write(value, values)


STATUS_VARIABLES: Final = Keyed(
    {
        0: Field("flags2", U32),
        1: Field("sql_mode", U64),
        2: Field("catalog_with_nul", Counted(U8, nul=True)),
        3: Field("auto_increment", _AUTO_INCREMENT),
        4: Field("charset", _CHARSET),
        5: Field("time_zone", Counted(U8)),
        6: Field("catalog", Counted(U8)),
        7: Field("lc_time_names", U16),
        8: Field("charset_database", U16),
        9: Field("table_map_for_update", U64),
        10: Field("master_data_written", U32),
        11: Field("invoker", _INVOKER),
        12: Field("updated_databases", _DatabaseNames()),
        13: Field("microseconds", Int(3)),
        16: Field("explicit_defaults_for_timestamp", U8),
        17: Field("ddl_xid", U64),
        18: Field("default_collation_for_utf8mb4", U16),
        19: Field("sql_require_primary_key", U8),
        20: Field("default_table_encryption", U8),
        # Seen in files of 9.7, on row changes logged as statements.
        21: Field("status_variable_21", U8),
        128: Field("mariadb_microseconds", Int(3)),
        129: Field("mariadb_xid", U64),
        130: Field("mariadb_gtid_flags", _MariadbGtidFlags()),
        131: Field("mariadb_character_set_collations", _CountedRecords(_COLLATION_OF_CHARSET)),
    },
    key=U8,
)


def read_status_variables(data: bytes) -> dict[str, Any]:
    """Return the variables by name, in the order of their bytes.

    What follows an unknown code, or a variable that cannot be read, is kept under ``tail``: as in servers,
    it does not make the event malformed.
    """
    values: dict[str, Any] = {}
    spans: list[Any] = []
    after = 0
    try:
        after = STATUS_VARIABLES.read(data, 0, len(data), values, spans)
    except MalformedBody:
        after = spans[-1].offset + spans[-1].size if spans else 0
    if after < len(data):
        values[TAIL] = data[after:]
    return values


def alter_phase(variables: Mapping[str, Any]) -> int:
    """Return the bits with which a Query event of MariaDB begins or ends an ALTER TABLE in two phases; 0 if none."""
    flags: int = variables.get("mariadb_gtid_flags", {"flags": 0})["flags"]
    return flags & _ALTER_IN_TWO_PHASES


def write_status_variables(values: Mapping[str, Any]) -> bytes:
    """Return the block that holds `values`, in their order, followed by their ``tail``."""
    tail: bytes = values.get(TAIL, b"")
    return STATUS_VARIABLES.write(values) + tail
