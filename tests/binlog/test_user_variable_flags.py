"""The flags byte of a User_var event in real logs: after integers from 5.6 on, and after nothing else."""

from contextlib import suppress

import pytest
from real_files import ALL

from conformance.binlog.errors import BinlogError
from conformance.binlog.event_types import EventType
from conformance.binlog.format_description import version_tuple
from conformance.binlog.reader import read_events
from conformance.binlog.user_variable import VariableType

#: Servers without it: 5.1, and an alpha of 5.2 as old as 5.1.
BEFORE = {(5, 1, 23), (5, 2, 2)}


@pytest.mark.ground_truth
def test_only_integers_since_5_6_have_flags(ground_truth):
    flagged, bare = set(), set()
    for name in ALL:
        with suppress(BinlogError):
            for event in read_events((ground_truth / name).read_bytes()):
                fields = event.fields() if event.header.type == EventType.USER_VAR else {"is_null": 1}
                if not fields["is_null"]:
                    seen = version_tuple(event.format.server_version), fields["variable_type"]
                    (flagged if "variable_flags" in fields else bare).add(seen)
    integers = {version for version, kind in bare if kind == VariableType.INT}
    assert integers == BEFORE
    assert {version for version, _ in flagged} == {(5, 6, 4), (9, 7, 4)}
    assert {kind for _, kind in flagged} == {VariableType.INT}
    others = {VariableType.STRING, VariableType.REAL, VariableType.DECIMAL}
    assert {kind for _, kind in bare} == others | {VariableType.INT}
