"""The capabilities of tables and of sets of tables."""

import itertools

import pytest

from conformance.models.decision.capability import BOTH, NEITHER, ROW_ONLY, STATEMENT_ONLY, Capability
from conformance.models.decision.engines import (
    WORKLOG_ENGINES,
    parse_engine_capability,
    shipped_capability,
    table_of,
    usual_name,
    worklog_capability,
)
from conformance.models.decision.locked_table import LockedTable, locked_capability, partitioned, written_capability
from conformance.specs.catalogue import catalogue

ALL = (NEITHER, STATEMENT_ONLY, ROW_ONLY, BOTH)


def in_worklog(engine, written=True):
    return table_of(engine, capability_of=worklog_capability, given={}, written=written)


@pytest.mark.parametrize("members", [each for size in range(4) for each in itertools.product(ALL, repeat=size)])
def test_a_set_can_log_what_all_its_members_can_log(members):
    capability = Capability.of_set(members)
    assert capability.row is (False not in {each.row for each in members})
    assert capability.statement is (False not in {each.statement for each in members})


def test_the_restrictions_of_the_four_capabilities():
    assert [(each.row_restricted, each.statement_restricted) for each in ALL] == [
        (False, False),
        (False, True),
        (True, False),
        (False, False),
    ]
    assert [each.letters for each in ALL] == ["NN", "NY", "YN", "YY"]


def test_a_capability_is_read_as_it_is_written():
    for each in (STATEMENT_ONLY, ROW_ONLY, BOTH):
        assert Capability.parse(str(each)) == each
    assert Capability.parse("") == NEITHER
    assert Capability.parse("stmt,row") == BOTH
    for wrong in ("rows", "row,", "row,row", "row stmt", "neither"):
        with pytest.raises(ValueError, match=repr(wrong)):
            Capability.parse(wrong)


def test_each_engine_of_the_worklog_is_a_requirement():
    named = {name for name in catalogue() if name.startswith("WL3303-ENGINE-") and "MAY-FORBID" not in name}
    assert {each.requirement for each in WORKLOG_ENGINES} == named
    for engine in WORKLOG_ENGINES:
        text = catalogue()[engine.requirement].text
        assert ("not statement logging capable" in text) is (not engine.capability.statement)
        assert ("not row logging capable" in text) is (not engine.capability.row)


def test_an_engine_is_known_by_each_of_its_names():
    for engine in WORKLOG_ENGINES:
        for name in (engine.handler, *engine.names):
            assert worklog_capability(name.upper()) == engine.capability
            assert usual_name(name) == engine.names[0]


def test_an_engine_without_a_row_has_to_be_given():
    with pytest.raises(ValueError, match="'innodb'"):
        worklog_capability("innodb")
    assert shipped_capability("InnoDB") == BOTH
    with pytest.raises(ValueError, match="'rocksdb'"):
        shipped_capability("rocksdb")
    name, capability = parse_engine_capability("RocksDB=row")
    assert table_of("rocksdb", capability_of=worklog_capability, given={name: capability}) == LockedTable(
        "rocksdb", ROW_ONLY
    )
    for wrong in ("innodb", "=row"):
        with pytest.raises(ValueError, match=f"'{wrong}'"):
            parse_engine_capability(wrong)


def test_a_given_capability_counts_for_every_name_of_the_engine():
    for spelling in ("heap", "MEMORY", "ha_heap"):
        name, capability = parse_engine_capability(f"{spelling}=stmt")
        assert table_of("memory", capability_of=worklog_capability, given={name: capability}).capability == (
            STATEMENT_ONLY
        )


@pytest.mark.parametrize("parts", [each for size in (1, 2, 3) for each in itertools.product(ALL, repeat=size)])
def test_a_partitioned_table_can_log_what_its_parts_can_log(parts):
    table = partitioned([LockedTable("part", each) for each in parts])
    assert table.capability == Capability.of_set(parts)
    assert table.engine == "partition"


def test_a_partitioned_table_is_named_by_its_parts():
    assert in_worklog("partition:myisam+ndb").capability == ROW_ONLY
    assert in_worklog("partition:blackhole+ndb").capability == NEITHER
    for empty in ("partition:", "partition:+"):
        with pytest.raises(ValueError, match="at least one part"):
            in_worklog(empty)


def test_tables_that_are_only_read_count_for_the_worklog_alone():
    tables = [in_worklog("myisam"), in_worklog("ndb", written=False)]
    assert locked_capability(tables) == ROW_ONLY
    assert written_capability(tables) == BOTH


def test_two_tables_of_one_engine_may_differ():
    tables = [LockedTable("innodb", BOTH), LockedTable("innodb", ROW_ONLY)]
    assert locked_capability(tables) == ROW_ONLY
