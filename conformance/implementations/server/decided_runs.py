"""A statement of a question in the role `decide`, as one that a real server can run."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from conformance.implementations.server.server_implementation import CannotAnswer
from conformance.models.decision.capability import BOTH, ROW_ONLY, STATEMENT_ONLY
from conformance.models.decision.engines import SELF_LOGGING, UNREPLICATED, usual_name
from conformance.models.decision.locked_table import PARTITION
from conformance.models.decision.statement import QuestionTable
from conformance.servers.decision_server import INNODB, KINDS, Run, locked_table, mixes_at_read_committed
from conformance.servers.products import Product

_ANY, _READ_COMMITTED = "REPEATABLE READ", "READ COMMITTED"
#: The flags of an InnoDB table -> the isolation levels at which it has them.
_ISOLATIONS: Final = {BOTH: _ANY, ROW_ONLY: _READ_COMMITTED}
#: The engines that servers have, in which more than the flags may matter.
_HANDLED_OTHERWISE: Final = frozenset(KINDS) | SELF_LOGGING | UNREPLICATED
#: The flags of a table of an engine that no server has -> the kind of table that has them.
_LIKE: Final = {BOTH: "myisam", ROW_ONLY: "innodb", STATEMENT_ONLY: "example"}


def run_of(statement: Mapping[str, Any], kinds: Collection[str], product: Product) -> Run:
    """Return what a server runs for a statement of a question.

    Args:
        statement: The statement, as in the question.
        kinds: The kinds of table that the server has.
        product: The server.

    Raises:
        CannotAnswer: It has tables that no table of the server is like, or the server classifies it otherwise.
    """
    run = _run(statement, kinds)
    # Where only rows are possible, the decision is the same for both classes.
    limited = any(locked_table(each, run.isolation).capability != BOTH for each in run.written)
    if mixes_at_read_committed(run, product) and not limited:
        raise CannotAnswer("a safe statement that the server classifies as unsafe: it mixes tables at READ COMMITTED")
    return run


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
    if kind not in _HANDLED_OTHERWISE and table.capability in _LIKE:
        # The flags of an engine that no server has are all that matters of it.
        kind = _LIKE[table.capability]
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
