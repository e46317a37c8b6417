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


#: The longest name of a database in bytes, and the most databases that are named.
_LONGEST_NAME: Final = 192
_MOST_NAMED: Final = 16
#: Lengths in bytes of blocks at which a length of one byte ends, or that a packed one would need another byte for.
_BORDERS: Final = (250, 251, 255, 256, 257)


def _of_length(length: int) -> dict[str, Any]:
    """Return variables whose block has a length in bytes: by the names of databases in it."""
    shortest = {**_WITH_DATABASES, "updated_databases": (b"x", b"x" * _LONGEST_NAME)}
    missing = length - len(write_status_variables(shortest))
    first = 1 + max(missing, 0)
    return {**shortest, "updated_databases": (b"x" * first, b"x" * (_LONGEST_NAME + min(missing, 0)))}


_LONG: Final[tuple[dict[str, Any], ...]] = (
    *map(_of_length, _BORDERS),
    {**_WITH_DATABASES, "updated_databases": (b"d" * _LONGEST_NAME,) * _MOST_NAMED},
)


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reader reports of some variables."""
    shown = {"sql_mode": values["sql_mode"], **values["charset"]}
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
        write_status_variables(each): _shown(each)
        for each in (_WITH_DEFAULTS, _WITH_MODES, _WITH_ZONE, _WITH_DATABASES, *_LONG)
    },
}
#: MySQL since 5.6 names the databases that a statement changes; they are in the last blocks.
_EVERY: Final = tuple(_BLOCKS)[: -len(_LONG)]
_WITHOUT_DATABASES: Final = _EVERY[:-1]
_LONG_BLOCKS: Final = tuple(_BLOCKS)[-len(_LONG) :]


def status_variables(stream: StreamBuilder) -> bytes:
    """Return the status variables of a Query event, as the stream's server writes them."""
    names_databases = stream.server.checksums and not stream.server.is_mariadb
    if names_databases and stream.choose.yes(40):
        return stream.choose.one_of(_LONG_BLOCKS)
    return stream.choose.one_of(_EVERY if names_databases else _WITHOUT_DATABASES)


def status_fields(block: bytes) -> dict[str, Any]:
    """Return what a reader reports of a block: of one that is not generated here only the bytes."""
    return {"status_variables": shown_bytes(block), **_BLOCKS.get(block, {})}
