"""The check of an adapter reports what it never fills, what it does not declare, and two answers to one case."""

from dataclasses import replace
from itertools import count

import pytest

from conformance.engine.adapter_check import checked
from conformance.protocol.observation import Trouble
from conformance.reference.implementation import ReferenceImplementation
from conformance.specs.versions import Profiles
from tests.running import double, forked

REFERENCE = ReferenceImplementation()
DECODE = REFERENCE.start().roles["decode"]


class Adapter:
    """The reference as a decoder of one profile, whose answers a function changes."""

    def __init__(self, change=lambda answer: answer, **role):
        decode = replace(DECODE, profiles=Profiles.claimed("mysql-8.0"), **role)
        self.declaration = replace(REFERENCE.declaration, roles={"decode": decode})
        self._change = change

    def ask(self, request):
        answer = REFERENCE.ask(request)
        return answer if isinstance(answer, Trouble) else self._change(answer)


def without(name):
    """Return what leaves a field out of each entry."""

    def change(answer):
        kept = tuple({key: value for key, value in event.items() if key != name} for event in answer.events)
        return replace(answer, events=kept)

    return change


class Forgetful:
    """Gives each answer once, and then another one."""

    def __init__(self):
        self.answers = 0

    def __call__(self, answer):
        self.answers += 1
        return replace(answer, events=answer.events[: len(answer.events) if self.answers < 60 else 0])


@pytest.mark.parametrize(
    ("adapter", "lines"),
    [
        (Adapter(), []),
        (Adapter(without("xid")), ["decode: declared, and in no answer that could have it: xid"]),
        (
            Adapter(fields=DECODE.fields - {"xid", "gtid"}),
            ["decode: in answers about logs of mysql, and not declared: gtid, xid"],
        ),
        (
            Adapter(lambda answer: Trouble("protocol-error", "not-json", "")),
            ["decode: the protocol is broken in N answers: not-json"],
        ),
    ],
)
def test_each_fault_of_an_adapter_is_a_line(adapter, lines):
    remarks = checked(adapter)
    if lines and "N answers" in lines[0]:
        assert len(remarks) == 1
        assert remarks[0].endswith(lines[0].partition("N")[2])
    else:
        assert remarks == lines


def test_an_adapter_that_keeps_state_is_noticed():
    (line,) = [each for each in checked(Adapter(Forgetful())) if "asked again" in each]
    assert line.startswith("decode: answered differently when asked again, in ")


def test_words_of_errors_may_vary():
    words = map(str, count())

    def reworded(answer):
        error = answer.error
        return answer if error is None else replace(answer, error=replace(error, message=next(words)))

    assert checked(Adapter(reworded)) == []


def test_what_the_library_does_wrong_is_not_reported_as_the_adapters():
    def wrong(answer):
        return replace(answer, events=tuple(event | {"flags": 1} for event in answer.events))

    assert checked(Adapter(wrong)) == []


def test_the_command_prints_what_it_found_and_ends_with_1():
    done = forked("implementations", "check", double("reads_headers"))
    assert (done.status, done.errors) == (0, "")
    assert done.output == "nothing found: every declared field and ability was shown, and nothing else\n"
    done = forked("implementations", "check", double("missing_field"))
    assert done.status == 1
    assert done.output.startswith("decode: the protocol is broken in ")
