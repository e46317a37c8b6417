"""Work on tables: the groups of events that tables info and filters concern, with what is known of each event."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from conformance.binlog.flags import Flag
from conformance.binlog.gtid_set import GtidSet
from conformance.binlog.servers import WITH_INCIDENT_TRANSACTIONS, WITH_ROWS_QUERIES, with_tables_info
from conformance.models.boundary.boundary_type import MARKER_BITS, BoundaryType
from conformance.models.filtering.log_part import LogPart, Part
from conformance.models.filtering.statement import CreateTable, FilteredStatement, each_once
from conformance.models.filtering.table_name import TableName
from conformance.models.filtering.tables_info import LoggingFormat, create_select_ends, create_table, rename_table
from conformance.strategies.events import gtid_events, mysql_events
from conformance.strategies.events.extended_query import extended_query, is_extended
from conformance.strategies.events.payloads import transaction_payload
from conformance.strategies.events.server_events import incident, xa_prepare
from conformance.strategies.events.statement_events import delete_file, load_block, user_var
from conformance.strategies.events.unassigned_types import UNASSIGNED
from conformance.strategies.grammar.planned_event import PlannedEvent
from conformance.strategies.grammar.stream import StreamBuilder
from conformance.strategies.groups import boundary_groups
from conformance.strategies.groups import transactions as groups
from conformance.strategies.scenarios.spelled_statements import Spelling
from conformance.strategies.scenarios.table_names import DATABASE
from conformance.strategies.scenarios.table_rows import USUAL, TableRows

#: In `StreamBuilder.settings`: the parts of the log, one for each event, for the questions about the stream.
PARTS: Final = "parts"
#: Statements that change rows in each of the ways of `ROW_CHANGES`.
_CHANGES_OF_ROWS: Final = {
    "write": "INSERT INTO {} VALUES (1)",
    "delete": "DELETE FROM {}",
    "update": "UPDATE {} SET a = 1",
}
_GROUP_WHOLE: Final = "WL40-FILTER-GROUP-WHOLE"


#: How the LIKE or SELECT part of a CREATE TABLE is written; LIKE can be plain or in parentheses.
SOURCE_FORMS: Final = ("plain", "in parentheses", "AS", "after columns", "after columns, AS")
#: The words with which a renaming of tables begins.
RENAME_WORDS: Final = ("TABLE", "TABLES")


class XaName(NamedTuple):
    """The name of an XA transaction: its global part, its branch and the number of its format."""

    gtrid: bytes = b"x1"
    bqual: bytes = b""
    format_id: int = 1

    @property
    def text(self) -> str:
        """The name as servers log it."""
        return f"X'{self.gtrid.hex()}',X'{self.bqual.hex()}',{self.format_id}"


#: The type of the unknown events among the groups.
UNKNOWN_TYPE: Final = UNASSIGNED[-1]


class Piece(NamedTuple):
    """A planned event, and the part of the log that it will be."""

    event: PlannedEvent
    part: LogPart

    def marked(self, *requirements: str) -> "Piece":
        """Return it with further requirements that govern it."""
        return Piece(self.event.marked(*requirements), self.part)


class TableWork:
    """Adds work on tables to a stream.

    Args:
        stream: The stream; its settings then hold the parts of the log under `PARTS`.
        markers: Whether the server puts Gtid or Anonymous_gtid events before groups.

    Attributes:
        database: The default database of the statements that follow.
        spelling: How the definitions that follow are written.
        rename_word: The word after RENAME in those that follow, one of `RENAME_WORDS`.
        rows_events: The rows events of the statements that follow, one of `ROWS_EVENTS`.
        rows_flags: Their flags besides the one for the end of a statement.
        bounded: Whether the events of groups have boundary markers (WL#4162).
        unknown_at: The place of an ignorable event of an unknown type in each group, before that of its events; None
            for none.
        declares_unknown: Whether logs declare that type.
    """

    def __init__(self, stream: StreamBuilder, *, markers: bool = True) -> None:
        self.stream = stream
        self.choose = stream.choose
        self._markers = markers
        self.database = DATABASE
        self.spelling = Spelling()
        self.rename_word = RENAME_WORDS[0]
        self.rows_events = USUAL
        self.rows_flags = 0
        self.bounded = False
        self.unknown_at: int | None = None
        self.declares_unknown = False
        self._parts: list[LogPart] = []
        self._table_ids: list[int] = []
        #: Those of the log before, which this one has again.
        self._ids_again: list[int] = []
        stream.settings[PARTS] = self._parts

    # --- the log

    def begin(self, *, extended: bool, lengths: bytes | None = None, flags: int = 0) -> None:
        """Add the beginning of a log; `lengths` are post-header lengths other than the server's."""
        lengths = lengths or self.stream.server.post_header_lengths
        if self.declares_unknown:
            lengths = lengths.ljust(UNKNOWN_TYPE, b"\0")
        if self.bounded:
            flags = MARKER_BITS.write(flags, BoundaryType.IGNORE_BOUNDARY)
        self.stream.describe_format(flags=flags, post_header_lengths=with_tables_info(lengths) if extended else lengths)
        if self._markers and self.stream.server.gtid_form not in ("absent", "5.6"):
            gtids = gtid_events.gtid_set(self.stream) if self.choose.yes(4) else GtidSet(())
            self._add([gtid_events.previous_gtids(self.stream, gtids, flags=int(Flag.IGNORABLE))])
        if self.stream.server.is_mariadb:
            groups.add_gtid_list(self.stream)
        self._note()

    def next_log(self) -> None:
        """Begin the source's next log in the same relay log: after a restart, it has the same table ids again."""
        self.stream.add(mysql_events.rotate(self.stream, flags=int(Flag.ARTIFICIAL)))
        self.stream.describe_format(flags=int(Flag.RELAY_LOG), created=self.stream.timestamp)
        self._ids_again, self._table_ids = self._table_ids, []
        self._note()

    def incident(self) -> None:
        """Add an Incident event, as a transaction where servers log it as one."""
        piece = Piece(incident(self.stream), LogPart(Part.INCIDENT))
        if self.stream.server.profile in WITH_INCIDENT_TRANSACTIONS:
            self.group([piece])
        else:
            self.outside(piece)

    def outside(self, piece: Piece) -> None:
        """Add an event outside groups."""
        self._add([piece.event])
        self._parts.append(piece.part)

    def end(self) -> None:
        """Add the end of a log."""
        self._add(groups.ending(self.stream))
        self._note()

    def group(self, pieces: Sequence[Piece]) -> None:
        """Add a group, with the Gtid or Anonymous_gtid event before it if the server writes one."""
        if self.unknown_at is not None:
            at = min(self.unknown_at, len(pieces) - 1)
            pieces = [*pieces[:at], self.unknown(UNKNOWN_TYPE), *pieces[at:]]
        planned = [each.event for each in pieces]
        if self._markers:
            planned = groups.with_gtid(self.stream, planned)
        self._add(planned)
        self.stream.timestamp += 1
        markers = len(planned) - len(pieces)
        self._parts += [LogPart(Part.MARKER)] * markers
        self._parts += [each.part for each in pieces]

    def _add(self, planned: Sequence[PlannedEvent]) -> None:
        """Add events that begin outside transactions, with their boundary markers if they have some."""
        for event in boundary_groups.marked(planned) if self.bounded else planned:
            self.stream.add(event)

    def _note(self) -> None:
        """Record that the events added since are part of the log and of no group."""
        self._parts += [LogPart(Part.LOG)] * (self.stream.count - len(self._parts))

    # --- single events

    def unknown(self, code: int) -> Piece:
        """Return an ignorable event of an unknown type."""
        event = mysql_events.ignorable(self.stream, code, b"ignored", flags=0)
        return Piece(event.marked("WL4033-READ-UNKNOWN-SKIPPED"), LogPart(Part.MEMBER))

    def control(self, word: str, part: Part, tables: tuple[TableName, ...] = ()) -> Piece:
        """Return BEGIN, COMMIT or ROLLBACK; they have tables only around a CREATE TABLE ... SELECT."""
        return Piece(self._query(word, tables), LogPart(part))

    def statement(
        self,
        sql: str,
        statement: FilteredStatement,
        tables: tuple[TableName, ...] | None = None,
    ) -> Piece:
        """Return a statement; its list is the tables that it names unless others are given."""
        tables = statement.tables if tables is None else tables
        return Piece(self._query(sql, tables), LogPart(Part.STATEMENT, tables, statement))

    def _query(self, sql: str, tables: tuple[TableName, ...]) -> PlannedEvent:
        if is_extended(self.stream):
            return extended_query(self.stream, sql, tables, database=self.database)
        return mysql_events.query(self.stream, sql, database=self.database)

    def _quoted(self, table: TableName) -> str:
        """Return a table as a statement names it."""
        return Spelling().name(table, self.database)

    def begin_transaction(self) -> Piece:
        """Return the BEGIN of a transaction."""
        return self.control("BEGIN", Part.BEGIN)

    def close(self, how: str | None = None) -> Piece:
        """Return the end of a transaction: ``Xid``, ``COMMIT`` or ``ROLLBACK``, or any of them, mostly the first."""
        if how is None:
            kind = self.choose.integer(0, 4)
            how = "COMMIT" if kind == 1 else "ROLLBACK" if kind == 2 and self.choose.yes(4) else "Xid"
        if how == "Xid":
            return Piece(mysql_events.xid(self.stream), LogPart(Part.END))
        return self.control(how, Part.END)

    def xa_transaction(self, name: XaName, pieces: Sequence[Piece], *, one_phase: bool = False) -> list[Piece]:
        """Return an XA transaction that is prepared, or committed in one phase.

        Args:
            name: Its name.
            pieces: What is in it.
            one_phase: Whether it is committed there.
        """
        prepare = xa_prepare(self.stream, name.gtrid, name.bqual, format_id=name.format_id, one_phase=int(one_phase))
        return [
            Piece(self._query(f"XA START {name.text}", ()), LogPart(Part.BEGIN, xa=name.text)),
            *pieces,
            Piece(self._query(f"XA END {name.text}", ()), LogPart(Part.MEMBER)),
            Piece(prepare, LogPart(Part.END)),
        ]

    def xa_finish(self, name: XaName, word: str) -> list[Piece]:
        """Return the XA COMMIT or XA ROLLBACK of a transaction that was prepared."""
        return [Piece(self._query(f"{word} {name.text}", ()), LogPart(Part.XA_FINISH, xa=name.text))]

    # --- rows

    def rows(
        self,
        tables: Sequence[TableName],
        *changes: str,
        text: bool | None = None,
        more: int | None = None,
    ) -> list[Piece]:
        """Return one statement's Table_maps, one for each table, and their rows.

        Args:
            tables: The tables.
            *changes: How the rows events change them in turn, each one of `ROW_CHANGES`; none for any.
            text: Whether the statement's text is before them in a Rows_query; None for sometimes.
            more: How many further rows events there are of one of the tables; None for none or one.
        """
        choose = self.choose
        changes = changes or (choose.one_of(tuple(mysql_events.ROW_CHANGES)),)
        columns = choose.integer(1, 3)
        ids = self._ids(len(tables))
        pieces: list[Piece] = []
        if (self.stream.server.profile in WITH_ROWS_QUERIES and choose.yes(2)) if text is None else text:
            statement = _CHANGES_OF_ROWS[changes[0]].format(self._quoted(tables[0]))
            pieces.append(Piece(mysql_events.rows_query(self.stream, statement), LogPart(Part.CONTEXT)))
        written = [
            TableRows.of(self.stream, table, table_id, columns, self.rows_events)
            for table_id, table in zip(ids, tables, strict=True)
        ]
        for rows in written:
            part = LogPart(Part.TABLE_MAP, (rows.table,), table_id=rows.table_id)
            pieces.append(Piece(rows.map(), part))
        further = sum(1 for _ in choose.several(0, 1)) if more is None else more
        order = [*written, *[choose.one_of(written)] * further] if further else written
        for number, rows in enumerate(order):
            last = number == len(order) - 1
            part = LogPart(Part.ROWS, table_id=rows.table_id, statement_end=last)
            change = changes[number % len(changes)]
            pieces.append(Piece(rows.event(change, last=last, flags=self.rows_flags), part))
        return pieces

    def _ids(self, count: int) -> list[int]:
        """Return different table ids: new ones, or as far as there are those of the log before.

        Those of one statement may be far apart, and then have their low bytes in common.
        """
        again, self._ids_again = self._ids_again[:count], self._ids_again[count:]
        first = max([self.choose.integer(1, 2**32), *again, *(each + 1 for each in self._table_ids)])
        step = self.choose.one_of((1, 1 << 8, 1 << 16, 1 << 32)) if count > 1 and self.choose.yes() else 1
        ids = [*again, *(first + 1 + number * step for number in range(count - len(again)))]
        self._table_ids += ids
        return ids

    def discarded_file(self) -> list[Piece]:
        """Return the blocks of a file whose LOAD DATA failed, and the Delete_file that discards them."""
        number = self.choose.integer(1, 99)
        blocks = [load_block(self.stream, number, first=place == 0, size=5) for place in self.choose.several(1, 2)]
        end = Piece(delete_file(self.stream, number), LogPart(Part.FILE_END))
        return [*(Piece(each, LogPart(Part.CONTEXT)) for each in blocks), end]

    # --- groups

    def change(self, tables: Sequence[TableName]) -> list[Piece]:
        """Return one change of all these tables: rows, or one statement."""
        return self.rows(tables) if self.choose.yes() else self.change_by_statement(tables)

    def change_by_statement(self, tables: Sequence[TableName], *, context: bool | None = None) -> list[Piece]:
        """Return a statement that changes all these tables, sometimes through a view, which alone its text names.

        Args:
            tables: The tables.
            context: Whether events of Intvar, Rand and User_var come before it; None for sometimes.
        """
        first, *others = tables
        pieces: list[Piece] = []
        if self.choose.yes(5) if context is None else context:
            for _ in self.choose.several(1, 3):
                event = self.choose.one_of((mysql_events.intvar, mysql_events.rand, user_var))(self.stream)
                pieces.append(Piece(event, LogPart(Part.CONTEXT)))
        if is_extended(self.stream) and self.choose.yes(4):
            view = TableName(first.database, "v")
            sql = self.choose.one_of((f"INSERT INTO {self._quoted(view)} VALUES (1)", "DO f1()", "-- nothing"))
            piece = self.statement(sql, FilteredStatement((view,)), tuple(tables))
            return [*pieces, piece.marked("WL40-FILTER-BY-TABLES-INFO")]
        if others:
            names = ", ".join(map(self._quoted, tables))
            # Naming the first again for each other one would exceed the length of a statement if its name is long.
            conditions = " AND ".join(f"{self._quoted(each)}.a = 1" for each in others)
            sql = f"UPDATE {names} SET {self._quoted(first)}.a = 1 WHERE {conditions}"
        else:
            sql = self.choose.one_of(tuple(_CHANGES_OF_ROWS.values())).format(self._quoted(first))
        return [*pieces, self.statement(sql, FilteredStatement(each_once(list(tables))))]

    def transaction(self, tables: Sequence[TableName]) -> list[Piece]:
        """Return a transaction that changes each of these tables, one by one or several at once."""
        pieces = [self.begin_transaction()]
        left = list(tables)
        while left:
            count = self.choose.integer(1, min(2, len(left)))
            pieces += self.change(left[:count])
            left = left[count:]
        return [*pieces, self.close()]

    def row_transaction(self, tables: Sequence[TableName]) -> list[Piece]:
        """Return a transaction that changes each of these tables in row format."""
        pieces = [self.begin_transaction()]
        left = list(tables)
        while left:
            count = self.choose.integer(1, min(2, len(left)))
            pieces += self.rows(left[:count])
            left = left[count:]
        return [*pieces, self.close()]

    def rows_statement(
        self,
        tables: Sequence[TableName],
        *changes: str,
        text: bool | None = None,
        more: int | None = None,
    ) -> list[Piece]:
        """Return a transaction with one statement in row format that changes all these tables; see `rows`."""
        return [self.begin_transaction(), *self.rows(tables, *changes, text=text, more=more), self.close()]

    def packed(self, tables: Sequence[TableName]) -> list[Piece]:
        """Return a transaction on these tables inside a Transaction_payload."""
        inner = self.transaction(tables)
        event = transaction_payload(self.stream, [each.event for each in inner])
        return [Piece(event, LogPart(Part.PAYLOAD, inner=tuple(each.part for each in inner)))]

    def create(self, create: CreateTable, source_form: str = "plain") -> list[Piece]:
        """Return a CREATE TABLE as statement format logs it.

        Args:
            create: What it creates.
            source_form: How its LIKE or SELECT part is written, one of `SOURCE_FORMS`.
        """
        words: list[str | TableName] = ["CREATE", *["TEMPORARY"] * create.temporary, "TABLE"]
        words += [*["IF", "NOT", "EXISTS"] * create.if_not_exists, create.table]
        if create.like:
            words += ["(", "LIKE", create.like, ")"] if source_form == "in parentheses" else ["LIKE", create.like]
        elif create.selects:
            joined = [word for each in create.sources for word in ("JOIN", each)]
            select: list[str | TableName] = ["SELECT", "*", "FROM", *joined[1:]]
            words += ["(a INT)"] * ("columns" in source_form) + ["AS"] * ("AS" in source_form)
            words += ["(", *select, ")"] if source_form == "in parentheses" else select
        else:
            words.append("(a INT)")
        sql = self.spelling.statement(words, self.database)
        tables = create_table(create, LoggingFormat.STATEMENT).tables
        return [self.statement(sql, FilteredStatement(tables, create=create), tables)]

    def create_select(self, table: TableName) -> list[list[Piece]]:
        """Return a CREATE TABLE ... SELECT as row format logs it.

        It is one group, whose BEGIN and COMMIT have the new table in their list, or two groups if they have
        Anonymous_gtid or Gtid events.
        """
        create = CreateTable(table)
        ends = create_select_ends(create)
        definition = self.statement(
            f"CREATE TABLE {self._quoted(table)} (\n  a int DEFAULT NULL\n)",
            FilteredStatement(ends, create=create),
            ends,
        )
        rows = self.rows([table], "write") if not self.choose.yes(4) else []
        if self._markers and self.stream.server.gtid_form != "absent":
            begin, end = self.control("BEGIN", Part.BEGIN), self.close()
            return [[definition], *([[begin, *rows, end]] if rows else [])]
        begin, end = self.control("BEGIN", Part.BEGIN, ends), self.control("COMMIT", Part.END, ends)
        return [[piece.marked(_GROUP_WHOLE) for piece in (begin, definition, *rows, end)]]

    def rename(self, *pairs: tuple[TableName, TableName]) -> list[Piece]:
        """Return a RENAME TABLE."""
        listed = [word for old, new in pairs for word in (",", old, "TO", new)]
        sql = self.spelling.statement(["RENAME", self.rename_word, *listed[1:]], self.database)
        tables = rename_table(pairs)
        return [self.statement(sql, FilteredStatement(tables, renames=pairs), tables)]

    def drop_database(self, database: str, tables: Sequence[TableName]) -> list[Piece]:
        """Return the DROP DATABASE of a database with these tables."""
        named = each_once(list(tables))
        sql = f"DROP DATABASE {Spelling().name(TableName(database, database), database)}"
        return [self.statement(sql, FilteredStatement(named, dropped=named))]

    def drop(self, tables: Sequence[TableName], what: str = "TABLE") -> list[Piece]:
        """Return a DROP of tables; `what` they are is ``TABLE``, ``TEMPORARY TABLE`` or ``VIEW``."""
        sql = f"DROP {what} IF EXISTS " + ",".join(map(self._quoted, tables))
        named = each_once(list(tables))
        return [self.statement(sql, FilteredStatement(named, dropped=() if what == "VIEW" else named))]

    def delete(self, tables: Sequence[TableName]) -> list[Piece]:
        """Return a DELETE from all these tables."""
        names = ", ".join(map(self._quoted, tables))
        return [self.statement(f"DELETE FROM {names} USING {names}", FilteredStatement(each_once(list(tables))))]
