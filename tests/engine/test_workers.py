"""Workers: however many share a run, its record is the same."""

import multiprocessing
import os
import signal
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from conformance.engine.certification import Budget, Certification, Selection
from conformance.engine.events import PairFinished
from conformance.engine.patience import Patience
from conformance.engine.record_lines import RecordLines
from conformance.engine.workers import WorkerLost, Workers
from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.protocol.observation import Observation, Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.catalogue import catalogue
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from tests.running import double

FAMILIES = ("bad_magic", "ignorable_events", "rows_query_streams", "rotations", "transactions")
PROFILES = ("mysql-5.6", "mysql-8.0", "mariadb-10.x")
SELECTION = Selection(profiles=PROFILES, families=FAMILIES)


class Troubled(ReferenceImplementation):
    """A reader that hangs, crashes, breaks the protocol and misreads, each at some streams.

    Args:
        hangs: How many streams of a hundred it hangs at.
        others: How many it crashes at, and at how many it breaks the protocol.
        wrong: How many it misreads.
    """

    def __init__(self, hangs=0, others=0, wrong=0):
        super().__init__()
        self._hangs, self._others, self._wrong = hangs, others, wrong

    def ask(self, request):
        number = zlib.crc32(request.stream) % 100
        for status, share in (("hang", self._hangs), ("crash", self._others), ("protocol-error", self._others)):
            if number < share and status == "hang":
                return Trouble.hang(min(request.seconds, Limits().seconds), f"at {len(request.stream)} bytes")
            if number < share:
                return Trouble(status, f"{status} of a kind", f"at {len(request.stream)} bytes")
            number -= share
        answer = super().ask(request)
        if number < self._wrong:
            return replace(answer, events=tuple({**event, "log_pos": 0} for event in answer.events))
        return answer


TESTED = {
    "reference": ReferenceImplementation,
    "mutant": partial(implementation, "reference:text-cut-at-255"),
    "wrong": partial(Troubled, wrong=40),
    "some troubles": partial(Troubled, hangs=1, others=3, wrong=20),
    "many hangs": partial(Troubled, hangs=8, others=3, wrong=30),
    "hangs at most": partial(Troubled, hangs=70),
    "hangs always": partial(Troubled, hangs=100),
}


def record_of(make, jobs, *, most=None, budget=Budget(6), selection=SELECTION):  # noqa: B008 - frozen
    """Return the lines of a run's record, with the number of pairs that were shown as finished."""
    lines, pairs = [], []
    options = {
        "spec": "tested",
        "selections": [selection],
        "budget": budget,
        "listeners": [RecordLines(lines.append), lambda event: pairs.append(isinstance(event, PairFinished))],
        "limits": Limits(hangs=5),
    }
    with Workers(make, jobs, most) if jobs else make() as tested:
        Certification(implementation=tested, **options).run()
    lines[0] = replace_times(lines[0], started="")
    lines[-1] = replace_times(lines[-1], elapsed=0.0)
    return [repr(line) for line in lines], sum(pairs)


def replace_times(line, **times):
    for name, value in times.items():
        line = type(line)(**{**{each: getattr(line, each) for each in line.__struct_fields__}, name: value})
    return line


@pytest.fixture(scope="module")
def fork():
    """Return a function that calls another in a fork of this process, which has no threads."""
    catalogue()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        yield lambda function, *arguments, **named: pool.submit(function, *arguments, **named).result(240)


#: What has troubles of fewer kinds, or fewer of them, than another, and is for the slow runs.
LIKE_OTHERS = ("wrong", "some troubles", "hangs at most")


def some_slow(names):
    return [pytest.param(each, marks=pytest.mark.slow if each in LIKE_OTHERS else ()) for each in names]


@pytest.mark.parametrize("tested", some_slow(TESTED))
def test_the_record_is_the_same_however_many_workers_there_are(tested, fork):
    alone, pairs = fork(record_of, TESTED[tested], None)
    for jobs in (1, 2, 3):
        record, finished = fork(record_of, TESTED[tested], jobs)
        assert record == alone, f"with {jobs} workers"
        assert finished >= pairs


@pytest.mark.parametrize("tested", some_slow(["wrong", "some troubles", "many hangs", "hangs always"]))
def test_the_record_is_the_same_where_more_shares_wait_beside_each_other(tested, fork):
    selection = Selection(role="client", profiles=("mysql-5.7",))
    alone, _ = fork(record_of, TESTED[tested], None, selection=selection)
    assert fork(record_of, TESTED[tested], 1, most=4, selection=selection)[0] == alone


class Silent(ReferenceImplementation):
    """Never answers, and notes each hang in a file of its process."""

    def __init__(self, folder):
        super().__init__()
        self._folder = folder

    def ask(self, request):
        with (self._folder / str(os.getpid())).open("a") as file:
            file.write(".")
        time.sleep(0.2)
        return Trouble("hang", "no answer", "")


def test_no_worker_waits_much_longer_for_what_never_answers_than_one_process(fork, tmp_path):
    for jobs in (1, 2):
        (tmp_path / str(jobs)).mkdir()
        fork(record_of, partial(Silent, tmp_path / str(jobs)), jobs)
    hangs = {jobs: [each.stat().st_size for each in (tmp_path / str(jobs)).iterdir()] for jobs in (1, 2)}
    assert max(hangs[2]) <= hangs[1][0], hangs


def test_the_first_failure_is_the_same_however_many_workers_there_are(fork):
    budget = Budget(6, first_failure=True)
    alone, _ = fork(record_of, TESTED["wrong"], None, budget=budget)
    assert fork(record_of, TESTED["wrong"], 3, budget=budget)[0] == alone


@dataclass(frozen=True)
class Numbered:
    cost: int
    role: str = "decode"
    family: str = "transactions"
    waits: bool = False

    def done(self, asking, patience):
        return self.cost


def do_shares(shares, jobs, most=None):
    """Return the results of shares in the order in which they began, and in which they were settled."""
    begun, settled = [], []

    def needed(share):
        # Whether it is needed is looked at again before it is settled.
        if not any(each is share for each in begun):
            begun.append(share)
        return True

    with Workers(ReferenceImplementation, jobs, most) as workers:
        workers.do(shares, Patience(roles=2), needed=needed, settle=lambda share, result: settled.append(result))
    return [getattr(each, "number", each.cost) for each in begun], settled


def test_what_costs_most_begins_after_the_first_and_is_settled_in_its_place(fork):
    costs = [1, 1, 3, 1, 2, 9]
    shares = [*map(Numbered, costs)]
    assert fork(do_shares, shares, 2) == ([1, 9, 3, 2, 1, 1], costs)
    assert fork(do_shares, shares, 1) == (costs, costs)


@dataclass(frozen=True)
class Hanging(Numbered):
    """A share in which the implementation answers, and then hangs as often as its cost."""

    def done(self, asking, patience):
        case = case_of(CaseId("transactions", "mysql-8.0", 1, 0))
        for answer in (Observation(()), *[Trouble("hang", "no answer", "")] * self.cost):
            patience.note(case, answer)
        return self.cost


def hangs_of(shares, jobs):
    """Return the hangs that count after shares of which the last is not needed once the first is settled."""
    settled = []
    with Workers(ReferenceImplementation, jobs) as workers:
        patience = workers.do(
            shares,
            Patience(limits=Limits(hangs=50)),
            needed=lambda share: share is not shares[-1] or not settled,
            settle=lambda share, result: settled.append(result),
        )
    return settled, patience.hangs_since(Patience(), "decode")


def test_what_hangs_in_a_share_that_turns_out_not_to_be_needed_does_not_count(fork):
    shares = [Hanging(1), Hanging(2)]
    assert fork(hangs_of, shares, 1) == fork(hangs_of, shares, 2) == ([1, None], 1)


@dataclass(frozen=True)
class Meeting:
    """A share that goes on when so many have begun, and returns how many had by then; or after some seconds."""

    folder: Path
    number: int
    waits: bool
    role: str = "client"
    family: str = "sent_logs"
    cost: int = 1

    def done(self, asking, patience):
        (self.folder / str(os.getpid())).touch()
        end = time.monotonic() + (20 if self.waits else 1)
        while (begun := len(list(self.folder.iterdir()))) < self.number and time.monotonic() < end:
            time.sleep(0.01)
        return begun


@pytest.mark.parametrize(("waits", "together"), [(True, 4), (False, 2)])
def test_only_shares_that_wait_are_done_by_more_workers_than_work_at_the_same_time(fork, tmp_path, waits, together):
    _, settled = fork(do_shares, [Meeting(tmp_path, 4, waits) for _ in range(4)], 2, most=4)
    assert min(settled) == together


@dataclass(frozen=True)
class Hung:
    """A share in which nothing answers in time; the second of a role begins before the first has ended."""

    number: int
    role: str
    cost: int = 1
    family: str = "transactions"
    waits: bool = False

    def done(self, asking, patience):
        case = replace(case_of(CaseId.parse(f"transactions/mysql-8.0/0/{self.number}")), role=self.role)
        time.sleep(0.5 if self.number == 0 else 0.05)
        patience.note(case, Observation(()))
        for _ in range(2):
            patience.note(case, Trouble.hang(10))
        return self.number


def test_a_role_with_hangs_that_do_not_count_yet_lets_others_begin_first(fork):
    begun, _ = fork(do_shares, [Hung(0, "decode"), Hung(1, "decode"), Hung(2, "decode"), Hung(3, "boundary")], 2)
    assert [*dict.fromkeys(begun)] == [0, 1, 3, 2]


def ask_for_seconds(jobs, seconds):
    began = time.monotonic()
    with Workers(ReferenceImplementation, jobs) as workers:
        finished = Certification(implementation=workers, spec="reference", budget=Budget(None, seconds)).run()
    return finished.tally.cases, time.monotonic() - began


def test_a_time_limit_holds_for_all_workers(fork):
    cases, seconds = fork(ask_for_seconds, 2, 1.0)
    assert cases > 1
    assert seconds < 60


class Killed(ReferenceImplementation):
    def ask(self, request):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_ends_the_run_with_one_line(fork):
    with pytest.raises(WorkerLost, match=r"^a process of the kit ended with status -9: use fewer, -j 1$"):
        fork(record_of, Killed, 2)


class Faulty(ReferenceImplementation):
    def ask(self, request):
        raise RuntimeError("a bug of the kit")


def test_an_exception_of_a_worker_is_raised_with_its_traceback(fork):
    with pytest.raises(RuntimeError, match="a bug of the kit") as raised:
        fork(record_of, Faulty, 2)
    assert "in ask" in str(raised.value.__cause__) + "".join(getattr(raised.value, "__notes__", []))


@pytest.mark.parametrize("part", ["fields", "roles"])
def test_another_declaration_in_another_process_breaks_the_protocol(part, tmp_path, fork):
    declares = partial(implementation, double("declares_something_else", "trigger", str(tmp_path), part))
    record, _ = fork(partial(record_of, selection=replace(SELECTION, profiles=("mysql-8.0",))), declares, 2)
    assert any("started again, it declares something else: roles.decode" in line for line in record)
    assert "conforming=False" in record[-1]


def test_workers_that_are_interrupted_while_they_begin_leave_none(monkeypatch):
    start = multiprocessing.process.BaseProcess.start

    def interrupted(process):
        start(process)
        signal.raise_signal(signal.SIGINT)

    others = set(multiprocessing.active_children())
    monkeypatch.setattr(multiprocessing.process.BaseProcess, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), Workers(ReferenceImplementation, 2):
        pass
    assert set(multiprocessing.active_children()) <= others
