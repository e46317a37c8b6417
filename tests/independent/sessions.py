"""Sessions of a server that logs, written from docs/roles/log.md."""

from collections.abc import Callable
from typing import Any

from statements import Table

#: An event before it is written: its type, its body and its flags.
Event = tuple[int, bytes, int]
Name = tuple[str, str]


class Session:
    """A session: its variables, its temporary tables, and its open transaction.

    Attributes:
        cache: The events of the transaction that are not yet in the log.
        undo: What takes back the changes of the transaction, last first.
        registered: Whether a statement of the transaction was logged, at once or not.
        fixed: Whether the cache holds what a rollback cannot undo.
        gtid_next: AUTOMATIC, ANONYMOUS, a GTID, or nothing once a given GTID is used up.
        as_rows: Whether a statement was logged as rows since there were no temporary tables.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.format, self.texts = settings["binlog_format"], settings["binlog_rows_query_log_events"]
        self.database, self.gtid_next, self.variable = "", "AUTOMATIC", None
        self.temporary: dict[Name, Table] = {}
        self.anonymous = self.as_rows = False
        self.clear()

    def clear(self) -> None:
        """Forget the transaction: none is open then."""
        self.within = self.registered = self.fixed = False
        self.cache: list[Event] = []
        self.undo: list[Callable[[], None]] = []
        self.savepoints: list[tuple[str, int | None, int]] = []
        self.begun_in = ""

    @property
    def given(self) -> bool:
        """Whether the session has a given GTID."""
        return ":" in self.gtid_next

    def give_up(self) -> None:
        """Lose the right to a given GTID, or to be anonymous."""
        self.gtid_next = "" if self.given else self.gtid_next
        self.anonymous = False
