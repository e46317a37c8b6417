"""Certification: what a run finds, shrinks and concludes."""

import time

import pytest

from conformance.engine.baseline import Baseline, KnownFailure
from conformance.engine.certification import Budget, Certification, NothingToRun, Selection
from conformance.engine.events import FailureFound, RunFinished, RunStarted
from conformance.engine.shrinking import SHRINK_TRIES, Shrinker
from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.oracles.judge import Judge
from conformance.protocol.observation import Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, recorded
from tests.doubles.fails_at_fewer_events import FailsAtFewerEvents

TEXT = "WL4033-READ-ROWS-QUERY-TEXT"
CUT = "rows_query of ROWS_QUERY cut short"
GROUP = ("mysql 5.6 to 8.4",)


def certify(spec="reference", *, tested=None, **options):
    options.setdefault("selections", [Selection(profiles=("mysql-8.0",), families=("rows_query_streams",))])
    options.setdefault("budget", Budget(examples=40))
    certification = Certification(implementation=tested or implementation(spec), spec=spec, **options)
    return certification, certification.run()


def test_the_reference_conforms():
    _, finished = certify(selections=[Selection()], budget=Budget(examples=4))
    assert finished.failures == []
    assert finished.conforming


def test_a_broken_rule_is_found_and_shrunk_to_the_smallest_case():
    _, finished = certify("reference:text-cut-at-255")
    failure = next(each for each in finished.failures if each.finding == CUT)
    assert not finished.conforming
    assert failure.verdict.requirement == TEXT
    assert failure.counts.cases > 1
    texts = [event["rows_query"] for event in failure.case.expected.events if event.get("rows_query")]
    assert [len(text) for text in texts] == [256]  # One character more than the mutant keeps.


def test_a_finding_is_not_searched_again_in_another_group_where_a_like_case_shows_it(monkeypatch):
    questions = []
    monkeypatch.setattr(Shrinker, "ask", counted(Shrinker.ask, questions))

    def shrunk(*profiles):
        questions.clear()
        selections = [Selection(profiles=profiles, families=("rows_query_streams",))]
        _, finished = certify("reference:text-cut-at-255", selections=selections)
        return [each.case for each in finished.failures if each.finding == CUT], len(questions) - finished.tally.cases

    (eight,), tries_of_eight = shrunk("mysql-8.0")
    (nine,), tries_of_nine = shrunk("mysql-9.x")
    both, tries = shrunk("mysql-8.0", "mysql-9.x")
    assert both[0].id == eight.id
    assert both[1].classes == eight.classes
    assert len(both[1].stream) == len(nine.stream)
    assert tries_of_eight < tries < tries_of_eight + tries_of_nine / 5


def counted(ask, questions):
    def ask_and_count(shrinker, case):
        questions.append(case)
        return ask(shrinker, case)

    return ask_and_count


def test_a_glob_narrows_what_is_judged():
    few = ("rows_query_streams", "transactions")
    selection = Selection(requirements="FORMAT-*", profiles=("mysql-8.0",), families=few)
    _, finished = certify("reference:text-cut-at-255", selections=[selection])
    assert finished.conforming
    assert {each.split("-")[0] for each in finished.tally.results} == {"FORMAT"}


def test_a_known_failure_conforms_and_is_not_shrunk():
    others = (TEXT, "WL4033-GOLDEN-NO-CHECKSUM", "FORMAT-EVENT-FIELDS", "WL4033-READ-ROWS-QUERY-LENGTH-BYTE")
    known = (KnownFailure(CUT, GROUP, (TEXT,), "see issue 12"), KnownFailure("*", GROUP, others, "the same"))
    events = []
    _, finished = certify(
        "reference:text-cut-at-255",
        selections=[Selection("decode", ("mysql-8.0",), "WL4033-READ-ROWS-QUERY-*", ("rows_query_streams",))],
        baseline=Baseline("b.toml", known),
        budget=Budget(examples=80),
        listeners=(events.append,),
    )
    assert finished.conforming
    assert {each.known for each in finished.failures} <= {"see issue 12", "the same"}
    assert sum(isinstance(event, FailureFound) for event in events) == len(finished.failures)


def test_a_known_failure_that_passes_breaks_the_run():
    entry = KnownFailure(CUT, GROUP, (TEXT,), "see issue 12")
    _, finished = certify(baseline=Baseline("b.toml", (entry,)))
    assert finished.unexpected_passes == [entry]
    assert not finished.conforming


def test_a_baseline_entry_that_nothing_exercised_is_stale():
    entry = KnownFailure("*", GROUP, ("FORMAT-BAD-MAGIC",), "see issue 12")
    _, finished = certify(baseline=Baseline("b.toml", (entry,)))
    assert finished.stale == [entry]
    assert not finished.conforming


def test_the_first_unknown_failure_can_end_the_run():
    certification, finished = certify("reference:text-cut-at-255", budget=Budget(examples=200, first_failure=True))
    assert not finished.conforming
    assert certification.tally.cases < 200


def test_time_limits_the_discovery():
    certification, finished = certify(budget=Budget(examples=None, seconds=0.5))
    assert finished.conforming
    assert certification.tally.cases > 1


def test_listeners_get_the_first_and_the_last_event():
    events = []
    certify(listeners=(events.append,))
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)


class CrashesOnLongStreams(ReferenceImplementation):
    def ask(self, request):
        if len(request.stream) > 600:
            return Trouble("crash", "signal-11", "core dumped")
        return super().ask(request)


def test_a_crash_is_charged_once_counted_and_shrunk():
    certification, finished = certify(tested=CrashesOnLongStreams())
    (failure,) = finished.failures
    assert (failure.verdict.requirement, failure.verdict.status) == ("TROUBLE", "crash")
    assert certification.tally.troubles == {"crash": failure.counts.cases}
    assert certification.tally.verdict(TEXT) == "crash"
    # One event of some 200 rows takes fewer choices than a text of 400 letters: either is a smallest case.
    assert 600 < len(failure.case.stream) < 1600


def test_a_glob_does_not_lose_a_crash():
    selection = Selection(profiles=("mysql-8.0",), families=("rows_query_streams",), requirements="FORMAT-HEADER-*")
    _, finished = certify(tested=CrashesOnLongStreams(), selections=[selection])
    assert [failure.verdict.requirement for failure in finished.failures] == ["TROUBLE"]
    assert not finished.conforming


def test_a_known_crash_conforms_and_its_absence_is_an_unexpected_pass():
    entry = KnownFailure("crash: signal-11", GROUP, ("TROUBLE",), "see issue 12")
    _, finished = certify(tested=CrashesOnLongStreams(), baseline=Baseline("b.toml", (entry,)))
    assert finished.conforming
    _, finished = certify(baseline=Baseline("b.toml", (entry,)))
    assert finished.unexpected_passes == [entry]


def test_a_requirement_that_only_crashed_is_not_an_unexpected_pass():
    entry = KnownFailure(CUT, GROUP, (TEXT,), "see issue 12")
    _, finished = certify(tested=CrashesAlways(), baseline=Baseline("b.toml", (entry,)))
    assert finished.stale == [entry]
    assert not finished.tally.judged


class CrashesAlways(ReferenceImplementation):
    def ask(self, request):
        return Trouble("crash", "signal-11", "core dumped")


class HangsOrCrashes(ReferenceImplementation):
    hangs = 0

    def ask(self, request):
        if len(request.stream) > 600 and len(request.stream) % 4 == 0:
            return Trouble("crash", "signal-11", "core dumped")
        self.hangs += 1
        return Trouble("hang", "no-answer", "")


def test_shrinking_ends_when_too_many_cases_hang():
    tested = HangsOrCrashes()
    _, finished = certify(tested=tested, limits=Limits(hangs=10_000))
    discovered = sum(failure.counts.cases for failure in finished.failures if failure.verdict.status == "hang")
    shown = 1  # The smallest case of the hang is sent once more.
    assert discovered < tested.hangs <= discovered + len(finished.failures) * SHRINK_TRIES["hang"] + shown
    assert {failure.verdict.status for failure in finished.failures} == {"crash", "hang"}


def test_shrinking_ends_when_its_time_is_up():
    _, finished = certify("reference:text-cut-at-255")
    (failure,) = [each for each in finished.failures if each.finding == CUT]
    with implementation("reference:text-cut-at-255") as tested:
        judge = Judge(tested.declaration.roles["decode"])
        case = case_of(CaseId.parse(failure.first_case))
        left = Shrinker(tested, judge, seconds=-1.0).failure(
            case, failure.verdict, failure.counts, choices=recorded(case.id).id.choices
        )
        shrunk = Shrinker(tested, judge).failure(
            case, failure.verdict, failure.counts, choices=recorded(case.id).id.choices
        )
    assert left.case.stream == case.stream
    assert len(shrunk.case.stream) < len(case.stream)


@pytest.mark.parametrize("status", ["crash", "hang", "protocol-error"])
def test_trouble_that_only_the_search_for_smaller_cases_meets_is_a_finding(status):
    trouble = Trouble(status, "ended", "at a few events")
    selections = [Selection(profiles=("mysql-8.0",), families=("rows_query_streams",))]
    options = {"selections": selections, "budget": Budget(examples=1)}
    _, finished = certify(tested=FailsAtFewerEvents(trouble), **options)
    (met,) = [each for each in finished.failures if each.verdict.status == status]
    assert finished.tally.troubles[status] == 0
    assert (met.counts.cases, met.answer.status) == (1, status)
    assert met.met == ()
    assert not finished.conforming


class Slow(ReferenceImplementation):
    """A reader that takes its time, but for its first answer."""

    def __init__(self, tested, seconds):
        super().__init__()
        self._tested, self._seconds = tested, seconds
        self.questions = 0

    def ask(self, request):
        self.questions += 1
        time.sleep(self._seconds if self.questions > 1 else 0)
        return self._tested.ask(request)


def test_only_slow_answers_use_up_the_time_for_shrinking():
    _, finished = certify("reference:text-cut-at-255")
    (failure,) = [each for each in finished.failures if each.finding == CUT]
    case = case_of(CaseId.parse(failure.first_case))
    shrunk = []
    with implementation("reference:text-cut-at-255") as tested:
        judge = Judge(tested.declaration.roles["decode"])
        for seconds in (0.01, 0.3):
            reader = Slow(tested, seconds)
            choices = recorded(case.id).id.choices
            left = Shrinker(reader, judge, seconds=0.05).failure(case, failure.verdict, failure.counts, choices=choices)
            shrunk.append((reader.questions, len(left.case.stream)))
    (of_prompt, smallest), (of_slow, larger) = shrunk
    assert of_prompt > of_slow
    assert smallest < larger


class Killed(ReferenceImplementation):
    """A reader that is killed from outside at each fourth question, from the first on."""

    questions = 0

    def __init__(self, tested):
        super().__init__()
        self._tested = tested

    def ask(self, request):
        self.questions += 1
        return Trouble("crash", "signal-SIGKILL", "") if self.questions % 4 == 1 else self._tested.ask(request)


def test_shrinking_goes_on_when_the_process_is_killed():
    _, finished = certify("reference:text-cut-at-255")
    (failure,) = [each for each in finished.failures if each.finding == CUT]
    with implementation("reference:text-cut-at-255") as tested:
        judge = Judge(tested.declaration.roles["decode"])
        case = case_of(CaseId.parse(failure.first_case))
        shrunk = [
            Shrinker(reader, judge, seconds=600.0).failure(
                case, failure.verdict, failure.counts, choices=recorded(case.id).id.choices
            )
            for reader in (tested, Killed(tested))
        ]
    assert shrunk[1] == shrunk[0]
    assert len(shrunk[0].case.stream) < len(case.stream)


class FailsOnce(ReferenceImplementation):
    left = 1

    def ask(self, request):
        if self.left:
            self.left -= 1
            return Trouble("hang", "no-answer", "")
        return super().ask(request)


def test_a_failure_that_does_not_occur_again_is_reported_so():
    _, finished = certify(tested=FailsOnce())
    (failure,) = finished.failures
    assert "but not when asked again" in failure.verdict.message
    assert not finished.conforming


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(profiles=("mysql-3.23",)), "no profile 'mysql-3.23'"),
        (Selection(families=("nonsense",)), "no family 'nonsense'"),
        (Selection(role="nothing"), "does not declare the role 'nothing'"),
        (Selection(requirements="NONSENSE-*"), "no requirement matches 'NONSENSE-\\*'"),
        (Selection(requirements="FORMAT-*,NONSENSE-*"), "no requirement matches 'NONSENSE-\\*'"),
        (
            Selection(requirements="FORMAT-*," * 40_000),
            "there are 40,001 globs over ids of requirements; write at most",
        ),
        (
            Selection(requirements="[!" * 40_000),
            r"the glob '(\[!){10}'\.\.\. has 80,000 characters; write at most",
        ),
        (Selection(requirements="WL3303-*"), "no family has cases that exercise 'WL3303-\\*' in the role 'decode'"),
        (Selection(families=("multi_table_drops",)), "the family multi_table_drops has no cases in the role 'decode'"),
    ],
)
def test_a_selection_that_leaves_nothing_is_explained(selection, message):
    with pytest.raises(NothingToRun, match=message):
        certify(selections=[selection])
