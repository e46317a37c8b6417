"""docs/extensions.md: its package, and what the kit does with it."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from conformance.strategies.grammar.family import families
from tests.extensions.example import PACKAGE, install, run
from tests.extras import require
from tests.generated import ROOT

#: Built-in families in whose streams the vendor's code occurs, and some others.
FAMILIES = ("ignorable_codes", "unknown_not_ignorable", "transactions", "sent_logs")
#: Prints the digest of some of the kit's cases.
DIGEST = """
import hashlib
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of, families
digest = hashlib.sha256()
for name in sys.argv[1:]:
    family = families()[name]
    for role in family.focus:
        for profile in family.profiles_of(role):
            for index in range(10):
                case = case_of(CaseId(name, profile, seed=1, index=index, role=role))
                digest.update(case.stream + repr((case.expected, case.settings, case.marks)).encode())
print(digest.hexdigest())
"""


def test_every_part_is_listed(acme):
    (listed,) = json.loads(run(acme, "extensions", "--json").stdout)
    assert listed == {
        "name": "acme",
        "package": "acme-binlog-checks",
        "version": "1.2.0",
        "requirements": ["ACME-AUDIT-NOTE", "ACME-AUDIT-LIST"],
        "event types": ["ACME_AUDIT_NOTE"],
        "fields": ["acme_level", "acme_text"],
        "abilities": [],
        "families": ["acme_audit_notes"],
        "oracles": ["ACME-AUDIT-NOTE"],
        "mutants": ["acme-level-signed", "acme-last-note-lost"],
        "roles": ["acme_audit"],
        "implementations": ["acme-reader"],
    }


def test_the_life_of_its_requirement_names_its_files(acme):
    done = run(acme, "requirements", "ACME-AUDIT-NOTE", "--json")
    life = json.loads(done.stdout)
    assert life["document"] == "ACME"
    places = [life["entry"], life["oracle"], life["families"][0]["place"], life["mutants"][0]["place"]]
    files = ("requirements.toml", "oracles.py", "families.py", "mutants.py")
    assert [each.split(":")[0] for each in places] == [f"{PACKAGE}/{name}" for name in files]


def test_the_bug_of_its_reader_is_found_named_and_replayed(acme, tmp_path):
    report = tmp_path / "report"
    done = run(acme, "certify", "acme-reader", "--requirement", "ACME-*", "--examples", "6", "--report", report)
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in (report / "run.jsonl").read_text().splitlines()]
    header, failures = lines[0], [each for each in lines if each["kind"] == "failure"]
    assert header["extensions"] == ["acme-binlog-checks 1.2.0"]
    assert {(each["requirement"], each["signature"]) for each in failures} == {
        ("ACME-AUDIT-NOTE", "text in other characters"),
        ("ACME-AUDIT-LIST", "acme_audit: text of note differs"),
    }
    assert "ACME_AUDIT_NOTE" in (report / "report.html").read_text()
    for name in ("report.html", "summary.md", "junit.xml"):
        assert "acme-binlog-checks 1.2.0" in (report / name).read_text().replace("\\", ""), name
    for each in failures:
        again = run(acme, "replay", each["case"], "acme-reader")
        assert again.returncode == 1
        assert f"fail           {each['requirement']}" in again.stdout


def test_the_reference_conforms_and_each_mutant_is_caught(acme):
    selection = ("--family", "acme_audit_notes", "--examples", "12", "-j", "1")
    assert run(acme, "certify", "reference", *selection).returncode == 0
    for mutant, broken in (("acme-level-signed", "ACME-AUDIT-NOTE"), ("acme-last-note-lost", "ACME-AUDIT-LIST")):
        done = run(acme, "certify", f"reference:{mutant}", *selection, "--format", "json")
        assert done.returncode == 1, done.stderr
        assert [list(each["requirements"]) for each in json.loads(done.stdout)["findings"]] == [[broken]]


def test_an_implementation_that_does_not_read_the_vendors_logs_is_not_asked(acme):
    adapter = f"{sys.executable} {ROOT}/conformance/implementations/adapters/minimal/minimal_adapter.py"
    done = run(acme, "certify", f"command:{adapter}", "--family", "acme_audit_notes", "--examples", "2")
    assert done.returncode == 2
    assert "nothing judged" in done.stdout


def test_the_kits_own_cases_and_what_is_expected_of_them_do_not_change(acme):
    digests = [
        subprocess.run(
            [sys.executable, "-c", f"import sys{DIGEST}", *FAMILIES],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for path in ((acme, ROOT), (ROOT,))
    ]
    assert set(FAMILIES) <= families().keys()
    assert digests[0] == digests[1]


def test_the_vendors_code_is_an_unknown_type_in_all_other_logs(acme):
    done = run(acme, "certify", "reference", "--family", "ignorable_codes", "--examples", "20", "-j", "1")
    assert done.returncode == 0, done.stdout


def test_the_pytest_suite_has_its_requirements(acme, tmp_path):
    arguments = ["--pyargs", "conformance.suite", "--binlog-implementation", "acme-reader", "-p", "no:cacheprovider"]
    done = run(acme, *arguments, "-q", "--binlog-requirement", "ACME-*", module="pytest", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAILED" in done.stdout
    assert "[ACME-AUDIT-LIST]" in done.stdout


def test_an_archive_for_workers_has_all_that_they_need(acme, tmp_path):
    code = (
        "from pathlib import Path; import sys; from conformance.corpus.kit_archive import write_extension_archives\n"
        "for path, folder in write_extension_archives(Path(sys.argv[1])): print(path, folder)"
    )
    written = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(acme), str(ROOT)))},
        capture_output=True,
        text=True,
        check=True,
    )
    worker = tmp_path / "worker"
    for path, folder in (line.split() for line in written.stdout.splitlines()):
        zipfile.ZipFile(path).extractall(worker / folder)
    listed = run(worker, "extensions")
    assert listed.stdout == run(acme, "extensions").stdout
    assert run(worker, "certify", "acme-reader", "--requirement", "ACME-*", "--examples", "1").returncode == 1


@pytest.mark.slow
def test_a_corpus_is_judged_and_resumed_only_with_the_same_extension(acme, tmp_path):
    require("spark")
    command = ("corpus", "run", "acme-reader", "--family", "acme_audit_notes", "--cases", "20", "--output", "run")
    done = run(acme, *command, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "text in other characters" in done.stdout
    changed = install(tmp_path / "changed", changes={"families.py": [("255)", "254)")]})
    (changed / PACKAGE / "covering_arrays.json").write_text((acme / PACKAGE / "covering_arrays.json").read_text())
    again = run(changed, *command, "--resume", cwd=tmp_path)
    assert again.returncode == 2
    assert "extensions" in again.stderr


@pytest.mark.parametrize("before", [None, ""], ids=["none yet", "emptied by the shell"])
def test_the_file_of_arrays_is_written_by_the_command_of_the_page(tmp_path, before):
    require("dev")
    site = install(tmp_path)
    place = site / PACKAGE / "covering_arrays.json"
    place.unlink()
    if before is not None:
        place.write_text(before)
    done = run(site, "families", "--arrays")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)) == ["acme_audit_notes decode", "acme_audit_notes acme_audit"]


def test_a_file_of_arrays_that_is_broken_is_named(tmp_path):
    require("dev")
    site = install(tmp_path)
    (site / PACKAGE / "covering_arrays.json").write_text('{"acme_audit_notes decode": {"space": 1}}')
    done = run(site, "certify", "acme-reader", "--requirement", "ACME-*")
    assert done.returncode == 2
    assert "covering_arrays.json: " in done.stderr
    assert done.stderr.count("\n") == 1
