"""The tables that the tables info of a Query event lists if they are not simply those that the statement names.

Source: WL#40, section 4.2.
"""

from collections.abc import Sequence

from conformance.models.server.tables import TableName


def list_of_rename(pairs: Sequence[tuple[TableName, TableName]]) -> tuple[TableName, ...]:
    """Return the list of a RENAME TABLE: the old names that were not a new name before, each once."""
    listed: list[TableName] = []
    targets: set[TableName] = set()
    for old, new in pairs:
        if old not in targets and old not in listed:
            listed.append(old)
        targets.add(new)
    return tuple(listed)
