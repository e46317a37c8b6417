"""The settings of a scenario: those with which a server starts, and those that sessions may change."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final
from uuid import UUID

from conformance.specs.profiles import profile_named

#: The steps of gtid_mode; a running server changes it by one step at a time.
GTID_MODES: Final = ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")
#: The modes in which a transaction without a given GTID gets one of its own.
NUMBERED_MODES: Final = frozenset({"ON_PERMISSIVE", "ON"})
BINLOG_FORMATS: Final = ("ROW", "STATEMENT", "MIXED")
CHECKSUMS: Final = ("CRC32", "NONE")

_SERVER_UUID: Final = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#: The smallest binlog_row_event_max_size that servers accept, in bytes.
_LEAST_ROWS_EVENT: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings with which a server starts.

    Attributes:
        profile: The profile whose rules hold.
        gtid_mode: One of `GTID_MODES`.
        enforce_gtid_consistency: Whether statements that cannot be logged under one GTID are refused; required by
            gtid_mode=ON.
        binlog_format: One of `BINLOG_FORMATS`.
        binlog_rows_query_log_events: Whether the statement's text is written before its rows.
        binlog_checksum: One of `CHECKSUMS`.
        binlog_row_event_max_size: Length of a rows event, in bytes, at which the next one is begun.
        binlog_with_tables_info: WL#40's option: whether Query events list their tables; only with before_wl7592.
        binlog_gtid_simple_recovery: Whether a restart reads no more files than it must (WL#7592, plan 10).
        boundary_markers: Whether the server marks transaction boundaries in the flags (WL#4162).
        before_wl7592: Whether logs have the form before WL#7592: Gtid events and Previous_gtids with gtid_mode=ON
            only, and CREATE TABLE ... SELECT in one transaction.
        server_uuid: The UUID of the server's own GTIDs.
    """

    profile: str = "worklog"
    gtid_mode: str = "OFF"
    enforce_gtid_consistency: bool = False
    binlog_format: str = "ROW"
    binlog_rows_query_log_events: bool = False
    binlog_checksum: str = "CRC32"
    binlog_row_event_max_size: int = 8192
    binlog_with_tables_info: bool = False
    binlog_gtid_simple_recovery: bool = True
    boundary_markers: bool = False
    before_wl7592: bool = False
    server_uuid: str = _SERVER_UUID

    def __post_init__(self) -> None:
        profile_named(self.profile)
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it is one of {', '.join(words)}")
        if self.binlog_row_event_max_size < _LEAST_ROWS_EVENT:
            raise ValueError(
                f"binlog_row_event_max_size is {self.binlog_row_event_max_size}; it is at least {_LEAST_ROWS_EVENT}"
            )
        if self.gtid_mode == "ON" and not self.enforce_gtid_consistency:
            raise ValueError("gtid_mode=ON needs enforce_gtid_consistency")
        only = [name for name in _WORKLOG_ONLY if getattr(self, name) and self.profile != "worklog"]
        if only:
            raise ValueError(f"{only[0]} is not available under {self.profile}, only under worklog")
        if self.binlog_with_tables_info and not self.before_wl7592:
            raise ValueError("binlog_with_tables_info needs before_wl7592: WL#40 describes logs before WL#7592")
        UUID(self.server_uuid)

    def to_json(self) -> dict[str, Any]:
        """Return the settings in JSON values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Settings":
        """Return the settings that JSON values hold; those that are missing have their defaults.

        Raises:
            ValueError: A name is not that of a setting, or a value does not fit.
        """
        known = {each.name: each for each in fields(cls)}
        for name, given in value.items():
            if name not in known:
                raise ValueError(f"no setting {name!r}; the settings are {', '.join(known)}")
            if type(given) is not type(known[name].default):
                raise ValueError(f"{name} is {given!r}, not of type {type(known[name].default).__name__}")
        return cls(**value)


_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "gtid_mode": GTID_MODES,
    "binlog_format": BINLOG_FORMATS,
    "binlog_checksum": CHECKSUMS,
}
_WORKLOG_ONLY: Final = ("binlog_with_tables_info", "boundary_markers", "before_wl7592")

#: The session variables that a statement may set, or try to set -> their values; bool means ON and OFF, None any text.
SESSION_VARIABLES: Final[Mapping[str, tuple[str, ...] | type[bool] | None]] = {
    "binlog_format": BINLOG_FORMATS,
    "binlog_rows_query_log_events": bool,
    "binlog_with_tables_info": bool,
    "gtid_next": None,
}
#: The global variables that a statement may set, or try to set -> their values.
GLOBAL_VARIABLES: Final[Mapping[str, tuple[str, ...] | type[bool]]] = {
    "binlog_format": BINLOG_FORMATS,
    "binlog_rows_query_log_events": bool,
    "binlog_checksum": CHECKSUMS,
    "gtid_mode": GTID_MODES,
    "enforce_gtid_consistency": bool,
    "binlog_with_tables_info": bool,
}
#: The variables that no statement can set, although it may try.
READ_ONLY: Final = frozenset({"binlog_with_tables_info"})
