"""The ids of tables: a server gives a changed table another one, and never one that another table has had."""

import pytest

from conformance.binlog.event_types import EventType
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families

#: Cases of each family under each profile.
CASES = 20
NAMES = [name for name, each in families().items() if "decode" in each.focus]


def reused(case):
    """Return the places at which a Table_map event has the id of another table of the same run of the server."""
    tables = {}
    for entry in case.expected.events:
        if entry["type"] == EventType.FORMAT_DESCRIPTION and entry["created"]:
            tables = {}
        if entry["type"] == EventType.TABLE_MAP:
            table = entry["database"], entry["table"], entry["column_count"]
            if tables.setdefault(entry["table_id"], table) != table:
                yield entry["offset"]


@pytest.mark.parametrize("name", NAMES)
def test_no_two_tables_of_one_run_of_a_server_have_the_same_id(name):
    profiles = families()[name].profiles_of("decode")
    ids = [CaseId(name, profile, seed=0, index=index) for profile in profiles for index in range(CASES)]
    assert {str(each): places for each in ids if (places := list(reused(case_of(each))))} == {}
