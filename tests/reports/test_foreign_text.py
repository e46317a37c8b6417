"""The text of an implementation, made safe to show."""

import pytest

from conformance.reports.foreign_text import elided, last_call, last_words, one_line, value_text, visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 日本 🐬", "plain ünïcode 日本 🐬"),
        ("a\nb\tc", "a\nb\tc"),
        ("\x00", "⟨00⟩"),
        ("\x1b[31mred", "⟨1b⟩[31mred"),
        ("over\rwrite", "over⟨0d⟩write"),
        ("\x7f", "⟨7f⟩"),
        ("\x9b31m", "⟨9b⟩31m"),
        ("user\u202egnp.exe", "user⟨U+202E⟩gnp.exe"),
        ("\ud800", "⟨U+D800⟩"),
        ("\ufffe\uffff", "⟨U+FFFE⟩⟨U+FFFF⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
    ],
)
def test_nothing_stays_invisible(text: str, shown: str):
    assert visible(text) == shown


def test_lines_become_one():
    assert visible_line("a\n\tb") == "a↵⇥b"
    assert one_line("  a\n\t b ") == "a b"


def test_a_long_text_keeps_its_ends_and_counts_what_is_left_out():
    text = elided("a" * 500_000 + "b" * 500_000, 30)
    assert text == f"{'a' * 20} ⋯ 999,970 characters left out ⋯ {'b' * 10}"
    assert elided("short", 30) == "short"


def test_nothing_is_left_out_where_its_mark_takes_as_much_room():
    for length in (300, 314, 360):
        assert elided("a" * length, 300) == "a" * length
    assert len(elided("a" * 361, 300)) < 340


def test_a_message_keeps_all_of_its_last_call():
    call = 'File "b.py", line 7, in g\n    read_until = self.packet.read_bytes + length'
    message = f"TypeError: {'no ' * 90}\n{CALLS}  {call}\nTypeError: other"
    shown = last_words(message, 300)
    assert shown.endswith(f"{call}\nTypeError: other")
    assert shown.startswith("TypeError: no no no")
    assert "left out" in shown
    # A call that is longer than all that is kept is cut, too.
    assert len(last_words(f"{CALLS}  {call}{'x' * 900}", 300)) < 360


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1", '"1"'),
        (1, "1"),
        (None, "null"),
        (True, "true"),
        (" x\n", '" x↵"'),
        ({"b": [1], "a": "\x1b"}, '{"a": "\\u001b", "b": [1]}'),
    ],
)
def test_a_value_shows_its_type(value: object, shown: str):
    assert value_text(value) == shown


def test_a_value_that_is_nested_too_deeply_is_not_shown():
    value: list = []
    for _ in range(100_000):
        value = [value]
    assert value_text(value) == "(nested too deeply to be shown)"


CALLS = (
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g(x)\n  File "b.py", line 7, in g\n    y\n'
)


def test_of_a_traceback_the_last_call_is_kept():
    call = 'File "b.py", line 7, in g\n    y'
    kept = f"{call}\nTypeError: no"
    # What the text begins with is not repeated.
    assert last_call(f"TypeError: no\n{CALLS}TypeError: no") == f"TypeError: no\n{call}"
    assert last_call(f"TypeError: no\n{CALLS}TypeError: no\n\n(after 4 entries)") == (
        f"TypeError: no\n{call}\n\n(after 4 entries)"
    )
    assert last_call(CALLS.partition("\n")[2] + "TypeError: no").strip() == kept
    assert last_call(f"{CALLS}KeyError: 1\n\nDuring handling\n\n{CALLS}TypeError: no") == kept


def test_marks_under_a_line_of_code_are_left_out():
    call = '  File "a.py", line 1, in f\n    at + length\n    ~~~^~~~~~~~\nTypeError: no'
    assert last_call(f"Traceback (most recent call last):\n{call}") == call.strip().replace("\n    ~~~^~~~~~~~", "")
    assert last_call("no operator ~^ ~~~ here") == "no operator ~^ ~~~ here"


def test_a_text_without_calls_is_kept_whole():
    assert last_call("panic: index out of range") == "panic: index out of range"
    assert last_call('Traceback (most recent call last):\n  File "a.py", line 1') == 'File "a.py", line 1'
