"""A parser in Java, driven by an adapter that is built as its users build it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.engine.baseline import Baseline, KnownFailure
from conformance.engine.certification import Budget, Certification, Selection
from conformance.implementations.process.limits import Limits
from conformance.implementations.process.process_implementation import ProcessImplementation
from conformance.specs.catalogue import catalogue
from conformance.specs.profiles import PROFILE_GROUPS
from conformance.specs.run_record import TROUBLE

pytestmark = [pytest.mark.slow, pytest.mark.network]

ADAPTER = Path(__file__).parents[2] / "conformance" / "implementations" / "adapters" / "mysql-binlog-connector-java"
#: The parser loops over rows of no columns until memory ends: a small heap makes that a crash, and no hang.
JAVA = ["java", "-Xmx224m", "-XX:+UseSerialGC", "-XX:-OmitStackTraceInFastThrow", "-Dfile.encoding=UTF-8", "-jar"]
LIMITS = Limits(seconds=60)
#: What is known is not shrunk, which would take minutes.
AS_FOUND = Baseline("none", (KnownFailure("*", PROFILE_GROUPS, (*catalogue(), TROUBLE), "not shrunk"),))

#: What both versions surely do right.
MET = {
    "FORMAT-BAD-MAGIC", "FORMAT-DESCRIPTION-FIELDS", "FORMAT-HEADER-FLAGS",
    "FORMAT-HEADER-LENGTH", "FORMAT-HEADER-LOG-POS", "FORMAT-HEADER-SERVER-ID", "FORMAT-HEADER-TIMESTAMP",
    "FORMAT-INTVAR", "FORMAT-ROWS-NULL", "FORMAT-ROWS-VALUES-BIT", "FORMAT-ROWS-VALUES-BLOB",
    "FORMAT-ROWS-VALUES-DECIMAL", "FORMAT-ROWS-VALUES-FLOAT", "FORMAT-ROWS-VALUES-INTEGER",
    "FORMAT-ROWS-VALUES-VARCHAR", "FORMAT-XA-PREPARE", "FORMAT-XID",
    "WL4033-GOLDEN-ROWS-QUERY-BYTES", "WL4033-READ-ROWS-QUERY-TEXT", "WL7592-GTID-IDENTIFIER-READ",
    "WL7592-PREVIOUS-GTIDS-SET-READ",
}  # fmt: skip

#: Version -> (requirement, beginning of the finding) -> reason.
MISTAKES = {
    "0.30.1": {
        (
            "FORMAT-EVENT-DELIVERED",
            "GTID set with tags refused",
        ): "it reads the sets of 8.4 as older ones, to their end",
        ("FORMAT-EVENT-DELIVERED", "TRANSACTION_PAYLOAD refused"): "it decompresses what is not compressed",
        ("FORMAT-EVENT-DELIVERED", "GTID read to a wrong end"): "it looks a byte ahead, after the end of a Gtid of 5.6",
        ("FORMAT-HEADER-TYPE", "type code not reported"): "the code of a type that it does not know is lost",
        (
            "FORMAT-LENGTH-TOO-LARGE",
            "crash at FORMAT-LENGTH-TOO-LARGE: out of memory",
        ): "it allocates what a length asks for",
        ("FORMAT-LENGTH-TOO-SMALL", "invalid-length"): "it continues after the header",
        ("FORMAT-NO-FORMAT-DESCRIPTION", "no-format-description"): "it does not require one",
        ("FORMAT-POST-HEADER-LENGTHS", "event with a longer post-header misread"): "it has post-headers of one length",
        ("FORMAT-ROWS-VALUES-DATE", "value of date is null"): "dates with zero parts are null",
        (
            "FORMAT-ROWS-VALUES-JSON",
            "date or time of JSON differs",
        ): "a time in a document loses the zeros of its fraction",
        ("FORMAT-ROWS-VALUES-OLD-TIME", "value of TIME differs"): "it reads old times without their sign",
        ("FORMAT-ROWS-VALUES-TIME", "value of TIME2 differs"): "it reads times without their sign",
        (
            "FORMAT-ROWS-VALUES-UNSIGNED",
            "value of integer is read as signed",
        ): "it returns signed integers only, as its page says",
        ("FORMAT-TYPE-KNOWN", "ANONYMOUS_GTID not known"): "it skips the body of an Anonymous_gtid",
        (TROUBLE, "crash at a GTID set with tags"): "it allocates what misread bytes ask for",
        ("WL4033-READ-UNKNOWN-REFUSED", "unknown-event"): "it skips each event that it does not know",
    },
    "0.23.2": {
        ("FORMAT-EVENT-DELIVERED", "GTID_TAGGED refused"): "this type and the next ones are refused, not skipped",
        ("FORMAT-EVENT-DELIVERED", "rows event refused"): "as above: PARTIAL_UPDATE_ROWS",
        ("FORMAT-EVENT-DELIVERED", "TRANSACTION_PAYLOAD refused"): "as above",
        ("FORMAT-TYPE-KNOWN", "ANONYMOUS_GTID not known"): "it skips the body of an Anonymous_gtid",
        (
            "WL4033-READ-UNKNOWN-SKIPPED",
            "event of an unassigned type refused",
        ): "ignorable events of new types too: fixed in 0.23.3",
    },
}


@pytest.fixture(scope="module", params=MISTAKES)
def certified(request, tmp_path_factory):
    """The version, and the end of the parser's certification."""
    for tool in ("mvn", "java"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}, which is not on the PATH")
    folder = tmp_path_factory.mktemp("adapter") / "built"
    shutil.copytree(ADAPTER, folder, ignore=shutil.ignore_patterns("target"))
    build = ["mvn", "-q", "-B", "package", f"-Dparser.version={request.param}"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with ProcessImplementation([*JAVA, str(folder / "target" / "adapter.jar")], limits=LIMITS) as parser:
        assert parser.declaration.version == request.param
        certification = Certification(
            implementation=parser,
            spec="mysql-binlog-connector-java",
            selections=[Selection()],
            budget=Budget(examples=25),
            baseline=AS_FOUND,
        )
        return request.param, certification.run()


def test_it_answers_every_question(certified):
    _, finished = certified
    # It hangs where it reads rows of no columns, or unfolds arrays that share their elements.
    assert {each.verdict.status for each in finished.failures} <= {"fail", "crash", "hang"}
    assert finished.tally.cases > 500


#: What a requirement may have besides passes: cases in which it is not declared, or that have no answer.
WITHOUT_ANSWER = {"unsupported", "crash", "hang", "protocol-error", "not-asked", "blocked"}


def test_what_it_does_right_passes(certified):
    _, finished = certified
    passed = {
        requirement
        for requirement, profiles in finished.tally.results.items()
        if {status for counts in profiles.values() for status in counts}
        - {"unsupported", "crash", "protocol-error", "blocked"}
        == {"pass"}
    }
    assert sorted(MET - passed) == []


def test_its_mistakes_are_found(certified):
    version, finished = certified
    findings = {(each, failure.finding) for failure in finished.failures for each in failure.counts.requirements}
    missing = [
        (requirement, beginning)
        for requirement, beginning in MISTAKES[version]
        if not any(broken == requirement and finding.startswith(beginning) for broken, finding in findings)
    ]
    assert missing == []
