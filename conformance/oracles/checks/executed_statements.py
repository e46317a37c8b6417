"""What a server that runs a printed log executes outside of BINLOG statements: under which GTID, where, and what."""

import re
from functools import lru_cache
from typing import Final

from conformance.binlog.event_types import QUERY_TYPES, VARIABLE_TYPES, EventType
from conformance.binlog.flags import Flag
from conformance.models.rendering.transaction_words import is_about_transaction
from conformance.models.replica.failed_drop import DROP_DATABASE
from conformance.oracles.checks.printed_events import Fault
from conformance.oracles.checks.printed_facts import Printed
from conformance.oracles.checks.printed_log import PrintedEvent, PrintedLog
from conformance.oracles.checks.printed_variables import PLAIN, variable_set
from conformance.oracles.checks.quoted_names import QUOTED_NAME, unquoted

_ELSEWHERE: Final = "statement in another database"
_AGAINST_FLAGS: Final = (
    "default database set against the flags",
    "a default database is set for it, which may not be there: its flags forbid that",
)
_USE: Final = re.compile(rf"use {QUOTED_NAME}\s*/\*!\*/;", re.IGNORECASE)
#: What follows a delimiter on its line, comments apart: it becomes a part of the next statement.
_AFTER_DELIMITER: Final = re.compile(r"(?!#).*/\*!\*/;[ \t]*(?![\s#/])(.+)")
#: A line that sets the delimiter: the client takes the first word.
_DELIMITER: Final = re.compile(r"DELIMITER\s+(\S+)", re.IGNORECASE)
#: A statement that ends in a comment, which goes to the end of the line.
_ENDS_IN_COMMENT: Final = re.compile(r"(?:^|\s)(?:#|--\s)[^'\"`\n]*\Z", re.MULTILINE)
#: The delimiter after each statement in a printed log: a semicolon may be in a statement.
_DELIMITED_BY: Final = "/*!*/;"
#: A comment that is not executed; the delimiter is one that is.
_COMMENT: Final = re.compile(r"/\*(?!M?!).*?\*/", re.DOTALL)
#: How lines begin that a program adds to a statement: comments, and what sets variables or is about transactions.
_ADDED: Final = re.compile(
    r"\s*(?:\Z|#|--(?:\s|\Z)|/\*|'|(?:SET|USE|DELIMITER|BEGIN|START|COMMIT|ROLLBACK|XA)\b)", re.IGNORECASE
)
#: The words of a statement, which no program shows in other characters.
_WORDS: Final = re.compile(r"[A-Za-z0-9_]+")
#: The word in the header line of an Anonymous_gtid event.
_ANONYMOUS: Final = re.compile("anonymous", re.IGNORECASE)


def gtid_set(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """The transaction is executed under its GTID."""
    gtid = printed.facts[index]["gtid"]
    if f"'{gtid}'".lower() not in event.text.lower():
        return "GTID not set", f"no line sets the GTID to '{gtid}'"
    if _ANONYMOUS.search(event.description):
        return "GTID called anonymous", f"the header line of '{gtid}' has {event.description!r}"
    return None


def statement_executed(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    """A statement is executed in its database, with its variables set, and an Xid as a COMMIT; nothing else is."""
    fact = printed.facts[index]
    if printed.is_first and (delimiter := _delimiter(printed.log, event.line)) != _DELIMITED_BY:
        return "delimiter not set", f"the delimiter before it is {delimiter!r}, expected {_DELIMITED_BY!r}"
    if torn := next(filter(None, map(_AFTER_DELIMITER.match, event.following)), None):
        return "text after a delimiter", f"{torn[1][:60]!r} follows a delimiter, and is executed with what is next"
    if printed.is_alone and printed.log.count(fact["log_pos"]) > printed.ends_at(fact["log_pos"]):
        return "printed again", "it is printed more than once, and so executed"
    if fact["type"] in VARIABLE_TYPES:
        return variable_set(fact, event)
    if fact["type"] == EventType.XID:
        ends = any(line.upper().startswith("COMMIT") for line in event.following)
        return None if ends else ("transaction not committed", "no COMMIT is printed for it")
    if printed.begins_binlog_statement(fact):
        return None  # MariaDB's program prints an event that it cannot put into statements whole.
    query: str = fact["query"]
    if query not in event.text and printed.is_in_base64_alone(fact):
        return None
    if PLAIN.match(query):
        if query not in event.text:
            return "statement not printed", f"{query[:60]!r} is not printed after its header line"
        if _ENDS_IN_COMMENT.search(query) and re.search(rf"{re.escape(query)}[ \t]*/\*!\*/;", event.text):
            return "delimiter in a comment", f"the delimiter is on the line of the comment that ends {query[-60:]!r}"
        own = re.compile(rf"^{re.escape(query)}(?=\s*(?:/\*!\*/;|\n|\Z))", re.MULTILINE)
        others = _COMMENT.sub("", own.sub("", event.text, count=1)).split("\n")
        foreign = next((line for line in others if not _ADDED.match(line)), None)
        if foreign is not None:
            return "another statement", f"{foreign[:60]!r} is executed, which is in no event"
    elif not _has_words(event.text, query):
        return "statement not printed", f"{query[:60]!r} is not printed after its header line, in any characters"
    return _in_its_database(printed, index, event)


def _has_words(text: str, query: str) -> bool:
    """Return whether a text has the words of a statement in their order, whatever stands for its other characters.

    Of a statement without words there must be a line that is not a comment, and sets nothing.
    """
    at = 0
    words = _WORDS.findall(query)
    for word in words:
        at = text.find(word, at) + len(word)
        if at < len(word):
            return False
    return bool(words or not query or not query.isprintable()) or any(
        not _ADDED.match(line) for line in text.split("\n")
    )


def runs_unprinted(printed: Printed, index: int) -> bool:
    """Return whether an event needs no header line: it is in a BINLOG statement, or a value for no statement."""
    fact = printed.facts[index]
    if printed.begins_binlog_statement(fact):
        return True
    if fact["type"] not in VARIABLE_TYPES:
        return False
    return all(each["type"] not in QUERY_TYPES for each in printed.known_after(index))


def _in_its_database(printed: Printed, index: int, event: PrintedEvent) -> Fault:
    if any((match := _USE.match(line)) and not match[1] for line in event.following):
        return _ELSEWHERE, "a default database without a name is set, which servers refuse"
    fact = printed.facts[index]
    name: str = fact["database"]
    if fact["flags"] & Flag.SUPPRESS_USE:
        return _AGAINST_FLAGS if any(map(_USE.match, event.following)) else None
    if not name or not PLAIN.match(name):
        return None
    if is_about_transaction(fact["query"].encode()):
        return None  # Programs set no database for these.
    end = event.line + len(event.following)
    since = _line_of_drop(printed, index, name)
    used = [database for line, database in _uses(printed.log) if since <= line <= end]
    if used and used[-1] == name:
        return None
    if since:
        return _ELSEWHERE, f"{name!r} was dropped, and is not the default database again"
    if not used and not printed.is_first:
        return None  # The database may have been set in the log before.
    where = f"in the database {used[-1]!r}" if used else "without a database"
    return _ELSEWHERE, f"it is executed {where}, expected in {name!r}"


def _line_of_drop(printed: Printed, index: int, name: str) -> int:
    """Return the line of the last event before one that drops its default database, which is then none; 0 without."""
    for fact in reversed(printed.facts[:index]):
        if (match := DROP_DATABASE.match(fact.get("query") or "")) and match[1] == name:
            dropped = printed.event(fact)
            return dropped.line if dropped is not None else 0
    return 0


def _delimiter(log: PrintedLog, line: int) -> str:
    """Return the delimiter in force at a line: that of the last line before that sets one, else a semicolon."""
    set_before = [delimiter for number, delimiter in _delimiters(log) if number < line]
    return set_before[-1] if set_before else ";"


# Few entries are enough: the logs of one call are examined one after the other.
@lru_cache(maxsize=2)
def _delimiters(log: PrintedLog) -> list[tuple[int, str]]:
    """Return the numbers of the lines that set a delimiter, and which."""
    matches = ((number, _DELIMITER.match(line)) for number, line in enumerate(log.lines))
    return [(number, match[1]) for number, match in matches if match]


@lru_cache(maxsize=2)
def _uses(log: PrintedLog) -> list[tuple[int, str]]:
    """Return the numbers of the lines that set a default database, and which."""
    matches = ((number, _USE.match(line)) for number, line in enumerate(log.lines))
    return [(number, unquoted(match[1])) for number, match in matches if match]
