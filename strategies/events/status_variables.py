"""The status variables of generated Query events: blocks as servers write them, and what a reader reports of each."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.status_variables import write_status_variables
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
_WITH_DATABASES: Final = {**_WITH_ZONE, "time_zone": b"+02:00", "updated_databases": (b"test", b"db2")}


def shown_variables(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of some variables."""
    shown = {"sql_mode": values["sql_mode"], **values.get("charset", {})}
    if "auto_increment" in values:
        shown |= {f"auto_increment_{part}": number for part, number in values["auto_increment"].items()}
    if "time_zone" in values:
        shown["time_zone"] = values["time_zone"].decode()
    if "updated_databases" in values:
        shown["updated_databases"] = ",".join(name.decode() for name in values["updated_databases"])
    return shown


#: Block -> what a reader reports of it, besides the block itself.
_BLOCKS: Final[dict[bytes, dict[str, Any]]] = {
    b"": {},
    **{
        write_status_variables(each): shown_variables(each)
        for each in (_WITH_DEFAULTS, _WITH_MODES, _WITH_ZONE, _WITH_DATABASES)
    },
}
#: Bytes of `flags2`, of `sql_mode` and of the number of names, each with its code; and of a name with the NUL after it.
_BEFORE_NAMES: Final = 5 + 9 + 2
_SHORTEST, _LONGEST, _MOST_NAMES = 2, 193, 253
#: MySQL since 5.6 names the databases that a statement changes; they are the last block.
_EVERY: Final = tuple(_BLOCKS)
_WITHOUT_DATABASES: Final = _EVERY[:-1]


def status_variables(stream: StreamBuilder) -> bytes:
    """Return the status variables of a Query event, as the stream's server writes them."""
    names_databases = stream.server.checksums and not stream.server.is_mariadb
    return stream.choose.one_of(_EVERY if names_databases else _WITHOUT_DATABASES)


def sized_variables(size: int) -> dict[str, Any]:
    """Return the variables of a block of some size in bytes: at the end the databases that a statement changes.

    Raises:
        ValueError: No block has this size.
    """
    left = size - _BEFORE_NAMES
    if not _SHORTEST <= left <= _MOST_NAMES * _LONGEST:
        raise ValueError(f"{size} is not a valid size of status variables: from {_BEFORE_NAMES + _SHORTEST} bytes on")
    names = []
    while left:
        # What is left is never too short for a name.
        taken = left if left <= _LONGEST else min(_LONGEST, left - _SHORTEST)
        names.append(b"d" * (taken - 1))
        left -= taken
    return {"flags2": 0, "sql_mode": 0x54200000, "updated_databases": tuple(names)}


def status_fields(block: bytes) -> dict[str, Any]:
    """Return what a reader reports of a block: of one that is not generated here only the bytes."""
    return {"status_variables": shown_bytes(block), **_BLOCKS.get(block, {})}
