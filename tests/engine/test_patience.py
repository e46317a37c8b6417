"""A run ends in bounded time whatever the answers take, and shows what was not asked."""

import math
import time
from dataclasses import replace

import pytest

from conformance.engine.baseline import Baseline, KnownFailure
from conformance.engine.certification import Budget, Certification, Selection
from conformance.engine.events import FailureFound
from conformance.engine.failure import Counts
from conformance.engine.patience import Patience
from conformance.engine.record_lines import RecordLines
from conformance.engine.shrinking import Shrinker
from conformance.fuzzing.fuzzing import Fuzzing
from conformance.fuzzing.kept_cases import KeptCases
from conformance.implementations.process.limits import Limits
from conformance.oracles.cause import Cause
from conformance.oracles.judge import Judge, request_of
from conformance.oracles.verdict import Verdict
from conformance.protocol.observation import Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.reports.junit import junit_report
from conformance.reports.markdown import markdown_report
from conformance.reports.outcome import cell, outcome
from conformance.reports.record import RecordWriter, read_record
from conformance.specs.catalogue import catalogue
from conformance.specs.run_record import WITHOUT_ANSWERS
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of

HANG = Trouble("hang", "no answer within the time limit", "no answer within the time limit of 10 s")
CRASH = Trouble("crash", "closed-its-output", "")
GROUP = "mysql 5.6 to 8.4"
ROWS_QUERY = 29
FAMILIES = ("transactions", "rows_query_streams")


class Hanging(ReferenceImplementation):
    """The reference, which hangs at all streams, or only at those with an event of some type.

    It does not wait: the kit sees a hang by the answer that its process gives.
    """

    def __init__(self, type_code=None):
        super().__init__()
        self.type_code = type_code
        self.questions = 0
        self.hangs = 0

    def ask(self, request):
        self.questions += 1
        answer = super().ask(request)
        if self.type_code is None or any(event["type"] == self.type_code for event in answer.events):
            self.hangs += 1
            return HANG
        return answer


def certify(hanging, **options):
    options.setdefault("selections", [Selection("decode", profiles=("mysql-8.0",), families=FAMILIES)])
    options.setdefault("budget", Budget(examples=40))
    return options.pop("kind", Certification)(implementation=hanging, spec="reference", **options).run()


def test_an_implementation_that_never_answers_is_asked_twice():
    hanging = Hanging()
    finished = certify(hanging)
    assert hanging.questions == 2
    assert finished.tally.troubles["hang"] == 2
    assert finished.tally.not_asked == finished.tally.cases - 2 > 0
    assert not finished.conforming
    assert {finished.tally.verdict(each) for each in finished.tally.results} <= {"hang", "not-asked", "unsupported"}


def test_an_implementation_that_hangs_at_one_thing_is_judged_on_everything_else():
    hanging = Hanging(ROWS_QUERY)
    finished = certify(hanging)
    tally = finished.tally
    assert tally.troubles["hang"] == 2
    assert tally.families["transactions"]["mysql-8.0"] == 40
    assert tally.verdict("FORMAT-HEADER-TYPE") == "hang"
    assert tally.statuses("FORMAT-HEADER-TYPE")["pass"] >= 40
    assert 0 < tally.not_asked < 40
    # Shrinking takes its hangs from the same number.
    assert hanging.hangs <= Limits().hangs


class HangingAndWrong(Hanging):
    """It also reports a wrong server id in every event."""

    def ask(self, request):
        answer = super().ask(request)
        if answer is HANG:
            return answer
        return replace(answer, events=tuple({**each, "server_id": each["server_id"] + 1} for each in answer.events))


def test_other_failures_are_shrunk_after_the_last_hang_that_is_allowed():
    hanging = HangingAndWrong(ROWS_QUERY)
    finished = certify(hanging, limits=Limits(hangs=1))
    wrong = [each for each in finished.failures if each.verdict.requirement == "FORMAT-HEADER-SERVER-ID"]
    assert wrong
    for each in wrong:
        assert "not asked again" not in each.verdict.message
        assert len(each.case.stream) < 400
    assert 1 <= hanging.hangs <= 2


def test_a_role_that_hangs_leaves_the_other_roles_theirs():
    class HangingReceiver(Hanging):
        def ask(self, request):
            return HANG if request.role == "relay" else ReferenceImplementation().ask(request)

    selections = [Selection(role, profiles=("mysql-8.0",)) for role in ("decode", "relay", "decide")]
    finished = certify(HangingReceiver(), selections=selections, budget=Budget(examples=3))
    tally = finished.tally
    assert tally.troubles["hang"] == Limits().hangs
    assert tally.not_asked > 0
    passed = {catalogue()[each].role for each in tally.results if tally.verdict(each) == "pass"}
    assert {"decode", "decide"} <= passed
    assert {failure.case.role for failure in finished.failures} == {"relay"}


def test_once_a_role_has_ended_few_hangs_end_each_other():
    class Freezing(ReferenceImplementation):
        def __init__(self):
            super().__init__()
            self.hangs = {}
            self.answered = False

        def ask(self, request):
            if self.answered:
                self.hangs[request.role] = self.hangs.get(request.role, 0) + 1
                return HANG
            self.answered = True
            return super().ask(request)

    freezing = Freezing()
    selections = [Selection(role, profiles=("mysql-8.0",)) for role in ("decode", "relay", "filter")]
    certify(freezing, selections=selections, budget=Budget(examples=3))
    few, shrinking = 2, 1
    assert freezing.hangs["decode"] <= Limits().hangs + shrinking
    assert max(freezing.hangs[role] for role in ("relay", "filter")) <= few + shrinking


def test_after_a_few_hangs_an_answer_has_a_fifth_of_the_time_and_after_more_a_tenth():
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    request, patience = request_of(case), Patience(Limits(seconds=10), roles=2)
    for _ in range(2):
        assert patience.seconds(request) == math.inf
        patience.note(case, HANG)
    assert patience.seconds(request) == 2
    assert patience.seconds(replace(request, is_measured=True)) == math.inf
    assert patience.seconds(replace(request, stream=bytes((1 << 20) + 1))) == math.inf
    for _ in range(3):
        patience.note(case, HANG)
    assert patience.seconds(request) == 1


def test_a_client_that_connects_again_has_half_of_the_time_after_hangs():
    """Several wait for a second each time; within a tenth of ten seconds no answer could come."""
    cut = next(
        request
        for index in range(9)
        if (request := request_of(case_of(CaseId.parse(f"client:sent_logs/mysql-8.0/0/{index}")))).loses_connection
    )
    patience = Patience(Limits(seconds=10), roles=2)
    for _ in range(5):
        patience.note(case_of(CaseId.parse("transactions/mysql-8.0/0/0")), HANG)
    assert patience.seconds(cut) == 5
    assert patience.seconds(replace(cut, settings={})) == 1


@pytest.mark.parametrize(("before", "done_again"), [(0, False), (1, True), (2, True)])
def test_a_part_that_waited_longer_than_after_those_before_it_is_done_again(before, done_again):
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    patience = Patience(Limits(hangs=5), roles=2)
    patience.note(case, ReferenceImplementation().ask(request_of(case)))
    begun = patience.copied()
    ended = begun.copied()
    for _ in range(2):
        ended.note(case, HANG)
    for _ in range(before):
        patience.note(case, HANG)
    assert (patience.after("decode", "transactions", begun, ended) is None) == done_again


def test_what_is_done_again_does_not_wait_again():
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    patience, limits = Patience(Limits(), roles=2), []

    def ask(request):
        limits.append(request.seconds)
        return HANG

    first = patience.copied()
    assert first.answer(case, request_of(case), ask) is HANG
    assert patience.copied(again=first).answer(case, request_of(case), ask) is HANG
    assert patience.copied(again=patience.copied(again=first)).answer(case, request_of(case), ask) is HANG
    assert limits == [math.inf]
    assert patience.copied().answer(case, request_of(case), ask) is HANG
    assert len(limits) == 2


def test_a_role_that_is_not_asked_any_more_names_itself():
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    patience = Patience(Limits(hangs=2), roles=2)
    patience.note(case, ReferenceImplementation().ask(request_of(case)))
    for _ in range(2):
        patience.note(case, HANG)
    refusal = patience.refusal(case)
    assert "2 hangs in the role decode" in str(refusal)
    assert patience.ends("decode")
    assert not patience.ends("relay")
    assert not patience.exhausted


def test_the_number_can_be_raised():
    limits = Limits(hangs=1000)
    finished = certify(Hanging(ROWS_QUERY), limits=limits)
    assert finished.tally.not_asked == 0
    assert finished.tally.troubles["hang"] > 2


def test_a_run_with_cases_that_were_not_asked_never_conforms():
    known = KnownFailure("*", (GROUP,), ("TROUBLE",), "it hangs at these")
    other = KnownFailure("rows_query missing", (GROUP,), ("WL4033-READ-ROWS-QUERY-TEXT",), "seen in earlier runs")
    finished = certify(Hanging(ROWS_QUERY), baseline=Baseline("b.toml", (known, other)))
    assert all(failure.known for failure in finished.failures)
    assert finished.tally.not_asked
    assert not finished.conforming
    # Whether the other one still occurs is not known.
    assert (finished.unexpected_passes, finished.stale) == ([], [])


def test_a_hang_that_is_known_is_not_waited_for_again():
    known = KnownFailure("*", (GROUP,), ("TROUBLE",), "it hangs at these")
    hanging = Hanging(ROWS_QUERY)
    finished = certify(hanging, baseline=Baseline("b.toml", (known,)))
    assert hanging.hangs == finished.tally.troubles["hang"] == 2
    (failure,) = finished.failures
    assert failure.answer == HANG


@pytest.mark.parametrize("kind", [Certification, Fuzzing])
def test_a_run_that_is_limited_by_time_ends_at_the_first_answer_after_it(kind, tmp_path):
    class Slow(ReferenceImplementation):
        questions = 0

        def ask(self, request):
            self.questions += 1
            time.sleep(0.1)
            return super().ask(request)

    options = {"seconds": 0.25, "kept": KeptCases(tmp_path)} if kind is Fuzzing else {}
    slow = Slow()
    finished = certify(slow, kind=kind, budget=Budget(None, 0.25), **options)
    assert slow.questions == finished.tally.cases <= 4


@pytest.mark.parametrize("kind", [Certification, Fuzzing])
def test_a_run_that_is_limited_by_time_ends_when_nothing_more_is_asked(kind, tmp_path):
    options = {"seconds": 600.0, "kept": KeptCases(tmp_path)} if kind is Fuzzing else {}
    finished = certify(Hanging(), kind=kind, budget=Budget(None, 600.0), **options)
    assert (finished.tally.cases, finished.tally.not_asked) == (4, 1)
    assert not finished.conforming


def test_a_crash_counts_for_the_time_that_it_takes(monkeypatch):
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    def crash_late(request):
        clock[0] += 5
        return CRASH

    patience, questions = Patience(Limits(seconds=10)), 0
    while patience.refusal(case) is None:
        patience.answer(case, request_of(case), crash_late)
        questions += 1
    assert questions == 4, "each counts as half a hang, and two hangs end what has never answered"

    patience = Patience(Limits(seconds=10))
    for _ in range(1000):
        patience.answer(case, request_of(case), lambda request: CRASH)
    assert patience.refusal(case) is None


def test_what_was_not_asked_is_in_the_record_and_in_every_report(tmp_path):
    with RecordWriter(tmp_path / "run.jsonl") as writer:
        finished = certify(Hanging(ROWS_QUERY), listeners=(RecordLines(writer.append),))
    record = read_record(tmp_path / "run.jsonl")
    number = finished.tally.not_asked
    assert record.footer.not_asked == number
    (note,) = [each for each in outcome(record).notes if "not asked" in each]
    assert note.startswith(f"{number} of {finished.tally.cases} cases not asked: {WITHOUT_ANSWERS}")
    assert f"{number} of {finished.tally.cases} cases not asked: {WITHOUT_ANSWERS}" in markdown_report(record)
    assert f"{number} cases were not asked: {WITHOUT_ANSWERS}" in junit_report(record)
    unasked = next(each for each in record.requirements if each.verdict == "not-asked")
    assert cell(unasked, "mysql-8.0").status == "not-asked"
    assert outcome(record).counts["not-asked"] >= 1


def test_a_question_is_asked_before_anything_has_hung():
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    answer = ReferenceImplementation().ask(request_of(case))
    patience = Patience()
    assert patience.answer(case, request_of(case), lambda request: answer) is answer
    assert patience.refusal(case) is None


@pytest.mark.parametrize(("seconds", "hangs"), [(None, 5), (60, 5), (8 * 3600, 288)])
def test_a_run_of_a_given_time_may_spend_a_tenth_of_it_on_hangs(seconds, hangs):
    assert Patience.of_run(Limits(), seconds).limits.hangs == hangs


def test_crashes_that_take_their_time_do_not_keep_failures_from_being_shrunk():
    """Crashes that take so long in discovery, and when they are shrunk, that nothing more would be asked."""

    class Crashing(ReferenceImplementation):
        def ask(self, request):
            answer = super().ask(request)
            if len(request.stream) % 3 == 0:
                time.sleep(0.06)
                return CRASH
            return replace(answer, events=tuple({**event, "log_pos": 0} for event in answer.events))

    finished = certify(Crashing(), limits=Limits(seconds=0.2))
    shrunk = [each for each in finished.failures if each.verdict.status == "fail"]
    assert shrunk
    assert not [each for each in finished.failures if "asked again" in each.verdict.message]


def test_what_hangs_is_shrunk_last():
    class Wrong(Hanging):
        def ask(self, request):
            answer = super().ask(request)
            if isinstance(answer, Trouble):
                return answer
            return replace(answer, events=tuple({**event, "log_pos": 0} for event in answer.events))

    events = []
    certify(Wrong(ROWS_QUERY), listeners=[events.append])
    statuses = [each.failure.verdict.status for each in events if isinstance(each, FailureFound)]
    assert set(statuses[:-1]) == {"fail"}
    assert statuses[-1] == "hang"


@pytest.mark.parametrize(("status", "added"), [("fail", f" (not asked again: {WITHOUT_ANSWERS})"), ("hang", "")])
def test_a_failure_that_is_not_asked_about_again_gives_the_reason(status, added):
    patience = Patience()
    patience.end()
    hanging = Hanging()
    shrinker = Shrinker(hanging, Judge(hanging.declaration.roles["decode"]), patience=patience)
    case = case_of(CaseId.parse("transactions/mysql-8.0/0/0"))
    # Of a case of a corpus, only the message is left.
    verdict = Verdict("FORMAT-XID", status, "", "xid is 5, expected 7", cause=Cause("xid of XID differs"))
    failure = shrinker.failure(case, verdict, Counts(cases=1, requirements={}, profiles={}), choices=case.id.choices)
    assert failure.verdict.message == f"xid is 5, expected 7{added}"
    assert hanging.questions == 0
