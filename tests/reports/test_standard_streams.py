"""Standard output and standard error: safe for a terminal, written in any encoding, and the only way to it."""

import ast
import io
import json
from pathlib import Path

import click
import pytest
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from conformance.reports.standard_streams import GuardedStream, escaped, guard_standard_streams
from conformance.reports.status import STATUSES
from conformance.reports.styled_console import styled_console
from tests.generated import ROOT

CONTROLS = [*map(chr, (*range(0x20), *range(0x7F, 0xA0))), *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069", "\ud800"]


@pytest.mark.parametrize("char", [each for each in CONTROLS if each not in "\t\n"])
def test_what_a_terminal_obeys_is_written_as_its_code(char):
    assert escaped(f"a{char}b") == f"a\\u{ord(char):04x}b"


@pytest.mark.parametrize(
    "text", ["plain ünïcode 日本 🐬", "lines\nand\ttabs\n", "שלום", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"]
)
def test_what_a_terminal_shows_stays(text):
    assert escaped(text) == text


def test_a_line_of_json_keeps_its_meaning():
    value = {"".join(CONTROLS): ["\u202e", "\U000e0041", "\x9b"]}
    assert json.loads(escaped(json.dumps(value, ensure_ascii=False))) == value


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def guarded_terminal(monkeypatch):
    """Make standard output a guarded terminal, and return the stream with its bytes."""
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = io.BytesIO()
    monkeypatch.setattr("sys.stdout", Terminal(terminal, encoding="utf-8"))
    monkeypatch.setattr("sys.stderr", Terminal(io.BytesIO(), encoding="utf-8"))
    guard_standard_streams()
    return terminal


def test_a_console_writes_its_own_styles_and_nobody_elses(monkeypatch):
    terminal = guarded_terminal(monkeypatch)
    console = styled_console()
    evil = "\x1b[31m\x1b]0;t\x07[red]x[/y]:skull:\u202e"
    table = Table(evil)
    table.add_row(evil)
    for each in (evil, Text(evil, style="bold"), table, Panel(evil, title=Text(evil))):
        console.print(each, soft_wrap=True)
    printed = terminal.getvalue().decode()
    assert "\x1b[1m" in printed
    assert "\x1b[31m" not in printed
    assert "\u202e" not in printed
    assert "\x1b]" not in printed
    assert "\\u001b[31m" in printed
    assert "[red]x[/y]:skull:" in printed


def test_what_an_encoding_lacks_is_replaced(monkeypatch):
    bytes_ = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(bytes_, encoding="ascii"))
    guard_standard_streams()
    print("".join(each.symbol for each in STATUSES.values()), "ü 🐬 \ud800", flush=True)
    marks, rest = bytes_.getvalue().split(b" ", 1)
    assert b"\\u" not in marks
    assert rest == b"\\u00fc \\ud83d\\udc2c \\ud800\n"


def test_no_library_writes_past_the_guard(monkeypatch):
    terminal = guarded_terminal(monkeypatch)
    click.echo("\x1b]0;t\x07")
    assert terminal.getvalue() == b"\\u001b]0;t\\u0007\n"


def test_closed_streams_take_text(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    guard_standard_streams()
    print("nothing", flush=True)
    Console(stderr=True).print("nothing")


class Full(io.StringIO):
    def write(self, text):
        raise OSError(28, "No space left on device")


def test_a_full_output_names_itself_and_full_errors_are_dropped():
    with pytest.raises(OSError, match="standard output"):
        GuardedStream(Full(), lossy=False).write("x")
    GuardedStream(Full(), lossy=True).write("x")


#: Programs of their own, which write answers or messages to a pipe.
PROGRAMS = ("conformance/implementations/adapters/", "conformance/fuzzing/guided_worker.py")
DOOR = "reports/standard_streams.py"
SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("conformance", "specs", "strategies", "reports")
    for path in (ROOT / folder).rglob("*.py")
    if not any(each.is_symlink() for each in path.parents)
)


def ways_past_the_door(tree):
    """Yield each expression that reaches a terminal without the guard."""
    for node in ast.walk(tree):
        text = ast.unparse(node) if isinstance(node, ast.Attribute | ast.Call) else ""
        if text.startswith(("sys.__stdout__", "sys.__stderr__", "sys.stdout.buffer", "sys.stderr.buffer")):
            yield text
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("Console", "get_console", "status"):
            yield text
        if text.startswith(("os.write(1", "os.write(2", "open('/dev/tty", "os.open('/dev/tty")):
            yield text


@pytest.mark.parametrize("source", [each for each in SOURCES if each != DOOR and not each.startswith(PROGRAMS)])
def test_the_kit_prints_through_the_guarded_streams(source):
    assert list(ways_past_the_door(ast.parse(Path(ROOT / source).read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code", ["sys.stdout.buffer.write(b'')", "Console(file=sys.stderr)", "rich.console.Console()", "os.write(1, b'')"]
)
def test_a_way_past_the_door_is_found(code):
    assert list(ways_past_the_door(ast.parse(code)))


@pytest.mark.parametrize("columns", ["0", "1"])
def test_a_terminal_that_has_no_size_yet_shows_every_word(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", columns)
    styled_console().print("nothing is lost in here")
    assert "nothing is lost in here\n" in capsys.readouterr().out
