"""Short names of cases: the first digits of a hash of the id, for people; a record resolves them."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from conformance.reports.record import RunRecord

#: Digits of a short name; among a thousand cases two share one once in ten thousand records.
DIGITS: Final = 8
#: The fewest digits that a person may type.
_LEAST: Final = 4
_HEXADECIMAL: Final = frozenset("0123456789abcdef")


class NoSuchCase(ValueError):
    """A short name stands for no case of a record, or for several."""


def case_alias(case: str) -> str:
    """Return the short name of a case.

    Example:
        >>> case_alias("rows_query/mysql-8.0/0/3")
        '73852288'
    """
    return sha256(case.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def is_alias(text: str) -> bool:
    """Return whether a text has the form of a short name; an id of a case has slashes."""
    return len(text) >= _LEAST and _HEXADECIMAL.issuperset(text)


def cases_of(record: RunRecord) -> Iterable[str]:
    """Yield the ids of the cases that a record names."""
    for failure in record.failures:
        yield failure.case
        yield failure.first_case


def case_with_alias(alias: str, record: RunRecord) -> str:
    """Return the id of the case that a short name, or the beginning of one, stands for in a record.

    Raises:
        NoSuchCase: No case of the record has it, or several have.
    """
    matches = [case for case in dict.fromkeys(cases_of(record)) if case_alias(case).startswith(alias)]
    if not matches:
        raise NoSuchCase(f"no case of the record has the short id {alias!r}")
    if len(matches) > 1:
        names = ", ".join(case_alias(case) for case in matches)
        raise NoSuchCase(f"{len(matches)} cases of the record have the short id {alias!r}: {names}; write more digits")
    return matches[0]
