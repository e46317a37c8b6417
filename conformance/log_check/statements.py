"""The kind of statement in a Query event, as far as the structure of a log depends on it."""

import re
from enum import Enum, auto
from typing import Final


class LoggedStatement(Enum):
    """The kinds of statement that are logged in different ways."""

    # A kind is looked up for every statement; an enumeration's own hash is that of a name.
    __hash__ = object.__hash__

    BEGIN = auto()
    COMMIT = auto()
    ROLLBACK = auto()
    XA_START = auto()
    #: XA COMMIT and XA ROLLBACK: they end a prepared transaction, usually with a Gtid of their own.
    XA_FINISH = auto()
    CREATE_TABLE = auto()
    DROP_TABLE = auto()
    #: CREATE and DROP TEMPORARY TABLE.
    TEMPORARY_TABLE = auto()
    #: OPTIMIZE, REPAIR, ANALYZE and CHECKSUM TABLE.
    MAINTENANCE = auto()
    OTHER = auto()


_SPACE: Final = rb"(?:\s|/\*[^!].*?\*/)+"
#: DROP /*!40005 TEMPORARY */ TABLE is what servers up to 5.7 write when a client leaves.
_TEMPORARY: Final = rb"(?:/\*!\d*\s*)?TEMPORARY(?:\s*\*/)?"
#: Group -> pattern, tried in this order; BEGIN and COMMIT are whole statements in upper case, as servers write them.
_PATTERNS: Final = (
    ("BEGIN", rb"BEGIN\Z"),
    ("COMMIT", rb"COMMIT\Z"),
    ("ROLLBACK", rb"(?i:ROLLBACK)(?!(?i: (?:WORK )?TO ))"),
    ("XA_START", rb"XA (?:START|BEGIN)\b"),
    ("XA_FINISH", rb"(?i:XA (?:COMMIT|ROLLBACK)\b)"),
    ("TEMPORARY_TABLE", rb"(?i:(?:CREATE|DROP)" + _SPACE + _TEMPORARY + _SPACE + rb"TABLES?\b)"),
    ("CREATE_TABLE", rb"(?i:CREATE" + _SPACE + rb"TABLE\b)"),
    ("DROP_TABLE", rb"(?i:DROP" + _SPACE + rb"TABLES?\b)"),
    ("MAINTENANCE", rb"(?i:(?:OPTIMIZE|REPAIR|ANALYZE|CHECKSUM)" + _SPACE + rb"TABLES?\b)"),
)
_KINDS: Final = re.compile(
    rb"(?s:\s*(?:/\*[^!].*?\*/\s*)*)(?:" + b"|".join(b"(?P<%b>%b)" % (n.encode(), p) for n, p in _PATTERNS) + b")"
)
#: What a server adds to an atomic CREATE TABLE ... SELECT after the columns; quoted text is not part of the clause.
_START_TRANSACTION: Final = re.compile(rb"\bSTART TRANSACTION\b")
_QUOTED: Final = re.compile(rb"'(?:[^'\\]|\\.)*'|`[^`]*`|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)


def statement_kind(query: bytes) -> LoggedStatement:
    """Return the kind of a statement."""
    match = _KINDS.match(query)
    return LoggedStatement[match.lastgroup] if match and match.lastgroup else LoggedStatement.OTHER


def starts_transaction(create: bytes) -> bool:
    """Return whether a CREATE TABLE is marked as the first half of an atomic CREATE TABLE ... SELECT."""
    return _START_TRANSACTION.search(_QUOTED.sub(b"", create)) is not None
