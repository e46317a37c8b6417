"""Decides which events of a log pass: statements and rows by their tables, other events with their group.

A group is a transaction or a self-contained statement, with the Gtid event before it. Its BEGIN, its COMMIT,
ROLLBACK or Xid and its Gtid event are kept if any event between them is, or if there is none (WL#40, section 4.1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from conformance.binlog.total_table import total
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.table_filter import TableFilter


@dataclass(slots=True)
class Fate:
    """The decision about one event.

    Attributes:
        part: The event.
        kept: Whether it passes; None while its group is open if it shares the group's fate.
        ends_statement: It needs the flag that ends its statement, since the rows with that flag were dropped.
        inner: The fates of the events in a payload.
    """

    part: LogPart
    kept: bool | None = None
    ends_statement: bool = False
    inner: tuple["Fate", ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all events of a payload pass unchanged."""
        return all(each.kept and not each.ends_statement for each in self.inner)


@dataclass(slots=True)
class _RowsStatement:
    """The Table_maps and rows of one statement, as read so far."""

    maps: list[Fate] = field(default_factory=list)
    rows: list[Fate] = field(default_factory=list)
    passing: dict[int, bool] = field(default_factory=dict)


class GroupFilter:
    """Decides a log's events, one group at a time.

    Args:
        tables: Decides statements and tables.
    """

    def __init__(self, tables: TableFilter) -> None:
        self._tables = tables
        self._group: list[Fate] = []
        self._begun = False
        self._marked = False
        #: Events of the group that wait for the statement after them.
        self._context: list[Fate] = []
        self._rows = _RowsStatement()
        self._xa = ""
        self._dropped_xa: set[str] = set()

    def add(self, part: LogPart) -> list[list[Fate]]:
        """Take the next event; return the groups that are now decided, in the order of the log."""
        groups = []
        if part.part in _BEGINNINGS and self._ends_group(part.part):
            # The group before was never ended: a server crashed, or a source restarted.
            groups.append(self.finish())
        fate = Fate(part)
        self._group.append(fate)
        if part.part not in _AMONG_ROWS:
            self._end_rows()
        if _DECIDE[part.part](self, fate):
            groups.append(self.finish())
        return groups

    def _ends_group(self, part: Part) -> bool:
        loose = bool(self._rows.maps or self._rows.rows)
        return self._begun or loose or (self._marked and part is Part.MARKER_AND_BEGIN)

    def finish(self) -> list[Fate]:
        """End the open group, and return its fates."""
        self._end_rows()
        decided = [each.kept for each in self._group if each.part.part in HOLDING or each.kept is False]
        # A group without dropped events breaks no rule: an empty transaction passes.
        holds = any(decided) or not decided
        for fate in self._group:
            if fate.kept is None:
                fate.kept = holds or (fate.part.part is Part.MEMBER and not self._begun and not self._marked)
        if self._xa:
            (self._dropped_xa.discard if holds else self._dropped_xa.add)(self._xa)
        group = self._group
        self._group, self._context, self._xa = [], [], ""
        self._begun = self._marked = False
        return group

    def _marker(self, fate: Fate) -> bool:
        self._marked = True
        return False

    def _begin(self, fate: Fate) -> bool:
        self._begun = True
        self._xa = fate.part.xa
        return False

    def _end(self, fate: Fate) -> bool:
        if not self._begun and not self._marked:
            # The log begins inside a transaction, whose statements were decided one by one.
            fate.kept = True
        return True

    def _xa_finish(self, fate: Fate) -> bool:
        fate.kept = fate.part.xa not in self._dropped_xa
        return not self._begun

    def _add_context(self, fate: Fate) -> bool:
        self._context.append(fate)
        return False

    def _statement(self, fate: Fate) -> bool:
        part = fate.part
        statement = part.statement
        if statement is not None and not statement.certain:
            fate.kept = self._tables.passes_uncertain(statement)
        else:
            fate.kept = self._tables.passes(part.tables, statement)
        self._settle_context(fate.kept)
        return not self._begun

    def _file_end(self, fate: Fate) -> bool:
        # No statement names the table of the file, and a discarded file changes nothing.
        fate.kept = False
        self._settle_context(False)
        return not self._begun

    def _table_map(self, fate: Fate) -> bool:
        passing = self._tables.passes(fate.part.tables)
        self._rows.maps.append(fate)
        self._rows.passing[fate.part.table_id] = passing
        fate.kept = passing
        return False

    def _add_rows(self, fate: Fate) -> bool:
        self._rows.rows.append(fate)
        # Rows without a table only end their statement.
        fate.kept = self._rows.passing.get(fate.part.table_id)
        if fate.part.statement_end:
            self._end_rows()
            return not self._begun
        return False

    def _payload(self, fate: Fate) -> bool:
        inside = GroupFilter(self._tables)
        inner = [each for part in fate.part.inner for group in inside.add(part) for each in group]
        fate.inner = (*inner, *inside.finish())
        fate.kept = any(each.kept for each in fate.inner)
        return not self._begun

    def _member(self, fate: Fate) -> bool:
        return self._is_between

    def _incident(self, fate: Fate) -> bool:
        fate.kept = True
        return not (self._begun or self._context)

    def _log(self, fate: Fate) -> bool:
        fate.kept = True
        return self._is_between

    @property
    def _is_between(self) -> bool:
        """Whether no group is open, and nothing waits for a statement."""
        return not (self._begun or self._marked or self._context)

    def _settle_context(self, kept: bool) -> None:
        for fate in self._context:
            fate.kept = kept
        self._context = []

    def _end_rows(self) -> None:
        """Decide the undecided events of a statement after the last of its rows."""
        rows = self._rows
        if not rows.maps and not rows.rows:
            return
        self._rows = _RowsStatement()
        kept = [each for each in rows.rows if each.kept]
        for fate in rows.rows:
            if fate.kept is None:
                fate.kept = bool(kept)
        if not kept:
            for fate in rows.maps:
                fate.kept = False
        elif not rows.rows[-1].kept and rows.rows[-1].part.statement_end:
            kept[-1].ends_statement = True
        # The statement's text concerns all its tables.
        self._settle_context(bool(kept) and all(rows.passing.values()))


#: Parts that begin a group, and so end the one before.
_BEGINNINGS: Final = frozenset({Part.MARKER, Part.MARKER_AND_BEGIN, Part.BEGIN})
#: Parts that may be among the rows of a statement: an ignorable event of an unknown type may be anywhere (WL#4033).
_AMONG_ROWS: Final = frozenset({Part.TABLE_MAP, Part.ROWS, Part.MEMBER})
#: Parts that keep their group if they are kept.
HOLDING: Final = frozenset({Part.STATEMENT, Part.ROWS, Part.PAYLOAD, Part.XA_FINISH, Part.INCIDENT})


def _begin_with_marker(groups: GroupFilter, fate: Fate) -> bool:
    return groups._marker(fate) or groups._begin(fate)


_DECIDE: Final[Mapping[Part, Callable[[GroupFilter, Fate], bool]]] = total(
    f"{__name__}._DECIDE",
    Part,
    {
        Part.MARKER: GroupFilter._marker,
        Part.BEGIN: GroupFilter._begin,
        Part.MARKER_AND_BEGIN: _begin_with_marker,
        Part.END: GroupFilter._end,
        Part.XA_FINISH: GroupFilter._xa_finish,
        Part.CONTEXT: GroupFilter._add_context,
        Part.STATEMENT: GroupFilter._statement,
        Part.FILE_END: GroupFilter._file_end,
        Part.TABLE_MAP: GroupFilter._table_map,
        Part.ROWS: GroupFilter._add_rows,
        Part.PAYLOAD: GroupFilter._payload,
        Part.MEMBER: GroupFilter._member,
        Part.INCIDENT: GroupFilter._incident,
        Part.LOG: GroupFilter._log,
    },
    entry="the method that decides it",
)
