"""Logs that follow each other: the Rotate names the next one, which has all GTIDs of the earlier ones."""

import pytest
from judged_log import judge
from written_log import OTHER_UUID, WrittenLog, gtid_set

from conformance.log_check.log_chain import JUDGED_IN_A_CHAIN, follows, judge_chain
from conformance.log_check.verdicts import Verdicts


def chain(before, after, names=("bin.000001", "bin.000002")):
    first, second = judge(before.data, name=names[0])[0], judge(after.data, name=names[1])[0]
    violations = []
    judged = [Verdicts(JUDGED_IN_A_CHAIN, violations.append) for _ in range(2)]
    assert follows(first, second)
    judge_chain(first, second, of_before=judged[0], of_after=judged[1])
    return judged[0].judged + judged[1].judged, violations


def test_a_chain_that_holds():
    first = WrittenLog().begin(gtid_set((1, 3))).gtid(4).insert().gtid(6).insert().rotate("bin.000002")
    judged, violations = chain(first, WrittenLog().begin(gtid_set((1, 4), (6, 6))).gtid(5).insert())
    assert violations == []
    assert set(judged) == set(JUDGED_IN_A_CHAIN)


def test_a_gtid_that_the_next_log_has_lost():
    first = WrittenLog().begin(gtid_set((1, 3))).gtid(5).insert().rotate("bin.000002")
    second = WrittenLog().begin(gtid_set((1, 2)))
    _, (violation,) = chain(first, second)
    assert violation.requirement == "WL7592-LOG-PREVIOUS-GTIDS-KEPT"
    assert violation.offset == second.offsets[1]
    assert violation.actual.endswith(":3:5")


def test_a_source_that_the_next_log_has_lost():
    first = WrittenLog().begin(gtid_set((1, 3))).gtid(1, uuid=OTHER_UUID).insert()
    _, (violation,) = chain(first, WrittenLog(created=1).begin(gtid_set((1, 3))))
    assert violation.requirement == "WL7592-LOG-PREVIOUS-GTIDS-KEPT"


@pytest.mark.parametrize(("name", "position"), [("bin.000003", 4), ("bin.000002", 120), ("elsewhere", 4)])
def test_a_rotate_to_another_place_than_the_next_log(name, position):
    first = WrittenLog().begin().rotate(name, position=position)
    _, (violation,) = chain(first, WrittenLog().begin())
    assert (violation.requirement, violation.offset) == ("FORMAT-LOG-ROTATE-NEXT", first.last)


def test_a_log_whose_server_crashed_has_no_rotate():
    judged, violations = chain(WrittenLog().begin(), WrittenLog(created=1).begin())
    assert violations == []
    assert "FORMAT-LOG-ROTATE-NEXT" not in judged


@pytest.mark.parametrize(
    ("first", "created", "actual"),
    [
        (WrittenLog().begin().rotate("bin.000002"), 1, "1 as the time of a start"),
        (WrittenLog().begin().stop(), 0, "0 as the time of a start"),
        (WrittenLog().begin(), 0, "0 as the time of a start"),
    ],
)
def test_a_log_has_the_time_of_a_start_if_the_log_before_it_was_not_rotated(first, created, actual):
    _, (violation,) = chain(first, WrittenLog(created=created).begin())
    assert (violation.requirement, violation.offset, violation.actual) == ("FORMAT-LOG-CREATED", 4, actual)


def test_how_a_damaged_log_ends_is_not_judged():
    first = WrittenLog().begin().anonymous().insert().rotate("bin.000002")
    first.data[first.offsets[2] + 30] ^= 1
    judged, violations = chain(first, WrittenLog().begin())
    assert violations == []
    assert "FORMAT-LOG-CREATED" not in judged


@pytest.mark.parametrize(
    "names",
    [
        ("bin.000001", "bin.000003"),
        ("bin.000001", "other.000002"),
        ("a/bin.000001", "b/bin.000002"),
        ("bin.000002", "bin.000001"),
        ("-", "bin.000002"),
    ],
)
def test_files_that_do_not_follow_each_other(names):
    logs = [judge(WrittenLog().begin().data, name=name)[0] for name in names]
    assert not follows(*logs)
