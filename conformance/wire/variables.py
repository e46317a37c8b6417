"""The system variables that clients ask a source for: a table by version, with the values of a source."""

from collections.abc import Callable
from typing import Final

from conformance.specs.versions import EVERY_PROFILE, Profiles
from conformance.wire.source import UUID, Source

_MYSQL: Final = Profiles("worklog", "mysql")
_MARIADB: Final = Profiles("mariadb")
_SINCE_5_6: Final = Profiles("worklog", "mysql >= 5.6")
_WITH_CHECKSUM: Final = Profiles("worklog", "mysql >= 5.6", "mariadb")
_WITH_METADATA: Final = Profiles("mysql >= 8.0", "mariadb >= 10.5")

Value = Callable[[Source], str]


def _always(value: str) -> Value:
    return lambda source: value


def _enabled(source: Source) -> str:
    return "1" if source.semi_sync else "0"


#: Name of a variable, the servers that have it, its value.
_VARIABLES: Final[tuple[tuple[str, Profiles, Value], ...]] = (
    ("version", EVERY_PROFILE, lambda source: source.version),
    ("version_comment", EVERY_PROFILE, _always("binlog-conformance")),
    ("server_id", EVERY_PROFILE, lambda source: str(source.server_id)),
    ("server_uuid", _SINCE_5_6, _always(UUID)),
    ("hostname", EVERY_PROFILE, _always("localhost")),
    ("log_bin", EVERY_PROFILE, _always("1")),
    ("binlog_format", EVERY_PROFILE, _always("ROW")),
    ("binlog_row_image", _WITH_CHECKSUM, _always("FULL")),
    ("binlog_row_metadata", _WITH_METADATA, _always("FULL")),
    ("binlog_checksum", _WITH_CHECKSUM, lambda source: source.checksum),
    ("gtid_mode", _SINCE_5_6, lambda source: source.gtid_mode),
    ("enforce_gtid_consistency", _SINCE_5_6, lambda source: source.gtid_mode),
    ("gtid_executed", _SINCE_5_6, lambda source: str(source.executed())),
    ("gtid_purged", _SINCE_5_6, lambda source: str(source.purged())),
    ("gtid_domain_id", _MARIADB, _always("0")),
    ("gtid_strict_mode", _MARIADB, _always("0")),
    ("rpl_semi_sync_source_enabled", Profiles("mysql >= 8.0"), _enabled),
    ("rpl_semi_sync_master_enabled", EVERY_PROFILE, _enabled),
    ("character_set_server", EVERY_PROFILE, _always("utf8mb4")),
    ("character_set_client", EVERY_PROFILE, _always("utf8mb4")),
    ("character_set_connection", EVERY_PROFILE, _always("utf8mb4")),
    ("character_set_results", EVERY_PROFILE, _always("utf8mb4")),
    ("collation_server", EVERY_PROFILE, _always("utf8mb4_general_ci")),
    ("collation_connection", EVERY_PROFILE, _always("utf8mb4_general_ci")),
    ("init_connect", EVERY_PROFILE, _always("")),
    ("interactive_timeout", EVERY_PROFILE, _always("28800")),
    ("wait_timeout", EVERY_PROFILE, _always("28800")),
    ("net_write_timeout", EVERY_PROFILE, _always("60")),
    ("license", EVERY_PROFILE, _always("Apache-2.0")),
    ("lower_case_table_names", EVERY_PROFILE, _always("0")),
    ("max_allowed_packet", EVERY_PROFILE, _always("1073741824")),
    ("auto_increment_increment", EVERY_PROFILE, _always("1")),
    ("performance_schema", EVERY_PROFILE, _always("0")),
    ("query_cache_size", EVERY_PROFILE, _always("0")),
    ("query_cache_type", EVERY_PROFILE, _always("OFF")),
    ("sql_mode", EVERY_PROFILE, _always("")),
    ("system_time_zone", EVERY_PROFILE, _always("UTC")),
    ("time_zone", EVERY_PROFILE, _always("SYSTEM")),
    ("transaction_isolation", EVERY_PROFILE, _always("REPEATABLE-READ")),
    ("tx_isolation", EVERY_PROFILE, _always("REPEATABLE-READ")),
    ("autocommit", EVERY_PROFILE, _always("1")),
)


def variables_of(source: Source) -> dict[str, str]:
    """Return the system variables of a source by name."""
    return {name: value(source) for name, servers, value in _VARIABLES if source.profile in servers}
