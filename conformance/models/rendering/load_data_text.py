"""LOAD DATA as mysqlbinlog prints it: with the name of the file to which it would write the events' blocks."""

from collections.abc import Mapping
from typing import Any, Final

from conformance.binlog.event_info import text

_REPLACE: Final = 2


def load_file(folder: str, file_id: int) -> str:
    """Return the name of the file for a file number, in the folder if one is given."""
    name = f"SQL_LOAD_MB-{file_id:x}-0"
    return f"{folder.rstrip('/')}/{name}" if folder else name


def load_data_statement(fields: Mapping[str, Any], name: str) -> str:
    """Return the statement of an Execute_load_query event, with the clause that names its file replaced."""
    query: bytes = fields["query"]
    start, end = fields["file_name_start"], fields["file_name_end"]
    how = " REPLACE" if fields["duplicate_handling"] == _REPLACE else ""
    return f"{text(query[:start])} LOCAL INFILE '{name}'{how} INTO{text(query[end:])}"
