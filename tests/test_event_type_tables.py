"""Tables by event type are total: a type that is new is either in a table or in its written rest.

A table that is read with a fallback gives a new type that fallback, and no test notices.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = [
    *(path for path in (ROOT / "conformance").rglob("*.py") if "strategies" not in path.parts),  # a copy in packages
    *(ROOT / "strategies").rglob("*.py"),
]

#: Tables with entries for single types only -> why the others need none.
PARTIAL = {
    "conformance/binlog/layouts/by_type.py": {
        "_SHORT_TABLE_ID": "layouts of the types that have another one under a declared length",
        "FIXED_LENGTHS": "bodies that have one length everywhere",
    },
    "conformance/models/filtering/event_part.py": {"_READ": "types whose fields decide"},
    "conformance/models/replica/replica_tables.py": {"_EXECUTED": "types that change data; others do not"},
    "conformance/models/rendering/mariadb_binlog_text.py": {
        "_OF_MYSQL": "MySQL's types below 42, for which MariaDB has a name of its own"
    },
    "conformance/protocol/reported_event.py": {"_DERIVED": "fields that are not reported as they are on the wire"},
    "conformance/protocol/roles/decode.py": {
        "_FIELDS_OF_TYPE": "made total as FIELDS_OF_TYPE",
        "_NOT_OF_EVERY_READER": "types of which libraries leave out fields that they report of others",
    },
    "conformance/log_check/bodies.py": {
        "_NUMBERS": "the types with fields of which servers write few numbers",
        "_RECURRING": "the types whose bodies recur",
    },
    "conformance/oracles/render.py": {"_GTID_ROWS": "what two requirements name"},
    "conformance/oracles/checks/printed_events.py": {"GTID_WORDS": "the words of two types"},
    "conformance/oracles/checks/written_events.py": {
        "_PARTS": "the events that a replica makes",
        "_MARKERS": "the events that a replica makes",
    },
    "conformance/protocol/answered_streams.py": {"_CONTEXT": "the events before a statement that belong to it"},
    "strategies/families/recorded_logs.py": {"NUMBERS": "fields in which any number may stand"},
    "strategies/questions/render.py": {"_LISTED": "the types whose name a worklog specifies"},
    "strategies/questions/log.py": {"_MARKS": "types that exercise a requirement whatever the scenario"},
}


def by_event_type(each: ast.AST) -> bool:
    """Whether a node is a table with event types as keys."""
    if not isinstance(each, ast.Dict):
        return False
    keys = [key.args[0] if isinstance(key, ast.Call) and key.args else key for key in each.keys]
    return sum(isinstance(key, ast.Attribute) and ast.unparse(key.value) == "EventType" for key in keys) > 1


def is_total(each: ast.AST) -> bool:
    return isinstance(each, ast.Call) and ast.unparse(each.func) in {"total", "check_complete"}


def tables_that_are_not_total(source: str) -> set[str]:
    """The names of the module's tables by event type that `total` does not make."""
    names = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            in_total = {part for each in ast.walk(statement) if is_total(each) for part in ast.walk(each)}
            if any(by_event_type(each) and each not in in_total for each in ast.walk(statement)):
                target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
                names.add(ast.unparse(target))
    return names


def test_a_table_by_event_type_is_total_or_is_known_to_be_partial():
    partial = {}
    for path in SOURCES:
        names = tables_that_are_not_total(path.read_text(encoding="utf-8"))
        if names:
            partial[path.relative_to(ROOT).as_posix()] = names
    assert partial == {path: set(tables) for path, tables in PARTIAL.items()}, (
        "make the table by conformance.binlog.total_table.total, or write into PARTIAL why other types need no entry"
    )


def test_a_table_without_total_is_found():
    table = "{EventType.XID: 1, EventType.STOP: 2}"
    assert tables_that_are_not_total(f"A = {table}\nB: Final = total('B', EventType, {table}, entry='x')") == {"A"}
    assert tables_that_are_not_total(f"A = {{**{table}, 7: 1}}") == {"A"}
