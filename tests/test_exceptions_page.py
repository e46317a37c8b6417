"""ARCHITECTURE.md names every exception of the kit."""

import ast
import builtins
import re
from functools import cache

from tests.generated import ROOT

FOLDERS = ("conformance", "specs", "strategies", "reports")
EXCEPTION = re.compile(r"`(_?[A-Z]\w+)`")


@cache
def classes():
    """Return the bases of each class of the kit, by its name."""
    return [
        (node.name, {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases})
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]


def exceptions():
    """Return the names of the classes that derive from an exception, directly or not."""
    known = {name for name, value in vars(builtins).items() if isinstance(value, type(Exception))}
    known = {name for name in known if issubclass(getattr(builtins, name), BaseException)} | {"ClickException"}
    names: set[str] = set()
    while more := {name for name, bases in classes() if bases & (known | names)} - names:
        names |= more
    return names


def named():
    """Return the exceptions in the second column of the table."""
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Exceptions")[2]
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|")]
    return {name for row in rows for name in EXCEPTION.findall(row)}


def test_the_table_names_every_exception_of_the_kit():
    assert exceptions() - named() == set()


def test_the_table_names_no_other_exception():
    assert {name for name in named() - exceptions() if not hasattr(builtins, name)} == set()
