"""Statements for a boundary parser: those that begin or end a transaction, and those that only look like it."""

from typing import Final

from conformance.strategies.events import mysql_events
from conformance.strategies.events.extended_query import extended_query, is_extended
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder

#: The words that servers write.
WORDS: Final = ("BEGIN", "COMMIT", "ROLLBACK")
#: Ordinary statements to every parser, most of them with a word somewhere.
ORDINARY: Final = (
    "INSERT INTO t1 VALUES (@a)",
    "SAVEPOINT a",
    "SAVEPOINT `COMMIT`",
    "ROLLBACK TO a",
    "ROLLBACK TO `sp`",
    "ROLLBACK TO SAVEPOINT `sp`",
    "rollback to `sp`",
    "Rollback To a",
    "ROLLBACK TO  a",
    "ROLLBACK TO /* a */ a",
    "RELEASE SAVEPOINT a",
    "INSERT INTO t1 VALUES ('COMMIT')",
    "INSERT INTO t1 VALUES (1) /* COMMIT */",
    "/* BEGIN */ INSERT INTO t1 VALUES (1)",
    "-- ROLLBACK\nINSERT INTO t1 VALUES (1)",
    "CREATE TABLE `BEGIN` (a INT)",
    "DROP TABLE ROLLBACK",
    "BEGINX",
    "BEGINNING",
    "BEGIN_",
    "XBEGIN",
    "COMMITTED",
    "COMMITS",
    "COMMIT_",
    "RECOMMIT",
    "BEGIN日本",
    "COMMITä",
)
#: Ordinary statements to the worklog's parser. Parsers that servers ship take each for one of the words.
BEGINNINGS: Final = ("B", "BEG", "BEGI", "C", "COMM", "COMMI", "ROLLBACKS", "ROLLBACK_", "ROLLBACKED", "ROLLBACK日本")
#: Returns to a savepoint that are ordinary to the worklog's parser. Parsers that servers ship want one space on each
#: side of TO, and take these for ends.
ODD_RETURNS: Final = (
    "ROLLBACK  TO a",
    "ROLLBACK\tTO a",
    "rollback\nto a",
    "ROLLBACK TO\ta",
    "ROLLBACK TO\n`sp`",
    "ROLLBACK TO`sp`",
    "ROLLBACK /* a */ TO a",
    "Rollback/**/To a",
    "ROLLBACK -- a\nTO a",
    "ROLLBACK WORK TO SAVEPOINT a",
)
#: Ordinary statements to the parsers that servers ship, which compare the text from its first byte on, and letter by
#: letter.
_LED: Final = (
    *("/* a */ COMMIT", "/* a */ BEGIN", "/**/ROLLBACK", " COMMIT", "\nROLLBACK", "-- a\nCOMMIT"),
    *("XA BEGIN X'61',X'',1", "xa start X'61',X'',1", "XA  START X'61',X'',1"),
)
#: A statement without text, which the versions of the parsers that servers ship do not agree on.
EMPTY: Final = ""
#: More of them, which are beginnings of a word to no parser.
_OF_ROLLBACK: Final = ("R", "ROLLBAC")
#: Spellings that mean the same as a word and that no server writes; WL#4162 does not say what they count as.
SPELLINGS: Final = (
    "begin",
    "Begin",
    " BEGIN",
    "BEGIN ",
    "BEGIN\n",
    "BEGIN;",
    "BEGIN WORK",
    "BEGIN /* a */",
    "/* a */ BEGIN",
    "START TRANSACTION",
    "commit",
    "Commit",
    "COMMIT ",
    "COMMIT WORK",
    "COMMIT /* a */",
    "COMMIT AND NO CHAIN",
    "rollback",
    "RollBack",
    "ROLLBACK ",
    "ROLLBACK WORK",
    "ROLLBACK /* a */",
    "ROLLBACK AND NO CHAIN RELEASE",
    "XA START X'61',X'',1",
    "XA COMMIT X'61',X'',1",
    "XA ROLLBACK X'61',X'',1",
)


def statements(stream: StreamBuilder) -> tuple[str, ...]:
    """Return the statements that are ordinary to the parser of the stream's server."""
    others = (*BEGINNINGS, *ODD_RETURNS, EMPTY) if stream.server.profile == "worklog" else _LED
    return (*ORDINARY, *others, *_OF_ROLLBACK)


def statement(stream: StreamBuilder) -> PlannedEvent:
    """Return a Query event with a statement that is neither of the words."""
    return mysql_events.query(stream, stream.choose.one_of(statements(stream)))


def savepoint(stream: StreamBuilder) -> list[PlannedEvent]:
    """Return a savepoint and the return to it, as servers spell them."""
    name = stream.choose.one_of(("a", "`sp`", "`COMMIT`"))
    back = stream.choose.one_of(("ROLLBACK TO ", "ROLLBACK TO SAVEPOINT "))
    return [mysql_events.query(stream, f"SAVEPOINT {name}"), mysql_events.query(stream, back + name)]


def plain(stream: StreamBuilder, statement: str) -> PlannedEvent:
    """Return a Query event of the fewest bytes."""
    return mysql_events.query(stream, statement, status_variables=b"")


def plain_statement(stream: StreamBuilder) -> PlannedEvent:
    """Return a Query event of the fewest bytes that changes data."""
    return plain(stream, ORDINARY[0])


def word(stream: StreamBuilder) -> PlannedEvent:
    """Return a Query event with one of the words, or with what looks like one, of the fewest bytes."""
    choose = stream.choose
    texts = (WORDS, statements(stream), SPELLINGS)[choose.one_of((0, 0, 1, 1, 2))]
    text = choose.one_of(texts)
    return extended_query(stream, text, [], status={}) if is_extended(stream) else plain(stream, text)
