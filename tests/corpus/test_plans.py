"""The number of each case depends on the plan alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from conformance.corpus.kit_archive import PACKAGE, digest, write_archive
from conformance.corpus.pace import Pace
from conformance.corpus.plan import Plan, Size
from conformance.corpus.worker import Stretch
from conformance.specs.conversion import converted
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

PLAN = Plan((("transactions", "mysql-8.0"), ("bad_magic", "mysql-5.6"), ("gtid_streams", "mysql-8.4")), seed=3)


def test_the_pairs_take_turns():
    assert [str(PLAN.case_id(number)) for number in range(4)] == [
        "transactions/mysql-8.0/3/0",
        "bad_magic/mysql-5.6/3/0",
        "gtid_streams/mysql-8.4/3/0",
        "transactions/mysql-8.0/3/1",
    ]


def test_a_case_is_made_again_from_its_id():
    for number in range(30):
        case = PLAN.case(number)
        assert case_of(CaseId.parse(str(case.id))).stream == case.stream


def test_a_plan_is_read_as_it_was_written():
    assert converted(msgspec.to_builtins(PLAN), Plan) == PLAN


def test_events_lead_from_goal_to_goal():
    size = Size(events=1000)
    first = size.goal(PLAN, cases=0, events=0)
    assert first == pytest.approx(950 / 1000 * PLAN.cases_with(1000), abs=2)
    assert size.goal(PLAN, cases=first, events=1000) == first
    assert size.goal(PLAN, cases=first, events=900) > first


def test_streams_without_events_cannot_be_counted_by_events():
    with pytest.raises(ValueError, match="give the number of cases"):
        Size(events=10).goal(Plan((("bad_magic", "mysql-5.6"),)), cases=0, events=0)


@pytest.mark.parametrize("given", [{}, {"cases": 1, "events": 1}, {"events": 1, "seconds": 1.0}])
def test_a_size_is_one_of_three(given):
    with pytest.raises(ValueError, match="give one of the number of cases, the number of events and the time"):
        Size(**given)


@pytest.mark.parametrize("first", [0, 500, 777])
@pytest.mark.parametrize("size", [500, 1000])
def test_shards_are_the_numbers_of_a_stretch_each_once(first, size):
    stretch = Stretch(first, 3210, size)
    shards = [shard for task in range(stretch.tasks) for shard in stretch.shards(task)]
    assert [number for shard in shards for number in range(*shard)] == list(range(first, 3210))


@pytest.mark.parametrize("cores", [1, 2, 500])
def test_waves_are_stretches_of_whole_shards_up_to_the_goal(cores):
    pace = Pace(cores)
    first = 0
    while first < 100_000:
        stretch = pace.stretch(first, goal=100_000)
        assert stretch.first == first < stretch.end
        assert stretch.end % 500 == 0
        pace.done(stretch.end - first, 2.0)
        first = stretch.end
    assert first == 100_000


def test_the_kit_works_where_its_archive_is_unpacked(tmp_path):
    (tmp_path / "sent").mkdir()
    shutil.unpack_archive(write_archive(tmp_path / "sent"), tmp_path / "there" / PACKAGE)
    code = (
        "import conformance; print(conformance.__file__)\n"
        "from conformance.corpus.counts import Counts\n"
        "from conformance.corpus.judging import CaseJudge, KitErrors, planned_cases\n"
        "from conformance.corpus.kit_archive import digest\n"
        "from conformance.corpus.plan import Plan\n"
        "from conformance.implementations.registry import implementation\n"
        "from conformance.oracles.judge import Judge\n"
        "reference, counts, errors = implementation('reference'), Counts(), KitErrors()\n"
        "judge = CaseJudge(reference, Judge(reference.declaration.roles['decode']), kit_errors=errors)\n"
        "judge.count(planned_cases(Plan((('transactions', 'mysql-8.0'),)), 0, 20, kit_errors=errors), counts)\n"
        "print(counts.totals['cases judged'], len(errors.entries), digest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "there", env={}, capture_output=True, text=True, check=False
    )
    there, *results = done.stdout.split()
    assert Path(there) == tmp_path / "there" / "conformance" / "__init__.py", done.stderr
    assert results == ["20", "0", digest()], done.stderr
