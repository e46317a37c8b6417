"""A crash, a hang or a broken protocol fails the run whichever requirements are selected, and replays as printed."""

import json
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.running import run

DOUBLES = Path(__file__).parent.parent / "doubles"
HEADERS = ("--requirement", "FORMAT-HEADER-*")
LINUX = sys.platform == "linux"
QUICK = ("--examples", "3", "--profile", "mysql-8.0", "--family", "transactions", "--family", "bad_magic")


def double(name):
    return "command:" + shlex.join([sys.executable, str(DOUBLES / f"{name}.py")])


def entries(folder, kind):
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


def replayed(failure, check):
    """Run a failure's replay line as a shell reads it."""
    program, *arguments = shlex.split(failure["replay"])
    assert program == "binlog-conformance"
    return run(*arguments, check=check)


LENGTHS = (
    *("--examples", "16", "--family", "wrong_event_lengths", "--profile", "mysql-8.0"),
    *("--requirement", "FORMAT-LENGTH-*"),
)


def test_crashes_are_counted_and_no_requirement_passes_on_the_rest(tmp_path):
    done = run("certify", double("crashes_at_most_lengths"), *QUICK, *HEADERS, "--report", str(tmp_path), check=1)
    (footer,) = entries(tmp_path, "footer")
    assert footer["troubles"]["crash"] > 0
    assert f"It crashed in {footer['troubles']['crash']} of {footer['cases']} cases." in done.output.replace("\n", " ")
    results = {each["id"]: each for each in entries(tmp_path, "requirement")}
    assert results["FORMAT-HEADER-TYPE"]["verdict"] == "crash"
    counts = results["FORMAT-HEADER-TYPE"]["results"]["mysql-8.0"]
    judged = sum(counts[status] for status in ("pass", "fail", "crash"))
    assert f"{counts['crash']} of {judged} crashed" in (tmp_path / "report.html").read_text()
    assert "conforming: " not in done.output.replace("not conforming", "")
    for report in ("report.html", "summary.md", "badge.svg"):
        assert "crashed" in (tmp_path / report).read_text()


def test_junit_has_the_crash_first_and_an_error_for_each_requirement_that_met_it(tmp_path):
    run("certify", double("crashes_at_most_lengths"), *QUICK, *HEADERS, "--report", str(tmp_path), check=1)
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    first = root.find(".//testcase")
    assert first.get("classname") == "TROUBLE"
    assert first.find("error").get("message") == "signal-SIGSEGV"
    (header,) = [each for each in root.iter("testcase") if each.get("classname") == "FORMAT.FORMAT-HEADER-TYPE"]
    assert "crashed" in header.find("error").text
    assert "crash: signal-SIGSEGV" in {each.get("value") for each in header.iter("property")}


def test_a_crash_in_an_answer_counts_like_the_end_of_the_process(tmp_path):
    run("certify", double("panics_in_answers"), *QUICK, *HEADERS, "--report", str(tmp_path), check=1)
    (footer,) = entries(tmp_path, "footer")
    assert footer["troubles"]["crash"] > 0
    (failure,) = [each for each in entries(tmp_path, "failure") if each["requirement"] == "TROUBLE"]
    assert (failure["status"], failure["signature"]) == ("crash", "crash: panic: index out of range [#] with length #")
    assert "with length 21" in replayed(failure, 1).output
    results = {each["id"]: each for each in entries(tmp_path, "requirement")}
    assert results["FORMAT-HEADER-TYPE"]["verdict"] == "crash"


@pytest.mark.parametrize(
    ("name", "signature"), [("right_answers_twice", "unsolicited-output"), ("right_answers_wrong_seq", "wrong-seq")]
)
def test_a_broken_protocol_is_not_nothing_judged(name, signature, tmp_path):
    done = run("certify", double(name), *QUICK, *HEADERS, "--report", str(tmp_path), check=1)
    assert "nothing judged" not in done.output
    trouble = next(each for each in entries(tmp_path, "failure") if each["requirement"] == "TROUBLE")
    assert (trouble["status"], trouble["signature"]) == ("protocol-error", f"protocol-error: {signature}")
    assert f"≠ protocol-error: {signature}" in done.output
    assert "TROUBLE" in replayed(trouble, 1).output


def test_known_crashes_conform_with_a_note(tmp_path):
    baseline = tmp_path / "baseline.toml"
    few = ("--examples", "10", "--profile", "mysql-8.0", "--family", "transactions")
    arguments = ("certify", double("crashes_at_even_lengths"), *few, *HEADERS)
    run(*arguments, "--write-baseline", str(baseline), check=1)
    assert 'requirements = ["TROUBLE"]' in baseline.read_text()
    done = run(*arguments, "--baseline", str(baseline), "--report", str(tmp_path), check=0)
    assert "conforming except for 1 known finding" in done.output
    assert "It crashed in " in done.output
    # The same crash on every stream leaves nothing that conforms.
    everywhere = ("certify", double("aborts"), *arguments[2:-2], "--requirement", "FORMAT-EVENT-START")
    assert "nothing judged" in run(*everywhere, "--baseline", str(baseline), check=2).output
    fixed = run("certify", "reference", *arguments[2:], "--baseline", str(baseline), check=1)
    assert "unexpected pass: 'crash: " in fixed.output


def test_a_length_of_2_gib_is_charged_to_the_rule_about_it_and_the_limit_is_named(tmp_path):
    run("certify", double("allocates_the_length"), *LENGTHS, "--report", str(tmp_path), check=1)
    failures = {each["requirement"]: each for each in entries(tmp_path, "failure")}
    # The limit does not refuse the smallest of the large lengths, where the growth shows.
    assert failures.keys() == {"FORMAT-LENGTH-TOO-LARGE", *({"FORMAT-LENGTH-MEMORY"} if LINUX else ())}
    failure = failures["FORMAT-LENGTH-TOO-LARGE"]
    assert failure["signature"] == "crash at FORMAT-LENGTH-TOO-LARGE: out of memory"
    assert failure["message"].startswith("killed by the memory limit of 2048 MiB (exit-status-1)")
    (small,) = [each for each in entries(tmp_path, "requirement") if each["id"] == "FORMAT-LENGTH-TOO-SMALL"]
    assert small["verdict"] == "pass"


MEMORY = ("--examples", "40", "--family", "wrong_event_lengths", "--requirement", "FORMAT-LENGTH-*", "--memory", "0")
MEASURED = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux only")


@pytest.mark.slow
@MEASURED
def test_without_a_limit_a_reader_is_judged_by_the_memory_that_it_asks_for(tmp_path):
    run("certify", double("allocates_the_length"), *MEMORY, "--report", str(tmp_path), check=1)
    # The system may refuse 4 GiB, which is a crash.
    (failure,) = [each for each in entries(tmp_path, "failure") if each["requirement"] == "FORMAT-LENGTH-MEMORY"]
    assert failure["signature"] == "as much memory asked for as the length of an event claims"
    assert failure["count"] > 1
    assert failure["replay"].endswith("--memory=0")
    assert "The process grew by" in replayed(failure, 1).output


@MEASURED
@pytest.mark.parametrize("limit", ["0", "2048"])
def test_a_reader_that_looks_at_the_stream_first_asks_for_little(limit, tmp_path):
    run("certify", double("reads_headers"), *MEMORY[:-1], limit, "--report", str(tmp_path), check=0)
    results = {each["id"]: each["verdict"] for each in entries(tmp_path, "requirement")}
    assert results["FORMAT-LENGTH-MEMORY"] == "pass"


def test_memory_in_the_kits_own_process_is_not_judged(tmp_path):
    run("certify", "reference", *MEMORY[:-2], "--report", str(tmp_path), check=0)
    results = {each["id"]: each["verdict"] for each in entries(tmp_path, "requirement")}
    assert results["FORMAT-LENGTH-MEMORY"] == "unsupported"


def test_replay_repeats_the_limits_of_the_run(tmp_path):
    limits = ("--memory", "256", "--answer-time", "1.5s")
    run("certify", double("allocates_the_length"), *LENGTHS, *limits, "--report", str(tmp_path), check=1)
    failure = next(each for each in entries(tmp_path, "failure") if each["signature"].startswith("crash"))
    assert failure["replay"].endswith("--answer-time=1.5s --memory=256")
    assert "killed by the memory limit of 256 MiB" in replayed(failure, 1).output


def test_a_hang_names_its_limit(tmp_path):
    chosen = ("--examples", "1", "--family", "transactions", "--answer-time", "0.3s")
    run("certify", double("hangs"), *chosen, "--report", str(tmp_path), check=1)
    (failure,) = entries(tmp_path, "failure")
    assert (failure["requirement"], failure["signature"]) == ("TROUBLE", "hang: no answer within the time limit")
    assert failure["message"].startswith("no answer within the time limit of 0.3 s")
    assert "within the time limit of 0.3 s" in replayed(failure, 1).output


def test_a_case_of_which_nothing_is_supported_replays_as_nothing_judged():
    done = run("replay", "transactions/mysql-8.0/1/0", double("declines"), check=2)
    assert "nothing judged" in done.output


def test_fuzzing_fails_on_a_crash_that_no_selected_requirement_is_charged_with(tmp_path):
    corpus = ("--corpus", str(tmp_path / "corpus"))
    done = run(
        "fuzz",
        "decode",
        "--implementation",
        double("crashes_at_most_lengths"),
        "--time",
        "2s",
        *HEADERS,
        *corpus,
        check=1,
    )
    assert "crash: signal-SIGSEGV  mysql " in done.output
