"""The real binary logs of the ground truth, by name, and the known facts about each."""

from pathlib import Path

#: Logs of many servers, 5.0 to 9.0, that other projects keep, including damaged ones.
FOREIGN = tuple(
    f"real-binlogs/{name}"
    for name in (
        "5.0.16_bug16266.000001",
        "5.1.23_ver_5_1_23.001",
        "5.1.30_bug40482-bin.000001",
        "5.1.34_mysql-bin.000001",
        "5.1.37_update-full-row.binlog",
        "5.1.37_write-partial-row.binlog",
        "5.1.43_binlog_savepoint.000001",
        "5.2.2_ver_5_1-wl2325_r.001",
        "5.2.2_ver_5_1-wl2325_s.001",
        "5.5.27_mysql-bin.sakila",
        "5.6.24_binlog_transaction_with_GTID.000001",
        "5.6.4_ver_trunk_row_v2.001",
        "5.7.12_mysql-bin.aurora-padding",
        "5.7.19_mysql-bin.000002",
        "5.7.1_bug32407.001",
        "5.7.21_mysql-bin.checksum-crc32",
        "5.7.22_bug27213339-bin.000001",
        "5.7.22_rpl_atomic_ddl_rollback_full.000001",
        "5.7.22_rpl_atomic_ddl_rollback_table.000001",
        "5.7.22_rpl_cross_version_default_utf8mb4_collation.000001",
        "5.7.25_slave-relay-bin.000001",
        "5.7.2_binlog_no_fd_event.000001",
        "5.7.2_binlog_truncated_prev_gtid_event.000001",
        "5.7.41_rpl_no_gipk_high_column_number.000001",
        "5.7.6_binlog_transaction_with_anonymous_GTID.000001",
        "8.0.17_rpl_unfiltered_hidden_gcol.000001",
        "8.0.22_json.binlog.000001",
        "8.0.26_mysql_type_bit.000001",
        "8.0.28_rpl_binlog_with_no_gipk_info.000001",
        "8.0.28_rpl_no_gipk_minus_one_column_number.000001",
        "8.0.28_rpl_no_gipk_schema_divergence.000001",
        "8.0.29_replicated-bin.000001",
        "8.0.2_master-bin.000001",
        "8.0.30_duplicate_xid.000001",
        "8.0.30_duplicate_xid_ddl.000001",
        "8.0.30_duplicate_xid_xa_prepare.000001",
        "8.0.30_duplicate_xid_xa_rollback.000001",
        "8.0.30_malformed_xid_xa_commit.000001",
        "8.0.30_orphan_begin_start.000001",
        "8.0.30_orphan_commit.000001",
        "8.0.30_orphan_rollback.000001",
        "8.0.30_orphan_xa_prepare.000001",
        "8.0.30_orphan_xa_rollback.000001",
        "8.0.32_rpl_binlog_with_gipk_info_minimal_metadata.000001",
        "8.0.32_rpl_binlog_with_gipk_info_no_gipk.000001",
        "8.0.32_rpl_binlog_with_gipk_info_with_gipk.000001",
        "8.0.32_transaction_compression.000001",
        "8.0.40_binlog_transaction_previous_GTID_no_tag.000001",
        "8.0.40_time_issue.000001",
        "9.0.1_vector.binlog",
        "x_binlog_truncated_event.000001",
        "x_mysql-bin.000001",
        "x_rpl_nogtid_encryption_master-bin.000002",
    )
)

#: Logs and relay logs of our own servers: scenario -> files.
_SCENARIOS = {
    "a_gtid_off": ("bin.000001", "bin.000002"),
    "b_gtid_on": ("bin.000001", "bin.000002"),
    "c_statement": ("bin.000001",),
    "d_rows_query": ("bin.000001",),
    "e_checksum_none": ("bin.000001", "bin.000002", "bin.000003", "bin.000004"),
    "f_compression": ("bin.000001",),
    "g_tagged_gtid": ("bin.000001", "bin.000002"),
    "h_types_json_full": ("bin.000001",),
    "j_rotate_crash": tuple(f"bin.{number:06d}" for number in range(1, 8)),
    "k_replica_relay/pos": (
        "bin.000001",
        "bin.000002",
        "rbin.000001",
        *(f"relay.{number:06d}" for number in range(1, 6)),
    ),
    "l_mariadb1011": ("bin.000001", "bin.000002"),
}
#: The logs whose output of SHOW BINLOG EVENTS and mysqlbinlog is in files beside them.
LISTED = tuple(f"real-servers/{folder}/{name}" for folder, names in _SCENARIOS.items() for name in names)
#: The logs after a crash; the last one has a torn tail, and its rows are printed too.
TORN = "real-servers/j_rotate_crash/crashed/bin.000006"
CRASHED = (*(f"real-servers/j_rotate_crash/crashed/bin.{number:06d}" for number in range(1, 6)), TORN)

#: Damaged file -> (offset of the event that cannot be read, kind of the error).
DAMAGED = {
    "real-binlogs/5.7.2_binlog_no_fd_event.000001": (4, "no-format-description"),
    "real-binlogs/5.7.2_binlog_truncated_prev_gtid_event.000001": (120, "truncated"),
    "real-binlogs/8.0.30_duplicate_xid.000001": (672, "checksum"),
    "real-binlogs/8.0.30_duplicate_xid_ddl.000001": (507, "checksum"),
    "real-binlogs/8.0.30_duplicate_xid_xa_prepare.000001": (884, "checksum"),
    "real-binlogs/8.0.30_malformed_xid_xa_commit.000001": (889, "checksum"),
    "real-binlogs/x_binlog_truncated_event.000001": (4, "truncated"),
    "real-binlogs/x_mysql-bin.000001": (0, "not-a-binlog"),
    "real-binlogs/x_rpl_nogtid_encryption_master-bin.000002": (0, "encrypted"),
    TORN: (81394, "truncated"),
}

ALL = FOREIGN + LISTED + CRASHED
HEALTHY = tuple(name for name in ALL if name not in DAMAGED)


def logs_in(folder: Path) -> set[str]:
    """Return the names of all binary logs in the ground truth, listed here or not."""
    foreign = {path for path in (folder / "real-binlogs").iterdir() if path.suffix != ".tsv"}
    ours = {path for path in (folder / "real-servers").rglob("*") if path.suffix[1:].isdigit()}
    return {str(path.relative_to(folder)) for path in foreign | ours}
