"""go-mysql, driven by its adapter: what the kit finds in two of its versions."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.engine.baseline import ANY, Baseline, KnownFailure
from conformance.engine.certification import Budget, Certification, Selection
from conformance.implementations.process.limits import Limits
from conformance.implementations.registry import implementation
from conformance.specs.profiles import PROFILE_GROUPS

pytestmark = pytest.mark.slow

ADAPTER = Path(__file__).parents[2] / "conformance" / "implementations" / "adapters" / "go-mysql"
#: The Go runtime reserves more than it uses.
LIMITS = Limits(seconds=10.0, memory_bytes=None)
#: Its cases include rows events with longer post-headers: see the test of them.
ENDLESS = "post_header_lengths"

#: The requirements that the pinned version breaks, each with the reason.
MISTAKES = {
    "FORMAT-EVENT-DELIVERED": "the reasons of the others; MariaDB's compressed columns; a panic at PRE_GA_UPDATE_ROWS",
    "FORMAT-IN-USE-CHECKSUM": "the flag of a log in use is part of the checksum of its format description",
    "FORMAT-MARIADB-BINLOG-CHECKPOINT": "the length of the log's name is read as its beginning",
    "FORMAT-MARIADB-START-ENCRYPTION": "events after a Start_encryption are returned unchanged",
    "FORMAT-NO-FORMAT-DESCRIPTION": "events are returned before any format description",
    "FORMAT-POST-HEADER-LENGTHS": "the post-header of a Query is read as 13 bytes",
    "FORMAT-QUERY": "the same",
    "FORMAT-ROWS-PARTIAL-UPDATE": "one change of a document is read, however many there are",
    "FORMAT-ROWS-VALUES-JSON": "a decimal in a document becomes a string",
    "FORMAT-ROWS-VALUES-OLD-TIME": "a TIME below zero of servers before 5.6 is read as unsigned",
    "FORMAT-TRANSACTION-PAYLOAD": "a number from 251 is read together with its length byte",
    "FORMAT-TRANSACTION-PAYLOAD-UNKNOWN": "the same: 255, no compression, becomes 65532 and is refused",
    "FORMAT-TRUNCATED-HEADER": "a stream that ends inside a header ends without an error",
    "FORMAT-TYPE-NOT-DECLARED": "types that the format description does not declare are returned",
    "WL40-FORMAT-FROM-FDE": "extended Query events are read as usual ones",
    "WL40-GOLDEN-QUERY": "the same",
    "WL40-STATUS-VARS-UNCHANGED": "the same",
    "WL40-USUAL-QUERY-TO-END": "the post-header of a Query is read as 13 bytes",
    "WL4033-READ-FLAG-BIT": "unknown types are returned, with and without the ignorable flag",
    "WL4033-READ-KNOWN-FLAGGED": "types such as RAND are left as bytes",
    "WL4033-READ-UNKNOWN-REFUSED": "unknown types are returned, with and without the ignorable flag",
    "WL7592-PREVIOUS-GTIDS-SET-READ": "a source of which all sets have a tag loses its UUID",
}
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
    "WL7592-GTID-CHECKSUM-WRONG",
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
    go(sources, "build", "-tags", "go_mysql_1_10", "-o", "older", ".")
    return f"command:{sources / 'older'}"


def certify(spec, known=(), *, profiles=None, families=None, examples=8, limits=LIMITS):
    """Certify without shrinking what is known."""
    entry = KnownFailure(ANY, PROFILE_GROUPS, tuple(known), "known")
    baseline = Baseline("this test", (entry,) if known else ())
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
    return certify(pinned, MISTAKES)


def broken(finished):
    return {requirement for failure in finished.failures for requirement in failure.counts.requirements}


def test_the_pinned_version_is_the_one_that_is_certified(pinned):
    with implementation(pinned, limits=LIMITS) as tested:
        declaration = tested.declaration
    assert (declaration.name, declaration.version, declaration.language) == ("go-mysql", "1.16.0", "Go")


def test_every_question_is_answered(finished):
    assert {failure.verdict.status for failure in finished.failures} == {"fail"}  # No hang, crash or protocol error.


def test_the_mistakes_are_found_and_no_others(finished):
    assert broken(finished) == MISTAKES.keys()


def test_the_met_requirements_pass(finished):
    assert finished.tally.results.keys() >= MET
    assert not broken(finished) & MET


def test_a_longer_post_header_of_rows_is_read_without_end(pinned):
    """The column count is read at a wrong place: rows without columns follow each other until memory is full."""
    finished = certify(
        pinned,
        ("FORMAT-POST-HEADER-LENGTHS", "FORMAT-QUERY", "WL40-USUAL-QUERY-TO-END", "FORMAT-EVENT-DELIVERED"),
        profiles=("mysql-5.7",),
        families=(ENDLESS,),
        limits=Limits(seconds=2.0, memory_bytes=None),
    )
    assert "hang: no answer within the time limit" in {failure.finding for failure in finished.failures}


@pytest.mark.parametrize(("profile", "refused"), [("mysql-8.4", True), ("mysql-8.0", False)])
def test_the_older_version_panics_at_the_gtid_sets_of_newer_servers(older, profile, refused):
    requirement = "WL7592-PREVIOUS-GTIDS-FLAG-EITHER-WAY"
    finished = certify(older, (requirement,), profiles=(profile,), families=("previous_gtids_streams",), examples=15)
    assert (requirement in broken(finished)) is refused
