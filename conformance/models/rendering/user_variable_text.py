"""User_var events as mysqlbinlog prints them."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from conformance.binlog.event_info import text
from conformance.binlog.rows.collations import collation
from conformance.binlog.user_variable import VariableType, variable_value
from conformance.models.rendering.printer_version import PrinterVersion
from conformance.models.rendering.session_settings import DELIMITER, SessionSettings

#: utf8mb3_general_ci: the character set of names.
_NAMES: Final = 33


def user_variable_lines(version: PrinterVersion, session: SessionSettings, fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that set a user variable."""
    name = text(fields["variable_name"]).replace("`", "``")
    statement = f"SET @`{name}`:={value_text(version, fields)}{DELIMITER}"
    before = session.charset
    if not version.variable_charset:
        yield statement
        return
    of_text = fields["is_null"] or fields["variable_type"] == VariableType.STRING
    yield from session.charset_lines((_NAMES, _NAMES if of_text else fields["variable_charset"], _NAMES))
    yield statement
    if before is not None:
        yield from session.charset_lines(before)


def value_text(version: PrinterVersion, fields: Mapping[str, Any]) -> str:
    """Return the value of a User_var event as an expression; ``???`` if its character set is not known.

    Raises:
        MalformedBody: The value does not have the size of its type.
    """
    value = variable_value(fields)
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        named = collation(fields["variable_charset"], mariadb=version.is_mariadb)
        form = "X'{}'" if version.is_mariadb else "0x{}"
        digits = form.format(value.hex().upper()) if value else '""'
        return f"_{named.charset} {digits} COLLATE `{named.name}`" if named else "???"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return f"{value:.14g}" if isinstance(value, float) else str(value)
