"""The tables of the model: names, engines and rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

#: Characters that a name may have.
_NAME_LENGTH: Final = 64

#: The last character that servers take in a name.
_LAST: Final = "\uffff"

#: Characters that no name of a scenario may have: one is between database and table, others between folders.
_NEVER: Final = frozenset("./\\")

#: Engine -> whether it is transactional. From 8.0 on, transactional engines have atomic DDL.
TRANSACTIONAL: Final[Mapping[str, bool]] = {"innodb": True, "myisam": False}

#: One row: the value of `a`, and that of the auto-increment column if there is one.
Row = tuple[int | None, ...]


def checked_name(name: str) -> str:
    """Return the name of a database, a table or a savepoint if it is valid: without upper case, and without a dot.

    Servers take more; a dot is left to the names of tables, and letter case is a matter of their settings.

    Raises:
        ValueError: A scenario may not use the name.
    """
    characters = name.isprintable() and not _NEVER.intersection(name) and name == name.lower()
    if not (0 < len(name) <= _NAME_LENGTH and characters and name == name.strip() and max(name) <= _LAST):
        raise ValueError(
            f"{name!r} is not a valid name in a scenario: write up to 64 characters, lower case, without . / and \\, "
            "without a space at either end"
        )
    return name


def quoted(name: str) -> str:
    """Return a name as written in a statement, in backticks; a backtick within it is doubled."""
    return "`{}`".format(name.replace("`", "``"))


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A table's name with its database, in a scenario ``database.table``."""

    database: str
    table: str

    def __post_init__(self) -> None:
        checked_name(self.database)
        checked_name(self.table)

    def __str__(self) -> str:
        return f"{self.database}.{self.table}"

    @property
    def quoted(self) -> str:
        """The name as written in a statement."""
        return f"{quoted(self.database)}.{quoted(self.table)}"

    @classmethod
    def parse(cls, text: str) -> "TableName":
        """Return the name that ``database.table`` gives.

        Raises:
            ValueError: The text is not such a name.
        """
        database, dot, table = text.partition(".")
        if not dot:
            raise ValueError(f"{text!r} is not a valid table name: write DATABASE.TABLE")
        return cls(database, table)


@dataclass(slots=True, eq=False)
class Table:
    """One table: a nullable INT column `a`, and an auto-increment column `id` if requested.

    Attributes:
        name: Its name.
        engine: One of `TRANSACTIONAL`.
        temporary: Whether only one session sees it.
        auto_increment: Whether it has the column `id`.
        table_id: Its number in Table_map events.
        logged: Whether its creation is in the binary log.
        rows: Its rows, in the order of their insertion.
        next_id: The next value of `id`.
    """

    name: TableName
    engine: str = "innodb"
    temporary: bool = False
    auto_increment: bool = False
    table_id: int = 0
    logged: bool = True
    rows: list[Row] = field(default_factory=list)
    next_id: int = 1

    @property
    def transactional(self) -> bool:
        """Whether its changes can be rolled back."""
        return TRANSACTIONAL[self.engine]

    def forget_number(self) -> None:
        """Have the next number follow the largest in the table, as InnoDB does that keeps it in memory alone."""
        if self.auto_increment and self.engine == "innodb":
            self.next_id = 1 + max((row[-1] or 0 for row in self.rows), default=0)

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return 2 if self.auto_increment else 1

    @property
    def definition(self) -> str:
        """The columns and the engine, as in a CREATE TABLE."""
        extra = ", `id` int not null auto_increment primary key" if self.auto_increment else ""
        return f"(`a` int{extra}) engine={self.engine}"
