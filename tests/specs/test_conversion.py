"""What does not fit its type is named in one line, whatever characters it has."""

import json
from typing import Any

import msgspec
import pytest

from conformance.specs.conversion import Malformed, converted


class Open(msgspec.Struct):
    """Takes keys that it does not know."""

    number: int = 0


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    """Refuses keys that it does not know."""

    pairs: tuple[tuple[str, str], ...] = ()


def test_a_key_with_a_line_break_is_named_in_one_line() -> None:
    with pytest.raises(Malformed, match=r"^'a\\x0bb': there is no such key; there are pairs$"):
        converted({"a\vb": 1}, Closed)


@pytest.mark.parametrize(
    ("text", "form", "fault"),
    [
        (r'{"\ud800": 1}', Open, r"a key has half of a surrogate pair: '\ud800'"),
        (r'{"\ud800": 1}', Closed, r"'\ud800': there is no such key; there are pairs"),
        (r'{"pairs": ["\ud800"]}', Closed, r"pairs[0]: expected a list of 2, found '\ud800'"),
        (r'"\ud800"', int, r"expected an integer, found '\ud800'"),
    ],
)
def test_half_of_a_surrogate_pair_does_not_fit(text: str, form: Any, fault: str) -> None:
    with pytest.raises(Malformed) as malformed:
        converted(json.loads(text), form)
    assert str(malformed.value) == fault
