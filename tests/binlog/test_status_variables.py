"""Status variables of Query events."""

from hypothesis import given
from hypothesis import strategies as st

from conformance.binlog.status_variables import read_status_variables, write_status_variables

U8, U16, U32, U64 = (st.integers(0, (1 << 8 * size) - 1) for size in (1, 2, 4, 8))
text = st.binary(max_size=255)
names = st.binary(max_size=9).filter(lambda name: b"\0" not in name)

VARIABLES = {
    "flags2": U32,
    "sql_mode": U64,
    "catalog_with_nul": text,
    "auto_increment": st.fixed_dictionaries({"increment": U16, "offset": U16}),
    "charset": st.fixed_dictionaries(
        {"character_set_client": U16, "collation_connection": U16, "collation_server": U16}
    ),
    "time_zone": text,
    "catalog": text,
    "lc_time_names": U16,
    "charset_database": U16,
    "table_map_for_update": U64,
    "master_data_written": U32,
    "invoker": st.fixed_dictionaries({"user": text, "host": text}),
    "updated_databases": st.none() | st.lists(names, max_size=16).map(tuple),
    "microseconds": st.integers(0, 999999),
    "explicit_defaults_for_timestamp": U8,
    "ddl_xid": U64,
    "default_collation_for_utf8mb4": U16,
    "sql_require_primary_key": U8,
    "default_table_encryption": U8,
    "status_variable_21": U8,
    "mariadb_microseconds": st.integers(0, 999999),
    "mariadb_xid": U64,
    "mariadb_gtid_flags": st.fixed_dictionaries({"flags": st.sampled_from((0, 1, 2))})
    | st.fixed_dictionaries({"flags": st.sampled_from((4, 8)), "start_alter_gno": U64}),
    "mariadb_character_set_collations": st.lists(
        st.fixed_dictionaries({"character_set": U16, "collation": U16}), max_size=3
    ).map(tuple),
}


def test_a_block_is_read_code_by_code():
    block = bytes.fromhex("00 00000000  01 2000a04500000000  06 03 737464  04 ff00 ff00 1200")
    assert read_status_variables(block) == {
        "flags2": 0,
        "sql_mode": 0x45A00020,
        "catalog": b"std",
        "charset": {"character_set_client": 255, "collation_connection": 255, "collation_server": 18},
    }


def test_an_unknown_code_ends_the_block_and_the_rest_is_kept():
    block = bytes.fromhex("07 0400  63 0102  08 0800")
    variables = read_status_variables(block)
    assert variables == {"lc_time_names": 4, "tail": bytes.fromhex("63 0102  08 0800")}
    assert write_status_variables(variables) == block


def test_a_truncated_variable_is_kept_unchanged():
    block = bytes.fromhex("07 0400  01 2000")
    assert read_status_variables(block) == {"lc_time_names": 4, "tail": bytes.fromhex("01 2000")}


def test_too_many_databases_have_no_names():
    assert read_status_variables(bytes([12, 254])) == {"updated_databases": None}
    assert read_status_variables(b"\x0c\x02d1\0d2\0") == {"updated_databases": (b"d1", b"d2")}


def test_mariadb_gtid_flags_may_hold_the_number_of_the_alter_that_is_committed():
    assert read_status_variables(bytes.fromhex("82 04 f103000000000000")) == {
        "mariadb_gtid_flags": {"flags": 4, "start_alter_gno": 1009}
    }


@given(st.fixed_dictionaries({}, optional=VARIABLES))
def test_what_is_written_is_read(variables):
    assert read_status_variables(write_status_variables(variables)) == variables


@given(st.binary(max_size=60))
def test_any_block_is_rewritten_byte_for_byte(block):
    assert write_status_variables(read_status_variables(block)) == block
