"""Cases that tests choose by what they have, since a number names another case once a family has a new dimension."""

from collections.abc import Callable
from itertools import count

from conformance.strategies.grammar.case import Case
from conformance.strategies.grammar.case_id import CaseId
from conformance.strategies.grammar.family import case_of
from conformance.wire.question_source import source_of_question


def first_case(family: str, profile: str, has: Callable[[Case], bool], *, role: str = "decode") -> str:
    """Return the id of the first case with seed 0 for which `has` holds."""
    for index in count():
        case = case_of(CaseId(family, profile, seed=0, index=index, role=role))
        if has(case):
            return str(case.id)
    raise AssertionError


def has_checksums(case: Case) -> bool:
    return case.classes["checksum"] == "crc32"


def has_gtids_and_checksums(case: Case) -> bool:
    source = source_of_question(case.id.profile, case.stream, case.settings)
    return (source.gtid_mode, source.checksum) == ("ON", "CRC32")


def has_checksums_and_no_purged_gtids(case: Case) -> bool:
    all_logs = has_checksums(case) and case.classes.get("checksums of the next log") != "others"
    source = source_of_question(case.id.profile, case.stream, case.settings)
    return all_logs and source.checksum == "CRC32" and not source.purged().sources
