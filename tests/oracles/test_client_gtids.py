"""A number that a client reads wrongly is one finding, however wrong its set of GTIDs becomes."""

import re
from dataclasses import replace

import pytest

from conformance.engine.discovery import discovered
from conformance.oracles.checks.client_gtids import cause_of_numbers
from conformance.oracles.judge import request_of
from tests.oracles.test_causes import REFERENCE, findings
from tests.oracles.test_misread_numbers import NINE_BYTES

SOURCE = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
TAGGED = re.compile(r"(:[a-z_]\w*:)(\d+)(?!\d)")


@pytest.mark.parametrize(
    ("has", "expected", "of_numbers"),
    [
        (f"{SOURCE}:a:18014398509481983", f"{SOURCE}:a:9223372036854775806", True),
        (f"{SOURCE}:a:-6755399998656745", f"{SOURCE}:a:9223372036854775806", True),
        (f"{SOURCE}:1-3", f"{SOURCE}:1-3:a:9223372036854775806", False),  # It may lack all GTIDs with tags.
        (f"{SOURCE}:a:1-2", f"{SOURCE}:a:1-2:36028797018963968", False),
        (f"{SOURCE}:-5", f"{SOURCE}:1-3:a:7", False),
        (f"{SOURCE}:1-2", f"{SOURCE}:1-3:a:9223372036854775806", False),
        (f"{SOURCE}:a:6", f"{SOURCE}:a:7", False),
        (f"{SOURCE}:1", f"{SOURCE}:9223372036854775806", False),  # Without a tag a number has eight bytes.
        (None, f"{SOURCE}:a:7", False),
    ],
)
def test_a_set_is_wrong_for_its_numbers_if_these_alone_are(has, expected, of_numbers):
    assert (cause_of_numbers(has, expected) is not None) is of_numbers


@pytest.mark.parametrize("misread", [lambda number: number & (1 << 54) - 1 or 1, lambda number: number - (1 << 63)])
def test_numbers_of_nine_bytes_are_one_finding_in_the_sets_that_a_client_has(misread):
    """As go-mysql drops bits of them, or makes numbers below zero of them."""

    def with_misread(entry):
        gtids = entry.get("executed_gtids")
        return entry | {"executed_gtids": TAGGED.sub(in_nine_bytes, gtids)} if gtids else entry

    def in_nine_bytes(match):
        tag, number = match[1], int(match[2])
        return f"{tag}{misread(number) if number >= 1 << 55 else number}"

    together = set()
    for case in discovered("sent_gtids", "mysql-9.x", role="client", seed=0, numbers=range(120)):
        if not case.settings["source"]["cuts"]:
            answer = REFERENCE.ask(request_of(case))
            together |= findings(case, replace(answer, events=tuple(map(with_misread, answer.events)))).keys()
    assert together == {NINE_BYTES}
