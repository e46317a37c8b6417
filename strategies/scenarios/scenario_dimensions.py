"""The dimensions of scenarios, for all families of the role `log`: settings, statements, texts, names and logs."""

from collections.abc import Callable
from typing import Any, Final

from conformance.binlog.servers import WITH_ROWS_QUERIES
from conformance.models.server.logging_rules import RULES
from conformance.models.server.settings import BINLOG_FORMATS, CHECKSUMS, GTID_MODES
from conformance.strategies.grammar.dimension import Dimension, Impossible, Number, choices, yes_or_no

#: The profiles whose servers write Gtid events of MySQL, and those that always do.
NUMBERED: Final = RULES.where(lambda rules: rules.gtid_events in ("numbered", "always"))
ALWAYS: Final = RULES.where(lambda rules: rules.gtid_events == "always")

# --- settings

GTID_MODE: Final = Dimension(
    "gtid_mode",
    {mode: mode for mode in GTID_MODES},
    profiles={"OFF_PERMISSIVE": ALWAYS, "ON_PERMISSIVE": ALWAYS, "ON": NUMBERED},
)
#: The two modes in which all statements are logged in one way.
GTIDS: Final = Dimension("gtid_mode", {"OFF": "OFF", "ON": "ON"}, profiles={"ON": NUMBERED})
#: Of families that also vary `gtid_next`.
NO_ANONYMOUS_NEXT: Final = Impossible(
    {"gtid_mode": ("ON",), "gtid_next": ("ANONYMOUS",)}, "servers refuse GTID_NEXT=ANONYMOUS with gtid_mode=ON"
)
BINLOG_FORMAT: Final = choices("binlog_format", BINLOG_FORMATS)
BINLOG_CHECKSUM: Final = choices("binlog_checksum", CHECKSUMS)
ROWS_QUERIES: Final = Dimension(
    "binlog_rows_query_log_events", {"OFF": False, "ON": True}, profiles={"ON": WITH_ROWS_QUERIES}
)
#: The settings that `settings_of` chooses where a family does not.
SETTINGS: Final[tuple[Dimension[Any], ...]] = (GTID_MODE, BINLOG_FORMAT, BINLOG_CHECKSUM, ROWS_QUERIES)

# --- statements

ENGINE: Final = choices("engine", ("innodb", "myisam"))
CHANGE: Final = choices(
    "change",
    ("insert", "update", "delete", "insert_select", "update_tables", "variable", "rand", "uuid"),
)
#: Rows of each table at the beginning, and of each INSERT.
ROWS: Final = Number("rows", many=(60, 90))
STATEMENTS: Final = Number("statements", many=(40, 60))
END: Final = choices("end", ("commit", "rollback", "autocommit", "rollback to a savepoint"))
AUTO_INCREMENT: Final = yes_or_no("auto_increment")

# --- texts and names

#: A comment in a statement -> its text, in which ``{}`` may be made longer.
COMMENT: Final = Dimension(
    "comment",
    {
        "none": "",
        "plain": "/* a comment{} */",
        "empty": "/**/",
        "line breaks and tabs": "/* of two\n\tlines\r\n{} */",
        "quotes": "/* 'single', \"double\", `ticks` and \\{} */",
        "several bytes for a character": "/* caf\u00e9 \u6f22\u5b57 \U0001f642{} */",
        "to the end of the line": "-- to the end{}\n",
        "after a hash": "# to the end{}\n",
        "like a statement": "/* COMMIT; BEGIN{} */",
    },
)
COMMENT_PLACE: Final = Dimension(
    "place of the comment",
    {"after the first word": False, "first": True},
    when={"comment": [each for each in COMMENT.classes if each != "none"]},
)
#: Characters and bytes of a name.
NAME: Final = Dimension(
    "name",
    {
        "2 characters": "t9",
        "1 character": "t",
        "63 characters": "t" * 63,
        "64 characters": "t" * 64,
        "64 characters of two bytes": "\u00e9" * 64,
        "64 characters of three bytes": "\u1e01" * 64,
    },
)
#: A table's name by its number: the statements that a server writes itself must quote the later ones.
TABLE_NAMES: Final[Dimension[Callable[[int], str]]] = Dimension(
    "table names",
    {
        "plain": "t{}".format,
        "a backtick": "a`{}".format,
        "backticks at both ends": "`{}`".format,
        "words of SQL and spaces": "drop table {}".format,
        "quotes and a comma": 'it\'s, "{}"'.format,
        "digits alone": "{}".format,
    },
)

# --- logs

#: How a log comes to its end.
NEXT_LOG: Final = choices("next log", ("FLUSH", "restart", "crash", "another checksum", "the same checksum"))
