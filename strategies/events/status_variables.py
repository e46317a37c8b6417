"""The status variables of generated Query events: blocks as servers write them, and what a reader reports of each."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from conformance.binlog.layout import TAIL
from conformance.binlog.status_variables import write_status_variables
from conformance.specs.versions import Profiles
from conformance.strategies.grammar.notation import shown_bytes
from conformance.strategies.grammar.stream import StreamBuilder

#: What a Query event with status variables exercises.
REQUIREMENT: Final = "FORMAT-QUERY-STATUS-VARIABLES"


def _settings(sql_mode: int, collation: int, server: int, **others: Any) -> dict[str, Any]:
    charset = {"character_set_client": collation, "collation_connection": collation, "collation_server": server}
    return {"flags2": 0, "sql_mode": sql_mode, "catalog": b"std", **others, "charset": charset}


_WITH_DEFAULTS: Final[dict[str, Any]] = {**_settings(0, 8, 8), "flags2": 0x400000}
_WITH_MODES: Final = _settings(0x54200000, 33, 8)
_WITH_ZONE: Final = {
    **_settings(0x54200000, 33, 8, auto_increment={"increment": 10, "offset": 3}),
    "time_zone": b"SYSTEM",
}
_DATABASES: Final[dict[str, Any]] = {"updated_databases": (b"test", b"db2")}
_WITH_DATABASES: Final = {**_WITH_ZONE, "time_zone": b"+02:00", **_DATABASES}
#: The most databases that servers name; if there are more, they write that there are too many.
_MOST_DATABASES: Final = 16
#: A number of eight bytes of which the last four look like a time zone, to one that reads only four.
_LONG_NUMBER: Final = int.from_bytes(b"\1\0\0\0\5\2??", "little")
#: What comes before the databases. A variable has no length, so one whose size is not known hides those after it.
_BEFORE_DATABASES: Final[tuple[dict[str, Any], ...]] = (
    {"lc_time_names": 0x0105},
    {"charset_database": 0x010C},
    {"table_map_for_update": _LONG_NUMBER},
    {"invoker": {"user": b"root", "host": b"localhost"}},
    {"invoker": {"user": b"", "host": b""}},
)


def shown_variables(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of some variables."""
    shown = {"sql_mode": values["sql_mode"], **values.get("charset", {})}
    if "auto_increment" in values:
        shown |= {f"auto_increment_{part}": number for part, number in values["auto_increment"].items()}
    if "time_zone" in values:
        shown["time_zone"] = values["time_zone"].decode()
    if values.get("updated_databases") is not None:
        shown["updated_databases"] = ",".join(name.decode() for name in values["updated_databases"])
    return shown


_MYSQL_56: Final = Profiles("worklog", "mysql >= 5.6")
_MYSQL_57: Final = Profiles("mysql >= 5.7")
_MYSQL_80: Final = Profiles("mysql >= 8.0")
_MYSQL_90: Final = Profiles("mysql >= 9.0")
_MARIADB: Final = Profiles("mariadb")
#: MariaDB's collations of character sets have a high code, and are written before those of the session, as 11.8.9 does.
_WITH_COLLATIONS: Final = Profiles("mariadb >= 11.5")
_COLLATIONS: Final[tuple[tuple[dict[str, int], ...], ...]] = (
    ({"character_set": 33, "collation": 83}, {"character_set": 45, "collation": 46}),
    # A reader that takes it for one pair only finds the code of a time zone in the next.
    ({"character_set": 45, "collation": 46}, {"character_set": 0x0105, "collation": 0x3F}),
)
#: The last variables of a block, with the profiles whose servers write them.
_LAST: Final[tuple[tuple[dict[str, Any], Profiles], ...]] = (
    ({"microseconds": 0x01_02_0C}, _MYSQL_56),
    ({"explicit_defaults_for_timestamp": 5}, _MYSQL_57),
    ({"ddl_xid": _LONG_NUMBER}, _MYSQL_80),
    ({"default_collation_for_utf8mb4": 0x0105, "sql_require_primary_key": 1, "default_table_encryption": 1}, _MYSQL_80),
    ({"status_variable_21": 0}, _MYSQL_90),
    ({"mariadb_microseconds": 0x01_02_0C}, _MARIADB),
    ({"mariadb_xid": _LONG_NUMBER}, _MARIADB),
    ({"mariadb_gtid_flags": {"flags": 1}}, _MARIADB),
    ({"mariadb_gtid_flags": {"flags": 4, "start_alter_gno": 0x0105}}, _MARIADB),
)
#: Those of statements that define tables.
_OF_DEFINITIONS: Final = frozenset({"ddl_xid", "mariadb_xid", "mariadb_gtid_flags"})
#: Block -> what a reader reports of it, besides the block itself.
_SHOWN: Final[dict[bytes, dict[str, Any]]] = {b"": {}}


def _block(values: Mapping[str, Any]) -> bytes:
    """Return the block with some variables, and note what a reader reports of it."""
    block = write_status_variables(values)
    _SHOWN[block] = shown_variables(values)
    return block


#: The blocks of ordinary statements.
_USUAL: Final = (b"", *map(_block, (_WITH_DEFAULTS, _WITH_MODES, _WITH_ZONE)))
#: MySQL since 5.6 names the databases that a statement changes.
_NAMING: Final = _block(_WITH_DATABASES)
#: Three character sets that differ, with numbers of two bytes, and the largest step and offset of AUTO_INCREMENT.
_LARGE_NUMBERS: Final = {
    "flags2": 0,
    "sql_mode": 0x54200000,
    "catalog": b"std",
    "auto_increment": {"increment": 65_535, "offset": 65_534},
    "charset": {"character_set_client": 255, "collation_connection": 278, "collation_server": 0x0121},
}
#: The mode TIME_TRUNCATE_FRACTIONAL, which needs more than 32 bits.
_LARGE_MODE: Final = {**_settings(0x1_5420_0000, 255, 255), "time_zone": b"Europe/Berlin"}


@cache
def _rare(profile: str, *, definition: bool) -> tuple[bytes, ...]:
    """Return the blocks of rare statements, as the servers of a profile write them.

    Args:
        profile: The profile.
        definition: Whether the statement defines tables; then it may have a transaction number.
    """
    databases = _DATABASES if profile in _MYSQL_56 else {}
    blocks: list[Mapping[str, Any]] = [
        _LARGE_NUMBERS,
        *({**_WITH_ZONE, **each, **databases} for each in _BEFORE_DATABASES),
    ]
    blocks.append({**_WITH_ZONE, **{name: each[name] for each in _BEFORE_DATABASES for name in each}, **databases})
    if profile in _WITH_COLLATIONS:
        blocks += (_with_collations(each) for each in _COLLATIONS)
    if profile in _MYSQL_80:
        blocks.append({**_LARGE_MODE, **databases})
    if databases:
        most = {"updated_databases": tuple(f"db{number}".encode() for number in range(_MOST_DATABASES))}
        blocks += ({**_WITH_ZONE, **each} for each in (most, {"updated_databases": None}))
    last = [
        each for each, profiles in _LAST if profile in profiles and (definition or _OF_DEFINITIONS.isdisjoint(each))
    ]
    blocks += ({**_WITH_ZONE, **databases, **each} for each in last)
    blocks.append({**_WITH_ZONE, **databases, **{name: each[name] for each in last for name in each}})
    return tuple(dict.fromkeys(map(_block, blocks)))


def _with_collations(collations: tuple[dict[str, int], ...]) -> dict[str, Any]:
    """Return variables with the collations of character sets before those of the session."""
    before = {name: value for name, value in _WITH_ZONE.items() if name not in ("charset", "time_zone")}
    after = {name: _WITH_ZONE[name] for name in ("charset", "time_zone")}
    return {**before, "mariadb_character_set_collations": collations, **after}


#: Bytes of `flags2`, of `sql_mode` and of the number of names, each with its code; and of a name with the NUL after it.
_BEFORE_NAMES: Final = 5 + 9 + 2
_SHORTEST, _LONGEST = 2, 193
#: A code that no server has written yet: a newer one may. Its size is not known, so that no variable follows,
#: although it looks like the time zone.
_NEWER: Final = b"\x63"
_AFTER_NEWER: Final = b"\5\1?"


def sized_variables(size: int) -> dict[str, Any]:
    """Return the variables of a block of some size in bytes: at the end the databases that a statement changes.

    Raises:
        ValueError: No block has this size.
    """
    left = size - _BEFORE_NAMES
    if left < _SHORTEST:
        raise ValueError(f"{size} is not a valid size of status variables: from {_BEFORE_NAMES + _SHORTEST} bytes on")
    names: list[bytes] = []
    while left and len(names) < _MOST_DATABASES:
        # What is left is never too short for a name.
        taken = left if left <= _LONGEST else min(_LONGEST, left - _SHORTEST)
        names.append(b"d" * (taken - 1))
        left -= taken
    newer = {TAIL: (_NEWER + _AFTER_NEWER * left)[:left]} if left else {}
    return {"flags2": 0, "sql_mode": 0x54200000, "updated_databases": tuple(names), **newer}


#: Sizes of blocks around the borders of a length of one byte, and a large one.
_LONG_BLOCKS: Final = tuple(_block(sized_variables(size)) for size in (250, 251, 255, 256, 257, 3000))


def status_variables(stream: StreamBuilder, *, definition: bool = False) -> bytes:
    """Return the status variables of a Query event, as the stream's server writes them.

    Args:
        stream: The stream.
        definition: Whether the statement defines tables.
    """
    choose, profile = stream.choose, stream.server.profile
    names_databases = stream.server.checksums and not stream.server.is_mariadb
    if names_databases and choose.yes(40):
        return choose.one_of(_LONG_BLOCKS)
    if choose.yes(8):
        return choose.one_of(_rare(profile, definition=definition))
    return choose.one_of((*_USUAL, _NAMING) if names_databases else _USUAL)


def status_fields(block: bytes) -> dict[str, Any]:
    """Return what a reader reports of a block: of one that is not generated here only the bytes."""
    return {"status_variables": shown_bytes(block), **_SHOWN.get(block, {})}
