"""What servers do differently in the Info column of SHOW BINLOG EVENTS.

Sources: the listings of MySQL 5.5.9 to 9.7.4 and of MariaDB 10.1.23, 10.2.11, 10.11.18, 11.4.5 and 11.8.6.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Final

#: Digits of a double before the point, and zeros after it, up to which servers write no exponent.
_LONGEST: Final = 15


@dataclass(frozen=True, slots=True)
class ListingRules:
    """How a server lists events.

    Attributes:
        options: Bits of the status variable ``flags2``, each with what is listed before the statement of a Query event
            in which it is set.
        sorts_gtid_list: The GTIDs of a Gtid_list are listed by domain and number, not as stored.
        negative_zero: The double -0.0.
    """

    options: tuple[tuple[int, str], ...] = ()
    sorts_gtid_list: bool = True
    negative_zero: str = "-0"

    def settings(self, flags2: int) -> str:
        """Return what is listed before the statement of a Query event with these flags."""
        words = [text for bit, text in self.options if flags2 & bit]
        return f"set {', '.join(words)}; " if words else ""

    def double(self, value: float) -> str:
        """Return a double as servers write it: the shortest digits, with an exponent where the point is far away."""
        if not isfinite(value):
            return "0"
        if not value:
            return self.negative_zero if str(value).startswith("-") else "0"
        sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
        assert isinstance(exponent, int)
        point = len(digits) + exponent
        if 1 - _LONGEST <= point <= _LONGEST:
            return f"{Decimal((sign, digits, exponent)):f}"
        return "".join(_with_exponent(bool(sign), "".join(map(str, digits)), point - 1))


def _with_exponent(negative: bool, digits: str, exponent: int) -> Iterator[str]:
    yield "-" if negative else ""
    yield digits[0]
    if len(digits) > 1:
        yield f".{digits[1:]}"
    yield f"e{exponent}"


#: What MySQL does, in every version.
LISTING_OF_MYSQL: Final = ListingRules()
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
