"""The statements of a question in the role `decide`, as statements that a real server can run."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from conformance.implementations.server.server_implementation import CannotAnswer
from conformance.models.decision.capability import BOTH, ROW_ONLY
from conformance.models.decision.engines import usual_name
from conformance.models.decision.locked_table import PARTITION
from conformance.models.decision.statement import QuestionTable
from conformance.servers.decision_server import INNODB, Run, locked_table

_ANY, _READ_COMMITTED = "REPEATABLE READ", "READ COMMITTED"
#: The flags of an InnoDB table -> the isolation levels at which it has them.
_ISOLATIONS: Final = {BOTH: _ANY, ROW_ONLY: _READ_COMMITTED}


def runs_of(statements: Iterable[Mapping[str, Any]], kinds: Collection[str]) -> list[Run]:
    """Return what a server runs for the statements of a question.

    Args:
        statements: The statements, as in the question.
        kinds: The kinds of table that the server has.

    Raises:
        CannotAnswer: A statement has tables that no table of the server is like.
    """
    return [_run(each, kinds) for each in statements]


def _run(statement: Mapping[str, Any], kinds: Collection[str]) -> Run:
    if not statement["log_open"]:
        raise CannotAnswer("a server without a binary log has nothing to look at")
    tables = [QuestionTable.of_setting(each) for each in statement["tables"]]
    locked = [(_kind(each, kinds), each) for each in tables]
    written = tuple(kind for kind, table in locked if table.written)
    read = [kind for kind, table in locked if not table.written]
    if not written or len(read) > 1 or (read and len(written) > 1):
        raise CannotAnswer(f"{len(written)} written and {len(read)} read tables: a server is asked for 1 and up to 1")
    levels = {level for kind, table in locked if (level := _isolation(kind, table))}
    if len(levels) > 1:
        raise CannotAnswer("InnoDB tables with different flags: they have those of one isolation level")
    return Run(
        safety=statement["safety"],
        mode=statement["mode"],
        isolation=levels.pop() if levels else _ANY,
        written=written,
        read=read[0] if read else None,
        logging=statement["sql_log_bin"],
    )


def _kind(table: QuestionTable, kinds: Collection[str]) -> str:
    if table.engine == PARTITION:
        if any(each.engine != "innodb" for each in table.parts):
            raise CannotAnswer("a partitioned table of another engine than InnoDB")
        return PARTITION
    kind = usual_name(table.engine)
    if kind not in kinds:
        raise CannotAnswer(f"the server has no engine {table.engine}")
    if kind not in INNODB and table.capability not in (None, locked_table(kind, _ANY).capability):
        raise CannotAnswer(f"{table.engine} with flags that its tables do not have")
    return kind


def _isolation(kind: str, table: QuestionTable) -> str | None:
    """Return the isolation level at which an InnoDB table has its flags; None for every other table."""
    if kind not in INNODB:
        return None
    flags = {each.capability or BOTH for each in table.parts or (table,)}
    if len(flags) > 1 or not flags <= _ISOLATIONS.keys():
        raise CannotAnswer("an InnoDB table with flags that it has at no isolation level")
    return _ISOLATIONS[flags.pop()]
