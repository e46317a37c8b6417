"""go-mysql, driven by its adapter: what the kit finds in two of its versions."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.engine.baseline import Baseline, KnownFailure
from conformance.engine.certification import Budget, Certification, Selection
from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.specs.catalogue import catalogue
from conformance.specs.profiles import PROFILE_GROUPS
from conformance.specs.run_record import TROUBLE

pytestmark = [pytest.mark.slow, pytest.mark.network]

ADAPTER = Path(__file__).parents[2] / "conformance" / "implementations" / "adapters" / "go-mysql"
LIMITS = Limits(seconds=10.0)
#: Its cases include rows events with longer post-headers: see the test of them.
ENDLESS = "post_header_lengths"

#: The requirements that the pinned version breaks, each with the reason.
MISTAKES = {
    "FORMAT-BODY-MALFORMED": "bodies that end too early make it panic, or are read with what is there",
    "FORMAT-COUNT-LIMITS": "what a count claims is allocated",
    "FORMAT-JSON-LIMITS": "arrays that share their elements are unfolded",
    "FORMAT-MARIADB-COMPRESSED-LIMITS": "the claimed size is allocated",
    "FORMAT-TRANSACTION-PAYLOAD-LIMITS": "a payload is unpacked whole, whatever it holds",
    "FORMAT-EVENT-DELIVERED": "the reasons of the others",
    "FORMAT-EVENT-FIELDS": "the zeros of an Anonymous_gtid, sent to readers older than the event",
    "FORMAT-GTID-TAGGED": "a number of nine bytes, from 2**55, loses the last one",
    "FORMAT-IN-USE-CHECKSUM": "the flag of a log in use is part of the checksum of its format description",
    "FORMAT-MARIADB-START-ENCRYPTION": "events after a Start_encryption are returned unchanged",
    "FORMAT-NO-FORMAT-DESCRIPTION": "events are returned before any format description, or the parser panics",
    "FORMAT-ROWS-PARTIAL-UPDATE": "one change of a document is read, however many there are",
    "FORMAT-ROWS-VALUES-BIT": "64 bits are returned as a signed number",
    "FORMAT-ROWS-VALUES-SET": "the same",
    "FORMAT-ROWS-VALUES-JSON": "a decimal in a document becomes a string",
    "FORMAT-ROWS-VALUES-MARIADB-COMPRESSED": "compressed columns are refused",
    "FORMAT-ROWS-VALUES-OLD-TIME": "a TIME below zero of servers before 5.6 is read as unsigned",
    "FORMAT-TRANSACTION-PAYLOAD": "a number from 251 is read together with its length byte",
    "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN": "the same: 255, no compression, becomes 65532 and is refused",
    "FORMAT-TRUNCATED-HEADER": "a stream that ends inside a header ends without an error",
    "FORMAT-TYPE-KNOWN": "types such as RAND are left as bytes",
    "FORMAT-TYPE-NOT-DECLARED": "types that the format description does not declare are returned, or the parser panics",
    "WL4033-READ-FLAG-BIT": "unknown types are returned, with and without the ignorable flag",
    "WL4033-READ-UNKNOWN-REFUSED": "the same",
    "WL7592-ANON-NO-IDENTIFIER": "the zeros of an Anonymous_gtid are returned as a GTID",
    "WL7592-PREVIOUS-GTIDS-SET-READ": "a source of which all sets have a tag loses its UUID",
}
#: The panics of the pinned version, and what they are charged to in most cases.
PANICS = {
    ("FORMAT-BODY-MALFORMED", "crash at FORMAT-BODY-MALFORMED: out of memory"),
    ("FORMAT-BODY-MALFORMED", "crash: panic: out of bounds in event.go"),
    ("FORMAT-BODY-MALFORMED", "crash: panic: out of bounds in row_event.go"),
    ("FORMAT-BODY-MALFORMED", "crash: panic: out of bounds in util.go"),
    ("FORMAT-COUNT-LIMITS", "crash at FORMAT-COUNT-LIMITS: out of memory"),
    (
        "FORMAT-NO-FORMAT-DESCRIPTION",
        "crash: panic: runtime error: invalid memory address or nil pointer dereference in parser.go",
    ),
    ("FORMAT-TYPE-NOT-DECLARED", "crash: panic: out of bounds in parser.go"),
}
#: Where it takes whatever is claimed or unfolds, which may also end it or its answer; how much is too much depends on
#: the machine.
UNLIMITED = {"FORMAT-JSON-LIMITS", "FORMAT-MARIADB-COMPRESSED-LIMITS", "FORMAT-TRANSACTION-PAYLOAD-LIMITS"}
#: What is known is not shrunk.
EVERYTHING = KnownFailure("*", PROFILE_GROUPS, (*catalogue(), TROUBLE), "not shrunk")
#: Requirements that this reader meets, as any reader should.
MET = {
    "FORMAT-BAD-MAGIC",
    "FORMAT-CHECKSUM-WRONG",
    "FORMAT-EVENT-START",
    "FORMAT-HEADER-FLAGS",
    "FORMAT-HEADER-LENGTH",
    "FORMAT-HEADER-LOG-POS",
    "FORMAT-HEADER-TYPE",
    "FORMAT-ROWS-IMAGES",
    "FORMAT-ROWS-NULL",
    "FORMAT-TABLE-MAP",
    "FORMAT-TRUNCATED-BODY",
    "FORMAT-XID",
    "WL4033-READ-ROWS-QUERY-TEXT",
    "WL4033-READ-UNKNOWN-AS-IGNORABLE",
    "WL7592-GTID-IDENTIFIER-READ",
    "WL7592-PREVIOUS-GTIDS-EMPTY-READ",
}


def go(folder, *arguments):
    done = subprocess.run(["go", *arguments], cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The folder of the adapter's code, to be built in."""
    if shutil.which("go") is None:
        pytest.skip("needs go on the PATH")
    return Path(shutil.copytree(ADAPTER, tmp_path_factory.mktemp("go") / "adapter"))


@pytest.fixture(scope="module")
def pinned(sources):
    """The adapter with the version that its go.mod names."""
    go(sources, "build", "-o", "pinned", ".")
    return f"command:{sources / 'pinned'}"


@pytest.fixture(scope="module")
def older(sources, pinned):
    """The adapter with a version that knows nothing of tags."""
    go(sources, "get", "github.com/go-mysql-org/go-mysql@v1.10.0")
    go(sources, "mod", "tidy")
    go(sources, "build", "-tags", "before_1_12", "-o", "older", ".")
    return f"command:{sources / 'older'}"


def certify(spec, *, profiles=None, families=None, examples=None, limits=LIMITS):
    baseline = Baseline("this test", (EVERYTHING,))
    with implementation(spec, limits=limits) as tested:
        profiles = profiles or tuple(tested.declaration.roles["decode"].profiles)
        pairs = Selection(profiles=profiles).pairs(tested.declaration)
        families = families or tuple(sorted({family for family, _ in pairs} - {ENDLESS}))
        return Certification(
            implementation=tested,
            spec=spec,
            selections=[Selection(profiles=profiles, families=families)],
            budget=Budget(examples=examples),
            baseline=baseline,
        ).run()


@pytest.fixture(scope="module")
def finished(pinned):
    return certify(pinned)


def broken(finished):
    return {requirement for failure in finished.failures for requirement in failure.counts.requirements}


def test_the_pinned_version_is_the_one_that_is_certified(pinned):
    with implementation(pinned, limits=LIMITS) as tested:
        declaration = tested.declaration
    assert (declaration.name, declaration.version, declaration.language) == ("go-mysql", "1.16.0", "Go")


def test_panics_are_reported_as_crashes(finished):
    troubles = [
        each
        for each in finished.failures
        if each.verdict.status != "fail" and each.verdict.requirement not in UNLIMITED
    ]
    assert {each.verdict.status for each in troubles} == {"crash"}  # No hang and no protocol error.
    assert {(each.verdict.requirement, each.finding) for each in troubles} == PANICS


def test_the_mistakes_are_found_and_no_others(finished):
    assert broken(finished) - UNLIMITED == MISTAKES.keys() - UNLIMITED


def test_the_met_requirements_pass(finished):
    assert finished.tally.results.keys() >= MET
    assert not broken(finished) & MET


def test_a_longer_post_header_of_rows_makes_it_panic(pinned):
    """The column count is read at a wrong place: rows without columns may follow each other until memory is full."""
    finished = certify(pinned, profiles=("mysql-9.x",), families=(ENDLESS,))
    assert "crash at a longer post-header" in {failure.finding for failure in finished.failures}


@pytest.mark.parametrize(("profile", "panics"), [("mysql-8.4", True), ("mysql-8.0", False)])
def test_the_older_version_panics_at_the_gtid_sets_of_newer_servers(older, profile, panics):
    finished = certify(older, profiles=(profile,), families=("previous_gtids_streams",), examples=15)
    assert ("crash" in {failure.verdict.status for failure in finished.failures}) is panics


@pytest.mark.parametrize(("version", "tags"), [("1.13.0", "before_1_14"), ("1.8.0", "before_1_12")])
def test_older_versions_build_with_the_tags_that_the_readme_names(sources, version, tags, tmp_path):
    folder = Path(shutil.copytree(sources, tmp_path / "adapter"))
    go(folder, "get", f"github.com/go-mysql-org/go-mysql@v{version}")
    go(folder, "mod", "tidy")
    go(folder, "build", "-tags", tags, "-o", "older", ".")
    with implementation(f"command:{folder / 'older'}", limits=LIMITS) as tested:
        assert tested.declaration.version == version
