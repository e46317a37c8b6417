"""A broken extension is refused in one line that names its package, with exit status 2."""

import pytest

from tests.extensions.example import PACKAGE, install, run
from tests.extras import require

INIT, TOML = "__init__.py", "requirements.toml"
#: What is broken -> the changes of files, and words of the message.
BROKEN = {
    "not importable": ({INIT: [("EXTENSION =", "import acme_is_not_there\n\nEXTENSION =")]}, "acme_is_not_there"),
    "raises": ({INIT: [("EXTENSION =", "raise SystemError('two\\nlines')\n\nEXTENSION =")]}, "SystemError: two lines"),
    "another version": ({INIT: [("api=1", "api=2")]}, "version 2 of the interface; this kit has 1"),
    "no extension": ({INIT: [("EXTENSION = Extension(", "EXTENSION = dict(")]}, "is not an Extension"),
    "a key that there is not": ({INIT: [("mutants=", "monsters=")]}, "monsters"),
    "no object": ({INIT: [(":ORACLES", ":NONE")]}, "NONE"),
    "no reference": ({INIT: [("acme_binlog_checks.oracles:ORACLES", "oracles")]}, "write module:NAME"),
    "something else": ({INIT: [(".oracles:ORACLES", ".mutants:MUTANTS")]}, "is not a Oracle"),
    "no file": ({INIT: [('"requirements.toml"', '"none.toml"')]}, "none.toml"),
    "not TOML": ({TOML: [("[[requirement]]", "[[requirement]")]}, "requirements.toml"),
    "a foreign id": ({TOML: [('"ACME-AUDIT-NOTE"', '"WL4033-READ-FLAG-BIT"')]}, "does not begin with ACME-"),
    "a foreign document": ({TOML: [('worklog = "ACME"', 'worklog = "FORMAT"')]}, "worklog"),
    "an id twice": ({TOML: [("ACME-AUDIT-LIST", "ACME-AUDIT-NOTE")]}, "already in the catalogue"),
    "no such role": ({TOML: [('role = "acme_audit"', 'role = "acme_audti"')]}, "did you mean acme_audit"),
    "no such server": ({TOML: [("mysql >= 8.0", "mysql >= 80")]}, "ACME-AUDIT-NOTE: '80' is not"),
    "owns the kit's fields": ({TOML: [('role = "acme_audit"', 'role = "decode"')]}, "owns *"),
    "a field that there is": ({INIT: [('"acme_level": (', '"xid": (')]}, "xid"),
    "a kind of field": ({INIT: [('("integer"', '("number"')]}, "number"),
    "a role that there is": ({INIT: [('"acme_audit":', '"decode":')]}, "decode"),
    "a code in use": ({"event_types.py": [("code=101", "code=33")]}, "code 33"),
    "no such requirement": ({"oracles.py": [("ACME-AUDIT-NOTE", "ACME-NONE")]}, "ACME-NONE"),
    "a mutant of nothing": ({"mutants.py": [('"ACME-AUDIT-NOTE"', '"ACME-NONE"')]}, "ACME-NONE"),
    "a mutant that there is": ({"mutants.py": [("acme-level-signed", "block-lost")]}, "block-lost"),
    "a family that there is": ({"families.py": [("def acme_audit_notes", "def rotations")]}, "families rotations"),
    "an implementation that there is": ({"implementations.py": [('name="acme-reader"', 'name="command"')]}, "command"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_it_is_refused_in_one_line(tmp_path, what):
    changes, words = BROKEN[what]
    done = run(install(tmp_path, changes=changes), "extensions")
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("binlog-conformance: the extension acme of acme-binlog-checks 1.2.0 cannot be used: ")
    assert words in line


@pytest.mark.parametrize(
    "command",
    [
        ("requirements",),
        ("certify", "reference"),
        ("implementations",),
        ("replay", "transactions/mysql-8.0/0/0", "reference"),
    ],
)
def test_every_command_that_reads_it_refuses_it(tmp_path, command):
    changes, words = BROKEN["another version"]
    done = run(install(tmp_path, changes=changes), *command)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr


def test_pytest_refuses_it(tmp_path):
    changes, words = BROKEN["raises"]
    site = install(tmp_path, changes=changes)
    suite = ("--pyargs", "conformance.suite", "--binlog-implementation", "reference")
    done = run(site, *suite, module="pytest")
    assert done.returncode == 4
    assert words in done.stderr


def test_the_version_needs_none(tmp_path):
    changes, _ = BROKEN["raises"]
    assert run(install(tmp_path, changes=changes), "--version").returncode == 0


def test_two_of_one_name_are_refused(tmp_path):
    install(tmp_path)
    install(tmp_path, package="other_checks")
    done = run(tmp_path, "extensions")
    assert done.returncode == 2
    assert "1.2.0 cannot be used: " in done.stderr
    assert "has an extension of that name too" in done.stderr


def test_an_exception_in_its_code_is_its_own_bug(tmp_path):
    require("dev")  # covertable, as the package keeps no covering arrays here
    site = install(tmp_path, changes={"families.py": [("    lengths = ", "    1 // 0\n    lengths = ")]})
    done = run(site, "replay", "acme_audit_notes/mysql-8.0/0/0", "reference")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "binlog-conformance: this is a bug of the extension acme of acme-binlog-checks 1.2.0"
    )


def test_the_package_is_the_one_of_the_page(acme):
    assert sorted(each.name for each in (acme / PACKAGE).glob("*.py")) == [
        "__init__.py",
        "audit_role.py",
        "event_types.py",
        "families.py",
        "implementations.py",
        "mutants.py",
        "oracles.py",
        "reader.py",
    ]
