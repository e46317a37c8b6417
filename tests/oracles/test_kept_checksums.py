"""A reader that keeps the checksum algorithm of an earlier log is one finding, also where it refuses what it reads."""

from dataclasses import replace

import pytest

from conformance.oracles.judge import request_of
from conformance.protocol.observation import Refusal
from tests.oracles.test_causes import REFERENCE, cases, findings

KEPT = "checksum algorithm of an earlier format description kept"
TEXTS = ("query", "rows_query", "next_file", "message", "log_name")


def kept_algorithms(events):
    """Yield the index of each event, with whether it has a checksum and whether such a reader takes it to have one."""
    kept = now = None
    for index, entry in enumerate(events):
        if entry["type"] == 15:
            now = entry["checksum_algorithm"] == "crc32"
            kept = now if kept is None else kept
        yield index, now, kept


def refused(case):
    """Return the answer of a reader that refuses a text that is not UTF-8; None where it has none to refuse."""
    answer = REFERENCE.ask(request_of(case))
    for index, now, kept in kept_algorithms(answer.events):
        entry = answer.events[index]
        name = next((each for each in TEXTS if entry.get(each)), None)
        if now == kept or name is None:
            continue
        end = entry["offset"] + entry["length"]
        text = entry[name].encode()
        text = text + case.stream[end - 4 : end] if now else text[:-4]
        try:
            text.decode()
        except UnicodeDecodeError as error:
            return replace(answer, events=answer.events[:index], error=Refusal(entry["offset"], "other", str(error)))
        return None
    return None


@pytest.mark.parametrize("family", ["rotations", "changed_format_descriptions"])
def test_a_text_that_is_refused_for_the_bytes_of_a_checksum_is_the_same_finding(family):
    """As asyncmy, which asks once whether events have checksums, decodes what it takes for text."""
    together = set()
    for profile in ("mysql-5.6", "mysql-8.4", "mysql-9.x"):
        answers = [(case, refused(case)) for case in cases(family, profile)]
        together |= {each for case, answer in answers if answer is not None for each in findings(case, answer)}
    assert together == {KEPT}


def cut(case):
    """Return the answer of a reader that takes four bytes too many for a checksum, and reads the last row whole."""
    answer = REFERENCE.ask(request_of(case))
    taken = {index for index, now, kept in kept_algorithms(answer.events) if kept and not now}
    if not any(answer.events[index].get(name) for index in taken for name in TEXTS):
        return None

    def shortened(entry):
        return entry | {name: entry[name].encode()[:-4].decode("utf-8", "replace") for name in TEXTS if entry.get(name)}

    return replace(
        answer, events=tuple(shortened(each) if at in taken else each for at, each in enumerate(answer.events))
    )


@pytest.mark.parametrize("family", ["rotations", "changed_format_descriptions"])
def test_rows_that_are_read_right_do_not_show_that_the_algorithm_is_known(family):
    """As asyncmy reads rows until one ends where the event does, or beyond."""
    together = set()
    for profile in ("mysql-5.6", "mysql-8.4", "mysql-9.x"):
        answers = [(case, cut(case)) for case in cases(family, profile)]
        together |= {each for case, answer in answers if answer is not None for each in findings(case, answer)}
    assert together == {KEPT}
