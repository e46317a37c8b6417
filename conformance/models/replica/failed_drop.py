"""DROP DATABASE that fails halfway: tables are gone, the directory remains (WL#7592, DROP DATABASE and Plan 13.3)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

#: What may be between two words: white space and comments.
_BETWEEN: Final = r"(?:\s|/\*(?:(?!\*/).)*\*/)"
#: The statement in every spelling, with the name of the database.
DROP_DATABASE: Final = re.compile(
    rf"(?is:{_BETWEEN}*DROP{_BETWEEN}+(?:DATABASE|SCHEMA){_BETWEEN}+(?:IF{_BETWEEN}+EXISTS{_BETWEEN}+)?)`?([^`]+)`?\Z"
)
_HEAD: Final = "DROP TABLE IF EXISTS "
#: Bytes of the buffer in which a server up to 5.7 writes one statement.
_BUFFER_BYTES: Final = 1024
#: After each name and its comma there must be room for a terminating zero.
_TERMINATOR: Final = 1
#: The most characters of each name in the message.
_NAME_LIMIT: Final = 192

#: ER_CANNOT_LOG_PARTIAL_DROP_DATABASE_WITH_GTID, which the worklog calls
#: ER_CANNOT_LOG_FAILED_DROP_DATABASE_WITH_MULTIPLE_STATEMENTS.
CANNOT_LOG_PARTIAL_DROP: Final = 3091
#: ER_DB_DROP_RMDIR: the directory cannot be removed.
CANNOT_REMOVE_DIRECTORY: Final = 1010


def drop_statements(tables: Sequence[str], *, limit: int = _BUFFER_BYTES) -> Iterator[str]:
    """Yield the DROP TABLE statements that name the dropped tables, each as long as the buffer allows.

    Args:
        tables: Names of the tables, in the order in which they were dropped.
        limit: Bytes of the buffer.
    """
    names: list[str] = []
    used = len(_HEAD)
    for table in tables:
        quoted = f"`{table.replace('`', '``')}`"
        size = len(quoted.encode()) + 1
        if names and used + size + _TERMINATOR >= limit:
            yield _HEAD + ",".join(names)
            names, used = [], len(_HEAD)
        names.append(quoted)
        used += size
    if names:
        yield _HEAD + ",".join(names)


def failure_message(database: str, gtid: str) -> str:
    """Return the error message of the worklog with the names, each cut at 192 characters.

    Args:
        database: Name of the database, and of its directory.
        gtid: The GTID of the statement.
    """
    directory, gtid, name = (each[:_NAME_LIMIT] for each in (database, gtid, database))
    return (
        "DROP DATABASE failed on slave; some tables may have been dropped but the database directory remains. The GTID"
        " has not been added to GTID_EXECUTED and the statement was not written to the binary log. Fix this as"
        f" follows: (1) remove all files from the database directory {directory}; (2) SET GTID_NEXT='{gtid}'; (3) DROP"
        f" DATABASE `{name}`."
    )
