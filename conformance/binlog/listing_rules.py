"""What servers do differently in the Info column of SHOW BINLOG EVENTS.

Sources: the listings of MySQL 5.5.9 to 9.7.4 and of MariaDB 10.1.23, 10.2.11, 10.11.18, 11.4.5, 11.8.6
and 11.8.9.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Final

#: Digits of a whole double before the point, and zeros after it, up to which servers write no exponent.
_LONGEST: Final = 15
_UTF8MB3: Final = "utf8mb3"


@dataclass(frozen=True, slots=True)
class ListingRules:
    """How a server lists events.

    Attributes:
        options: Bits of the status variable ``flags2``, each with what is listed before the statement of a Query event
            in which it is set.
        sorts_gtid_list: The GTIDs of a Gtid_list are listed by domain and number, not as stored.
        negative_zero: The double -0.0.
        backtick: A backtick in the name of a database or of a user variable.
        charset_three: The name of the character set of three bytes, with which those of its collations begin.
        empty_in_digits: MariaDB lists an empty string as hexadecimal digits too, as 11.8.6 does.
        widens_file_id: The number of a loaded file is widened to 64 bits with its sign.
        unknown_type: The name of a type that the server does not know.
        ignorable: The name of type 28, the base class of ignorable events.
        names_ignorable: The content of an event of such a type has the type's code and name.
        later_gtid_flags: What the flags of MariaDB's Gtid events announce since 10.2 is listed: an XA transaction that
            is prepared, and the phase of an ALTER TABLE.
        cuts_statements: The statement of a Query event is listed as far as its first NUL.
        all_rows_flags: All flags of a rows event are listed, not only STMT_END_F.
    """

    options: tuple[tuple[int, str], ...] = ()
    sorts_gtid_list: bool = True
    negative_zero: str = "-0"
    backtick: str = "``"
    charset_three: str = _UTF8MB3
    empty_in_digits: bool = True
    widens_file_id: bool = True
    unknown_type: str = "Unknown"
    ignorable: str = "Ignorable"
    names_ignorable: bool = False
    later_gtid_flags: bool = True
    cuts_statements: bool = False
    all_rows_flags: bool = False

    def ignored(self, code: int, name: str) -> str:
        """Return what is listed as the content of an event of an unknown type."""
        return f"# Ignorable event type {code} ({name})" if self.names_ignorable else "# Unrecognized ignorable event"

    def charset_name(self, name: str) -> str:
        """Return the name of a character set, or of a collation, as it is listed."""
        return name.replace(_UTF8MB3, self.charset_three)

    def statement(self, query: bytes) -> bytes:
        """Return what is listed of the statement of a Query event."""
        return query.partition(b"\0")[0] if self.cuts_statements else query

    def settings(self, flags2: int) -> str:
        """Return what is listed before the statement of a Query event with these flags."""
        words = [text for bit, text in self.options if flags2 & bit]
        return f"set {', '.join(words)}; " if words else ""

    def double(self, value: float) -> str:
        """Return a double as servers write it: the shortest digits, with an exponent where the point is far away.

        With digits after the point it has none, however many are before it: a double has 17 digits at most.
        """
        if not isfinite(value):
            return "0"
        if not value:
            return self.negative_zero if str(value).startswith("-") else "0"
        sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
        assert isinstance(exponent, int)
        point = len(digits) + exponent
        if 1 - _LONGEST <= point <= max(_LONGEST, len(digits) - 1):
            return f"{Decimal((sign, digits, exponent)):f}"
        return "".join(_with_exponent(bool(sign), "".join(map(str, digits)), point - 1))


def _with_exponent(negative: bool, digits: str, exponent: int) -> Iterator[str]:
    yield "-" if negative else ""
    yield digits[0]
    if len(digits) > 1:
        yield f".{digits[1:]}"
    yield f"e{exponent}"


#: What the kit does itself: as MySQL, but with every byte of a statement.
LISTING_OF_KIT: Final = ListingRules(all_rows_flags=True)
#: What MySQL 9.7.4 does.
LISTING_OF_MYSQL: Final = ListingRules(cuts_statements=True, all_rows_flags=True)
#: What MariaDB 11.8.6 does.
LISTING_OF_MARIADB: Final = ListingRules(
    widens_file_id=False,
    unknown_type="Ignorable log event",
    ignorable="Ignorable log event",
    names_ignorable=True,
)
#: The options of a session that MariaDB 10.11.18 lists, in its order.
OPTIONS: Final = (
    (1 << 26, "foreign_key_checks=0"),
    (1 << 14, "sql_auto_is_null=1"),
    (1 << 27, "unique_checks=0"),
    (1 << 15, "check_constraint_checks=0"),
    (1 << 28, "@@sql_if_exists=1"),
    (1 << 30, "@@system_versioning_insert_history=1"),
)
#: The same of MariaDB 11.4.5 and 11.8.6, which list a setting that is off as on.
OPTIONS_AS_ON: Final = (
    (1 << 26, "foreign_key_checks=1"),
    (1 << 14, "sql_auto_is_null"),
    (1 << 27, "unique_checks=1"),
    (1 << 15, "check_constraint_checks=1"),
    (1 << 28, "@@sql_if_exists=1"),
    (1 << 30, "@@system_versioning_insert_history=1"),
)
