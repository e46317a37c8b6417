"""The triggers of the questions' settings, role by role, as the pages of the roles list them."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from conformance.self_check.question_view import QuestionView
from conformance.self_check.trigger import Trigger

#: Role -> setting -> the values that it can have.
_WORDS: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "filter": {"tables": ("literal", "clever"), "renames": ("name", "identity")},
    "render": {"form": ("mysqlbinlog", "events"), "verbose": (0, 1, 2), "base64_output": ("auto", "decode-rows")},
    "send": {
        "gtid_mode": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
        "checksum": ("CRC32", "NONE"),
        "heartbeat_v2": (False, True),
        "annotate_rows": (False, True),
    },
    "relay": {"gtid_mode": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")},
    "apply": {"gtid_mode": ("OFF", "ON")},
    "log": {
        "gtid_mode": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
        "binlog_format": ("ROW", "STATEMENT", "MIXED"),
        "binlog_checksum": ("CRC32", "NONE"),
        "binlog_rows_query_log_events": (False, True),
        "enforce_gtid_consistency": (False, True),
        "binlog_with_tables_info": (False, True),
        "boundary_markers": (False, True),
        "before_wl7592": (False, True),
        "binlog_gtid_simple_recovery": (False, True),
    },
}
#: Role -> member of a statement -> the values that it can have.
_STATEMENT_WORDS: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "decide": {
        "mode": ("statement", "mixed", "row"),
        "safety": ("safe", "unsafe"),
        "log_open": (False, True),
        "sql_log_bin": (False, True),
    },
    "log": {
        "kind": (
            *("use", "create_database", "drop_database", "create_table", "create_table_like", "create_table_select"),
            *("drop_table", "rename_table", "alter_table", "insert", "insert_select", "update", "update_tables"),
            *("delete", "internal_rows", "begin", "commit", "rollback", "savepoint", "rollback_to"),
            *("set_user_variable", "set_session", "set_global", "maintain", "flush_logs", "restart", "crash"),
            "disconnect",
        ),
        "engine": ("innodb", "myisam"),
        "temporary": (True,),
        "if_exists": (True,),
        "if_not_exists": (True,),
        "auto_increment": (True,),
        "obstructed": (True,),
        "delayed": (True,),
        "with_variable": (True,),
        "session": (2, 3),
    },
}
_MODES: Final = {
    "gtid_mode": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
    "binlog_format": ("ROW", "STATEMENT", "MIXED"),
}


def _words() -> list[Trigger]:
    return [
        Trigger(
            name=f"{name}-{_shown(value)}",
            text=f"with {name} {_shown(value)}",
            roles=(role,),
            whole=lambda view, name=name, value=value: view.settings().get(name) == value,  # type: ignore[misc]
        )
        for role, settings in _WORDS.items()
        for name, values in settings.items()
        for value in values
    ]


def _statement_words() -> list[Trigger]:
    return [
        Trigger(
            name=f"{name}-{_shown(value)}",
            text=f"where a statement has {name} {_shown(value)}",
            roles=(role,),
            whole=lambda view, name=name, value=value: any(  # type: ignore[misc]
                each.get(name) == value for each in view.statements()
            ),
        )
        for role, members in _STATEMENT_WORDS.items()
        for name, values in members.items()
        for value in values
    ]


def _shown(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value).replace("_", "-").lower()


def changes(view: QuestionView, setting: str) -> list[tuple[Any, Any]]:
    """Return the changes of a server's setting while a scenario runs, each as the values before and after it."""
    values = [view.settings().get(setting)]
    for statement in view.statements():
        if statement["kind"] in ("set_global", "set_session") and statement["variable"] == setting:
            values.append(statement["value"])
        elif statement["kind"] == "restart":
            values += [value for name, value in statement.get("options", ()) if name == setting]
    return [(before, after) for before, after in pairwise(values) if before != after]


def _mode_changes() -> list[Trigger]:
    return [
        Trigger(
            name=f"{setting}-{_shown(before)}-to-{_shown(after)}",
            text=f"where {setting} changes from {before} to {after}",
            roles=("log",),
            whole=lambda view, setting=setting, change=(before, after): change in changes(view, setting),  # type: ignore[misc]
        )
        for setting, values in _MODES.items()
        for before in values
        for after in values
        if before != after
    ]


def _returns(view: QuestionView, setting: str) -> bool:
    """Return whether a setting is changed and later has its first value again."""
    made = changes(view, setting)
    return any(after == view.settings().get(setting) for _, after in made)


def _counts(
    role: str, noun: str, count: Callable[[QuestionView], int], numbers: tuple[int, ...] = (0, 1, 2)
) -> list[Trigger]:
    exact = [
        Trigger(
            name=f"{noun.replace(' ', '-')}-{number}",
            text=f"with {number} {noun}",
            roles=(role,),
            whole=lambda view, number=number: count(view) == number,  # type: ignore[misc]
        )
        for number in numbers
    ]
    more = Trigger(
        name=f"{noun.replace(' ', '-')}-above-{numbers[-1]}",
        text=f"with more than {numbers[-1]} {noun}",
        roles=(role,),
        whole=lambda view: count(view) > numbers[-1],
    )
    return [*exact, more]


def _is_set(name: str) -> Callable[[QuestionView], bool]:
    return lambda view: bool(view.request.settings.get(name))


def _lengths(role: str, member: str, least: int, most: int) -> list[Trigger]:
    """Return the triggers of the length of a list that a statement has as a member."""
    exact = [
        Trigger(
            name=f"{member}-{number}",
            text=f"where a statement has {number} {member}",
            roles=(role,),
            whole=lambda view, number=number: number in _lengths_in(view, member),  # type: ignore[misc]
        )
        for number in range(least, most + 1)
    ]
    more = Trigger(
        name=f"{member}-above-{most}",
        text=f"where a statement has more than {most} {member}",
        roles=(role,),
        whole=lambda view: any(length > most for length in _lengths_in(view, member)),
    )
    return [*exact, more]


def _lengths_in(view: QuestionView, member: str) -> set[int]:
    return {len(each[member]) for each in view.statements() if member in each}


def _tables(view: QuestionView) -> list[Mapping[str, Any]]:
    return [table for statement in view.statements() for table in statement["tables"]]


def _engines() -> list[Trigger]:
    names = ("innodb", "myisam", "memory", "ndb", "blackhole", "csv", "archive", "federated", "example", "merge")
    return [
        Trigger(
            name=f"engine-{name}",
            text=f"where a table is of the engine {name}",
            roles=("decide",),
            whole=lambda view, name=name: any(table.get("engine") == name for table in _tables(view)),  # type: ignore[misc]
        )
        for name in names
    ]


def _offset(view: QuestionView) -> int:
    offset: int = view.request.settings.get("utc_offset", 0)
    return offset


#: Every trigger of a setting.
SETTINGS: Final = (
    *_words(),
    *_statement_words(),
    *_mode_changes(),
    Trigger(
        name="gtid_mode-and-back",
        text="where gtid_mode is changed and set to its first value again",
        roles=("log",),
        whole=lambda view: _returns(view, "gtid_mode"),
    ),
    *_counts("log", "statements", lambda view: len(view.statements()), (1, 2, 4, 8)),
    *_counts("log", "logs", lambda view: view.logs, (1, 2, 3)),
    *_lengths("log", "tables", 1, 3),
    *_lengths("log", "values", 1, 3),
    *_lengths("log", "sources", 1, 1),
    *_lengths("log", "pairs", 1, 2),
    *_lengths("decide", "tables", 0, 4),
    *_engines(),
    Trigger(
        name="lock-read",
        text="where a table is locked for reading",
        roles=("decide",),
        whole=lambda view: any(table["lock"] == "read" for table in _tables(view)),
    ),
    Trigger(
        name="partitioned",
        text="where a table is partitioned",
        roles=("decide",),
        whole=lambda view: any("parts" in table for table in _tables(view)),
    ),
    Trigger(
        name="flags-of-engine",
        text="where a table has the engine's own flags",
        roles=("decide",),
        whole=lambda view: any("row" not in table and "parts" not in table for table in _tables(view)),
    ),
    *_counts("boundary", "resets", lambda view: len(view.request.settings["resets"])),
    Trigger(
        name="use-receiver",
        text="where a replica receives the stream",
        roles=("boundary",),
        whole=lambda view: "receiver" in view.request.settings["uses"],
    ),
    Trigger(
        name="use-dump",
        text="where mysqlbinlog reads the stream",
        roles=("boundary",),
        whole=lambda view: "dump" in view.request.settings["uses"],
    ),
    *_counts("send", "logs in all", lambda view: len(view.request.settings["logs"]), (1, 2, 3)),
    *_counts("send", "waits", lambda view: len(view.request.settings["waits"])),
    Trigger(
        name="by-gtids",
        text="where the replica asks by GTIDs",
        roles=("send",),
        whole=lambda view: view.request.settings["gtid_set"] is not None,
    ),
    Trigger(
        name="by-position",
        text="where the replica asks by a position",
        roles=("send",),
        whole=lambda view: view.request.settings["gtid_set"] is None,
    ),
    *_counts("filter", "do rules", lambda view: len(view.request.settings["do_tables"])),
    *_counts("filter", "ignore rules", lambda view: len(view.request.settings["ignore_tables"])),
    *_counts("render", "following logs", lambda view: len(view.request.settings.get("following", ()))),
    Trigger(name="utc-offset-east", text="east of UTC", roles=("render",), whole=lambda view: _offset(view) > 0),
    Trigger(name="utc-offset-west", text="west of UTC", roles=("render",), whole=lambda view: _offset(view) < 0),
    Trigger(
        name="utc-offset-part-of-hour",
        text="in time zones that differ by a part of an hour",
        roles=("render",),
        whole=lambda view: _offset(view) % 60 != 0,
    ),
    Trigger(
        name="start-position",
        text="where printing begins later than at the start",
        roles=("render",),
        whole=lambda view: view.request.settings.get("start_position", 4) > 4,
    ),
    *_counts("apply", "events to skip", lambda view: view.request.settings.get("skip_counter", 0), (0, 1, 2, 3)),
    Trigger(name="until", text="where there is a place to stop at", roles=("apply",), whole=_is_set("until")),
    Trigger(name="version", text="where the replica has its own version", roles=("apply",), whole=_is_set("version")),
    Trigger(name="leftovers", text="where DROP DATABASE fails", roles=("apply",), whole=_is_set("leftovers")),
)
