"""Hypothesis as an engine: the same seed always gives the same cases."""

import importlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.fuzzing.hypothesis_engine import discover


def streams(seed_value=0):
    seen = []
    discover(
        "transactions", "mysql-8.0", examples=60, seed_value=seed_value, visit=lambda case: seen.append(case.stream)
    )
    return seen


def test_the_same_seed_gives_the_same_cases():
    assert streams() == streams()


def test_an_exception_ends_the_discovery_at_once():
    seen = []

    def visit(case):
        seen.append(case)
        raise LookupError(len(seen))

    with pytest.raises(LookupError, match="1"):
        discover("transactions", "mysql-8.0", examples=60, seed_value=0, visit=visit)
    assert len(seen) == 1


def test_another_seed_gives_other_cases():
    assert streams(0) != streams(1)


def test_numbers_in_the_source_of_other_modules_change_nothing(tmp_path, monkeypatch):
    before = streams()
    (tmp_path / "full_of_numbers.py").write_text("NUMBERS = [" + ", ".join(map(str, range(100_000, 100_900))) + "]\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("full_of_numbers")
    given(st.integers(0, 2**32 - 1))(lambda number: None)()
    try:
        assert streams() == before
    finally:
        del sys.modules["full_of_numbers"]
