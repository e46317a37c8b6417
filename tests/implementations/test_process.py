"""A program under test may do anything; every request still gets its answer, and the run continues."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest

from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import CannotStart, ProcessImplementation
from conformance.protocol.observation import Observation, Request, Trouble

DOUBLES = Path(__file__).parent.parent / "doubles"
QUICK = Limits(seconds=0.4, start_seconds=5, answer_bytes=1 << 16)


def double(name, *arguments, limits=QUICK):
    return ProcessImplementation([sys.executable, str(DOUBLES / f"{name}.py"), *map(str, arguments)], limits=limits)


def question(stream=b"stream"):
    return Request("decode", "mysql-8.0", stream)


def numbered(numbers):
    return [question(b"%d" % number) for number in numbers]


def answer_to(request):
    return Observation(({"offset": 0, "type": 15, "length": len(request.stream)},))


def test_a_program_declares_itself_and_answers():
    with double("honest") as honest:
        assert (honest.declaration.name, honest.declaration.language) == ("double", "Python")
        assert honest.declaration.roles["decode"].fields == {"offset", "type", "length"}
        assert honest.ask(question()) == answer_to(question())


def test_many_answers_come_in_the_order_of_the_requests():
    requests = [question(b"x" * size) for size in range(100)]
    with double("honest") as honest:
        assert list(honest.ask_many(requests)) == [answer_to(each) for each in requests]


def test_a_wrong_answer_is_not_judged_here():
    with double("lies") as liar:
        assert liar.ask(question()) == Observation(({"offset": 0, "type": 15, "length": 7},))


TROUBLES = {
    "hangs": ("hang", "no answer within the time limit"),
    "does_not_read": ("hang", "no answer within the time limit"),
    "exits": ("crash", "exit-status-3"),
    "aborts": ("crash", "signal-SIGABRT"),
    "ends_after_an_answer": ("crash", "exit-status-0"),
    "wrong_seq": ("protocol-error", "wrong-seq"),
    "answers_twice": ("protocol-error", "unsolicited-output"),
    "endless_line": ("protocol-error", "output-flood"),
    "endless_lines": ("protocol-error", "unsolicited-output"),
    "not_json": ("protocol-error", "not-json"),
    "breaks_the_schema": ("protocol-error", "breaks-the-schema"),
    "missing_field": ("protocol-error", "missing-field length"),
    "declines": ("unsupported", "declined"),
    "long_answer": ("protocol-error", "output-flood"),
}


@pytest.mark.parametrize(("name", "expected"), TROUBLES.items())
def test_misbehaviour_has_a_verdict_and_a_stable_signature(name, expected):
    with double(name) as misbehaving:
        for _ in range(2):
            trouble = misbehaving.ask(question())
            assert isinstance(trouble, Trouble)
            assert (trouble.status, trouble.signature) == expected


@pytest.mark.parametrize("name", [name for name in TROUBLES if name != "does_not_read"])
def test_the_request_that_caused_it_is_named_and_the_others_get_their_answers(name):
    requests = numbered(range(1000, 1040))
    with double(name, "1020") as misbehaving:
        answers = list(misbehaving.ask_many(requests))
    wrong = {index: (each.status, each.signature) for index, each in enumerate(answers) if isinstance(each, Trouble)}
    assert wrong == {20: TROUBLES[name]}
    assert [answers[index] for index in range(40) if index != 20] == [answer_to(question(b"1234"))] * 39


def test_the_standard_error_of_a_crash_is_kept():
    with double("exits") as crashing:
        assert crashing.ask(question()).detail == "something is broken\n"


def test_the_line_that_broke_the_protocol_is_kept():
    with double("not_json") as babbling:
        assert babbling.ask(question()).detail.endswith("\nINFO: decoding")
    with double("endless_line") as flooding:
        reason, start = flooding.ask(question()).detail.splitlines()
        assert reason == "a line is longer than the 65,920 bytes that it may have"
        assert start == "[" * 500 + "..."


def test_a_crash_after_several_requests_is_not_lost():
    with double("ends_at_the_third") as forgetful:
        answers = list(forgetful.ask_many(numbered(range(3))))
    (trouble,) = [each for each in answers if isinstance(each, Trouble)]
    assert trouble.signature == "exit-status-4"


def test_a_hang_ends_with_all_processes_that_the_program_started():
    with double("leaves_a_child") as parent:
        child = int(parent.ask(question()).detail.split()[-1])
    for _ in range(100):
        if not _runs(child):
            return
        time.sleep(0.01)
    pytest.fail(f"process {child} still runs")


def _runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_question_has_its_own_time_limit_where_that_is_shorter():
    with double("hangs", limits=QUICK) as hanging:
        assert "time limit of 0.4 s" in hanging.ask(question()).detail
        assert "time limit of 0.2 s" in hanging.ask(replace(question(), seconds=0.2)).detail


def test_standard_error_is_drained_and_not_a_failure():
    with double("chatty", limits=Limits(seconds=5)) as chatty:
        assert chatty.ask(question()) == answer_to(question())


def test_a_slow_start_is_not_a_hang():
    with double("slow_start") as slow:
        assert slow.ask(question()) == answer_to(question())


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_memory_is_limited():
    with double("takes_memory", limits=Limits(memory_bytes=1 << 30)) as greedy:
        trouble = greedy.ask(question())
        assert (trouble.status, trouble.signature) == ("crash", "killed by the memory limit")
        assert trouble.detail.startswith("killed by the memory limit of 1024 MiB (exit-status-1)")
        assert "MemoryError" in trouble.detail


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_memory_that_a_runtime_reserves_and_does_not_use_is_not_limited():
    """As those of Java and Go do."""
    with double("reserves_memory", limits=Limits(memory_bytes=1 << 30)) as reserving:
        assert isinstance(reserving.ask(question()), Observation)


#: The last words of runtimes -> whether they show that the limit on memory ended the process.
LAST_WORDS = {
    "memory allocation of 2147483628 bytes failed": True,
    "fatal error: runtime: out of memory": True,
    "runtime: out of memory: cannot allocate 2147483648-byte block (4096 in use)": True,
    "# There is insufficient memory for the Java Runtime Environment to continue.": True,
    "terminate called after throwing an instance of 'std::bad_alloc'": True,
    "MemoryError: cannot allocate": True,
    # The runtime's own limit, as -Xmx sets it.
    "java.lang.OutOfMemoryError: Java heap space": False,
    # It was caught, and the process ended because of something else.
    "MemoryError\nSystemExit: 2": False,
    "segmentation fault": False,
}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
@pytest.mark.parametrize(("words", "limited"), LAST_WORDS.items())
def test_the_limit_on_memory_is_named_only_where_the_runtime_shows_it(words, limited):
    with double("ends_with_last_words", "trigger", words) as ending:
        trouble = ending.ask(question(b"trigger"))
    assert trouble.signature == ("killed by the memory limit" if limited else "exit-status-2")


def test_without_a_limit_on_memory_none_is_named():
    with double("ends_with_last_words", "trigger", "MemoryError", limits=Limits(memory_bytes=None)) as ending:
        assert ending.ask(question(b"trigger")).signature == "exit-status-2"


def test_the_limit_on_memory_is_named_although_many_stacks_follow():
    with double("ends_with_last_words", "trigger", "fatal error: out of memory\n" + "goroutine\n" * 2000) as ending:
        assert ending.ask(question(b"trigger")).signature == "killed by the memory limit"


def test_the_reason_of_a_crash_is_shown_although_many_stacks_follow():
    with double("ends_with_last_words", "trigger", "panic: index out of range\n" + "goroutine 7\n" * 2000) as ending:
        first, cut, *stacks = ending.ask(question(b"trigger")).detail.splitlines()
    assert (first, cut, {*stacks} - {""}) == ("panic: index out of range", "...", {"goroutine 7"})


def test_a_program_that_is_not_there_cannot_start():
    with pytest.raises(CannotStart, match="No such file"):
        ProcessImplementation(["/no/such/program"]).start()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dies_at_start", "exit-status-1\nno library here"),
        ("silent_at_start", "silent-at-start\nno answer within the time limit of 0.3 s"),
        ("unknown_field", r"roles.decode.fields\[3\]: 'lenght' is not one of auto_increment_increment, "),
    ],
)
def test_the_error_of_a_failed_start_gives_the_reason(name, message):
    started = time.monotonic()
    with pytest.raises(CannotStart, match=message):
        double(name, limits=Limits(start_seconds=0.3 if name == "silent_at_start" else 5)).start()
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("output", "hinted"),
    [
        ("Error occurred during initialization of VM; could not reserve enough space for object heap", True),
        ("fatal error: failed to reserve page summary memory", True),
        ("no library here", False),
    ],
)
def test_the_limit_on_memory_is_named_if_it_may_be_the_reason(output, hinted):
    with pytest.raises(CannotStart) as raised:
        ProcessImplementation([sys.executable, "-c", f"import sys; sys.exit({output!r})"]).start()
    assert ("its memory is limited to 2048 MiB" in str(raised.value)) == hinted


def test_a_limit_on_memory_that_java_reports_on_its_standard_output_is_named_too():
    words = "Error occurred during initialization of VM"
    with pytest.raises(CannotStart, match="--memory sets another"):
        ProcessImplementation([sys.executable, "-c", f"print({words!r})"]).start()


def test_a_program_that_cannot_start_again_gives_trouble_for_each_request(tmp_path):
    with double("starts_once", "trigger", tmp_path) as mortal:
        answers = list(mortal.ask_many([question(b"trigger")] * 30))
    assert {(each.status, each.signature) for each in answers} == {("crash", "exit-status-1")}
    assert answers[-1].detail == "the licence has expired\n"
    assert len(list(tmp_path.iterdir())) <= 5


def test_each_request_is_taken_when_it_is_sent():
    drawn = count()
    with double("honest") as honest:
        answers = honest.ask_many((question(b"%d" % next(drawn)) for _ in count()), window=4)
        assert len(list(islice(answers, 10))) == 10
        assert next(drawn) <= 16
        answers.close()
        assert honest.ask(question()) == answer_to(question())


def test_a_request_in_between_changes_no_answer():
    requests = [question(b"x" * size) for size in range(12)]
    with double("honest") as honest:
        outer = honest.ask_many(requests, window=4)
        answers = [next(outer)]
        assert honest.ask(question()) == answer_to(question())
        answers.append(next(outer))
        inner = honest.ask_many(requests, window=2)
        assert next(inner) == answer_to(requests[0])
        assert answers + list(outer) == [answer_to(each) for each in requests]
        assert list(inner) == [answer_to(each) for each in requests[1:]]


@pytest.mark.parametrize("part", ["name", "fields", "roles"])
def test_another_declaration_after_a_restart_breaks_the_protocol(part, tmp_path):
    places = {"name": "implementation.name", "fields": "roles.decode.fields", "roles": "roles.decode, roles.log"}
    with double("declares_something_else", "trigger", tmp_path, part) as changing:
        answers = [changing.ask(question(b"trigger")), changing.ask(question()), changing.ask(question())]
    assert [(each.status, each.signature) for each in answers] == [
        ("crash", "exit-status-1"),
        ("protocol-error", "another-declaration"),
        ("protocol-error", "another-declaration"),
    ]
    assert answers[1].detail.startswith(f"started again, it declares something else: {places[part]}")


def test_the_length_of_an_answer_is_limited_by_that_of_the_stream():
    limits = Limits(seconds=5, answer_bytes=1000, answer_bytes_per_byte=1)
    with double("long_answer", limits=limits) as long:
        assert long.ask(question(b"x" * 300_000)).status == "protocol-error"
    limits = Limits(seconds=5, answer_bytes=1000, answer_bytes_per_byte=1000)
    with double("long_answer", limits=limits) as long:
        assert isinstance(long.ask(question(b"x" * 300_000)), Observation)


def test_a_name_without_end_is_refused_in_one_line():
    with pytest.raises(CannotStart, match="output-flood\na line is longer than the 1,048,576 bytes") as raised:
        double("endless_name").start()
    assert len(str(raised.value)) < 1000


def test_a_request_of_an_undeclared_role_is_not_sent():
    with double("honest") as honest, pytest.raises(ValueError, match="does not declare the role 'render'"):
        honest.ask(Request("render", "mysql-8.0", b""))


def test_a_large_stream_is_sent_whole():
    large = question(os.urandom(8 << 20))
    with double("honest", limits=Limits(seconds=10)) as honest:
        assert list(honest.ask_many([large] * 3)) == [answer_to(large)] * 3


UNDER_A_LOWER_LIMIT = """
import resource, sys
from conformance.implementations.process.process_implementation import ProcessImplementation
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
with ProcessImplementation([sys.executable, sys.argv[1]]) as started:
    print(started.declaration.name)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_it_starts_although_the_kit_itself_may_have_less_memory_than_its_limit():
    # Only a process that may not raise its own limit can show it, so not one with all rights of root.
    command = [sys.executable, "-c", UNDER_A_LOWER_LIMIT, str(DOUBLES / "honest.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("double\n", 0), done.stderr
