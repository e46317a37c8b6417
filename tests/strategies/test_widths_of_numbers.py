"""The numbers in the events that decoders are asked about use all the bits of their fields, where such values occur."""

from collections import defaultdict
from itertools import product

from conformance.binlog.event_types import EventType
from conformance.binlog.layouts.by_type import layout_of
from conformance.engine.discovery import numbers_by_default
from conformance.specs.profiles import PROFILES
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

ROLE = "decode"
#: A post-header with room for every field.
ROOM = 60
#: Field -> the bits of the largest value that occurs, where the field has more room than its values need.
FEWER = {
    # A log of a terabyte, which is larger than any server writes.
    "next_position": 40,
    # Words: kinds, versions of formats, flags with a meaning.
    "intvar_type": 2,
    "variable_type": 3,
    "binlog_version": 3,
    "duplicate_handling": 2,
    "incident": 1,
    "gtid_flags": 1,
    "gtid_specified": 1,
    "one_phase": 1,
    "rows_flags": 4,
    "header_version": 1,
    "terminating_type": 5,
    # The largest collation is one of MariaDB.
    "variable_charset": 11,
    # Places in a statement, numbers of what is listed, an offset in a log: larger ones need larger streams.
    "file_name_start": 17,
    "file_name_end": 17,
    "write_set_count": 9,
    "read_set_count": 9,
    "certification_count": 9,
    "terminating_offset": 14,
    # Numbers with a sign in servers.
    "last_committed": 63,
    "sequence_number": 63,
    # The highest bit announces another field.
    "immediate_commit_timestamp": 55,
    "original_commit_timestamp": 55,
    # Versions of servers; 999999 where a source gave none.
    "immediate_server_version": 17,
    "original_server_version": 20,
}


def bits_of_numbers():
    """Return the bits of the largest value of each field of one number in a default run.

    By event type, whether it is an extended Query event, and name.
    """
    bits = defaultdict(int)
    for family in (each for each in families().values() if ROLE in each.focus):
        profiles = tuple(each for each in PROFILES if each in family.profiles_of(ROLE))
        for profile, numbers in numbers_by_default(family.name, profiles, role=ROLE).items():
            for index in numbers:
                case = case_of(CaseId(family.name, profile, seed=0, index=index, role=ROLE))
                for entry in case.expected.events:
                    for name, value in entry.items():
                        if isinstance(value, int):
                            key = (entry["type"], "tables_info" in entry, name)
                            bits[key] = max(bits[key], value.bit_length())
    return bits


def test_every_number_uses_all_bits_of_its_field():
    seen, short = bits_of_numbers(), {}
    for code, extended in product(EventType, (False, True)):
        layout = layout_of(code, ROOM)
        for field in layout.post_header + layout.body:
            size = getattr(field.codec, "size", None)
            if isinstance(size, int) and seen.get((code, extended, field.name)):
                needed = FEWER.get(field.name, 8 * size)
                if seen[code, extended, field.name] < needed:
                    short[f"{code.name}.{field.name}", extended] = (seen[code, extended, field.name], needed)
    assert short == {}
