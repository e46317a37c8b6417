"""Default databases of statements to be printed, whose names differ in little (WL#4033)."""

from typing import Final

from conformance.binlog.servers import WITH_IGNORABLE_FLAG
from conformance.strategies.events import mysql_events
from conformance.strategies.grammar.dimension import Dimension, Number, choices
from conformance.strategies.grammar.family import family
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import transactions as groups
from conformance.strategies.questions.render import BASE64_OUTPUTS

#: The default database of every second statement is the first one, that of the others the second.
_NAMES: Final = Dimension(
    "default databases",
    {
        "in other letters": ("test", "Test"),
        "in capitals": ("test", "TEST"),
        "one the beginning of the other": ("test", "test2"),
        "one the end of the other": ("test", "my_test"),
        "a backquote more": ("a`b", "a``b"),
        "one letter of 64": ("d" * 64, "d" * 63 + "e"),
    },
)
_STATEMENTS: Final = Number("statements", fewest=2, few=4)
_SHAPE: Final = choices("a statement is", ("alone", "in a transaction"))
_BASE64: Final = choices("base64 output", BASE64_OUTPUTS)


@family(
    focus="FORMAT-RENDER-STATEMENTS-RUN",
    profiles=WITH_IGNORABLE_FLAG,
    dimensions=(_NAMES, _STATEMENTS, _SHAPE, _BASE64),
)
def printed_databases(stream: StreamBuilder) -> None:
    """Statements in two default databases in turn, whose names a program may take for the same one."""
    stream.settings |= {"form": "mysqlbinlog", "verbose": 0, "base64_output": stream.vary(_BASE64)}
    names, shape = stream.vary(_NAMES), stream.vary(_SHAPE)
    groups.begin_plain_log(stream)
    for number in stream.several_of(_STATEMENTS):
        # What is printed of an event is found by its log_pos.
        groups.add_group(stream, _group(stream, names[number % 2], shape), anonymous=True, positions=True)
    groups.end_log(stream)


def _group(stream: StreamBuilder, database: str, shape: str) -> list[PlannedEvent]:
    """Return a statement in a default database, as a group."""
    statement = "CREATE TABLE t1 (a INT)" if shape == "alone" else "INSERT INTO t1 VALUES (1)"
    planned = [mysql_events.query(stream, statement, database=database, status_variables=b"")]
    if shape == "alone":
        return planned
    begin, end = (mysql_events.query(stream, word, status_variables=b"") for word in ("BEGIN", "COMMIT"))
    return [begin, *planned, end]
