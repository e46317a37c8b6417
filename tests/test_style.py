"""The refused words: each rule of style.toml on its own examples, and the places where words are looked for."""

import re
from pathlib import Path

import pytest

from tests.style import ROOT, Rule, offences, word_list, words_of

RULES = word_list().rules


def broken(rule: Rule, example: str) -> bool:
    """Return whether an example breaks a rule: as a text where it has several words, otherwise as a name."""
    is_name = "name" in rule.where and " " not in example
    return any(rule.offences(words_of(example) if is_name else example))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.match.pattern)
def test_a_rule_refuses_what_is_wrong_and_passes_what_is_right(rule):
    assert rule.wrong
    assert rule.right
    assert [each for each in rule.wrong if not broken(rule, each)] == []
    assert [each for each in rule.right if broken(rule, each)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.match.pattern)
def test_a_rule_has_a_better_word_and_a_reason(rule):
    assert rule.better
    assert rule.reason
    assert set(rule.where) <= {"text", "name", "constant"}


SOURCE = '''"""A docstring
with behind in its second line."""

import fractions as F

X: int = 1  # This comment is
# no phrase of one line.


def tells(told, *, rows_behind):
    found = f"{told} anew"
    return [found for found in rows_behind]


class Reader:
    Y = "MISHAP-1"
    at_the_end = not_found = "what is left behind"
'''


def test_strings_comments_names_and_constants_of_python_are_checked(tmp_path):
    module = tmp_path / "reader.py"
    module.write_text(SOURCE, encoding="utf-8")
    assert [(offence.line, offence.written) for offence in offences(module, RULES)] == [
        (2, "behind"),
        (4, "F"),
        (6, "X"),
        (6, "is no phrase"),
        (10, "behind"),
        (10, "tells"),
        (10, "told"),
        (11, "anew"),
        (11, "found"),
        (12, "found"),
        (16, "Y"),
        (17, "behind"),
    ]


def test_each_rule_is_on_the_page():
    page = (ROOT / "docs" / "style.md").read_text(encoding="utf-8")
    written = [page, *re.findall(r"\w+", page)]
    assert [rule.match.pattern for rule in RULES if not any(broken(rule, each) for each in written)] == []


def test_the_excluded_files_exist():
    assert [name for name in word_list().apart if not Path(ROOT / name).is_file()] == []
